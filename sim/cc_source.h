/*
 * cc_source.h - the source pass in front of the compiler: one operator file holds kernel and host code; each of the two
 * compilations gets its half, with every line where the user has it. The halves are cut out of preprocessed text, so that
 * kernels and launches may come from macros and included files.
 */
#ifndef CC_SOURCE_H
#define CC_SOURCE_H

#include "fail.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { SOURCE_KERNELS = 64, SOURCE_NAME = 128 };

/* What an operator file says about itself. */
struct source_info {
	bool kernels;                /* it defines __global__ functions, itself or by a macro or an included file */
	unsigned core;               /* enum isa_core bits of a split chip that its kernels need */
	int n_kernel;
	char kernel[SOURCE_KERNELS][SOURCE_NAME]; /* names of __global__ functions, defined or declared */
};

/* Look at a file and at the files that it includes by "name". FAIL_USER when it cannot be read. */
bool source_scan(const char *path, struct source_info *info, struct fail *f) SIM_MUST_CHECK;

/* The file for the preprocessor: includes of host headers taken out, the header of its tiling struct before it where that is
 * found (cc_tiling.h). no_tiling: it was looked for in vain. */
bool source_for_preprocessor(const char *path, const char *out, bool *no_tiling, struct fail *f) SIM_MUST_CHECK;

/* The kernel half of preprocessed text: host functions and launches blanked out, [aicore] dropped, arrays in local memory
 * made static references into it, kernel templates instantiated as they are launched. Line markers that name `hidden`,
 * if any, show `shown` instead, the user's file. */
bool source_device(const char *path, const char *hidden, const char *shown, const char *out, struct fail *f) SIM_MUST_CHECK;

/* The host half: kernel code blanked out, NAME<<<a, b, c>>>( made a call of the runtime. */
bool source_host(const char *path, const char *hidden, const char *shown, const char *out, struct fail *f) SIM_MUST_CHECK;

/* Both halves of text in memory; device and host may be NULL. */
bool source_halves(const char *text, size_t size, const char *hidden, const char *shown, FILE *device, FILE *host,
		   struct fail *f) SIM_MUST_CHECK;

#endif
