/*
 * diff.c - `vinci diff OLD NEW`: tables of both sides joined by name, as text and JSON, and the gate for CI.
 */
#include "diff.h"

#include "cli_commands.h"
#include "report.h"

#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const group_title[DIFF_GROUPS] = { "Pipes, cycles that they worked", "Causes, cycles",
						      "Source lines, cycles worked and waited",
						       "Instructions, cycles worked and waited" };
static const char *const group_key[DIFF_GROUPS] = { "pipes", "causes", "lines", "instructions" };

/* Tables hold some thousand rows: a search by bisection keeps them sorted by name. */
struct diff_row *diff_row_of(struct diff_table *t, const char *name)
{
	int low = 0, high = t->n;
	while (low < high) {
		int mid = low + (high - low) / 2, order = strcmp(t->row[mid].name, name);
		if (order == 0)
			return &t->row[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (t->n == t->max) {
		int more = t->max ? 2 * t->max : 64;
		struct diff_row *r = realloc(t->row, (size_t)more * sizeof *r);
		if (!r)
			return NULL;
		t->row = r;
		t->max = more;
	}
	char *copy = strdup(name);
	if (!copy)
		return NULL;
	memmove(t->row + low + 1, t->row + low, (size_t)(t->n - low) * sizeof *t->row);
	t->row[low] = (struct diff_row){ .name = copy };
	t->n++;
	return &t->row[low];
}

void diff_table_free(struct diff_table *t)
{
	for (int i = 0; i < t->n; i++)
		free(t->row[i].name);
	free(t->row);
	memset(t, 0, sizeof *t);
}

bool diff_finding_add(struct diff_side *s, const char *id, const char *place, const char *what, int64_t gain, struct fail *f)
{
	struct diff_finding *x = s->n_finding < DIFF_FINDINGS ? &s->finding[s->n_finding++] : NULL;
	if (!x)
		return true;
	*x = (struct diff_finding){ strdup(id), strdup(place), strdup(what), gain };
	for (char *p = x->id; p && *p; p++) /* ids of JSON have dashes, those of traces blanks */
		*p = *p == '-' ? ' ' : *p;
	return (x->id && x->place && x->what) || fail_set(f, FAIL_INTERNAL, "no memory for the comparison");
}

const struct diff_finding *diff_finding_of(const struct diff_side *s, const char *id, int n)
{
	for (int i = 0; i < s->n_finding; i++)
		if (strcmp(s->finding[i].id, id) == 0 && n-- == 0)
			return &s->finding[i];
	return NULL;
}

void diff_side_free(struct diff_side *s)
{
	for (int i = 0; i < s->n_finding; i++) {
		free(s->finding[i].id);
		free(s->finding[i].place);
		free(s->finding[i].what);
	}
	for (int g = 0; g < DIFF_GROUPS; g++)
		diff_table_free(&s->table[g]);
}

static int64_t change_of(const struct diff_row *r) { return r->new > r->old ? r->new - r->old : r->old - r->new; }

static int by_change(const void *a, const void *b)
{
	const struct diff_row *x = a, *y = b;
	if (change_of(x) != change_of(y))
		return change_of(x) > change_of(y) ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool join(const struct diff_table *a, const struct diff_table *b, struct diff_table *out)
{
	for (int i = 0; i < a->n; i++) {
		struct diff_row *r = diff_row_of(out, a->row[i].name);
		if (!r)
			return false;
		r->old = a->row[i].old;
		r->old_calls = a->row[i].old_calls;
	}
	for (int i = 0; i < b->n; i++) {
		struct diff_row *r = diff_row_of(out, b->row[i].name);
		if (!r)
			return false;
		r->new = b->row[i].old;
		r->new_calls = b->row[i].old_calls;
	}
	if (out->n)
		qsort(out->row, (size_t)out->n, sizeof *out->row, by_change);
	return true;
}

bool diff_make(const struct diff_side *a, const struct diff_side *b, struct diff_table out[DIFF_GROUPS], struct fail *f)
{
	for (int g = 0; g < DIFF_GROUPS; g++)
		if (!join(&a->table[g], &b->table[g], &out[g]))
			return fail_set(f, FAIL_INTERNAL, "no memory for the comparison");
	return true;
}

static double percent(int64_t old, int64_t now) { return old ? 100.0 * (double)(now - old) / (double)old : 0; }

static const char *signed_number(int64_t v, char text[33])
{
	text[0] = v > 0 ? '+' : v < 0 ? '-' : ' ';
	report_number(v < 0 ? -v : v, text + 1);
	return text;
}

static void table_text(const struct diff_table *t, const char *title, int most, FILE *out)
{
	char a[32], b[32], c[33];
	int shown = 0;
	fprintf(out, "\n%s (sum over all cores)\n", title);
	for (int i = 0; i < t->n && shown < most && change_of(&t->row[i]) > 0; i++, shown++) {
		const struct diff_row *r = &t->row[i];
		fprintf(out, "  %14s -> %14s %15s", report_number(r->old, a), report_number(r->new, b),
			signed_number(r->new - r->old, c));
		if (r->old)
			fprintf(out, " %+7.1f %%", percent(r->old, r->new));
		else
			fprintf(out, "      new  ");
		fprintf(out, "  %s", r->name);
		if (r->old_calls != r->new_calls)
			fprintf(out, " (%llu calls, were %llu)", (unsigned long long)r->new_calls,
				(unsigned long long)r->old_calls);
		fputc('\n', out);
	}
	if (shown == 0)
		fprintf(out, "  no change\n");
	int rest = 0;
	for (int i = shown; i < t->n; i++)
		rest += change_of(&t->row[i]) > 0;
	if (rest)
		fprintf(out, "  and %d more\n", rest);
}

/* How many findings before i have the same name. */
static int rank_of(const struct diff_side *s, int i)
{
	int n = 0;
	for (int k = 0; k < i; k++)
		n += strcmp(s->finding[k].id, s->finding[i].id) == 0;
	return n;
}

/* What the reports said: gone, new, and what both have. */
static void findings_text(const struct diff_side *a, const struct diff_side *b, FILE *out)
{
	char x[32], y[32];
	if (!a->has_findings || !b->has_findings)
		return;
	fprintf(out, "\nFindings, and what each could save at most, in cycles of the run\n");
	if (a->n_finding + b->n_finding == 0)
		fprintf(out, "  none in either\n");
	for (int i = 0; i < a->n_finding; i++)
		if (!diff_finding_of(b, a->finding[i].id, rank_of(a, i)))
			fprintf(out, "  gone   %12s -> %12s  %s%s%s\n", report_number(a->finding[i].gain, x), "-",
				a->finding[i].id, a->finding[i].place[0] ? ", " : "", a->finding[i].place);
	for (int i = 0; i < b->n_finding; i++) {
		const struct diff_finding *n = &b->finding[i], *o = diff_finding_of(a, n->id, rank_of(b, i));
		fprintf(out, "  %-6s %12s -> %12s  %s%s%s\n", o ? "both" : "new", o ? report_number(o->gain, x) : "-",
			report_number(n->gain, y), n->id, n->place[0] ? ", " : "", n->place);
	}
}

static void diff_text(const struct diff_side *a, const struct diff_side *b, const struct diff_table t[DIFF_GROUPS],
		      int most,
		      FILE *out)
{
	char x[32], y[32], z[33];
	fprintf(out, "old  %s on %s\nnew  %s on %s\n\nTotal  %s -> %s cycles, %s (%+.2f %%)\n", a->kernel, a->chip,
		b->kernel, b->chip, report_number(a->cycles, x), report_number(b->cycles, y),
		signed_number(b->cycles - a->cycles, z), percent(a->cycles, b->cycles));
	findings_text(a, b, out);
	for (int g = 0; g < DIFF_GROUPS; g++)
		table_text(&t[g], group_title[g], most, out);
}

static json_t *table_json(const struct diff_table *t)
{
	json_t *list = json_array();
	for (int i = 0; i < t->n && change_of(&t->row[i]) > 0; i++)
		json_array_append_new(list, json_pack("{s:s,s:I,s:I,s:I,s:I,s:I}", "name", t->row[i].name, "old_cycles",
				      (json_int_t)t->row[i].old, "new_cycles", (json_int_t)t->row[i].new,
				      "change_cycles",
				      (json_int_t)(t->row[i].new - t->row[i].old), "old_calls",
				      (json_int_t)t->row[i].old_calls,
				      "new_calls", (json_int_t)t->row[i].new_calls));
	return list;
}

static json_t *finding_json(const struct diff_finding *x, const char *in, int64_t old, int64_t now)
{
	return json_pack("{s:s,s:s,s:s,s:I,s:I}", "id", x->id, "place", x->place, "in", in, "old_cycles", (json_int_t)old,
			 "new_cycles", (json_int_t)now);
}

static json_t *findings_json(const struct diff_side *a, const struct diff_side *b)
{
	json_t *list = json_array();
	for (int i = 0; i < a->n_finding; i++)
		if (!diff_finding_of(b, a->finding[i].id, rank_of(a, i)))
			json_array_append_new(list, finding_json(&a->finding[i], "old", a->finding[i].gain, 0));
	for (int i = 0; i < b->n_finding; i++) {
		const struct diff_finding *n = &b->finding[i], *o = diff_finding_of(a, n->id, rank_of(b, i));
		json_array_append_new(list, finding_json(n, o ? "both" : "new", o ? o->gain : 0, n->gain));
	}
	return list;
}

static bool diff_json(const struct diff_side *a, const struct diff_side *b, const struct diff_table t[DIFF_GROUPS],
		      FILE *out)
{
	json_t *root = json_pack("{s:i,s:s,s:s,s:I,s:I,s:I,s:f}", "schema_version", REPORT_SCHEMA, "old_kernel",
				 a->kernel, "new_kernel",
				 b->kernel, "old_cycles", (json_int_t)a->cycles, "new_cycles", (json_int_t)b->cycles,
				 "change_cycles",
				 (json_int_t)(b->cycles - a->cycles), "change_percent", percent(a->cycles, b->cycles));
	for (int g = 0; g < DIFF_GROUPS; g++)
		json_object_set_new(root, group_key[g], table_json(&t[g]));
	if (a->has_findings && b->has_findings)
		json_object_set_new(root, "findings", findings_json(a, b));
	bool ok = json_dumpf(root, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;
	json_decref(root);
	return ok;
}

static const char usage[] =
	"usage: vinci diff OLD NEW [options]\n"
	"Compare two runs: reports written with `vinci run --json=FILE`, or traces written with --trace FILE.vtr.\n"
	"\n"
	"  --fail-if-slower N%  exit status 1 when NEW takes more than N percent more cycles than OLD\n"
	"  --top N              rows of each table (default 10)\n"
	"  --json               the comparison as JSON\n"
	"\n"
	"Exit status: 0 good, 1 slower than allowed, 2 wrong input, 4 internal error.\n"
	"example: vinci diff yesterday.json today.json --fail-if-slower 2%\n";

static const struct option long_options[] = {
	{ "fail-if-slower", 1, 0, 's' }, { "top", 1, 0, 't' }, { "json", 0, 0, 'j' }, { "help", 0, 0, 'h' }, { 0, 0, 0,
			0 },
};

struct diff_options { double limit; bool gate, json, help; int top; };

static bool parse(int argc, char **argv, struct diff_options *o, struct fail *f)
{
	char *end;
	int c;
	optind = 1;
	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1)
		switch (c) {
		case 's':
			o->gate = true;
			o->limit = strtod(optarg, &end);
			if (end == optarg || (*end && strcmp(end, "%") != 0) || o->limit < 0)
				return fail_set(f, FAIL_USER, "--fail-if-slower %s: expected a percentage like 2%%",
						optarg);
			break;
		case 't':
			o->top = (int)strtol(optarg, &end, 10);
			if (*end || o->top < 1)
				return fail_set(f, FAIL_USER, "--top %s: expected a number from 1 on", optarg);
			break;
		case 'j': o->json = true; break;
		case 'h': o->help = true; return true;
		default: return fail_set(f, FAIL_USER, "wrong option (see: vinci diff --help)");
		}
	return argc - optind == 2 || fail_set(f, FAIL_USER, "two files are compared, OLD and NEW (see: vinci diff"
					      " --help)");
}

/* Exit status; percentages in whole thousandths so that the gate does not depend on rounding of the text. */
static int verdict(const struct diff_options *o, const struct diff_side *a, const struct diff_side *b)
{
	if (!o->gate || (double)b->cycles <= (double)a->cycles * (1 + o->limit / 100))
		return 0;
	fprintf(stderr, "vinci: slower by %.2f %%, allowed are %g %%\n", percent(a->cycles, b->cycles), o->limit);
	return 1;
}

int cli_diff(int argc, char **argv)
{
	struct diff_options o = { .top = 10 };
	struct diff_side side[2];
	struct diff_table table[DIFF_GROUPS];
	struct fail f = { 0 };
	memset(side, 0, sizeof side);
	memset(table, 0, sizeof table);
	if (!parse(argc, argv, &o, &f)) {
		fail_print(&f);
		return f.class;
	}
	if (o.help) {
		fputs(usage, stdout);
		return 0;
	}
	bool ok = diff_read(argv[optind], &side[0], &f) && diff_read(argv[optind + 1], &side[1], &f) &&
		  diff_make(&side[0], &side[1], table, &f);
	if (ok && !o.json)
		diff_text(&side[0], &side[1], table, o.top, stdout);
	else if (ok)
		ok = diff_json(&side[0], &side[1], table, stdout) || fail_set(&f, FAIL_USER,
				"the JSON could not be written");
	int status = ok ? verdict(&o, &side[0], &side[1]) : (int)f.class;
	if (!ok)
		fail_print(&f);
	for (int g = 0; g < DIFF_GROUPS; g++)
		diff_table_free(&table[g]);
	diff_side_free(&side[0]);
	diff_side_free(&side[1]);
	return status;
}
