/*
 * launch.c - reads launch files: kernel, chip, parameters, arguments, expectations. Strict: an unknown key, a key that
 * the argument's kind does not have, a missing key are errors with file and line.
 */
#include "launch_parts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const char *const launch_kinds[6] = { "in", "out", "inout", "workspace", "tiling", "scalar" };

bool launch_is_name(const char *text)
{
	if (!isalpha((unsigned char)text[0]) && text[0] != '_')
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && *text != '_')
			return false;
	return true;
}

static bool known(const struct cfg *c, const config_setting_t *group, const char *what, const char *const *names, int n,
		  struct fail *f)
{
	if (!config_setting_is_group(group))
		return cfg_fail(c, group, f, "%s: expected a group { ... }, got %s", what, cfg_type(group));
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
		bool found = false;
		for (int j = 0; j < n && !found; j++)
			found = strcmp(names[j], s->name) == 0;
		if (!found) {
			cfg_fail(c, s, f, "%s: unknown key %s", what, s->name);
			return cfg_suggest(f, s->name, names, n);
		}
	}
	return true;
}

/* A text that may be absent. */
static bool text_of(const struct cfg *c, const config_setting_t *group, const char *key, char *out, size_t size,
		    struct fail *f)
{
	const config_setting_t *s = config_setting_get_member(group, key);
	return !s || cfg_text(c, s, key, out, size, f);
}

/* A whole number that may be absent. */
static bool count_of(const struct cfg *c, const config_setting_t *group, const char *key, int64_t *out, struct fail *f)
{
	const config_setting_t *s = config_setting_get_member(group, key);
	if (!s)
		return true;
	if (!cfg_int(c, s, key, out, f))
		return false;
	return *out >= 0 || cfg_fail(c, s, f, "%s = %" PRId64 " is negative", key, *out);
}

/* An expression: a text or a whole number. type, when not NULL, becomes "f32" for a fraction. */
static bool expr_of(const struct cfg *c, const config_setting_t *s, const char *key, char *out, size_t size, char *type,
		    struct fail *f)
{
	int64_t v;
	if (config_setting_type(s) == CONFIG_TYPE_FLOAT && type) {
		snprintf(out, size, "%.17g", config_setting_get_float(s));
		strcpy(type, "f32");
		return true;
	}
	if (config_setting_type(s) == CONFIG_TYPE_STRING)
		return cfg_text(c, s, key, out, size, f);
	if (!cfg_int(c, s, key, &v, f))
		return false;
	snprintf(out, size, "%" PRId64, v);
	return true;
}

static bool read_params(const struct cfg *c, const config_setting_t *group, struct launch *l, struct fail *f)
{
	static const char *const reserved[] = { "kernel", "entry", "chip", "core", "cflags", "blocks", "max_cycles",
						"seed", "golden", "tiling_key", "min", "max", "ceil_div", "align" };
	if (!config_setting_is_group(group))
		return cfg_fail(c, group, f, "params: expected a group { ... }, got %s", cfg_type(group));
	if (config_setting_length(group) > LAUNCH_PARAMS)
		return cfg_fail(c, group, f, "params: at most %d", LAUNCH_PARAMS);
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
		struct launch_param *p = &l->param[l->n_param];
		if (strlen(s->name) >= sizeof(p->name) || !launch_is_name(s->name))
			return cfg_fail(c, s, f, "params: \"%s\" is no name of at most %zu letters", s->name,
					sizeof(p->name) - 1);
		for (size_t r = 0; r < sizeof(reserved) / sizeof(reserved[0]); r++)
			if (strcmp(s->name, reserved[r]) == 0)
				return cfg_fail(c, s, f, "params: \"%s\" has a meaning of its own", s->name);
		strcpy(p->name, s->name);
		p->line = cfg_line(c, s);
		bool text = config_setting_type(s) == CONFIG_TYPE_STRING;
		if (text ? !cfg_text(c, s, p->name, p->expr, sizeof(p->expr), f) : !cfg_int(c, s, p->name, &p->value, f))
			return false;
		l->n_param++;
		struct fail inner = { 0 };
		if (text && !launch_follow(l, &inner)) {
			cfg_fail(c, s, f, "params.%s: %.600s", p->name, inner.what);
			return fail_hint(f, "%s", inner.hint);
		}
	}
	return true;
}

static bool read_tolerance(const struct cfg *c, const config_setting_t *group, enum dtype dtype, struct tolerance *t,
			   struct fail *f)
{
	static const char *const keys[] = { "preset", "rtol", "atol", "fraction" };
	double *const values[] = { &t->rtol, &t->atol, &t->fraction };
	char preset[32];
	if (!known(c, group, "tolerance", keys, 4, f))
		return false;
	*t = tolerance_preset(dtype);
	const config_setting_t *s = config_setting_get_member(group, "preset");
	if (s) {
		if (!cfg_text(c, s, "tolerance.preset", preset, sizeof(preset), f))
			return false;
		if (!tolerance_parse(preset, t))
			return cfg_fail(c, s, f, "tolerance.preset: \"%s\" is neither an element type nor \"exact\"",
					preset);
	}
	for (int i = 0; i < 3; i++) {
		s = config_setting_get_member(group, keys[i + 1]);
		if (s && !cfg_number(c, s, keys[i + 1], values[i], f))
			return false;
		if (s && !(*values[i] >= 0))
			return cfg_fail(c, s, f, "tolerance.%s is negative", keys[i + 1]);
	}
	return true;
}

static bool read_shape(const struct cfg *c, const config_setting_t *s, struct launch_arg *a, struct fail *f)
{
	if (config_setting_type(s) != CONFIG_TYPE_ARRAY && config_setting_type(s) != CONFIG_TYPE_LIST)
		return cfg_fail(c, s, f, "shape: expected [ ... ], got %s", cfg_type(s));
	if (config_setting_length(s) > ARRAY_DIMS)
		return cfg_fail(c, s, f, "shape: at most %d dimensions", ARRAY_DIMS);
	for (int i = 0; i < config_setting_length(s); i++)
		if (!expr_of(c, config_setting_get_elem(s, (unsigned)i), "shape", a->dim_expr[i],
			     sizeof(a->dim_expr[i]), NULL, f))
			return false;
	a->n_dim = config_setting_length(s);
	return true;
}

/* member = "expression"; or member = ("expression", "type"); */
static bool read_value(const struct cfg *c, const config_setting_t *s, struct launch_value *v, struct fail *f)
{
	const config_setting_t *expr = s;
	v->line = cfg_line(c, s);
	if (strlen(s->name) >= sizeof(v->name))
		return cfg_fail(c, s, f, "values: name \"%s\" is too long", s->name);
	strcpy(v->name, s->name);
	if (config_setting_type(s) == CONFIG_TYPE_LIST) {
		if (config_setting_length(s) != 2)
			return cfg_fail(c, s, f, "values.%s: expected (value, \"type\")", s->name);
		expr = config_setting_get_elem(s, 0);
	}
	if (!expr_of(c, expr, s->name, v->expr, sizeof(v->expr), v->type, f))
		return false;
	if (expr == s)
		return true;
	const config_setting_t *type = config_setting_get_elem(s, 1);
	if (!cfg_text(c, type, s->name, v->type, sizeof(v->type), f))
		return false;
	if (dtype_parse(v->type) == DT_NONE)
		return cfg_fail(c, type, f, "values.%s: \"%s\" is no element type", s->name, v->type);
	return true;
}

static bool read_values(const struct cfg *c, const config_setting_t *group, struct launch_arg *a, struct fail *f)
{
	if (!config_setting_is_group(group))
		return cfg_fail(c, group, f, "values: expected a group { ... }, got %s", cfg_type(group));
	if (config_setting_length(group) > LAUNCH_VALUES)
		return cfg_fail(c, group, f, "values: at most %d", LAUNCH_VALUES);
	for (int i = 0; i < config_setting_length(group); i++)
		if (!read_value(c, config_setting_get_elem(group, (unsigned)i), &a->value[a->n_value++], f))
			return false;
	return true;
}

/* Which keys an argument of each kind has. */
static const char *const common[] = { "name", "kind" };
static const struct { const char *keys[10]; int n; } keys_of_kind[] = {
	[ARG_IN] = { { "name", "kind", "dtype", "shape", "init", "file", "cache" }, 7 },
	[ARG_OUT] = { { "name", "kind", "dtype", "shape", "golden", "out", "tolerance", "init", "cache" }, 9 },
	[ARG_INOUT] = { { "name", "kind", "dtype", "shape", "init", "file", "golden", "out", "tolerance", "cache" }, 10 },
	[ARG_WORKSPACE] = { { "name", "kind", "dtype", "shape", "init", "cache" }, 6 },
	[ARG_TILING] = { { "name", "kind", "values" }, 3 },
	[ARG_SCALAR] = { { "name", "kind", "dtype", "value" }, 4 },
};

/* cache = "bypass": what MTE reads of the argument leaves nothing in L2. */
static bool read_cache(const struct cfg *c, const config_setting_t *s, struct launch_arg *a, struct fail *f)
{
	static const char *const modes[] = { "normal", "bypass" };
	char text[32] = "normal";
	if (!text_of(c, s, "cache", text, sizeof(text), f))
		return false;
	a->bypass = strcmp(text, "bypass") == 0;
	if (a->bypass || strcmp(text, "normal") == 0)
		return true;
	cfg_fail(c, config_setting_get_member(s, "cache"), f, "cache = \"%s\" is not known", text);
	return cfg_suggest(f, text, modes, 2);
}

static bool need(const struct cfg *c, const config_setting_t *s, const char *name, const char *key, struct fail *f)
{
	cfg_fail(c, s, f, "argument %s: missing key %s", name, key);
	return false;
}

static bool read_kind(const struct cfg *c, const config_setting_t *s, struct launch_arg *a, struct fail *f)
{
	char kind[16] = "";
	if (!config_setting_is_group(s))
		return cfg_fail(c, s, f, "args: expected groups { ... }, got %s", cfg_type(s));
	if (!text_of(c, s, "name", a->name, sizeof(a->name), f) || !text_of(c, s, "kind", kind, sizeof(kind), f))
		return false;
	for (int i = 0; i < 2; i++)
		if (!config_setting_get_member(s, common[i]))
			return need(c, s, a->name[0] ? a->name : "without name", common[i], f);
	if (!launch_is_name(a->name))
		return cfg_fail(c, s, f, "argument \"%s\": not a name", a->name);
	for (int i = 0; i < 6; i++)
		if (strcmp(kind, launch_kinds[i]) == 0) {
			a->kind = (enum arg_kind)i;
			return true;
		}
	cfg_fail(c, config_setting_get_member(s, "kind"), f, "argument %s: no kind \"%s\"", a->name, kind);
	return cfg_suggest(f, kind, launch_kinds, 6);
}

static bool read_dtype(const struct cfg *c, const config_setting_t *s, struct launch_arg *a, struct fail *f)
{
	char text[32];
	const config_setting_t *t = config_setting_get_member(s, "dtype");
	if (!t)
		return true;
	if (!cfg_text(c, t, "dtype", text, sizeof(text), f))
		return false;
	a->dtype = dtype_parse(text);
	if (a->dtype != DT_NONE)
		return true;
	cfg_fail(c, t, f, "argument %s: \"%s\" is no element type", a->name, text);
	return fail_hint(f, "known: f16 bf16 f32 f64 s8 u8 s16 u16 s32 u32 s64 u64 bool");
}

static bool read_arg(const struct cfg *c, const config_setting_t *s, struct launch_arg *a, struct fail *f)
{
	char what[80];
	a->line = cfg_line(c, s);
	if (!read_kind(c, s, a, f))
		return false;
	snprintf(what, sizeof(what), "argument %s (%s)", a->name, launch_kinds[a->kind]);
	if (!known(c, s, what, keys_of_kind[a->kind].keys, keys_of_kind[a->kind].n, f))
		return false;
	const config_setting_t *shape = config_setting_get_member(s, "shape"), *value, *values, *tolerance;
	if (!read_cache(c, s, a, f) || !read_dtype(c, s, a, f) || (shape && !read_shape(c, shape, a, f)) ||
	    !text_of(c, s, "init", a->init, sizeof(a->init), f) ||
	    !text_of(c, s, "file", a->file, sizeof(a->file), f) ||
	    !text_of(c, s, "golden", a->golden, sizeof(a->golden), f) ||
	    !text_of(c, s, "out", a->out, sizeof(a->out), f))
		return false;
	if (a->kind == ARG_WORKSPACE && a->dtype == DT_NONE)
		a->dtype = DT_U8;
	if (a->dtype == DT_NONE && a->kind != ARG_TILING)
		return need(c, s, a->name, "dtype", f);
	if (!shape && a->kind <= ARG_WORKSPACE)
		return need(c, s, a->name, "shape", f);
	if ((tolerance = config_setting_get_member(s, "tolerance"))) {
		a->has_tolerance = true;
		if (!read_tolerance(c, tolerance, a->dtype, &a->tolerance, f))
			return false;
	}
	if ((values = config_setting_get_member(s, "values")) ? !read_values(c, values, a, f) : a->kind == ARG_TILING)
		return values ? false : need(c, s, a->name, "values", f);
	char unused[8];
	if ((value = config_setting_get_member(s, "value")))
		return expr_of(c, value, "value", a->scalar, sizeof(a->scalar), unused, f);
	return a->kind != ARG_SCALAR || need(c, s, a->name, "value", f);
}

static bool read_args(const struct cfg *c, const config_setting_t *list, struct launch *l, struct fail *f)
{
	if (config_setting_type(list) != CONFIG_TYPE_LIST)
		return cfg_fail(c, list, f, "args: expected a list ( {...}, {...} ), got %s", cfg_type(list));
	if (config_setting_length(list) > LAUNCH_ARGS)
		return cfg_fail(c, list, f, "args: at most %d arguments", LAUNCH_ARGS);
	for (int i = 0; i < config_setting_length(list); i++)
		if (!read_arg(c, config_setting_get_elem(list, (unsigned)i), &l->arg[l->n_arg++], f))
			return false;
	return true;
}

bool launch_check(const struct launch *l, struct fail *f)
{
	for (int i = 0; i < l->n_arg; i++) {
		const struct launch_arg *a = &l->arg[i];
		struct fail inner = { 0 };
		for (int j = 0; j < i; j++)
			if (strcmp(a->name, l->arg[j].name) == 0)
				return fail_file(f, FAIL_USER, l->file, a->line, "two arguments are named %s", a->name);
		if (a->init[0] && a->file[0])
			return fail_file(f, FAIL_USER, l->file, a->line, "argument %s has both init and file", a->name);
		if (!a->init[0] && !a->file[0] && (a->kind == ARG_IN || a->kind == ARG_INOUT)) {
			fail_file(f, FAIL_USER, l->file, a->line, "argument %s: missing key init or file", a->name);
			return fail_hint(f, "for example init = \"uniform(-1, 1)\";");
		}
		if (a->init[0] && !launch_check_init(a->init, &inner)) {
			fail_file(f, inner.class, l->file, a->line, "argument %s: %s", a->name, inner.what);
			return fail_hint(f, "%s", inner.hint);
		}
	}
	return true;
}

static bool read_launch(const struct cfg *c, struct launch *l, struct fail *f)
{
	static const char *const keys[] = { "kernel", "entry", "chip", "core", "cflags", "blocks", "max_cycles", "seed",
					    "golden", "params", "args", "tolerance", "tiling_key", "tune" /* tune_space.c */ };
	static const char *const cores[] = { "", "cube", "vector", "mix" };
	const config_setting_t *root = config_root_setting(&c->config), *s;
	int64_t seed = 0;
	if (!known(c, root, "launch", keys, sizeof keys / sizeof keys[0], f))
		return false;
	if (!text_of(c, root, "kernel", l->kernel, sizeof(l->kernel), f) ||
	    !text_of(c, root, "entry", l->entry, sizeof(l->entry), f) ||
	    !text_of(c, root, "chip", l->chip, sizeof(l->chip), f) ||
	    !text_of(c, root, "core", l->core, sizeof(l->core), f) ||
	    !text_of(c, root, "cflags", l->cflags, sizeof(l->cflags), f) ||
	    !text_of(c, root, "golden", l->golden, sizeof(l->golden), f) ||
	    !count_of(c, root, "blocks", &l->blocks, f) || !count_of(c, root, "max_cycles", &l->max_cycles, f) ||
	    !count_of(c, root, "seed", &seed, f) || !count_of(c, root, "tiling_key", &l->tiling_key, f))
		return false;
	l->seed = (uint64_t)seed;
	if (!l->kernel[0])
		return cfg_fail(c, NULL, f, "missing key kernel (a .c, .cpp or .elf file)");
	bool core_known = false;
	for (int i = 0; i < 4; i++)
		core_known = core_known || strcmp(l->core, cores[i]) == 0;
	if (!core_known) {
		cfg_fail(c, config_setting_get_member(root, "core"), f, "core: \"%s\" is not known", l->core);
		return cfg_suggest(f, l->core, cores + 1, 3);
	}
	if ((s = config_setting_get_member(root, "params")) && !read_params(c, s, l, f))
		return false;
	if (!(s = config_setting_get_member(root, "args")))
		return cfg_fail(c, NULL, f, "missing key args (the kernel's arguments, in order)");
	if (!read_args(c, s, l, f))
		return false;
	s = config_setting_get_member(root, "tolerance");
	for (int i = 0; s && i < l->n_arg; i++) {
		struct launch_arg *a = &l->arg[i];
		if ((a->kind != ARG_OUT && a->kind != ARG_INOUT) || a->has_tolerance)
			continue;
		a->has_tolerance = true;
		if (!read_tolerance(c, s, a->dtype, &a->tolerance, f))
			return false;
	}
	return launch_check(l, f);
}

static bool join(struct launch *l, char *name, size_t size, struct fail *f)
{
	char path[512];
	if (!name[0] || strcmp(l->folder, ".") == 0)
		return true;
	if (!cfg_beside(l->file, name, path, sizeof(path)) || strlen(path) >= size)
		return fail_file(f, FAIL_USER, l->file, 0, "path too long: %.80s...", name);
	strcpy(name, path);
	return true;
}

static bool join_files(struct launch *l, struct fail *f)
{
	bool ok = join(l, l->kernel, sizeof(l->kernel), f) && join(l, l->golden, sizeof(l->golden), f);
	for (int i = 0; ok && i < l->n_arg; i++) {
		struct launch_arg *a = &l->arg[i];
		ok = join(l, a->file, sizeof(a->file), f) && join(l, a->golden, sizeof(a->golden), f) &&
		     join(l, a->out, sizeof(a->out), f);
	}
	return ok;
}

static bool fill(struct cfg *c, const char *file, struct launch *l, struct fail *f)
{
	const char *slash = strrchr(file, '/');
	memset(l, 0, sizeof(*l));
	snprintf(l->file, sizeof(l->file), "%s", file);
	snprintf(l->folder, sizeof(l->folder), "%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".");
	bool ok = read_launch(c, l, f) && join_files(l, f);
	cfg_free(c);
	return ok;
}

bool launch_parse(const char *text, const char *file, struct launch *l, struct fail *f)
{
	struct cfg c;
	return cfg_parse(&c, text, file, f) && fill(&c, file, l, f);
}

bool launch_load(const char *path, struct launch *l, struct fail *f)
{
	struct cfg c;
	struct stat st;
	char file[512];
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	int length = snprintf(file, sizeof(file), "%.*s%s", (int)n, path, folder ? "/launch.cfg" : "");
	if (length < 0 || (size_t)length >= sizeof(file))
		return fail_set(f, FAIL_USER, "name of a launch file too long");
	return cfg_load(&c, file, f) && fill(&c, file, l, f);
}
