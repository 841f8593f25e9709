/*
 * why_schema.c - JSON that the command writes against the schema files in sim/schema/, by a validator of the part of JSON
 * Schema that they use: type, const, enum, properties, required, additionalProperties, items, minimum, pattern "^text".
 */
#include "why_rig.h"
#include "../sim/cli_commands.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_type(const json_t *v, const char *type)
{
	switch (type[0]) {
	case 'o': return json_is_object(v);
	case 'a': return json_is_array(v);
	case 's': return json_is_string(v);
	case 'b': return json_is_boolean(v);
	case 'i': return json_is_integer(v);
	case 'n': return type[2] == 'm' ? json_is_number(v) : json_is_null(v);
	default: return false;
	}
}

/* Words of a schema that the validator does not know would be checked by nobody. */
static bool knows(const char *word)
{
	static const char *const words[] = { "$schema", "title", "description", "type", "const", "enum", "properties",
					     "required",
		"additionalProperties", "items", "minimum", "pattern" };
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

static bool valid(const json_t *schema, const json_t *v, char *where, size_t size);

static bool wrong(char *where, size_t size, const char *what, const char *name)
{
	size_t at = strlen(where);
	snprintf(where + at, size - at, ": %s %s", what, name);
	return false;
}

static bool valid_object(const json_t *schema, const json_t *v, char *where, size_t size)
{
	json_t *properties = json_object_get(schema, "properties"), *more = json_object_get(schema,
			"additionalProperties"), *item, *name;
	const char *key;
	size_t i, at = strlen(where);
	json_array_foreach(json_object_get(schema, "required"), i, name)
		if (!json_object_get(v, json_string_value(name)))
			return wrong(where, size, "lacks", json_string_value(name));
	json_object_foreach((json_t *)v, key, item) {
		json_t *p = properties ? json_object_get(properties, key) : NULL;
		if (!p && json_is_false(more))
			return wrong(where, size, "has the unknown key", key);
		if (!p && !json_is_object(more))
			continue;
		snprintf(where + at, size - at, ".%s", key);
		if (!valid(p ? p : more, item, where, size))
			return false;
		where[at] = 0;
	}
	return true;
}

static bool valid_one_of(const json_t *list, const json_t *v)
{
	size_t i;
	json_t *item;
	json_array_foreach(list, i, item)
		if (json_equal(item, v))
			return true;
	return false;
}

static bool valid_scalar(const json_t *schema, const json_t *v, char *where, size_t size)
{
	json_t *type = json_object_get(schema, "type"), *least = json_object_get(schema, "minimum"), *item;
	const char *pattern = json_string_value(json_object_get(schema, "pattern"));
	bool ok = !type || (json_is_string(type) && is_type(v, json_string_value(type)));
	size_t i;
	json_array_foreach(type, i, item)
		ok |= is_type(v, json_string_value(item));
	if (!ok)
		return wrong(where, size, "is of the wrong type", "");
	if (json_object_get(schema, "const") && !json_equal(json_object_get(schema, "const"), v))
		return wrong(where, size, "is not the constant", "");
	if (json_object_get(schema, "enum") && !valid_one_of(json_object_get(schema, "enum"), v))
		return wrong(where, size, "is not in the list", "");
	if (least && json_number_value(v) < json_number_value(least))
		return wrong(where, size, "is below the minimum", "");
	if (pattern && strncmp(json_string_value(v), pattern + 1, strlen(pattern + 1)) != 0)
		return wrong(where, size, "does not match", pattern);
	return true;
}

static bool valid(const json_t *schema, const json_t *v, char *where, size_t size)
{
	const char *word;
	json_t *item;
	size_t i, at = strlen(where);
	json_object_foreach((json_t *)schema, word, item)
		if (!knows(word))
			return wrong(where, size, "the schema uses", word);
	if (!valid_scalar(schema, v, where, size))
		return false;
	if (json_is_array(v) && json_object_get(schema, "items"))
		json_array_foreach(v, i, item) {
			snprintf(where + at, size - at, "[%zu]", i);
			if (!valid(json_object_get(schema, "items"), item, where, size))
				return false;
			where[at] = 0;
		}
	return !json_is_object(v) || valid_object(schema, v, where, size);
}

static json_t *load(const char *path)
{
	json_error_t e;
	json_t *j = json_load_file(path, 0, &e);
	cr_assert_not_null(j, "%s:%d: %s", path, e.line, e.text);
	return j;
}

static json_t *report_of(struct run *r, const struct whatif_result *w, int n)
{
	char *text = NULL;
	size_t size = 0;
	struct fail f = { 0 };
	json_error_t e;
	FILE *out = open_memstream(&text, &size);
	cr_assert(report_json(r, w, n, out, &f), "%s", f.what);
	fclose(out);
	json_t *j = json_loads(text, 0, &e);
	cr_assert_not_null(j, "%d: %s", e.line, e.text);
	free(text);
	return j;
}

static void check(const json_t *schema, const json_t *v)
{
	char where[512] = "";
	cr_expect(valid(schema, v, where, sizeof where), "%s", where);
}

Test(why_schema, reports_of_the_kernels)
{
	static struct run r;
	const struct whatif_result w = { "hbm=2x", "HBM twice as fast", 100 };
	const char *const names[] = { "add", "softmax", "matmul", "matmul_bias_relu" };
	json_t *schema = load("sim/schema/report.schema.json");
	for (int i = 0; i < 4; i++) {
		rig_run(&r, names[i], "launch.cfg", NULL, NULL);
		json_t *j = report_of(&r, &w, 1);
		check(schema, j);
		cr_expect_eq(json_integer_value(json_object_get(j, "cycles")), r.sim.end);
		json_decref(j);
		run_free(&r);
	}
	json_decref(schema);
}

/* A validator that accepts everything would make the test above worthless. */
Test(why_schema, the_validator_refuses)
{
	static struct run r;
	char where[512] = "";
	json_t *schema = load("sim/schema/report.schema.json");
	rig_run(&r, "add", "launch.cfg", (const char *const[]){ "n=1000", NULL }, NULL);
	json_t *j = report_of(&r, NULL, 0);
	check(schema, j);
	json_object_set_new(j, "cycles", json_string("many"));
	cr_expect(!valid(schema, j, where, sizeof where), "a wrong type passed");
	json_object_set_new(j, "cycles", json_integer(1));
	json_object_set_new(j, "surprise", json_integer(1));
	where[0] = 0;
	cr_expect(!valid(schema, j, where, sizeof where), "an unknown key passed");
	json_object_del(j, "surprise");
	json_object_del(j, "findings");
	where[0] = 0;
	cr_expect(!valid(schema, j, where, sizeof where), "a missing key passed");
	json_decref(j);
	json_decref(schema);
	run_free(&r);
}

/* `vinci report FILE.vtr --json` */
Test(why_schema, report_of_a_trace)
{
	static struct run r;
	struct run_options o = { .quiet = true, .no_check = true, .timing_only = true };
	struct fail f = { 0 };
	char file[64], out[64], json[80], err[400];
	memset(&r, 0, sizeof r);
	snprintf(file, sizeof file, "build/why-report-%d.vtr", (int)getpid());
	snprintf(out, sizeof out, "build/why-report-%d.json", (int)getpid());
	snprintf(json, sizeof json, "--json=%s", out);
	snprintf(o.trace, sizeof o.trace, "%s", file);
	cr_assert(isa_init(err, sizeof err), "%s", err);
	cr_assert(launch_load("kernels/add/launch.cfg", &r.launch, &f) && run_launch(&r, &o, &f), "%s", f.what);
	cr_assert_eq(cli_report(3, (char *[]){ "report", file, json, NULL }), 0);
	json_t *schema = load("sim/schema/trace_report.schema.json"), *j = load(out);
	check(schema, j);
	/* findings and path are those of the run's own report */
	json_t *own = report_of(&r, NULL, 0);
	cr_expect(json_equal(json_object_get(j, "findings"), json_object_get(own, "findings")));
	cr_expect(json_equal(json_object_get(json_object_get(j, "critical_path"), "cycles"),
			     json_object_get(json_object_get(own, "critical_path"), "cycles")));
	cr_expect_eq(cli_report(3, (char *[]){ "report", file, "--source", NULL }), FAIL_USER);
	json_decref(own);
	json_decref(schema);
	json_decref(j);
	unlink(file);
	unlink(out);
	run_free(&r);
}

static void write_report(const char *path, const char *tile)
{
	static struct run r;
	struct fail f = { 0 };
	rig_run(&r, "add", "launch.cfg", (const char *const[]){ "n=200000", tile, NULL }, NULL);
	FILE *out = fopen(path, "w");
	cr_assert_not_null(out);
	cr_assert(report_json(&r, NULL, 0, out, &f));
	fclose(out);
	run_free(&r);
}

/* `vinci diff` with its standard output in a file. */
static int diff_into(const char *path, int argc, char **argv)
{
	fflush(stdout);
	int keep = dup(1);
	cr_assert_not_null(freopen(path, "w", stdout));
	int status = cli_diff(argc, argv);
	fflush(stdout);
	dup2(keep, 1);
	close(keep);
	return status;
}

Test(why_schema, diff_and_its_gate)
{
	char a[64], b[64], out[64];
	snprintf(a, sizeof a, "build/why-diff-a-%d.json", (int)getpid());
	snprintf(b, sizeof b, "build/why-diff-b-%d.json", (int)getpid());
	snprintf(out, sizeof out, "build/why-diff-%d.json", (int)getpid());
	write_report(a, "tile_bytes=16384");
	write_report(b, "tile_bytes=512");
	cr_expect_eq(diff_into(out, 4, (char *[]){ "diff", a, b, "--json", NULL }), 0);
	json_t *schema = load("sim/schema/diff.schema.json"), *j = load(out);
	check(schema, j);
	/* sixteen times as many tiles: every vadd shows up, and the row with the largest change stands first */
	json_t *rows = json_object_get(j, "instructions"), *row;
	size_t i;
	long long last = INT64_MAX;
	bool found = false;
	json_array_foreach(rows, i, row) {
		long long change = llabs((long long)json_integer_value(json_object_get(row, "change_cycles")));
		cr_expect_leq(change, last);
		last = change;
		found |= strstr(json_string_value(json_object_get(row, "name")), "vadd.f16 at add.c") != NULL;
	}
	cr_expect(found);
	cr_expect_gt(json_integer_value(json_object_get(j, "change_cycles")), 0);
	cr_expect_eq(diff_into(out, 4, (char *[]){ "diff", a, b, "--fail-if-slower=1%", NULL }), 1);
	cr_expect_eq(diff_into(out, 4, (char *[]){ "diff", a, a, "--fail-if-slower=0%", NULL }), 0);
	cr_expect_eq(diff_into(out, 4, (char *[]){ "diff", a, a, "--fail-if-slower=nan%", NULL }), 2);
	cr_expect_eq(diff_into(out, 4, (char *[]){ "diff", a, a, "--fail-if-slower=inf", NULL }), 2);
	cr_expect_eq(diff_into(out, 4, (char *[]){ "diff", b, a, "--fail-if-slower=0%", NULL }), 0);
	json_decref(schema);
	json_decref(j);
	unlink(a);
	unlink(b);
	unlink(out);
}
