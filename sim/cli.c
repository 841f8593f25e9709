/*
 * cli.c - files that are written whole or not at all.
 */
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool unwritable(const char *path, int error, struct fail *f)
{
	return fail_set(f, FAIL_USER, "%.300s cannot be written: %s", path, strerror(error));
}

bool cli_file_open(struct cli_file *c, const char *path, struct fail *f)
{
	char real[PATH_MAX];
	struct stat st;
	/* through a link to the file that it means */
	const char *target = realpath(path, real) ? real : path;
	c->temporary[0] = 0;
	if (strlen(target) >= sizeof c->path)
		return unwritable(path, ENAMETOOLONG, f);
	strcpy(c->path, target);
	if (stat(target, &st) == 0 && !S_ISREG(st.st_mode)) {
		/* a device or a pipe has no half-written state, and must not be replaced by a file */
		c->stream = S_ISDIR(st.st_mode) ? (errno = EISDIR, NULL) : fopen(target, "w");
		return c->stream || unwritable(path, errno, f);
	}
	int n = snprintf(c->temporary, sizeof c->temporary, "%s.%d.tmp", target, (int)getpid());
	if (n < 0 || (size_t)n >= sizeof c->temporary)
		return unwritable(path, ENAMETOOLONG, f);
	c->stream = fopen(c->temporary, "w");
	return c->stream || unwritable(path, errno, f);
}

bool cli_file_close(struct cli_file *c, bool ok, struct fail *f)
{
	bool good = !ferror(c->stream);
	good = fclose(c->stream) == 0 && good;
	if (ok && good && (c->temporary[0] == 0 || rename(c->temporary, c->path) == 0))
		return true;
	int error = errno;
	if (c->temporary[0])
		unlink(c->temporary);
	return ok ? unwritable(c->path, error, f) : false;
}
