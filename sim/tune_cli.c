/*
 * tune_cli.c - `vinci tune TARGET [options]`: vary parameters, check values, count cycles, say which wins and why.
 */
#include "tune.h"

#include "cli.h"
#include "home.h"
#include "input.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
	"usage: vinci tune TARGET [options]\n"
	"Vary the parameters that the group tune of a launch file names; check every candidate's values, count its cycles,\n"
	"say which wins and why. TARGET is a folder with a launch.cfg or a launch file.\n"
	"\n"
	"  --set NAME=VALUE     as in vinci run; may name chip, blocks, parameters\n"
	"  --shape A=1,B=2      shape to tune for; several times: a table of tilings (default: the launch file's)\n"
	"  --search HOW         grid: every combination; random: --budget of them; halving (default when the launch file has\n"
	"                       rungs): all at cheap shapes, the best third of them at dearer ones, up to the full shape\n"
	"  --budget N           candidates at most, for random (the default with a budget and no rungs; 200) and halving\n"
	"  --seed N             of the random choice\n"
	"  --jobs N             processes (default: one per core; under mpirun one)\n"
	"  --results FILE       where results are kept, and found again after a kill (default: in build/kernels)\n"
	"  --top N              rows of the table (default 10)\n"
	"  --csv FILE           every candidate, with what a rejected one lacks\n"
	"  --json[=FILE]        all ranked candidates as JSON\n"
	"  --png FILE           picture of cycles over two parameters; --axes X,Y says which (default: the first two)\n"
	"  --quiet              no progress\n"
	"\n"
	"Under mpirun (mpirun -np 8 --enable-recovery vinci tune ...) rank 0 searches and the other ranks run candidates, too;\n"
	"what a lost rank had is given to another.\n"
	"\n"
	"Exit status: 0 good, 1 no candidate is right, 2 wrong input, 4 internal error.\n"
	"\n"
	"example: vinci tune kernels/matmul --shape M=2048,N=2048,K=2048 --png tiling.png --axes base_m,step_k\n";

enum { T_SET = 256, T_SHAPE, T_SEARCH, T_BUDGET, T_SEED, T_JOBS, T_RESULTS, T_TOP, T_CSV, T_JSON, T_PNG, T_AXES, T_QUIET,
       T_HELP };

static const struct option long_options[] = {
	{ "set", 1, 0, T_SET }, { "shape", 1, 0, T_SHAPE }, { "search", 1, 0, T_SEARCH }, { "budget", 1, 0, T_BUDGET },
	{ "seed", 1, 0, T_SEED }, { "jobs", 1, 0, T_JOBS }, { "results", 1, 0, T_RESULTS }, { "top", 1, 0, T_TOP },
	{ "csv", 1, 0, T_CSV }, { "json", 2, 0, T_JSON }, { "png", 1, 0, T_PNG }, { "axes", 1, 0, T_AXES },
	{ "quiet", 0, 0, T_QUIET }, { "help", 0, 0, T_HELP }, { 0, 0, 0, 0 },
};

struct options { char results[512], csv[512], json[512], png[512], x[48], y[48]; bool as_json; };

static bool number(const char *name, const char *text, int64_t *v, struct fail *f)
{
	char *end;

	*v = strtoll(text, &end, 10);
	return (end != text && !*end && *v >= 1) || fail_set(f, FAIL_USER, "%s %s: expected a number from 1", name, text);
}

static bool add_shape(struct tune *t, const char *text, struct fail *f)
{
	if (t->n_shape == TUNE_SHAPES)
		return fail_set(f, FAIL_USER, "more than %d shapes", TUNE_SHAPES);
	if (strlen(text) + 64 > TUNE_TEXT)
		return fail_set(f, FAIL_USER, "--shape %.40s...: too long", text);
	snprintf(t->shape[t->n_shape++].text, TUNE_TEXT, "%s", text);
	return true;
}

static bool option(struct tune *t, struct options *o, int c, struct fail *f)
{
	int64_t v = 0;

	switch (c) {
	case T_SET:
		if (t->n_set == TUNE_SETS)
			return fail_set(f, FAIL_USER, "more than %d times --set", TUNE_SETS);
		t->set[t->n_set++] = optarg;
		return true;
	case T_SHAPE: return add_shape(t, optarg, f);
	case T_SEARCH:
		snprintf(t->search, sizeof t->search, "%s", optarg);
		return strcmp(optarg, "grid") == 0 || strcmp(optarg, "random") == 0 || strcmp(optarg, "halving") == 0 ||
		       fail_set(f, FAIL_USER, "--search %s: expected grid, random or halving", optarg);
	case T_BUDGET: return number("--budget", optarg, &t->budget, f);
	case T_SEED: t->seed = strtoull(optarg, NULL, 10); return true;
	case T_JOBS:
		if (!number("--jobs", optarg, &v, f))
			return false;
		t->jobs = (int)(v > 256 ? 256 : v);
		return true;
	case T_RESULTS: snprintf(o->results, sizeof o->results, "%s", optarg); return true;
	case T_TOP: return number("--top", optarg, &t->top, f);
	case T_CSV: snprintf(o->csv, sizeof o->csv, "%s", optarg); return true;
	case T_JSON:
		o->as_json = true;
		snprintf(o->json, sizeof o->json, "%s", optarg ? optarg : "");
		return true;
	case T_PNG: snprintf(o->png, sizeof o->png, "%s", optarg); return true;
	case T_AXES:
		return sscanf(optarg, "%47[^,],%47s", o->x, o->y) == 2 ||
			fail_set(f, FAIL_USER, "--axes %s: expected two names, X,Y", optarg);
	default: t->quiet = true; return true;
	}
}

static uint64_t hash_bytes(uint64_t h, const void *p, size_t n)
{
	for (const uint8_t *b = p; n--; b++)
		h = (h ^ *b) * UINT64_C(1099511628211);
	return h;
}

static bool hash_file(uint64_t *h, const char *file, struct fail *f)
{
	uint8_t buffer[65536];
	size_t n;
	FILE *in = input_regular(file);

	if (!in)
		return fail_set(f, FAIL_USER, "%s cannot be read: %s", file, strerror(errno));
	while ((n = fread(buffer, 1, sizeof buffer, in)) > 0)
		*h = hash_bytes(*h, buffer, n);
	fclose(in);
	return true;
}

/*
 * What results depend on: the compiled kernel, the launch file, --set, the chip's numbers as this program reads them,
 * and the program itself. Running the launch file's own values once compiles kernel and golden program before workers
 * start.
 */
static bool identity_of(struct tune *t, uint64_t *identity, struct fail *f)
{
	struct run *r = calloc(1, sizeof *r);
	struct run_options o = { .quiet = t->quiet };
	uint64_t h = UINT64_C(1469598103934665603);

	if (!r)
		return fail_set(f, FAIL_INTERNAL, "no memory");
	r->launch = t->launch;
	bool ok = tune_apply(&r->launch, &t->space.check, f) && run_launch(r, &o, f);
	for (int i = 0; ok && i < 2; i++)
		ok = !r->has_program[i] || hash_file(&h, r->program[i].file, f);
	ok = ok && hash_file(&h, t->launch.file, f) && hash_file(&h, "/proc/self/exe", f);
	for (int i = 0; i < t->n_set; i++)
		h = hash_bytes(h, t->set[i], strlen(t->set[i]) + 1);
	if (ok && !report_passed(&r->report))
		fail_set(f, FAIL_KERNEL, "the launch file's own values give wrong results at the checked shape (%s)",
			 t->space.check.text);
	h = hash_bytes(h, r->chip.name, strlen(r->chip.name));
	run_free(r);
	free(r);
	*identity = h;
	return ok && !f->class;
}

static void default_results(const struct tune *t, char *out, size_t size)
{
	const char *own = getenv("VINCI_CACHE");
	uint64_t h = hash_bytes(UINT64_C(1469598103934665603), t->launch.file, strlen(t->launch.file));
	char folder[400];

	snprintf(folder, sizeof folder, own ? "%s" : "%s/build/kernels", own ? own : vinci_home());
	mkdir(folder, 0777);
	snprintf(out, size, "%s/tune-%08x.txt", access(folder, W_OK) == 0 ? folder : ".", (unsigned)h);
}

static bool prepare(struct tune *t, struct options *o, struct fail *f)
{
	if (!launch_load(t->target, &t->launch, f))
		return false;
	for (int i = 0; i < t->n_set; i++)
		if (!launch_set(&t->launch, t->set[i], f))
			return false;
	if (!tune_space_load(t->launch.file, &t->launch, &t->space, f))
		return false;
	if (!t->n_shape)
		t->n_shape = 1;
	if (!t->search[0])
		strcpy(t->search, t->space.n_rung ? "halving" : t->budget ? "random" : "grid");
	if (strcmp(t->search, "grid") == 0 && t->budget) {
		fail_set(f, FAIL_USER, "--budget %lld: a grid times every combination", (long long)t->budget);
		return fail_hint(f, "--search random takes that many of them");
	}
	if (strcmp(t->search, "random") == 0 && !t->budget)
		t->budget = 200;
	if (!o->results[0])
		default_results(t, o->results, sizeof o->results);
	return true;
}

/* A rank other than 0: answers jobs until there are no more. */
static bool help_out(struct tune *t, struct fail *f)
{
	char line[1024] = "";
	uint64_t identity = 0;
	int fd = -1;

	t->quiet = true;
	bool ok = tune_meet(t, line, &fd, f) && tune_join(t, line, &fd, f) && identity_of(t, &identity, f) &&
		  (send(fd, &identity, sizeof identity, MSG_NOSIGNAL) == (ssize_t)sizeof identity ||
		   fail_set(f, FAIL_USER, "rank 0 is gone")) &&
		  tune_serve(t, fd, f);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* What is known already, and under mpirun the other ranks. */
static bool begin(struct tune *t, const struct options *o, struct fail *f)
{
	char line[1024] = "";
	uint64_t identity = 0;
	int fd = -1;

	if (t->ranks > 1 && !tune_meet(t, line, &fd, f))
		return false;
	return identity_of(t, &identity, f) && tune_log_open(&t->log, o->results, identity, f) &&
	       (t->ranks == 1 || tune_gather(t, fd, identity, f));
}

typedef void writer(const struct tune *t, FILE *out);

static bool to_file(const struct tune *t, writer *write, const char *file, struct fail *f)
{
	struct cli_file c;

	if (!cli_file_open(&c, file, f))
		return false;
	write(t, c.stream);
	return cli_file_close(&c, true, f);
}

static bool output(const struct tune *t, struct options *o, struct fail *f)
{
	if (o->as_json && !o->json[0])
		tune_json(t, stdout);
	if (o->as_json && o->json[0] && !to_file(t, tune_json, o->json, f))
		return false;
	if (o->csv[0] && !to_file(t, tune_csv, o->csv, f))
		return false;
	if (!o->png[0])
		return true;
	if (t->space.n_param < 2)
		return fail_set(f, FAIL_USER, "--png needs two parameters, tune varies %d", t->space.n_param);
	return tune_png(t, &t->shape[0], o->x[0] ? o->x : t->space.param[0].name, o->y[0] ? o->y : t->space.param[1].name,
			o->png, f);
}

static bool run_all(struct tune *t, struct options *o, struct fail *f)
{
	bool text = !o->as_json || o->json[0];

	for (int i = 0; i < t->n_shape; i++) {
		if (t->progress && t->n_shape > 1)
			fprintf(stderr, "shape %d of %d: %s\n", i + 1, t->n_shape, t->shape[i].text);
		if (!tune_search(t, &t->shape[i], f))
			return false;
		if (text)
			tune_text(t, &t->shape[i], stdout);
	}
	if (text && t->n_shape > 1)
		tune_table(t, stdout);
	return output(t, o, f);
}

static bool any_timed(const struct tune *t)
{
	for (int i = 0; i < t->n_shape; i++) {
		int64_t n;
		free(tune_ranked(t, t->shape[i].text, &n));
		if (!n)
			return false;
	}
	return true;
}

static bool parse(struct tune *t, struct options *o, int argc, char **argv, bool *help, struct fail *f)
{
	int c;

	if (argv[1][0] == '-' && strcmp(argv[1], "--help") != 0 && strcmp(argv[1], "-h") != 0)
		return fail_set(f, FAIL_USER,
				"the first word after \"tune\" is the launch file or its folder (see: vinci tune --help)");
	*help = argv[1][0] == '-';
	snprintf(t->target, sizeof t->target, "%s", argv[1]);
	optind = 2;
	while (!*help && (c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		*help = c == 'h' || c == T_HELP;
		if (c == '?')
			return fail_set(f, FAIL_USER, "wrong option (see: vinci tune --help)");
		if (!*help && !option(t, o, c, f))
			return false;
	}
	if (!*help && optind < argc)
		return fail_set(f, FAIL_USER, "unexpected word \"%s\" (see: vinci tune --help)", argv[optind]);
	return true;
}

int cli_tune(int argc, char **argv)
{
	struct tune *t = calloc(1, sizeof *t);
	struct options o = { 0 };
	struct fail f = { 0 };
	bool help = false;

	if (!t)
		return FAIL_INTERNAL;
	if (argc < 2) {
		fputs(usage, stderr);
		free(t);
		return FAIL_USER;
	}
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	t->top = 10;
	t->seed = 1;
	t->log.fd = -1;
	bool ok = parse(t, &o, argc, argv, &help, &f);
	if (ok && help)
		fputs(usage, stdout);
	t->progress = !t->quiet && isatty(2);
	tune_ranks(t);
	if (!t->jobs)
		t->jobs = t->ranks > 1 || cores < 1 ? 1 : (int)cores;
	ok = ok && (help || prepare(t, &o, &f));
	if (ok && !help)
		ok = t->rank > 0 ? help_out(t, &f) : begin(t, &o, &f) && run_all(t, &o, &f);
	int status = !ok ? (int)f.class : help || t->rank > 0 || any_timed(t) ? 0 : FAIL_KERNEL;
	if (!ok)
		fail_print(&f);
	tune_log_close(&t->log);
	free(t->fit);
	free(t);
	return status;
}
