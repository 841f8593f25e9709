/*
 * tune_space.c - the group `tune` of a launch file: parameters with their values, constraints, the shape for value
 * checks, cheaper shapes; and the points of the grid that they span.
 */
#include "tune.h"

#include "cfg.h"
#include "launch_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_param(const struct launch *l, const char *name)
{
	for (int i = 0; i < l->n_param; i++)
		if (strcmp(l->param[i].name, name) == 0)
			return true;
	return false;
}

static bool unknown_param(const struct cfg *c, const config_setting_t *s, const struct launch *l, struct fail *f)
{
	const char *names[LAUNCH_PARAMS];

	for (int i = 0; i < l->n_param; i++)
		names[i] = l->param[i].name;
	cfg_fail(c, s, f, "tune: %s is no parameter of this launch", config_setting_name(s));
	return cfg_suggest(f, config_setting_name(s), names, l->n_param);
}

static bool add_value(const struct cfg *c, const config_setting_t *s, struct tune_param *p, int64_t v, struct fail *f)
{
	if (p->n == TUNE_VALUES)
		return cfg_fail(c, s, f, "tune.%s: more than %d values", p->name, TUNE_VALUES);
	p->value[p->n++] = v;
	return true;
}

static bool read_range(const struct cfg *c, const config_setting_t *s, struct tune_param *p, struct fail *f)
{
	static const char *const keys[] = { "from", "to", "step" };
	int64_t v[3];

	for (int i = 0; i < 3; i++) {
		const config_setting_t *e = config_setting_get_member(s, keys[i]);
		if (!e)
			return cfg_fail(c, s, f, "tune.%s: a range is { from = ..; to = ..; step = ..; }, %s is missing",
					p->name, keys[i]);
		if (!cfg_int(c, e, keys[i], &v[i], f))
			return false;
	}
	if (v[2] <= 0 || v[1] < v[0])
		return cfg_fail(c, s, f, "tune.%s: an empty range", p->name);
	for (int64_t x = v[0]; x <= v[1]; x += v[2])
		if (!add_value(c, s, p, x, f))
			return false;
	return true;
}

static bool read_param(const struct cfg *c, const config_setting_t *s, const struct launch *l, struct tune_space *t,
		       struct fail *f)
{
	struct tune_param *p = &t->param[t->n_param];

	if (!is_param(l, config_setting_name(s)))
		return unknown_param(c, s, l, f);
	if (t->n_param == TUNE_PARAMS)
		return cfg_fail(c, s, f, "tune: more than %d parameters", TUNE_PARAMS);
	t->n_param++;
	snprintf(p->name, sizeof p->name, "%s", config_setting_name(s));
	if (config_setting_is_group(s))
		return read_range(c, s, p, f);
	if (!config_setting_is_array(s) || config_setting_length(s) == 0)
		return cfg_fail(c, s, f, "tune.%s: expected values [ 1, 2 ] or a range { from; to; step }", p->name);
	for (int i = 0; i < config_setting_length(s); i++) {
		const config_setting_t *e = config_setting_get_elem(s, (unsigned)i);
		int64_t v;
		if (!cfg_int(c, e, p->name, &v, f) || !add_value(c, e, p, v, f))
			return false;
	}
	return true;
}

static bool read_constraints(const struct cfg *c, const config_setting_t *s, struct tune_space *t, struct fail *f)
{
	if (!config_setting_is_array(s))
		return cfg_fail(c, s, f, "tune.constraint: expected [ \"a <= b\", \"c %% d == 0\" ]");
	for (int i = 0; i < config_setting_length(s); i++) {
		const config_setting_t *e = config_setting_get_elem(s, (unsigned)i);
		char *text = t->constraint[t->n_constraint];
		if (t->n_constraint == TUNE_CONSTRAINTS)
			return cfg_fail(c, e, f, "tune.constraint: more than %d", TUNE_CONSTRAINTS);
		t->n_constraint++;
		if (!cfg_text(c, e, "constraint", text, sizeof t->constraint[0], f))
			return false;
		if (!strstr(text, "<=") && !strstr(text, "=="))
			return cfg_fail(c, e, f, "tune.constraint \"%s\": expected <= or ==", text);
	}
	return true;
}

/* { M = 300; N = 200; } */
static bool read_sets(const struct cfg *c, const config_setting_t *s, const struct launch *l, struct tune_sets *out,
		      struct fail *f)
{
	size_t at = 0;

	if (!config_setting_is_group(s))
		return cfg_fail(c, s, f, "tune: expected a group { M = 300; N = 200; }, got %s", cfg_type(s));
	for (int i = 0; i < config_setting_length(s); i++) {
		const config_setting_t *e = config_setting_get_elem(s, (unsigned)i);
		int64_t v;
		if (!is_param(l, config_setting_name(e)))
			return unknown_param(c, e, l, f);
		if (!cfg_int(c, e, config_setting_name(e), &v, f))
			return false;
		at += (size_t)snprintf(out->text + at, sizeof out->text - at, "%s%s=%" PRId64, i ? "," : "",
				       config_setting_name(e), v);
		if (at >= sizeof out->text)
			return cfg_fail(c, s, f, "tune: too many parameters in one group");
	}
	return true;
}

static bool read_rungs(const struct cfg *c, const config_setting_t *s, const struct launch *l, struct tune_space *t,
		       struct fail *f)
{
	if (config_setting_type(s) != CONFIG_TYPE_LIST || config_setting_length(s) > TUNE_RUNGS)
		return cfg_fail(c, s, f, "tune.rungs: expected a list of at most %d groups ( { K = 512; }, { K = 1024; } )",
				TUNE_RUNGS);
	for (int i = 0; i < config_setting_length(s); i++)
		if (!read_sets(c, config_setting_get_elem(s, (unsigned)i), l, &t->rung[t->n_rung++], f))
			return false;
	return true;
}

static bool read_space(const struct cfg *c, const config_setting_t *group, const struct launch *l, struct tune_space *t,
		       struct fail *f)
{
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
		const char *name = config_setting_name(s);
		bool ok;
		if (strcmp(name, "constraint") == 0)
			ok = read_constraints(c, s, t, f);
		else if (strcmp(name, "check") == 0)
			ok = read_sets(c, s, l, &t->check, f);
		else if (strcmp(name, "rungs") == 0)
			ok = read_rungs(c, s, l, t, f);
		else
			ok = read_param(c, s, l, t, f);
		if (!ok)
			return false;
	}
	if (!t->n_param)
		return cfg_fail(c, group, f, "tune: no parameter is named");
	t->n_all = 1;
	for (int i = 0; i < t->n_param; i++) {
		t->n_all *= t->param[i].n;
		if (t->n_all > TUNE_SPACE_MAX)
			return cfg_fail(c, group, f, "tune: more than %d combinations", TUNE_SPACE_MAX);
	}
	return true;
}

bool tune_space_load(const char *file, const struct launch *l, struct tune_space *s, struct fail *f)
{
	struct cfg c;

	memset(s, 0, sizeof *s);
	if (!cfg_load(&c, file, f))
		return false;
	const config_setting_t *group = config_setting_get_member(config_root_setting(&c.config), "tune");
	bool ok = group && config_setting_is_group(group) ? read_space(&c, group, l, s, f)
							 : cfg_fail(&c, group, f,
								    "no group tune = { ... } says what to vary");
	cfg_free(&c);
	return ok;
}

void tune_point(const struct tune_space *s, int64_t i, struct tune_sets *out)
{
	size_t at = 0;

	out->text[0] = 0;
	for (int k = 0; k < s->n_param && at < sizeof out->text; k++) {
		const struct tune_param *p = &s->param[k];
		at += (size_t)snprintf(out->text + at, sizeof out->text - at, "%s%s=%" PRId64, k ? "," : "", p->name,
				       p->value[i % p->n]);
		i /= p->n;
	}
}

void tune_standard(const struct tune *t, const struct tune_sets *shape, struct tune_sets *point)
{
	struct launch *l = malloc(sizeof *l);
	struct fail f = { 0 };
	size_t at = 0;

	point->text[0] = 0;
	if (!l)
		return;
	*l = t->launch;
	if (!tune_apply(l, shape, &f))
		l->n_param = 0;
	for (int k = 0; k < t->space.n_param; k++)
		for (int i = 0; i < l->n_param && at < sizeof point->text; i++)
			if (strcmp(l->param[i].name, t->space.param[k].name) == 0)
				at += (size_t)snprintf(point->text + at, sizeof point->text - at, "%s%s=%" PRId64, k ? "," : "",
						       l->param[i].name, l->param[i].value);
	free(l);
}

bool tune_apply(struct launch *l, const struct tune_sets *sets, struct fail *f)
{
	struct tune_sets copy = *sets;
	char *save = NULL;

	for (char *t = strtok_r(copy.text, ",", &save); t; t = strtok_r(NULL, ",", &save))
		if (!launch_set(l, t, f))
			return false;
	return true;
}

bool tune_value(const struct tune_sets *sets, const char *name, int64_t *value)
{
	size_t n = strlen(name);

	for (const char *p = sets->text; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
		if (strncmp(p, name, n) == 0 && p[n] == '=') {
			*value = strtoll(p + n + 1, NULL, 10);
			return true;
		}
	return false;
}

/* a <= b lacks a - b; a == b lacks their difference. */
static bool lacks(const struct launch *l, const char *constraint, int64_t *missing, struct fail *f)
{
	char left[128];
	const char *op = strstr(constraint, "<=");
	bool equal = !op;
	int64_t a, b;

	if (equal)
		op = strstr(constraint, "==");
	snprintf(left, sizeof left, "%.*s", (int)(op - constraint), constraint);
	if (!launch_eval(l, left, &a, f) || !launch_eval(l, op + 2, &b, f))
		return false;
	*missing = equal ? llabs(a - b) : a > b ? a - b : 0;
	return true;
}

bool tune_fits(const struct tune_space *s, const struct launch *l, int *broken, int64_t *missing, struct fail *f)
{
	*broken = -1;
	for (int i = 0; i < s->n_constraint; i++) {
		if (!lacks(l, s->constraint[i], missing, f))
			return false;
		if (*missing) {
			*broken = i;
			return true;
		}
	}
	return true;
}
