/*
 * input.h - opening files that somebody names.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdio.h>

/* Like fopen(file, "rb"), but a pipe without a writer is opened at once instead of waiting for one, so that the caller can
 * refuse what is no regular file. NULL with errno. */
FILE *input_open(const char *file);
/* The same; a file that is not regular is refused: NULL, errno EINVAL. */
FILE *input_regular(const char *file);

#endif
