/*
 * num_simd.c - bulk conversions. AVX2 and F16C where the host has them, chosen at run time; the plain twin beside each
 * gives the same bits.
 */
#include "num.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define NUM_AVX2 __attribute__((target("avx2,f16c")))

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
}
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

#if defined(__x86_64__)
/* NaN lanes become the one quiet NaN of num.h. */
NUM_AVX2 static inline __m256 canon8(__m256 x)
{
	return _mm256_blendv_ps(x, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000)),
				_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

NUM_AVX2 static void f16_to_f32_avx2(const uint16_t *src, float *dst, unsigned n)
{
	unsigned i = 0;

	for (; i + 8 <= n; i += 8)
		_mm256_storeu_ps(dst + i, canon8(_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(src + i)))));
	num_f16_to_f32_plain_n(src + i, dst + i, n - i);
}

NUM_AVX2 static void bf16_to_f32_avx2(const uint16_t *src, float *dst, unsigned n)
{
	unsigned i = 0;

	for (; i + 8 <= n; i += 8) {
		__m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(src + i)));
		_mm256_storeu_ps(dst + i, canon8(_mm256_castsi256_ps(_mm256_slli_epi32(wide, 16))));
	}
	num_bf16_to_f32_plain_n(src + i, dst + i, n - i);
}

NUM_AVX2 static void f32_to_f16_avx2(const float *src, uint16_t *dst, unsigned n, bool keep)
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
#endif

void num_f16_to_f32_n(const uint16_t *src, float *dst, unsigned n)
{
#if defined(__x86_64__)
	if (has_avx2()) {
		f16_to_f32_avx2(src, dst, n);
		return;
	}
#endif
	num_f16_to_f32_plain_n(src, dst, n);
}

void num_bf16_to_f32_n(const uint16_t *src, float *dst, unsigned n)
{
#if defined(__x86_64__)
	if (has_avx2()) {
		bf16_to_f32_avx2(src, dst, n);
		return;
	}
#endif
	num_bf16_to_f32_plain_n(src, dst, n);
}

void num_f32_to_f16_n(const float *src, uint16_t *dst, unsigned n, bool keep)
{
#if defined(__x86_64__)
	if (has_avx2()) {
		f32_to_f16_avx2(src, dst, n, keep);
		return;
	}
#endif
	num_f32_to_f16_plain_n(src, dst, n, keep);
}
