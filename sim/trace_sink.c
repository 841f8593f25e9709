/*
 * trace_sink.c - the engine's events in the words of a trace: cores, pipes and causes by number with their names in the
 * head, static instructions as sites with their source lines, accesses as the range of bytes they span.
 */
#include "trace_sink.h"

#include "reasons.h"

#include <stdlib.h>
#include <string.h>

enum { SITES_AT_ONCE = 4096, NAME_SIZE = 48, LINE_SIZE = 400 };

static const char *kind_name(unsigned kind)
{
	return kind == CORE_CUBE ? "cube" : kind == CORE_VEC ? "vector" : "fused";
}

/* As the vendor's profiler calls them: core3.cubecore0, core3.veccore1. A launch on vector cores alone still has two of
 * them in one AI core. */
static void core_name(const struct sim *s, const struct core *c, char *name, size_t size)
{
	bool vector_only = s->chip->split && s->group_size == 1 && c->kind == CORE_VEC;
	int group = vector_only ? c->group / 2 : c->group, sub = vector_only ? c->group % 2 : c->sub;
	if (c->kind == CORE_FUSED)
		snprintf(name, size, "core%d", group);
	else
		snprintf(name, size, "core%d.%s%d", group, c->kind == CORE_CUBE ? "cubecore" : "veccore", sub);
}

static struct vtr_writer *open_writer(const struct sim *s, FILE *stream, const char *kernel, struct fail *f)
{
	struct vtr_core *core = calloc((size_t)s->n_core, sizeof *core);
	char (*name)[NAME_SIZE] = calloc((size_t)s->n_core, sizeof *name);
	vtr_text pipe[PIPE_COUNT], cause[CAUSE_COUNT], space[SPACE_COUNT];
	const struct program *p = s->program[0] ? s->program[0] : s->program[1];
	struct vtr_writer *w = NULL;
	if (!core || !name) {
		fail_set(f, FAIL_INTERNAL, "no memory for the trace");
		goto out;
	}
	for (int i = 0; i < s->n_core; i++) {
		const struct core *c = &s->core[i];
		core_name(s, c, name[i], sizeof name[i]);
		core[i] = (struct vtr_core){ name[i], kind_name(c->kind), (uint32_t)c->group, (uint32_t)c->sub };
	}
	for (int i = 0; i < PIPE_COUNT; i++)
		pipe[i] = isa_pipe_name((enum isa_pipe)i);
	for (int i = 0; i < CAUSE_COUNT; i++)
		cause[i] = cause_text((enum cause)i);
	for (int i = 0; i < SPACE_COUNT; i++)
		space[i] = isa_space_name((enum isa_space)i);
	struct vtr_head head = {
		.producer = "vinci 0.1", .chip = s->chip->name, .kernel = kernel, .entry = p->entry_name,
		.clock_mhz = (uint64_t)s->chip->clock.core_mhz, .blocks = (uint64_t)s->blocks,
		.n_core = (uint32_t)s->n_core, .n_pipe = PIPE_COUNT, .n_cause = CAUSE_COUNT, .n_space = SPACE_COUNT,
		.core = core, .pipe = pipe, .cause = cause, .space = space,
	};
	w = vtr_writer_open(stream, &head, f);
out:
	free(core);
	free(name);
	return w;
}

static enum vtr_role role_of(const struct isa_insn *row)
{
	switch (row->form) {
	case FORM_SETFLAG: return VTR_SET_FLAG;
	case FORM_WAITFLAG: return VTR_WAIT_FLAG;
	case FORM_BARRIER: return VTR_BARRIER;
	case FORM_XSET: return VTR_CROSS_SET;
	case FORM_XWAIT: return VTR_CROSS_WAIT;
	default: return VTR_WORK;
	}
}

/* Every Da Vinci instruction of a program becomes a site. */
static bool write_sites(struct trace_sink *t, int which, uint32_t *n_site, struct fail *f)
{
	const struct program *p = t->sim->program[which];
	struct vtr_site *site = calloc(SITES_AT_ONCE, sizeof *site);
	char (*name)[NAME_SIZE] = calloc(SITES_AT_ONCE, sizeof *name);
	char (*line)[LINE_SIZE] = calloc(SITES_AT_ONCE, sizeof *line);
	uint32_t n = 0;
	t->site_of[which] = malloc((p->n_insn + 1) * sizeof *t->site_of[which]);
	bool ok = site && name && line && t->site_of[which];
	if (!ok)
		fail_set(f, FAIL_INTERNAL, "no memory for the trace");
	for (uint32_t i = 0; ok && i < p->n_insn; i++) {
		const struct insn *in = &p->insn[i];
		t->site_of[which][i] = UINT32_MAX;
		if (in->id >= ISA_COUNT || isa_table[in->id].rv)
			continue;
		struct op op = { .insn = in->id, .variant = in->rs3 };
		uint64_t pc = p->text_addr + 4 * (uint64_t)i;
		op_name(&op, name[n], sizeof name[n]);
		program_line(p, pc, line[n], sizeof line[n]);
		site[n] = (struct vtr_site){ (uint32_t)which, pc, role_of(&isa_table[in->id]), name[n], line[n] };
		t->site_of[which][i] = (*n_site)++;
		if (++n == SITES_AT_ONCE) {
			ok = vtr_write_sites(t->writer, site, n, f);
			n = 0;
		}
	}
	ok = ok && (n == 0 || vtr_write_sites(t->writer, site, n, f));
	free(site);
	free(name);
	free(line);
	return ok;
}

/* One layout per instruction of the table that the programs have. */
static bool write_layouts(struct trace_sink *t, uint32_t n_site, struct fail *f)
{
	struct isa_operand (*own)[ISA_OPERANDS] = calloc(ISA_COUNT, sizeof *own);
	struct vtr_operand (*operand)[ISA_OPERANDS] = calloc(ISA_COUNT, sizeof *operand);
	struct vtr_layout *layout = calloc(ISA_COUNT, sizeof *layout);
	uint32_t *of = malloc((n_site + 1) * sizeof *of), *number = calloc(ISA_COUNT, sizeof *number), n = 0;
	bool ok = own && operand && layout && of && number;
	if (!ok)
		fail_set(f, FAIL_INTERNAL, "no memory for the trace");
	for (int which = 0; ok && which < 2; which++) {
		const struct program *p = t->sim->program[which];
		for (uint32_t i = 0; p && i < p->n_insn; i++) {
			uint32_t site = t->site_of[which][i], id = p->insn[i].id;
			if (site == UINT32_MAX)
				continue;
			if (number[id] == 0) {
				layout[n] = (struct vtr_layout){ (uint32_t)isa_operands(id, own[id]), operand[id] };
				for (uint32_t k = 0; k < layout[n].n; k++) {
					const struct isa_operand *o = &own[id][k];
					operand[id][k] = (struct vtr_operand){ o->name, o->word, o->lsb, o->width,
									       o->lsb2, o->width2, o->address };
				}
				number[id] = ++n;
			}
			of[site] = layout[number[id] - 1].n ? number[id] - 1 : UINT32_MAX;
		}
	}
	ok = ok && vtr_write_layouts(t->writer, layout, n, of, f);
	free(own);
	free(operand);
	free(layout);
	free(of);
	free(number);
	return ok;
}

bool trace_sink_begin(struct trace_sink *t, FILE *stream, const struct sim *s, const char *kernel, struct fail *f)
{
	uint32_t n_site = 0;
	t->sim = s;
	t->writer = open_writer(s, stream, kernel, f);
	bool ok = t->writer != NULL;
	for (int i = 0; i < 2; i++)
		ok = ok && (!s->program[i] || write_sites(t, i, &n_site, f));
	return ok && write_layouts(t, n_site, f);
}

bool trace_sink_open(struct trace_sink *t, const char *path, const struct sim *s, const char *kernel, struct fail *f)
{
	memset(t, 0, sizeof *t);
	if (!cli_file_open(&t->file, path, f))
		return false;
	if (trace_sink_begin(t, t->file.stream, s, kernel, f))
		return true;
	t->fail = *f;
	return trace_sink_close(t, NULL, f);
}

static struct vtr_access span(const struct access *a)
{
	int64_t low = 0, high = a->unit_bytes;
	for (int i = 0; i < 3; i++) {
		int64_t reach = a->stride[i] * ((int64_t)a->n[i] - 1);
		*(reach < 0 ? &low : &high) += reach;
	}
	return (struct vtr_access){ a->space, a->write, a->addr + (uint64_t)low, (uint64_t)(high - low) };
}

bool trace_sink_convert(const struct trace_sink *t, const struct event *e, struct vtr_event *v)
{
	const struct sim *s = t->sim;
	const struct op *op = e->op;
	const struct effect *x = e->effect;
	int which = s->core[e->core].program == s->program[0] ? 0 : 1;
	uint64_t at = (op->pc - s->program[which]->text_addr) / 4;
	if (at >= s->program[which]->n_insn)
		return false;
	v->core = (uint32_t)e->core;
	v->site = t->site_of[which][at];
	v->block = e->block;
	v->pipe = op->pipe;
	v->cause = (uint8_t)e->cause;
	v->releaser_pipe = e->releaser_pipe;
	v->releaser = e->releaser;
	v->seq = op->seq;
	v->dispatched = op->dispatched;
	v->arrived = op->arrived;
	v->stall_begin = e->stall_begin;
	v->start = e->start;
	v->issue_end = e->issue_end;
	v->end = e->end;
	v->extra_bank = e->extra_bank;
	v->extra_bandwidth = e->extra_bandwidth;
	v->has_words = isa_table[op->insn].form != FORM_SETFLAG && isa_table[op->insn].form != FORM_WAITFLAG;
	memcpy(v->word, op->x, sizeof v->word);
	v->repeats = x->repeats;
	v->bytes = x->bytes;
	v->macs = x->macs;
	unsigned form = isa_table[op->insn].form;
	v->has_flag = form == FORM_SETFLAG || form == FORM_WAITFLAG;
	v->flag_src = v->has_flag ? op->flag_src : 0;
	v->flag_dst = v->has_flag ? op->flag_dst : 0;
	v->event_id = v->has_flag ? op->event_id : 0;
	v->n_access = x->n_access < VTR_ACCESSES ? x->n_access : VTR_ACCESSES;
	for (int i = 0; i < v->n_access; i++)
		v->access[i] = span(&x->access[i]);
	return true;
}

void trace_sink_event(void *sink, const struct event *e)
{
	struct trace_sink *t = sink;
	struct vtr_event v;
	if (t->fail.class)
		return;
	if (!trace_sink_convert(t, e, &v))
		fail_set(&t->fail, FAIL_INTERNAL, "trace: pc 0x%llx is in no program", (unsigned long long)e->op->pc);
	else
		(void)!vtr_write_event(t->writer, &v, &t->fail);
}

void trace_sink_convert_hold(const struct trace_sink *t, const struct hold *h, struct vtr_hold *v)
{
	const struct sim *s = t->sim;
	int which = s->core[h->core].program == s->program[0] ? 0 : 1;
	uint64_t at = (h->pc - s->program[which]->text_addr) / 4;
	bool own = h->releaser_core == h->core;
	*v = (struct vtr_hold){
		.core = (uint32_t)h->core, .pipe = PIPE_S, .cause = (uint8_t)h->cause, .from = h->from, .to = h->to,
		.site = at < s->program[which]->n_insn ? t->site_of[which][at] : UINT32_MAX,
		.releaser_pipe = own ? h->releaser_pipe : 0, .releaser = own ? h->releaser : 0,
	};
}

void trace_sink_hold(void *sink, const struct hold *h)
{
	struct trace_sink *t = sink;
	struct vtr_hold v;
	if (t->fail.class)
		return;
	trace_sink_convert_hold(t, h, &v);
	(void)!vtr_write_hold(t->writer, &v, &t->fail);
}

void trace_sink_report(struct trace_sink *t, const struct report *r)
{
	struct reasons x;
	if (t->fail.class)
		return;
	reasons_of(r, t->site_of, &x);
	(void)!vtr_write_findings(t->writer, &x.all, &t->fail);
}

static bool write_done(struct trace_sink *t, const struct fail *failure, struct fail *f)
{
	const struct sim *s = t->sim;
	int64_t *totals = NULL;
	struct vtr_done done = { .end = failure ? s->now : s->end, .failed = failure != NULL };
	if (failure)
		done.message = failure->what;
	else if ((totals = calloc((size_t)s->n_core * PIPE_COUNT * CAUSE_COUNT, sizeof *totals)))
		for (int i = 0; i < s->n_core; i++)
			for (int p = 0; p < PIPE_COUNT; p++)
				memcpy(totals + (i * PIPE_COUNT + p) * CAUSE_COUNT, s->core[i].stats.pipe[p].cause,
				       CAUSE_COUNT * sizeof *totals);
	done.totals = totals;
	bool ok = (failure || trace_counters(t->writer, s, f)) && vtr_write_done(t->writer, &done, f);
	free(totals);
	return ok;
}

bool trace_sink_close(struct trace_sink *t, const struct fail *failure, struct fail *f)
{
	bool ok = t->fail.class == FAIL_NONE;
	if (!ok && f->class == FAIL_NONE)
		*f = t->fail;
	if (!t->file.stream)
		return ok;
	ok = ok && write_done(t, failure, f);
	vtr_writer_free(t->writer);
	free(t->site_of[0]);
	free(t->site_of[1]);
	t->writer = NULL;
	t->site_of[0] = t->site_of[1] = NULL;
	ok = cli_file_close(&t->file, ok, f);
	t->file.stream = NULL;
	return ok;
}
