/*
 * fix_ref.h - what the fixpipe makes of one accumulator, written from hardware.md 3.6. Shares nothing with sim/.
 */
#ifndef FIX_REF_H
#define FIX_REF_H

#include <stdbool.h>
#include <stdint.h>

enum ref_quant { REF_NO_QUANT = 0, REF_F322F16 = 1, REF_REQ8 = 3, REF_DEQF16 = 5, REF_SHIFTS16 = 13,
	REF_F322BF16 = 16, REF_QF322B8 = 24 };

struct ref_fix {
	enum ref_quant quant;   /* the scalar form also stands for the per-channel one */
	bool from_int;          /* accumulators are s32, else fp32 */
	int relu;               /* 0 none, 1 relu, 2 leaky with alpha */
	float alpha;
	uint64_t scale;         /* quantisation parameters of this channel */
};

/* Stored bits, in the low bytes, of an accumulator's bits. */
uint32_t ref_fix(const struct ref_fix *p, uint32_t acc);

#endif
