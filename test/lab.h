/*
 * lab.h - for tests of the engine: a kernel given as C text is compiled, launched on a chip, and its events are kept.
 */
#ifndef LAB_H
#define LAB_H

#include "../sim/sim.h"

struct lab_event {
	int core, block, pipe;
	uint16_t insn;
	uint64_t seq;
	int64_t stall_begin, start, issue_end, end;
	enum cause cause;
};

struct lab {
	struct chip chip;
	struct program program[2];   /* as sim_init takes them */
	bool has[2];
	struct sim sim;
	bool has_sim;
	struct fail fail;
	int n_event, max_event;
	struct lab_event *event;
};

/* Compile source (C11 text, or C++17 when it begins with "// C++"; entry must be the only __global__ function) for chip and
 * core kind, build the sim. Test asserts on failure. */
void lab_open(struct lab *r, const char *chip, unsigned core, const char *source, int64_t blocks, bool timing_only);
/* A new simulation of the same program; buffers and arguments are to be given again. */
void lab_again(struct lab *r, int64_t blocks);
/* Add a buffer argument with initial bytes (NULL: zeros); returns its host bytes. */
uint8_t *lab_buffer(struct lab *r, const void *bytes, uint64_t size);
void lab_scalar(struct lab *r, uint64_t value);
/* Run; false leaves r->fail. */
bool lab_run(struct lab *r);
void lab_close(struct lab *r);
/* The nth event (from 0) of an instruction on core 0; asserts that there is one. */
const struct lab_event *lab_find(const struct lab *r, enum isa_id insn, int n);

#endif
