/*
 * tool.c - runs compilers: no shell, so that no file name can be more than a file name.
 */
#include "tool.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void add_bytes(struct tool *c, const char *arg, size_t size)
{
	char *copy = c->n < TOOL_ARGS ? strndup(arg, size) : NULL;
	if (!copy) {
		c->full = true;
		return;
	}
	c->argv[c->n++] = copy;
	c->argv[c->n] = NULL;
}

void tool_add(struct tool *c, const char *arg) { add_bytes(c, arg, strlen(arg)); }

void tool_add_all(struct tool *c, const char *const *args)
{
	for (; *args; args++)
		tool_add(c, *args);
}

void tool_add_split(struct tool *c, const char *text)
{
	static const char blanks[] = " \t\n";
	for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
		size_t length = strcspn(text, blanks);
		add_bytes(c, text, length);
		text += length;
	}
}

void tool_add_compile_flags(struct tool *c, const char *text)
{
	static const char *const with_value[] = { "-D", "-U", "-I", "-include", "-imacros", "-isystem", "-iquote", NULL };
	struct tool all = { 0 };
	tool_add_split(&all, text);
	for (int i = 0; i < all.n; i++) {
		const char *a = all.argv[i];
		bool skip = strncmp(a, "-D", 2) == 0 || strncmp(a, "-U", 2) == 0 || strncmp(a, "-I", 2) == 0;
		for (int k = 0; with_value[k]; k++)
			if (strcmp(a, with_value[k]) == 0) {
				skip = true;
				i++; /* its value */
				break;
			}
		if (!skip)
			tool_add(c, a);
	}
	c->full |= all.full;
	tool_free(&all);
}

void tool_free(struct tool *c)
{
	for (int i = 0; i < c->n; i++)
		free(c->argv[i]);
	memset(c, 0, sizeof(*c));
}

void tool_text(const struct tool *c, char *text, size_t size)
{
	size_t used = 0;
	if (size)
		text[0] = 0;
	for (int i = 0; i < c->n && used < size; i++) {
		int n = snprintf(text + used, size - used, "%s%s", i ? " " : "", c->argv[i]);
		used += n > 0 ? (size_t)n : 0;
	}
}

/* Start with stdout and stderr to `to`, or stdout to our stderr when that is negative. 0 when it does not start. */
static pid_t start(const struct tool *c, int to)
{
	posix_spawn_file_actions_t actions;
	pid_t child;
	if (c->full || c->n == 0 || posix_spawn_file_actions_init(&actions) != 0)
		return 0;
	bool started = (to < 0 || posix_spawn_file_actions_adddup2(&actions, to, STDERR_FILENO) == 0) &&
		       posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO) == 0 &&
		       posix_spawnp(&child, c->argv[0], &actions, NULL, c->argv, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	return started ? child : 0;
}

static int finish(pid_t child)
{
	int status;
	while (waitpid(child, &status, 0) < 0)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int tool_run(const struct tool *c)
{
	pid_t child = start(c, -1);
	return child ? finish(child) : -1;
}

static char *read_all(int from)
{
	char *text = NULL, piece[4096];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	for (ssize_t n; (n = read(from, piece, sizeof(piece))) > 0 || (n < 0 && errno == EINTR);)
		if (out && n > 0)
			fwrite(piece, 1, (size_t)n, out);
	if (out)
		fclose(out);
	return text;
}

int tool_run_text(const struct tool *c, char **text)
{
	int ends[2];
	*text = NULL;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	pid_t child = start(c, ends[1]);
	close(ends[1]);
	if (child)
		*text = read_all(ends[0]);
	close(ends[0]);
	return child ? finish(child) : -1;
}
