/*
 * launch_set.c - overrides of a launch from the command line: parameters, keys, keys of arguments.
 */
#include "launch_parts.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool put(const char *key, const char *text, char *out, size_t size, struct fail *f)
{
	if (strlen(text) >= size)
		return fail_set(f, FAIL_USER, "%s: text too long, at most %zu characters", key, size - 1);
	strcpy(out, text);
	return true;
}

static bool put_count(const struct launch *l, const char *key, const char *text, int64_t *out, struct fail *f)
{
	int64_t v;
	if (!launch_eval(l, text, &v, f))
		return false;
	if (v < 0)
		return fail_set(f, FAIL_USER, "%s = %" PRId64 " is negative", key, v);
	*out = v;
	return true;
}

static bool put_number(const char *key, const char *text, struct launch_arg *a, double *out, struct fail *f)
{
	double v;
	if (a->kind != ARG_OUT && a->kind != ARG_INOUT)
		return fail_set(f, FAIL_USER, "%s: argument %s is no output", key, a->name);
	if (!launch_number(text, &v) || !(v >= 0 && v <= DBL_MAX))
		return fail_set(f, FAIL_USER, "%s: \"%s\" is no tolerance", key, text);
	*out = v;
	return true;
}

static bool unknown(const struct launch *l, const char *key, const char *const *names, int n, struct fail *f)
{
	const char *all[LAUNCH_PARAMS + 16];
	int count = 0;
	for (int i = 0; i < n; i++)
		all[count++] = names[i];
	for (int i = 0; i < l->n_param; i++)
		all[count++] = l->param[i].name;
	fail_set(f, FAIL_USER, "nothing to set is called \"%s\"", key);
	return cfg_suggest(f, key, all, count);
}

static bool set_param(struct launch *l, struct launch_param *p, const char *text, struct fail *f)
{
	if (!launch_eval(l, text, &p->value, f))
		return false;
	p->expr[0] = 0;
	return launch_follow(l, f);
}

static bool set_top(struct launch *l, const char *key, const char *text, struct fail *f)
{
	static const char *const keys[] = { "kernel", "entry", "chip", "core", "cflags", "blocks", "max_cycles", "seed",
					    "golden", "tiling_key" };
	for (int i = 0; i < l->n_param; i++)
		if (strcmp(key, l->param[i].name) == 0)
			return set_param(l, &l->param[i], text, f);
	if (strcmp(key, "kernel") == 0)
		return put(key, text, l->kernel, sizeof(l->kernel), f);
	if (strcmp(key, "entry") == 0)
		return put(key, text, l->entry, sizeof(l->entry), f);
	if (strcmp(key, "chip") == 0)
		return put(key, text, l->chip, sizeof(l->chip), f);
	if (strcmp(key, "core") == 0)
		return put(key, text, l->core, sizeof(l->core), f);
	if (strcmp(key, "cflags") == 0)
		return put(key, text, l->cflags, sizeof(l->cflags), f);
	if (strcmp(key, "golden") == 0)
		return put(key, text, l->golden, sizeof(l->golden), f);
	if (strcmp(key, "blocks") == 0)
		return put_count(l, key, text, &l->blocks, f);
	if (strcmp(key, "max_cycles") == 0)
		return put_count(l, key, text, &l->max_cycles, f);
	if (strcmp(key, "tiling_key") == 0)
		return put_count(l, key, text, &l->tiling_key, f);
	if (strcmp(key, "seed") == 0) {
		int64_t seed = 0;
		if (!put_count(l, key, text, &seed, f))
			return false;
		l->seed = (uint64_t)seed;
		return true;
	}
	return unknown(l, key, keys, (int)(sizeof(keys) / sizeof(keys[0])), f);
}

static bool set_tolerance(struct launch_arg *a, const char *key, const char *text, struct fail *f)
{
	struct tolerance t = a->has_tolerance ? a->tolerance : tolerance_preset(a->dtype);
	bool ok;
	if (strcmp(key, "rtol") == 0)
		ok = put_number(key, text, a, &t.rtol, f);
	else if (strcmp(key, "atol") == 0)
		ok = put_number(key, text, a, &t.atol, f);
	else if (strcmp(key, "fraction") == 0)
		ok = put_number(key, text, a, &t.fraction, f);
	else
		ok = tolerance_parse(text, &t) || fail_set(f, FAIL_USER, "tolerance: \"%s\" is no preset", text);
	if (!ok)
		return false;
	a->has_tolerance = true;
	a->tolerance = t;
	return true;
}

static bool set_init(struct launch_arg *a, const char *text, struct fail *f)
{
	if (!launch_check_init(text, f) || !put("init", text, a->init, sizeof(a->init), f))
		return false;
	a->file[0] = 0;
	return true;
}

static bool set_data(struct launch_arg *a, const char *key, const char *text, struct fail *f)
{
	static const char *const keys[] = { "file", "init", "golden", "out", "dtype", "tolerance", "rtol", "atol",
					    "fraction" };
	enum { KEYS = sizeof(keys) / sizeof(keys[0]) };
	bool in = a->kind == ARG_IN || a->kind == ARG_INOUT, out = a->kind == ARG_OUT || a->kind == ARG_INOUT;
	int which = 0;
	while (which < KEYS && strcmp(key, keys[which]) != 0)
		which++;
	if (which == KEYS) {
		fail_set(f, FAIL_USER, "argument %s has no key \"%s\"", a->name, key);
		return cfg_suggest(f, key, keys, KEYS);
	}
	if ((which == 0 && !in) || ((which == 2 || which == 3 || which > 4) && !out))
		return fail_set(f, FAIL_USER, "argument %s (%s) has no key \"%s\"", a->name, launch_kinds[a->kind],
			key);
	switch (which) {
	case 0: a->init[0] = 0; return put(key, text, a->file, sizeof(a->file), f);
	case 1: return set_init(a, text, f);
	case 2: return put(key, text, a->golden, sizeof(a->golden), f);
	case 3: return put(key, text, a->out, sizeof(a->out), f);
	case 4:
		if (dtype_parse(text) == DT_NONE)
			return fail_set(f, FAIL_USER, "argument %s: \"%s\" is no element type", a->name, text);
		a->dtype = dtype_parse(text);
		return true;
	default: return set_tolerance(a, key, text, f);
	}
}

static bool set_member(struct launch_arg *a, const char *key, const char *text, struct fail *f)
{
	const char *names[LAUNCH_VALUES];
	for (int i = 0; i < a->n_value; i++) {
		names[i] = a->value[i].name;
		if (strcmp(key, names[i]) == 0)
			return put(key, text, a->value[i].expr, sizeof(a->value[i].expr), f);
	}
	fail_set(f, FAIL_USER, "argument %s has no member \"%s\"", a->name, key);
	return cfg_suggest(f, key, names, a->n_value);
}

static bool set_arg(struct launch *l, const char *name, const char *key, const char *text, struct fail *f)
{
	const char *names[LAUNCH_ARGS];
	for (int i = 0; i < l->n_arg; i++) {
		struct launch_arg *a = &l->arg[i];
		names[i] = a->name;
		if (strcmp(name, a->name) != 0)
			continue;
		if (a->kind == ARG_TILING)
			return set_member(a, key, text, f);
		if (a->kind == ARG_SCALAR && strcmp(key, "value") == 0)
			return put(key, text, a->scalar, sizeof(a->scalar), f);
		return set_data(a, key, text, f);
	}
	fail_set(f, FAIL_USER, "no argument is called \"%s\"", name);
	return cfg_suggest(f, name, names, l->n_arg);
}

bool launch_set(struct launch *l, const char *assignment, struct fail *f)
{
	char key[112];
	const char *equals = strchr(assignment, '=');
	if (!equals || equals == assignment || (size_t)(equals - assignment) >= sizeof(key)) {
		fail_set(f, FAIL_USER, "\"%s\" is no assignment", assignment);
		return fail_hint(f, "write NAME=VALUE, for example M=127 or a.file=x.npy");
	}
	snprintf(key, sizeof(key), "%.*s", (int)(equals - assignment), assignment);
	char *dot = strchr(key, '.');
	if (!dot)
		return set_top(l, key, equals + 1, f);
	*dot = 0;
	return set_arg(l, key, dot + 1, equals + 1, f);
}
