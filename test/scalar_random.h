/*
 * scalar_random.h - random RV64 programs: straight operations, forward branches, jumps and counted loops over every
 * instruction of the scalar unit. Each result is appended to a log in memory, so that a wrong value shows where it was made.
 *
 * Data at GM_DATA: 0 first x, 256 first f, 512 last x, 768 last f, 1024 last fcsr, POOL values to load, SCRATCH to load and
 * store, LOG the log. The program ends with the system calls write(1, data, size) and exit(0).
 */
#ifndef SCALAR_RANDOM_H
#define SCALAR_RANDOM_H

#include "scalar_rig.h"

enum { RANDOM_WORDS = 65536, RANDOM_POOL = 1280, RANDOM_SCRATCH = 2304, RANDOM_LOG = 4096 };

struct random_program {
	uint64_t state;                  /* generator */
	uint32_t n;
	uint32_t word[RANDOM_WORDS];
	uint8_t data[RIG_DATA_BYTES];    /* before the run */
};

/* A program of about `operations` operations, the same for the same seed on every host. */
void random_make(struct random_program *p, uint64_t seed, int operations);

#endif
