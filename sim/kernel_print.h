/*
 * kernel_print.h - what kernels printed (printf, DumpTensor: isa/include/ascendc/kernel_print.h), read out of the system region.
 */
#ifndef KERNEL_PRINT_H
#define KERNEL_PRINT_H

#include "sim.h"

#include <stdio.h>

/* All texts of the run, core by core. Records that make no sense are named as such: a kernel can write there. */
void kernel_print(const struct sim *s, FILE *out);

#endif
