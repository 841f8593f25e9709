/*
 * cube_ref.c - see cube_ref.h. Floats: C, the bias or 0, then one product after the other with k ascending, each product
 * and each sum rounded to fp32.
 */
#include "cube_ref.h"
#include "layout_ref.h"

#include <string.h>

static unsigned k0_of(enum ref_type t)
{
	switch (t) {
	case REF_F16: case REF_BF16: return 16;
	case REF_F32: return 8;
	case REF_S4: return 64;
	default: return 32;
	}
}

static double element(enum ref_type t, const uint8_t *base, uint64_t i)
{
	uint16_t h;
	float f;

	switch (t) {
	case REF_F16: memcpy(&h, base + 2 * i, 2); return layout_half(h);
	case REF_BF16: memcpy(&h, base + 2 * i, 2); return layout_bfloat(h);
	case REF_F32: memcpy(&f, base + 4 * i, 4); return f;
	case REF_S8: return (int8_t)base[i];
	case REF_U8: return base[i];
	default: {
		int v = i % 2 ? base[i / 2] >> 4 : base[i / 2] & 15;
		return v < 8 ? v : v - 16;
	}
	}
}

static float start_float(const struct ref_mad *p, const uint8_t *c, uint64_t at, uint32_t j)
{
	uint16_t h;
	float v = 0;

	if (p->zero)
		return 0;
	if (p->bias) {
		memcpy(&v, p->bias + 4 * j, 4);
	} else if (p->c == REF_F16) {
		memcpy(&h, c + 2 * at, 2);
		v = (float)layout_half(h);
	} else {
		memcpy(&v, c + 4 * at, 4);
	}
	return v;
}

static void finish_float(const struct ref_mad *p, uint8_t *c, uint64_t at, float v)
{
	const uint32_t nan = 0x7fc00000;
	uint16_t h;

	if (p->c == REF_F16) {
		h = layout_to_half(v);
		memcpy(c + 2 * at, &h, 2);
	} else if (v != v) {
		memcpy(c + 4 * at, &nan, 4);
	} else {
		memcpy(c + 4 * at, &v, 4);
	}
}

void ref_mad(const struct ref_mad *p, const uint8_t *a, const uint8_t *b, uint8_t *c)
{
	uint32_t k0 = k0_of(p->a), k1 = (p->k + k0 - 1) / k0, n1 = (p->n + 15) / 16, rows = (p->m + 15) / 16 * 16;

	if (p->a == REF_F32 && p->k_align)
		k1 = (p->k + 15) / 16 * 2;
	for (uint32_t i = 0; i < p->m; i++)
		for (uint32_t j = 0; j < p->n; j++) {
			uint64_t at = layout_nz(i, j, rows, 16);
			volatile float sum = p->c == REF_S32 ? 0 : start_float(p, c, at,
				j); /* volatile: one rounding each */
			uint32_t wrap = 0;
			if (p->c == REF_S32 && !p->zero)
				memcpy(&wrap, p->bias ? p->bias + 4 * j : c + 4 * at, 4);
			for (uint32_t k = 0; k < p->k; k++) {
				double x = element(p->a, a, p->m == 1 ? k : layout_zz(i, k, k1, k0));
				double y = element(p->b, b, layout_zn(k, j, n1, k0));
				volatile float product = (float)(x * y);
				if (p->c == REF_S32)
					wrap += (uint32_t)(int32_t)(x * y);
				else
					sum = sum + product;
			}
			if (p->c == REF_S32)
				memcpy(c + 4 * at, &wrap, 4);
			else
				finish_float(p, c, at, sum);
		}
}
