/*
 * dtype.c - element types of arrays: names, sizes, elements as doubles, and the arrays themselves in memory.
 */
#include "npy.h"
#include "num.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *others[5];
	unsigned bytes;
	bool is_int, is_signed;
} types[DT_COUNT] = {
	[DT_NONE] = { "none", { 0 }, 0, false, false },
	[DT_F16] = { "f16", { "float16", "half", "fp16", "f2" }, 2, false, true },
	[DT_BF16] = { "bf16", { "bfloat16", "bfloat16_t" }, 2, false, true },
	[DT_F32] = { "f32", { "float32", "float", "fp32", "f4" }, 4, false, true },
	[DT_F64] = { "f64", { "float64", "double", "fp64", "f8" }, 8, false, true },
	[DT_S8] = { "s8", { "int8", "i8", "int8_t", "i1" }, 1, true, true },
	[DT_U8] = { "u8", { "uint8", "uint8_t", "u1" }, 1, true, false },
	[DT_S16] = { "s16", { "int16", "i16", "int16_t", "i2" }, 2, true, true },
	[DT_U16] = { "u16", { "uint16", "uint16_t", "u2" }, 2, true, false },
	[DT_S32] = { "s32", { "int32", "i32", "int32_t", "i4" }, 4, true, true },
	[DT_U32] = { "u32", { "uint32", "uint32_t", "u4" }, 4, true, false },
	[DT_S64] = { "s64", { "int64", "i64", "int64_t" }, 8, true, true },
	[DT_U64] = { "u64", { "uint64", "uint64_t" }, 8, true, false },
	[DT_BOOL] = { "bool", { "b1" }, 1, true, false },
};

enum dtype dtype_parse(const char *name)
{
	/* numpy writes the byte order in front; eight-byte integers are named apart since "i8" and "u8" are taken */
	bool numpy = name[0] == '<' || name[0] == '|' || name[0] == '=';
	if (numpy && strcmp(name + 1, "i8") == 0)
		return DT_S64;
	if (numpy && strcmp(name + 1, "u8") == 0)
		return DT_U64;
	if (numpy)
		name++;
	for (int t = 1; t < DT_COUNT; t++) {
		if (strcmp(name, types[t].name) == 0)
			return (enum dtype)t;
		for (int i = 0; i < 5 && types[t].others[i]; i++)
			if (strcmp(name, types[t].others[i]) == 0)
				return (enum dtype)t;
	}
	return DT_NONE;
}

const char *dtype_name(enum dtype t)
{
	return types[t].name;
}

unsigned dtype_bytes(enum dtype t)
{
	return types[t].bytes;
}

bool dtype_is_int(enum dtype t)
{
	return types[t].is_int;
}

int64_t dtype_get_int(enum dtype t, const uint8_t *data, uint64_t i)
{
	unsigned n = types[t].bytes;
	uint64_t u = 0;
	for (unsigned b = 0; b < n; b++)
		u |= (uint64_t)data[i * n + b] << (8 * b);
	if (types[t].is_signed && n < 8 && u >> (8 * n - 1))
		u |= ~UINT64_C(0) << (8 * n);
	return (int64_t)u;
}

static void put_int(enum dtype t, uint8_t *data, uint64_t i, uint64_t u)
{
	unsigned n = types[t].bytes;
	for (unsigned b = 0; b < n; b++)
		data[i * n + b] = (uint8_t)(u >> (8 * b));
}

double dtype_get(enum dtype t, const uint8_t *data, uint64_t i)
{
	uint64_t u = (uint64_t)dtype_get_int(t, data, i);
	switch (t) {
	case DT_F16: return num_from_f16((uint16_t)u);
	case DT_BF16: return num_from_bf16((uint16_t)u);
	case DT_F32: return num_float((uint32_t)u);
	case DT_F64: return num_double(u);
	case DT_U64: return (double)u;
	case DT_BOOL: return u != 0;
	default: return (double)(int64_t)u;
	}
}

/* One rounding from double to bf16: through a float rounded to odd, which keeps what the second step must know. */
static uint16_t bf16_from_double(double v)
{
	float near = (float)v;
	uint32_t bits = num_bits(near);
	if (v == v && (double)near != v && !(bits & 1))
		bits += ((double)near < v) == (near > 0 || (near == 0 && v > 0)) ? 1 : UINT32_MAX;
	return num_to_bf16(num_float(bits), NUM_RINT, true);
}

static uint64_t nearest_int(enum dtype t, double v)
{
	unsigned bits = 8 * types[t].bytes;
	double limit = (double)(UINT64_C(1) << (bits - 1)) * (types[t].is_signed ? 1 : 2); /* first value too large */
	double low = types[t].is_signed ? -limit : 0;
	if (v != v)
		return 0;
	if (v >= limit)
		return ~UINT64_C(0) >> (64 - bits + types[t].is_signed);
	if (v <= low)
		return types[t].is_signed ? ~UINT64_C(0) << (bits - 1) : 0;
	/* nearest even by the fraction that truncation leaves */
	bool minus = v < 0;
	double a = minus ? -v : v;
	uint64_t u = (uint64_t)a;
	double rest = a - (double)u;
	if (rest > 0.5 || (rest == 0.5 && (u & 1)))
		u++;
	if (!minus && bits < 64 && u >> (bits - types[t].is_signed))
		u--;
	return minus ? 0 - u : u;
}

void dtype_set(enum dtype t, uint8_t *data, uint64_t i, double v)
{
	switch (t) {
	case DT_F16: put_int(t, data, i, num_f16_from_double(v)); break;
	case DT_BF16: put_int(t, data, i, bf16_from_double(v)); break;
	case DT_F32: put_int(t, data, i, num_bits((float)v)); break;
	case DT_F64: put_int(t, data, i, num_bits64(v)); break;
	case DT_BOOL: put_int(t, data, i, v != 0); break;
	default: put_int(t, data, i, nearest_int(t, v));
	}
}

bool array_size(enum dtype t, int n_dim, const uint64_t *dim, uint64_t *count, uint64_t *bytes)
{
	uint64_t n = 1;
	if (t <= DT_NONE || t >= DT_COUNT || n_dim < 0 || n_dim > ARRAY_DIMS)
		return false;
	for (int i = 0; i < n_dim; i++)
		if (__builtin_mul_overflow(n, dim[i], &n))
			return false;
	*count = n;
	return !__builtin_mul_overflow(n, (uint64_t)types[t].bytes, bytes) && *bytes <= ARRAY_MAX_BYTES;
}

bool array_make(struct array *a, enum dtype t, int n_dim, const uint64_t *dim, struct fail *f)
{
	memset(a, 0, sizeof(*a));
	if (t <= DT_NONE || t >= DT_COUNT)
		return fail_set(f, FAIL_USER, "an array needs an element type");
	if (n_dim < 0 || n_dim > ARRAY_DIMS)
		return fail_set(f, FAIL_USER, "an array has at most %d dimensions, not %d", ARRAY_DIMS, n_dim);
	if (!array_size(t, n_dim, dim, &a->count, &a->bytes))
		return fail_set(f, FAIL_USER, "an array of this shape is larger than %d GiB",
				(int)(ARRAY_MAX_BYTES >> 30));
	a->dtype = t;
	a->n_dim = n_dim;
	for (int i = 0; i < n_dim; i++)
		a->dim[i] = dim[i];
	a->data = calloc(1, a->bytes ? a->bytes : 1);
	if (!a->data)
		return fail_set(f, FAIL_USER, "no memory for an array of %llu bytes", (unsigned long long)a->bytes);
	return true;
}

void array_free(struct array *a)
{
	free(a->data);
	free(a->bound);
	memset(a, 0, sizeof(*a));
}
