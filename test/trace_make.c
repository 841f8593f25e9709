/*
 * trace_make.c - traces for tests.
 */
#include "trace_make.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const vtr_text pipes[] = { "S", "V", "MTE1", "MTE2" };
static const vtr_text causes[] = { "busy", "wait for MTE2", "barrier", "no instruction" };
static const vtr_text spaces[] = { "none", "GM", "UB" };
static const struct vtr_core cores[] = {
	{ "core0.cubecore0", "cube", 0, 0 }, { "core0.veccore0", "vector", 0, 0 }, { "core0.veccore1", "vector", 0, 1 },
	{ "core1.cubecore0", "cube", 1, 0 }, { "core1.veccore0", "vector", 1, 0 },
};
static const struct vtr_site sites[MADE_SITES] = {
	{ 0, 0x1000, VTR_WORK, "copy_gm_to_ubuf", "k.c:10 in load, inlined at k.c:31 in k" },
	{ 0, 0x1004, VTR_SET_FLAG, "set_flag", "k.c:11 in load, inlined at k.c:31 in k" },
	{ 0, 0x1008, VTR_WAIT_FLAG, "wait_flag", "k.c:20 in k" },
	{ 0, 0x100c, VTR_WORK, "vadd.f16", "k.c:21 in k" },
	{ 0, 0x1010, VTR_BARRIER, "pipe_barrier", "k.c:21 in k" },
	{ 0, 0x2000, VTR_WORK, "vexp \"quoted\", \\ and \xc3\xa9 \xff", "" },
	{ 1, 0x1000, VTR_WORK, "mad.f16", "cube.c:7 in k" },
	{ 1, 0xffffffffffffff00, VTR_WORK, "nop", "" },
};

static const struct vtr_finding findings[] = {
	{ "single buffer", "MTE2 and V take turns: 12345 cycles (40 %) of the critical path alternate between them, and"
	  " there is one buffer", "use two buffers (double buffering): two event ids and two slots of UB, so that MTE2 loads"
	  " the next piece while V works", "k.c:20 in k", "buffer@V-MTE2=+1", 123000, true, 2, 1 },
	{ "barriers", "some", "fewer", "", "", 100, false, UINT32_MAX, 2 },
	{ "idle cores", "few run", "launch more", "", "", 7, false, UINT32_MAX, UINT32_MAX },
};
static const vtr_text parts[] = { "work", "launch", "flags and barriers" };
static const int64_t path[] = { 0, 10000, 3, 5000, 0, 7, 0, 0, 0, 108446, 0, 0 };
static const struct vtr_path_line lines[] = { { "k.c:21 in k", 3, 100000 }, { "code without source", UINT32_MAX, 5 } };
const struct vtr_findings made_findings = {
	.headline = "MTE2 is the largest part of the critical path, 88 % of the run, most of it work", .n_finding = 3,
	.n_part = 3, .n_line = 2, .finding = findings, .part = parts, .path = path, .line = lines, .path_core = 0,
	.path_cycles = 123456, .path_links = 99,
};

/* an address in word 0, a packed word 3 with a field in two parts, all of word 1 */
static const struct vtr_operand copy_operands[] = {
	{ "dst", 0, 0, 64, 0, 0, true }, { "len", 3, 8, 12, 52, 4, false }, { "config", 1, 0, 64, 0, 0, false },
};
static const struct vtr_operand add_operands[] = { { "repeat", 3, 56, 8, 0, 0, false } };
static const struct vtr_layout layouts[] = { { 3, copy_operands }, { 1, add_operands } };
static const uint32_t layout_of[MADE_SITES] = { 0, UINT32_MAX, UINT32_MAX, 1, UINT32_MAX, 1, UINT32_MAX, UINT32_MAX };

struct maker {
	struct made *m;
	struct vtr_writer *w;
	uint32_t max;
	unsigned random;
	uint64_t seq;
	int64_t at[4], done[4];          /* of the core: pipe free, results visible */
	uint64_t word[4];
	int64_t scalar;                  /* its scalar unit worked or was held until here */
};

static unsigned rnd(struct maker *k, unsigned n)
{
	k->random = k->random * 1664525u + 1013904223u;
	return (k->random >> 8) % n;
}

static uint64_t write_one(struct maker *k, struct vtr_event e, int64_t ready, int64_t cycles, int64_t latency)
{
	struct fail f = { 0 };
	int64_t free_at = k->at[e.pipe];
	e.seq = ++k->seq;
	e.stall_begin = free_at;
	e.dispatched = rnd(k, 2) ? free_at : free_at / 2;
	e.arrived = e.dispatched + 2;
	e.start = ready > e.arrived ? ready : e.arrived;
	e.start = e.start > free_at ? e.start : free_at;
	e.issue_end = e.start + cycles;
	e.end = e.issue_end + latency;
	k->at[e.pipe] = e.issue_end;
	k->done[e.pipe] = e.end > k->done[e.pipe] ? e.end : k->done[e.pipe];
	e.has_words = layout_of[e.site] != UINT32_MAX;
	for (unsigned i = 0; e.has_words && i < 4; i++)
		e.word[i] = rnd(k, 3) ? k->word[i] : (k->word[i] = (uint64_t)rnd(k, 1u << 24) << rnd(k, 40));
	cr_assert(vtr_write_event(k->w, &e, &f), "%s", f.what);
	cr_assert_lt(k->m->n_event, k->max);
	k->m->event[k->m->n_event++] = e;
	return e.seq;
}

static void step(struct maker *k, uint32_t core, uint32_t i)
{
	struct vtr_event copy = { .core = core,
				  .block = (int32_t)(i / 3) - 1,
				  .site = 0,
				  .pipe = 3,
				  .bytes = 64 * rnd(k, 100),
				  .n_access = 2,
				  .extra_bandwidth = rnd(k, 2),
				  .cause = 3 };
	copy.access[0] = (struct vtr_access){ 1, false, 0x200000000 + 4096 * (uint64_t)i, copy.bytes };
	copy.access[1] = (struct vtr_access){ 2, true, 64 * (uint64_t)rnd(k, 64), copy.bytes };
	write_one(k, copy, 0, 1 + rnd(k, 300), rnd(k, 400));
	struct vtr_event set = { .core = core,
				 .block = copy.block,
				 .site = 1,
				 .pipe = 3,
				 .has_flag = true,
				 .flag_src = 3,
				 .flag_dst = 1,
				 .event_id = (uint16_t)(i % 2) };
	uint64_t setter = write_one(k, set, 0, 1, 0);
	struct vtr_event wait = set;
	wait.site = 2;
	wait.pipe = 1;
	wait.cause = 1;
	wait.releaser_pipe = 3;
	wait.releaser = setter;
	write_one(k, wait, k->done[3] + 2, 1, 0);
	k->m->n_pair++;
	struct vtr_event add = { .core = core,
				 .block = copy.block,
				 .site = rnd(k, 4) ? 3 : 5,
				 .pipe = 1,
				 .repeats = rnd(k, 200),
				 .extra_bank = rnd(k, 3),
				 .n_access = 3,
				 .cause = 3,
				 .macs = rnd(k, 2) ? UINT64_MAX : 0 };
	for (unsigned a = 0; a < 3; a++)
		add.access[a] = (struct vtr_access){ 2, a == 0, 256 * a, 256 };
	uint64_t last = write_one(k, add, 0, 4 + rnd(k, 90), 19);
	if (rnd(k, 3) == 0) {
		struct vtr_event barrier = { .core = core,
					     .block = copy.block,
					     .site = 4,
					     .pipe = 1,
					     .cause = 2,
					     .releaser_pipe = 1,
					     .releaser = last };
		write_one(k, barrier, k->done[1], 2, 0);
	}
}

/* The scalar unit works a little, then waits for the vadd that it last issued. */
static void hold(struct maker *k, uint32_t core, uint32_t i)
{
	struct fail f = { 0 };
	struct vtr_hold h = { .core = core, .pipe = 0, .cause = (uint8_t)(1 + i % 3), .site = i ? i % MADE_SITES : UINT32_MAX,
			      .releaser_pipe = i % 2 ? 1 : 0, .releaser = i % 2 ? k->seq : 0 };
	h.from = k->scalar + (i ? rnd(k, 50) : 0);
	h.to = h.from + 1 + rnd(k, 200);
	k->scalar = h.to;
	cr_assert(vtr_write_hold(k->w, &h, &f), "%s", f.what);
	k->m->hold[k->m->n_hold++] = h;
}

void made_run(struct made *m, unsigned seed, uint32_t n_core, uint32_t n_step, uint32_t block_events)
{
	struct fail f = { 0 };
	struct vtr_head head = { .producer = "test",
				 .chip = "toy910b",
				 .kernel = "kernels/none/k.c",
				 .entry = "k",
				 .clock_mhz = 1850,
				 .blocks = 7,
				 .block_events = block_events,
				 .n_core = n_core,
				 .n_pipe = 4,
				 .n_cause = 4,
				 .n_space = 3,
				 .core = cores,
				 .pipe = pipes,
				 .cause = causes,
				 .space = spaces };
	struct maker *k = calloc(n_core, sizeof *k);
	int64_t totals[5 * 4 * 4] = { 0 };
	memset(m, 0, sizeof *m);
	FILE *out = open_memstream(&m->bytes, &m->size);
	struct vtr_writer *w = vtr_writer_open(out, &head, &f);
	cr_assert(w && k, "%s", f.what);
	cr_assert(vtr_write_sites(w, sites, 3, &f) && vtr_write_sites(w, sites + 3, MADE_SITES - 3, &f), "%s", f.what);
	cr_assert(vtr_write_layouts(w, layouts, 2, layout_of, &f), "%s", f.what);
	uint32_t max = n_core * n_step * 5;
	m->event = malloc((max + 1) * sizeof *m->event);
	m->hold = malloc((n_core * n_step + 1) * sizeof *m->hold);
	for (uint32_t c = 0; c < n_core; c++)
		k[c] = (struct maker){ .m = m, .w = w, .max = max, .random = seed + c };
	for (uint32_t i = 0; i < n_step; i++)
		for (uint32_t c = 0; c < n_core; c++) {
			hold(&k[c], c, i);
			step(&k[c], c, i);
		}
	for (int i = 0; i < 5 * 4 * 4; i++)
		totals[i] = i % 3 ? i * 1000 : 0;
	struct vtr_done done = {
		.end = 123456, .failed = seed % 2, .message = seed % 2 ? "it went wrong" : NULL, .totals = totals
	};
	cr_assert(vtr_write_findings(w, &made_findings, &f), "%s", f.what);
	cr_assert(vtr_write_done(w, &done, &f), "%s", f.what);
	vtr_writer_free(w);
	fclose(out);
	free(k);
}

void made_free(struct made *m)
{
	free(m->bytes);
	free(m->event);
	free(m->hold);
}

struct hold_copy { struct vtr_writer *w; bool ok; };

static void copy_hold(void *user, const struct vtr_hold *h)
{
	struct hold_copy *c = user;
	struct fail f = { 0 };
	c->ok = c->ok && vtr_write_hold(c->w, h, &f);
}

void made_copy(const struct vtr *t, char **bytes, size_t *size)
{
	struct fail f = { 0 };
	struct vtr_event e;
	FILE *out = open_memstream(bytes, size);
	struct vtr_writer *w = vtr_writer_open(out, &t->head, &f);
	struct vtr_walk *walk = vtr_walk_new(t, VTR_ALL, &f);
	cr_assert(w && walk, "%s", f.what);
	cr_assert(vtr_write_sites(w, t->site, t->n_site, &f), "%s", f.what);
	cr_assert(!t->layout_of || vtr_write_layouts(w, t->layout, t->n_layout, t->layout_of, &f), "%s", f.what);
	vtr_walk_words(walk);
	while (vtr_next(walk, &e))
		cr_assert(vtr_write_event(w, &e, &f), "%s", f.what);
	cr_assert_eq(vtr_walk_bad(walk), 0);
	struct hold_copy copy = { w, true };
	cr_assert_eq(vtr_each_hold(t, copy_hold, &copy), 0);
	cr_assert(copy.ok && (!t->findings || vtr_write_findings(w, t->findings, &f)), "%s", f.what);
	cr_assert(vtr_write_done(w, &t->done, &f), "%s", f.what);
	vtr_walk_free(walk);
	vtr_writer_free(w);
	fclose(out);
}
