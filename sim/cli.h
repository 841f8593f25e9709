/*
 * cli.h - what the commands share: files that are written whole or not at all.
 */
#ifndef CLI_H
#define CLI_H

#include "fail.h"

#include <stdio.h>

struct cli_file { char path[512], temporary[560]; FILE *stream; };

/* Open a temporary beside path; close renames it when ok and nothing failed, else removes it. A device or a pipe is
 * written itself. */
bool cli_file_open(struct cli_file *c, const char *path, struct fail *f) SIM_MUST_CHECK;
bool cli_file_close(struct cli_file *c, bool ok, struct fail *f) SIM_MUST_CHECK;

#endif
