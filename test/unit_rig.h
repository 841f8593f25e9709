/*
 * unit_rig.h - one core's memories and one op at a time, for tests of what instructions compute. An op is run through
 * unit_effect and unit_value; afterwards every byte that changed must lie inside a write access of its effect, and
 * (first runs of a row) what was written must come out the same when all bytes outside of its read accesses are others.
 */
#ifndef UNIT_RIG_H
#define UNIT_RIG_H

#include "../sim/exec.h"

struct unit_rig {
	struct chip chip;
	struct gm gm;
	struct core_mem mem;
	struct op op;          /* spr is set by the test; the rest by unit_try */
	struct effect e;
	struct fail f;
	uint8_t *before[SPACE_COUNT], *touched[SPACE_COUNT], *after[SPACE_COUNT];
	uint8_t reads_checked[ISA_COUNT];
	uint8_t *gm_host;      /* the one GM buffer */
	uint64_t gm_addr, gm_size;
	uint64_t rng, seed;
};

/* A core of kind CORE_CUBE, CORE_VEC or CORE_FUSED with 256 KiB of GM; memories hold random bytes. Stops the test when the
 * chip cannot be read. */
void unit_open(struct unit_rig *r, const char *chip, enum isa_core kind, uint64_t seed);
void unit_close(struct unit_rig *r);

uint64_t unit_random(struct unit_rig *r);
/* low <= result <= high */
uint64_t unit_between(struct unit_rig *r, uint64_t low, uint64_t high);
uint8_t *unit_at(struct unit_rig *r, enum isa_space s, uint64_t addr);

/* Variant of a row by the names of its operand types; stops the test when there is none. TYPE_NONE: do not care. */
unsigned unit_variant(enum isa_id id, enum isa_type t0, enum isa_type t1, enum isa_type t2);

/* Run; false when the op is refused, r->f says why. */
bool unit_try(struct unit_rig *r, enum isa_id id, unsigned variant, uint64_t rd, uint64_t rs1, uint64_t rs2,
	uint64_t x31);
/* Run; the test stops when it is refused. */
void unit_run(struct unit_rig *r, enum isa_id id, unsigned variant, uint64_t rd, uint64_t rs1, uint64_t rs2,
	uint64_t x31);
/* Run; the test stops unless it is refused with this class and this piece of text. */
void unit_refuse(struct unit_rig *r, enum fail_class class, const char *text, enum isa_id id, unsigned variant,
	uint64_t rd,
		uint64_t rs1, uint64_t rs2, uint64_t x31);

/* Everything as it was before the last op, for references that need sources that were overwritten. */
const uint8_t *unit_before(const struct unit_rig *r, enum isa_space s, uint64_t addr);

#endif
