/*
 * tune_report.c - what a search found: text with the best candidates and why the winner wins, one row per shape, CSV
 * with every candidate, JSON with both.
 */
#include "tune.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEMA = 1 };

static const char *status_text(enum tune_status s)
{
	static const char *const text[] = { "", "timed", "rejected", "refused", "wrong", "failed", "right" };

	return text[s];
}

static int64_t busy_cycles(const int64_t *cause)
{
	return cause[CAUSE_BUSY] + cause[CAUSE_BANK] + cause[CAUSE_BANDWIDTH] + cause[CAUSE_L2MISS];
}

static int busiest(const struct tune_result *r)
{
	int best = PIPE_V;

	for (int p = 0; p < PIPE_COUNT; p++)
		if (p != PIPE_S && p != PIPE_ALL && busy_cycles(r->cause[p]) > busy_cycles(r->cause[best]))
			best = p;
	return best;
}

static double busy_share(const struct tune_result *r, int p)
{
	return r->cycles ? 100.0 * (double)busy_cycles(r->cause[p]) / (double)r->cycles : 0;
}

/* What the winner's busiest pipe no longer waits for, the largest savings first. */
static void why(const struct tune_result *winner, const struct tune_result *other, const char *name, FILE *out)
{
	int p = busiest(winner);
	int64_t saved[CAUSE_COUNT];

	fprintf(out, "Why it beats %s (%s, %.1f %% more cycles): %s works %.0f %% of the time, there %.0f %%", name,
		other->point.text,
		100.0 * ((double)other->cycles / (double)winner->cycles - 1), isa_pipe_name((enum isa_pipe)p),
			busy_share(winner, p),
		busy_share(other, p));
	if (busiest(other) != p)
		fprintf(out, " (%s %.0f %%)", isa_pipe_name((enum isa_pipe)busiest(other)),
			busy_share(other, busiest(other)));
	for (int k = 0; k < CAUSE_COUNT; k++)
		saved[k] = other->cause[p][k] - winner->cause[p][k];
	for (int i = 0; i < 3; i++) {
		char text[32];
		int best = 0;
		for (int k = 1; k < CAUSE_COUNT; k++)
			if (saved[k] > saved[best])
				best = k;
		if (saved[best] <= 0 || saved[best] * 50 < winner->cycles)
			break;
		fprintf(out, "%s%s cycles of \"%s\" saved", i ? ", " : "; ", report_number(saved[best], text),
			cause_text((enum cause)best));
		saved[best] = 0;
	}
	fprintf(out, ".\n");
}

static void count(const struct tune *t, const char *shape, enum tune_status s, int64_t *n)
{
	*n = 0;
	for (int64_t i = 0; i < t->log.n; i++)
		*n += t->log.result[i].status == s && strcmp(t->log.result[i].shape.text, shape) == 0;
}

static void rejected_text(const struct tune *t, FILE *out)
{
	char number[32];

	for (int i = 0; i < t->space.n_constraint; i++)
		if (t->rejected[i])
			fprintf(out, "  %7" PRId64 " rejected: %s (the nearest is %s %s)\n", t->rejected[i],
				t->space.constraint[i], report_number(t->nearest[i], number),
				strstr(t->space.constraint[i], "<=") ? "too large" : "off");
}

static int by_key(const void *pa, const void *pb)
{
	const struct tune_result *a = *(const struct tune_result *const *)pa, *b = *(const struct tune_result *const *)pb;
	int c = strcmp(a->shape.text, b->shape.text);

	return c ? c : strcmp(a->point.text, b->point.text);
}

/* In an order that does not depend on which worker was first. */
static const struct tune_result **sorted(const struct tune *t)
{
	const struct tune_result **list = malloc((size_t)(t->log.n ? t->log.n : 1) * sizeof *list);

	for (int64_t i = 0; list && i < t->log.n; i++)
		list[i] = &t->log.result[i];
	if (list)
		qsort(list, (size_t)t->log.n, sizeof *list, by_key);
	return list;
}

static bool failed_at(const struct tune_result *r, const char *shape)
{
	return r->status != TUNE_TIMED && r->status != TUNE_RIGHT &&
	       (strcmp(r->shape.text, "check") == 0 || strcmp(r->shape.text, shape) == 0);
}

/* Candidates that are not timed because the kernel refused them or gave wrong values: a line per reason, and the first. */
static void failures_text(const struct tune *t, const char *shape, FILE *out)
{
	const struct tune_result **list = sorted(t);
	int shown = 0;

	for (int64_t i = 0; list && i < t->log.n; i++) {
		int64_t same = 0, before = 0;
		if (!failed_at(list[i], shape))
			continue;
		for (int64_t k = 0; k < t->log.n; k++)
			if (failed_at(list[k], shape) && strcmp(list[k]->why, list[i]->why) == 0) {
				same++;
				before += k < i;
			}
		if (before == 0 && shown++ < 8)
			fprintf(out, "  %7" PRId64 " %s: %s; the first is %s\n", same, status_text(list[i]->status), list[i]->why,
				list[i]->point.text);
	}
	if (shown > 8)
		fprintf(out, "  and %d more reasons (--csv FILE has every candidate)\n", shown - 8);
	free(list);
}

static const struct tune_result *standard_of(const struct tune *t, const char *shape)
{
	struct tune_sets point, at;

	snprintf(at.text, sizeof at.text, "%s", shape);
	tune_standard(t, &at, &point);
	const struct tune_result *r = tune_log_find(&t->log, shape, point.text);

	return r && r->status == TUNE_TIMED ? r : NULL;
}

void tune_text(const struct tune *t, const struct tune_sets *shape, FILE *out)
{
	int64_t n, right, wrong, refused;
	char number[32];
	const struct tune_result **list = tune_ranked(t, shape->text, &n), *standard = standard_of(t, shape->text);

	count(t, "check", TUNE_RIGHT, &right);
	count(t, "check", TUNE_WRONG, &wrong);
	count(t, "check", TUNE_REFUSED, &refused);
	fprintf(out, "%s at %s\n", t->launch.kernel, shape->text[0] ? shape->text : "the launch file's shape");
	fprintf(out,
		"%" PRId64 " combinations, %" PRId64 " within the constraints; values checked: %" PRId64 " right, %" PRId64
		     " wrong, %" PRId64 " refused by the kernel; timed at this shape: %" PRId64 "\n",
		t->space.n_all, t->n_fit, right, wrong, refused, n);
	rejected_text(t, out);
	failures_text(t, shape->text, out);
	if (!list || !n) {
		fprintf(out, "No candidate was timed.\n");
		free(list);
		return;
	}
	fprintf(out, "\n  %4s  %12s  %8s  candidate\n", "rank", "cycles", "% slower");
	for (int64_t i = 0; i < n && i < t->top; i++)
		fprintf(out, "  %4" PRId64 "  %12s  %8.1f  %s%s\n", i + 1, report_number(list[i]->cycles, number),
			100.0 * ((double)list[i]->cycles / (double)list[0]->cycles - 1), list[i]->point.text,
			list[i] == standard ? "  (launch file)" : "");
	fprintf(out, "\nWinner   %s, %s cycles: %s\n", list[0]->point.text, report_number(list[0]->cycles, number),
		list[0]->why);
	if (standard && standard != list[0])
		why(list[0], standard, "the launch file's values", out);
	else if (standard)
		fprintf(out, "The launch file has these values already.\n");
	if (n > 2 && list[n / 2] != standard)
		why(list[0], list[n / 2], "the median candidate", out);
	fprintf(out, "\n");
	free(list);
}

void tune_table(const struct tune *t, FILE *out)
{
	char number[32];

	fprintf(out, "Tilings\n  %-32s  %12s  %12s  best\n", "shape", "cycles", "launch file");
	for (int i = 0; i < t->n_shape; i++) {
		int64_t n;
		const struct tune_result **list = tune_ranked(t, t->shape[i].text, &n),
			*standard = standard_of(t, t->shape[i].text);
		if (list && n) {
			fprintf(out, "  %-32s  %12s", t->shape[i].text, report_number(list[0]->cycles, number));
			fprintf(out, "  %12s  %s\n", standard ? report_number(standard->cycles, number) : "-",
				list[0]->point.text);
		} else {
			fprintf(out, "  %-32s  %12s  %12s  none fits\n", t->shape[i].text, "-", "-");
		}
		free(list);
	}
}

static void csv_text(const char *s, FILE *out)
{
	fputc('"', out);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', out);
		fputc(*s, out);
	}
	fputc('"', out);
}

static void csv_head(const struct tune *t, FILE *out)
{
	fprintf(out, "shape,status,cycles,lacks");
	for (int k = 0; k < t->space.n_param; k++)
		fprintf(out, ",%s", t->space.param[k].name);
	fprintf(out, ",reason\n");
}

static void csv_row(const struct tune *t, const char *shape, const struct tune_sets *point, enum tune_status status,
		    int64_t cycles,
		    int64_t missing, const char *reason, FILE *out)
{
	csv_text(shape, out);
	fprintf(out, ",%s,%" PRId64 ",%" PRId64, status_text(status), cycles, missing);
	for (int k = 0; k < t->space.n_param; k++) {
		int64_t v = 0;
		tune_value(point, t->space.param[k].name, &v);
		fprintf(out, ",%" PRId64, v);
	}
	fputc(',', out);
	csv_text(reason, out);
	fputc('\n', out);
}

static void csv_rejected(const struct tune *t, const struct tune_sets *shape, FILE *out)
{
	struct launch *l = malloc(sizeof *l);
	struct fail f = { 0 };

	for (int64_t i = 0; l && i < t->space.n_all; i++) {
		struct tune_sets point;
		int64_t missing;
		int broken;
		*l = t->launch;
		tune_point(&t->space, i, &point);
		if (tune_apply(l, shape, &f) && tune_apply(l, &point, &f) &&
		    tune_fits(&t->space, l, &broken, &missing, &f) && broken >= 0)
			csv_row(t, shape->text, &point, TUNE_REJECTED, 0, missing, t->space.constraint[broken], out);
	}
	free(l);
}

void tune_csv(const struct tune *t, FILE *out)
{
	const struct tune_result **list = sorted(t);

	csv_head(t, out);
	for (int64_t i = 0; list && i < t->log.n; i++)
		csv_row(t, list[i]->shape.text, &list[i]->point, list[i]->status, list[i]->cycles, list[i]->missing,
			list[i]->why, out);
	for (int i = 0; i < t->n_shape; i++)
		csv_rejected(t, &t->shape[i], out);
	free(list);
}

static void json_text(const char *s, FILE *out)
{
	fputc('"', out);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', out);
		if ((unsigned char)*s < 32)
			fprintf(out, "\\u%04x", (unsigned)(unsigned char)*s);
		else
			fputc(*s, out);
	}
	fputc('"', out);
}

static void json_result(const struct tune *t, const struct tune_result *r, FILE *out)
{
	fprintf(out, "{ \"params\": {");
	for (int k = 0; k < t->space.n_param; k++) {
		int64_t v = 0;
		tune_value(&r->point, t->space.param[k].name, &v);
		fprintf(out, "%s \"%s\": %" PRId64, k ? "," : "", t->space.param[k].name, v);
	}
	fprintf(out, " }, \"cycles\": %" PRId64 ", \"bottleneck\": ", r->cycles);
	json_text(r->why, out);
	fprintf(out, ", \"busy_percent\": {");
	for (int p = 0, first = 1; p < PIPE_COUNT; p++)
		if (p != PIPE_ALL && busy_cycles(r->cause[p])) {
			fprintf(out, "%s \"%s\": %.1f", first ? "" : ",", isa_pipe_name((enum isa_pipe)p), busy_share(r, p));
			first = 0;
		}
	fprintf(out, " } }");
}

void tune_json(const struct tune *t, FILE *out)
{
	fprintf(out, "{\n\"schema\": %d,\n\"kernel\": ", SCHEMA);
	json_text(t->launch.kernel, out);
	fprintf(out, ",\n\"search\": \"%s\",\n\"combinations\": %" PRId64 ",\n\"shapes\": [", t->search, t->space.n_all);
	for (int i = 0; i < t->n_shape; i++) {
		int64_t n;
		const struct tune_result **list = tune_ranked(t, t->shape[i].text, &n),
			*standard = standard_of(t, t->shape[i].text);
		fprintf(out, "%s\n{ \"shape\": ", i ? "," : "");
		json_text(t->shape[i].text, out);
		fprintf(out, ", \"launch_file\": ");
		if (standard)
			json_result(t, standard, out);
		else
			fprintf(out, "null");
		fprintf(out, ", \"ranked\": [");
		for (int64_t k = 0; list && k < n; k++) {
			fprintf(out, "%s\n  ", k ? "," : "");
			json_result(t, list[k], out);
		}
		fprintf(out, " ] }");
		free(list);
	}
	fprintf(out, " ]\n}\n");
}
