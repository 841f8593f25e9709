/*
 * viz_bench.c - the window on a large trace: 10 M instructions over 72 cores. Time to open the file, and time of frames
 * (draw list and pixels at 1280 x 720) while zooming in, panning and scrolling with every core open.
 */
#include "../../isa/isa.h"
#include "../../viz/raster.h"
#include "../../viz/ui.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CORES = 72, PIPES = 5, SITES = 64, CAUSES = 8, FRAMES = 60 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of all threads: what the work costs, however busy the machine is otherwise. */
static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t random_next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static struct vtr_writer *begin(FILE *out, struct fail *f)
{
	static struct vtr_core core[CORES];
	static char name[CORES][24], site_name[SITES][16], line[SITES][32];
	static struct vtr_site site[SITES];
	static const vtr_text pipe[] = { "S", "V", "MTE1", "MTE2", "MTE3" }, space[] = { "none", "GM", "UB", "L1" };
	static const vtr_text cause[CAUSES] = {
		"busy",          "sync issue",    "UB bank conflict", "wait for V",
		"wait for MTE2", "wait for MTE3", "barrier",          "no instruction"
	};
	for (int i = 0; i < CORES; i++) {
		snprintf(name[i], sizeof name[i], "core%d.veccore%d", i / 2, i % 2);
		core[i] = (struct vtr_core){ name[i], "vector", (uint32_t)i / 2, (uint32_t)i % 2 };
	}
	for (int i = 0; i < SITES; i++) {
		snprintf(site_name[i], sizeof site_name[i], "vop%d.f16", i);
		snprintf(line[i], sizeof line[i], "bench.c:%d in bench", i + 10);
		site[i] = (struct vtr_site){ 0, 0x100000000u + 4u * (uint64_t)i, i % 8 == 7 ? VTR_WAIT_FLAG : VTR_WORK,
					     site_name[i], line[i] };
	}
	struct vtr_head head = { .producer = "bench",
				 .chip = "ascend910b1",
				 .kernel = "bench.c",
				 .entry = "bench",
				 .clock_mhz = 1850,
				 .blocks = CORES,
				 .n_core = CORES,
				 .n_pipe = PIPES,
				 .n_cause = CAUSES,
				 .n_space = 4,
				 .core = core,
				 .pipe = pipe,
				 .cause = cause,
				 .space = space };
	struct vtr_writer *w = vtr_writer_open(out, &head, f);
	return w && vtr_write_sites(w, site, SITES, f) ? w : NULL;
}

/* Instructions of random length with random waits; every core and pipe advances at the same pace. */
static bool write_trace(const char *path, uint64_t events, struct fail *f)
{
	static int64_t at[CORES][PIPES];
	static uint64_t seq[CORES];
	uint64_t s = 88172645463325252u;
	FILE *out = fopen(path, "wb");
	struct vtr_writer *w = out ? begin(out, f) : NULL;
	bool ok = w != NULL;
	for (uint64_t i = 0; ok && i < events; i++) {
		uint32_t core = (uint32_t)(i % CORES), pipe = 1 + (uint32_t)(i / CORES % (PIPES - 1));
		uint64_t r = random_next(&s);
		int64_t wait = (r & 3) == 0 ? (int64_t)(r >> 8 & 255) : 0, idle = (int64_t)(r >> 16 & 15),
			cycles = 8 + (int64_t)(r >> 24 & 63);
		struct vtr_event e = { .core = core,
				       .site = (uint32_t)(r >> 40) % SITES,
				       .block = (int32_t)core,
				       .pipe = (uint8_t)pipe,
				       .cause = (uint8_t)(wait ? 3 + (r >> 50) % 4 : 0),
				       .seq = ++seq[core],
				       .bytes = r >> 30 & 4095,
				       .n_access = 2 };
		e.stall_begin = at[core][pipe];
		e.arrived = e.dispatched = at[core][pipe] + idle;
		e.start = e.arrived + wait;
		e.issue_end = e.start + cycles;
		e.end = e.issue_end + 20;
		if (wait && seq[core] > 4) {
			e.releaser = seq[core] - 1 - (r >> 60) % 3;
			e.releaser_pipe = (uint8_t)(1 + (pipe + 1) % (PIPES - 1));
		}
		e.access[0] = (struct vtr_access){ 2, false, (r >> 20 & 0xffff), 256 };
		e.access[1] = (struct vtr_access){ 2, true, (r >> 28 & 0xffff), 256 };
		at[core][pipe] = e.issue_end;
		ok = vtr_write_event(w, &e, f);
	}
	struct vtr_done done = { .end = at[0][1] + 100000 };
	ok = ok && vtr_write_done(w, &done, f);
	vtr_writer_free(w);
	return out && fclose(out) == 0 && ok;
}

struct times {
	double sum, most, cpu;
	int n;
};

static void frame(struct ui *u, struct image *image, const struct font *font, struct times *t)
{
	double start = now(), start_cpu = cpu();
	ui_frame(u);
	raster(image, &u->draw, font);
	double took = now() - start;
	t->cpu += cpu() - start_cpu;
	t->sum += took;
	t->most = took > t->most ? took : t->most;
	t->n++;
}

static void report(const char *what, const struct times *t, const struct ui *u)
{
	printf("%-28s mean %6.2f ms (processor %5.2f), worst %6.2f ms, %d items\n", what, 1000 * t->sum / t->n,
	       1000 * t->cpu / t->n, 1000 * t->most, u->draw.n_item);
}

static void frames(struct ui *u)
{
	struct image image = { 0 };
	struct font font;
	struct times zoom = { 0 }, pan = { 0 }, scroll = { 0 }, shut = { 0 };
	if (!image_size(&image, 1280, 720) || !font_blocks(&font, 7, 15))
		return;
	ui_size(u, 1280, 720, 7, 15);
	frame(u, &image, &font, &shut);
	shut = (struct times){ 0 };
	for (int i = 0; i < FRAMES; i++) {
		ui_zoom(u, i < FRAMES / 2 ? 0.8 : 1.25, ui_span(u) * 0.37);
		frame(u, &image, &font, &shut);
	}
	report("zoom, cores closed", &shut, u);
	ui_act(u, ACT_ALL_CORES);
	ui_fit(u);
	for (int i = 0; i < FRAMES; i++) {
		ui_zoom(u, 0.8, ui_span(u) * 0.37);
		frame(u, &image, &font, &zoom);
	}
	report("zoom in, cores open", &zoom, u);
	for (double part = 0.3; part > 1e-6; part /= 4) {
		ui_show(u, ui_span(u) * 0.4, ui_span(u) * (0.4 + part), true);
		for (int i = 0; i < 6; i++) {
			ui_pan(u, (u->to - u->from) * 0.1);
			frame(u, &image, &font, &pan);
		}
	}
	report("pan at ten zooms", &pan, u);
	ui_fit(u);
	for (int i = 0; i < FRAMES; i++) {
		u->scroll_y += 60;
		frame(u, &image, &font, &scroll);
	}
	report("scroll, whole run", &scroll, u);
	image_free(&image);
	font_free(&font);
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "build/viz_bench.vtr";
	uint64_t events = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000;
	struct model *m = malloc(sizeof *m);
	struct fail f = { 0 };
	struct ui u;
	char err[512];
	FILE *there = fopen(path, "rb");
	if (there)
		fclose(there);
	if (!m || !isa_init(err, sizeof err) || (!there && !write_trace(path, events, &f))) {
		fail_print(&f);
		return 1;
	}
	double start = now(), start_cpu = cpu();
	if (!model_open_head(m, path, &f)) {
		fail_print(&f);
		return 1;
	}
	ui_init(&u);
	bool shown = ui_add_run(&u, m);
	if (shown)
		ui_frame(&u);
	printf("%-28s %6.2f s (processor %.2f s)\n", "open, first frame with report", now() - start, cpu() - start_cpu);
	ui_free(&u);
	m = malloc(sizeof *m);
	if (!shown || !m)
		return 1;
	start = now();
	start_cpu = cpu();
	if (!model_open(m, path, &f)) {
		fail_print(&f);
		return 1;
	}
	printf("%-28s %6.2f s (processor, both threads: %.2f s), %llu instructions on %u cores\n", "open, all instructions read",
	       now() - start, cpu() - start_cpu, (unsigned long long)m->n_row, m->vtr->head.n_core);
	ui_init(&u);
	start = now();
	if (!ui_add_run(&u, m))
		return 1;
	printf("%-28s %6.2f s\n", "first verdict", now() - start);
	frames(&u);
	ui_free(&u);
	return 0;
}
