/*
 * objdump.h - a kernel as text: address, word, instruction, by function.
 */
#ifndef OBJDUMP_H
#define OBJDUMP_H

#include "fail.h"

#include <stdio.h>

/* Write the disassembly of an ELF to out, as `objdump -d` does; with_source adds "; file:line" where it changes.
 * FAIL_USER as program_load, or when out cannot be written. */
bool objdump_file(const char *elf, FILE *out, bool with_source, struct fail *f) SIM_MUST_CHECK;

#endif
