/*
 * cc_host.h - builds a host program with its kernels inside: what the vendor's build makes of an operator sample.
 */
#ifndef CC_HOST_H
#define CC_HOST_H

#include "fail.h"

enum { CC_HOST_SOURCES = 32 };

struct cc_host_options {
	int n_source;
	const char *source[CC_HOST_SOURCES]; /* C++, C; kernels, host code, or both in one file */
	const char *output;                  /* the executable */
	const char *chip;                    /* default of the executable; VINCI_CHIP overrides */
	unsigned arch;                       /* its level */
	const char *include;                 /* one more include folder; may be NULL */
	const char *extra;                   /* more flags for both compilers; may be NULL */
	bool cpu_debug;                      /* host code takes the path of CPU debugging: ICPU_RUN_KF */
};

/* Compile kernels for the chip's cores, host halves for this machine, link with the acl runtime library. */
bool cc_host_program(const struct cc_host_options *o, struct fail *f) SIM_MUST_CHECK;

#endif
