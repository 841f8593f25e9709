/*
 * program_int.h - what the loader's own files share: program.c (file and segments), program_entry.c (symbols, entry),
 * program_debug.c (parameters and lines from DWARF).
 */
#ifndef PROGRAM_INT_H
#define PROGRAM_INT_H

#include "program.h"

#define PROGRAM_ENTRY_SECTION ".text.vinci_entry"

/* Read the function symbols into p->symbol. FAIL_USER for a symbol table that lies. */
bool program_symbols(struct program *p, struct fail *f) SIM_MUST_CHECK;

/* Open debug info, if there is any that can be read. */
void program_debug_open(struct program *p);
void program_debug_close(struct program *p);

/* Parameters of the function at p->entry; n_param = -1 without debug info. FAIL_USER when there are too many. */
bool program_debug_params(struct program *p, struct fail *f) SIM_MUST_CHECK;

#endif
