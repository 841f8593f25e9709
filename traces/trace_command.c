/*
 * trace_command.c - `vinci trace FILE.vtr`: what is in a trace, and the same in other programs' formats.
 */
#include "trace_command.h"

#include "../sim/cli.h"
#include "export.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: vinci trace FILE.vtr [options]\n"
	"Say what a trace holds, or write it in other programs' formats. Traces come from: vinci run KERNEL --trace FILE.vtr\n"
	"\n"
	"  --summary            instructions, busy cycles and waits per pipe (the default)\n"
	"  --chrome OUT.json    Chrome JSON, for ui.perfetto.dev and chrome://tracing\n"
	"  --perfetto OUT.pftrace  Perfetto's own format: exact times, smaller, better for long runs\n"
	"  --kanata OUT.log     for the pipeline viewer Konata\n"
	"  --csv OUT.csv        one row per instruction, in cycles\n"
	"  --vendor FOLDER      the vendor profiler's simulator folder, for its viewer, and its metric tables (not with\n"
	"                       --from, --to)\n"
	"  --time-unit UNIT     time axis of --chrome, --perfetto and --vendor: us (real time at the chip's clock; the\n"
	"                       default) or cycles (1 cycle is shown as 1 us)\n"
	"  --core N             only core N (its number in the trace)\n"
	"  --from CYCLE --to CYCLE  only instructions that touch these cycles\n"
	"\n"
	"OUT may be - for standard output. Exit status: 0 good, 2 wrong input.\n"
	"\n"
	"example: vinci run kernels/matmul --trace m.vtr && vinci trace m.vtr --chrome m.json\n";

enum { O_SUMMARY = 256, O_CHROME, O_PERFETTO, O_KANATA, O_CSV, O_VENDOR, O_UNIT, O_CORE, O_FROM, O_TO };

static const struct option long_options[] = {
	{ "summary", 0, 0, O_SUMMARY }, { "chrome", 1, 0, O_CHROME }, { "perfetto", 1, 0, O_PERFETTO },
	{ "kanata", 1, 0, O_KANATA },   { "csv", 1, 0, O_CSV },       { "vendor", 1, 0, O_VENDOR },
	{ "time-unit", 1, 0, O_UNIT },  { "core", 1, 0, O_CORE },     { "from", 1, 0, O_FROM },
	{ "to", 1, 0, O_TO },           { "help", 0, 0, 'h' },        { 0, 0, 0, 0 },
};

struct job { int what; const char *out; };
enum { JOBS = 16 };

static bool number(const char *option, const char *text, int64_t *v, struct fail *f)
{
	char *end;
	*v = strtoll(text, &end, 0);
	return (end != text && !*end && *v >= 0) ||
	       fail_set(f, FAIL_USER, "%s %s: expected a number from 0", option, text);
}

static bool take_option(int c, struct export *x, struct job *job, int *n_job, struct fail *f)
{
	int64_t v;
	switch (c) {
	case O_UNIT:
		x->cycles = strcmp(optarg, "cycles") == 0;
		return x->cycles || strcmp(optarg, "us") == 0 ||
		       fail_set(f, FAIL_USER, "--time-unit %s: expected us or cycles", optarg);
	case O_CORE:
		if (!number("--core", optarg, &v, f))
			return false;
		x->filter.core = v < VTR_CORES ? (int)v : VTR_CORES;
		return true;
	case O_FROM: return number("--from", optarg, &x->filter.from, f);
	case O_TO: return number("--to", optarg, &x->filter.to, f);
	case '?': return fail_set(f, FAIL_USER, "wrong option (see: vinci trace --help)");
	default:
		if (*n_job == JOBS)
			return fail_set(f, FAIL_USER, "more than %d outputs at once", JOBS);
		job[(*n_job)++] = (struct job){ c, optarg };
		return true;
	}
}

static bool write_stream(struct export *x, int what, FILE *out, struct fail *f)
{
	switch (what) {
	case O_CHROME: return export_chrome(x, out, f);
	case O_PERFETTO: return export_perfetto(x, out, f);
	case O_KANATA: return export_kanata(x, out, f);
	case O_CSV: return export_csv(x, out, f);
	default: export_summary(x, out); return true;
	}
}

static bool run_job(struct export *x, const struct job *job, struct fail *f)
{
	struct cli_file file;
	x->n_event = 0;
	x->n_bad = 0;
	if (job->what == O_VENDOR) {
		bool ok = export_vendor(x, job->out, f);
		if (ok && x->no_counters)
			fprintf(stderr, "vinci: %s: metric tables (PipeUtilization.csv ...) are left out: %s\n",
				job->out,
				x->no_counters == EXPORT_NONE ? "the trace has no counters" : "they are of a whole run");
		return ok;
	}
	if (!job->out || strcmp(job->out, "-") == 0)
		return write_stream(x, job->what, stdout, f) &&
		       (!ferror(stdout) || fail_set(f, FAIL_USER, "standard output cannot be written"));
	if (!cli_file_open(&file, job->out, f))
		return false;
	return cli_file_close(&file, write_stream(x, job->what, file.stream, f), f);
}

static bool run_jobs(const char *path, struct export *x, const struct job *job, int n_job, struct fail *f)
{
	struct vtr t;
	if (!vtr_open(path, &t, f))
		return false;
	x->t = &t;
	bool ok = x->filter.core < (int)t.head.n_core ||
		  fail_set(f, FAIL_USER, "--core %d: the trace has cores 0 to %u", x->filter.core, t.head.n_core - 1);
	if (t.cut)
		fprintf(stderr, "vinci: %s has no end: its run was killed or still goes on; %llu events are whole\n",
			path, (unsigned long long)t.n_event);
	for (int i = 0; i < n_job && ok; i++) {
		ok = run_job(x, &job[i], f);
		if (ok && t.n_bad + x->n_bad)
			fprintf(stderr, "vinci: %s: %u damaged blocks were left out\n", path, t.n_bad + x->n_bad);
	}
	vtr_close(&t);
	return ok;
}

int cli_trace(int argc, char **argv)
{
	struct export x = { .filter = VTR_ALL };
	struct job job[JOBS];
	struct fail f = { 0 };
	int n_job = 0, c;
	bool ok = true;
	optind = 1;
	while (ok && (c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (c == 'h') {
			fputs(usage, stdout);
			return 0;
		}
		ok = take_option(c, &x, job, &n_job, &f);
	}
	if (ok && optind != argc - 1)
		ok = fail_set(&f, FAIL_USER, "name one trace file (see: vinci trace --help)");
	if (n_job == 0)
		job[n_job++] = (struct job){ O_SUMMARY, NULL };
	ok = ok && run_jobs(argv[optind], &x, job, n_job, &f);
	if (!ok)
		fail_print(&f);
	return ok ? 0 : (int)f.class;
}
