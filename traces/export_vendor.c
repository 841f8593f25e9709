/*
 * export_vendor.c - the folder that the vendor's simulator leaves behind, for its viewer:
 *
 *   FOLDER/simulator/trace.json  visualize_data.bin  core0.veccore0/{trace.json,..._code_exe.csv,..._instr_exe.csv} ...
 *   FOLDER/OpBasicInfo.csv PipeUtilization.csv ...: what the same vendor's profiler writes on a board
 *
 * Written under another name and renamed when whole.
 */
#include "vendor.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CORES_AT_ONCE = 64 };

static bool make_folder(const char *path, struct fail *f)
{
	return mkdir(path, 0777) == 0 || fail_set(f, FAIL_USER, "%s cannot be made: %s", path, strerror(errno));
}

static bool must_be_new(const char *path, struct fail *f)
{
	DIR *d = opendir(path);
	bool empty = true;
	if (!d)
		return errno == ENOENT || fail_set(f, FAIL_USER, "%s cannot be written: %s", path, strerror(errno));
	for (struct dirent *e; (e = readdir(d));)
		empty &= strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
	closedir(d);
	if (empty)
		return true;
	fail_set(f, FAIL_USER, "%s exists and is not empty", path);
	return fail_hint(f, "name a new folder");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

FILE *vendor_create(const struct vendor *v, const char *core, const char *name, struct fail *f)
{
	char path[1200];
	snprintf(path, sizeof path, "%s/%.100s%s%.200s", v->folder, core ? core : "", core ? "/" : "", name);
	FILE *out = fopen(path, "w+");
	if (!out)
		fail_set(f, FAIL_USER, "%s cannot be written: %s", path, strerror(errno));
	return out;
}

bool vendor_finish(FILE *out, bool ok, struct fail *f)
{
	bool good = !ferror(out);
	good = fclose(out) == 0 && good;
	return ok && (good || fail_set(f, FAIL_USER, "the vendor folder cannot be written: %s", strerror(errno)));
}

static bool add_event(struct vendor *v, const struct vtr_event *e)
{
	const struct vtr *t = v->x->t;
	if (!v->sum[e->core] && !(v->sum[e->core] = calloc(t->n_site + 1, sizeof **v->sum)))
		return false;
	struct vendor_site *s = &v->sum[e->core][e->site];
	int64_t begin = export_begin(t, e), from = begin > s->last_end ? begin : s->last_end;
	s->calls++;
	s->bytes += e->bytes;
	s->conflict += (uint64_t)e->extra_bank;
	s->cycles += e->issue_end - begin;
	s->running += e->issue_end > from ? e->issue_end - from : 0;
	s->last_end = e->issue_end > s->last_end ? e->issue_end : s->last_end;
	s->pipe = e->pipe;
	if (!v->detail[e->site]) {
		char text[512];
		export_accesses(t, e, text, sizeof text);
		v->detail[e->site] = strdup(text);
	}
	v->x->n_event++;
	return true;
}

static bool add_up(struct vendor *v, struct fail *f)
{
	const struct vtr *t = v->x->t;
	struct vtr_walk *w = vtr_walk_new(t, v->x->filter, f);
	struct vtr_event e;
	bool ok = w != NULL;
	while (ok && vtr_next(w, &e))
		ok = add_event(v, &e);
	vtr_walk_free(w);
	return ok || fail_set(f, FAIL_INTERNAL, "no memory for the sums per instruction");
}

/* The name is a folder's: a trace that says otherwise gets none. */
static bool plain_name(const char *name)
{
	return name[0] && name[0] != '.' && !strchr(name, '/') && strlen(name) < 64;
}

static bool core_table(const struct vendor *v, uint32_t core, const char *kind,
		       bool (*write)(const struct vendor *, uint32_t, FILE *), struct fail *f)
{
	char name[200];
	const char *core_name = v->x->t->head.core[core].name;
	snprintf(name, sizeof name, "%.64s_%s_exe.csv", core_name, kind);
	FILE *out = vendor_create(v, core_name, name, f);
	if (!out)
		return false;
	bool ok = write(v, core, out) || fail_set(f, FAIL_INTERNAL, "no memory for the tables");
	return vendor_finish(out, ok, f);
}

static bool write_cores(struct vendor *v, uint32_t first, uint32_t n, struct fail *f)
{
	FILE *out[CORES_AT_ONCE] = { NULL };
	bool ok = true;
	for (uint32_t i = 0; ok && i < n; i++) {
		char path[700];
		const char *name = v->x->t->head.core[first + i].name;
		snprintf(path, sizeof path, "%s/%.64s", v->folder, name);
		ok = (plain_name(name) ||
		      fail_set(f, FAIL_USER, "the trace calls a core \"%.40s\": no name for a folder", name)) &&
		     make_folder(path, f) && (out[i] = vendor_create(v, name, "trace.json", f)) != NULL &&
		     core_table(v, first + i, "code", vendor_code_csv, f) &&
		     core_table(v, first + i, "instr", vendor_instr_csv, f);
	}
	ok = ok && vendor_core_traces(v, first, n, out, f);
	for (uint32_t i = 0; i < n; i++)
		if (out[i])
			ok = vendor_finish(out[i], ok, f);
	return ok;
}

static bool write_all(struct vendor *v, struct fail *f)
{
	uint32_t n_core = v->x->t->head.n_core;
	/* counters are of the whole run */
	v->x->no_counters = v->x->filter.from > 0 || v->x->filter.to < INT64_MAX ? EXPORT_RANGE
			    : v->x->t->counters.n_core == 0			 ? EXPORT_NONE
										 : EXPORT_COUNTERS;
	if (!add_up(v, f))
		return false;
	FILE *trace = vendor_create(v, NULL, "trace.json", f);
	if (!trace)
		return false;
	bool ok = vendor_summary_trace(v, trace, f);
	FILE *bin = ok ? vendor_create(v, NULL, "visualize_data.bin", f) : NULL;
	ok = bin && vendor_bin(v, trace, bin, f);
	if (bin)
		ok = vendor_finish(bin, ok, f);
	ok = vendor_finish(trace, ok, f);
	for (uint32_t c = 0; ok && c < n_core; c += CORES_AT_ONCE)
		ok = write_cores(v, c, n_core - c < CORES_AT_ONCE ? n_core - c : CORES_AT_ONCE, f);
	return ok && (v->x->no_counters || vendor_metrics(v, f));
}

bool export_vendor(struct export *x, const char *folder, struct fail *f)
{
	struct vendor v = { .x = x };
	char temporary[560], target[520];
	uint32_t n_core = x->t->head.n_core, n_site = x->t->n_site;
	if (strlen(folder) > 500)
		return fail_set(f, FAIL_USER, "the folder's name is too long");
	snprintf(target, sizeof target, "%s", folder);
	for (size_t n = strlen(target); n > 1 && target[n - 1] == '/'; n--)
		target[n - 1] = 0;
	snprintf(temporary, sizeof temporary, "%s.%d.tmp", target, (int)getpid());
	snprintf(v.folder, sizeof v.folder, "%s/simulator", temporary);
	if (!must_be_new(target, f) || !make_folder(temporary, f))
		return false;
	v.sum = calloc(n_core + 1, sizeof *v.sum);
	v.detail = calloc(n_site + 1, sizeof *v.detail);
	bool ok = (v.sum && v.detail) || fail_set(f, FAIL_INTERNAL, "no memory for the sums per instruction");
	ok = ok && make_folder(v.folder, f) && write_all(&v, f);
	if (ok && rename(temporary, target) != 0)
		ok = fail_set(f, FAIL_USER, "%s cannot be written: %s", folder, strerror(errno));
	if (!ok)
		nftw(temporary, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	for (uint32_t i = 0; v.sum && i < n_core; i++)
		free(v.sum[i]);
	for (uint32_t i = 0; v.detail && i < n_site; i++)
		free(v.detail[i]);
	free(v.sum);
	free(v.detail);
	return ok;
}
