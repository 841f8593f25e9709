/*
 * scalar_fp.h - IEEE 754 arithmetic in integers for the scalar unit: every rounding mode and flag of RISC-V, the same
 * bits on every host and compiler. Values are bit patterns in the low bits of a uint64_t.
 *
 * NaN results are canonical (RISC-V). Tininess is detected after rounding.
 */
#ifndef SCALAR_FP_H
#define SCALAR_FP_H

#include <stdbool.h>
#include <stdint.h>

enum fp_format { FP_H, FP_S, FP_D };

enum fp_round { FP_RNE, FP_RTZ, FP_RDN, FP_RUP, FP_RMM, FP_DYN = 7 };

/* Bits of fflags. */
enum { FP_NX = 1, FP_UF = 2, FP_OF = 4, FP_DZ = 8, FP_NV = 16 };

uint64_t fp_nan(enum fp_format fmt);

/* One rounding each; raised flags are ORed into *flags. */
uint64_t fp_add(enum fp_format fmt, uint64_t a, uint64_t b, enum fp_round rm, unsigned *flags);
uint64_t fp_sub(enum fp_format fmt, uint64_t a, uint64_t b, enum fp_round rm, unsigned *flags);
uint64_t fp_mul(enum fp_format fmt, uint64_t a, uint64_t b, enum fp_round rm, unsigned *flags);
uint64_t fp_div(enum fp_format fmt, uint64_t a, uint64_t b, enum fp_round rm, unsigned *flags);
uint64_t fp_sqrt(enum fp_format fmt, uint64_t a, enum fp_round rm, unsigned *flags);
/* a * b + c; for S and D. */
uint64_t fp_fma(enum fp_format fmt, uint64_t a, uint64_t b, uint64_t c, enum fp_round rm, unsigned *flags);

/* minimumNumber and maximumNumber: a NaN loses, -0 < +0. */
uint64_t fp_min(enum fp_format fmt, uint64_t a, uint64_t b, unsigned *flags);
uint64_t fp_max(enum fp_format fmt, uint64_t a, uint64_t b, unsigned *flags);
bool fp_eq(enum fp_format fmt, uint64_t a, uint64_t b, unsigned *flags); /* quiet */
bool fp_lt(enum fp_format fmt, uint64_t a, uint64_t b, unsigned *flags); /* signalling */
bool fp_le(enum fp_format fmt, uint64_t a, uint64_t b, unsigned *flags);
/* The ten-bit mask of fclass. */
unsigned fp_class(enum fp_format fmt, uint64_t a);

uint64_t fp_convert(enum fp_format from, enum fp_format to, uint64_t a, enum fp_round rm, unsigned *flags);
/* To an integer of 32 or 64 bits: saturates, NaN gives the largest. A 32-bit result is sign-extended, also when it is
 * unsigned. */
uint64_t fp_to_int(enum fp_format fmt, uint64_t a, int bits, bool is_signed, enum fp_round rm, unsigned *flags);
uint64_t fp_from_int(enum fp_format fmt, uint64_t v, bool is_signed, enum fp_round rm, unsigned *flags);

#endif
