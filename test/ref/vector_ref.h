/*
 * vector_ref.h - vector instructions as loops straight from their description. Shares no code with sim/.
 */
#ifndef VECTOR_REF_H
#define VECTOR_REF_H

#include <stdbool.h>
#include <stdint.h>

/* Types by letter: n s4, c s8, C u8, s s16, S u16, i s32, I u32, l s64, h f16, b bf16, f f32. */
struct vref_op {
	const char *name;       /* "vadd" */
	char t[3];              /* dst, src0, src1 */
	uint64_t addr[3];       /* dst, src0, src1, bytes */
	int blk[3], rep[3];     /* strides, 32 B */
	int repeat;
	uint64_t mask[2];       /* lanes 0..63, 64..127 */
	bool counter;           /* mask[0] elements in all */
	bool keep, saturate, truncate;
	uint64_t scalar;
	bool shift_round;
	uint16_t deqscale;
	int order;              /* reductions, select mode, pattern */
	uint8_t cmpmask[16];
	uint64_t count;         /* out: elements kept, list counts */
};

/* Run on ub. Unknown names return false. */
bool vref_run(struct vref_op *o, uint8_t *ub);

uint16_t vref_half(double x, char mode, bool keep); /* mode: r f c a z o */
double vref_half_value(uint16_t h);

#endif
