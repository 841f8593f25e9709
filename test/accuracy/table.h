/*
 * table.h - results of the accuracy runs and the Markdown made of them.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stdio.h>

/* One comparison. group: what it counts to in the summary; case_id: row of the source file; metric: which of its values. */
struct result {
	char group[48], id[96], metric[32];
	double published, simulated;
	bool slow;                /* not among the quick rows */
	bool held;                /* no parameter of a chip was fitted to this case */
};

struct table {
	int n, max;
	bool slow, held;          /* what rows to come are */
	struct result *row;
	int n_left;               /* rows of the source files that are not compared */
	struct { char id[96], why[160]; } left[512];
};

void table_add(struct table *t, const char *group, const char *id, const char *metric, double published, double simulated);
void table_leave(struct table *t, const char *id, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void table_free(struct table *t);

/* Mean and largest |simulated / published - 1| of a group. */
struct summary { int n, over_10; double mean, worst; };
struct summary table_summary(const struct table *t, const char *group);
/* Spearman's rank correlation over the rows of one group and metric whose id starts with prefix; n: how many; metric
 * NULL: any. */
double table_rank(const struct table *t, const char *group, const char *prefix, const char *metric, int *n);
#endif
