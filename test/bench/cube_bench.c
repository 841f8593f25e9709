/*
 * cube_bench.c - rate of cube_run on large tiles, beside OpenBLAS sgemm on the same sizes when the host has the library
 * (libopenblas.so.0, looked up at run time). One thread each.
 */
#include "../../sim/cube.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void sgemm_call(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
	const float *b,
			int ldb, float beta, float *c, int ldc);

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* GFLOP/s of mads that accumulate into one tile. */
static double cube_rate(enum isa_type type, enum cube_path path, uint32_t m, uint32_t k, uint32_t n, double seconds)
{
	bool is_int = type == TYPE_S8;
	uint32_t k0 = 256 / isa_type_bits(type), bytes = isa_type_bits(type) / 8;
	struct cube_mad j = { .type_a = type, .type_b = type, .type_c = is_int ? TYPE_S32 : TYPE_F32, .m = m, .k = k,
		.n = n,
			      .m1 = (m + 15) / 16, .k1 = (k + k0 - 1) / k0, .n1 = (n + 15) / 16, .k0 = k0 };
	uint8_t *a = aligned_alloc(64, (size_t)m * k * bytes), *b = aligned_alloc(64, (size_t)k * n * bytes);
	uint8_t *c = aligned_alloc(64, (size_t)m * n * 4);
	uint64_t runs = 0;

	/* bits 0x3c..0x3f of every second byte: f16 and bf16 values near one, never inf or NaN */
	for (size_t i = 0; i < (size_t)m * k * bytes; i++)
		a[i] = (uint8_t)(i % bytes == bytes - 1 ? 0x3c + i % 3 : i);
	for (size_t i = 0; i < (size_t)k * n * bytes; i++)
		b[i] = (uint8_t)(i % bytes == bytes - 1 ? 0x3c + i % 2 : i);
	for (size_t i = 0; i < (size_t)m * n * 4; i++)
		c[i] = 0;
	j.a = a;
	j.b = b;
	j.c = c;
	double start = now(), spent;
	do {
		cube_run(&j, path);
		runs++;
		spent = now() - start;
	} while (spent < seconds);
	free(a);
	free(b);
	free(c);
	return 2e-9 * m * k * n * (double)runs / spent;
}

static double sgemm_rate(sgemm_call *call, int m, int k, int n, double seconds)
{
	float *a = calloc((size_t)m * (size_t)k, 4), *b = calloc((size_t)k * (size_t)n, 4),
		*c = calloc((size_t)m * (size_t)n, 4);
	uint64_t runs = 0;
	double start = now(), spent;

	do {
		call(101, 111, 111, m, n, k, 1, a, k, b, n, 1, c, n);
		runs++;
		spent = now() - start;
	} while (spent < seconds);
	free(a);
	free(b);
	free(c);
	return 2e-9 * m * k * n * (double)runs / spent;
}

int main(void)
{
	static const struct { enum isa_type type; uint32_t m, k, n; } tiles[] = {
		{ TYPE_F16, 128, 128, 128 }, { TYPE_F16, 128, 64, 256 }, { TYPE_F16, 128, 256, 128 },
		{ TYPE_BF16, 128, 128, 128 }, { TYPE_F32, 128, 64, 128 }, { TYPE_S8, 128, 256, 128 } };
	static const char *const path_name[] = { "plain C", "AVX2", "AVX-512" };
	double seconds = 0.3;
	void *lib;
	sgemm_call *call = NULL;

	setenv("OPENBLAS_NUM_THREADS", "1", 1); /* before the library starts its threads */
	lib = dlopen("libopenblas.so.0", RTLD_NOW);
	if (lib)
		*(void **)&call = dlsym(lib, "cblas_sgemm");
	printf("cube path %s\n", path_name[cube_best_path()]);
	for (size_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); i++) {
		uint32_t m = tiles[i].m, k = tiles[i].k, n = tiles[i].n;
		printf("%-4s %u x %u x %u  %7.1f GFLOP/s", isa_type_name(tiles[i].type), m, k, n,
		       cube_rate(tiles[i].type, cube_best_path(), m, k, n, seconds));
		if (cube_best_path() == CUBE_AVX512)
			printf("  AVX2 %7.1f", cube_rate(tiles[i].type, CUBE_AVX2, m, k, n, seconds));
		if (call)
			printf("  sgemm %7.1f", sgemm_rate(call, (int)m, (int)k, (int)n, seconds));
		printf("\n");
	}
	if (!call)
		printf("no libopenblas.so.0 to compare with\n");
	return 0;
}
