/*
 * num.h - numbers: fp16, bf16, fp32, hf32, int4, rounding, saturation, and the elementary functions. One place, the
 * same bits on every host.
 *
 * Policy, stated once:
 * - fp32 arithmetic is IEEE binary32, round to nearest even, subnormals kept, one rounding per operation: the host's
 *   + - * / sqrt on float, compiled with -ffp-contract=off. No libm.
 * - fp16 and bf16 arithmetic: computed in fp32, rounded once to the type (for + - * / sqrt of fp16 this is correctly
 *   rounded, since 24 >= 2*11 + 2).
 * - A NaN result is the quiet NaN 0x7fc00000 / 0x7e00 / 0x7fc0: payloads and signs do not survive arithmetic.
 * - Conversions to narrower floats: `keep` (CTRL[48] = 1) gives inf and NaN, overflow to inf or the largest number as
 *   the rounding direction says (IEEE 754); without keep overflow and inf give +-max, NaN gives 0.
 * - Conversions to integers saturate; NaN gives 0; `truncate` (CTRL[59] = 1) keeps the low bits instead
 *   (infinities still saturate).
 * - exp, ln, rsqrt, rec: computed in binary64 with a fixed polynomial or iteration and rounded once; error bound
 *   0.5001 ulp of the result type. The chip's own algorithms are not public.
 */
#ifndef NUM_H
#define NUM_H

#include <stdbool.h>
#include <stdint.h>

enum num_round { NUM_RINT, NUM_FLOOR, NUM_CEIL, NUM_AWAY, NUM_TRUNC, NUM_ODD };

static inline uint32_t num_bits(float x) { union { float f; uint32_t u; } c = { .f = x }; return c.u; }
static inline float num_float(uint32_t u) { union { float f; uint32_t u; } c = { .u = u }; return c.f; }
static inline uint64_t num_bits64(double x) { union { double f; uint64_t u; } c = { .f = x }; return c.u; }
static inline double num_double(uint64_t u) { union { double f; uint64_t u; } c = { .u = u }; return c.f; }
static inline float num_canon(float x) { return x != x ? num_float(0x7fc00000u) : x; }

float num_from_f16(uint16_t h);      /* exact */
float num_from_bf16(uint16_t h);     /* exact */
uint16_t num_to_f16(float x, enum num_round mode, bool keep);
uint16_t num_to_bf16(float x, enum num_round mode, bool keep);
uint16_t num_f16_from_double(double x); /* one rounding, nearest even, inf and NaN kept */
float num_to_hf32(float x, bool round_away); /* mantissa cut to 11 bits with hidden one: nearest even or away */

/* Integers of `bits` (4, 8, 16, 32, 64), signed or not, from a float. */
/* NUM_ODD is for floats: on an integer it sets the last bit of an inexact result. */
int64_t num_to_int(double x, enum num_round mode, int bits, bool is_signed, bool truncate);
/* Integer to float, one rounding. */
float num_int_to_float(int64_t v, enum num_round mode);
uint16_t num_int_to_f16(int64_t v, enum num_round mode, bool keep);
/* Round to an integral value. */
float num_round_integral(float x, enum num_round mode);
int64_t num_saturate(int64_t v, int bits, bool is_signed);

float num_exp(float x);
float num_ln(float x);
float num_sqrt(float x);
float num_rsqrt(float x);
float num_rec(float x);
/* fp16 versions: argument exact in fp32, one rounding to fp16. */
uint16_t num_exp_f16(uint16_t h), num_ln_f16(uint16_t h), num_sqrt_f16(uint16_t h), num_rsqrt_f16(uint16_t h),
	num_rec_f16(uint16_t h);

/* Bulk conversions for the cube and vector units; n elements; a plain-C twin gives the same bits. */
void num_f16_to_f32_n(const uint16_t *src, float *dst, unsigned n);
void num_bf16_to_f32_n(const uint16_t *src, float *dst, unsigned n);
void num_f32_to_f16_n(const float *src, uint16_t *dst, unsigned n, bool keep); /* nearest even */
void num_f32_to_s32_n(const float *src, int32_t *dst, unsigned n, enum num_round mode); /* saturating, NaN 0 */
/* The elementary functions on arrays: the bits of num_exp .. num_rec_f16. */
enum num_fn { NUM_EXP, NUM_LN, NUM_SQRT, NUM_RSQRT, NUM_REC };
void num_fn_f32_n(enum num_fn fn, const float *src, float *dst, unsigned n);
void num_fn_f16_n(enum num_fn fn, const uint16_t *src, uint16_t *dst, unsigned n);

/* Host SIMD: code compiled twice by an always_inline body, chosen at run time. */
#if defined(__x86_64__)
#define NUM_TARGET_AVX2 __attribute__((target("avx2,f16c")))
static inline bool num_has_avx2(void)
{
#ifdef NUM_NO_SIMD /* make CFLAGS_EXTRA=-DNUM_NO_SIMD: as on a host without it */
	return false;
#else
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
#endif
}
#else
#define NUM_TARGET_AVX2
static inline bool num_has_avx2(void) { return false; }
#endif
#if defined(__GNUC__) && !defined(__clang__)
#define NUM_O3 __attribute__((optimize("O3"))) /* gcc 12 vectorises little at -O2; clang does */
#else
#define NUM_O3
#endif
/* The twins, for tests. */
void num_f16_to_f32_plain_n(const uint16_t *src, float *dst, unsigned n);
void num_bf16_to_f32_plain_n(const uint16_t *src, float *dst, unsigned n);
void num_f32_to_f16_plain_n(const float *src, uint16_t *dst, unsigned n, bool keep);
void num_f32_to_s32_plain_n(const float *src, int32_t *dst, unsigned n, enum num_round mode);
void num_fn_f32_plain_n(enum num_fn fn, const float *src, float *dst, unsigned n);
void num_fn_f16_plain_n(enum num_fn fn, const uint16_t *src, uint16_t *dst, unsigned n);

#endif
