/*
 * layout_ref.h - data layouts and number formats straight from their definitions (hardware.md 4), for tests. Shares nothing
 * with sim/. Indices are element indices.
 */
#ifndef LAYOUT_REF_H
#define LAYOUT_REF_H

#include <stdint.h>

/* FRACTAL_NZ of (m, n): [N1, M1, 16, n0]; rows = m rounded up to 16 (or any larger pitch in rows). */
uint64_t layout_nz(uint64_t i, uint64_t j, uint64_t rows, uint64_t n0);
/* ZZ of (m, k): [M1, K1, 16, k0]; k1 = fractals along k. */
uint64_t layout_zz(uint64_t i, uint64_t k, uint64_t k1, uint64_t k0);
/* ZN of (k, n): [K1, N1, 16, k0]; n1 = fractals along n. */
uint64_t layout_zn(uint64_t k, uint64_t j, uint64_t n1, uint64_t k0);

/* Values of bit patterns; nearest-even rounding by comparing both neighbours. NaN becomes the quiet NaN. */
double layout_half(uint16_t h);
double layout_bfloat(uint16_t h);
uint16_t layout_to_half(double v);
uint16_t layout_to_bfloat(double v);
/* Round to nearest, ties to even, as an integer within low..high. */
int64_t layout_rint(double v, int64_t low, int64_t high);

#endif
