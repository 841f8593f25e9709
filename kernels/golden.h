/*
 * golden.h - what a golden program needs: parameters, inputs, outputs. A golden program computes on the host what a
 * kernel should compute on the chip; it includes this header and defines
 *
 *	int golden(struct golden *g)
 *	{
 *		int64_t n = golden_param(g, "n");
 *		const float *x = golden_f32(g, "x");           // input x, converted once, whatever its type
 *		float *y = golden_new(n, sizeof(*y));
 *		for (int64_t i = 0; i < n; i++)
 *			y[i] = 2 * x[i];
 *		golden_put_f32(g, "y", y);                      // rounded once to the type of y
 *		return 0;                                       // anything else: the golden program failed
 *	}
 *
 * C11 and the host's compiler; no code of the simulator. A wrong name or type ends the program with a message.
 *
 * How far rounding may take an element from the exact value is often known better than any rtol and atol say: the error
 * of a sum grows with its length. golden_bound(g, "y", bound) hands over such a bound for each element; what the launch
 * file tolerates is added to it.
 *
 * The program is run as `program MANIFEST`. The manifest is text, one thing a line:
 *	param NAME INTEGER        scalar NAME NUMBER
 *	in NAME DTYPE NDIM D0 D1 .. FILE        out NAME DTYPE NDIM D0 D1 .. FILE
 * Files are raw, row-major, little-endian; a bound is doubles, its file that of its output with bound_ for out_.
 */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GOLDEN_NAMES = 256, GOLDEN_ARRAYS = 32, GOLDEN_DIMS = 8 };

struct golden_number { char name[48]; int64_t whole; double real; };
struct golden_array {
	char name[48], dtype[8], file[1024];
	bool out;
	int n_dim;
	int64_t dim[GOLDEN_DIMS], count;
	unsigned char *raw;
	float *f32;
	double *f64;
	int64_t *s64;
};
struct golden {
	int n_number, n_array;
	struct golden_number number[GOLDEN_NAMES];
	struct golden_array array[GOLDEN_ARRAYS];
};

int golden(struct golden *g);

static inline void golden_die(const char *what, const char *name)
{
	fprintf(stderr, "golden program: %s: %s\n", what, name);
	exit(1);
}

/* Zeroed memory for n elements. */
static inline void *golden_new(int64_t n, size_t size)
{
	void *p = calloc(n > 0 ? (size_t)n : 1, size);
	if (!p)
		golden_die("no memory", "golden_new");
	return p;
}

static inline struct golden_number *golden_number_of(struct golden *g, const char *name)
{
	for (int i = 0; i < g->n_number; i++)
		if (strcmp(g->number[i].name, name) == 0)
			return &g->number[i];
	golden_die("no parameter is called", name);
	return NULL;
}

/* A parameter of the launch. */
static inline int64_t golden_param(struct golden *g, const char *name)
{
	return golden_number_of(g, name)->whole;
}

/* A scalar argument (or a parameter) as a number. */
static inline double golden_scalar(struct golden *g, const char *name)
{
	return golden_number_of(g, name)->real;
}

static inline struct golden_array *golden_array_of(struct golden *g, const char *name, bool out)
{
	for (int i = 0; i < g->n_array; i++)
		if (g->array[i].out == out && strcmp(g->array[i].name, name) == 0)
			return &g->array[i];
	golden_die(out ? "no output is called" : "no input is called", name);
	return NULL;
}

/* The array of that name: input when there is one, else output. */
static inline struct golden_array *golden_any(struct golden *g, const char *name)
{
	for (int i = 0; i < g->n_array; i++)
		if (!g->array[i].out && strcmp(g->array[i].name, name) == 0)
			return &g->array[i];
	return golden_array_of(g, name, true);
}

static inline int64_t golden_count(struct golden *g, const char *name) { return golden_any(g, name)->count; }
static inline int golden_n_dim(struct golden *g, const char *name) { return golden_any(g, name)->n_dim; }
static inline int64_t golden_dim(struct golden *g, const char *name, int i)
{
	struct golden_array *a = golden_any(g, name);
	return i >= 0 && i < a->n_dim ? a->dim[i] : 1;
}
/* "f16", "s32" ... */
static inline const char *golden_dtype(struct golden *g, const char *name) { return golden_any(g, name)->dtype; }

static inline size_t golden_size(const char *dtype)
{
	if (strcmp(dtype, "bool") == 0)
		return 1;
	const char *digits = dtype + strcspn(dtype, "0123456789");
	return (size_t)atoi(digits) / 8;
}

static inline double golden_half_to_double(uint16_t h)
{
#ifdef __FLT16_MAX__
	_Float16 v;
	memcpy(&v, &h, sizeof(v));
	return (double)v;
#else
	int e = h >> 10 & 31, m = h & 1023;
	double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return h & 0x8000 ? -v : v;
#endif
}

/* Nearest even; overflow gives infinity. */
static inline uint16_t golden_double_to_half(double v)
{
	uint16_t h;
#ifdef __FLT16_MAX__
	_Float16 f = (_Float16)v;
	memcpy(&h, &f, sizeof(h));
#else
	double a = fabs(v);
	int e;
	if (isnan(v))
		return 0x7e00;
	if (a >= 65520)
		h = 0x7c00;
	else if (a < 0x1p-14) /* subnormal: whole multiples of 2^-24 */
		h = (uint16_t)nearbyint(ldexp(a, 24));
	else {
		double m = nearbyint(ldexp(frexp(a, &e), 11)); /* 1024 .. 2048 */
		h = (uint16_t)(((e + 13) << 10) + (int)m);
	}
	h |= signbit(v) ? 0x8000 : 0;
#endif
	return h;
}

static inline double golden_bf16_to_double(uint16_t h)
{
	uint32_t u = (uint32_t)h << 16;
	float v;
	memcpy(&v, &u, sizeof(v));
	return v;
}

static inline uint16_t golden_double_to_bf16(double v)
{
	int e;
	if (isnan(v))
		return 0x7fc0;
	if (v == 0 || isinf(v))
		return (uint16_t)((signbit(v) ? 0x8000 : 0) | (v == 0 ? 0 : 0x7f80));
	double m = frexp(fabs(v), &e); /* [0.5, 1) */
	int bits = e > -126 ? 8 : 8 - (-125 - e); /* fewer for subnormals */
	double rounded = bits < 0 ? 0 : ldexp(nearbyint(ldexp(m, bits)), e - bits);
	float f = (float)rounded; /* exact, or infinity */
	uint32_t u;
	memcpy(&u, &f, sizeof(u));
	return (uint16_t)(u >> 16 | (signbit(v) ? 0x8000 : 0));
}

static inline void golden_load(struct golden_array *a)
{
	size_t size = golden_size(a->dtype), n = (size_t)a->count;
	if (a->raw)
		return;
	a->raw = golden_new(a->count, size);
	FILE *in = fopen(a->file, "rb");
	if (!in || fread(a->raw, size, n, in) != n)
		golden_die("cannot read", a->file);
	fclose(in);
}

/* Bytes of an input as they are. */
static inline const void *golden_raw(struct golden *g, const char *name)
{
	struct golden_array *a = golden_array_of(g, name, false);
	golden_load(a);
	return a->raw;
}

/* One loop per type, so that the compiler sees simple ones. */
#define GOLDEN_EACH(type, expr)                                                                                        \
	do {                                                                                                           \
		for (int64_t i = 0; i < a->count; i++) {                                                               \
			type v;                                                                                        \
			memcpy(&v, a->raw + i * (int64_t)sizeof(v), sizeof(v));                                        \
			to[i] = (expr);                                                                                \
		}                                                                                                      \
		return;                                                                                                \
	} while (0)
#define GOLDEN_CONVERT(name, to_type)                                                                                  \
	static inline void name(const struct golden_array *a, to_type *to)                                             \
	{                                                                                                              \
		const char *t = a->dtype;                                                                              \
		if (strcmp(t, "f16") == 0) GOLDEN_EACH(uint16_t, (to_type)golden_half_to_double(v));                   \
		if (strcmp(t, "bf16") == 0) GOLDEN_EACH(uint16_t, (to_type)golden_bf16_to_double(v));                  \
		if (strcmp(t, "f32") == 0) GOLDEN_EACH(float, (to_type)v);                                             \
		if (strcmp(t, "f64") == 0) GOLDEN_EACH(double, (to_type)v);                                            \
		if (strcmp(t, "s8") == 0) GOLDEN_EACH(int8_t, (to_type)v);                                             \
		if (strcmp(t, "u8") == 0 || strcmp(t, "bool") == 0) GOLDEN_EACH(uint8_t, (to_type)v);                  \
		if (strcmp(t, "s16") == 0) GOLDEN_EACH(int16_t, (to_type)v);                                           \
		if (strcmp(t, "u16") == 0) GOLDEN_EACH(uint16_t, (to_type)v);                                          \
		if (strcmp(t, "s32") == 0) GOLDEN_EACH(int32_t, (to_type)v);                                           \
		if (strcmp(t, "u32") == 0) GOLDEN_EACH(uint32_t, (to_type)v);                                          \
		if (strcmp(t, "s64") == 0) GOLDEN_EACH(int64_t, (to_type)v);                                           \
		if (strcmp(t, "u64") == 0) GOLDEN_EACH(uint64_t, (to_type)v);                                          \
		golden_die("element type not known", t);                                                               \
	}
GOLDEN_CONVERT(golden_to_f32, float)
GOLDEN_CONVERT(golden_to_f64, double)
GOLDEN_CONVERT(golden_to_s64, int64_t)

/* An input as float, double, 64-bit integers. Converted at the first call, then kept. */
static inline const float *golden_f32(struct golden *g, const char *name)
{
	struct golden_array *a = golden_array_of(g, name, false);
	golden_load(a);
	if (!a->f32) {
		a->f32 = golden_new(a->count, sizeof(float));
		golden_to_f32(a, a->f32);
	}
	return a->f32;
}

static inline const double *golden_f64(struct golden *g, const char *name)
{
	struct golden_array *a = golden_array_of(g, name, false);
	golden_load(a);
	if (!a->f64) {
		a->f64 = golden_new(a->count, sizeof(double));
		golden_to_f64(a, a->f64);
	}
	return a->f64;
}

static inline const int64_t *golden_s64(struct golden *g, const char *name)
{
	struct golden_array *a = golden_array_of(g, name, false);
	golden_load(a);
	if (!a->s64) {
		a->s64 = golden_new(a->count, sizeof(int64_t));
		golden_to_s64(a, a->s64);
	}
	return a->s64;
}

static inline void golden_write(struct golden_array *a, const void *bytes)
{
	size_t size = golden_size(a->dtype), n = (size_t)a->count;
	FILE *out = fopen(a->file, "wb");
	if (!out || fwrite(bytes, size, n, out) != n || fclose(out) != 0)
		golden_die("cannot write", a->file);
}

/* Bytes of an output as they are. */
static inline void golden_put_raw(struct golden *g, const char *name, const void *bytes)
{
	golden_write(golden_array_of(g, name, true), bytes);
}

/* u, the unit roundoff of fp32, fp16 and bf16: half of the distance from 1 to the next number. */
#define GOLDEN_U_F32 0x1p-24
#define GOLDEN_U_F16 0x1p-11
#define GOLDEN_U_BF16 0x1p-8

/*
 * Rounding errors of a long sum are not all of one sign. Each addition's is at most u times the partial sum that it makes
 * and their mean is zero, so a bound on the sum of n of them that fails with probability 2 exp(-lambda^2 / 2) is
 * lambda * u * sqrt(sum of squares of the partial sums) (Hallman, Ipsen: Precision-aware deterministic and probabilistic
 * error bounds for floating point summation, 2023; Higham, Mary: A new approach to probabilistic rounding error
 * analysis, 2019). lambda = 6.5: once in 10^9 elements. The exact bound would take n u times the sum of magnitudes.
 */
static inline double golden_sum_bound(double squares, double u) { return 6.5 * u * sqrt(squares); }

/* How far each element of an output may be off by rounding, besides the launch file's tolerance. */
static inline void golden_bound(struct golden *g, const char *name, const double *bound)
{
	struct golden_array *a = golden_array_of(g, name, true);
	char path[sizeof(a->file) + 8], *slash = strrchr(a->file, '/');

	if (!slash || strncmp(slash, "/out_", 5) != 0)
		golden_die("not the file of an output", a->file);
	snprintf(path, sizeof(path), "%.*s/bound_%s", (int)(slash - a->file), a->file, slash + 5);
	FILE *out = fopen(path, "wb");
	if (!out || fwrite(bound, sizeof(*bound), (size_t)a->count, out) != (size_t)a->count || fclose(out) != 0)
		golden_die("cannot write", path);
}

/* An integer within the range of an integer type; whole numbers only reach this. */
static inline int64_t golden_clamp(double v, double low, double high)
{
	if (isnan(v))
		return 0;
	v = nearbyint(v);
	return v <= low ? (int64_t)low : v >= high ? (int64_t)high : (int64_t)v;
}

#define GOLDEN_STORE(type, expr)                                                                                       \
	do {                                                                                                           \
		type *to = golden_new(a->count, sizeof(type));                                                         \
		for (int64_t i = 0; i < a->count; i++)                                                                 \
			to[i] = (type)(expr);                                                                          \
		golden_write(a, to);                                                                                   \
		free(to);                                                                                              \
		return;                                                                                                \
	} while (0)
#define GOLDEN_PUT(name, from_type)                                                                                    \
	static inline void name(struct golden *g, const char *array, const from_type *v)                               \
	{                                                                                                              \
		struct golden_array *a = golden_array_of(g, array, true);                                              \
		const char *t = a->dtype;                                                                              \
		if (strcmp(t, "f16") == 0) GOLDEN_STORE(uint16_t, golden_double_to_half((double)v[i]));                \
		if (strcmp(t, "bf16") == 0) GOLDEN_STORE(uint16_t, golden_double_to_bf16((double)v[i]));               \
		if (strcmp(t, "f32") == 0) GOLDEN_STORE(float, v[i]);                                                  \
		if (strcmp(t, "f64") == 0) GOLDEN_STORE(double, v[i]);                                                 \
		if (strcmp(t, "bool") == 0) GOLDEN_STORE(uint8_t, v[i] != 0);                                          \
		if (strcmp(t, "s8") == 0) GOLDEN_STORE(int8_t, golden_clamp((double)v[i], -128, 127));                 \
		if (strcmp(t, "u8") == 0) GOLDEN_STORE(uint8_t, golden_clamp((double)v[i], 0, 255));                   \
		if (strcmp(t, "s16") == 0) GOLDEN_STORE(int16_t, golden_clamp((double)v[i], -32768, 32767));           \
		if (strcmp(t, "u16") == 0) GOLDEN_STORE(uint16_t, golden_clamp((double)v[i], 0, 65535));               \
		if (strcmp(t, "s32") == 0) GOLDEN_STORE(int32_t, golden_clamp((double)v[i], -0x1p31, 0x1p31 - 1));     \
		if (strcmp(t, "u32") == 0) GOLDEN_STORE(uint32_t, golden_clamp((double)v[i], 0, 0x1p32 - 1));          \
		if (strcmp(t, "s64") == 0) GOLDEN_STORE(int64_t, (int64_t)v[i]);                                       \
		if (strcmp(t, "u64") == 0) GOLDEN_STORE(uint64_t, (uint64_t)v[i]);                                     \
		golden_die("element type not known", t);                                                               \
	}
/* Write an output from float, double or 64-bit integers: nearest even to the output's type, integers saturate. */
GOLDEN_PUT(golden_put_f32, float)
GOLDEN_PUT(golden_put_f64, double)
GOLDEN_PUT(golden_put_s64, int64_t)

static inline void golden_read_array(struct golden *g, FILE *in, bool out)
{
	if (g->n_array == GOLDEN_ARRAYS)
		golden_die("too many arrays", "manifest");
	struct golden_array *a = &g->array[g->n_array++];
	a->out = out;
	a->count = 1;
	if (fscanf(in, "%47s %7s %d", a->name, a->dtype, &a->n_dim) != 3 || a->n_dim < 0 || a->n_dim > GOLDEN_DIMS)
		golden_die("damaged line", a->name);
	for (int i = 0; i < a->n_dim; i++) {
		long long d;
		if (fscanf(in, "%lld", &d) != 1 || d < 0)
			golden_die("damaged shape", a->name);
		a->dim[i] = d;
		a->count *= d;
	}
	if (fscanf(in, " %1023[^\n]", a->file) != 1)
		golden_die("no file", a->name);
}

static inline void golden_read(struct golden *g, const char *manifest)
{
	char word[16], value[64];
	FILE *in = fopen(manifest, "r");
	if (!in)
		golden_die("cannot read", manifest);
	while (fscanf(in, "%15s", word) == 1) {
		bool whole = strcmp(word, "param") == 0;
		if (whole || strcmp(word, "scalar") == 0) {
			if (g->n_number == GOLDEN_NAMES)
				golden_die("too many parameters", "manifest");
			struct golden_number *n = &g->number[g->n_number++];
			if (fscanf(in, "%47s %63s", n->name, value) != 2)
				golden_die("damaged line", word);
			n->real = strtod(value, NULL);
			n->whole = whole ? strtoll(value, NULL, 10) : (int64_t)n->real;
		} else if (strcmp(word, "in") == 0 || strcmp(word, "out") == 0)
			golden_read_array(g, in, word[0] == 'o');
		else
			golden_die("unknown line", word);
	}
	fclose(in);
}

#ifndef GOLDEN_NO_MAIN
int main(int argc, char **argv)
{
	static struct golden g;
	if (argc != 2)
		golden_die("usage", "program MANIFEST");
	golden_read(&g, argv[1]);
	return golden(&g);
}
#endif

#endif
