/*
 * diff_read.c - one side of a comparison out of a JSON report or a trace.
 */
#include "diff.h"

#include "../traces/vtr.h"
#include "input.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Of one number in a report: days of a chip's time, and sums of them stay numbers. */
static const int64_t COUNT_MAX = INT64_C(1) << 48;

static bool add(struct diff_table *t, const char *name, int64_t cycles, uint64_t calls, struct fail *f)
{
	struct diff_row *r = diff_row_of(t, name);
	if (!r)
		return fail_set(f, FAIL_INTERNAL, "no memory for the comparison");
	r->old += cycles;
	r->old_calls += calls;
	return true;
}

static bool is_working(const char *cause)
{
	static const char *const working[] = { "busy", "UB bank conflict", "L2 bandwidth", "HBM bandwidth" };
	for (size_t i = 0; i < sizeof working / sizeof working[0]; i++)
		if (strcmp(cause, working[i]) == 0)
			return true;
	return false;
}

/* A pipe's cycles on one core: its row is what it worked, the causes' rows are "PIPE: cause". */
static bool add_cause(struct diff_side *s, const char *pipe, const char *cause, int64_t cycles, struct fail *f)
{
	char name[96];
	snprintf(name, sizeof name, "%s: %s", pipe, cause);
	if (strcmp(cause, "finished") == 0)
		return true;
	if (is_working(cause) && !add(&s->table[DIFF_PIPE], pipe, cycles, 0, f))
		return false;
	return add(&s->table[DIFF_CAUSE], name, cycles, 0, f);
}

static int64_t number(const json_t *j, const char *key) { return (int64_t)json_integer_value(json_object_get(j, key)); }

static const char *string(const json_t *j, const char *key)
{
	const char *s = json_string_value(json_object_get(j, key));
	return s ? s : "";
}

static bool json_cores(const json_t *root, struct diff_side *s, struct fail *f)
{
	size_t i;
	json_t *core, *causes, *cycles;
	const char *pipe, *cause;
	json_array_foreach(json_object_get(root, "per_core"), i, core)
		json_object_foreach(json_object_get(core, "cycles"), pipe, causes)
			json_object_foreach(causes, cause, cycles)
				if (!add_cause(s, pipe, cause, (int64_t)json_integer_value(cycles), f))
					return false;
	return true;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool json_lines(const json_t *root, struct diff_side *s, struct fail *f)
{
	size_t i;
	json_t *l;
	char name[700];
	json_array_foreach(json_object_get(root, "lines"), i, l) {
		snprintf(name, sizeof name, "%.200s:%lld", base_name(string(l, "file")), (long long)number(l, "line"));
		if (!add(&s->table[DIFF_LINE], name, number(l, "busy_cycles") + number(l, "waited_cycles"),
			 (uint64_t)number(l, "calls"), f))
			return false;
	}
	/* an instruction keeps its name from build to build by what it is and where it stands in the source, not by its pc */
	json_array_foreach(json_object_get(root, "sites"), i, l) {
		snprintf(name, sizeof name, "%.60s at %.500s", string(l, "instruction"), string(l, "place"));
		if (!add(&s->table[DIFF_INSN], name, number(l, "busy_cycles") + number(l, "waited_cycles"),
			 (uint64_t)number(l, "calls"), f))
			return false;
	}
	return true;
}

static bool json_findings(const json_t *root, struct diff_side *s, struct fail *f)
{
	size_t i;
	json_t *x;
	json_array_foreach(json_object_get(root, "findings"), i, x)
		if (!diff_finding_add(s, string(x, "id"), string(x, "place"), string(x, "what"),
				      number(x, "saves_at_most_cycles"), f))
			return false;
	s->has_findings = json_is_array(json_object_get(root, "findings"));
	return true;
}

static bool trace_findings(const struct vtr *t, struct diff_side *s, struct fail *f)
{
	s->has_findings = t->findings != NULL;
	for (uint32_t i = 0; t->findings && i < t->findings->n_finding; i++) {
		const struct vtr_finding *x = &t->findings->finding[i];
		if (!diff_finding_add(s, x->id, x->place, x->what, x->gain, f))
			return false;
	}
	return true;
}

/* A count of the report: a whole number that a run can have, else f is set. NULL: the key is not there, which is 0. */
static bool count_is_good(const char *path, const json_t *v, const char *what, struct fail *f)
{
	char text[40] = "no whole number";
	if (!v || (json_is_integer(v) && json_integer_value(v) >= 0 && json_integer_value(v) <= COUNT_MAX))
		return true;
	if (json_is_integer(v))
		snprintf(text, sizeof text, "%lld", (long long)json_integer_value(v));
	fail_file(f, FAIL_USER, path, 0, "%s is %s: expected a number from 0 to %lld", what, text, (long long)COUNT_MAX);
	return fail_hint(f, "the file is no report as it was written: write it anew with vinci run TARGET --json=FILE");
}

static bool rows_are_good(const char *path, const json_t *root, const char *table, struct fail *f)
{
	static const char *const key[] = { "busy_cycles", "waited_cycles", "calls" };
	size_t i;
	json_t *row;
	char what[160];
	json_array_foreach(json_object_get(root, table), i, row)
		for (size_t n = 0; n < sizeof key / sizeof key[0]; n++) {
			snprintf(what, sizeof what, "%s[%zu].%s", table, i, key[n]);
			if (!count_is_good(path, json_object_get(row, key[n]), what, f))
				return false;
		}
	return true;
}

/* Numbers that no run can have would make a comparison of nonsense. */
static bool json_counts(const char *path, const json_t *root, struct fail *f)
{
	size_t i;
	json_t *core, *causes, *cycles;
	const char *pipe, *cause;
	char what[160];
	if (!count_is_good(path, json_object_get(root, "cycles"), "cycles", f))
		return false;
	json_array_foreach(json_object_get(root, "per_core"), i, core)
		json_object_foreach(json_object_get(core, "cycles"), pipe, causes)
			json_object_foreach(causes, cause, cycles) {
				snprintf(what, sizeof what, "per_core[%zu].cycles.%.40s[\"%.60s\"]", i, pipe, cause);
				if (!count_is_good(path, cycles, what, f))
					return false;
			}
	return rows_are_good(path, root, "lines", f) && rows_are_good(path, root, "sites", f);
}

static bool read_json(const char *path, struct diff_side *s, struct fail *f)
{
	json_error_t e;
	json_t *root = json_load_file(path, 0, &e);
	if (!root)
		return fail_file(f, FAIL_USER, path, e.line, "no JSON report: %s", e.text);
	bool ok = true;
	if (number(root, "schema_version") != 2 || !json_is_integer(json_object_get(root, "cycles"))) {
		fail_file(f, FAIL_USER, path, 0, "no report that vinci diff can read: schema_version is %lld, expected"
			  " 2",
			  (long long)number(root, "schema_version"));
		fail_hint(f, "write it with vinci run TARGET --json=FILE");
		ok = false;
	}
	snprintf(s->kernel, sizeof s->kernel, "%s", string(root, "kernel"));
	snprintf(s->chip, sizeof s->chip, "%s", string(root, "chip"));
	s->cycles = number(root, "cycles");
	ok = ok && json_counts(path, root, f) && json_cores(root, s, f) && json_lines(root, s, f) && json_findings(root, s, f);
	json_decref(root);
	return ok;
}

static bool trace_event(const struct vtr *t, const struct vtr_event *e, struct diff_side *s, struct fail *f)
{
	const struct vtr_site *site = &t->site[e->site];
	char name[700];
	int64_t cycles = e->issue_end - e->start + e->start - vtr_ready(e);
	snprintf(name, sizeof name, "%.60s at %.500s", site->name, site->line);
	if (!add(&s->table[DIFF_INSN], name, cycles, 1, f))
		return false;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(site->line, " ,"), site->line);
	return add(&s->table[DIFF_LINE], name, cycles, 1, f);
}

bool diff_read_trace(const char *path, struct diff_side *s, struct fail *f)
{
	struct vtr t;
	struct vtr_event e;
	if (!vtr_open(path, &t, f))
		return false;
	bool ok = t.has_done && !t.done.failed;
	if (!ok)
		fail_file(f, FAIL_USER, path, 0, "the trace is of a run that did not end: there is nothing to compare");
	snprintf(s->kernel, sizeof s->kernel, "%s", t.head.kernel);
	snprintf(s->chip, sizeof s->chip, "%s", t.head.chip);
	s->cycles = ok ? t.done.end : 0;
	/* pipes that a core does not have, or did not use, say nothing */
	bool *used = calloc((size_t)t.head.n_core * t.head.n_pipe, sizeof *used);
	struct vtr_walk *w = ok ? vtr_walk_new(&t, VTR_ALL, f) : NULL;
	if (!used)
		ok = fail_set(f, FAIL_INTERNAL, "no memory for the comparison");
	ok = ok && w;
	while (ok && vtr_next(w, &e)) {
		used[e.core * t.head.n_pipe + e.pipe] = true;
		ok = trace_event(&t, &e, s, f);
	}
	/* sums without what was lost would look like a difference */
	uint32_t bad = t.n_bad + (w ? vtr_walk_bad(w) : 0);
	if (ok && bad > 0)
		ok = fail_file(f, FAIL_USER, path, 0, "the trace is damaged in %u place%s: it cannot be compared", bad,
			       bad == 1 ? "" : "s");
	vtr_walk_free(w);
	for (uint32_t c = 0; ok && t.done.totals && c < t.head.n_core; c++)
		for (uint32_t p = 0; ok && p < t.head.n_pipe; p++)
			for (uint32_t k = 0; ok && k < t.head.n_cause; k++) {
				int64_t cycles = t.done.totals[(c * t.head.n_pipe + p) * t.head.n_cause + k];
				bool shown = strcmp(t.head.pipe[p], "S") == 0 || used[c * t.head.n_pipe + p];
				ok = cycles == 0 || !shown || add_cause(s, t.head.pipe[p], t.head.cause[k], cycles, f);
			}
	ok = ok && trace_findings(&t, s, f);
	free(used);
	vtr_close(&t);
	return ok;
}

bool diff_read(const char *path, struct diff_side *s, struct fail *f)
{
	char magic[5] = "";
	memset(s, 0, sizeof *s);
	FILE *in = input_regular(path);
	if (!in)
		return fail_file(f, FAIL_USER, path, 0, "cannot be read: %s",
				 errno == EINVAL ? "not a plain file" : strerror(errno));
	size_t n = fread(magic, 1, 4, in);
	fclose(in);
	size_t blank = strspn(magic, " \t\r\n");
	bool json = blank < n && magic[blank] == '{';
	return json ? read_json(path, s, f) : diff_read_trace(path, s, f);
}
