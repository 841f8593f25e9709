/*
 * gen.h - what isatool writes from the instruction table.
 */
#ifndef ISA_GEN_H
#define ISA_GEN_H

#include "row.h"

#include <stdio.h>

/* build/include/cce_intrinsics.h: the intrinsics for kernels, C11 and C++17. */
void gen_header(FILE *out);
/* isa/ISA.md, the manual. */
void gen_doc(FILE *out);

#endif
