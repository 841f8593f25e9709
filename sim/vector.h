/*
 * vector.h - inside of the vector unit: a decoded vector op, and the steps that its forms share. Used by vector_*.c
 * only.
 *
 *   op --vec_decode--> struct vec: operands in bytes, lanes, repeats, masks --> effect, value
 *
 * A repeat is 256 bytes of the widest operand: 8 blocks of 32 bytes, or 4 or 2 blocks of the narrower operands, so
 * that every operand has the same number of lanes (hardware.md 3.1).
 */
#ifndef VECTOR_H
#define VECTOR_H

#include "exec.h"
#include "num.h"

enum vec_op {
	VOP_NONE,
	/* lane by lane; also with a scalar as second source */
	VOP_ADD, VOP_SUB, VOP_MUL, VOP_DIV, VOP_MAX, VOP_MIN, VOP_AND, VOP_OR, VOP_ADDRELU, VOP_SUBRELU,
	VOP_MADD,     /* src0 * dst + src1 */
	VOP_MLA,      /* src0 * src1 + dst */
	VOP_MADDRELU,
	VOP_LRELU,    /* src, or src * scalar below 0 */
	VOP_SHL, VOP_SHR,
	VOP_ABS, VOP_REC, VOP_EXP, VOP_LN, VOP_SQRT, VOP_RSQRT, VOP_RELU, VOP_NOT,
	VOP_COPY, VOP_DUP,
	VOP_CONV,     /* between types */
	VOP_DEQ,      /* s32 * deqscale to f16 */
	VOP_DEQ8,     /* s16 with a scale to 8 bits, half blocks */
	VOP_ADDDEQRELU, /* f16(max(s32 + s32, 0) * deqscale) */
	/* compares, in the order of enum vec_cmp */
	VOP_EQ, VOP_NE, VOP_LT, VOP_GT, VOP_GE, VOP_LE,
	/* told apart by the form alone */
	VOP_OTHER,
	VOP_CMPMASK_SET, VOP_CMPMASK_GET,
	VOP_NCHW_B8, VOP_NCHW_B16, VOP_NCHW_B32,
	VOP_COUNT
};

struct vec_operand {
	uint64_t addr;           /* first byte in UB */
	int64_t blk, rep;        /* block and repeat stride, bytes */
	uint8_t type;            /* enum isa_type */
	uint8_t bits;            /* of an element */
	uint8_t blocks;          /* per repeat */
	uint8_t per_block;       /* lanes in a block */
};

/* Lanes of a repeat that take part, and per operand the blocks that hold such lanes. */
struct vec_on {
	uint64_t lane[2];
	uint8_t block[3];
	bool full;
};

enum { VEC_DST, VEC_SRC0, VEC_SRC1 };

struct vec {
	uint8_t vop, form, n_src;
	uint8_t round;           /* enum num_round */
	bool reads_dst;          /* dst is a source too */
	bool shift_round;        /* vshr: add half before shifting */
	bool keep, saturate, truncate; /* CTRL[48], [53], [59] */
	bool counter;            /* CTRL[56] */
	uint8_t order;           /* reductions: vred.order; vsel: mode; vreducev2: pattern */
	uint32_t lanes;          /* of a repeat */
	uint32_t repeats;
	uint32_t tail;           /* lanes of the last repeat when it is partial, else 0 */
	uint64_t scalar;         /* raw bits */
	struct vec_operand o[3];
	struct vec_on on[2];     /* [1]: the partial last repeat */
};

static inline const struct vec_on *vec_on(const struct vec *v, uint32_t repeat)
{
	return &v->on[v->tail && repeat == v->repeats - 1];
}

static inline bool vec_lane(const struct vec_on *on, uint32_t lane)
{
	return on->lane[lane >> 6] >> (lane & 63) & 1;
}

static inline uint64_t vec_block_addr(const struct vec_operand *o, uint32_t repeat, uint32_t block)
{
	return o->addr + (uint64_t)(repeat * o->rep + block * o->blk);
}

/* Address of a lane's element (whole bytes only). */
static inline uint64_t vec_lane_addr(const struct vec_operand *o, uint32_t repeat, uint32_t lane)
{
	uint32_t block = lane / o->per_block;
	return vec_block_addr(o, repeat, block) + (uint64_t)(lane - block * o->per_block) * (o->bits / 8u);
}

/* Operands, lanes, repeats and masks from the words. FAIL_KERNEL for operand words that no repeat could obey. */
bool vec_decode(const struct op *op, struct vec *v, struct fail *f) SIM_MUST_CHECK;

/* Gather the blocks of a repeat into raw[256]; blocks without active lanes read as zero. */
void vec_load(const uint8_t *ub, const struct vec *v, int operand, uint32_t repeat, void *raw);
/* Write the active lanes of raw to dst. */
void vec_store(uint8_t *ub, const struct vec *v, uint32_t repeat, const void *raw);

/* Raw bits to numbers and back, n lanes of a type. */
void vec_to_float(enum isa_type t, const void *raw, float *x, uint32_t n);
void vec_to_int(enum isa_type t, const void *raw, int64_t *x, uint32_t n);
void vec_from_int(enum isa_type t, const int64_t *x, void *raw, uint32_t n); /* low bits */
uint64_t vec_element(const uint8_t *p, unsigned bits);  /* little endian, zero-extended */
void vec_put(uint8_t *p, unsigned bits, uint64_t value);
int64_t vec_int_of(enum isa_type t, uint64_t bits);     /* sign-extended where signed */
float vec_float_of(enum isa_type t, uint64_t bits);
bool vec_is_float(enum isa_type t);
bool vec_is_signed(enum isa_type t);

/* One lane, raw bits in and out: the checked twin of the array code, and the definition of every operation. */
uint64_t vec_lane_value(const struct vec *v, const struct op *op, uint64_t a, uint64_t b, uint64_t d);
uint64_t vec_convert(const struct vec *v, const struct op *op, uint64_t a);

/* Parts of effects. */
bool vec_align(const struct op *op, const char *what, uint64_t addr, unsigned bytes, struct fail *f) SIM_MUST_CHECK;
struct access *vec_access(const struct vec *v, int operand, bool write, struct effect *e);

/* Forms. `plain` takes the lane-at-a-time path. */
bool vec_lanes_effect(const struct vec *, const struct op *, struct effect *, struct fail *);
void vec_lanes_value(const struct vec *, const struct op *, uint8_t *ub, bool plain);
void vec_conv_repeat(const struct vec *, const struct op *, const void *src, void *dst);
bool vec_deq_effect(const struct vec *, const struct op *, struct effect *, struct fail *);
bool vec_deq_value(const struct vec *, const struct op *, uint8_t *ub, struct fail *);
bool vec_prop_effect(const struct op *, struct effect *, struct fail *);
void vec_prop_value(const struct op *, uint8_t *ub);
uint64_t vec_dequantise(const struct vec *, const struct op *, int64_t x); /* f16(x * deqscale), one rounding */
bool vec_reduce_effect(const struct vec *, const struct op *, struct effect *, struct fail *);
void vec_reduce_value(const struct vec *, const struct op *, struct core_mem *);
bool vec_cmp_effect(const struct vec *, const struct op *, struct effect *, struct fail *);
bool vec_cmp_value(const struct vec *, const struct op *, struct core_mem *, struct fail *);
bool vec_move_effect(const struct vec *, const struct op *, const struct core_mem *, struct effect *, struct fail *);
bool vec_move_value(const struct vec *, const struct op *, struct core_mem *, struct fail *);
bool vec_sort_effect(const struct vec *, const struct chip *, const struct core_mem *, const struct op *,
		     struct effect *, struct fail *);
bool vec_sort_value(const struct vec *, const struct op *, const struct effect *, struct core_mem *, struct fail *);

/* vector_value by the plain path, for tests: must leave the same bytes. */
bool vector_value_plain(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f);

#endif
