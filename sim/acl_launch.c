/*
 * acl_launch.c - a kernel launch of a host program: finds the kernel in the linked images, lays out arguments by its debug
 * info, simulates, and says how long it took. VINCI_REPORT=1 prints the whole report, VINCI_TRACE=FILE.vtr writes a
 * trace of every launch (the later one wins), VINCI_CHIP names the chip.
 */
#include "acl.h"

#include "../isa/include/acl_runtime/acl/acl.h"
#include "../isa/include/acl_runtime/vinci_launch.h"
#include "kernel_print.h"
#include "report.h"
#include "trace_sink.h"

#include <stdlib.h>
#include <string.h>

const char *acl_chip_name(void)
{
	const char *env = getenv("VINCI_CHIP");
	return env && env[0] ? env : vinci_image_chip ? vinci_image_chip : "ascend910b1";
}

static bool get_chip(struct chip *chip, struct fail *f) { return chip_load(acl_chip_name(), chip, f); }

const char *vinci_acl_chip_name(void) { return acl_chip_name(); }

const char *aclrtGetSocName(void)
{
	static char name[64];
	const char *chip = acl_chip_name();
	snprintf(name, sizeof name, "%s", chip);
	if (strncmp(name, "ascend", 6) == 0)
		name[0] = 'A';
	for (char *p = name + 1; *p; p++)
		if (*p == 'b' || *p == 'p')
			*p = (char)(*p - 32);
	if (strncmp(name, "AscEnd", 6) == 0 || name[0] == 'A')
		memcpy(name, "Ascend", 6);
	return name;
}

uint64_t vinci_acl_chip(int what)
{
	struct chip c;
	struct fail f = { 0 };
	if (!get_chip(&c, &f)) {
		fail_print(&f);
		return 0;
	}
	switch (what) {
	case 0: return (uint64_t)(c.split ? c.cores.cube : c.cores.fused);
	case 1: return (uint64_t)(c.split ? c.cores.vector : c.cores.fused);
	case 2: return (uint64_t)c.buffers.ub;
	case 3: return (uint64_t)c.buffers.l1;
	case 4: return (uint64_t)c.buffers.l0a;
	case 5: return (uint64_t)c.buffers.l0b;
	case 6: return (uint64_t)c.buffers.l0c;
	case 7: return !c.split;
	default: return (uint64_t)192 << 20;
	}
}

void vinci_acl_tiling_key(uint64_t key) { acl_device.tiling_key = key; }

static bool load_images(struct fail *f)
{
	struct acl_state *d = &acl_device;
	char err[200];
	if (!d->loaded && !isa_init(err, sizeof err))
		return fail_set(f, FAIL_INTERNAL, "%s", err);
	for (int i = 0; !d->loaded && vinci_images && vinci_images[i].name && d->n_program < ACL_IMAGES; i++) {
		const struct vinci_image *m = &vinci_images[i];
		if (!program_parse(m->from, (size_t)(m->to - m->from), m->name, &d->program[d->n_program], f))
			return false;
		d->program_name[d->n_program++] = m->name;
	}
	d->loaded = true;
	return true;
}

static bool has_entry(const struct program *p, const char *kernel)
{
	char text[128];
	for (int i = 0; i < p->n_symbol; i++)
		if (p->symbol[i].entry && (strcmp(p->symbol[i].name, kernel) == 0 ||
					   strcmp(program_name(p->symbol[i].name, text, sizeof text), kernel) == 0))
			return true;
	return false;
}

/* Programs of a kernel: [0] cube or fused, [1] vector. */
static bool find_kernel(const char *kernel, struct program *found[2], struct fail *f)
{
	found[0] = found[1] = NULL;
	if (!load_images(f))
		return false;
	for (int i = 0; i < acl_device.n_program; i++) {
		struct program *p = &acl_device.program[i];
		if (has_entry(p, kernel))
			found[p->core == CORE_VEC] = p;
	}
	if (!found[0] && !found[1]) {
		fail_set(f, FAIL_USER, "no kernel \"%s\" in this program", kernel);
		return fail_hint(f, "name its source on the line: vinci cc --host main.cpp op.cpp -o op");
	}
	for (int i = 0; i < 2; i++)
		if (found[i] && !program_entry(found[i], kernel, f))
			return false;
	return true;
}

static uint64_t raw(const struct vinci_arg *a, unsigned bytes)
{
	uint64_t v = 0;
	memcpy(&v, a->data, bytes < 8 ? bytes : 8);
	return v;
}

static double float_of(const struct vinci_arg *a)
{
	if ((a->size & 0xff) == 8) {
		double d;
		memcpy(&d, a->data, 8);
		return d;
	}
	if ((a->size & 0xff) == 4) {
		float v;
		memcpy(&v, a->data, 4);
		return (double)v;
	}
	return dtype_get(DT_F16, a->data, 0);
}

static bool put_float(struct sim *s, double v, unsigned size, struct fail *f)
{
	uint8_t bytes[8] = { 0 };
	uint64_t word = 0;
	dtype_set(size == 8 ? DT_F64 : size == 4 ? DT_F32 : DT_F16, bytes, 0, v);
	memcpy(&word, bytes, 8);
	if (size < 8)
		word |= UINT64_MAX << (8 * size);
	return sim_arg(s, word, true, f);
}

static bool put_int(struct sim *s, uint64_t v, unsigned size, bool is_signed, struct fail *f)
{
	unsigned bits = 8 * size;
	if (bits < 64) {
		bool extend = is_signed || size == 4; /* the calling convention extends every 32-bit value by its sign */
		v &= (UINT64_C(1) << bits) - 1;
		if (extend && v >> (bits - 1))
			v |= UINT64_MAX << bits;
	}
	return sim_arg(s, v, false, f);
}

/* A struct by value: more than 16 bytes by address of a copy; one or two members with a float in float registers, else
 * words (lp64d). */
static bool put_struct(struct sim *s, const struct program *p, int index, const struct vinci_arg *a, int number, struct fail *f)
{
	const struct program_struct *st = p && index >= 0 ? &p->structs[index] : NULL;
	const uint8_t *bytes = a->data;
	char name[48];
	if (a->size > 16) {
		snprintf(name, sizeof name, "struct %d", number);
		struct gm_region *r = gm_add(&s->gm, name, GM_SYSTEM + GM_SYSTEM_SIZE + ((uint64_t)number << 16),
					     a->size, false, false, f);
		if (!r)
			return false;
		memcpy(r->host, bytes, a->size);
		return sim_arg(s, r->addr, false, f);
	}
	bool floats = st && st->n_member <= 2;
	bool any = false;
	for (int i = 0; st && i < st->n_member; i++) {
		any |= st->member[i].is_float;
		floats &= st->member[i].count == 1;
	}
	if (floats && any) {
		for (int i = 0; i < st->n_member; i++) {
			const struct program_member *m = &st->member[i];
			struct vinci_arg part = { 0, m->size, bytes + m->offset };
			if (!(m->is_float ? put_float(s, float_of(&part), m->size, f)
					  : put_int(s, raw(&part, m->size), m->size, m->is_signed, f)))
				return false;
		}
		return true;
	}
	for (uint32_t at = 0; at < a->size; at += 8) {
		struct vinci_arg part = { 0, 8, bytes + at };
		if (!sim_arg(s, raw(&part, a->size - at), false, f))
			return false;
	}
	return true;
}

static bool put_arg(struct sim *s, const struct program *p, int i, const struct vinci_arg *a, struct fail *f)
{
	const struct program_param *pp = p && i < p->n_param ? &p->param[i] : NULL;
	unsigned size = pp && pp->size <= 8 && pp->size ? pp->size : (a->size & 0xff);
	if (a->kind == VINCI_ARG_POINTER && pp && !pp->pointer && pp->struct_index >= 0) {
		/* ACLRT_LAUNCH_KERNEL takes the host address of a struct that the kernel takes by value */
		struct vinci_arg pointee = { VINCI_ARG_STRUCT, pp->size, (const void *)(uintptr_t)raw(a, 8) };
		return put_struct(s, p, pp->struct_index, &pointee, i, f);
	}
	if (a->kind == VINCI_ARG_POINTER)
		return sim_arg(s, raw(a, 8), false, f);
	if (a->kind == VINCI_ARG_STRUCT)
		return put_struct(s, p, pp ? pp->struct_index : -1, a, i, f);
	if (pp && pp->is_float)
		return put_float(s, a->kind == VINCI_ARG_FLOAT ? float_of(a) : (double)(int64_t)raw(a, a->size & 0xff), size, f);
	if (a->kind == VINCI_ARG_FLOAT && !pp)
		return put_float(s, float_of(a), a->size, f);
	uint64_t v = a->kind == VINCI_ARG_FLOAT ? (uint64_t)(int64_t)float_of(a) : raw(a, a->size & 0xff);
	unsigned own = a->size & 0xff;
	if (a->kind == VINCI_ARG_INT && (a->size & 0x100) && own < 8 && v >> (8 * own - 1))
		v |= UINT64_MAX << (8 * own);
	return put_int(s, v, size, pp ? pp->is_signed : (a->size & 0x100) != 0, f);
}

/* The program's memory becomes the run's, without a copy. */
static bool lend_memory(struct sim *s, struct gm_region **lent, struct fail *f)
{
	for (int i = 0; i < acl_device.n_block; i++) {
		struct acl_block *b = &acl_device.block[i];
		char name[48];
		snprintf(name, sizeof name, "allocation %d", i);
		lent[i] = gm_add(&s->gm, name, b->addr, b->room, true, false, f);
		if (!lent[i])
			return false;
		free(lent[i]->host);
		lent[i]->host = b->host;
	}
	return true;
}

static void take_back(struct gm_region **lent)
{
	for (int i = 0; i < ACL_BLOCKS; i++)
		if (lent[i])
			lent[i]->host = NULL;
}

/* the name that people know: "vinci_instance_0 add<half>" is a template kernel's wrapper and the template */
static const char *shown(const char *kernel) { return strchr(kernel, ' ') ? strchr(kernel, ' ') + 1 : kernel; }

/* What a launch is watched by: a trace, the reasons of its report. */
struct watch {
	struct trace_sink trace;
	struct why why;
	bool traced, reported;
};
static void on_event(void *user, const struct event *e)
{
	struct watch *w = user;
	if (w->traced)
		trace_sink_event(&w->trace, e);
	why_event(&w->why, e);
}
static void on_hold(void *user, const struct hold *h)
{
	struct watch *w = user;
	if (w->traced)
		trace_sink_hold(&w->trace, h);
	why_hold(&w->why, h);
}

static bool watch_open(struct watch *w, struct sim *s, const char *kernel, struct fail *f)
{
	const char *trace_file = getenv("VINCI_TRACE"), *full = getenv("VINCI_REPORT");
	bool traced = trace_file && trace_file[0];
	w->reported = traced || (full && full[0] && full[0] != '0');
	if (!w->reported)
		return true;
	if (!why_open(&w->why, s, 0, f))
		return false;
	s->options.on_event = on_event;
	s->options.on_hold = on_hold;
	s->options.user = w;
	w->traced = traced && trace_sink_open(&w->trace, trace_file, s, kernel, f);
	return w->traced == traced;
}

/* `ran`: the kernel came to its end; then the report gets its reasons, and the trace both. */
static bool watch_close(struct watch *w, const struct sim *s, const char *kernel, bool ran, struct report *r, struct fail *f)
{
	bool ok = ran;
	if (ran) {
		snprintf(r->kernel, sizeof r->kernel, "%s", kernel);
		snprintf(r->entry, sizeof r->entry, "%s", kernel);
		report_make(r, s);
		ok = !w->reported || report_reasons(r, &w->why, NULL, NULL, f);
	}
	if (w->traced && ok)
		trace_sink_report(&w->trace, r);
	if (w->traced)
		ok = trace_sink_close(&w->trace, ran ? NULL : f, f) && ok;
	return ok;
}

static bool run(struct sim *s, const char *kernel, const struct vinci_arg *arg, int n_arg, struct report *r, struct fail *f)
{
	const struct program *p = s->program[0] ? s->program[0] : s->program[1];
	struct watch w = { 0 };
	if (p->n_param >= 0 && p->n_param != n_arg && strncmp(kernel, "vinci_instance_", 15) != 0)
		return fail_set(f, FAIL_USER, "kernel %s takes %d arguments, the launch gives %d", kernel, p->n_param, n_arg);
	for (int i = 0; i < n_arg; i++)
		if (!put_arg(s, p->n_param == n_arg ? p : NULL, i, &arg[i], f))
			return false;
	uint8_t *key = gm_at(&s->gm, 0, GM_SYSTEM_KEY, 8, true);
	if (key)
		memcpy(key, &acl_device.tiling_key, 8);
	bool ok = watch_open(&w, s, shown(kernel), f) && watch_close(&w, s, shown(kernel), sim_run(s, f), r, f);
	if (w.reported)
		why_close(&w.why);
	return ok;
}

static void report_run(const struct sim *s, const struct report *r, const char *kernel)
{
	const char *full = getenv("VINCI_REPORT");
	char cycles[32];
	double us = (double)s->end / (double)s->chip->clock.core_mhz;
	acl_device.time_ms += us / 1000;
	fprintf(stderr, "vinci: %s: %lld block%s on %s, %s cycles = %.2f us\n", kernel, (long long)s->blocks,
		s->blocks == 1 ? "" : "s", s->chip->name, report_number(s->end, cycles), us);
	if (full && full[0] && full[0] != '0')
		report_text(r, stderr);
}

static int code_of(const struct fail *f)
{
	switch (f->class) {
	case FAIL_KERNEL:
		return strstr(f->what, "cycles, the limit") ? ACL_ERROR_RT_AICORE_TIMEOUT
							    : ACL_ERROR_RT_AICORE_EXCEPTION;
	case FAIL_MODEL: return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
	case FAIL_USER: return ACL_ERROR_RT_PARAM_INVALID;
	default: return ACL_ERROR_RT_INTERNAL_ERROR;
	}
}

/* "vinci_instance_0 add<half>": a template kernel has a wrapper's name, and the one that people know */
static const char *entry_of(const char *kernel, char *text, size_t size)
{
	snprintf(text, size, "%.*s", (int)strcspn(kernel, " "), kernel);
	return text;
}

int vinci_acl_launch(const char *kernel, uint32_t blocks, void *stream, const struct vinci_arg *arg, int n_arg)
{
	struct fail f = { 0 };
	struct chip chip;
	struct sim_options options = { 0 };
	struct sim *s = calloc(1, sizeof *s);
	struct gm_region *lent[ACL_BLOCKS] = { 0 };
	struct program *program[2];
	char entry[128];
	(void)stream;
	struct report *r = calloc(1, sizeof *r);
	bool begun = false, ok = s && r && get_chip(&chip, &f) && find_kernel(entry_of(kernel, entry, sizeof entry), program, &f);
	if (ok && (program[0] ? program[0] : program[1])->arch != chip.arch) {
		ok = fail_set(&f, FAIL_USER, "kernel %s was not compiled for chip %s (%s)", shown(kernel), chip.name,
			      chip.arch_name);
		fail_hint(&f, "build the program with vinci cc --host ... --chip %s; VINCI_CHIP chooses among chips of one kind",
			  chip.name);
	}
	if (ok && blocks == 0)
		ok = fail_set(&f, FAIL_USER, "kernel %s: a launch of 0 blocks", shown(kernel));
	if (ok) {
		begun = true;
		ok = sim_init(s, &chip, program[0], program[1], blocks, &options, &f) && lend_memory(s, lent, &f) &&
		     run(s, kernel, arg, n_arg, r, &f);
		kernel_print(s, stdout);
		if (ok)
			report_run(s, r, shown(kernel));
	}
	if (r)
		report_free(r);
	free(r);
	take_back(lent);
	if (begun)
		sim_free(s);
	free(s);
	if (ok)
		return ACL_SUCCESS;
	fail_print(&f);
	acl_device.error = code_of(&f);
	return acl_error(acl_device.error, "kernel %s failed: %s", shown(kernel), f.what);
}

/* --- kernels by handle --- */

aclError aclrtBinaryLoadFromFile(const char *path, void *options, aclrtBinHandle *handle)
{
	struct fail f = { 0 };
	struct acl_state *d = &acl_device;
	(void)options;
	if (!load_images(&f) || d->n_program == ACL_IMAGES || !program_load(path, &d->program[d->n_program], &f)) {
		fail_print(&f);
		return acl_error(ACL_ERROR_INVALID_FILE, "aclrtBinaryLoadFromFile: %s: %s", path, f.what);
	}
	d->program_name[d->n_program] = "file";
	*handle = &d->program[d->n_program++];
	return ACL_SUCCESS;
}
aclError aclrtBinaryGetFunction(const aclrtBinHandle handle, const char *name, aclrtFuncHandle *function)
{
	(void)handle;
	*function = strdup(name);
	return ACL_SUCCESS;
}
aclError aclrtBinaryUnLoad(aclrtBinHandle handle)
{
	(void)handle;
	return ACL_SUCCESS;
}
aclError aclrtLaunchKernel(aclrtFuncHandle function, uint32_t numBlocks, const void *args, size_t argsSize, aclrtStream stream)
{
	struct vinci_arg list[SIM_ARGS];
	int n = (int)(argsSize / 8);
	if (!function || n > SIM_ARGS)
		return acl_error(ACL_ERROR_INVALID_PARAM, "aclrtLaunchKernel: no function, or more than %d arguments", SIM_ARGS);
	for (int i = 0; i < n; i++)
		list[i] = (struct vinci_arg){ VINCI_ARG_POINTER, 8, (const uint8_t *)args + 8 * i };
	return vinci_acl_launch(function, numBlocks, stream, list, n);
}
