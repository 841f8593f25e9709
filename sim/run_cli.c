/*
 * run_cli.c - `vinci run TARGET [options]`: command line into a launch, report to stdout.
 */
#include "run.h"

#include "check_json.h"
#include "cli.h"
#include "report_trace.h"
#include "report_views.h"
#include "whatif.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char usage[] =
	"usage: vinci run TARGET [options]\n"
	"Simulate a kernel, check its results, report cycles and what held it back.\n"
	"TARGET is a folder with a launch.cfg, a launch file, or a kernel (.elf, .c, .cpp) with the options below.\n"
	"\n"
	"  --set NAME=VALUE     override anything in the launch file: a parameter (M=127), chip, blocks, entry, seed,"
	" or a key of an\n"
	"                       argument (a.file=x.npy, c.out=y.npy, c.golden=g.npy, a.init=zeros, c.rtol=1e-3)\n"
	"  --chip NAME          chip to simulate (see: vinci chips)\n"
	"  --set-chip KEY=VALUE change one number of the chip for this run, e.g. gm.hbm_rate=2000\n"
	"  --blocks N           blocks to launch; 0 = one per core\n"
	"  --entry NAME         kernel function\n"
	"  --core KIND          cube, vector or mix, when a source is compiled for a split chip\n"
	"  --seed N             seed of generated inputs\n"
	"  --timing-only        cycles without values\n"
	"  --no-check           do not compare with golden data\n"
	"  --max-cycles N       stop kernels that run longer\n"
	"  --json[=FILE]        report as JSON\n"
	"  --trace FILE.vtr     write what every instruction did and waited for (see: vinci trace --help)\n"
	"  --what-if CHANGE     repeat the run with a change and compare the cycles; several times: all together\n"
	"  --bounds             repeat it with each change of the standard set: what every fix can gain at most\n"
	"  --source, --disassembly, --roofline, --buffers    more views (see: vinci report --help)\n"
	"  --check=LIST         mistakes to look for: mem, init, race, sync, oversync, all, none (default mem,sync;"
	" vinci check: all)\n"
	"  --all                mistakes that follow from another one in full, too\n"
	"  --keep-going         pass over instructions that are not modelled, list them, exit 3\n"
	"  --order-fuzz N       vinci check: run N more times in other legal orders of the pipes and compare the"
	" outputs\n"
	"  --quiet              no progress and speed on stderr\n"
	"\n"
	"Arguments for a TARGET without launch file, in the order of the kernel's parameters:\n"
	"  --in FILE.npy | FILE.bin:DTYPE:SHAPE    input, e.g. --in a.npy --in b.bin:f16:64x128\n"
	"  --out FILE:DTYPE:SHAPE                  output, e.g. --out c.npy:f32:1024x1024\n"
	"  --inout FILE.npy | FILE.bin:DTYPE:SHAPE buffer that is read and written; FILE stays as it is\n"
	"  --result FILE                           where the result of the --inout before it goes\n"
	"  --workspace BYTES\n"
	"  --scalar DTYPE:VALUE\n"
	"  --tiling NAME=VALUE,NAME=VALUE          members of the struct that the parameter points to\n"
	"  --golden FILE                           expected content of the output before it\n"
	"\n"
	"Exit status: 0 good, 1 wrong result or kernel error, 2 wrong input, 3 not modelled, 4 internal error.\n"
	"\n"
	"example: vinci run kernels/matmul --set M=1000 --set N=129 --set K=17\n";

enum { O_SET = 256, O_CHIP, O_SETCHIP, O_BLOCKS, O_ENTRY, O_CORE, O_SEED, O_TIMING, O_NOCHECK, O_MAX, O_JSON, O_TRACE,
       O_QUIET, O_WHATIF,
       O_BOUNDS, O_SOURCE, O_DISASM, O_ROOF, O_BUFFERS, O_IN,
       O_OUT, O_INOUT, O_WS, O_SCALAR, O_TILING, O_GOLDEN, O_RESULT, O_CHECK, O_KEEP, O_ALL, O_FUZZ, O_HELP };

static const struct option long_options[] = {
	{ "set", 1, 0, O_SET }, { "chip", 1, 0, O_CHIP }, { "set-chip", 1, 0, O_SETCHIP }, { "blocks", 1, 0, O_BLOCKS },
	{ "entry", 1, 0, O_ENTRY }, { "core", 1, 0, O_CORE }, { "seed", 1, 0, O_SEED }, { "timing-only", 0, 0,
			O_TIMING },
	{ "no-check", 0, 0, O_NOCHECK }, { "max-cycles", 1, 0, O_MAX }, { "json", 2, 0, O_JSON }, { "trace", 1, 0,
			O_TRACE }, { "quiet", 0, 0, O_QUIET },
	{ "what-if", 1, 0, O_WHATIF }, { "bounds", 0, 0, O_BOUNDS }, { "source", 0, 0, O_SOURCE }, { "disassembly", 0,
			0, O_DISASM },
	{ "roofline", 0, 0, O_ROOF }, { "buffers", 0, 0, O_BUFFERS },
	{ "in", 1, 0, O_IN }, { "out", 1, 0, O_OUT }, { "inout", 1, 0, O_INOUT }, { "workspace", 1, 0, O_WS },
	{ "scalar", 1, 0, O_SCALAR }, { "tiling", 1, 0, O_TILING }, { "golden", 1, 0, O_GOLDEN },
	{ "result", 1, 0, O_RESULT }, { "help", 0, 0,
			O_HELP },
	{ "check", 1, 0, O_CHECK }, { "keep-going", 0, 0, O_KEEP }, { "all", 0, 0, O_ALL }, { "order-fuzz", 1, 0, O_FUZZ },
	{ 0, 0, 0, 0 },
};

/* A word of the command line into its place; what does not fit is an error, never cut. */
static bool take_text(char *to, size_t size, const char *text, const char *what, struct fail *f)
{
	if (strlen(text) >= size)
		return fail_set(f, FAIL_USER, "%s \"%.60s...\": %zu characters, at most %zu fit", what, text,
				strlen(text), size - 1);
	strcpy(to, text);
	return true;
}

static struct launch_arg *new_arg(struct launch *l, enum arg_kind kind, struct fail *f)
{
	if (l->n_arg == LAUNCH_ARGS) {
		fail_set(f, FAIL_USER, "more than %d arguments", LAUNCH_ARGS);
		return NULL;
	}
	struct launch_arg *a = &l->arg[l->n_arg];
	snprintf(a->name, sizeof a->name, "arg%d", l->n_arg++);
	a->kind = kind;
	snprintf(a->init, sizeof a->init, "zeros");
	return a;
}

/* "64x128" into dimension expressions. */
static bool parse_shape(struct launch_arg *a, const char *text, struct fail *f)
{
	a->n_dim = 0;
	for (const char *p = text; *p;) {
		char *end;
		errno = 0;
		unsigned long long v = strtoull(p, &end, 10);
		bool more = *end == 'x' && end[1];
		if (*p < '0' || *p > '9' || errno || (*end && !more) || a->n_dim == ARRAY_DIMS)
			return fail_set(f, FAIL_USER, "\"%s\" is not a shape: write it like 64x128", text);
		snprintf(a->dim_expr[a->n_dim++], sizeof a->dim_expr[0], "%llu", v);
		p = *end ? end + 1 : end;
	}
	return a->n_dim > 0 || fail_set(f, FAIL_USER, "a shape is missing, like 64x128");
}

/* FILE[:DTYPE:SHAPE] */
static bool parse_file(struct launch_arg *a, const char *text, bool need_type, struct fail *f)
{
	char copy[512], *dtype, *shape;
	if (!take_text(copy, sizeof copy, text, "file", f))
		return false;
	if (copy[0] == 0 || copy[0] == ':')
		return fail_set(f, FAIL_USER, "\"%s\": the name of the file is missing", text);
	shape = strrchr(copy, ':');
	if (shape) {
		*shape++ = 0;
		dtype = strrchr(copy, ':');
		if (!dtype)
			return fail_set(f, FAIL_USER, "\"%s\": expected FILE:DTYPE:SHAPE, like c.npy:f32:64x128", text);
		*dtype++ = 0;
		a->dtype = dtype_parse(dtype);
		if (a->dtype == DT_NONE)
			return fail_set(f, FAIL_USER, "\"%s\": unknown element type \"%s\" (f16 bf16 f32 f64 s8 u8 s16 "
					"u16 s32 u32 s64 u64 bool)", text, dtype);
		if (!parse_shape(a, shape, f))
			return false;
	} else if (need_type) {
		return fail_set(f, FAIL_USER, "\"%s\": an output needs its type and shape: FILE:DTYPE:SHAPE", text);
	}
	snprintf(need_type ? a->out : a->file, sizeof a->out, "%s", copy);
	if (!need_type && !shape) {
		/* a .npy says itself what it is */
		struct array head;
		if (!array_read(a->file, DT_NONE, 0, NULL, &head, f))
			return false;
		a->dtype = head.dtype;
		a->n_dim = head.n_dim;
		for (int i = 0; i < head.n_dim; i++)
			snprintf(a->dim_expr[i], sizeof a->dim_expr[i], "%llu", (unsigned long long)head.dim[i]);
		array_free(&head);
	}
	return true;
}

static bool parse_tiling(struct launch_arg *a, const char *text, struct fail *f)
{
	char copy[2048], *save = NULL;
	if (!take_text(copy, sizeof copy, text, "--tiling", f))
		return false;
	for (char *t = strtok_r(copy, ",", &save); t; t = strtok_r(NULL, ",", &save)) {
		char *eq = strchr(t, '=');
		if (!eq || a->n_value == LAUNCH_VALUES)
			return fail_set(f, FAIL_USER, "--tiling \"%s\": expected NAME=VALUE,NAME=VALUE", text);
		*eq = 0;
		for (int i = 0; i < a->n_value; i++)
			if (strcmp(a->value[i].name, t) == 0)
				return fail_set(f, FAIL_USER, "--tiling: %s is given twice", t);
		struct launch_value *v = &a->value[a->n_value++];
		if (!take_text(v->name, sizeof v->name, t, "--tiling", f) ||
		    !take_text(v->expr, sizeof v->expr, eq + 1, "--tiling", f))
			return false;
	}
	return true;
}

static bool parse_scalar(struct launch_arg *a, const char *text, struct fail *f)
{
	char copy[200];
	if (!take_text(copy, sizeof copy, text, "--scalar", f))
		return false;
	char *colon = strchr(copy, ':');
	if (colon)
		*colon = 0;
	a->dtype = dtype_parse(copy);
	if (!colon || a->dtype == DT_NONE)
		return fail_set(f, FAIL_USER, "--scalar \"%s\": expected DTYPE:VALUE, like f32:0.5", text);
	return take_text(a->scalar, sizeof a->scalar, colon + 1, "--scalar", f);
}

/* Arguments given one by one. */
static bool argument_option(struct launch *l, int o, const char *text, struct fail *f)
{
	if (o == O_GOLDEN) {
		for (int i = l->n_arg - 1; i >= 0; i--)
			if (l->arg[i].kind == ARG_OUT || l->arg[i].kind == ARG_INOUT)
				return take_text(l->arg[i].golden, sizeof l->arg[i].golden, text, "--golden", f);
		return fail_set(f, FAIL_USER, "--golden %s: there is no output before it", text);
	}
	if (o == O_RESULT) {
		struct launch_arg *last = l->n_arg ? &l->arg[l->n_arg - 1] : NULL;
		if (!last || last->kind != ARG_INOUT)
			return fail_set(f, FAIL_USER, "--result %s: there is no --inout right before it", text);
		return take_text(last->out, sizeof last->out, text, "--result", f);
	}
	enum arg_kind kind = o == O_IN ? ARG_IN : o == O_OUT ? ARG_OUT : o == O_INOUT ? ARG_INOUT : o == O_WS ?
	ARG_WORKSPACE
			     : o == O_SCALAR ? ARG_SCALAR : ARG_TILING;
	struct launch_arg *a = new_arg(l, kind, f);
	if (!a)
		return false;
	switch (o) {
	case O_WS: a->dtype = DT_U8; return parse_shape(a, text, f);
	case O_SCALAR: return parse_scalar(a, text, f);
	case O_TILING: return parse_tiling(a, text, f);
	default: return parse_file(a, text, o == O_OUT, f);
	}
}

bool run_target(struct launch *l, const char *target, struct fail *f)
{
	struct stat st;
	size_t n = strlen(target);
	bool is_cfg = n > 4 && strcmp(target + n - 4, ".cfg") == 0;
	if (stat(target, &st) != 0)
		return fail_set(f, FAIL_USER, "%s: no such file or folder", target);
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return fail_set(f, FAIL_USER, "%s is not a regular file", target);
	if (is_cfg || S_ISDIR(st.st_mode))
		return launch_load(target, l, f);
	l->seed = 1;
	return take_text(l->kernel, sizeof l->kernel, target, "kernel", f);
}

static bool number_option(const char *name, const char *text, int64_t *v, struct fail *f)
{
	char *end;
	*v = strtoll(text, &end, 0);
	if (end == text || *end || *v < 0)
		return fail_set(f, FAIL_USER, "%s %s: expected a number", name, text);
	return true;
}

static bool launch_option(struct launch *l, const char *key, const char *value, struct fail *f)
{
	char text[700];
	if (strlen(key) + strlen(value) + 2 > sizeof text)
		return fail_set(f, FAIL_USER, "--%s: %zu characters are too many", key, strlen(value));
	snprintf(text, sizeof text, "%s=%s", key, value);
	return launch_set(l, text, f);
}

static bool option(struct run *r, struct run_options *o, int c, struct fail *f)
{
	struct launch *l = &r->launch;
	switch (c) {
	case O_SET: return launch_set(l, optarg, f);
	case O_CHIP: return launch_option(l, "chip", optarg, f);
	case O_BLOCKS: return launch_option(l, "blocks", optarg, f);
	case O_ENTRY: return launch_option(l, "entry", optarg, f);
	case O_CORE: return launch_option(l, "core", optarg, f);
	case O_SEED: return launch_option(l, "seed", optarg, f);
	case O_SETCHIP:
		if (r->n_chip_set == RUN_CHIP_SETS)
			return fail_set(f, FAIL_USER, "more than %d times --set-chip", RUN_CHIP_SETS);
		r->chip_set[r->n_chip_set++] = optarg;
		return true;
	case O_WHATIF:
		if (o->n_what_if == (int)(sizeof o->what_if / sizeof o->what_if[0]))
			return fail_set(f, FAIL_USER, "more than %d times --what-if", o->n_what_if);
		o->what_if[o->n_what_if++] = optarg;
		return whatif_check(optarg, f);
	case O_BOUNDS: return o->bounds = true;
	case O_SOURCE: return o->source = true;
	case O_DISASM: return o->disassembly = true;
	case O_ROOF: return o->roofline = true;
	case O_BUFFERS: return o->buffers = true;
	case O_TIMING: return o->timing_only = true;
	case O_NOCHECK: return o->no_check = true;
	case O_QUIET: return o->quiet = true;
	case O_CHECK: return check_parse(optarg, &o->check, f);
	case O_KEEP: return o->keep_going = true;
	case O_ALL: return o->all_findings = true;
	case O_FUZZ: return number_option("--order-fuzz", optarg, &o->order_fuzz, f);
	case O_TRACE: return take_text(o->trace, sizeof o->trace, optarg, "--trace", f);
	case O_MAX: return number_option("--max-cycles", optarg, &o->max_cycles, f);
	case O_JSON:
		o->json = true;
		return !optarg || take_text(o->json_file, sizeof o->json_file, optarg, "--json", f);
	default: return argument_option(l, c, optarg, f);
	}
}

/* All changes given, together, and with --bounds each of the standard set. */
static int changed_runs(const struct run *r, const struct run_options *o, struct whatif_result *w, struct fail *f)
{
	int n = 0;
	if (o->n_what_if) {
		if (!whatif_run(r, o->what_if, o->n_what_if, &w[0].cycles, f))
			return -1;
		for (int i = 0; i < o->n_what_if; i++) {
			size_t at = strlen(w[0].text), to = strlen(w[0].doc);
			snprintf(w[0].text + at, sizeof w[0].text - at, "%s%s", i ? " " : "", o->what_if[i]);
			snprintf(w[0].doc + to, sizeof w[0].doc - to, "%s", i ? "; " : "");
			to = strlen(w[0].doc);
			whatif_doc(o->what_if[i], w[0].doc + to, sizeof w[0].doc - to);
		}
		n = 1;
	}
	int more = o->bounds ? whatif_bounds(r, w + n, WHATIF_BOUNDS - n, f) : 0;
	return more < 0 ? -1 : n + more;
}

static bool print_views(const struct run *r, const struct run_options *o, const struct whatif_result *w, int n,
			struct fail *f)
{
	if (n)
		report_whatif(r, w, n, stdout);
	if (o->roofline)
		report_roofline(r, stdout);
	if (o->buffers)
		report_buffers(r, stdout);
	return (!o->source || report_source(r, stdout, f)) && (!o->disassembly || report_disassembly(r, stdout, f));
}

/* Text and JSON of a run that came to its end, with its views. */
static bool print_report(const struct run *r, const struct run_options *o, FILE *json, struct fail *f)
{
	struct whatif_result *w = calloc(WHATIF_BOUNDS, sizeof *w);
	if (!w)
		return fail_set(f, FAIL_INTERNAL, "no memory for what-if runs");
	int n = changed_runs(r, o, w, f);
	bool only = o->view && (o->source || o->disassembly || o->roofline || o->buffers || n > 0), ok = n >= 0;
	if (ok && json != stdout) {
		if (!only)
			report_text(&r->report, stdout);
		ok = print_views(r, o, w, n, f);
	}
	ok = ok && (!json || report_json(r, w, n, json, f));
	free(w);
	return ok;
}

bool run_print(const struct run *r, const struct run_options *o, const struct fail *why, struct fail *f)
{
	struct cli_file file = { .stream = o->json ? stdout : NULL };
	if (o->json_file[0] && !cli_file_open(&file, o->json_file, f))
		return false;
	if (why && file.stream != stdout)
		check_text(check_result(r->checker), o->all_findings, stdout);
	bool ok = !why ? print_report(r, o, file.stream, f)
		       : !file.stream || check_json_failed(r->launch.kernel, check_result(r->checker), why, file.stream,
							   f);
	return o->json_file[0] ? cli_file_close(&file, ok, f) : ok;
}

static const char report_usage[] =
	"usage: vinci report TARGET [views] [options of vinci run]\n"
	"       vinci report FILE.vtr [--json[=FILE]]\n"
	"Simulate a kernel and say where its time went. Without views: the report of vinci run. Of a trace: the findings\n"
	"and the critical path that its run reported.\n"
	"\n"
	"  --source         the kernel's source with cycles, calls and stalls in front of each line\n"
	"  --disassembly    the same for every instruction, with what ended its waits\n"
	"  --roofline       work against bytes on one core and on the chip; GM traffic against the least possible\n"
	"  --buffers        which bytes of UB, L1, L0A, L0B, L0C are in use, over time\n"
	"  --bounds         what each fix can gain at most: the run repeated with each change of the standard set\n"
	"  --what-if CHANGE the run repeated with a change:\n";

void run_usage(FILE *out) { fputs(usage, out); }

static void usage_of(FILE *out, bool view)
{
	fputs(view ? report_usage : usage, out);
	fputs(view ? whatif_help : "", out);
}

int run_status(const struct run *r)
{
	if (!report_passed(&r->report))
		return FAIL_KERNEL;
	return r->report.check && r->report.check->n_gap ? FAIL_MODEL : 0;
}

bool run_parse(struct run *r, struct run_options *o, int argc, char **argv, bool *help, struct fail *f)
{
	const char *command = argv[0];
	int c;
	*help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
	if (*help)
		return true;
	if (argv[1][0] == '-')
		return fail_set(f, FAIL_USER, "the first word after \"%s\" is the kernel or its folder (see: vinci %s "
				"--help)", command, command);
	if (!run_target(&r->launch, argv[1], f))
		return false;
	optind = 2;
	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		*help = c == O_HELP || c == 'h';
		if (*help)
			return true;
		if (c == '?')
			return fail_set(f, FAIL_USER, "wrong option (see: vinci %s --help)", command);
		if (!option(r, o, c, f))
			return false;
	}
	if (optind < argc)
		return fail_set(f, FAIL_USER, "unexpected word \"%s\" (see: vinci %s --help)", argv[optind], command);
	return true;
}

static int run_command(int argc, char **argv, bool view)
{
	struct run *r = calloc(1, sizeof *r);
	struct run_options o = { .check = CHECK_CHEAP };
	struct fail f = { 0 };
	bool help = false;
	o.view = view;
	if (argc < 2) {
		usage_of(stderr, view);
		free(r);
		return FAIL_USER;
	}
	if (!r)
		return FAIL_INTERNAL;
	bool ok = run_parse(r, &o, argc, argv, &help, &f);
	if (ok && help) {
		usage_of(stdout, view);
		free(r);
		return 0;
	}
	ok = ok && run_launch(r, &o, &f) && run_print(r, &o, NULL, &f);
	int status = ok ? run_status(r) : (int)f.class;
	if (!ok) {
		if (r->checker && check_result(r->checker)->n_finding)
			check_text(check_result(r->checker), o.all_findings, stderr);
		fail_print(&f);
	}
	run_free(r);
	free(r);
	return status;
}

int cli_run(int argc, char **argv) { return run_command(argc, argv, false); }
int cli_report(int argc, char **argv)
{
	return argc > 1 && report_trace_is(argv[1]) ? cli_report_trace(argc, argv) : run_command(argc, argv, true);
}
