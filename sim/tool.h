/*
 * tool.h - an argument vector, and running it without a shell.
 */
#ifndef TOOL_H
#define TOOL_H

#include <stdbool.h>
#include <stddef.h>

enum { TOOL_ARGS = 160 };

struct tool {
	int n;
	bool full;                    /* too many arguments or no memory: it will not run */
	char *argv[TOOL_ARGS + 1]; /* NULL at the end */
};

void tool_add(struct tool *c, const char *arg);
/* A NULL-terminated list of arguments. */
void tool_add_all(struct tool *c, const char *const *args);
/* Several in one text, split at blanks. */
void tool_add_split(struct tool *c, const char *text);
/* The same without what is for the preprocessor (-D, -U, -I, -include and the like). */
void tool_add_compile_flags(struct tool *c, const char *text);
void tool_free(struct tool *c);

/* The command as one line, for messages; cut when it does not fit. */
void tool_text(const struct tool *c, char *text, size_t size);

/* Run and wait; its stdout goes to our stderr. Returns the exit status, 128 + n for signal n, -1 when the program does
 * not exist or cannot be started. */
int tool_run(const struct tool *c);

/* The same with what it prints on stdout and stderr in *text, the caller's to free; NULL when that does not fit in memory. */
int tool_run_text(const struct tool *c, char **text);

#endif
