/*
 * cube_pack.c - operands of mad out of their fractals: A (ZZ, 16 x K0) to rows, B (ZN, K0 x 16) to panels of 16 columns,
 * converted once to fp32 or int16. Facts: hardware.md 3.4, 4.
 */
#include "cube.h"
#include "num.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define CUBE_X86 1
#else
#define CUBE_X86 0
#endif

/* n floats of the operand types f16, bf16, f32; from need not be aligned to its type. */
static void convert_plain(const struct cube_mad *job, enum isa_type t, const uint8_t *from, float *to, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint16_t h;
		if (t == TYPE_F32) {
			memcpy(to + i, from + 4 * i, 4);
			if (job->hf32)
				to[i] = num_to_hf32(to[i], job->hf32_away);
			continue;
		}
		memcpy(&h, from + 2 * i, 2);
		to[i] = t == TYPE_F16 ? num_from_f16(h) : num_from_bf16(h);
	}
}

#if CUBE_X86
#define AVX2 __attribute__((target("avx2,f16c")))

static inline __attribute__((always_inline)) AVX2 __m256 load8(enum isa_type t, const uint8_t *from)
{
	if (t == TYPE_F16)
		return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from));
	if (t == TYPE_BF16)
		return _mm256_castsi256_ps(_mm256_slli_epi32(
			_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)from)), 16));
	return _mm256_loadu_ps((const float *)from);
}

/* Eight rows of eight, `step` bytes apart, to columns, `pitch` floats apart. */
static inline __attribute__((always_inline)) AVX2 void flip8(enum isa_type t, const uint8_t *from, uint32_t step,
	float *to,
							     uint32_t pitch)
{
	__m256 r0 = load8(t, from), r1 = load8(t, from + step), r2 = load8(t, from + 2 * step);
	__m256 r3 = load8(t, from + 3 * step), r4 = load8(t, from + 4 * step), r5 = load8(t, from + 5 * step);
	__m256 r6 = load8(t, from + 6 * step), r7 = load8(t, from + 7 * step);
	__m256 a0 = _mm256_unpacklo_ps(r0, r1), a1 = _mm256_unpackhi_ps(r0, r1);
	__m256 a2 = _mm256_unpacklo_ps(r2, r3), a3 = _mm256_unpackhi_ps(r2, r3);
	__m256 a4 = _mm256_unpacklo_ps(r4, r5), a5 = _mm256_unpackhi_ps(r4, r5);
	__m256 a6 = _mm256_unpacklo_ps(r6, r7), a7 = _mm256_unpackhi_ps(r6, r7);
	__m256 b0 = _mm256_shuffle_ps(a0, a2, 0x44), b1 = _mm256_shuffle_ps(a0, a2, 0xee);
	__m256 b2 = _mm256_shuffle_ps(a1, a3, 0x44), b3 = _mm256_shuffle_ps(a1, a3, 0xee);
	__m256 b4 = _mm256_shuffle_ps(a4, a6, 0x44), b5 = _mm256_shuffle_ps(a4, a6, 0xee);
	__m256 b6 = _mm256_shuffle_ps(a5, a7, 0x44), b7 = _mm256_shuffle_ps(a5, a7, 0xee);

	_mm256_storeu_ps(to, _mm256_permute2f128_ps(b0, b4, 0x20));
	_mm256_storeu_ps(to + pitch, _mm256_permute2f128_ps(b1, b5, 0x20));
	_mm256_storeu_ps(to + 2 * pitch, _mm256_permute2f128_ps(b2, b6, 0x20));
	_mm256_storeu_ps(to + 3 * pitch, _mm256_permute2f128_ps(b3, b7, 0x20));
	_mm256_storeu_ps(to + 4 * pitch, _mm256_permute2f128_ps(b0, b4, 0x31));
	_mm256_storeu_ps(to + 5 * pitch, _mm256_permute2f128_ps(b1, b5, 0x31));
	_mm256_storeu_ps(to + 6 * pitch, _mm256_permute2f128_ps(b2, b6, 0x31));
	_mm256_storeu_ps(to + 7 * pitch, _mm256_permute2f128_ps(b3, b7, 0x31));
}

static AVX2 void convert_avx2(enum isa_type t, const uint8_t *from, float *to, uint32_t n)
{
	uint32_t step = t == TYPE_F32 ? 32 : 16;

	for (uint32_t i = 0; i < n; i += 8, from += step)
		_mm256_storeu_ps(to + i, load8(t, from));
}

/* A fractal of B: 16 columns x K0, to K0 rows of the panel. */
static AVX2 void flip_avx2(enum isa_type t, const uint8_t *from, float *to, uint32_t pitch)
{
	if (t == TYPE_F32) {
		flip8(TYPE_F32, from, 32, to, pitch);
		flip8(TYPE_F32, from + 256, 32, to + 8, pitch);
		return;
	}
	for (uint32_t half = 0; half < 2; half++)
		for (uint32_t k = 0; k < 16; k += 8) {
			if (t == TYPE_F16)
				flip8(TYPE_F16, from + half * 256 + k * 2, 32, to + half * 8 + k * pitch, pitch);
			else
				flip8(TYPE_BF16, from + half * 256 + k * 2, 32, to + half * 8 + k * pitch, pitch);
		}
}
#endif

static void convert(const struct cube_mad *job, enum isa_type t, const uint8_t *from, float *to, uint32_t n,
		    enum cube_path path)
{
#if CUBE_X86
	if (path != CUBE_PLAIN && !job->hf32 && n % 8 == 0) {
		convert_avx2(t, from, to, n);
		return;
	}
#endif
	(void)path;
	convert_plain(job, t, from, to, n);
}

void cube_pack_a(const struct cube_mad *job, uint32_t first, uint32_t rows, float *to, int64_t a_row,
	enum cube_path path)
{
	uint32_t elem = job->type_a == TYPE_F32 ? 4 : 2, fractal = 16 * job->k0 * elem;

	if (job->gemv) {
		convert(job, job->type_a, job->a, to, job->k, path);
		return;
	}
	for (uint32_t r = 0; r < rows; r++) {
		uint64_t row = first + r;
		const uint8_t *from = job->a + row / 16 * job->k1 * fractal + row % 16 * job->k0 * elem;
		for (uint32_t k = 0; k * job->k0 < job->k; k++)
			convert(job, job->type_a, from + (uint64_t)k * fractal, to + r * a_row + k * job->k0, job->k0,
				path);
	}
}

static void flip_plain(const struct cube_mad *job, const uint8_t *from, float *to, uint32_t pitch)
{
	uint32_t elem = job->type_b == TYPE_F32 ? 4 : 2;
	float row[16];

	for (uint32_t j = 0; j < 16; j++) {
		convert_plain(job, job->type_b, from + j * job->k0 * elem, row, job->k0);
		for (uint32_t k = 0; k < job->k0; k++)
			to[k * pitch + j] = row[k];
	}
}

void cube_pack_b(const struct cube_mad *job, uint32_t first, uint32_t strips, float *to, enum cube_path path)
{
	uint32_t fractal = 512, pitch = 16 * strips;

	for (uint32_t k = 0; k * job->k0 < job->k; k++)
		for (uint32_t v = 0; v < strips; v++) {
			const uint8_t *from = job->b + ((uint64_t)k * job->n1 + first + v) * fractal;
			float *panel = to + (uint64_t)k * job->k0 * pitch + v * 16;
#if CUBE_X86
			if (path != CUBE_PLAIN && !job->hf32) {
				flip_avx2(job->type_b, from, panel, pitch);
				continue;
			}
#endif
			(void)path;
			flip_plain(job, from, panel, pitch);
		}
}

/* n integers to int16. */
static void widen(enum isa_type t, const uint8_t *from, int16_t *to, uint32_t n)
{
	switch (t) {
	case TYPE_S8:
		for (uint32_t i = 0; i < n; i++)
			to[i] = (int8_t)from[i];
		break;
	case TYPE_U8:
		for (uint32_t i = 0; i < n; i++)
			to[i] = from[i];
		break;
	default: /* s4, the lower nibble first */
		for (uint32_t i = 0; i < n; i++)
			to[i] = (int16_t)(((from[i / 2] >> (i % 2 * 4) & 15) ^ 8) - 8);
		break;
	}
}

#if CUBE_X86
static AVX2 void widen_avx2(enum isa_type t, const uint8_t *from, int16_t *to, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(from + i));
		_mm256_storeu_si256((__m256i *)(to + i), t == TYPE_S8 ? _mm256_cvtepi8_epi16(v) : _mm256_cvtepu8_epi16(v));
	}
}
#endif

static void widen_on(enum isa_type t, const uint8_t *from, int16_t *to, uint32_t n, enum cube_path path)
{
#if CUBE_X86
	if (path != CUBE_PLAIN && t != TYPE_S4 && n % 16 == 0) {
		widen_avx2(t, from, to, n);
		return;
	}
#endif
	(void)path;
	widen(t, from, to, n);
}

void cube_pack_ai(const struct cube_mad *job, uint32_t first, uint32_t rows, int16_t *to, int64_t a_row,
		  enum cube_path path)
{
	for (uint32_t r = 0; r < rows; r++) {
		int16_t *row = to + r * a_row;
		if (job->gemv) {
			widen_on(job->type_a, job->a, row, job->k, path);
		} else {
			uint64_t at = first + r;
			const uint8_t *from = job->a + at / 16 * job->k1 * 512 + at % 16 * 32;
			for (uint32_t k = 0; k * job->k0 < job->k; k++)
				widen_on(job->type_a, from + (uint64_t)k * 512, row + k * job->k0, job->k0, path);
		}
		row[job->k] = 0;
	}
}

/* Stored weights back to their places among 64 rows. */
static void pack_sparse(const struct cube_mad *job, uint32_t strip, int16_t *to)
{
	for (uint32_t k = 0; k * CUBE_SPARSE_K < job->k; k++)
		for (uint32_t j = 0; j < 16; j++) {
			uint64_t first = (((uint64_t)k * job->n1 + strip) * 16 + j) * 32;
			int16_t row[CUBE_SPARSE_K] = { 0 };
			for (uint32_t i = 0; i < 32; i++)
				row[(i / 2 * 4 + i % 2 + cube_sparse_index(job->index, first + i)) % CUBE_SPARSE_K] +=
					(int8_t)job->b[first + i]; /* both of a pair may name one row */
			for (uint32_t i = 0; i < CUBE_SPARSE_K; i += 2)
				memcpy(to + ((uint64_t)(k * CUBE_SPARSE_K + i) / 2 * 16 + j) * 2, row + i, 4);
		}
}

void cube_pack_bi(const struct cube_mad *job, uint32_t strip, int16_t *to, enum cube_path path)
{
	int16_t row[64];

	if (job->index) {
		pack_sparse(job, strip, to);
		return;
	}

	for (uint32_t k = 0; k * job->k0 < job->k; k++)
		for (uint32_t j = 0; j < 16; j++) {
			widen_on(job->type_b, job->b + ((uint64_t)k * job->n1 + strip) * 512 + j * 32, row, job->k0, path);
			for (uint32_t i = 0; i < job->k0; i += 2)
				memcpy(to + ((uint64_t)(k * job->k0 + i) / 2 * 16 + j) * 2, row + i, 4);
		}
}

struct exponents { uint32_t least, most; bool subnormal; };

#if CUBE_X86
/* Sixteen at a time; zeros count as the largest in the minimum and as the smallest in the maximum. n: a multiple of 16. */
static AVX2 struct exponents bf16_exponents_avx2(const uint8_t *from, uint64_t n)
{
	__m256i field = _mm256_set1_epi16(0x7fff), least = field, most = _mm256_setzero_si256();
	uint16_t lo[16], hi[16];
	struct exponents e = { .least = 255 };

	for (uint64_t i = 0; i < n; i += 16) {
		__m256i v = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(from + 2 * i)), field);
		__m256i zero = _mm256_cmpeq_epi16(v, _mm256_setzero_si256());
		most = _mm256_max_epu16(most, v);
		least = _mm256_min_epu16(least, _mm256_or_si256(v, _mm256_and_si256(zero, field)));
	}
	_mm256_storeu_si256((__m256i *)lo, least);
	_mm256_storeu_si256((__m256i *)hi, most);
	for (int i = 0; i < 16; i++) {
		e.least = lo[i] >> 7 < (int)e.least ? (uint32_t)lo[i] >> 7 : e.least;
		e.most = hi[i] >> 7 > (int)e.most ? (uint32_t)hi[i] >> 7 : e.most;
	}
	e.subnormal = e.least == 0;
	return e;
}
#endif

static struct exponents bf16_exponents(const uint8_t *from, uint64_t n)
{
	struct exponents e = { .least = 255 };

#if CUBE_X86
	if (n % 16 == 0)
		return bf16_exponents_avx2(from, n);
#endif

	for (uint64_t i = 0; i < n; i++) {
		uint16_t h;
		memcpy(&h, from + 2 * i, 2);
		uint32_t x = h >> 7 & 255;
		if ((h & 0x7fff) == 0)
			continue;
		e.subnormal |= x == 0;
		e.least = x < e.least ? x : e.least;
		e.most = x > e.most ? x : e.most;
	}
	return e;
}

/* Products have 16 significant bits: exact while 2^(ea + eb - 14) >= 2^-149 and 2^(ea + eb + 2) <= 2^128. */
bool cube_bf16_exact(const struct cube_mad *job)
{
	uint64_t a = job->gemv ? job->k : (uint64_t)job->m1 * job->k1 * 256, b = (uint64_t)job->k1 * job->n1 * 256;
	struct exponents ea = bf16_exponents(job->a, a), eb = bf16_exponents(job->b, b);

	return !ea.subnormal && !eb.subnormal && ea.least + eb.least >= 254 - 135 && ea.most + eb.most <= 254 + 126;
}
