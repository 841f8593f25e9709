/*
 * coverage_main.c - the test program's main: Criterion's own, and behind a whole run the gate on the instruction table. A run
 * that chooses tests (--filter) has no gate.
 */
#include "coverage.h"

#include <criterion/criterion.h>
#include <string.h>

int main(int argc, char **argv)
{
	bool whole = true;
	for (int i = 1; i < argc; i++)
		whole &= strncmp(argv[i], "--filter", 8) && strncmp(argv[i], "--pattern", 9) && strncmp(argv[i], "--debug", 7);
	struct criterion_test_set *tests = criterion_initialize();
	int status = 0;
	whole &= coverage_open();
	if (criterion_handle_args(argc, argv, true))
		status = !criterion_run_all_tests(tests);
	else
		whole = false;
	criterion_finalize(tests);
	if (whole && status == 0) {
		int gaps = coverage_report(stderr);
		if (gaps)
			fprintf(stderr, "coverage: %d gaps\n", gaps);
		status = gaps != 0;
	}
	coverage_close();
	return status;
}
