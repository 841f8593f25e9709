/*
 * table.c - collects published and simulated values, and sums them up.
 */
#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void table_add(struct table *t, const char *group, const char *id, const char *metric, double published, double simulated)
{
	if (t->n == t->max) {
		t->max = t->max ? 2 * t->max : 1024;
		t->row = realloc(t->row, (size_t)t->max * sizeof *t->row);
	}
	struct result *r = &t->row[t->n++];
	snprintf(r->group, sizeof r->group, "%s", group);
	snprintf(r->id, sizeof r->id, "%s", id);
	snprintf(r->metric, sizeof r->metric, "%s", metric);
	r->slow = t->slow;
	r->held = t->held;
	r->published = published;
	r->simulated = simulated;
}

void table_leave(struct table *t, const char *id, const char *fmt, ...)
{
	va_list ap;
	if (t->n_left == (int)(sizeof t->left / sizeof t->left[0]))
		return;
	snprintf(t->left[t->n_left].id, sizeof t->left[0].id, "%s", id);
	va_start(ap, fmt);
	vsnprintf(t->left[t->n_left++].why, sizeof t->left[0].why, fmt, ap);
	va_end(ap);
}

void table_free(struct table *t) { free(t->row); }

static double error_of(const struct result *r)
{
	double e = r->simulated / r->published - 1;
	return e < 0 ? -e : e;
}

struct summary table_summary(const struct table *t, const char *group)
{
	struct summary s = { 0 };
	for (int i = 0; i < t->n; i++) {
		if (strcmp(t->row[i].group, group) != 0)
			continue;
		double e = error_of(&t->row[i]);
		s.n++;
		s.mean += e;
		s.over_10 += e > 0.1;
		s.worst = e > s.worst ? e : s.worst;
	}
	s.mean = s.n ? s.mean / s.n : 0;
	return s;
}

enum { RANK_MAX = 64 };

/* Rank of value i among n: values within 0.05 % of each other are ties and share the mean of their places. */
static double rank(const double *v, int n, int i)
{
	double r = 0;
	for (int k = 0; k < n; k++)
		r += v[k] < v[i] * 0.9995 ? 1 : v[k] <= v[i] * 1.0005 ? 0.5 : 0;
	return r;
}

double table_rank(const struct table *t, const char *group, const char *prefix, const char *metric, int *n)
{
	double a[RANK_MAX], b[RANK_MAX], sum = 0, sa = 0, sb = 0, mean;
	*n = 0;
	for (int i = 0; i < t->n && *n < RANK_MAX; i++)
		if (strcmp(t->row[i].group, group) == 0 && strncmp(t->row[i].id, prefix, strlen(prefix)) == 0 &&
		    (!metric || strcmp(t->row[i].metric, metric) == 0)) {
			a[*n] = t->row[i].published;
			b[(*n)++] = t->row[i].simulated;
		}
	mean = *n / 2.0;
	for (int i = 0; i < *n; i++) {
		double x = rank(a, *n, i) - mean, y = rank(b, *n, i) - mean;
		sum += x * y;
		sa += x * x;
		sb += y * y;
	}
	if (sa <= 0 || sb <= 0)
		return sa == sb;
	/* both are near n^3/12; with ties their product's root lies between them */
	double lo = sa < sb ? sa : sb, hi = sa < sb ? sb : sa, root = hi;
	for (int i = 0; i < 60; i++)
		root = (root + lo * hi / root) / 2;
	return sum / root;
}
