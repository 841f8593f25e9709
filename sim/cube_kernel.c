/*
 * cube_kernel.c - the inner loops of mad: register blocks of rows x 16 (or 32) columns that run over all of k. Each lane
 * is one element of C, so the order of additions does not depend on the path.
 */
#include "cube.h"
#include "num.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define CUBE_X86 1
#else
#define CUBE_X86 0
#endif

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

enum cube_path cube_best_path(void)
{
#if CUBE_X86
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
		return CUBE_AVX512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c"))
		return CUBE_AVX2;
#endif
	return CUBE_PLAIN;
}

static void block_plain(const struct cube_block *q)
{
	for (uint32_t r = 0; r < q->rows; r++)
		for (uint32_t v = 0; v < q->strips; v++)
			for (uint32_t j = 0; j < 16; j++) {
				float acc = q->init[r * q->init_row + v * q->init_strip + j];
				for (uint32_t k = 0; k < q->k; k++)
					acc = acc + q->a[r * q->a_row + k] * q->b[(k * q->strips + v) * 16 + j];
				q->c[r * q->c_row + v * q->c_strip + j] = num_canon(acc);
			}
}

static void iblock_plain(const struct cube_iblock *q)
{
	const int16_t *a = (const int16_t *)q->a, *b = (const int16_t *)q->b;

	for (uint32_t r = 0; r < q->rows; r++)
		for (uint32_t j = 0; j < 16; j++) {
			uint32_t acc = (uint32_t)q->init[r * q->init_row + j];
			for (uint32_t k = 0; k < q->k; k++) {
				acc += (uint32_t)(a[2 * (r * q->a_row + k)] * b[2 * (k * 16 + j)]);
				acc += (uint32_t)(a[2 * (r * q->a_row + k) + 1] * b[2 * (k * 16 + j) + 1]);
			}
			q->c[r * q->c_row + j] = (int32_t)acc;
		}
}

#if CUBE_X86
#define INLINE static inline __attribute__((always_inline))
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx512dq")))

INLINE AVX512 void block512(const struct cube_block *q, uint32_t row, const int rows, const int strips,
	const bool exact)
{
	const float *a = q->a + row * q->a_row, *b = q->b, *init = q->init + row * q->init_row;
	float *c = q->c + row * q->c_row;
	__m512 acc[8][2];

	UNROLL for (int r = 0; r < rows; r++)
		UNROLL for (int v = 0; v < strips; v++)
			acc[r][v] = _mm512_loadu_ps(init + r * q->init_row + v * q->init_strip);
	for (uint32_t k = 0; k < q->k; k++, b += 16 * strips) {
		__m512 bv[2];
		UNROLL for (int v = 0; v < strips; v++)
			bv[v] = _mm512_load_ps(b + 16 * v);
		UNROLL for (int r = 0; r < rows; r++) {
			__m512 av = _mm512_set1_ps(a[r * q->a_row + k]);
			UNROLL for (int v = 0; v < strips; v++)
				acc[r][v] = exact ? _mm512_fmadd_ps(av, bv[v], acc[r][v])
						  : _mm512_add_ps(acc[r][v], _mm512_mul_ps(av, bv[v]));
		}
	}
	const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7fc00000));
	UNROLL for (int r = 0; r < rows; r++)
		UNROLL for (int v = 0; v < strips; v++) {
			__mmask16 bad = _mm512_cmp_ps_mask(acc[r][v], acc[r][v], _CMP_UNORD_Q);
			_mm512_storeu_ps(c + r * q->c_row + v * q->c_strip, _mm512_mask_mov_ps(acc[r][v], bad, nan));
		}
}

INLINE AVX2 void block256(const struct cube_block *q, uint32_t row, uint32_t strip, const int rows, const bool exact)
{
	const float *a = q->a + row * q->a_row, *b = q->b + 16 * strip;
	const float *init = q->init + row * q->init_row + strip * q->init_strip;
	float *c = q->c + row * q->c_row + strip * q->c_strip;
	__m256 acc[6][2];

	UNROLL for (int r = 0; r < rows; r++)
		UNROLL for (int v = 0; v < 2; v++)
			acc[r][v] = _mm256_loadu_ps(init + r * q->init_row + 8 * v);
	for (uint32_t k = 0; k < q->k; k++, b += 16 * q->strips) {
		__m256 b0 = _mm256_load_ps(b), b1 = _mm256_load_ps(b + 8);
		UNROLL for (int r = 0; r < rows; r++) {
			__m256 av = _mm256_broadcast_ss(a + r * q->a_row + k);
			acc[r][0] = exact ? _mm256_fmadd_ps(av, b0, acc[r][0]) : _mm256_add_ps(acc[r][0],
				_mm256_mul_ps(av, b0));
			acc[r][1] = exact ? _mm256_fmadd_ps(av, b1, acc[r][1]) : _mm256_add_ps(acc[r][1],
				_mm256_mul_ps(av, b1));
		}
	}
	const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
	UNROLL for (int r = 0; r < rows; r++)
		UNROLL for (int v = 0; v < 2; v++) {
			__m256 bad = _mm256_cmp_ps(acc[r][v], acc[r][v], _CMP_UNORD_Q);
			_mm256_storeu_ps(c + r * q->c_row + 8 * v, _mm256_blendv_ps(acc[r][v], nan, bad));
		}
}

INLINE AVX2 void iblock256(const struct cube_iblock *q, uint32_t row, const int rows)
{
	const int32_t *a = q->a + row * q->a_row, *b = q->b, *init = q->init + row * q->init_row;
	int32_t *c = q->c + row * q->c_row;
	__m256i acc[4][2];

	UNROLL for (int r = 0; r < rows; r++)
		UNROLL for (int v = 0; v < 2; v++)
			acc[r][v] = _mm256_loadu_si256((const __m256i *)(init + r * q->init_row + 8 * v));
	for (uint32_t k = 0; k < q->k; k++, b += 16) {
		__m256i b0 = _mm256_load_si256((const __m256i *)b), b1 = _mm256_load_si256((const __m256i *)(b + 8));
		UNROLL for (int r = 0; r < rows; r++) {
			__m256i av = _mm256_set1_epi32(a[r * q->a_row + k]);
			acc[r][0] = _mm256_add_epi32(acc[r][0], _mm256_madd_epi16(av, b0));
			acc[r][1] = _mm256_add_epi32(acc[r][1], _mm256_madd_epi16(av, b1));
		}
	}
	UNROLL for (int r = 0; r < rows; r++)
		UNROLL for (int v = 0; v < 2; v++)
			_mm256_storeu_si256((__m256i *)(c + r * q->c_row + 8 * v), acc[r][v]);
}

/* Largest blocks first; what is left goes in halves. */
#define ROWS(left, big, CALL)                                                                                          \
	for (uint32_t row = 0; row < (left);) {                                                                        \
		uint32_t rest = (left) - row;                                                                          \
		if (rest >= (big)) { CALL(big); row += (big); }                                                        \
		else if (rest >= 4) { CALL(4); row += 4; }                                                             \
		else if (rest >= 2) { CALL(2); row += 2; }                                                             \
		else { CALL(1); row += 1; }                                                                            \
	}

#define CALL512_2F(n) block512(q, row, n, 2, true)
#define CALL512_1F(n) block512(q, row, n, 1, true)
#define CALL512_2M(n) block512(q, row, n, 2, false)
#define CALL512_1M(n) block512(q, row, n, 1, false)
static AVX512 void run512_2f(const struct cube_block *q) { ROWS(q->rows, 8, CALL512_2F) }
static AVX512 void run512_1f(const struct cube_block *q) { ROWS(q->rows, 8, CALL512_1F) }
static AVX512 void run512_2m(const struct cube_block *q) { ROWS(q->rows, 8, CALL512_2M) }
static AVX512 void run512_1m(const struct cube_block *q) { ROWS(q->rows, 8, CALL512_1M) }

#define CALL256_F(n) block256(q, row, strip, n, true)
#define CALL256_M(n) block256(q, row, strip, n, false)
static AVX2 void run256_f(const struct cube_block *q, uint32_t strip) { ROWS(q->rows, 6, CALL256_F) }
static AVX2 void run256_m(const struct cube_block *q, uint32_t strip) { ROWS(q->rows, 6, CALL256_M) }

#define CALLI(n) iblock256(q, row, n)
static AVX2 void irun256(const struct cube_iblock *q) { ROWS(q->rows, 4, CALLI) }
#endif

void cube_block_run(const struct cube_block *q, enum cube_path path)
{
#if CUBE_X86
	if (path == CUBE_AVX512) {
		if (q->strips == 2)
			(q->exact ? run512_2f : run512_2m)(q);
		else
			(q->exact ? run512_1f : run512_1m)(q);
		return;
	}
	if (path == CUBE_AVX2) {
		for (uint32_t strip = 0; strip < q->strips; strip++)
			(q->exact ? run256_f : run256_m)(q, strip);
		return;
	}
#endif
	(void)path;
	block_plain(q);
}

void cube_iblock_run(const struct cube_iblock *q, enum cube_path path)
{
#if CUBE_X86
	if (path != CUBE_PLAIN) {
		irun256(q);
		return;
	}
#endif
	(void)path;
	iblock_plain(q);
}
