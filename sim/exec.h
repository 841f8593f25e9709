/*
 * exec.h - the function model: what an op touches (effect) and what it computes (value).
 *
 *   op --unit_effect--> effect --(timing decides when)--> unit_value at the op's start cycle
 *
 * unit_effect reads the op and the chip only; unit_value reads and writes memories, never looks at time, and is skipped
 * by --timing-only. Both switch on the row's form; each unit has its file: vector_*.c, mte_*.c, cube.c, fixpipe.c.
 */
#ifndef EXEC_H
#define EXEC_H

#include "chip.h"
#include "fail.h"
#include "gm.h"
#include "op.h"

/* Memories and pipe-written registers of one core. */
struct core_mem {
	uint8_t *buf[SPACE_COUNT];  /* on-chip memories, zeroed at launch; NULL when the core lacks them */
	int64_t size[SPACE_COUNT];  /* bytes */
	uint8_t *index0b;           /* 2-bit indices of sparse weights, 128 bytes beside each 512 of L0B; NULL without L0B */
	struct gm *gm;
	int core;                   /* for private GM regions */
	uint8_t cmpmask[16];        /* CMPMASK, 128 bits, written and read by the vector pipe */
	uint64_t vms4_sr, rsvd_cnt, acc_val, max_min_cnt;
};

/* Fill *e from the operand words; check what the words alone decide: reserved values, limits, alignment, bounds of
 * every byte (masked lanes do not count). FAIL_KERNEL for a wrong operand, FAIL_MODEL for a row or mode not modelled.
 */
bool unit_effect(const struct chip *chip, const struct core_mem *mem, const struct op *op, struct effect *e,
		 struct fail *f) SIM_MUST_CHECK;

/* Compute. The effect has passed unit_effect. Fails only where values decide (a gather offset out of bounds). */
bool unit_value(const struct chip *chip, struct core_mem *mem, const struct op *op, const struct effect *e,
		struct fail *f) SIM_MUST_CHECK;

/* Bytes that an op reads where a register points that other ops have written (the bits of vsel in mode 2 lie where CMPMASK
 * says): appended to *e. Not part of the effect, since times must not depend on values; valid at the op's start. False
 * when there are none. */
bool unit_pointed(const struct core_mem *mem, const struct op *op, struct effect *e);

/* The parts, by unit; forms as in forms.def. */
bool vector_effect(const struct chip *, const struct core_mem *, const struct op *, struct effect *, struct fail *);
bool vector_value(struct core_mem *, const struct op *, const struct effect *, struct fail *);
bool mte_effect(const struct chip *, const struct core_mem *, const struct op *, struct effect *, struct fail *);
bool mte_value(struct core_mem *, const struct op *, const struct effect *, struct fail *);
bool cube_effect(const struct chip *, const struct core_mem *, const struct op *, struct effect *, struct fail *);
bool cube_value(struct core_mem *, const struct op *, const struct effect *, struct fail *);
bool fix_effect(const struct chip *, const struct core_mem *, const struct op *, struct effect *, struct fail *);
bool fix_value(struct core_mem *, const struct op *, const struct effect *, struct fail *);

/* Append one access; dimension counts of 0 make the access empty (not appended). */
struct access *effect_add(struct effect *e, enum isa_space space, bool write, uint64_t addr, uint32_t unit_bytes,
			  uint32_t n0, int64_t s0, uint32_t n1, int64_t s1, uint32_t n2, int64_t s2);

/* Check every access of e against buffer sizes and GM regions; the error names buffer, operand range and size. */
bool effect_check(const struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
	SIM_MUST_CHECK;

/* Walk the bytes that an access touches: start with a zeroed cursor, get contiguous runs in order until false. The
 * cursor's `repeat` is the index n[1] of the run just returned. */
struct access_cursor { uint32_t i[3], lane, repeat; bool done; };
bool access_next(const struct access *a, struct access_cursor *c, uint64_t *addr, uint32_t *bytes);

/* Kind of core that owns these memories. */
enum isa_core exec_core_kind(const struct chip *chip, const struct core_mem *mem);

/* "vadd.f16" etc. for messages. Static storage per call site is not used: writes into text. */
const char *op_name(const struct op *op, char *text, size_t size);

/* Fail helper: FAIL_KERNEL "vadd.f16: <fmt>", filled with the op's pc and pipe. */
bool op_fail(struct fail *f, enum fail_class class, const struct op *op, const char *fmt, ...) SIM_PRINTF(4, 5);

/* CTRL bits (hardware.md 2.7) */
enum {
	CTRL_ATOMIC_TYPE = 6,  /* [8:6] 0 off 1 f32 2 f16 3 s16 4 s32 5 s8 6 bf16 */
	CTRL_ATOMIC_OP = 9,    /* [10:9] 0 add 1 max 2 min */
	CTRL_HF32 = 46, CTRL_HF32_ROUND = 47,
	CTRL_INF_NAN = 48,     /* 1 keep inf/nan, 0 saturate */
	CTRL_MN_ORDER = 51, CTRL_INT_SAT = 53, CTRL_COUNTER = 56, CTRL_INT_TRUNC = 59, CTRL_SAT_GLOBAL = 60
};
/* CTRL when a kernel starts on a 910B, and on any chip */
#define CTRL_RESET ((UINT64_C(1) << CTRL_SAT_GLOBAL) | (UINT64_C(1) << CTRL_INF_NAN))
static inline uint64_t ctrl_reset(const struct chip *chip)
{
	return (UINT64_C(1) << CTRL_SAT_GLOBAL) | (uint64_t)chip->reset.inf_nan << CTRL_INF_NAN;
}

static inline bool ctrl_bit(const struct op *op, int bit) { return (op->spr.ctrl >> bit) & 1; }

#endif
