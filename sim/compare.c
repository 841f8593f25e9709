/*
 * compare.c - results against expectations: numpy's isclose rule, with a fraction of elements that may miss.
 *
 * Presets follow the common rule of Ascend samples ("double thousandth": relative, absolute and fraction alike).
 */
#include "npy.h"

#include <string.h>

struct tolerance tolerance_preset(enum dtype t)
{
	double v = 0;
	if (t == DT_F16)
		v = 1e-3;
	else if (t == DT_F32 || t == DT_F64)
		v = 1e-4;
	else if (t == DT_BF16)
		v = 4e-3;
	return (struct tolerance){ v, v, v };
}

bool tolerance_parse(const char *name, struct tolerance *t)
{
	enum dtype type = dtype_parse(name);
	if (strcmp(name, "exact") == 0)
		*t = (struct tolerance){ 0, 0, 0 };
	else if (type != DT_NONE)
		*t = tolerance_preset(type);
	else
		return false;
	return true;
}

struct pair { double got, expected, difference; };

static double absolute(double v)
{
	return v < 0 ? -v : v;
}

/* Difference of two integers, exact where a double can hold it. */
static double int_difference(enum dtype t, int64_t a, int64_t b)
{
	bool less = t == DT_U64 ? (uint64_t)a < (uint64_t)b : a < b;
	return (double)(less ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b);
}

static struct pair load(const struct array *got, const struct array *expected, uint64_t i)
{
	struct pair p = { dtype_get(got->dtype, got->data, i), dtype_get(expected->dtype, expected->data, i), 0 };
	if (dtype_is_int(got->dtype))
		p.difference = int_difference(got->dtype, dtype_get_int(got->dtype, got->data, i),
					      dtype_get_int(expected->dtype, expected->data, i));
	else if (p.got == p.expected || (p.got != p.got && p.expected != p.expected))
		p.difference = 0; /* infinities of one sign and NaNs are equal */
	else
		p.difference = absolute(p.got - p.expected);
	return p;
}

static void note(struct compare *c, const struct pair *p, uint64_t i)
{
	/* NaN against a number: larger than every other difference */
	double d = p->difference == p->difference ? p->difference : 1.0 / 0.0;
	if (d > c->max_abs) {
		c->max_abs = d;
		c->max_abs_index = i;
	}
	if (p->expected != 0 && p->expected == p->expected && p->expected - p->expected == 0) {
		double rel = d / absolute(p->expected);
		if (rel > c->max_rel)
			c->max_rel = rel;
	}
}

bool array_compare(const struct array *got, const struct array *expected, struct tolerance t, struct compare *c,
		   struct fail *f)
{
	memset(c, 0, sizeof(*c));
	if (got->dtype != expected->dtype)
		return fail_set(f, FAIL_USER, "the result is %s, the expected values are %s", dtype_name(got->dtype),
				dtype_name(expected->dtype));
	if (got->count != expected->count)
		return fail_set(f, FAIL_USER, "the result has %llu elements, %llu are expected",
				(unsigned long long)got->count, (unsigned long long)expected->count);
	c->count = got->count;
	c->bound = expected->bound != NULL;
	for (uint64_t i = 0; i < got->count; i++) {
		struct pair p = load(got, expected, i);
		if (p.difference == 0)
			continue;
		note(c, &p, i);
		/* an infinite expectation allows no difference: inf * rtol would allow all */
		bool finite = p.expected - p.expected == 0;
		double allowed = finite ? t.atol + t.rtol * absolute(p.expected) + (c->bound ? expected->bound[i] : 0) : 0;
		if (p.difference <= allowed) {
			if (p.difference > c->worst * allowed)
				c->worst = p.difference / allowed;
			continue;
		}
		if (c->n_first < 8)
			c->first[c->n_first++] = (struct mismatch){ i, p.expected, p.got };
		c->wrong++;
	}
	c->pass = (double)c->wrong <= t.fraction * (double)c->count;
	return true;
}
