/*
 * num_simd.c - bulk conversions. AVX2 and F16C where the host has them, chosen at run time; the plain twin beside each
 * gives the same bits.
 */
#include "num.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

void num_f16_to_f32_plain_n(const uint16_t *src, float *dst, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		dst[i] = num_from_f16(src[i]);
}

void num_bf16_to_f32_plain_n(const uint16_t *src, float *dst, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		dst[i] = num_from_bf16(src[i]);
}

void num_f32_to_f16_plain_n(const float *src, uint16_t *dst, unsigned n, bool keep)
{
	for (unsigned i = 0; i < n; i++)
		dst[i] = num_to_f16(src[i], NUM_RINT, keep);
}

void num_f32_to_s32_plain_n(const float *src, int32_t *dst, unsigned n, enum num_round mode)
{
	for (unsigned i = 0; i < n; i++)
		dst[i] = (int32_t)num_to_int(src[i], mode, 32, true, false);
}

#if defined(__x86_64__)
/* NaN lanes become the one quiet NaN of num.h. */
NUM_TARGET_AVX2 static inline __m256 canon8(__m256 x)
{
	return _mm256_blendv_ps(x, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000)),
				_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

NUM_TARGET_AVX2 static void f16_to_f32_avx2(const uint16_t *src, float *dst, unsigned n)
{
	unsigned i = 0;

	for (; i + 8 <= n; i += 8)
		_mm256_storeu_ps(dst + i, canon8(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(src + i)))));
	num_f16_to_f32_plain_n(src + i, dst + i, n - i);
}

NUM_TARGET_AVX2 static void bf16_to_f32_avx2(const uint16_t *src, float *dst, unsigned n)
{
	unsigned i = 0;

	for (; i + 8 <= n; i += 8) {
		__m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(src + i)));
		_mm256_storeu_ps(dst + i, canon8(_mm256_castsi256_ps(_mm256_slli_epi32(wide, 16))));
	}
	num_bf16_to_f32_plain_n(src + i, dst + i, n - i);
}

NUM_TARGET_AVX2 static void f32_to_f16_avx2(const float *src, uint16_t *dst, unsigned n, bool keep)
{
	const __m256 limit = _mm256_set1_ps(65504.0f), minus = _mm256_set1_ps(-65504.0f);
	unsigned i = 0;

	for (; i + 8 <= n; i += 8) {
		__m256 x = _mm256_loadu_ps(src + i);
		if (keep) {
			x = canon8(x);
		} else {
			x = _mm256_and_ps(x, _mm256_cmp_ps(x, x, _CMP_ORD_Q));
			x = _mm256_max_ps(_mm256_min_ps(x, limit), minus);
		}
		_mm_storeu_si128((__m128i *)(dst + i), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
	}
	num_f32_to_f16_plain_n(src + i, dst + i, n - i, keep);
}

NUM_TARGET_AVX2 static inline __m256 round8(__m256 x, enum num_round mode)
{
	const __m256 sign = _mm256_set1_ps(-0.0f);
	__m256 t, rest;

	switch (mode) {
	case NUM_RINT: return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
	case NUM_FLOOR: return _mm256_round_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
	case NUM_CEIL: return _mm256_round_ps(x, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
	case NUM_AWAY: /* x - trunc(x) is exact */
		t = _mm256_round_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
		rest = _mm256_andnot_ps(sign, _mm256_sub_ps(x, t));
		rest = _mm256_and_ps(_mm256_cmp_ps(rest, _mm256_set1_ps(0.5f), _CMP_GE_OQ), _mm256_set1_ps(1.0f));
		return _mm256_add_ps(t, _mm256_or_ps(rest, _mm256_and_ps(x, sign)));
	default: return _mm256_round_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
	}
}

/* cvttps gives INT32_MIN for everything out of range: right below, wrong above and for NaN. */
NUM_TARGET_AVX2 static void f32_to_s32_avx2(const float *src, int32_t *dst, unsigned n, enum num_round mode)
{
	unsigned i = 0;

	for (; i + 8 <= n; i += 8) {
		__m256 x = round8(_mm256_loadu_ps(src + i), mode);
		__m256 high = _mm256_cmp_ps(x, _mm256_set1_ps(0x1p31f), _CMP_GE_OQ);
		__m256 y = _mm256_castsi256_ps(_mm256_cvttps_epi32(x));
		y = _mm256_blendv_ps(y, _mm256_castsi256_ps(_mm256_set1_epi32(INT32_MAX)), high);
		y = _mm256_and_ps(y, _mm256_cmp_ps(x, x, _CMP_ORD_Q));
		_mm256_storeu_si256((__m256i *)(dst + i), _mm256_castps_si256(y));
	}
	num_f32_to_s32_plain_n(src + i, dst + i, n - i, mode);
}
#endif

void num_f32_to_s32_n(const float *src, int32_t *dst, unsigned n, enum num_round mode)
{
#if defined(__x86_64__)
	if (num_has_avx2() && mode != NUM_ODD) {
		f32_to_s32_avx2(src, dst, n, mode);
		return;
	}
#endif
	num_f32_to_s32_plain_n(src, dst, n, mode);
}

void num_f16_to_f32_n(const uint16_t *src, float *dst, unsigned n)
{
#if defined(__x86_64__)
	if (num_has_avx2()) {
		f16_to_f32_avx2(src, dst, n);
		return;
	}
#endif
	num_f16_to_f32_plain_n(src, dst, n);
}

void num_bf16_to_f32_n(const uint16_t *src, float *dst, unsigned n)
{
#if defined(__x86_64__)
	if (num_has_avx2()) {
		bf16_to_f32_avx2(src, dst, n);
		return;
	}
#endif
	num_bf16_to_f32_plain_n(src, dst, n);
}

void num_f32_to_f16_n(const float *src, uint16_t *dst, unsigned n, bool keep)
{
#if defined(__x86_64__)
	if (num_has_avx2()) {
		f32_to_f16_avx2(src, dst, n, keep);
		return;
	}
#endif
	num_f32_to_f16_plain_n(src, dst, n, keep);
}
