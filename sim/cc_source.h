/*
 * cc_source.h - the source pass in front of the compiler: one operator file holds kernel and host code; each of the two
 * compilations gets its half, with every line where the user has it.
 */
#ifndef CC_SOURCE_H
#define CC_SOURCE_H

#include "fail.h"

#include <stddef.h>

enum { SOURCE_KERNELS = 64, SOURCE_NAME = 128 };

/* What an operator file says about itself. */
struct source_info {
	bool kernels;                /* it defines __global__ functions */
	unsigned core;               /* enum isa_core bits of a split chip that its kernels need */
	int n_kernel;
	char kernel[SOURCE_KERNELS][SOURCE_NAME]; /* names of __global__ functions, defined or declared */
};

/* Look at a file and at the files that it includes by "name". FAIL_USER when it cannot be read. */
bool source_scan(const char *path, struct source_info *info, struct fail *f) SIM_MUST_CHECK;

/* The kernel half: host functions and launches blanked out, [aicore] dropped, arrays in local memory made static
 * references into it, kernels templates instantiated as they are launched. Written to `out`. */
bool source_device(const char *path, const char *out, struct fail *f) SIM_MUST_CHECK;

/* The host half: kernel code blanked out, NAME<<<a, b, c>>>( made a call of the runtime. */
bool source_host(const char *path, const char *out, struct fail *f) SIM_MUST_CHECK;

#endif
