/*
 * exec.c - `vinci view`: the window is a program of its own, so that vinci needs no SDL.
 */
#include "view.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_view(int argc, char **argv)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 8);
	(void)argc;
	if (n > 0) {
		path[n] = 0;
		char *slash = strrchr(path, '/');
		if (slash && (size_t)(slash - path) + sizeof "/vinci-view" < sizeof path) {
			strcpy(slash, "/vinci-view");
			execv(path, argv);
		}
	}
	fprintf(stderr,
		"vinci: the window is not built: install libsdl2-dev, libsdl2-ttf-dev, libpng-dev and fonts-dejavu-core, then:"
		" make viz\n");
	return FAIL_USER;
}
