/*
 * vendor_metrics.c - the metric tables of the vendor's on-board profiler (PipeUtilization.csv and others) from the counters
 * of a trace. Split chips get the layout of 910B, one row per core; fused chips that of 310P, one row for the task.
 */
#include "vendor.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

enum kind { BLOCK, SUB, TIME, SUM, TWICE, RATIO, BW, ACTIVE, KB, USAGE, SHARE, PERCENT, NA, END };
enum layout { A2, P };

struct column { const char *name; enum kind kind; const char *a, *b; };
struct table { enum layout layout; const char *file; const struct column *column; };

#define TABLE(layout, file) { layout, file, (const struct column[]){
#define COLUMN(name, kind, a, b) { name, kind, a, b },
#define TABLE_END { NULL, END, NULL, NULL } } },
static const struct table tables[] = {
#include "vendor_metrics.def"
};

/* Cores that a row speaks of. */
struct row { uint32_t first, n; };

static bool ran(const struct vtr *t, uint32_t core) { return vtr_core_counter(t, core, "blocks") > 0; }

/* One name of a list; patterns sum over what the file has. False: the file does not say. */
static bool one_counter(const struct vtr *t, const struct row *row, const char *name, double *sum)
{
	const struct vtr_counters *c = &t->counters;
	bool pattern = strchr(name, '*') != NULL;
	for (uint32_t k = row->first; k < row->first + row->n; k++) {
		if (!ran(t, k))
			continue;
		int64_t v = pattern ? 0 : vtr_core_counter(t, k, name);
		if (v < 0)
			return false;
		*sum += (double)v;
		for (uint32_t i = 0; pattern && i < c->n_core; i++)
			if (fnmatch(name, c->core_name[i], 0) == 0)
				*sum += (double)c->core_value[(size_t)k * c->n_core + i];
	}
	return true;
}

static bool counters(const struct vtr *t, const struct row *row, const char *list, double *value)
{
	double sum = 0;
	char name[64];
	for (const char *p = list, *end; *p; p = *end ? end + 1 : end) {
		end = p + strcspn(p, "+");
		snprintf(name, sizeof name, "%.*s", (int)(end - p), p);
		if (!one_counter(t, row, name, &sum))
			return false;
	}
	*value = sum;
	return true;
}

static uint32_t cores_of(const struct vtr *t, const struct row *row)
{
	uint32_t n = 0;
	for (uint32_t k = row->first; k < row->first + row->n; k++)
		n += ran(t, k);
	return n;
}

/* A column's number; false: not known, or nothing to divide by. */
static bool number(const struct vtr *t, const struct row *row, const struct column *c, double *v)
{
	double mhz = (double)t->head.clock_mhz, n = cores_of(t, row), a, b = 0, cycles;
	if (c->kind == NA || !counters(t, row, c->a, &a) || !counters(t, row, "cycles", &cycles) || cycles <= 0)
		return false;
	if (c->kind == USAGE)
		b = (double)vtr_run_counter(t, c->b) * cycles / 1000;
	else if (c->b[0] && !counters(t, row, c->b, &b))
		return false;
	switch (c->kind) {
	case TIME: *v = a / n / mhz; return true;
	case SUM: *v = a; return true;
	case TWICE: *v = 2 * a; return true;
	case RATIO: *v = a / cycles; return true;
	case BW: *v = a * n * mhz / cycles / 1000; return true;
	case KB: *v = a / 1024; return true;
	case ACTIVE: *v = b > 0 ? a * n * mhz / b / 1000 : 0; return true;
	case SHARE: *v = b > 0 ? a / b : 0; return b > 0;
	default: *v = b > 0 ? 100 * a / b : 0; return b > 0; /* USAGE, PERCENT */
	}
}

/* aic_ columns are a cube core's, aiv_ columns a vector core's; on fused chips all are of the one kind. */
static bool other_half(const struct vtr *t, enum layout layout, const struct row *row, const char *name)
{
	bool vector = strcmp(t->head.core[row->first].kind, "vector") == 0;
	return layout == A2 && strncmp(name, vector ? "aic_" : "aiv_", 4) == 0;
}

static void field(const struct vtr *t, enum layout layout, const struct row *row, const struct column *c, FILE *out)
{
	const struct vtr_core *core = &t->head.core[row->first];
	double v;
	if (c->kind == BLOCK)
		fprintf(out, "%" PRIu32, core->group);
	else if (c->kind == SUB)
		fprintf(out, "%s%" PRIu32, strcmp(core->kind, "vector") == 0 ? "vector" : "cube", core->sub);
	else if (other_half(t, layout, row, c->name) || !number(t, row, c, &v))
		fputs("NA", out);
	else if (c->kind == SUM || c->kind == TWICE)
		fprintf(out, "%.0f", v);
	else
		fprintf(out, "%.6f", v);
}

static void line(const struct vtr *t, const struct table *table, const struct row *row, FILE *out)
{
	for (const struct column *c = table->column; c->name; c++) {
		if (row)
			field(t, table->layout, row, c, out);
		else
			fputs(c->name, out);
		putc(c[1].name ? ',' : '\n', out);
	}
}

static void write_table(const struct vendor *v, const struct table *table, FILE *out)
{
	const struct vtr *t = v->x->t;
	int only = v->x->filter.core;
	uint32_t first = only < 0 ? 0 : (uint32_t)only, last = only < 0 ? t->head.n_core : first + 1;
	struct row row = { first, last - first };
	line(t, table, NULL, out);
	if (table->layout == P) {
		if (cores_of(t, &row))
			line(t, table, &row, out);
		return;
	}
	row.n = 1;
	for (row.first = first; row.first < last; row.first++)
		if (ran(t, row.first))
			line(t, table, &row, out);
}

/* A process and a device there are not. */
static void basic_info(const struct vtr *t, bool split, FILE *out)
{
	const struct vtr_head *h = &t->head;
	int64_t end = t->has_done ? t->done.end : t->max_cycle;
	const char *type = vendor_op_type(t);
	fprintf(out, "Op Name,Op Type,Task Duration(us),Block Dim,%sDevice Id,Pid,Current Freq,Rated Freq\n",
		split ? "Mix Block Dim," : "");
	export_field(out, h->entry);
	fprintf(out, ",%s,%.6f,%" PRIu64 ",", type, (double)end / (double)h->clock_mhz, h->blocks);
	if (split && strcmp(type, "mix") == 0)
		fprintf(out, "%" PRIu64 ",", 2 * h->blocks);
	else
		fputs(split ? "NA," : "", out);
	fprintf(out, "0,NA,%" PRIu64 ",%" PRIu64 "\n", h->clock_mhz, h->clock_mhz);
}

bool vendor_metrics(const struct vendor *v, struct fail *f)
{
	const struct vtr *t = v->x->t;
	bool split = vtr_run_counter(t, "split") > 0, ok;
	FILE *out = vendor_create(v, "..", "OpBasicInfo.csv", f);
	if (!out)
		return false;
	basic_info(t, split, out);
	ok = vendor_finish(out, true, f);
	for (size_t i = 0; ok && i < sizeof tables / sizeof tables[0]; i++) {
		if (tables[i].layout != (split ? A2 : P))
			continue;
		out = vendor_create(v, "..", tables[i].file, f);
		if (!out)
			return false;
		write_table(v, &tables[i], out);
		ok = vendor_finish(out, true, f);
	}
	return ok;
}
