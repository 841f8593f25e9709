/*
 * micro.h - rows of micro.jsonl and formulas.jsonl: instructions and paths, one at a time.
 */
#ifndef MICRO_H
#define MICRO_H

#include "table.h"

/* Compare every row; false with text for an error of the tool itself. */
bool micro_run(struct table *t, char *text, size_t size);

#endif
