/*
 * cases.c - launches the kernels of cases.jsonl and compares times with measured.jsonl. A line of cases.jsonl names
 * kernel, chip, blocks and arguments, what the row's params left open is in its note; nothing else depends on the case.
 * fitted: some parameter of a chip was fitted to this case; the others are held out.
 */
#include "cases.h"
#include "rig.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 256 };

struct lines { int n; json_t *line[LINES]; };

static const char *text_of(const json_t *row, const char *key)
{
	const char *s = json_string_value(json_object_get(row, key));
	return s ? s : "";
}

static bool read_lines(const char *file, struct lines *l, char *text, size_t size)
{
	FILE *f = fopen(file, "r");
	char *line = NULL;
	size_t max = 0;
	bool ok = f != NULL;
	while (ok && getline(&line, &max, f) > 0 && l->n < LINES) {
		json_error_t e;
		ok = (l->line[l->n] = json_loads(line, 0, &e)) != NULL;
		l->n += ok;
	}
	if (!ok)
		snprintf(text, size, "%s cannot be read", file);
	free(line);
	if (f)
		fclose(f);
	return ok;
}

static void free_lines(struct lines *l)
{
	for (int i = 0; i < l->n; i++)
		json_decref(l->line[i]);
}

static bool argument(struct rig *r, const json_t *a)
{
	const json_t *words = json_object_get(a, "words"), *value = json_object_get(a, "value");
	uint8_t *host;
	if (value)
		return rig_scalar(r, (uint64_t)json_integer_value(value));
	if (!words)
		return rig_buffer(r, (uint64_t)json_integer_value(json_object_get(a, "buffer")),
				  json_is_true(json_object_get(a, "bypass")), NULL);
	if (!rig_buffer(r, json_array_size(words) * 4, false, &host))
		return false;
	for (size_t i = 0; i < json_array_size(words); i++) {
		uint32_t w = (uint32_t)json_integer_value(json_array_get(words, i));
		memcpy(host + i * 4, &w, 4);
	}
	return true;
}

/* What a published value is in the simulator's terms, in the value's own unit; group: what it counts to. */
struct metric { const char *key, *group; double (*value)(const struct rig *r); };

static double us(const struct rig *r, double cycles) { return cycles / (double)r->chip.clock.core_mhz; }
static double core_us(const struct rig *r) { return us(r, rig_core_cycles(r)); }
static double max_us(const struct rig *r) { return us(r, rig_core_max(r)); }
static double whole_us(const struct rig *r) { return us(r, (double)r->sim.end); }
static double whole_ms(const struct rig *r) { return whole_us(r) / 1000; }
static double sum_cycles(const struct rig *r) { return rig_core_cycles(r) * r->sim.n_core; }
static double ticks(const struct rig *r)
{
	return (double)(r->shot[r->n_shot - 1].end - r->shot[0].start) * (double)r->chip.clock.sys_cnt_mhz /
	       (double)r->chip.clock.core_mhz;
}
static double mac_us(const struct rig *r) { return us(r, rig_active(r, PIPE_M)); }
static double vec_us(const struct rig *r) { return us(r, rig_active(r, PIPE_V)); }
static double mte1_us(const struct rig *r) { return us(r, rig_active(r, PIPE_MTE1)); }
static double mte2_us(const struct rig *r) { return us(r, rig_active(r, PIPE_MTE2)); }
static double mte3_us(const struct rig *r) { return us(r, rig_active(r, PIPE_MTE3)); }
static double fix_us(const struct rig *r) { return us(r, rig_active(r, PIPE_FIX)); }
static double scalar_us(const struct rig *r) { return us(r, rig_scalar_cycles(r)); }

#define TIME_GROUP "whole kernels, time"
static const struct metric metrics[] = {
	{ "aiv_time_us", TIME_GROUP, core_us }, { "aicore_time_us", TIME_GROUP, core_us },
	{ "aic_time_us", TIME_GROUP, core_us }, { "aic_time_avg_us", TIME_GROUP, core_us },
	{ "aic_time_max_us", TIME_GROUP, max_us }, { "aiv_total_cycles", TIME_GROUP, sum_cycles },
	{ "aic_total_cycles", TIME_GROUP, sum_cycles }, { "time_us", TIME_GROUP, whole_us }, { "time_ms", TIME_GROUP, whole_ms },
	{ "task_duration_us", TIME_GROUP, whole_us }, { "ticks_for_1000_add", "UB banks", ticks },
	{ "aic_mac_time_us", "pipe mac", mac_us }, { "aiv_vec_time_us", "pipe vec", vec_us },
	{ "aic_mte1_time_us", "pipe mte1", mte1_us }, { "aic_mte2_time_us", "pipe mte2", mte2_us },
	{ "aic_mte2_time_avg_us", "pipe mte2", mte2_us }, { "aiv_mte2_time_us", "pipe mte2", mte2_us },
	{ "aiv_mte3_time_us", "pipe mte3", mte3_us }, { "aic_fixpipe_time_us", "pipe fixpipe", fix_us },
	{ "aiv_scalar_time_us", "pipe scalar", scalar_us }, { "aic_scalar_time_us", "pipe scalar", scalar_us },
};

/* A number, or the middle of a printed range. */
static double published(const json_t *v)
{
	if (json_is_array(v) && json_array_size(v) == 2)
		return (json_number_value(json_array_get(v, 0)) + json_number_value(json_array_get(v, 1))) / 2;
	return json_number_value(v);
}

/* For the order of a ladder every step counts in one unit: task time where it is published, else core time. */
static void ladder(struct table *t, const char *id, const json_t *measured, const struct rig *r, const struct metric *m)
{
	double task = published(json_object_get(measured, "task_duration_us")),
	       value = published(json_object_get(measured, m->key));
	if (task > 0) {
		table_add(t, "ladder", id, "us", task, whole_us(r));
		return;
	}
	if (m->value == sum_cycles)
		value = us(r, value / r->sim.n_core);
	if (m->value == whole_ms)
		value *= 1000;
	table_add(t, "ladder", id, "us", value,
		  m->value == sum_cycles ? core_us(r)
		  : m->value == whole_ms ? whole_us(r)
					 : m->value(r));
}

/* One time per case, the first of the list that the row has: core time before what includes the launch. Then the pipes.
 * Rows of grade B count for themselves. */
static void compare(struct table *t, const char *id, const json_t *row, const struct rig *r)
{
	const json_t *measured = json_object_get(row, "measured");
	bool timed = false, lesser = strcmp(text_of(row, "grade"), "B") == 0;
	for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
		const json_t *v = json_object_get(measured, metrics[i].key);
		bool time = strcmp(metrics[i].group, TIME_GROUP) == 0;
		if (!v || published(v) <= 0 || (time && timed))
			continue;
		/* a pipe that works a millionth of the time: nothing that the kernel does */
		if (!time && published(v) < 1e-6 * core_us(r))
			continue;
		if (time && strstr(metrics[i].key, "ticks") == NULL)
			ladder(t, id, measured, r, &metrics[i]);
		timed |= time;
		const char *group = !lesser ? metrics[i].group : time ? "whole kernels B, time" : "pipes B";
		table_add(t, group, id, metrics[i].key, published(v), metrics[i].value(r));
	}
}

static bool launch(struct rig *r, const json_t *c)
{
	const json_t *args = json_object_get(c, "args");
	bool bank = strcmp(text_of(c, "kernel"), "ubbank") == 0;
	bool ok = rig_begin(r, text_of(c, "kernel"), json_integer_value(json_object_get(c, "blocks")), bank);
	for (size_t i = 0; ok && i < json_array_size(args); i++)
		ok = argument(r, json_array_get(args, i));
	return ok && rig_run(r);
}

static const json_t *row_of(const struct lines *l, const char *id)
{
	for (int i = 0; i < l->n; i++)
		if (strcmp(text_of(l->line[i], "id"), id) == 0)
			return l->line[i];
	return NULL;
}

static void run_case(struct table *t, const json_t *c, const struct lines *measured)
{
	static struct rig r;
	const char *id = text_of(c, "id");
	unsigned core = strcmp(text_of(c, "core"), "cube") == 0 ? CORE_CUBE : CORE_VEC;
	const json_t *row = json_object_get(c, "published");
	row = row ? row : row_of(measured, id);
	if (!row) {
		table_leave(t, id, "no published row");
		return;
	}
	if (!rig_load(&r, text_of(c, "chip"), text_of(c, "kernel"), core) || !launch(&r, c))
		table_leave(t, id, "%.150s", r.fail.what);
	else
		compare(t, id, row, &r);
	rig_end(&r);
	rig_free(&r);
}

bool cases_run(struct table *t, bool quick, const char *only, char *text, size_t size)
{
	struct lines measured = { 0 }, cases = { 0 };
	bool ok = read_lines("test/accuracy/measured.jsonl", &measured, text, size) &&
		  read_lines("test/accuracy/cases.jsonl", &cases, text, size);
	for (int i = 0; ok && i < cases.n; i++) {
		t->slow = json_is_true(json_object_get(cases.line[i], "slow"));
		t->held = json_is_false(json_object_get(cases.line[i], "fitted"));
		if (strstr(text_of(cases.line[i], "id"), only) && !(quick && t->slow))
			run_case(t, cases.line[i], &measured);
	}
	t->slow = t->held = false;
	for (int i = 0; ok && i < measured.n; i++)
		if (!row_of(&cases, text_of(measured.line[i], "id")))
			table_leave(t, text_of(measured.line[i], "id"), "no kernel for this case yet");
	free_lines(&measured);
	free_lines(&cases);
	return ok;
}
