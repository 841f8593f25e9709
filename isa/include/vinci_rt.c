/*
 * vinci_rt.c - the few functions that a compiler calls behind a kernel's back. Linked into every kernel, kept only when
 * used. The cross compiler's own library cannot serve: it holds compressed instructions.
 */
#include <stddef.h>
#include <stdint.h>

typedef uint64_t __attribute__((may_alias)) rt_word;

static int aligned(const void *a, const void *b) { return (((uintptr_t)a | (uintptr_t)b) & 7) == 0; }

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);
int memcmp(const void *a, const void *b, size_t n);
float __truncsfbf2(float value);
float __truncdfbf2(double value);

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;
	if (aligned(to, from))
		for (; n >= 8; n -= 8, d += 8, s += 8)
			*(rt_word *)d = *(const rt_word *)s;
	while (n--)
		*d++ = *s++;
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;
	if ((uintptr_t)d - (uintptr_t)s >= n)
		return memcpy(to, from, n);
	while (n--)
		d[n] = s[n];
	return to;
}

void *memset(void *to, int value, size_t n)
{
	unsigned char *d = to;
	uint64_t word = (value & 0xff) * UINT64_C(0x0101010101010101);
	if (aligned(to, to))
		for (; n >= 8; n -= 8, d += 8)
			*(rt_word *)d = word;
	while (n--)
		*d++ = (unsigned char)value;
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;
	for (; n--; x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

/* A bf16 value travels as the low half of a NaN-boxed single. */
static float boxed(uint32_t bf16)
{
	uint32_t bits = 0xffff0000u | bf16;
	float out;
	__builtin_memcpy(&out, &bits, sizeof(out));
	return out;
}

/* float to bf16: nearest, ties to even; NaN stays a quiet NaN. */
float __truncsfbf2(float value)
{
	uint32_t bits;
	__builtin_memcpy(&bits, &value, sizeof(bits));
	if ((bits & 0x7fffffff) > 0x7f800000)
		return boxed(bits >> 16 | 0x40);
	return boxed((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* double to bf16 with one rounding: to float by rounding to odd, which keeps what the second step needs to know. */
float __truncdfbf2(double value)
{
	float near = (float)value;
	uint32_t bits;
	__builtin_memcpy(&bits, &near, sizeof(bits));
	double back = near;
	if (back != value && value == value && !(bits & 1)) {
		double magnitude = value < 0 ? -value : value, back_magnitude = back < 0 ? -back : back;
		bits += back_magnitude < magnitude ? 1 : -1u;
		__builtin_memcpy(&near, &bits, sizeof(near));
	}
	return __truncsfbf2(near);
}
