/*
 * why_path.c - the critical path: from the end of the run back to its launch, always to what came last.
 *
 *   start of an instruction <- end of issue of the one before it in its pipe
 *                           <- a flag that fired <- the end of what the set_flag had to wait for
 *                           <- the end of what a barrier waited for
 *                           <- its dispatch <- scalar instructions <- the end of the scalar unit's last wait
 *
 * Every step back charges the time it skips to one pipe, part and instruction, so that the charges sum to the run.
 */
#include "why.h"

#include <stdlib.h>
#include <string.h>

#define NO_WORD UINT32_MAX

const char *why_part_text(enum why_part p)
{
	static const char *const text[] = {
#define PART(id, words) words,
#include "why_parts.def"
#undef PART
	};
	return p < PART_COUNT ? text[p] : "?";
}

/* Where the walk stands: everything behind cycle `at` is explained. */
struct walk {
	const struct why *w;
	struct why_path *p;
	int core;
	int64_t at;
	uint32_t word;        /* where scalar time goes */
	uint32_t icache, dcache; /* scalar stalls of the core at that place; only with has_stalls */
	bool has_stalls;
	uint64_t seq;         /* of the instruction that was dispatched there; 0 = none */
};

static void charge(struct walk *k, int pipe, enum why_part part, uint32_t word, int64_t from)
{
	if (from < 0)
		from = 0;
	if (from >= k->at)
		return;
	k->p->part[pipe][part] += k->at - from;
	if (word != NO_WORD)
		k->p->site[why_program(k->w->sim, k->core)][word] += k->at - from;
	k->at = from;
}

/* The last hold of the core that ended at or before the place of the walk; NULL when it is not kept. */
static const struct why_hold *hold_before(const struct walk *k)
{
	const struct why_core *c = &k->w->core[k->core];
	uint64_t low = c->n_hold > c->hold_size ? c->n_hold - c->hold_size : 0, high = c->n_hold;
	uint64_t first = low;
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;
		if (c->hold[mid % c->hold_size].to <= k->at)
			low = mid + 1;
		else
			high = mid;
	}
	return low > first ? &c->hold[(low - 1) % c->hold_size] : NULL;
}

/* Time of an instruction from its start to the place of the walk: latency, then what slowed it, then work. */
static void charge_work(struct walk *k, const struct why_step *s)
{
	int64_t issue_end = s->start + s->busy;
	k->p->links++;
	charge(k, s->pipe, PART_LATENCY, s->word, issue_end);
	int64_t bank = s->slow_bank, shared = s->slow_shared;
	charge(k, s->pipe, PART_SHARED, s->word, k->at - shared > s->start ? k->at - shared : s->start);
	charge(k, s->pipe, PART_BANK, s->word, k->at - bank > s->start ? k->at - bank : s->start);
	charge(k, s->pipe, PART_WORK, s->word, s->start);
}

static bool is_flag_or_barrier(const struct walk *k, const struct why_step *s)
{
	const struct program *p = k->w->sim->core[k->core].program;
	unsigned form = isa_table[p->insn[s->word].id].form;
	return form == FORM_SETFLAG || form == FORM_WAITFLAG || form == FORM_BARRIER || form == FORM_XSET;
}

/* A flag that `s` set fired at the place of the walk: back to what the set had to wait for. Returns the next step. */
static const struct why_step *through_fire(struct walk *k, const struct why_step *s)
{
	const struct why_step *done = s->done_back ? why_step_at(k->w, k->core,
								 s->seq - (uint64_t)(int64_t)s->done_back) : NULL;
	k->p->links++;
	if (!done) {
		charge(k, s->pipe, PART_SYNC, s->word, s->start);
		return s;
	}
	charge(k, s->pipe, PART_SYNC, s->word, done->start + done->busy + done->latency);
	charge_work(k, done);
	return done;
}

static void charge_stalls(struct walk *k, int64_t from, uint32_t icache, uint32_t dcache)
{
	charge(k, PIPE_S, PART_DCACHE, k->word, k->at - dcache > from ? k->at - dcache : from);
	charge(k, PIPE_S, PART_ICACHE, k->word, k->at - icache > from ? k->at - icache : from);
}

/* Scalar time before each of the instructions that were dispatched since the hold belongs to that instruction. */
static void through_dispatches(struct walk *k, const struct why_hold *h)
{
	const struct why_step *s = why_step_at(k->w, k->core, k->seq);
	while (s && k->at > h->to) {
		int64_t from = k->at - s->issue > h->to ? k->at - s->issue : h->to;
		const struct why_step *before = why_step_at(k->w, k->core, --k->seq);
		uint32_t icache = before ? before->icache : h->icache, dcache = before ? before->dcache : h->dcache;
		/* what was missed before the hold is not part of this stretch */
		icache = (int32_t)(icache - h->icache) > 0 ? icache : h->icache;
		dcache = (int32_t)(dcache - h->dcache) > 0 ? dcache : h->dcache;
		k->word = s->word;
		charge_stalls(k, from, s->icache - icache, s->dcache - dcache);
		charge(k, PIPE_S, PART_SCALAR, s->word, from);
		k->icache = icache;
		k->dcache = dcache;
		s = before;
	}
}

/* The scalar unit arrived at the place of the walk. Back over its instructions to its last hold, and over that. Returns the
 * step to go on with, NULL to stay with the scalar unit. *end: launch is reached, or what was kept ends. */
static const struct why_step *through_scalar(struct walk *k, bool *end)
{
	const struct why_hold *h = hold_before(k);
	const struct why_core *c = &k->w->core[k->core];
	if (!h) {
		*end = true;
		return NULL;
	}
	through_dispatches(k, h);
	if (k->has_stalls)
		charge_stalls(k, h->to, k->icache - h->icache, k->dcache - h->dcache);
	charge(k, PIPE_S, PART_SCALAR, k->word, h->to);
	k->seq = 0;
	k->word = h->word;
	k->icache = h->icache;
	k->dcache = h->dcache;
	k->has_stalls = true;
	const struct why_step *by = why_step_at(k->w, h->releaser_core, h->releaser);
	switch (h->cause) {
	case CAUSE_LAUNCH:
		charge(k, PIPE_S, PART_LAUNCH, NO_WORD, h->from);
		*end = h->from == 0 || h == &c->hold[0];
		k->has_stalls = false;
		return NULL;
	case CAUSE_QUEUE:
		k->p->queue[h->releaser_pipe]++;
		if (by)
			charge(k, PIPE_S, PART_DISPATCH, h->word, by->start);
		break;
	case CAUSE_CROSS_CORE:
		if (by)
			charge(k, PIPE_S, PART_CROSS, h->word, by->start);
		k->core = h->releaser_core;
		break;
	case CAUSE_BARRIER:
	case CAUSE_DRAIN:
		k->p->barriers += h->cause == CAUSE_BARRIER;
		if (by)
			charge_work(k, by);
		break;
	default:
		k->p->hop[h->releaser_pipe][PIPE_S]++;
		return by ? through_fire(k, by) : NULL;
	}
	if (!by)
		charge(k, PIPE_S, PART_SYNC, h->word, h->from);
	return by;
}

/* From the start of `s` to what made it start then. */
static const struct why_step *through_start(struct walk *k, const struct why_step *s)
{
	const struct sim *sim = k->w->sim;
	const struct why_step *by = s->back ? why_step_at(k->w, k->core, s->seq - (uint64_t)(int64_t)s->back) : NULL;
	k->word = s->word;
	k->icache = s->icache;
	k->dcache = s->dcache;
	k->has_stalls = true;
	k->seq = s->why == START_ARRIVED ? s->seq : 0;
	switch (s->why) {
	case START_PIPE:
		if (!by)
			return NULL;
		if (is_flag_or_barrier(k, by)) {
			k->p->links++;
			charge(k, by->pipe, PART_SYNC, by->word, by->start);
		} else {
			charge_work(k, by);
		}
		return by;
	case START_FLAG:
		if (by) {
			k->p->hop[by->pipe][s->pipe]++;
			return through_fire(k, by);
		}
		break;
	case START_DRAINED:
		k->p->barriers++;
		if (by)
			charge_work(k, by);
		return by;
	case START_SCALAR_FLAG:
		k->p->hop[PIPE_S][s->pipe]++;
		charge(k, PIPE_S, PART_SYNC, s->word, k->at - sim->chip->sync.flag_cycles);
		break;
	default:
		charge(k, PIPE_S, PART_DISPATCH, s->word, k->at - sim->chip->sync.dispatch_cycles);
		break;
	}
	return NULL;
}

/* The run ended with scalar instructions when no wait for the pipes came behind the last dispatch. */
static void start_at_end(struct walk *k, const struct core *c)
{
	const struct why_core *wc = &k->w->core[k->core];
	const struct why_hold *h = wc->n_hold ? &wc->hold[(wc->n_hold - 1) % wc->hold_size] : NULL;
	if (!h || h->to >= k->at || wc->newest == 0)
		return;
	k->at = k->w->sim->end;
	charge(k, PIPE_S, PART_SCALAR, NO_WORD, k->at - c->issue_cycles > h->to ? k->at - c->issue_cycles : h->to);
	k->seq = wc->newest;
	const struct why_step *s = why_step_at(k->w, k->core, k->seq);
	if (s && k->at > h->to) {
		k->icache = s->icache;
		k->dcache = s->dcache;
	}
}

bool why_path(const struct why *w, struct why_path *p, struct fail *f)
{
	const struct sim *s = w->sim;
	memset(p, 0, sizeof *p);
	p->cycles = s->end;
	for (int i = 0; i < 2; i++)
		if (s->program[i] && !(p->site[i] = calloc(s->program[i]->n_insn + 1, sizeof *p->site[i]))) {
			why_path_free(p);
			return fail_set(f, FAIL_INTERNAL, "no memory for the critical path");
		}
	for (int i = 0; i < s->n_core; i++)
		if (s->core[i].stats.last_cycle > s->core[p->core].stats.last_cycle)
			p->core = i;
	const struct core *c = &s->core[p->core];
	struct walk k = { .w = w, .p = p, .core = p->core, .at = s->end, .word = NO_WORD, .has_stalls = true,
			  .icache = (uint32_t)c->scalar.stall_icache, .dcache = (uint32_t)c->scalar.stall_dcache };
	start_at_end(&k, c);
	const struct why_step *at = NULL;
	bool end = false;
	/* every round goes back in time or in program order; the count only guards against damage */
	for (uint64_t round = 0, most = 4 * (s->ops + 64); !end && round < most; round++) {
		if (!at) {
			at = through_scalar(&k, &end);
			continue;
		}
		const struct why_step *before = at;
		at = through_start(&k, before);
	}
	p->known = s->end - k.at;
	if (k.at > 0) {
		p->part[PIPE_S][PART_BEFORE] += k.at;
		p->known = s->end - k.at;
	}
	return true;
}

void why_path_free(struct why_path *p)
{
	free(p->site[0]);
	free(p->site[1]);
	p->site[0] = p->site[1] = NULL;
}

int64_t why_path_pipe(const struct why_path *p, int pipe)
{
	int64_t sum = 0;
	for (int i = 0; i < PART_COUNT; i++)
		sum += p->part[pipe][i];
	return sum;
}
