/*
 * view_load.c - reading a long trace behind the window: its report, totals and cores are shown at once from the file's head
 * and index, the instructions when a thread has read them.
 */
#include "view.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct view_load {
	pthread_t thread;
	char path[512];
	struct model *model;
	struct fail fail;
	bool ok;
	atomic_bool done;
};

static void *read_trace(void *arg)
{
	struct view_load *l = arg;
	l->ok = model_open(l->model, l->path, &l->fail);
	atomic_store(&l->done, true);
	return NULL;
}

void view_load_begin(struct view *v, int run, const char *path)
{
	struct view_load *l = calloc(1, sizeof *l);
	struct fail f = { 0 };
	if (l && (l->model = malloc(sizeof *l->model))) {
		snprintf(l->path, sizeof l->path, "%s", path);
		v->load[run] = l;
		v->ui.run[run].reading = true;
		/* without a thread the window waits for it */
		if (pthread_create(&l->thread, NULL, read_trace, l) == 0)
			return;
		v->load[run] = NULL;
		v->ui.run[run].reading = false;
	}
	free(l ? l->model : NULL);
	free(l);
	fail_set(&f, FAIL_INTERNAL, "no memory or thread to read %s", path);
	ui_fail(&v->ui, &f);
}

/* The thread has ended or ends now; what it read goes into the window when it is wanted. */
static void finish(struct view *v, int run, bool wanted)
{
	struct view_load *l = v->load[run];
	pthread_join(l->thread, NULL);
	v->load[run] = NULL;
	if (l->ok && wanted) {
		ui_whole_run(&v->ui, run, l->model);
		view_say(v, l->model);
	} else {
		if (l->ok)
			model_free(l->model);
		else if (wanted)
			ui_fail(&v->ui, &l->fail);
		free(l->model);
	}
	free(l);
}

bool view_loaded(struct view *v)
{
	bool left = false;
	for (int i = 0; i < UI_RUNS; i++)
		if (v->load[i] && atomic_load(&v->load[i]->done))
			finish(v, i, true);
		else
			left |= v->load[i] != NULL;
	return left;
}

void view_load_wait(struct view *v)
{
	for (int i = 0; i < UI_RUNS; i++)
		if (v->load[i])
			finish(v, i, false);
}
