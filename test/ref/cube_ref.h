/*
 * cube_ref.h - mad by plain loops over logical matrices, written from hardware.md 3.4 and 4. Shares nothing with sim/.
 */
#ifndef CUBE_REF_H
#define CUBE_REF_H

#include <stdbool.h>
#include <stdint.h>

enum ref_type { REF_F16, REF_BF16, REF_F32, REF_S8, REF_U8, REF_S4, REF_S32 };

struct ref_mad {
	enum ref_type a, b, c;  /* c: REF_F32, REF_F16 or REF_S32 */
	uint32_t m, k, n;
	bool k_align;
	bool zero;
	const uint8_t *bias;    /* or NULL */
};

/* A in ZZ (a vector when m is 1), B in ZN, C in NZ with m rounded up to 16. */
void ref_mad(const struct ref_mad *p, const uint8_t *a, const uint8_t *b, uint8_t *c);

#endif
