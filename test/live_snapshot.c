/*
 * live_snapshot.c - going back by snapshots: the state is byte for byte that of a run which stopped there, what was handed out
 * until then stays true, and from there the run ends as it did.
 */
#include "../sim/live.h"
#include "../viz/model.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 1 << 20, STOPS = 5 };

/* What has been handed out: a running sum per call, so that calls can be taken back. */
struct record { uint64_t *sum, n; };

static void add(struct record *r, uint64_t a, uint64_t b, uint64_t c)
{
	cr_assert_lt(r->n + 1, CALLS);
	r->sum[r->n + 1] = ((r->sum[r->n] * 31 + a) * 31 + b) * 31 + c;
	r->n++;
}

static void on_event(void *user, const struct vtr_event *e)
{
	add(user, (uint64_t)e->start, (uint64_t)e->end, e->seq * 64 + e->core);
}

static void on_hold(void *user, const struct vtr_hold *h) { add(user, (uint64_t)h->from, (uint64_t)h->to, h->cause); }

static void back(void *user, uint64_t kept)
{
	struct record *r = user;
	cr_assert_leq(kept, r->n);
	r->n = kept;
}

static uint64_t mix(uint64_t h, const void *at, size_t n)
{
	const uint8_t *p = at;
	for (size_t i = 0; at && i < n; i++)
		h = (h ^ p[i]) * UINT64_C(1099511628211);
	return h;
}

/* Everything that can be seen of a run: memories, registers, caches, queues, flags, the L2, what is to come. */
static uint64_t state(const struct sim *s)
{
	uint64_t h = UINT64_C(1469598103934665603);
	for (int i = 0; i < s->n_core; i++) {
		const struct core *c = &s->core[i];
		for (int sp = 0; sp < SPACE_COUNT; sp++)
			h = mix(h, c->mem.buf[sp], (size_t)c->mem.size[sp]);
		h = mix(h, c->scalar.x, 32 * sizeof c->scalar.x[0]);
		h = mix(h, c->scalar.f, sizeof c->scalar.f);
		h = mix(h, &c->scalar.pc, sizeof c->scalar.pc);
		h = mix(h, &c->scalar.cycle, sizeof c->scalar.cycle);
		h = mix(h, c->scalar.d_next, c->scalar.d_sets);
		h = mix(h, c->scalar.i_slot, (size_t)c->scalar.i_sets * c->scalar.i_ways * sizeof *c->scalar.i_slot);
		for (int q = 0; q < PIPE_COUNT; q++) {
			const struct pipe *p = &c->pipe[q];
			const int64_t at[4] = { p->head, p->count, p->free_at, p->done_at };
			h = mix(h, at, sizeof at);
		}
		for (int q = 0; q < PIPE_COUNT; q++)
			h = mix(h, c->stats.pipe[q].cause, sizeof c->stats.pipe[q].cause);
	}
	for (int i = 0; i < s->gm.n_region; i++)
		if (strncmp(s->gm.region[i].name, "argument", 8) == 0)
			h = mix(h, s->gm.region[i].host, (size_t)s->gm.region[i].size);
	h = mix(h, s->memsys.tag, (size_t)(s->memsys.sets * s->memsys.ways) * sizeof *s->memsys.tag);
	for (int i = 0; i < s->heap_n; i++) {
		h = mix(h, &s->heap[i].cycle, sizeof s->heap[i].cycle);
		h = mix(h, &s->heap[i].order, sizeof s->heap[i].order);
	}
	return mix(h, &s->ops, sizeof s->ops);
}

static struct live *begin(const char *kernel, const char *const *set, struct record *r)
{
	struct fail f = { 0 };
	char err[256];
	cr_assert(isa_init(err, sizeof err), "%s", err);
	r->n = 0;
	struct live *l = live_open(kernel, set, on_event, r, &f);
	cr_assert(l, "%s", f.what);
	live_on_hold(l, on_hold);
	return l;
}

static void to(struct live *l, int64_t cycle)
{
	struct live_until u = LIVE_FOREVER;
	u.cycle = cycle;
	live_to(l, &u, 0);
	cr_assert_neq(live_state(l), LIVE_FAILED, "%s", live_failure(l)->what);
}

static void goes_back(const char *kernel, const char *const *set, uint64_t interval)
{
	struct record plain = { calloc(CALLS, sizeof(uint64_t)), 0 }, r = { calloc(CALLS, sizeof(uint64_t)), 0 };
	struct fail f = { 0 };
	struct live *a = begin(kernel, set, &plain), *b = begin(kernel, set, &r);
	live_snapshots(a, 0, 0);
	live_snapshots(b, interval, (size_t)2 << 30);
	to(b, INT64_MAX);
	cr_assert_eq(live_state(b), LIVE_ENDED);
	int64_t end = live_cycle(b);
	cr_assert_gt(live_snapshots_kept(b), 1, "%s: no snapshots to go back to", kernel);
	uint64_t whole = r.sum[r.n], calls = r.n;
	struct { int64_t cycle; uint64_t state, sum, n; } then[STOPS];
	for (int i = 0; i < STOPS; i++) {
		then[i].cycle = end * (2 * i + 1) / (2 * STOPS);
		to(a, then[i].cycle);
		then[i].state = state(live_sim(a));
		then[i].sum = plain.sum[plain.n];
		then[i].n = plain.n;
	}
	to(a, INT64_MAX);
	cr_assert(plain.n == calls && plain.sum[plain.n] == whole, "%s: snapshots change the run", kernel);
	cr_assert_eq(live_snapshots_kept(a), 0);
	static const int order[] = { 4, 2, 3, 0, 1, 4 };
	for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
		int i = order[k];
		cr_assert(live_back(b, then[i].cycle, back, &f), "%s", f.what);
		cr_assert_eq(live_cycle(b), then[i].cycle);
		cr_assert(r.n == then[i].n && r.sum[r.n] == then[i].sum, "%s: other events until cycle %lld", kernel,
			  (long long)then[i].cycle);
		cr_assert_eq(state(live_sim(b)), then[i].state, "%s: another state at cycle %lld", kernel,
			     (long long)then[i].cycle);
		cr_assert_null(live_findings(b));
		if (k % 2)
			continue;
		to(b, INT64_MAX);
		cr_assert(live_cycle(b) == end && r.n == calls && r.sum[r.n] == whole, "%s: another end", kernel);
		cr_assert_not_null(live_findings(b));
		cr_assert_eq(live_findings(a)->n_finding, live_findings(b)->n_finding);
		for (uint32_t n = 0; n < live_findings(a)->n_finding; n++)
			cr_assert_str_eq(live_findings(a)->finding[n].what, live_findings(b)->finding[n].what);
	}
	live_free(a);
	live_free(b);
	free(plain.sum);
	free(r.sum);
}

Test(live_snapshot, vector_kernel) { goes_back("kernels/softmax", (const char *const[]){ "rows=500", NULL }, 2000); }
Test(live_snapshot, cube_kernel)
{
	goes_back("kernels/matmul", (const char *const[]){ "M=512", "N=768", "K=512", NULL }, 500);
}
Test(live_snapshot, cube_and_vector_cores) { goes_back("kernels/flash_attention", NULL, 3000); }
Test(live_snapshot, many_blocks_on_a_core) { goes_back("kernels/add", (const char *const[]){ "blocks=200", NULL }, 200); }

/* More snapshots than there are places: fewer and further apart, from the beginning to the end. */
Test(live_snapshot, long_runs_thin_them_out)
{
	struct record r = { calloc(CALLS, sizeof(uint64_t)), 0 };
	struct live *l = begin("kernels/matmul", NULL, &r);
	live_snapshots(l, 1, (size_t)2 << 30);
	to(l, INT64_MAX);
	cr_assert_gt(live_snapshots_kept(l), 2);
	cr_assert_leq(live_snapshots_kept(l), 8);
	live_free(l);
	l = begin("kernels/matmul", NULL, &r);
	live_snapshots(l, 1000, 4096); /* no room for one */
	to(l, INT64_MAX);
	cr_assert_eq(live_state(l), LIVE_ENDED);
	cr_assert_eq(live_snapshots_kept(l), 0);
	live_free(l);
	free(r.sum);
}

static void model_event_of(void *user, const struct vtr_event *e)
{
	struct fail f = { 0 };
	cr_assert(model_add(user, e, &f));
}

static void model_hold_of(void *user, const struct vtr_hold *h) { cr_assert(model_hold(user, h)); }

static void model_back(void *user, uint64_t kept)
{
	struct fail f = { 0 };
	cr_assert(model_rewind(user, kept, &f));
}

/* The window's rows after going back are those of a run that only came so far. */
Test(live_snapshot, the_models_rows_go_back_too)
{
	struct fail f = { 0 };
	struct model m[2];
	struct live *l[2];
	char err[256];
	cr_assert(isa_init(err, sizeof err), "%s", err);
	for (int i = 0; i < 2; i++) {
		l[i] = live_open("kernels/softmax", NULL, model_event_of, &m[i], &f);
		cr_assert(l[i] && model_begin(&m[i], live_head(l[i]), &f), "%s", f.what);
		live_on_hold(l[i], model_hold_of);
	}
	live_snapshots(l[1], 1000, (size_t)2 << 30);
	to(l[0], 14000);
	to(l[1], INT64_MAX);
	cr_assert_gt(live_snapshots_kept(l[1]), 1);
	cr_assert(live_back(l[1], 14000, model_back, &f), "%s", f.what);
	cr_assert_eq(m[0].n_row, m[1].n_row);
	for (uint32_t i = 0; i < m[0].n_lane; i++) {
		const struct lane *a = &m[0].lane[i], *b = &m[1].lane[i];
		cr_assert(a->n == b->n && a->busy == b->busy && a->stall == b->stall && a->work == b->work, "lane %u", i);
		cr_assert(a->n == 0 || memcmp(a->row, b->row, a->n * sizeof *a->row) == 0, "lane %u", i);
		for (uint32_t k = 0; k < a->n; k += 17) {
			struct vtr_event x, y;
			bool is_event = model_event(&m[0], a, k, &x);
			cr_assert_eq(is_event, model_event(&m[1], b, k, &y));
			cr_assert(!is_event || (x.seq == y.seq && x.start == y.start && x.n_access == y.n_access));
		}
	}
	for (int i = 0; i < 2; i++) {
		model_free(&m[i]);
		live_free(l[i]);
	}
}
