/*
 * cli.c - files that are written whole or not at all.
 */
#include "cli.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool cli_file_open(struct cli_file *c, const char *path, struct fail *f)
{
	snprintf(c->path, sizeof c->path, "%s", path);
	snprintf(c->temporary, sizeof c->temporary, "%s.%d.tmp", path, (int)getpid());
	c->stream = fopen(c->temporary, "w");
	return c->stream || fail_set(f, FAIL_USER, "%s cannot be written: %s", path, strerror(errno));
}

bool cli_file_close(struct cli_file *c, bool ok, struct fail *f)
{
	bool good = !ferror(c->stream);
	good = fclose(c->stream) == 0 && good;
	if (ok && good && rename(c->temporary, c->path) == 0)
		return true;
	int error = errno;
	unlink(c->temporary);
	return ok ? fail_set(f, FAIL_USER, "%s cannot be written: %s", c->path, strerror(error)) : false;
}
