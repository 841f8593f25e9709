/*
 * why_rig.c - kernels changed in one place, run and reported.
 */
#include "why_rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *read_all(const char *path)
{
	FILE *in = fopen(path, "rb");
	cr_assert_not_null(in, "%s", path);
	cr_assert_eq(fseek(in, 0, SEEK_END), 0);
	long n = ftell(in);
	rewind(in);
	char *text = calloc((size_t)n + 1, 1);
	cr_assert_eq(fread(text, 1, (size_t)n, in), (size_t)n);
	fclose(in);
	return text;
}

static void write_all(const char *path, const char *text)
{
	FILE *out = fopen(path, "wb");
	cr_assert_not_null(out, "%s", path);
	fputs(text, out);
	fclose(out);
}

static char *replace(char *text, const struct rig_change *c)
{
	char *at = strstr(text, c->from);
	cr_assert_not_null(at, "the kernel no longer contains \"%s\"", c->from);
	char *more = calloc(strlen(text) + strlen(c->to) + 1, 1);
	sprintf(more, "%.*s%s%s", (int)(at - text), text, c->to, at + strlen(c->from));
	free(text);
	return more;
}

/* A changed copy of the source, beside a copy of tile.h as in kernels/. */
static void change_source(char *path, size_t size, const char *name, const struct rig_change *c)
{
	char from[512], folder[128], tile[160];
	snprintf(from, sizeof from, "%s", path);
	char *text = read_all(from), *header = read_all("kernels/tile.h");
	for (; c->from; c++)
		text = replace(text, c);
	snprintf(folder, sizeof folder, "build/why-%d", (int)getpid());
	mkdir(folder, 0777);
	snprintf(tile, sizeof tile, "%s/tile.h", folder);
	write_all(tile, header);
	snprintf(path, size, "%s/%s", folder, name);
	mkdir(path, 0777);
	snprintf(path, size, "%s/%s/%s.c", folder, name, name);
	write_all(path, text);
	free(text);
	free(header);
}

void rig_run(struct run *r, const char *name, const char *cfg, const char *const *set, const struct rig_change *change)
{
	struct run_options o = { .quiet = true, .no_check = true, .timing_only = true };
	struct fail f = { 0 };
	char path[256], err[400];
	memset(r, 0, sizeof *r);
	cr_assert(isa_init(err, sizeof err), "%s", err);
	snprintf(path, sizeof path, "kernels/%s/%s", name, cfg);
	cr_assert(launch_load(path, &r->launch, &f), "%s", f.what);
	for (; set && *set; set++)
		cr_assert(launch_set(&r->launch, *set, &f), "%s", f.what);
	if (change)
		change_source(r->launch.kernel, sizeof r->launch.kernel, name, change);
	cr_assert(run_launch(r, &o, &f), "%s", f.what);
}

int rig_finding(const struct run *r, const char *id)
{
	for (int i = 0; i < r->report.n_finding; i++)
		if (strcmp(r->report.finding[i].id, id) == 0)
			return i;
	return -1;
}

char *rig_text(const struct run *r)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	report_text(&r->report, out);
	fclose(out);
	return text;
}
