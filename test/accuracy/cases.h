/*
 * cases.h - whole kernels: the cases of measured.jsonl, launched as cases.jsonl says.
 */
#ifndef CASES_H
#define CASES_H

#include "table.h"

/* Run every case whose id contains `only` (all when empty), or only the quick ones; false with text for an error of the
 * tool itself. */
bool cases_run(struct table *t, bool quick, const char *only, char *text, size_t size);

#endif
