/*
 * run.c - from a launch to a report: compile, load, simulate, write outputs, compare with golden data.
 */
#include "run.h"

#include "cc.h"
#include "golden.h"
#include "home.h"
#include "kernel_print.h"
#include "whatif.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Dispatched instructions up to which findings are measured by repeated runs. */
enum { MEASURE_OPS = 100000 };
/* what the public launch interface takes */
enum { BLOCKS_MAX = 65535 };

static bool has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);
	return n >= m && strcmp(s + n - m, suffix) == 0;
}

static unsigned core_of(const struct run *r, struct fail *f)
{
	const char *c = r->launch.core;
	unsigned core;
	if (!r->chip.split)
		return CORE_FUSED;
	if (strcmp(c, "cube") == 0)
		return CORE_CUBE;
	if (strcmp(c, "mix") == 0)
		return CORE_CUBE | CORE_VEC;
	if (c[0] == 0 && !cc_source_core(r->launch.kernel, r->chip.arch, &core, f))
		return 0;
	if (c[0] == 0)
		return core;
	if (strcmp(c, "vector") == 0)
		return CORE_VEC;
	fail_file(f, FAIL_USER, r->launch.file, 0, "core = \"%s\": expected cube, vector or mix", c);
	return 0;
}

/* build/kernels of the project when it can be written, else the user's cache folder. */
static bool cache_folder(char *path, size_t size, struct fail *f)
{
	const char *own = getenv("VINCI_CACHE"), *home = getenv("HOME");
	char parent[400];
	if (own) {
		snprintf(path, size, "%s", own);
	} else {
		snprintf(parent, sizeof parent, "%s/build", vinci_home());
		snprintf(path, size, "%s/kernels", parent);
		if (access(parent, W_OK) != 0) {
			snprintf(parent, sizeof parent, "%s/.cache", home ? home : "/tmp");
			mkdir(parent, 0777);
			snprintf(path, size, "%s/vinci", parent);
		}
	}
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		return fail_set(f, FAIL_USER, "the folder for compiled kernels, %s, cannot be made: %s", path,
				strerror(errno));
	return true;
}

static uint64_t hash_on(uint64_t h, const char *text)
{
	for (const char *p = text; *p; p++)
		h = (h ^ (uint8_t)*p) * UINT64_C(1099511628211);
	return h;
}

/* One name per source path and flags, so that two kernels called add.c do not meet. */
static uint64_t name_hash(const char *path, const char *flags)
{
	char real[4096];
	return hash_on(hash_on(UINT64_C(1469598103934665603), realpath(path, real) ? real : path), flags);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The launch file's flags and, as an operator project has it, DTYPE_X for the elements of an argument x. */
static void compile_flags(const struct launch *l, char *out, size_t size)
{
	static const char *const type[DT_COUNT] = {
		[DT_F16] = "half",    [DT_BF16] = "bfloat16_t", [DT_F32] = "float",   [DT_S8] = "int8_t",
		[DT_U8] = "uint8_t",  [DT_S16] = "int16_t",     [DT_U16] = "uint16_t", [DT_S32] = "int32_t",
		[DT_U32] = "uint32_t", [DT_S64] = "int64_t",    [DT_U64] = "uint64_t", [DT_BOOL] = "bool",
	};
	size_t length = strlen(l->kernel), n = (size_t)snprintf(out, size, "%s", l->cflags);
	if (length < 4 || strcmp(l->kernel + length - 4, ".cpp") != 0)
		return;
	for (int i = 0; i < l->n_arg; i++) {
		const struct launch_arg *a = &l->arg[i];
		if (a->kind > ARG_INOUT || !type[a->dtype] || n + strlen(a->name) + 32 > size)
			continue;
		n += (size_t)snprintf(out + n, size - n, " -DDTYPE_");
		for (const char *c = a->name; *c; c++)
			out[n++] = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
		n += (size_t)snprintf(out + n, size - n, "=%s", type[a->dtype]);
	}
}

static bool compile(struct run *r, const struct run_options *o, unsigned core, char *elf, size_t size, struct fail *f)
{
	char folder[512], flags[2048];
	compile_flags(&r->launch, flags, sizeof flags);
	const char *core_name = core == CORE_CUBE ? "cube" : core == CORE_VEC ? "vector" : "fused";
	struct cc_options cc = {
		.source = r->launch.kernel, .arch = r->chip.arch, .core = core, .extra = flags
	};
	if (!cache_folder(folder, sizeof folder, f))
		return false;
	snprintf(elf, size, "%s/%s-%08x.%s.%s.elf", folder, base_name(r->launch.kernel),
		 (unsigned)name_hash(r->launch.kernel, flags), r->chip.arch_name, core_name);
	cc.output = elf;
	if (!o->force_compile && cc_up_to_date(&cc))
		return true;
	if (!o->quiet)
		fprintf(stderr, "compiling %s for %s (%s)\n", r->launch.kernel, r->chip.arch_name, core_name);
	return cc_compile(&cc, f);
}

static const char *core_text(unsigned core)
{
	return core == CORE_CUBE ? "cube core" : core == CORE_VEC ? "vector core" : "fused core";
}

static bool check_target(const struct run *r, const struct program *p, struct fail *f)
{
	const char *level = p->arch == ARCH_C220 ? "c220 (910B)" : p->arch == ARCH_C100 ? "c100 (910)" : "m200 (310P)";
	if (p->arch != r->chip.arch) {
		fail_file(f, FAIL_USER, p->file, 0, "the kernel was built for %s, %s is a %s chip", level, r->chip.name,
			  r->chip.arch_name);
		return fail_hint(f, "compile it for this chip, or choose another with --chip (see: vinci chips)");
	}
	if (r->chip.split == (p->core == CORE_FUSED))
		return fail_file(f, FAIL_USER, p->file, 0, "the kernel was built for a %s, which %s does not have",
				 core_text(p->core), r->chip.name);
	return true;
}

static bool load(struct run *r, const char *elf, struct fail *f)
{
	struct program p;
	memset(&p, 0, sizeof p);
	if (!program_load(elf, &p, f))
		return false;
	int slot = p.core == CORE_VEC ? 1 : 0;
	r->program[slot] = p;
	r->has_program[slot] = true;
	return check_target(r, &r->program[slot], f) &&
	       program_entry(&r->program[slot], r->launch.entry[0] ? r->launch.entry : NULL, f);
}

bool run_programs(struct run *r, const struct run_options *o, struct fail *f)
{
	char elf[1024];
	if (!r->launch.kernel[0])
		return fail_file(f, FAIL_USER, r->launch.file, 0, "no kernel is named: kernel = \"file.c\" or an .elf");
	if (has_suffix(r->launch.kernel, ".elf") || has_suffix(r->launch.kernel, ".o") ||
	    has_suffix(r->launch.kernel, ".out"))
		return load(r, r->launch.kernel, f);
	unsigned core = core_of(r, f);
	if (!core)
		return false;
	for (unsigned bit = CORE_CUBE; bit <= CORE_FUSED; bit <<= 1)
		if ((core & bit) && !(compile(r, o, bit, elf, sizeof elf, f) && load(r, elf, f)))
			return false;
	return true;
}

static bool take_outputs(struct run *r, struct fail *f)
{
	struct report *rep = &r->report;
	for (int i = 0; i < r->launch.n_arg; i++) {
		const struct launch_arg *a = &r->launch.arg[i];
		if (a->kind != ARG_OUT && a->kind != ARG_INOUT)
			continue;
		struct report_output *ro = &rep->output[rep->n_output++];
		snprintf(ro->name, sizeof ro->name, "%s", a->name);
		/* the input stays in r->array for the golden program, the result is a copy out of GM */
		if (!array_make(&ro->array, a->dtype, r->array[i].n_dim, r->array[i].dim, f))
			return false;
		memcpy(ro->array.data, r->region[i]->host, ro->array.bytes);
		ro->tolerance = a->has_tolerance ? a->tolerance : tolerance_preset(a->dtype);
		if (a->out[0]) {
			snprintf(ro->file, sizeof ro->file, "%s", a->out);
			if (!array_write(a->out, &ro->array, f))
				return false;
		}
	}
	return true;
}

static bool compare_one(struct report_output *ro, const struct array *golden, const char *name, struct fail *f)
{
	snprintf(ro->golden, sizeof ro->golden, "%s", name);
	ro->compared = true;
	return array_compare(&ro->array, golden, ro->tolerance, &ro->compare, f);
}

static bool run_golden(struct run *r, struct array *golden, struct fail *f)
{
	char folder[512], program[1100];
	if (!cache_folder(folder, sizeof folder, f))
		return false;
	snprintf(program, sizeof program, "%s/%s-%08x.golden", folder, base_name(r->launch.golden),
		 (unsigned)name_hash(r->launch.golden, ""));
	return golden_run(&r->launch, program, r->array, golden, f);
}

bool run_outputs(struct run *r, const struct run_options *o, struct fail *f)
{
	struct array golden[LAUNCH_ARGS];
	bool need_program = false;
	memset(golden, 0, sizeof golden);
	if (!take_outputs(r, f))
		return false;
	if (o->timing_only || o->no_check)
		return true;
	for (int i = 0; i < r->launch.n_arg; i++)
		if (r->launch.arg[i].kind == ARG_OUT || r->launch.arg[i].kind == ARG_INOUT)
			need_program |= r->launch.arg[i].golden[0] == 0 && r->launch.golden[0] != 0;
	bool ok = !need_program || run_golden(r, golden, f);
	for (int i = 0, n = 0; ok && i < r->launch.n_arg; i++) {
		const struct launch_arg *a = &r->launch.arg[i];
		if (a->kind != ARG_OUT && a->kind != ARG_INOUT)
			continue;
		struct report_output *ro = &r->report.output[n++];
		if (a->golden[0]) {
			struct array expected;
			ok = array_read(a->golden, a->dtype, ro->array.n_dim, ro->array.dim, &expected, f);
			ok = ok && compare_one(ro, &expected, a->golden, f);
			if (ok)
				array_free(&expected);
		} else if (golden[i].data) {
			ok = compare_one(ro, &golden[i], base_name(r->launch.golden), f);
		}
	}
	for (int i = 0; i < LAUNCH_ARGS; i++)
		array_free(&golden[i]);
	return ok;
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void on_event(void *user, const struct event *e)
{
	struct run *r = user;
	if (r->tracing)
		trace_sink_event(&r->trace, e);
	why_event(&r->why, e);
	occupancy_event(&r->occupancy, e);
}

static void on_hold(void *user, const struct hold *h)
{
	struct run *r = user;
	if (r->tracing)
		trace_sink_hold(&r->trace, h);
	why_hold(&r->why, h);
}

/* Same values and cycles whatever the clock says: it is read for the speed line on stderr alone. */
static bool simulate(struct run *r, const struct run_options *o, struct fail *f)
{
	double start = seconds();
	if (o->trace[0] && !trace_sink_open(&r->trace, o->trace, &r->sim, r->launch.kernel, f))
		return false;
	r->tracing = o->trace[0] != 0;
	if (!why_open(&r->why, &r->sim, 0, f))
		return false;
	r->has_why = true;
	if (o->buffers && !occupancy_open(&r->occupancy, &r->sim, 0, f))
		return false;
	bool ok = sim_run(&r->sim, f);
	kernel_print(&r->sim, stderr);
	occupancy_end(&r->occupancy);
	if (!ok)
		return false;
	r->report.wall_seconds = seconds() - start;
	if (!o->quiet) {
		double w = r->report.wall_seconds > 1e-9 ? r->report.wall_seconds : 1e-9;
		fprintf(stderr,
			"simulated %lld cycles in %.3f s: %.3g cycles/s, %.3g scalar instructions/s, %.3g Da Vinci"
			" instructions/s\n",
			(long long)r->sim.end, r->report.wall_seconds, (double)r->sim.end / w,
			(double)r->sim.rv_insns / w, (double)r->sim.ops / w);
	}
	return true;
}

/* Bytes of the arguments: inputs read once, outputs written once. */
static uint64_t least_bytes(const struct run *r)
{
	uint64_t sum = 0;
	for (int i = 0; i < r->launch.n_arg; i++) {
		enum arg_kind k = r->launch.arg[i].kind;
		sum += k == ARG_IN || k == ARG_OUT ? r->array[i].bytes : k == ARG_INOUT ? 2 * r->array[i].bytes : 0;
	}
	return sum;
}

/* What a what-if run says replaces the estimate; only where such runs take little time, by the run's own size. */
static bool measure_gains(const struct run *r, struct find *k, bool always, struct fail *f)
{
	for (int i = 0; i < k->n && (always || r->sim.ops <= MEASURE_OPS); i++) {
		struct finding *g = &k->finding[i];
		const char *change = g->what_if;
		int64_t cycles;
		if (!change[0])
			continue;
		struct fail why = { 0 };
		/* a run that passes over mistakes or gaps cannot be repeated without its checker: the estimate stays */
		if (!whatif_run(r, &change, 1, &cycles, &why)) {
			if (why.class != FAIL_INTERNAL)
				continue;
			*f = why;
			return false;
		}
		g->gain = r->sim.end > cycles ? r->sim.end - cycles : 0;
		g->measured = true;
	}
	return true;
}

struct measuring { const struct run *run; bool always; };
static bool measure_found(void *user, struct find *k, struct fail *f)
{
	const struct measuring *m = user;
	return measure_gains(m->run, k, m->always, f);
}

/* The reasons: critical path, findings, lines. */
static bool find_reasons(struct run *r, bool measure, bool always, struct fail *f)
{
	struct measuring m = { r, always };
	r->report.least_bytes = least_bytes(r);
	return report_reasons(&r->report, &r->why, measure ? measure_found : NULL, &m, f);
}

static bool put_tiling_key(struct run *r)
{
	uint8_t *key = gm_at(&r->sim.gm, 0, GM_SYSTEM_KEY, 8, true);
	if (key)
		memcpy(key, &r->launch.tiling_key, 8);
	return true;
}

bool run_prepare(struct run *r, const struct run_options *o, const struct sim_options *so, struct fail *f)
{
	if (!chip_load(r->launch.chip[0] ? r->launch.chip : "ascend910b1", &r->chip, f))
		return false;
	for (int i = 0; i < r->n_chip_set; i++)
		if (!chip_override(&r->chip, r->chip_set[i], f))
			return false;
	if (!run_programs(r, o, f))
		return false;
	if (r->launch.blocks > BLOCKS_MAX)
		return fail_file(f, FAIL_USER, r->launch.file, 0, "blocks = %lld: a launch has at most %d blocks",
				 (long long)r->launch.blocks, BLOCKS_MAX);
	r->has_sim = true;
	return sim_init(&r->sim, &r->chip, r->has_program[0] ? &r->program[0] : NULL,
			r->has_program[1] ? &r->program[1] : NULL, r->launch.blocks, so, f) && run_args(r, f) &&
	       put_tiling_key(r);
}

static void fill_report(struct run *r)
{
	snprintf(r->report.kernel, sizeof r->report.kernel, "%s", r->launch.kernel);
	snprintf(r->report.entry, sizeof r->report.entry, "%s",
		 r->has_program[0] ? r->program[0].entry_name : r->program[1].entry_name);
	report_make(&r->report, &r->sim);
}

/* Outputs, report, reasons of a run that came to its end. */
static bool conclude(struct run *r, const struct run_options *o, struct fail *f)
{
	if (!run_outputs(r, o, f))
		return false;
	fill_report(r);
	return find_reasons(r, true, o->view, f);
}

bool run_reasons(struct run *r, bool measure, struct fail *f)
{
	fill_report(r);
	return find_reasons(r, measure, false, f);
}

/* A trace gets the findings too, so that it is closed only here. ran: the kernel came to its end; ok: so did the report. */
static bool trace_end(struct run *r, bool ran, bool ok, struct fail *f)
{
	if (!r->tracing)
		return ok;
	if (ok)
		trace_sink_report(&r->trace, &r->report);
	r->tracing = false;
	return trace_sink_close(&r->trace, ran ? NULL : f, f) && ok;
}

bool run_launch(struct run *r, const struct run_options *o, struct fail *f)
{
	struct sim_options so = { .timing_only = o->timing_only };
	so.on_event = on_event;
	so.on_hold = on_hold;
	so.user = r;
	so.fuzz_seed = o->fuzz_seed;
	if (o->check || o->keep_going) {
		r->checker = so.check = check_new(o->check, o->keep_going);
		if (!r->checker)
			return fail_set(f, FAIL_INTERNAL, "no memory for the checks");
		r->report.check = check_result(r->checker);
		r->report.all_findings = o->all_findings;
	}
	so.max_cycles = o->max_cycles ? o->max_cycles : r->launch.max_cycles;
	if (!run_prepare(r, o, &so, f))
		return false;
	bool ran = simulate(r, o, f), ok = ran && conclude(r, o, f);
	return trace_end(r, ran, ok, f);
}

void run_free(struct run *r)
{
	report_free(&r->report);
	if (r->has_why)
		why_close(&r->why);
	occupancy_close(&r->occupancy);
	check_free(r->checker);
	if (r->has_sim)
		sim_free(&r->sim);
	for (int i = 0; i < 2; i++)
		if (r->has_program[i])
			program_free(&r->program[i]);
	for (int i = 0; i < LAUNCH_ARGS; i++)
		array_free(&r->array[i]);
	for (int i = 0; i < r->report.n_output; i++)
		array_free(&r->report.output[i].array);
}
