/*
 * launch_init.c - initial values of arguments: the same bytes on every host.
 *
 * Random values come from splitmix64 used as a counter: element i of argument k depends on the seed, k and i alone.
 * uniform: 53 bits of one draw. normal: the sum of twelve uniforms of 16 bits less 6, so |value - mean| <= 6 std.
 * Integer types take whole numbers: uniform(lo, hi) includes both ends.
 */
#include "launch_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *name; int n_min, n_max; const char *usage; } generators[] = {
	{ "zeros", 0, 0, "zeros" },           { "ones", 0, 0, "ones" },
	{ "arange", 0, 2, "arange(start, step)" }, { "const", 1, 1, "const(value)" },
	{ "uniform", 2, 2, "uniform(low, high)" }, { "normal", 2, 2, "normal(mean, std)" },
};
enum { ZEROS, ONES, ARANGE, CONST, UNIFORM, NORMAL, GENERATORS };

struct init { int which; int n; double v[2]; };

bool launch_number(const char *text, double *v)
{
	char *end;
	if (!isdigit((unsigned char)text[0]) && !strchr("+-.in", text[0]))
		return false;
	if (text[0] == 0)
		return false;
	*v = strtod(text, &end);
	return end != text && *end == 0;
}

static const char *skip(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* "(1, -2.5)" behind the name */
static bool parse_numbers(const char *p, struct init *init)
{
	p = skip(p);
	if (*p == 0)
		return true;
	if (*p++ != '(')
		return false;
	for (;;) {
		char word[40];
		p = skip(p);
		size_t n = strcspn(p, ",) \t");
		if (n == 0 || n >= sizeof(word) || init->n == 2)
			return false;
		memcpy(word, p, n);
		word[n] = 0;
		if (!launch_number(word, &init->v[init->n++]))
			return false;
		p = skip(p + n);
		if (*p == ')')
			return *skip(p + 1) == 0;
		if (*p++ != ',')
			return false;
	}
}

static bool parse_init(const char *text, struct init *init, struct fail *f)
{
	const char *names[GENERATORS];
	char word[32];
	size_t n = strcspn(skip(text), "( \t");
	snprintf(word, sizeof(word), "%.*s", (int)(n < sizeof(word) ? n : sizeof(word) - 1), skip(text));
	*init = (struct init){ -1, 0, { 0, 0 } };
	for (int i = 0; i < GENERATORS; i++) {
		names[i] = generators[i].name;
		if (strcmp(word, names[i]) == 0)
			init->which = i;
	}
	if (init->which < 0) {
		fail_set(f, FAIL_USER, "init \"%s\": no generator \"%s\"", text, word);
		return cfg_suggest(f, word, names, GENERATORS);
	}
	if (!parse_numbers(skip(text) + n, init) || init->n < generators[init->which].n_min ||
	    init->n > generators[init->which].n_max)
		return fail_set(f, FAIL_USER, "init \"%s\": expected %s", text, generators[init->which].usage);
	if (init->which == UNIFORM && !(init->v[0] <= init->v[1]))
		return fail_set(f, FAIL_USER, "init \"%s\": low is above high", text);
	if (init->which == NORMAL && !(init->v[1] >= 0))
		return fail_set(f, FAIL_USER, "init \"%s\": std is negative", text);
	return true;
}

bool launch_check_init(const char *text, struct fail *f)
{
	struct init init;
	return parse_init(text, &init, f);
}

static uint64_t mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Draw number i of a stream. */
static uint64_t draw(uint64_t stream, uint64_t i)
{
	return mix(stream + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

static double unit(uint64_t bits)
{
	return (double)(bits >> 11) * 0x1p-53; /* [0, 1) */
}

static double uniform(const struct init *init, bool whole, uint64_t bits)
{
	double u = unit(bits);
	if (!whole)
		return init->v[0] + (init->v[1] - init->v[0]) * u;
	return init->v[0] + (double)(int64_t)(u * (init->v[1] - init->v[0] + 1));
}

static double normal(const struct init *init, uint64_t stream, uint64_t i)
{
	uint64_t sum = 0;
	for (uint64_t k = 0; k < 3; k++) {
		uint64_t bits = draw(stream, i * 3 + k);
		sum += (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
	}
	/* the mean of a 16-bit draw is 32767.5 */
	return init->v[0] + init->v[1] * (((double)sum - 12 * 32767.5) * 0x1p-16);
}

bool launch_init(const struct launch *l, int arg, struct array *a, struct fail *f)
{
	struct init init;
	const char *text = l->arg[arg].init[0] ? l->arg[arg].init : "zeros";
	bool whole = dtype_is_int(a->dtype);
	uint64_t stream = mix(mix(l->seed + UINT64_C(0x9e3779b97f4a7c15)) + (uint64_t)arg);
	if (!parse_init(text, &init, f))
		return false;
	if (whole && init.which == UNIFORM && init.v[1] - init.v[0] >= 0x1p53)
		return fail_set(f, FAIL_USER, "init \"%s\": the range is too wide for whole numbers", text);
	for (uint64_t i = 0; i < a->count; i++) {
		double v = 0;
		switch (init.which) {
		case ONES: v = 1; break;
		case ARANGE: v = (init.n > 0 ? init.v[0] : 0) + (double)i * (init.n > 1 ? init.v[1] : 1); break;
		case CONST: v = init.v[0]; break;
		case UNIFORM: v = uniform(&init, whole, draw(stream, i)); break;
		case NORMAL: v = normal(&init, stream, i); break;
		default: break;
		}
		dtype_set(a->dtype, a->data, i, v);
	}
	return true;
}
