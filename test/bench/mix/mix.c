/*
 * mix.c - the benchmark's RV64 program: integers, loads, stores, branches and calls as compilers make them. Its words
 * are in mix.inc, made by
 *   clang-19 --target=riscv64-unknown-elf -march=rv64im -mabi=lp64 -mcmodel=medany -O2 -ffreestanding \
 *     -fno-unroll-loops -ffunction-sections -c mix.c
 * linked with "SECTIONS { . = 0; .text : { *(.text.entry) *(.text*) } }"; the code holds no absolute address.
 */
#include <stdint.h>

uint64_t entry(uint8_t *memory, uint64_t rounds);

static __attribute__((noinline)) uint32_t crc(const uint8_t *p, int n)
{
	uint32_t c = ~0u;
	for (int i = 0; i < n; i++) {
		c ^= p[i];
		for (int k = 0; k < 8; k++)
			c = c & 1 ? c >> 1 ^ 0xedb88000u : c >> 1;
	}
	return ~c;
}

static __attribute__((noinline)) void sort(int32_t *a, int n)
{
	for (int i = 1; i < n; i++) {
		int32_t v = a[i];
		int j = i;
		while (j > 0 && a[j - 1] > v) {
			a[j] = a[j - 1];
			j--;
		}
		a[j] = v;
	}
}

static __attribute__((noinline)) void multiply(const int32_t *a, const int32_t *b, int64_t *c, int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			uint64_t sum = 0;
			for (int k = 0; k < n; k++)
				sum += (uint64_t)((int64_t)a[i * n + k] * b[k * n + j]);
			c[i * n + j] = (int64_t)sum;
		}
}

static __attribute__((noinline)) uint64_t pack(uint64_t stride, uint64_t repeat, uint64_t block)
{
	return (stride & 0xff) << 16 | (block & 0xff) << 8 | (repeat & 0xff) << 56 | (stride + block) % 3;
}

uint64_t entry(uint8_t *memory, uint64_t rounds)
{
	uint64_t sum = 0, x = 88172645u;
	int32_t *a = (int32_t *)memory, *b = a + 256;
	int64_t *c = (int64_t *)(b + 256);

	for (uint64_t r = 0; r < rounds; r++) {
		for (int i = 0; i < 512; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			a[i] = (int32_t)x;
		}
		sort(a, 64);
		multiply(a, b, c, 16);
		sum += crc((const uint8_t *)c, 512);
		for (uint64_t i = 0; i < 256; i++)
			sum += pack(i, r, sum);
	}
	return sum;
}
