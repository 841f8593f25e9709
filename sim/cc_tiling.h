/*
 * cc_tiling.h - finds the tiling struct of a kernel that does not include its definition itself.
 */
#ifndef CC_TILING_H
#define CC_TILING_H

#include <stdio.h>

enum tiling_found { TILING_NOT_NEEDED, TILING_FOUND, TILING_MISSING };

/* Write what goes before the kernel at `path` so that GET_TILING_DATA finds its struct; nothing unless TILING_FOUND. */
enum tiling_found tiling_prelude(const char *path, FILE *out);

#endif
