/*
 * command.h - an argument vector, and running it without a shell.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stddef.h>

enum { COMMAND_ARGS = 160 };

struct command {
	int n;
	bool full;                    /* too many arguments or no memory: it will not run */
	char *argv[COMMAND_ARGS + 1]; /* NULL at the end */
};

void command_add(struct command *c, const char *arg);
/* A NULL-terminated list of arguments. */
void command_add_all(struct command *c, const char *const *args);
/* Several in one text, split at blanks. */
void command_add_split(struct command *c, const char *text);
void command_free(struct command *c);

/* The command as one line, for messages; cut when it does not fit. */
void command_text(const struct command *c, char *text, size_t size);

/* Run and wait; its stdout goes to our stderr. Returns the exit status, 128 + n for signal n, -1 when the program does
 * not exist or cannot be started. */
int command_run(const struct command *c);

#endif
