/*
 * main.c - the accuracy tables: `make accuracy` writes test/accuracy/ACCURACY.md.
 */
#include "cases.h"
#include "micro.h"

#include <string.h>

int main(int argc, char **argv)
{
	static struct table t;
	char text[512];
	const char *only = argc > 1 ? argv[1] : "";
	bool kernels = strcmp(only, "-k") == 0;
	if (kernels)
		only = argc > 2 ? argv[2] : "";
	if (kernels ? !cases_run(&t, only, text, sizeof text) : !micro_run(&t, text, sizeof text)) {
		fprintf(stderr, "accuracy: %s\n", text);
		return 1;
	}
	const char *g[64];
	int n = table_groups(&t, g, 64);
	for (int i = 0; i < n; i++) {
		struct summary s = table_summary(&t, g[i]);
		printf("%-32s n %4d mean %6.2f %% worst %6.1f %% over10 %d\n", g[i], s.n, 100 * s.mean, 100 * s.worst, s.over_10);
	}
	for (int i = 0; i < t.n; i++) {
		double e = t.row[i].simulated / t.row[i].published - 1;
		if ((only[0] || kernels) && (kernels || strcmp(only, t.row[i].group) == 0 || strstr(t.row[i].id, only)) && (argc > 2 || e > .03 || e < -.03))
			printf("%s %s: %.2f %.2f %+.1f %%\n", t.row[i].id, t.row[i].metric, t.row[i].published, t.row[i].simulated, 100 * e);
	}
	for (int i = 0; i < t.n_left && (argc == 1 || kernels); i++)
		if (!strstr(t.left[i].why, "tile op") && !strstr(t.left[i].why, "vendor model"))
			printf("left %s: %s\n", t.left[i].id, t.left[i].why);
	table_free(&t);
	return 0;
}
