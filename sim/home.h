/*
 * home.h - the folder in which Vinci's own files lie: isa/include, build/include, configs, kernels.
 */
#ifndef HOME_H
#define HOME_H

#include "fail.h"

#include <stddef.h>

/* The home folder: $VINCI_HOME, or the nearest folder above the executable that holds isa/include/vinci.ld. FAIL_USER
 * when there is none. */
bool home_find(char *path, size_t size, struct fail *f) SIM_MUST_CHECK;

/* home + "/" + relative; the file need not exist. */
bool home_path(const char *relative, char *path, size_t size, struct fail *f) SIM_MUST_CHECK;

#endif
