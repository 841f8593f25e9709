/*
 * cc_dep.c - decides whether a kernel must be compiled again. The file is text: a line with the table's fingerprint, a
 * line with the command, then one path per line.
 */
#include "cc_dep.h"

#include "../isa/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_SIZE = 8192 };

static void first_lines(const struct tool *c, char *text, size_t size)
{
	int n = snprintf(text, size, "vinci cc 1, instruction table %08x\n", isa_fingerprint());
	tool_text(c, text + n, size - (size_t)n - 1);
	strcat(text, "\n");
}

/* One path of a make rule: blanks separate, "\ " is a blank, "\" at the end of a line goes on. False at the end. */
static bool next_path(FILE *in, char *path, size_t size)
{
	size_t n = 0;
	for (int ch; (ch = fgetc(in)) != EOF;) {
		bool blank = ch == ' ' || ch == '\n' || ch == '\t';
		if (ch == '\\') {
			ch = fgetc(in);
			if (ch == '\n')
				blank = true;
			else if (ch == EOF)
				break;
		} else if (ch == '$') {
			ch = fgetc(in); /* "$$" */
		}
		if (blank && n)
			break;
		if (!blank && n + 1 < size)
			path[n++] = (char)ch;
	}
	path[n] = 0;
	return n > 0;
}

static void put_path(FILE *out, const char *path)
{
	char *full = realpath(path, NULL); /* the next run may start in another directory */
	fprintf(out, "%s\n", full ? full : path);
	free(full);
}

bool cc_dep_write(const char *output, const struct tool *c, const char *make_deps, const char *passed,
		  const char *const *more, struct fail *f)
{
	char name[LINE_SIZE], tmp[LINE_SIZE], text[LINE_SIZE], path[LINE_SIZE];
	snprintf(name, sizeof(name), "%s.dep", output);
	snprintf(tmp, sizeof(tmp), "%s.%ld.dep", output, (long)getpid());
	FILE *in = fopen(make_deps, "r"), *out = in ? fopen(tmp, "w") : NULL;
	if (out) {
		first_lines(c, text, sizeof(text));
		fputs(text, out);
		next_path(in, path, sizeof(path)); /* "kernel:" */
		while (next_path(in, path, sizeof(path)))
			if (!passed || strcmp(path, passed) != 0)
				put_path(out, path);
		for (; *more; more++)
			put_path(out, *more);
	}
	if (in)
		fclose(in);
	bool good = out && !ferror(out);
	if (out && fclose(out) != 0)
		good = false;
	if (good && rename(tmp, name) == 0)
		return true;
	unlink(tmp);
	return fail_file(f, FAIL_USER, name, 0, "cannot write the list of files that the kernel was made from");
}

static bool newer(const struct stat *a, const struct stat *b)
{
	if (a->st_mtim.tv_sec != b->st_mtim.tv_sec)
		return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
	return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

static bool same_command(FILE *in, const struct tool *c)
{
	char want[LINE_SIZE], have[LINE_SIZE];
	first_lines(c, want, sizeof(want));
	size_t n = strlen(want);
	return fread(have, 1, n, in) == n && memcmp(have, want, n) == 0;
}

bool cc_dep_fresh(const char *output, const struct tool *c)
{
	char name[LINE_SIZE], path[LINE_SIZE];
	struct stat made, st;
	snprintf(name, sizeof(name), "%s.dep", output);
	FILE *in = stat(output, &made) == 0 ? fopen(name, "r") : NULL;
	if (!in)
		return false;
	bool fresh = same_command(in, c);
	int n = 0;
	while (fresh && fgets(path, sizeof(path), in)) {
		path[strcspn(path, "\n")] = 0;
		fresh = stat(path, &st) == 0 && !newer(&st, &made);
		n++;
	}
	fclose(in);
	return fresh && n > 0;
}
