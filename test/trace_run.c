/*
 * trace_run.c - a run's trace says what the engine said: same instructions, same cycles, bytes that operands touch, source
 * lines; the trace of a run that fails is whole and says so.
 */
#include "lab.h"

#include "../sim/trace_sink.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char kernel[] =
	"__global__ __aicore__ void k(__gm__ uint8_t *x) {\n"
	" for (int i = 0; i < 3; i++) {\n"
	"  copy_gm_to_ubuf((__ubuf__ void *)0, (__gm__ void *)x, 0, 1, 32, 0, 0);\n"
	"  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
	"  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
	"  vadd((__ubuf__ float *)0x4000, (__ubuf__ float *)0, (__ubuf__ float *)0x10100, 4, 1, 1, 1, 8, 8, 8);\n"
	"  pipe_barrier(PIPE_ALL);\n"
	" }\n"
	"}";

static struct trace_sink sink;
static struct lab *lab;

/* To the trace and to the lab's own record. */
static void (*keep)(void *user, const struct event *e);
static void both(void *user, const struct event *e)
{
	trace_sink_event(&sink, e);
	keep(user, e);
}

static bool traced(struct lab *r, const char *file)
{
	struct fail f = { 0 };
	lab = r;
	keep = r->sim.options.on_event;
	r->sim.options.on_event = both;
	cr_assert(trace_sink_open(&sink, file, &r->sim, "k.c", &f), "%s", f.what);
	cr_assert_neq(access(file, F_OK), 0, "the file has its name only when it is whole");
	bool ok = lab_run(r);
	cr_assert(trace_sink_close(&sink, ok ? NULL : &r->fail, &f), "%s", f.what);
	return ok;
}

static void temporary(char file[32])
{
	snprintf(file, 32, "build/run-%d.vtr", (int)getpid());
	unlink(file);
}

/* The vadd of the kernel, argument by argument as its source has them. */
static void check_operands(const struct vtr *t, const struct vtr_event *e)
{
	static const struct { const char *name; uint64_t value; bool address; } want[] = {
		{ "dst", 0x4000, true }, { "src0", 0, true }, { "src1", 0x10100, true }, { "repeat", 4, false },
		{ "dst_blk", 1, false }, { "src0_blk", 1, false }, { "src1_blk", 1, false }, { "dst_rep", 8, false },
		{ "src0_rep", 8, false }, { "src1_rep", 8, false },
	};
	cr_assert(e->has_words && t->layout_of && t->layout_of[e->site] < t->n_layout);
	const struct vtr_layout *l = &t->layout[t->layout_of[e->site]];
	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		uint32_t k = 0;
		while (k < l->n && strcmp(l->operand[k].name, want[i].name) != 0)
			k++;
		cr_assert_lt(k, l->n, "no argument %s", want[i].name);
		cr_assert_eq(vtr_operand_value(&l->operand[k], e->word), want[i].value, "%s", want[i].name);
		cr_assert_eq(l->operand[k].address, want[i].address, "%s", want[i].name);
	}
}

Test(trace_run, says_what_the_engine_said)
{
	char file[32];
	struct lab r;
	struct vtr t;
	struct vtr_event e;
	struct fail f = { 0 };
	int n = 0, adds = 0, waits = 0;
	temporary(file);
	lab_open(&r, "ascend910b1", CORE_VEC, kernel, 2, false);
	lab_buffer(&r, NULL, 4096);
	uint64_t gm = r.sim.arg[0];
	cr_assert(traced(&r, file), "%s", r.fail.what);
	cr_assert(vtr_open(file, &t, &f), "%s", f.what);
	unlink(file);
	cr_assert(t.has_done && !t.cut && !t.done.failed);
	cr_assert_eq(t.done.end, r.sim.end);
	cr_assert_str_eq(t.head.core[1].name, "core0.veccore1");
	struct vtr_walk *w = vtr_walk_new(&t, VTR_ALL, &f);
	vtr_walk_words(w);
	for (; vtr_next(w, &e); n++) {
		const struct lab_event *x = &r.event[n];
		const struct vtr_site *s = &t.site[e.site];
		cr_assert(n < r.n_event && (int)e.core == x->core && e.pipe == x->pipe && e.seq == x->seq);
		cr_assert(e.start == x->start && e.issue_end == x->issue_end && e.end == x->end);
		cr_assert_eq(strncmp(s->name, isa_table[x->insn].name, strlen(isa_table[x->insn].name)), 0);
		cr_assert_str_eq(t.head.cause[e.cause], cause_text(x->cause));
		if (x->insn == INSN_vadd) {
			adds++;
			cr_assert_str_eq(s->name, "vadd.f32");
			check_operands(&t, &e);
			cr_assert_eq(e.repeats, 4);
			cr_assert_eq(e.n_access, 3);
			for (int i = 0; i < 3; i++) {
				uint64_t addr = e.access[i].addr;
				cr_assert_str_eq(t.head.space[e.access[i].space], "UB");
				cr_assert_eq(e.access[i].extent, 4 * 256);
				cr_assert_eq(addr, e.access[i].write ? 0x4000 : addr == 0 ? 0 : 0x10100);
			}
		} else if (x->insn == INSN_copy_gm_to_ubuf) {
			cr_assert(e.bytes == 1024 && e.n_access == 2);
			for (int i = 0; i < 2; i++)
				cr_assert_eq(e.access[i].addr, e.access[i].write ? 0 : gm);
		} else if (x->insn == INSN_wait_flag) {
			waits++;
			cr_assert(s->role == VTR_WAIT_FLAG && e.has_flag && e.flag_src == PIPE_MTE2 && e.flag_dst == PIPE_V);
			cr_assert_str_eq(t.head.pipe[e.releaser_pipe], "MTE2");
			cr_assert_eq(e.releaser, e.seq - 1);
		}
	}
	cr_assert_eq(n, r.n_event);
	cr_assert(adds == 6 && waits == 6);
	for (uint32_t lane = 0; lane < t.head.n_core * t.head.n_pipe; lane++) {
		int64_t sum = 0;
		if (lane % t.head.n_pipe == PIPE_ALL)
			continue; /* no pipe of its own */
		for (uint32_t k = 0; k < t.head.n_cause; k++)
			sum += t.done.totals[lane * t.head.n_cause + k];
		cr_assert_eq(sum, t.done.end, "causes of core %u, pipe %u sum to the run", lane / t.head.n_pipe,
			     lane % t.head.n_pipe);
	}
	vtr_walk_free(w);
	vtr_close(&t);
	lab_close(&r);
}

Test(trace_run, a_run_that_fails_leaves_what_it_did)
{
	char file[32];
	struct lab r;
	struct vtr t;
	struct fail f = { 0 };
	temporary(file);
	lab_open(&r, "ascend910b1", CORE_VEC,
		 "__global__ __aicore__ void k(__gm__ uint8_t *x) {"
		 " copy_gm_to_ubuf((__ubuf__ void *)0, (__gm__ void *)x, 0, 1, 32, 0, 0);"
		 " wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); }", 1, false);
	lab_buffer(&r, NULL, 1024);
	cr_assert_not(traced(&r, file));
	cr_assert(vtr_open(file, &t, &f), "%s", f.what);
	unlink(file);
	cr_assert(t.has_done && t.done.failed && t.n_event == 1);
	cr_assert_str_eq(t.done.message, r.fail.what);
	vtr_close(&t);
	lab_close(&r);
}
