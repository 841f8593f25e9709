/*
 * report_roof.c - roofline of the run, on one core and on the chip, and its GM traffic against the least possible.
 */
#include "report_views.h"

#include <string.h>

/* Steps of the cube at full rate per cycle, in MACs: 16 x k0 x 16, k0 = 16 for 16-bit types. */
static double cube_peak(const struct chip *c)
{
	return c->cube.step_cycles ? 16.0 * 16.0 * 16.0 * 1000.0 / (double)c->cube.step_cycles : 0;
}

struct roofline roofline_of(const struct run *r)
{
	const struct sim *s = &r->sim;
	const struct chip *c = &r->chip;
	struct roofline f = { .hbm_rate = (double)c->gm.hbm_rate / 1000, .l2_rate = (double)c->gm.l2_rate / 1000 };
	double cores = 0;
	for (int i = 0; i < s->n_core; i++)
		f.work += (double)s->core[i].stats.macs;
	f.cube = f.work > 0;
	for (int i = 0; i < s->n_core; i++)
		if (!f.cube)
			f.work += (double)s->core[i].stats.vector_repeats * (double)c->vector.repeat_bytes;
	cores = (double)(!c->split ? c->cores.fused : f.cube ? c->cores.cube : c->cores.vector);
	f.peak_core = f.cube ? cube_peak(c) : (double)c->vector.repeat_bytes;
	f.peak_chip = f.peak_core * cores;
	f.bytes = (double)r->report.hbm_bytes;
	f.l2_bytes = (double)r->report.gm_bytes;
	f.reached = s->end ? f.work / (double)s->end : 0;
	f.roof = f.peak_chip;
	if (f.bytes > 0 && f.hbm_rate * f.work / f.bytes < f.roof) {
		f.roof = f.hbm_rate * f.work / f.bytes;
		f.memory = true;
	}
	if (f.l2_bytes > 0 && f.l2_rate * f.work / f.l2_bytes < f.roof) {
		f.roof = f.l2_rate * f.work / f.l2_bytes;
		f.memory = true;
	}
	return f;
}

static void core_line(const struct run *r, const struct roofline *f, int core, const char *name, FILE *out)
{
	const struct core_stats *st = &r->sim.core[core].stats;
	double work = f->cube ? (double)st->macs : (double)st->vector_repeats * (double)r->chip.vector.repeat_bytes,
	bytes = 0;
	for (int i = 0; i < SPACE_COUNT; i++)
		bytes += (double)st->path_bytes[SPACE_GM][i] + (double)st->path_bytes[i][SPACE_GM];
	double reached = r->sim.end ? work / (double)r->sim.end : 0;
	fprintf(out, "  %-22s %16.1f %16.1f %8.1f %%", name, reached, f->peak_core,
		f->peak_core ? 100 * reached / f->peak_core : 0);
	if (bytes > 0)
		fprintf(out, "   %.2f %s per byte of GM", work / bytes, f->cube ? "MACs" : "bytes of vector work");
	fputc('\n', out);
}

void report_roofline(const struct run *r, FILE *out)
{
	struct roofline f = roofline_of(r);
	const char *unit = f.cube ? "MACs" : "bytes of vector work";
	char num[32], num2[32];
	int most = 0, least = 0;
	for (int i = 1; i < r->sim.n_core; i++) {
		const struct core_stats *a = &r->sim.core[i].stats;
		double w = f.cube ? (double)a->macs : (double)a->vector_repeats;
		const struct core_stats *m = &r->sim.core[most].stats, *l = &r->sim.core[least].stats;
		most = w > (f.cube ? (double)m->macs : (double)m->vector_repeats) ? i : most;
		least = w < (f.cube ? (double)l->macs : (double)l->vector_repeats) ? i : least;
	}
	fprintf(out, "\nRoofline, %s per cycle\n  %-22s %16s %16s %10s\n", unit, "", "reached", "possible", "share");
	fprintf(out, "  %-22s %16.1f %16.1f %8.1f %%   the roof is %s\n", "chip", f.reached, f.roof,
		f.roof > 0 ? 100 * f.reached / f.roof : 0,
		f.memory ? "the memory's" : f.cube ? "the cubes'" : "the vector units'");
	fprintf(out, "  %-22s %16.1f %16.1f %8.1f %%\n", "chip, compute alone", f.reached, f.peak_chip,
		f.peak_chip > 0 ? 100 * f.reached / f.peak_chip : 0);
	core_line(r, &f, most, "core with most work", out);
	core_line(r, &f, least, "core with least work", out);
	if (f.bytes > 0)
		fprintf(out, "  %.2f %s per byte of HBM; from %.2f on the roof is compute's\n", f.work / f.bytes, unit,
			f.hbm_rate > 0 ? f.peak_chip / f.hbm_rate : 0);
	fprintf(out, "\nTraffic of GM\n");
	if (r->report.least_bytes) {
		double least_bytes = (double)r->report.least_bytes;
		fprintf(out, "  inputs once, outputs once %16s bytes\n",
			report_number((int64_t)r->report.least_bytes, num));
		fprintf(out, "  cores from and to L2      %16s bytes, %.2f times that\n",
			report_number((int64_t)r->report.gm_bytes, num), f.l2_bytes / least_bytes);
		fprintf(out, "  L2 from and to HBM        %16s bytes, %.2f times that\n",
			report_number((int64_t)r->report.hbm_bytes, num2), f.bytes / least_bytes);
	} else {
		fprintf(out, "  cores %s bytes, HBM %s bytes\n", report_number((int64_t)r->report.gm_bytes, num),
			report_number((int64_t)r->report.hbm_bytes, num2));
	}
}

void report_whatif(const struct run *r, const struct whatif_result *w, int n, FILE *out)
{
	char a[32], b[32], c[32];
	int width = 10;
	for (int i = 0; i < n; i++)
		width = (int)strlen(w[i].text) > width ? (int)strlen(w[i].text) : width;
	fprintf(out, "\nWhat if: cycles of this run, of the run with the change, and what that saves\n  %-*s %12s %12s "
		"%12s\n", width, "change", "now", "then", "saves");
	for (int i = 0; i < n; i++) {
		int64_t saves = r->sim.end - w[i].cycles;
		fprintf(out, "  %-*s %12s %12s %12s %6.1f %%  %s\n", width, w[i].text, report_number(r->sim.end, a),
			report_number(w[i].cycles, b), report_number(saves, c),
			r->sim.end ? 100.0 * (double)saves / (double)r->sim.end : 0, w[i].doc);
	}
}
