/*
 * run_args.c - the arguments of a launch: arrays into GM, tiling structs laid out by debug info, checks of the entry's
 * parameters against the launch.
 */
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct program *entry_program(const struct run *r)
{
	return r->has_program[0] ? &r->program[0] : &r->program[1];
}

static const char *kind_text(enum arg_kind k)
{
	static const char *const text[] = { "input", "output", "inout", "workspace", "tiling", "scalar" };
	return text[k];
}

/* The launch must offer what the entry takes: count, and buffers where it takes pointers. */
static bool check_signature(const struct run *r, struct fail *f)
{
	const struct program *p = entry_program(r);
	const struct launch *l = &r->launch;
	if (p->n_param < 0)
		return true; /* no debug info: the compiler's word is not there to hold it against */
	if (p->n_param != l->n_arg) {
		char names[400] = "";
		for (int i = 0; i < p->n_param; i++)
			snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
				 p->param[i].name);
		fail_file(f, FAIL_USER, l->file, 0, "entry %s takes %d arguments (%s), the launch gives %d",
			  p->entry_name, p->n_param, names, l->n_arg);
		return fail_hint(f, "list one argument per parameter, in order");
	}
	for (int i = 0; i < l->n_arg; i++) {
		bool buffer = l->arg[i].kind != ARG_SCALAR;
		if (buffer != p->param[i].pointer)
			return fail_file(f, FAIL_USER, l->file, l->arg[i].line,
					 "argument %d, %s: entry %s takes \"%s %s\", the launch gives a %s", i,
					 l->arg[i].name, p->entry_name, p->param[i].type, p->param[i].name,
					 kind_text(l->arg[i].kind));
		if (!buffer && dtype_bytes(l->arg[i].dtype) != p->param[i].size)
			return fail_file(f, FAIL_USER, l->file, l->arg[i].line,
					 "argument %d, %s: entry %s takes \"%s\" of %u bytes, the launch gives %s", i,
					 l->arg[i].name, p->entry_name, p->param[i].type, p->param[i].size,
					 dtype_name(l->arg[i].dtype));
	}
	return true;
}

/* Arguments given on the command line have no names of their own: the entry's parameters name them. */
static void name_args(struct run *r)
{
	const struct program *p = entry_program(r);
	for (int i = 0; !r->launch.file[0] && i < r->launch.n_arg && i < p->n_param; i++)
		snprintf(r->launch.arg[i].name, sizeof r->launch.arg[i].name, "%s", p->param[i].name);
}

static void put_int(uint8_t *to, int64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)((uint64_t)v >> (8 * i));
}

static bool is_float_type(enum dtype t)
{
	return t == DT_F16 || t == DT_BF16 || t == DT_F32 || t == DT_F64;
}

/* A value: an integer expression, or a number for float types. */
static bool put_value(const struct run *r, const struct launch_value *v, enum dtype t, uint8_t *to, struct fail *f)
{
	int64_t number;
	if (is_float_type(t)) {
		char *end;
		double d = strtod(v->expr, &end);
		if (*end == 0 && end != v->expr) {
			dtype_set(t, to, 0, d);
			return true;
		}
	}
	if (is_float_type(t) && strchr(v->expr, '/')) {
		fail_file(f, FAIL_USER, r->launch.file, v->line, "%s = \"%s\": expressions are of whole numbers, \"/\" would"
			  " drop the fraction of a %s", v->name, v->expr, dtype_name(t));
		return fail_hint(f, "write the value as a decimal number");
	}
	if (t == DT_U64 && v->expr[0] >= '0' && v->expr[0] <= '9') {
		/* expressions are signed: a plain number may use all 64 bits */
		char *end;
		errno = 0;
		uint64_t u = strtoull(v->expr, &end, strncmp(v->expr, "0x", 2) == 0 ? 16 : 10);
		if (*end == 0 && errno == 0) {
			put_int(to, (int64_t)u, 8);
			return true;
		}
	}
	if (!launch_eval(&r->launch, v->expr, &number, f))
		return false;
	if (is_float_type(t)) {
		dtype_set(t, to, 0, (double)number);
		return true;
	}
	unsigned bits = 8 * dtype_bytes(t);
	bool is_signed = t == DT_S8 || t == DT_S16 || t == DT_S32 || t == DT_S64;
	int64_t low = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
	uint64_t high = bits == 64 ? (is_signed ? INT64_MAX : UINT64_MAX) : (UINT64_C(1) << (bits - is_signed)) - 1;
	if (bits < 64 && (number < low || (number > 0 && (uint64_t)number > high)))
		return fail_file(f, FAIL_USER, r->launch.file, v->line, "%s = %lld does not fit into %s", v->name,
				 (long long)number, dtype_name(t));
	put_int(to, number, bits / 8);
	return true;
}

static enum dtype member_dtype(const struct program_member *m)
{
	if (m->count != 1)
		return DT_NONE; /* an array has no single value */
	if (m->is_float)
		return m->size == 2   ? (strstr(m->type, "bf") ? DT_BF16 : DT_F16)
		       : m->size == 4 ? DT_F32
		       : m->size == 8 ? DT_F64
				      : DT_NONE;
	switch (m->size) {
	case 1: return m->is_signed ? DT_S8 : DT_U8;
	case 2: return m->is_signed ? DT_S16 : DT_U16;
	case 4: return m->is_signed ? DT_S32 : DT_U32;
	case 8: return m->is_signed ? DT_S64 : DT_U64;
	default: return DT_NONE;
	}
}

static const struct launch_value *value_named(const struct launch_arg *a, const char *name)
{
	for (int i = 0; i < a->n_value; i++)
		if (strcmp(a->value[i].name, name) == 0)
			return &a->value[i];
	return NULL;
}

static bool tiling_by_struct(struct run *r, int arg, const struct program_struct *st, struct array *out, struct fail *f)
{
	const struct launch_arg *a = &r->launch.arg[arg];
	uint64_t size = st->size;
	if (!array_make(out, DT_U8, 1, &size, f))
		return false;
	for (int m = 0; m < st->n_member; m++) {
		const struct program_member *member = &st->member[m];
		const struct launch_value *v = value_named(a, member->name);
		enum dtype t = member_dtype(member);
		if (!v)
			return fail_file(f, FAIL_USER, r->launch.file, a->line,
					 "tiling %s: no value for member \"%s\" of struct %s", a->name, member->name,
					 st->name);
		if (t == DT_NONE)
			return fail_file(f, FAIL_USER, r->launch.file, v->line,
					 "tiling %s: member \"%s\" of struct %s is a \"%s\"; only"
					 " numbers can be given here",
					 a->name, member->name, st->name, member->type);
		if (!put_value(r, v, t, out->data + member->offset, f))
			return false;
	}
	for (int i = 0; i < a->n_value; i++) {
		bool known = false;
		for (int m = 0; m < st->n_member; m++)
			known |= strcmp(st->member[m].name, a->value[i].name) == 0;
		if (!known)
			return fail_file(f, FAIL_USER, r->launch.file, a->value[i].line,
					 "tiling %s: struct %s has no member \"%s\"", a->name, st->name,
					 a->value[i].name);
	}
	return true;
}

static bool tiling_in_order(struct run *r, int arg, struct array *out, struct fail *f)
{
	const struct launch_arg *a = &r->launch.arg[arg];
	uint64_t size = 8 * (uint64_t)(a->n_value ? a->n_value : 1), at = 0;
	if (!array_make(out, DT_U8, 1, &size, f))
		return false;
	for (int i = 0; i < a->n_value; i++) {
		enum dtype t = a->value[i].type[0] ? dtype_parse(a->value[i].type) : DT_S32;
		unsigned n = dtype_bytes(t);
		at = (at + n - 1) / n * n;
		if (!put_value(r, &a->value[i], t, out->data + at, f))
			return false;
		at += n;
	}
	return true;
}

bool run_tiling(struct run *r, int arg, struct array *out, struct fail *f)
{
	const struct program *p = entry_program(r);
	int index = p->n_param > arg ? p->param[arg].struct_index : -1;
	if (index < 0 && p->n_param > arg && p->param[arg].pointer)
		index = p->tiling_index;
	return index >= 0 ? tiling_by_struct(r, arg, &p->structs[index], out, f) : tiling_in_order(r, arg, out, f);
}

static bool make_array(struct run *r, int i, struct fail *f)
{
	const struct launch_arg *a = &r->launch.arg[i];
	uint64_t dim[ARRAY_DIMS];
	if (a->kind == ARG_TILING)
		return true;
	if (!launch_shape(&r->launch, a, dim, f))
		return false;
	if (a->file[0] && (a->kind == ARG_IN || a->kind == ARG_INOUT))
		return array_read(a->file, a->dtype, a->n_dim, dim, &r->array[i], f);
	return array_make(&r->array[i], a->dtype, a->n_dim, dim, f) && launch_init(&r->launch, i, &r->array[i], f);
}

static bool put_scalar(struct run *r, int i, struct fail *f)
{
	const struct launch_arg *a = &r->launch.arg[i];
	struct launch_value v = { .line = a->line };
	uint8_t bytes[8] = { 0 };
	uint64_t word = 0;
	snprintf(v.name, sizeof v.name, "%s", a->name);
	snprintf(v.expr, sizeof v.expr, "%s", a->scalar);
	if (!put_value(r, &v, a->dtype, bytes, f))
		return false;
	for (int k = 7; k >= 0; k--)
		word = word << 8 | bytes[k];
	unsigned bits = 8 * dtype_bytes(a->dtype);
	bool is_signed = a->dtype == DT_S8 || a->dtype == DT_S16 || a->dtype == DT_S32;
	/* the calling convention extends small integers to 64 bits; floats are NaN-boxed by the scalar unit */
	if (is_signed && bits < 64)
		word = (uint64_t)((int64_t)(word << (64 - bits)) >> (64 - bits));
	if (a->dtype == DT_U32)
		word = (uint64_t)(int64_t)(int32_t)word;
	if (is_float_type(a->dtype) && bits < 64)
		word |= UINT64_MAX << bits;
	return sim_arg(&r->sim, word, is_float_type(a->dtype), f);
}

bool run_args(struct run *r, struct fail *f)
{
	if (!check_signature(r, f))
		return false;
	name_args(r);
	/* first of all: a size that its member cannot hold is told before arrays of that size are filled */
	for (int i = 0; i < r->launch.n_arg; i++)
		if (r->launch.arg[i].kind == ARG_TILING && !run_tiling(r, i, &r->array[i], f))
			return false;
	for (int i = 0; i < r->launch.n_arg; i++) {
		const struct launch_arg *a = &r->launch.arg[i];
		bool writable = a->kind == ARG_OUT || a->kind == ARG_INOUT || a->kind == ARG_WORKSPACE;
		if (a->kind == ARG_SCALAR) {
			if (!put_scalar(r, i, f))
				return false;
			continue;
		}
		if (!make_array(r, i, f))
			return false;
		r->region[i] = gm_add_arg(&r->sim.gm, a->name, r->array[i].bytes ? r->array[i].bytes : 1, writable, f);
		if (!r->region[i] || !sim_arg(&r->sim, r->region[i]->addr, false, f))
			return false;
		r->region[i]->bypass = a->bypass;
		r->region[i]->undefined =
			(a->kind == ARG_OUT || a->kind == ARG_WORKSPACE) && (a->init[0] == 0 || !r->launch.file[0]);
		memcpy(r->region[i]->host, r->array[i].data, r->array[i].bytes);
	}
	return true;
}

bool run_args_again(const struct run *r, struct sim *s, struct fail *f)
{
	for (int i = 0; i < r->launch.n_arg; i++) {
		const struct launch_arg *a = &r->launch.arg[i];
		bool writable = a->kind == ARG_OUT || a->kind == ARG_INOUT || a->kind == ARG_WORKSPACE;
		if (a->kind == ARG_SCALAR) {
			if (!sim_arg(s, r->sim.arg[i], r->sim.arg_float[i], f))
				return false;
			continue;
		}
		struct gm_region *g = gm_add_arg(&s->gm, a->name, r->array[i].bytes ? r->array[i].bytes : 1, writable, f);
		if (!g || !sim_arg(s, g->addr, false, f))
			return false;
		g->bypass = a->bypass;
		memcpy(g->host, r->array[i].data, r->array[i].bytes);
	}
	return true;
}
