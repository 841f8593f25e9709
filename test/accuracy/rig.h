/*
 * rig.h - for the accuracy tables: compile a kernel once, launch it on a chip without values, and keep when its
 * instructions ran.
 */
#ifndef RIG_H
#define RIG_H

#include "../../sim/sim.h"

/* When one instruction ran; flags and barriers are left out. */
struct shot {
	uint8_t core, pipe;
	uint16_t insn;
	int64_t start, issue_end, end;
};

struct rig {
	char chip_name[64];
	struct chip chip;
	struct program program[2]; /* [0] cube, [1] vector */
	bool has[2];
	struct sim sim;
	struct fail fail;
	bool keep;                 /* shots of core 0 */
	int n_shot, max_shot;
	struct shot *shot;
	/* cycles in which some instruction of a pipe had started and not ended, as profilers count pipe time */
	int64_t active[SIM_CORES][PIPE_COUNT], until[SIM_CORES][PIPE_COUNT];
};

/* Compile test/accuracy/kernels/NAME.c for a chip and one core kind; false with r->fail. */
bool rig_load(struct rig *r, const char *chip, const char *name, unsigned core);
/* Begin a launch; then arguments, then rig_run. */
bool rig_begin(struct rig *r, const char *entry, int64_t blocks, bool keep);
/* A buffer of size bytes as argument; host is where its bytes are (NULL: not needed). */
bool rig_buffer(struct rig *r, uint64_t size, bool bypass, uint8_t **host);
bool rig_scalar(struct rig *r, uint64_t value);
bool rig_run(struct rig *r);
/* End of the launch: the simulator's memory goes, shots and times stay. */
void rig_end(struct rig *r);
void rig_free(struct rig *r);

/* Means over the cores of the last launch, cycles. */
double rig_active(const struct rig *r, int pipe);
double rig_core_cycles(const struct rig *r);  /* from a core's first to its last activity */

double rig_core_max(const struct rig *r);
double rig_scalar_cycles(const struct rig *r); /* the scalar unit neither waiting nor done */

#endif
