/*
 * fixpipe.h - inside the fixpipe: what is done to an element on its way out of L0C, and what public sources say of it.
 *
 *   L0C -> pre-quantisation (scale, cast) -> relu -> layout -> store or atomic        (hardware.md 3.6)
 *
 * Quantisation parameters, 64 bits per channel or in the register quant_pre: M1 [31:13] (1-8-10 float, the upper bits of a
 * fp32 image), offset [45:37] (9 bits, signed), [46] 1 = signed result.
 *   REQ8, QF322B8_PRE   sat8(sat9(rint(acc * M)) + offset)
 *   DEQF16              f16(acc * M)
 *   SHIFTS322S16        sat16(acc >> N), N = [35:32], rounding half up; the rounding is a choice
 * where M is M1, or 0 for negative acc under relu. acc * M is one fp32 product; an s32 acc is rounded to fp32 first.
 */
#ifndef FIXPIPE_H
#define FIXPIPE_H

#include "exec.h"

/* QuantMode_t */
enum fix_quant {
	FIX_NONE = 0, FIX_F322F16 = 1, FIX_VREQ8 = 2, FIX_REQ8 = 3, FIX_VDEQF16 = 4, FIX_DEQF16 = 5,
	FIX_VSHIFTS16 = 12, FIX_SHIFTS16 = 13,
	FIX_F322BF16 = 16,
	FIX_VQF322B8 = 23, FIX_QF322B8 = 24
};
enum fix_relu { FIX_RELU_NONE, FIX_RELU, FIX_LEAKY, FIX_LEAKY_VECTOR };

struct fix_mode {
	enum isa_type src, dst;     /* f32 or s32; what is stored */
	enum fix_quant quant;
	enum fix_relu relu;
	bool vector;                /* scales per channel, from FB */
	bool keep;                  /* inf and NaN survive a narrowing cast */
	float alpha;                /* leaky relu */
	uint64_t scale;             /* quant_pre */
	const uint8_t *scales;      /* per channel, 8 bytes each */
	const uint8_t *alphas;      /* per channel, fp32 */
};

/* Mode of an op from its row, words and registers. FAIL_KERNEL for a combination that does not exist, FAIL_MODEL for one
 * that public sources do not define. Table pointers are left NULL. */
bool fix_mode_of(const struct op *op, struct fix_mode *m, struct fail *f) SIM_MUST_CHECK;

/* n elements of channels channel .. channel + n - 1 from 4-byte accumulators to bytes of the stored type. */
void fix_convert(const struct fix_mode *m, uint32_t channel, const void *acc, uint8_t *out, uint32_t n);

#endif
