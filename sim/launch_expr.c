/*
 * launch_expr.c - integer expressions of launch files: + - * / % ( ) min max ceil_div align, comparisons and c ? a : b,
 * over parameters. Both sides of a choice are computed.
 *
 * A recursive descent with a bounded depth. Every overflow is an error: sizes are made from these numbers.
 */
#include "launch_parts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH = 32 };

struct expr {
	const struct launch *l;
	const char *text, *p;
	int n_param; /* the first of them may be named */
	int depth;
	struct fail *f;
};

static bool wrong(struct expr *e, const char *why)
{
	return fail_set(e->f, FAIL_USER, "expression \"%.100s\": %s", e->text, why);
}

static bool choice(struct expr *e, int64_t *v);

static char peek(struct expr *e)
{
	while (*e->p == ' ' || *e->p == '\t')
		e->p++;
	return *e->p;
}

static bool expect(struct expr *e, char c)
{
	char why[40];
	if (peek(e) != c) {
		snprintf(why, sizeof(why), "expected '%c'", c);
		return wrong(e, why);
	}
	e->p++;
	return true;
}

static bool number(struct expr *e, int64_t *v)
{
	int base = 10;
	*v = 0;
	if (e->p[0] == '0' && (e->p[1] == 'x' || e->p[1] == 'X') && isxdigit((unsigned char)e->p[2])) {
		base = 16;
		e->p += 2;
	}
	for (; base == 16 ? isxdigit((unsigned char)*e->p) : isdigit((unsigned char)*e->p); e->p++) {
		int c = tolower((unsigned char)*e->p), digit = c >= 'a' ? c - 'a' + 10 : c - '0';
		if (__builtin_mul_overflow(*v, (int64_t)base, v) || __builtin_add_overflow(*v, (int64_t)digit, v))
			return wrong(e, "number too large");
	}
	if (isalnum((unsigned char)*e->p) || *e->p == '_' || *e->p == '.')
		return wrong(e, "not a whole number");
	return true;
}

/* Quotient rounded up; b > 0. */
static int64_t ceil_quotient(int64_t a, int64_t b)
{
	return a / b + (a % b > 0);
}

static bool apply(struct expr *e, const char *name, int64_t a, int64_t b, int64_t *v)
{
	if (strcmp(name, "min") == 0)
		*v = a < b ? a : b;
	else if (strcmp(name, "max") == 0)
		*v = a > b ? a : b;
	else if (b <= 0)
		return wrong(e, "ceil_div and align need a positive second argument");
	else if (strcmp(name, "ceil_div") == 0)
		*v = ceil_quotient(a, b);
	else if (__builtin_mul_overflow(ceil_quotient(a, b), b, v))
		return wrong(e, "overflow");
	return true;
}

static bool call(struct expr *e, const char *name, int64_t *v)
{
	static const char *const functions[] = { "min", "max", "ceil_div", "align" };
	int64_t a, b;
	bool known = false;
	for (int i = 0; i < 4; i++)
		known = known || strcmp(name, functions[i]) == 0;
	if (!known) {
		fail_set(e->f, FAIL_USER, "expression \"%.100s\": no function %s", e->text, name);
		return cfg_suggest(e->f, name, functions, 4);
	}
	return expect(e, '(') && choice(e, &a) && expect(e, ',') && choice(e, &b) && expect(e, ')') &&
	       apply(e, name, a, b, v);
}

static bool param(struct expr *e, const char *name, int64_t *v)
{
	const char *names[LAUNCH_PARAMS];
	for (int i = 0; i < e->n_param; i++) {
		names[i] = e->l->param[i].name;
		if (strcmp(names[i], name) == 0) {
			*v = e->l->param[i].value;
			return true;
		}
	}
	fail_set(e->f, FAIL_USER, "expression \"%.100s\": no parameter %s", e->text, name);
	return cfg_suggest(e->f, name, names, e->n_param);
}

static bool word(struct expr *e, int64_t *v)
{
	char name[48];
	size_t n = 0;
	for (; isalnum((unsigned char)*e->p) || *e->p == '_'; e->p++)
		if (n < sizeof(name) - 1)
			name[n++] = *e->p;
	name[n] = 0;
	return peek(e) == '(' ? call(e, name, v) : param(e, name, v);
}

static bool factor(struct expr *e, int64_t *v)
{
	char c = peek(e);
	bool ok;
	if (++e->depth > DEPTH)
		return wrong(e, "nested too deeply");
	if (c == '(') {
		e->p++;
		ok = choice(e, v) && expect(e, ')');
	} else if (c == '-') {
		e->p++;
		ok = factor(e, v) && (!__builtin_sub_overflow(INT64_C(0), *v, v) || wrong(e, "overflow"));
	} else if (isdigit((unsigned char)c))
		ok = number(e, v);
	else if (isalpha((unsigned char)c) || c == '_')
		ok = word(e, v);
	else
		ok = wrong(e, c ? "expected a number, a parameter or '('" : "it ends too early");
	e->depth--;
	return ok;
}

static bool multiply(struct expr *e, int64_t *v)
{
	int64_t b;
	if (!factor(e, v))
		return false;
	for (char c = peek(e); c == '*' || c == '/' || c == '%'; c = peek(e)) {
		e->p++;
		if (!factor(e, &b))
			return false;
		if (c == '*' && __builtin_mul_overflow(*v, b, v))
			return wrong(e, "overflow");
		if (c != '*' && b == 0)
			return wrong(e, "division by zero");
		if (c != '*' && b == -1) /* the one quotient that can overflow */
			*v = c == '%' ? 0 : *v;
		if (c == '/' && b == -1 && __builtin_sub_overflow(INT64_C(0), *v, v))
			return wrong(e, "overflow");
		if (c == '/' && b != -1)
			*v /= b;
		if (c == '%' && b != -1)
			*v %= b;
	}
	return true;
}

static bool add(struct expr *e, int64_t *v)
{
	int64_t b;
	if (!multiply(e, v))
		return false;
	for (char c = peek(e); c == '+' || c == '-'; c = peek(e)) {
		e->p++;
		if (!multiply(e, &b))
			return false;
		if (c == '+' ? __builtin_add_overflow(*v, b, v) : __builtin_sub_overflow(*v, b, v))
			return wrong(e, "overflow");
	}
	return true;
}

/* The comparison that stands here, and how long it is; "" none. */
static const char *comparison(struct expr *e)
{
	static const char *const all[] = { "<=", ">=", "==", "!=", "<", ">" };

	peek(e);
	for (int i = 0; i < 6; i++)
		if (strncmp(e->p, all[i], strlen(all[i])) == 0)
			return all[i];
	return "";
}

static bool compare(struct expr *e, int64_t *v)
{
	int64_t b;
	if (!add(e, v))
		return false;
	const char *op = comparison(e);
	if (!op[0])
		return true;
	e->p += strlen(op);
	if (!add(e, &b))
		return false;
	bool same = *v == b, less = *v < b, strict = !op[1];
	switch (op[0]) {
	case '<': *v = less || (same && !strict); break;
	case '>': *v = !less && (!same || !strict); break;
	case '=': *v = same; break;
	default: *v = !same; break;
	}
	return true;
}

static bool choice(struct expr *e, int64_t *v)
{
	int64_t yes, no;
	bool ok;
	if (!compare(e, v))
		return false;
	if (peek(e) != '?')
		return true;
	if (++e->depth > DEPTH)
		return wrong(e, "nested too deeply");
	e->p++;
	ok = choice(e, &yes) && expect(e, ':') && choice(e, &no);
	e->depth--;
	if (ok)
		*v = *v ? yes : no;
	return ok;
}

static bool eval(const struct launch *l, int n_param, const char *text, int64_t *value, struct fail *f)
{
	struct expr e = { l, text, text, n_param, 0, f };
	if (!choice(&e, value))
		return false;
	if (peek(&e) != 0)
		return wrong(&e, "something is left over behind it");
	return true;
}

bool launch_eval(const struct launch *l, const char *text, int64_t *value, struct fail *f)
{
	return eval(l, l->n_param, text, value, f);
}

bool launch_follow(struct launch *l, struct fail *f)
{
	for (int i = 0; i < l->n_param; i++)
		if (l->param[i].expr[0] && !eval(l, i, l->param[i].expr, &l->param[i].value, f))
			return false;
	return true;
}

bool launch_shape(const struct launch *l, const struct launch_arg *a, uint64_t dim[ARRAY_DIMS], struct fail *f)
{
	for (int i = 0; i < a->n_dim; i++) {
		int64_t v;
		struct fail inner = { 0 };
		if (!launch_eval(l, a->dim_expr[i], &v, &inner)) {
			fail_file(f, inner.class, l->file, a->line, "argument %s, dimension %d: %s", a->name, i,
				  inner.what);
			return inner.hint[0] ? fail_hint(f, "%s", inner.hint) : false;
		}
		if (v < 0)
			return fail_file(f, FAIL_USER, l->file, a->line,
					 "argument %s, dimension %d: \"%s\" is %" PRId64 ", a size is not negative",
					 a->name, i, a->dim_expr[i], v);
		dim[i] = (uint64_t)v;
	}
	return true;
}
