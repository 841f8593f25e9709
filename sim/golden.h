/*
 * golden.h - runs a golden program: a C program beside the kernel that computes on the host what the kernel should
 * (kernels/golden.h is its side of the interface).
 */
#ifndef SIM_GOLDEN_H
#define SIM_GOLDEN_H

#include "launch.h"
#include "npy.h"

/* Compile l->golden with the host's compiler into `program` unless that is newer than all it is made from, run it on the
 * inputs, read the outputs. `array` holds the launch's
 * arguments before the kernel ran, one per argument: inputs with their values, outputs for their type and shape.
 * `golden`, one per argument and zeroed, gets what the program wrote, for outputs and inouts, with the bounds that it
 * gave; the caller frees it.
 * FAIL_USER when the program does not compile, fails, or leaves out an output. What the program prints goes to
 * stderr. */
bool golden_run(const struct launch *l, const char *program, const struct array *array, struct array *golden,
		struct fail *f) SIM_MUST_CHECK;

#endif
