/*
 * input.c - opening files that somebody names, none of which may make the program wait.
 */
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *input_open(const char *file)
{
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "rb");
	if (fd >= 0 && !in)
		close(fd);
	return in;
}

FILE *input_regular(const char *file)
{
	struct stat st;
	FILE *in = input_open(file);
	if (in && (fstat(fileno(in), &st) != 0 || !S_ISREG(st.st_mode))) {
		fclose(in);
		errno = EINVAL;
		return NULL;
	}
	return in;
}
