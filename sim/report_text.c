/*
 * report_text.c - the report as a person reads it.
 */
#include "reasons.h"

#include <string.h>

const char *report_number(int64_t v, char text[32])
{
	char digits[32];
	int n = snprintf(digits, sizeof digits, "%lld", (long long)v), o = 0;
	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0 && digits[i - 1] != '-')
			text[o++] = ' ';
		text[o++] = digits[i];
	}
	text[o] = 0;
	return text;
}

static void shape_text(const struct array *a, char *text, size_t size)
{
	size_t at = 0;
	text[0] = 0;
	for (int i = 0; i < a->n_dim && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%llu", i ? "x" : "", (unsigned long long)a->dim[i]);
}

static void index_text(const struct array *a, uint64_t index, char *text, size_t size)
{
	uint64_t part[ARRAY_DIMS];
	size_t at = 0;
	for (int i = a->n_dim - 1; i >= 0; i--) {
		part[i] = a->dim[i] ? index % a->dim[i] : 0;
		index /= a->dim[i] ? a->dim[i] : 1;
	}
	at += (size_t)snprintf(text, size, "[");
	for (int i = 0; i < a->n_dim && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%llu", i ? "," : "", (unsigned long long)part[i]);
	if (at < size)
		snprintf(text + at, size - at, "]");
}

/* What an element may differ by: "the golden program's bound for it + 6e-08 * |expected|". */
static void allowed_text(const struct report_output *o, char *text, size_t size)
{
	char atol[32] = "";
	if (o->tolerance.atol > 0 || !o->compare.bound)
		snprintf(atol, sizeof atol, "%g + ", o->tolerance.atol);
	snprintf(text, size, "%s%s%g * |expected|", o->compare.bound ? "its bound for each + " : "", atol, o->tolerance.rtol);
}

static void output_text(const struct report_output *o, FILE *out)
{
	char shape[128], allowed[128];
	const struct compare *c = &o->compare;
	shape_text(&o->array, shape, sizeof shape);
	fprintf(out, "  %-10s %s %s  ", o->name, dtype_name(o->array.dtype), shape);
	if (!o->compared) {
		fprintf(out, "not compared\n");
		return;
	}
	if (c->pass && c->wrong == 0 && c->max_abs == 0) {
		fprintf(out, "matches %s: all %llu elements are equal\n", o->golden, (unsigned long long)c->count);
		return;
	}
	allowed_text(o, allowed, sizeof allowed);
	fprintf(out, "%s %s: %llu of %llu elements outside %s, ", c->pass ? "matches" : "DIFFERS from", o->golden,
		(unsigned long long)c->wrong, (unsigned long long)c->count, allowed);
	if (c->wrong == 0)
		fprintf(out, "the worst used %.1f %% of that\n", 100 * c->worst);
	else
		fprintf(out, "%g allowed; largest difference %.3g\n", o->tolerance.fraction * (double)c->count,
			c->max_abs);
	if (c->pass)
		return;
	for (int i = 0; i < c->n_first; i++) {
		char index[128];
		double e = c->first[i].expected, g = c->first[i].got, d = g > e ? g - e : e - g;
		index_text(&o->array, c->first[i].index, index, sizeof index);
		fprintf(out, "    %s expected %.9g, got %.9g, difference %.3g, relative %.3g\n", index, e, g, d,
			e != 0 ? d / (e < 0 ? -e : e) : d);
	}
	fprintf(out, "    %.4f %% of the elements differ\n",
		c->count ? 100.0 * (double)c->wrong / (double)c->count : 0);
}

static const char *kind_text(unsigned kind)
{
	return kind == CORE_CUBE ? "cube" : kind == CORE_VEC ? "vector" : "fused";
}

static void pipes_text(const struct report *r, FILE *out)
{
	char num[32];
	for (int j = 0; j < r->n_kind; j++) {
		const struct report_kind *k = &r->kind[j];
		fprintf(out, "\nPipes of %d %s core%s, busy share of the run: mean (min .. max over cores)\n", k->cores,
			kind_text(k->kind), k->cores > 1 ? "s" : "");
		for (int p = 0; p < PIPE_COUNT; p++) {
			const struct report_pipe *rp = &k->pipe[p];
			char bar[41];
			if (!rp->present)
				continue;
			int n = (int)(rp->mean * 40 + 0.5);
			memset(bar, '.', 40);
			memset(bar, '#', (size_t)(n < 0 ? 0 : n > 40 ? 40 : n));
			bar[40] = 0;
			fprintf(out, "  %-5s %5.1f %% (%5.1f .. %5.1f)  %s  %s instructions\n", isa_pipe_name(p),
				100 * rp->mean, 100 * rp->min, 100 * rp->max, bar,
				report_number((int64_t)rp->ops, num));
		}
	}
}

static void causes_text(const struct report *r, const struct report_kind *k, FILE *out)
{
	char num[32];
	fprintf(out, "\nWhere the cycles of core %d (%s, the last to finish) went\n", k->last_core, kind_text(k->kind));
	fprintf(out, "  %-20s", "");
	for (int p = 0; p < PIPE_COUNT; p++)
		if (k->pipe[p].present)
			fprintf(out, " %11s", isa_pipe_name(p));
	fputc('\n', out);
	for (int c = 0; c < CAUSE_COUNT; c++) {
		bool any = false;
		for (int p = 0; p < PIPE_COUNT; p++)
			any |= k->pipe[p].present && k->pipe[p].cause[c] != 0;
		if (!any)
			continue;
		fprintf(out, "  %-20s", cause_text(c));
		for (int p = 0; p < PIPE_COUNT; p++)
			if (k->pipe[p].present)
				fprintf(out, " %11s",
					k->pipe[p].cause[c] ? report_number(k->pipe[p].cause[c], num) : "-");
		fputc('\n', out);
	}
	fprintf(out, "  %-20s", "total");
	for (int p = 0; p < PIPE_COUNT; p++)
		if (k->pipe[p].present)
			fprintf(out, " %11s", report_number(r->cycles, num));
	fputc('\n', out);
}

static void memory_text(const struct report *r, FILE *out)
{
	char num[32];
	if (r->macs)
		fprintf(out, "\nCube     %s MACs, %.1f %% of the peak of the cores in use\n",
			report_number((int64_t)r->macs, num), 100 * r->mac_share);
	fprintf(out, "%sMemory   HBM %s bytes, %.1f %% of its bandwidth;", r->macs ? "" : "\n",
		report_number((int64_t)r->hbm_bytes, num), 100 * r->hbm_share);
	fprintf(out, " L2 %s bytes, %.1f %%", report_number((int64_t)r->gm_bytes, num), 100 * r->l2_share);
	uint64_t lines = r->l2_hit_bytes + r->l2_miss_bytes;
	if (lines)
		fprintf(out, "; L2 hit rate %.1f %%", 100.0 * (double)r->l2_hit_bytes / (double)lines);
	fputc('\n', out);
	for (int i = 0; i < r->n_path; i++)
		fprintf(out, "  %3s -> %-3s %15s bytes\n", isa_space_name(r->path[i].from),
			isa_space_name(r->path[i].to), report_number((int64_t)r->path[i].bytes, num));
}

void report_text(const struct report *r, FILE *out)
{
	char num[32], num2[32];
	struct reasons why;
	vtr_text pipe[PIPE_COUNT];
	for (int i = 0; i < PIPE_COUNT; i++)
		pipe[i] = isa_pipe_name(i);
	fprintf(out, "%s, entry %s, on %s: %lld block%s on %d core%s%s\n", r->kernel, r->entry, r->chip,
		(long long)r->blocks, r->blocks == 1 ? "" : "s", r->cores, r->cores == 1 ? "" : "s",
		r->timing_only ? ", timing only" : "");
	if (r->n_output && !r->timing_only) {
		fprintf(out, "\nResult\n");
		for (int i = 0; i < r->n_output; i++)
			output_text(&r->output[i], out);
	}
	fprintf(out, "\nTime     %s cycles = %.2f us at %lld MHz\n", report_number(r->cycles, num),
		(double)r->cycles / (double)r->clock_mhz, (long long)r->clock_mhz);
	reasons_of(r, NULL, &why);
	reasons_text(&why.all, r->cycles, out);
	for (int i = 0; i < r->n_note; i++)
		fprintf(out, "Note     %s.\n", r->note[i]);
	reasons_path_text(&why.all, pipe, PIPE_COUNT, r->cycles, out);
	pipes_text(r, out);
	for (int j = 0; j < r->n_kind; j++)
		causes_text(r, &r->kind[j], out);
	memory_text(r, out);
	fprintf(out, "\nWork     %s scalar instructions, %s Da Vinci instructions:",
		report_number((int64_t)r->rv_insns, num), report_number((int64_t)r->ops, num2));
	for (int i = 0; i < r->n_insn; i++)
		fprintf(out, "%s%s %s", i % 5 ? ", " : "\n           ", isa_table[r->insn[i].id].name,
			report_number((int64_t)r->insn[i].count, num));
	fputc('\n', out);
	if (r->check)
		check_text(r->check, r->all_findings, out);
}
