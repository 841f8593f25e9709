/*
 * run.h - `vinci run`: from a launch to a report.
 */
#ifndef RUN_H
#define RUN_H

#include "check.h"
#include "report.h"
#include "trace_sink.h"
#include "why.h"
#include "why_occupancy.h"

struct run_options {
	bool json, quiet, timing_only, no_check, force_compile;
	bool view, source, disassembly, bounds, roofline, buffers; /* view: only what is asked for */
	int n_what_if;
	const char *what_if[16];
	int64_t max_cycles;
	unsigned check;               /* enum check_bit */
	bool keep_going;              /* pass over what is not modelled */
	bool all_findings;            /* of the checks, in full */
	int64_t order_fuzz;           /* runs in other orders, `vinci check` alone */
	uint64_t fuzz_seed;           /* of this run; 0 = none */
	char json_file[512];          /* --json FILE; empty: stdout */
	char trace[512];              /* --trace FILE; empty: none */
};

enum { RUN_CHIP_SETS = 32 };

/* What a launch becomes in memory: one array and one GM region per argument. */
struct run {
	struct launch launch;
	struct chip chip;
	int n_chip_set;
	const char *chip_set[RUN_CHIP_SETS]; /* --set-chip, in order */
	struct program program[2];    /* [0] cube or fused, [1] vector */
	bool has_program[2];
	struct sim sim;
	bool has_sim;
	struct trace_sink trace;
	bool tracing;
	struct why why;
	bool has_why;
	struct occupancy occupancy;          /* only with run_options.buffers */
	struct checker *checker;      /* NULL = none */
	struct array array[LAUNCH_ARGS];
	struct gm_region *region[LAUNCH_ARGS];
	struct report report;
};

/* The whole: compile if needed, load, place arguments, simulate, write outputs, compare, fill r->report. */
bool run_launch(struct run *r, const struct run_options *o, struct fail *f) SIM_MUST_CHECK;
/* Its first part, up to a simulation that only needs to be started. */
bool run_prepare(struct run *r, const struct run_options *o, const struct sim_options *so, struct fail *f) SIM_MUST_CHECK;
void run_free(struct run *r);
/* The part that compiles the launch's kernel when needed and loads it for r->chip. */
bool run_programs(struct run *r, const struct run_options *o, struct fail *f) SIM_MUST_CHECK;

/* Report and reasons of a run that came to its end. measure: repeat it with the changes that findings name, for what they
 * gain; else estimates. */
bool run_reasons(struct run *r, bool measure, struct fail *f) SIM_MUST_CHECK;

/* run_args.c: arguments of the launch into GM and the calling convention. */
bool run_args(struct run *r, struct fail *f) SIM_MUST_CHECK;
/* The same arguments once more, for another simulation of a finished run. */
bool run_args_again(const struct run *r, struct sim *s, struct fail *f) SIM_MUST_CHECK;
/* Bytes of a tiling argument, laid out by the entry's debug info when it knows the struct, else in order with natural
 * alignment. */
bool run_tiling(struct run *r, int arg, struct array *out, struct fail *f) SIM_MUST_CHECK;
/* Outputs out of GM: to files, against golden data. */
bool run_outputs(struct run *r, const struct run_options *o, struct fail *f) SIM_MUST_CHECK;

/* run_cli.c: TARGET and options into a launch; `vinci report` is the same with views of the run. */
int cli_run(int argc, char **argv);
int cli_report(int argc, char **argv);
/* TARGET of the command line - a folder, a launch file, a kernel - into a launch. */
bool run_target(struct launch *l, const char *target, struct fail *f) SIM_MUST_CHECK;
/* Words of a command line ("run" or "check" first) into launch and options. *help: only its manual was asked for. */
bool run_parse(struct run *r, struct run_options *o, int argc, char **argv, bool *help, struct fail *f) SIM_MUST_CHECK;
void run_usage(FILE *out);
/* The report where the options want it; for a run that failed (why != NULL) what the checks found until then. */
bool run_print(const struct run *r, const struct run_options *o, const struct fail *why, struct fail *f) SIM_MUST_CHECK;
/* Exit status of a run that came to its end. */
int run_status(const struct run *r);

/* check_cli.c: `vinci check` */
int cli_check(int argc, char **argv);

#endif
