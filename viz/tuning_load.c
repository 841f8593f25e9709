/*
 * tuning_load.c - reads what `vinci tune` wrote with --csv or --json. The CSV holds every candidate, rejected ones too; the
 * JSON those that were timed. Rows of the value checks and of cheaper shapes on the way are left out.
 */
#include "tuning.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 256 << 20, FIXED = 4 /* columns before the parameters */ };

static const char *const status_text[TUNED_STATUS] = { "timed", "rejected", "refused", "wrong", "failed" };

void tuning_free(struct tuning *t)
{
	for (int64_t i = 0; t && i < t->n_row; i++)
		free(t->row[i].reason);
	if (t) {
		free(t->row);
		free(t->rank);
	}
	free(t);
}

static bool foreign(const struct tuning *t, int line, const char *what, struct fail *f)
{
	fail_file(f, FAIL_USER, t->file, line, "%s", what);
	return fail_hint(f, "a table comes from: vinci tune KERNEL --csv FILE.csv (or --json=FILE.json)");
}

static struct tuning_row *add_row(struct tuning *t, struct fail *f)
{
	if (t->n_row == t->max_row) {
		int64_t more = t->max_row ? 2 * t->max_row : 256;
		struct tuning_row *r = realloc(t->row, (size_t)more * sizeof *r);
		if (!r) {
			fail_set(f, FAIL_INTERNAL, "no memory for the table");
			return NULL;
		}
		t->row = r;
		t->max_row = more;
	}
	memset(&t->row[t->n_row], 0, sizeof *t->row);
	return &t->row[t->n_row++];
}

/* Number of a shape, a new one when it was not there; -1: too many. */
static int shape_of(struct tuning *t, const char *text)
{
	for (int i = 0; i < t->n_shape; i++)
		if (strcmp(t->shape[i], text) == 0)
			return i;
	if (t->n_shape == TUNING_SHAPES || strlen(text) >= TUNING_TEXT)
		return -1;
	strcpy(t->shape[t->n_shape], text);
	return t->n_shape++;
}

static bool add_param(struct tuning *t, const char *name, int line, struct fail *f)
{
	if (t->n_param == TUNING_PARAMS || strlen(name) >= TUNING_NAME || !name[0])
		return foreign(t, line, "too many parameters, or a name too long", f);
	strcpy(t->param[t->n_param++], name);
	return true;
}

/* ---- CSV ---- */

/* The next field, unquoted, in place; *at moves behind it, *more: another follows on the line. */
static char *field(char **at, bool *more)
{
	char *p = *at, *out = p, *begin = p;
	bool quoted = *p == '"';

	p += quoted;
	while (*p && (quoted || (*p != ',' && *p != '\n'))) {
		if (quoted && *p == '"') {
			if (p[1] != '"') {
				p++;
				break;
			}
			p++;
		}
		*out++ = *p++;
	}
	while (*p && *p != ',' && *p != '\n') /* behind the closing quote */
		p++;
	*more = *p == ',';
	*at = *p ? p + 1 : p;
	*out = 0;
	return begin;
}

static bool csv_head(struct tuning *t, char **at, struct fail *f)
{
	static const char *const fixed[FIXED] = { "shape", "status", "cycles", "lacks" };
	bool more = true;

	for (int i = 0; i < FIXED; i++)
		if (!more || strcmp(field(at, &more), fixed[i]) != 0)
			return foreign(t, 1, "this is no table of vinci tune", f);
	while (more) {
		const char *name = field(at, &more);
		if (more && !add_param(t, name, 1, f))
			return false;
		if (!more && strcmp(name, "reason") != 0)
			return foreign(t, 1, "this is no table of vinci tune", f);
	}
	return true;
}

static bool number(const char *text, int64_t *v)
{
	char *end;

	errno = 0;
	*v = strtoll(text, &end, 10);
	return end != text && !*end && errno == 0;
}

static bool csv_row(struct tuning *t, char **at, int line, struct fail *f)
{
	struct tuning_row r = { 0 };
	bool more, ok = true;
	const char *shape = field(at, &more), *status = more ? field(at, &more) : "";

	while (r.status < TUNED_STATUS && strcmp(status, status_text[r.status]) != 0)
		r.status++;
	bool check = strcmp(shape, "check") == 0, known = r.status < TUNED_STATUS || strcmp(status, "right") == 0;
	ok = more && number(field(at, &more), &r.cycles) && more && number(field(at, &more), &r.lacks) && r.cycles >= 0;
	for (int k = 0; ok && k < t->n_param; k++)
		ok = more && number(field(at, &more), &r.value[k]);
	const char *reason = ok && more ? field(at, &more) : NULL;
	if (!reason || more || !known || (r.status == TUNED_TIMED && r.cycles == 0))
		return foreign(t, line, "this line is damaged", f);
	if (r.status == TUNED_STATUS)
		return true;
	/* a failed value check counts at every shape */
	r.shape = check ? -1 : shape_of(t, shape);
	if (!check && r.shape < 0)
		return foreign(t, line, "too many shapes, or one too long", f);
	struct tuning_row *to = add_row(t, f);
	if (!to)
		return false;
	*to = r;
	to->reason = strdup(reason);
	return to->reason || fail_set(f, FAIL_INTERNAL, "no memory for the table");
}

static bool parse_csv(struct tuning *t, char *text, struct fail *f)
{
	char *at = text;

	if (!csv_head(t, &at, f))
		return false;
	for (int line = 2; *at; line++)
		if (!csv_row(t, &at, line, f))
			return false;
	return true;
}

/* ---- JSON ---- */

static bool json_candidate(struct tuning *t, int shape, const json_t *c, struct fail *f)
{
	const json_t *params = json_object_get(c, "params"), *why = json_object_get(c, "bottleneck");
	json_int_t cycles = json_integer_value(json_object_get(c, "cycles"));
	const char *name;
	json_t *v;

	if (!json_is_object(params) || cycles <= 0)
		return foreign(t, 0, "a candidate without parameters or cycles", f);
	if (t->n_row == 0 && t->n_param == 0)
		json_object_foreach((json_t *)params, name, v)
			if (!add_param(t, name, 0, f))
				return false;
	struct tuning_row *r = add_row(t, f);
	if (!r)
		return false;
	r->shape = shape;
	r->cycles = cycles;
	for (int k = 0; k < t->n_param; k++)
		r->value[k] = json_integer_value(json_object_get(params, t->param[k]));
	r->reason = strdup(json_is_string(why) ? json_string_value(why) : "");
	return r->reason || fail_set(f, FAIL_INTERNAL, "no memory for the table");
}

static bool json_shapes(struct tuning *t, const json_t *root, struct fail *f)
{
	const json_t *shapes = json_object_get(root, "shapes"), *s, *c;
	size_t i, k;

	if (!json_is_array(shapes) || !json_object_get(root, "combinations"))
		return foreign(t, 0, "this is no table of vinci tune", f);
	json_array_foreach((json_t *)shapes, i, s) {
		const json_t *text = json_object_get(s, "shape"), *ranked = json_object_get(s, "ranked");
		int shape = json_is_string(text) ? shape_of(t, json_string_value(text)) : -1;
		if (shape < 0 || !json_is_array(ranked))
			return foreign(t, 0, "a shape without a name or a ranking", f);
		json_array_foreach((json_t *)ranked, k, c)
			if (!json_candidate(t, shape, c, f))
				return false;
	}
	return true;
}

static bool parse_json(struct tuning *t, const char *text, size_t n, struct fail *f)
{
	json_error_t e;
	json_t *root = json_loadb(text, n, 0, &e);

	if (!root) {
		fail_file(f, FAIL_USER, t->file, e.line, "no JSON: %s", e.text);
		return false;
	}
	bool ok = json_shapes(t, root, f);
	json_decref(root);
	return ok;
}

/* ---- both ---- */

/* A cheaper shape on the way to another: that one's text and more behind it. */
static bool is_rung(const struct tuning *t, int shape)
{
	for (int i = 0; i < t->n_shape; i++) {
		size_t n = strlen(t->shape[i]);
		if (i != shape && strncmp(t->shape[shape], t->shape[i], n) == 0 && (n == 0 || t->shape[shape][n] == ','))
			return true;
	}
	return false;
}

static void drop_rungs(struct tuning *t)
{
	int to[TUNING_SHAPES], n = 0;
	int64_t rows = 0;

	for (int i = 0; i < t->n_shape; i++)
		to[i] = is_rung(t, i) ? -1 : n++;
	for (int64_t i = 0; i < t->n_row; i++) {
		struct tuning_row *r = &t->row[i];
		if (r->shape >= 0 && to[r->shape] < 0) {
			free(r->reason);
			continue;
		}
		r->shape = r->shape < 0 ? -1 : to[r->shape];
		t->row[rows++] = *r;
	}
	t->n_row = rows;
	for (int i = 0; i < t->n_shape; i++)
		if (to[i] >= 0 && to[i] != i)
			strcpy(t->shape[to[i]], t->shape[i]);
	t->n_shape = n;
}

static int by_cycles(const void *pa, const void *pb, void *of)
{
	const struct tuning *t = of;
	const struct tuning_row *a = &t->row[*(const int64_t *)pa], *b = &t->row[*(const int64_t *)pb];

	return a->cycles != b->cycles ? (a->cycles < b->cycles ? -1 : 1) : a < b ? -1 : a > b;
}

bool tuning_look(struct tuning *t, int shape)
{
	int64_t *rank = malloc((size_t)(t->n_row + 1) * sizeof *rank);

	if (!rank)
		return false;
	free(t->rank);
	t->rank = rank;
	t->n_rank = 0;
	t->at_shape = shape;
	for (int64_t i = 0; i < t->n_row; i++)
		if (t->row[i].status == TUNED_TIMED && t->row[i].shape == shape)
			rank[t->n_rank++] = i;
	qsort_r(rank, (size_t)t->n_rank, sizeof *rank, by_cycles, t);
	t->pick = t->n_rank ? rank[0] : -1;
	t->hover = -1;
	t->scroll = 0;
	return true;
}

struct tuning *tuning_parse(const char *text, size_t n, const char *path, struct fail *f)
{
	struct tuning *t = calloc(1, sizeof *t);
	char *copy = malloc(n + 1);
	bool ok = (t && copy) || fail_set(f, FAIL_INTERNAL, "no memory for the table");

	if (ok) {
		memcpy(copy, text, n);
		copy[n] = 0;
		snprintf(t->file, sizeof t->file, "%s", path);
		ok = memchr(copy, 0, n) ? foreign(t, 0, "this is no text", f)
		     : copy[strspn(copy, " \t\r\n")] == '{' ? parse_json(t, copy, n, f) : parse_csv(t, copy, f);
	}
	free(copy);
	if (ok) {
		drop_rungs(t);
		t->y = t->n_param > 1;
		ok = t->n_shape && t->n_param ? tuning_look(t, 0) || fail_set(f, FAIL_INTERNAL, "no memory for the table")
					      : foreign(t, 0, "the table is empty", f);
	}
	if (ok)
		return t;
	tuning_free(t);
	return NULL;
}

struct tuning *tuning_open(const char *path, struct fail *f)
{
	FILE *in = fopen(path, "rb");
	struct tuning *t = NULL;
	char *text = NULL;
	size_t n = 0, got, room = 0;

	if (!in) {
		fail_file(f, FAIL_USER, path, 0, "the table cannot be read: %s", strerror(errno));
		return NULL;
	}
	do {
		if (n + 65536 > room) {
			char *more = room < FILE_MAX ? realloc(text, room = 2 * room + 131072) : NULL;
			if (!more) {
				fail_file(f, FAIL_USER, path, 0, "the table is larger than %d MB", FILE_MAX >> 20);
				break;
			}
			text = more;
		}
		got = fread(text + n, 1, 65536, in);
		n += got;
	} while (got > 0);
	fclose(in);
	if (!f->class)
		t = tuning_parse(text, n, path, f);
	free(text);
	return t;
}
