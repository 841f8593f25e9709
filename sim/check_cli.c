/*
 * check_cli.c - `vinci check TARGET`: a run with all checks on, and the same run again in other orders of the pipes.
 */
#include "run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* First byte where two runs' outputs differ; false when they are the same. */
static bool outputs_differ(const struct run *a, const struct run *b, char *text, size_t size)
{
	for (int i = 0; i < a->report.n_output; i++) {
		const struct array *x = &a->report.output[i].array, *y = &b->report.output[i].array;
		for (uint64_t j = 0; j < x->bytes; j++)
			if (x->data[j] != y->data[j]) {
				snprintf(text, size, "%s differs from byte %" PRIu64 " on", a->report.output[i].name,
					 j);
				return true;
			}
	}
	return false;
}

/* One run in the order of a seed. 1: another result, 0: the same, -1: it could not be run. */
static int fuzz_once(const struct run *first, const struct launch *launch, const struct run_options *o, uint64_t seed,
		     char *text, size_t size, struct fail *f)
{
	struct run *r = calloc(1, sizeof *r);
	struct run_options again = { .quiet = true,
				     .no_check = true,
				     .max_cycles = o->max_cycles,
				     .fuzz_seed = seed,
				     .keep_going = o->keep_going };
	struct fail why = { 0 };
	int result;
	if (!r) {
		fail_set(f, FAIL_INTERNAL, "no memory for a run");
		return -1;
	}
	r->launch = *launch;
	for (int i = 0; i < r->launch.n_arg; i++)
		r->launch.arg[i].out[0] = 0;
	r->n_chip_set = first->n_chip_set;
	memcpy(r->chip_set, first->chip_set, sizeof r->chip_set);
	if (run_launch(r, &again, &why)) {
		result = outputs_differ(first, r, text, size);
	} else if (why.class == FAIL_KERNEL) {
		snprintf(text, size, "it ends with: %.300s", why.what);
		result = 1;
	} else {
		*f = why;
		result = -1;
	}
	run_free(r);
	free(r);
	return result;
}

/* False: f is set. *different counts orders with another result. */
static bool fuzz(const struct run *first, const struct launch *launch, const struct run_options *o, int64_t *different,
		 struct fail *f)
{
	FILE *out = o->json && !o->json_file[0] ? stderr : stdout;
	char text[400];
	*different = 0;
	for (int64_t i = 1; i <= o->order_fuzz; i++) {
		int d = fuzz_once(first, launch, o, (uint64_t)i, text, sizeof text, f);
		if (d < 0)
			return false;
		if (d && ++*different <= 5)
			fprintf(out, "order %" PRId64 ": another result: %s\n", i, text);
	}
	if (o->order_fuzz)
		fprintf(out,
			"\nOrders   %" PRId64 " of %" PRId64 " other legal orders of the pipes give another result\n",
			*different, o->order_fuzz);
	return true;
}

static int check(struct run *r, const struct run_options *o)
{
	struct launch launch = r->launch;
	struct fail f = { 0 }, why = { 0 };
	int64_t different = 0;
	if (run_launch(r, o, &why)) {
		if (!run_print(r, o, NULL, &f) || !fuzz(r, &launch, o, &different, &f)) {
			fail_print(&f);
			return (int)f.class;
		}
		return different ? FAIL_KERNEL : run_status(r);
	}
	if (!r->checker || why.class != FAIL_KERNEL) {
		fail_print(&why);
		return (int)why.class;
	}
	check_add_fail(r->checker, &why);
	if (!run_print(r, o, &why, &f)) {
		fail_print(&f);
		return (int)f.class;
	}
	return FAIL_KERNEL;
}

int cli_check(int argc, char **argv)
{
	struct run *r = calloc(1, sizeof *r);
	struct run_options o = { .check = CHECK_ALL };
	struct fail f = { 0 };
	bool help = false;
	int status;
	if (argc < 2) {
		fputs("usage: vinci check TARGET [options of vinci run] [--order-fuzz N]\n", stderr);
		free(r);
		return FAIL_USER;
	}
	if (!r)
		return FAIL_INTERNAL;
	if (!run_parse(r, &o, argc, argv, &help, &f)) {
		fail_print(&f);
		status = (int)f.class;
	} else if (help) {
		fputs("usage: vinci check TARGET [options]: vinci run with all checks on. Options of vinci run:\n\n",
		      stdout);
		run_usage(stdout);
		status = 0;
	} else {
		status = check(r, &o);
	}
	run_free(r);
	free(r);
	return status;
}
