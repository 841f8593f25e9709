/*
 * golden.c - runs a golden program in a temporary folder: inputs as raw files, a manifest, outputs read back.
 */
#include "golden.h"

#include "cc.h"
#include "home.h"
#include "launch_parts.h"

#include <dirent.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATH_SIZE = 640 };

static bool is_input(const struct launch_arg *a)
{
	return a->kind == ARG_IN || a->kind == ARG_INOUT;
}

static bool is_output(const struct launch_arg *a)
{
	return a->kind == ARG_OUT || a->kind == ARG_INOUT;
}

static void file_name(const char *folder, const char *direction, const struct launch_arg *a, char *path)
{
	snprintf(path, PATH_SIZE, "%s/%s_%s.bin", folder, direction, a->name);
}

static void array_line(FILE *out, const char *direction, const char *folder, const struct launch_arg *a,
		       const struct array *array)
{
	char path[PATH_SIZE];
	file_name(folder, direction, a, path);
	fprintf(out, "%s %s %s %d", direction, a->name, dtype_name(array->dtype), array->n_dim);
	for (int i = 0; i < array->n_dim; i++)
		fprintf(out, " %" PRIu64, array->dim[i]);
	fprintf(out, " %s\n", path);
}

/* A scalar argument is a number or an expression over the parameters. */
static bool scalar_line(FILE *out, const struct launch *l, const struct launch_arg *a, struct fail *f)
{
	double real;
	int64_t whole;
	if (launch_number(a->scalar, &real)) {
		fprintf(out, "scalar %s %.17g\n", a->name, real);
		return true;
	}
	if (!launch_eval(l, a->scalar, &whole, f))
		return false;
	fprintf(out, "scalar %s %" PRId64 "\n", a->name, whole);
	return true;
}

static bool write_manifest(const struct launch *l, const struct array *array, const char *folder, const char *file,
			   struct fail *f)
{
	bool ok = true;
	FILE *out = fopen(file, "w");
	if (!out)
		return fail_file(f, FAIL_USER, file, 0, "cannot write %s: %s", file, strerror(errno));
	for (int i = 0; i < l->n_param; i++)
		fprintf(out, "param %s %" PRId64 "\n", l->param[i].name, l->param[i].value);
	for (int i = 0; i < l->n_arg && ok; i++) {
		const struct launch_arg *a = &l->arg[i];
		char path[PATH_SIZE];
		if (is_input(a)) {
			file_name(folder, "in", a, path);
			array_line(out, "in", folder, a, &array[i]);
			ok = array_write(path, &array[i], f);
		}
		if (is_output(a))
			array_line(out, "out", folder, a, &array[i]);
		if (a->kind == ARG_SCALAR)
			ok = scalar_line(out, l, a, f);
	}
	if (fclose(out) != 0 && ok)
		ok = fail_file(f, FAIL_USER, file, 0, "cannot write %s: %s", file, strerror(errno));
	return ok;
}

/* What the program prints is for the reader, not a result: stdout goes to stderr. */
static bool execute(const char *program, const char *manifest, const char *source, struct fail *f)
{
	posix_spawn_file_actions_t actions;
	char *argv[] = { (char *)(uintptr_t)program, (char *)(uintptr_t)manifest, NULL };
	pid_t pid;
	int status = 0;
	fflush(NULL);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, 2, 1);
	int error = posix_spawn(&pid, program, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error != 0)
		return fail_file(f, FAIL_USER, source, 0, "cannot run the golden program: %s", strerror(error));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail_set(f, FAIL_INTERNAL, "waitpid: %s", strerror(errno));
	if (WIFSIGNALED(status))
		return fail_file(f, FAIL_USER, source, 0, "the golden program was ended by signal %d (%s)",
				 WTERMSIG(status), strsignal(WTERMSIG(status)));
	if (WEXITSTATUS(status) != 0)
		return fail_file(f, FAIL_USER, source, 0, "the golden program ended with status %d",
			WEXITSTATUS(status));
	return true;
}

/* golden_bound wrote one: doubles, as many as elements, none negative, infinite or NaN. */
static bool read_bound(const struct launch *l, const char *folder, const struct launch_arg *a, struct array *golden,
		       struct fail *f)
{
	char path[PATH_SIZE];
	struct array bound;
	file_name(folder, "bound", a, path);
	if (access(path, R_OK) != 0)
		return true;
	if (!array_read(path, DT_F64, golden->n_dim, golden->dim, &bound, f))
		return false;
	golden->bound = (double *)(void *)bound.data;
	for (uint64_t i = 0; i < golden->count; i++)
		if (!(golden->bound[i] >= 0 && golden->bound[i] <= DBL_MAX))
			return fail_file(f, FAIL_USER, l->golden, 0,
					 "the golden program's bound of \"%s\" is %g at element %" PRIu64, a->name,
					 golden->bound[i], i);
	return true;
}

static bool read_outputs(const struct launch *l, const struct array *array, const char *folder, struct array *golden,
			 struct fail *f)
{
	bool ok = true;
	for (int i = 0; i < l->n_arg && ok; i++) {
		const struct launch_arg *a = &l->arg[i];
		char path[PATH_SIZE];
		if (!is_output(a))
			continue;
		file_name(folder, "out", a, path);
		if (access(path, R_OK) != 0) {
			fail_file(f, FAIL_USER, l->golden, 0, "the golden program wrote no output \"%s\"", a->name);
			return fail_hint(f, "call golden_put_f32(g, \"%s\", values)", a->name);
		}
		ok = array_read(path, array[i].dtype, array[i].n_dim, array[i].dim, &golden[i], f) &&
		     read_bound(l, folder, a, &golden[i], f);
	}
	return ok;
}

static void remove_folder(const struct launch *l, const char *folder, const char *manifest)
{
	char path[PATH_SIZE];
	for (int i = 0; i < l->n_arg; i++) {
		file_name(folder, "in", &l->arg[i], path);
		unlink(path);
		file_name(folder, "out", &l->arg[i], path);
		unlink(path);
		file_name(folder, "bound", &l->arg[i], path);
		unlink(path);
	}
	unlink(manifest);
	rmdir(folder);
}

/* Time of the newest C file in a folder, that is of all that a golden program may include. */
static int64_t newest(const char *folder)
{
	DIR *d = opendir(folder);
	int64_t at = 0;
	if (!d)
		return INT64_MAX;
	for (struct dirent *e; (e = readdir(d));) {
		size_t n = strlen(e->d_name);
		char path[PATH_SIZE + 256];
		struct stat st;
		if (n < 3 || e->d_name[n - 2] != '.' || (e->d_name[n - 1] != 'c' && e->d_name[n - 1] != 'h'))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (stat(path, &st) == 0 && st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec > at)
			at = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
	}
	closedir(d);
	return at;
}

static bool up_to_date(const char *source, const char *program, const char *include)
{
	char folder[PATH_SIZE];
	struct stat st;
	const char *slash = strrchr(source, '/');
	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - source) : 1, slash ? source : ".");
	if (stat(program, &st) != 0)
		return false;
	int64_t made = st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
	return newest(folder) < made && newest(include) < made;
}

bool golden_run(const struct launch *l, const char *program, const struct array *array, struct array *golden, struct fail *f)
{
	const char *base = getenv("TMPDIR");
	char folder[512], manifest[PATH_SIZE], include[4400];
	int n = snprintf(folder, sizeof(folder), "%s/vinci-golden-XXXXXX", base && base[0] ? base : "/tmp");
	if (n < 0 || (size_t)n >= sizeof(folder) || !mkdtemp(folder))
		return fail_set(f, FAIL_USER, "cannot make a temporary folder %s: %s", folder, strerror(errno));
	snprintf(manifest, sizeof(manifest), "%s/manifest", folder);
	snprintf(include, sizeof(include), "%s/kernels", vinci_home());
	bool ok = (up_to_date(l->golden, program, include) || cc_host(l->golden, program, include, f)) &&
		  write_manifest(l, array, folder, manifest, f) && execute(program, manifest, l->golden, f) &&
		  read_outputs(l, array, folder, golden, f);
	remove_folder(l, folder, manifest);
	return ok;
}
