/*
 * tune_search.c - which candidates are timed. Grid: all; random: a sample; halving: all (or a sample) at the cheapest
 * rung, the best third of them at the next, and so on up to the full shape. Rungs shorten a dimension that leaves the
 * number of tiles alone (K of a matrix product): the order of candidates is then nearly the full shape's at a
 * fraction of the cost, which a model fitted to a few points of such a jagged, discrete space does not reach.
 *
 * Every candidate's values are checked before its first timing. All choices follow from results and the seed, so a
 * run that goes on after a kill makes the same ones.
 */
#include "tune.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char check_key[] = "check";

/* SplitMix64 */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* The first n of list become a random sample of its m. */
static void sample(int64_t *list, int64_t m, int64_t n, uint64_t seed)
{
	for (int64_t i = 0; i < n; i++) {
		int64_t j = i + (int64_t)(draw(&seed) % (uint64_t)(m - i)), x = list[i];
		list[i] = list[j];
		list[j] = x;
	}
}

/* Points that break no constraint at this shape; what the others break is counted. */
static bool find_fit(struct tune *t, const struct tune_sets *shape, struct fail *f)
{
	struct launch *l = malloc(sizeof *l);
	struct tune_sets point;
	bool ok = l != NULL;

	free(t->fit);
	t->fit = malloc((size_t)t->space.n_all * sizeof *t->fit);
	t->n_fit = 0;
	memset(t->rejected, 0, sizeof t->rejected);
	memset(t->nearest, 0, sizeof t->nearest);
	if (!t->fit || !l) {
		free(l);
		return fail_set(f, FAIL_INTERNAL, "no memory for the candidates");
	}
	for (int64_t i = 0; ok && i < t->space.n_all; i++) {
		int broken;
		int64_t missing;
		*l = t->launch;
		tune_point(&t->space, i, &point);
		ok = tune_apply(l, shape, f) && tune_apply(l, &point, f) && tune_fits(&t->space, l, &broken, &missing, f);
		if (ok && broken < 0) {
			t->fit[t->n_fit++] = i;
		} else if (ok) {
			if (!t->rejected[broken]++ || missing < t->nearest[broken])
				t->nearest[broken] = missing;
		}
	}
	free(l);
	return ok;
}

static bool right(const struct tune *t, const struct tune_sets *point)
{
	const struct tune_result *r = tune_log_find(&t->log, check_key, point->text);

	return r && r->status == TUNE_RIGHT;
}

/* Check values of all, then time the right ones at a shape. */
static bool time_points(struct tune *t, const struct tune_sets *shape, const struct tune_sets *point, int64_t n,
			const char *what,
			struct fail *f)
{
	struct tune_job *job = calloc((size_t)(n ? n : 1), sizeof *job);
	int64_t k = 0;
	bool ok;

	if (!job)
		return fail_set(f, FAIL_INTERNAL, "no memory for the candidates");
	for (int64_t i = 0; i < n; i++) {
		snprintf(job[i].shape.text, sizeof job[i].shape.text, "%s", check_key);
		job[i].point = point[i];
		job[i].check = true;
	}
	ok = tune_work(t, job, n, "values checked", f);
	for (int64_t i = 0; ok && i < n; i++)
		if (right(t, &point[i]))
			job[k++] = (struct tune_job){ .shape = *shape, .point = point[i] };
	ok = ok && tune_work(t, job, k, what, f);
	free(job);
	return ok;
}

static int by_cycles(const void *pa, const void *pb)
{
	const struct tune_result *a = *(const struct tune_result *const *)pa, *b = *(const struct tune_result *const *)pb;

	return a->cycles != b->cycles ? (a->cycles < b->cycles ? -1 : 1) : strcmp(a->point.text, b->point.text);
}

const struct tune_result **tune_ranked(const struct tune *t, const char *shape, int64_t *n)
{
	const struct tune_result **list = malloc((size_t)(t->log.n ? t->log.n : 1) * sizeof *list);

	*n = 0;
	for (int64_t i = 0; list && i < t->log.n; i++)
		if (t->log.result[i].status == TUNE_TIMED && strcmp(t->log.result[i].shape.text, shape) == 0)
			list[(*n)++] = &t->log.result[i];
	if (list)
		qsort(list, (size_t)*n, sizeof *list, by_cycles);
	return list;
}

/*
 * The best third of those in `point` that were timed at `shape` become the first of `point`; the launch file's own values
 * stay.
 */
static bool keep_best(struct tune *t, const char *shape, struct tune_sets *point, int64_t *n, struct fail *f)
{
	const struct tune_result **in = malloc((size_t)*n * sizeof *in);
	int64_t timed = 0, keep;

	if (!in)
		return fail_set(f, FAIL_INTERNAL, "no memory for the candidates");
	for (int64_t i = 0; i < *n; i++) {
		const struct tune_result *r = tune_log_find(&t->log, shape, point[i].text);
		if (r && r->status == TUNE_TIMED)
			in[timed++] = r;
	}
	qsort(in, (size_t)timed, sizeof *in, by_cycles);
	keep = timed <= 8 ? timed : (timed + 2) / 3;
	for (int64_t i = 0; i < keep; i++)
		point[i] = in[i]->point;
	*n = keep;
	free(in);
	return true;
}

/* A shape made cheaper by a rung: what is smaller already stays. False when that leaves the shape as it is. */
static bool rung_of(const struct tune *t, const struct tune_sets *shape, int i, struct tune_sets *rung, bool *cheaper,
		    struct fail *f)
{
	struct launch *l = malloc(sizeof *l);

	*cheaper = false;
	if (!l)
		return fail_set(f, FAIL_INTERNAL, "no memory");
	*l = t->launch;
	*rung = *shape;
	bool ok = tune_apply(l, shape, f);
	for (int k = 0; ok && k < l->n_param; k++) {
		size_t at = strlen(rung->text);
		int64_t v;
		if (!tune_value(&t->space.rung[i], l->param[k].name, &v) || v >= l->param[k].value)
			continue;
		snprintf(rung->text + at, sizeof rung->text - at, "%s%s=%" PRId64, at ? "," : "", l->param[k].name, v);
		*cheaper = true;
	}
	free(l);
	return ok;
}

static bool halve(struct tune *t, const struct tune_sets *shape, struct tune_sets *point, int64_t *n, struct fail *f)
{
	for (int i = 0; i < t->space.n_rung; i++) {
		struct tune_sets rung;
		char what[48];
		bool cheaper;

		if (!rung_of(t, shape, i, &rung, &cheaper, f))
			return false;
		if (!cheaper)
			continue;
		snprintf(what, sizeof what, "rung %d of %d", i + 1, t->space.n_rung);
		if (!time_points(t, &rung, point, *n, what, f) || !keep_best(t, rung.text, point, n, f))
			return false;
	}
	return true;
}

bool tune_search(struct tune *t, const struct tune_sets *shape, struct fail *f)
{
	int64_t n;
	bool halving = strcmp(t->search, "halving") == 0;

	if (!find_fit(t, shape, f))
		return false;
	n = t->n_fit;
	if (strcmp(t->search, "grid") != 0 && t->budget && t->budget < n) {
		n = t->budget;
		sample(t->fit, t->n_fit, n, t->seed);
	}
	struct tune_sets *point = malloc((size_t)(n + 1) * sizeof *point);
	if (!point)
		return fail_set(f, FAIL_INTERNAL, "no memory for the candidates");
	for (int64_t i = 0; i < n; i++)
		tune_point(&t->space, t->fit[i], &point[i]);
	bool ok = !halving || halve(t, shape, point, &n, f);
	tune_standard(t, shape, &point[n]); /* what the launch file says, to compare with */
	ok = ok && time_points(t, shape, point, n + 1, "timed", f);
	free(point);
	return ok;
}
