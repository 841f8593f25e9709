/*
 * home.c - finds the folder of Vinci's own files, so that the command works from any directory.
 */
#include "home.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const marker = "isa/include/vinci.ld";

static bool is_home(const char *folder)
{
	char file[4200];
	int n = snprintf(file, sizeof(file), "%s/%s", folder, marker);
	return n > 0 && (size_t)n < sizeof(file) && access(file, R_OK) == 0;
}

static bool answer(const char *folder, char *path, size_t size, struct fail *f)
{
	int n = snprintf(path, size, "%s", folder);
	return (n >= 0 && (size_t)n < size) || fail_set(f, FAIL_USER, "the path of Vinci's folder is too long: %s", folder);
}

bool home_find(char *path, size_t size, struct fail *f)
{
	const char *set = getenv("VINCI_HOME");
	if (set && set[0]) {
		if (is_home(set))
			return answer(set, path, size, f);
		return fail_set(f, FAIL_USER, "VINCI_HOME is %s, which does not hold %s", set, marker);
	}
	char folder[4096];
	ssize_t n = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	folder[n > 0 ? n : 0] = 0;
	char *slash;
	while ((slash = strrchr(folder, '/')) && slash != folder) {
		*slash = 0;
		if (is_home(folder))
			return answer(folder, path, size, f);
	}
	fail_set(f, FAIL_USER, "Vinci's own files (%s ...) are not above the executable", marker);
	return fail_hint(f, "set VINCI_HOME to the folder that holds isa/, configs/ and kernels/");
}

bool home_path(const char *relative, char *path, size_t size, struct fail *f)
{
	char folder[4096];
	if (!home_find(folder, sizeof(folder), f))
		return false;
	int n = snprintf(path, size, "%s/%s", folder, relative);
	return (n >= 0 && (size_t)n < size) || fail_set(f, FAIL_USER, "path too long: %s/%s", folder, relative);
}
