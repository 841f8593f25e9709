/*
 * main.c - the accuracy tables. Without arguments: run everything and write ACCURACY.md and figures.txt beside the facts.
 * --check: run what is quick and fail when the mean error of a group has risen above figures.txt. --show TEXT: print
 * the comparisons whose id or group contains TEXT.
 */
#include "cases.h"
#include "micro.h"
#include "write.h"

#include <string.h>

static bool gather(struct table *t, bool quick, const char *only)
{
	char text[512];
	bool ok = micro_run(t, text, sizeof text) && cases_run(t, quick, only, text, sizeof text);
	if (!ok)
		fprintf(stderr, "accuracy: %s\n", text);
	return ok;
}

static void show(const struct table *t, const char *text)
{
	for (int i = 0; i < t->n; i++) {
		const struct result *r = &t->row[i];
		if (strstr(r->id, text) || strstr(r->group, text))
			printf("%s %s: %.2f %.2f %+.1f %%\n", r->id, r->metric, r->published, r->simulated,
			       100 * (r->simulated / r->published - 1));
	}
	for (int i = 0; i < t->n_left; i++)
		if (strstr(t->left[i].id, text))
			printf("%s: %s\n", t->left[i].id, t->left[i].why);
}

int main(int argc, char **argv)
{
	static struct table t;
	bool check = argc == 2 && strcmp(argv[1], "--check") == 0, all = argc == 1;
	bool print = argc == 3 && strcmp(argv[1], "--show") == 0;
	if (!check && !all && !print) {
		fprintf(stderr, "usage: accuracy [--check | --show TEXT]\n");
		return 2;
	}
	if (!gather(&t, check, print ? argv[2] : ""))
		return 1;
	int failed = 0;
	if (print)
		show(&t, argv[2]);
	else if (check)
		failed = figures_check(&t, "test/accuracy/figures.txt");
	else
		failed = !accuracy_write(&t, "test/accuracy/ACCURACY.md") || !figures_write(&t, "test/accuracy/figures.txt");
	table_free(&t);
	return failed != 0;
}
