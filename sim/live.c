/*
 * live.c - stepping a run: the engine is advanced in pieces, each of its events is converted as for a trace and looked at
 * for the condition that ends the step.
 */
#include "live.h"

#include "reasons.h"
#include "snapshot.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SNAPSHOTS = 8, CHUNK_STEPS = 16384, OPS_AT_LEAST = 16384, BYTES_PER_OP = 256 };
#define SNAPSHOT_BYTES ((size_t)512 << 20)

/* A snapshot, and what had been handed out until then. */
struct kept {
	struct snapshot *state;
	int64_t cycle;
	uint64_t ops, calls;
	struct vtr_event last;
};

struct live {
	char target[512];
	char **set;
	int n_set;
	struct run *run;
	struct trace_sink sink;
	char *head_bytes;
	size_t head_size;
	struct vtr head;
	bool has_head;
	void (*on_event)(void *user, const struct vtr_event *e);
	void (*on_hold)(void *user, const struct vtr_hold *h);
	void *user;
	struct reasons reasons;
	bool has_reasons;
	struct kept kept[SNAPSHOTS];
	int n_kept;
	uint64_t calls;          /* events and holds handed out */
	uint64_t interval_ops;   /* between snapshots; 0: not known yet */
	size_t snapshot_bytes;   /* of all of them at most; 0 = none are kept */
	enum live_state state;
	struct fail fail;
	int64_t cycle;
	const struct live_until *until;
	uint64_t ops; /* since live_to began */
	bool met;
	struct vtr_event last;
};

static bool line_is(const char *line, const char *wanted)
{
	size_t n = strlen(wanted);
	return strncmp(line, wanted, n) == 0 && !isdigit((unsigned char)line[n]);
}

static bool writes(const struct vtr_event *e, uint8_t space, uint64_t addr)
{
	for (int i = 0; i < e->n_access; i++) {
		const struct vtr_access *a = &e->access[i];
		if (a->write && a->space == space && addr >= a->addr && addr - a->addr < a->extent)
			return true;
	}
	return false;
}

static bool meets(const struct live *l, const struct live_until *u, const struct vtr_event *e)
{
	if (u->core >= 0 && e->core != (uint32_t)u->core)
		return false;
	if (u->line && line_is(l->head.site[e->site].line, u->line))
		return true;
	if (u->flag && e->has_flag && e->flag_src == u->flag_src && e->flag_dst == u->flag_dst &&
	    (u->flag_event < 0 || e->event_id == u->flag_event))
		return true;
	return u->write && writes(e, u->space, u->addr);
}

static void on_event(void *user, const struct event *event)
{
	struct live *l = user;
	struct vtr_event e = { 0 };
	why_event(&l->run->why, event);
	if (!trace_sink_convert(&l->sink, event, &e))
		return;
	if (!l->met) /* a step of the engine may bring several; the first that meets is the one */
		l->last = e;
	l->ops++;
	if (l->on_event) {
		l->calls++;
		l->on_event(l->user, &e);
	}
	if (l->until && ((l->until->ops && l->ops >= l->until->ops) || meets(l, l->until, &e))) {
		l->met = true;
		l->run->sim.pause = true;
	}
}

static void on_hold(void *user, const struct hold *hold)
{
	struct live *l = user;
	struct vtr_hold h;
	why_hold(&l->run->why, hold);
	trace_sink_convert_hold(&l->sink, hold, &h);
	if (l->on_hold) {
		l->calls++;
		l->on_hold(l->user, &h);
	}
}

static bool prepare(struct live *l, struct fail *f)
{
	struct run_options o = { .quiet = true, .no_check = true };
	struct sim_options so = { .on_event = on_event, .on_hold = on_hold, .user = l };
	l->run = calloc(1, sizeof *l->run);
	if (!l->run)
		return fail_set(f, FAIL_INTERNAL, "no memory for a run");
	if (!run_target(&l->run->launch, l->target, f))
		return false;
	for (int i = 0; i < l->n_set; i++)
		if (!launch_set(&l->run->launch, l->set[i], f))
			return false;
	so.max_cycles = l->run->launch.max_cycles;
	if (!run_prepare(l->run, &o, &so, f))
		return false;
	if (!why_open(&l->run->why, &l->run->sim, 0, f))
		return false;
	l->run->has_why = true;
	l->has_reasons = false;
	l->sink.sim = &l->run->sim;
	l->cycle = 0;
	l->calls = 0;
	l->state = LIVE_PAUSED;
	memset(&l->fail, 0, sizeof l->fail);
	memset(&l->last, 0, sizeof l->last);
	return sim_start(&l->run->sim, f);
}

static void drop_snapshots(struct live *l)
{
	while (l->n_kept > 0)
		snapshot_free(l->kept[--l->n_kept].state);
}

static void unprepare(struct live *l)
{
	drop_snapshots(l); /* they are of this run's memory */
	if (!l->run)
		return;
	run_free(l->run);
	free(l->run);
	l->run = NULL;
}

/* Names and sites travel as they would in a file. */
static bool make_head(struct live *l, struct fail *f)
{
	FILE *stream = open_memstream(&l->head_bytes, &l->head_size);
	if (!stream)
		return fail_set(f, FAIL_INTERNAL, "no memory for a run");
	bool ok = trace_sink_begin(&l->sink, stream, &l->run->sim, l->run->launch.kernel, f);
	vtr_writer_free(l->sink.writer);
	l->sink.writer = NULL;
	ok = fclose(stream) == 0 && ok;
	l->has_head = ok && vtr_open_memory(l->head_bytes, l->head_size, l->target, &l->head, f);
	return l->has_head || fail_set(f, FAIL_INTERNAL, "the run's names cannot be read back");
}

static bool copy_settings(struct live *l, const char *const *set)
{
	for (l->n_set = 0; set && set[l->n_set]; l->n_set++)
		;
	l->set = calloc((size_t)l->n_set + 1, sizeof *l->set);
	for (int i = 0; l->set && i < l->n_set; i++)
		if (!(l->set[i] = strdup(set[i])))
			return false;
	return l->set != NULL;
}

struct live *live_open(const char *target, const char *const *set,
		       void (*callback)(void *user, const struct vtr_event *e), void *user, struct fail *f)
{
	struct live *l = calloc(1, sizeof *l);
	if (!l || !copy_settings(l, set)) {
		live_free(l);
		fail_set(f, FAIL_INTERNAL, "no memory for a run");
		return NULL;
	}
	snprintf(l->target, sizeof l->target, "%s", target);
	l->on_event = callback;
	l->user = user;
	l->snapshot_bytes = SNAPSHOT_BYTES;
	if (!prepare(l, f) || !make_head(l, f)) {
		live_free(l);
		return NULL;
	}
	return l;
}

void live_free(struct live *l)
{
	if (!l)
		return;
	unprepare(l);
	if (l->has_head)
		vtr_close(&l->head);
	free(l->head_bytes);
	free(l->sink.site_of[0]);
	free(l->sink.site_of[1]);
	for (int i = 0; l->set && i < l->n_set; i++)
		free(l->set[i]);
	free(l->set);
	free(l);
}

/* The report of the run that has just ended; one that cannot be made leaves the window without it. */
static void conclude(struct live *l)
{
	struct fail none = { 0 };
	if (!run_reasons(l->run, false, &none))
		return;
	reasons_of(&l->run->report, l->sink.site_of, &l->reasons);
	l->has_reasons = true;
}

static size_t bytes_kept(const struct live *l)
{
	size_t sum = 0;
	for (int i = 0; i < l->n_kept; i++)
		sum += snapshot_bytes(l->kept[i].state);
	return sum;
}

/* Drop the one that is missed least: whose neighbours are close together, the more so the longer ago. What is left is dense near
 * now, where one goes back to most, and sparse far back. */
static void thin_out(struct live *l, uint64_t now_ops)
{
	int least = 0;
	double best = 2;
	for (int i = 0; i < l->n_kept; i++) {
		uint64_t before = i > 0 ? l->kept[i - 1].ops : 0, after = i + 1 < l->n_kept ? l->kept[i + 1].ops : now_ops;
		double miss = (double)(after - before) / (double)(now_ops - before + 1);
		if (miss < best) {
			best = miss;
			least = i;
		}
	}
	snapshot_free(l->kept[least].state);
	memmove(l->kept + least, l->kept + least + 1, (size_t)(--l->n_kept - least) * sizeof l->kept[0]);
}

static void keep_snapshot(struct live *l)
{
	struct sim *s = &l->run->sim;
	const struct kept *last = l->n_kept ? &l->kept[l->n_kept - 1] : NULL;
	if (l->snapshot_bytes == 0 || s->ops < (last ? last->ops : 0) + (l->interval_ops ? l->interval_ops : OPS_AT_LEAST))
		return;
	struct kept k = { snapshot_take(s, &l->run->why, l->snapshot_bytes / 2), s->now, s->ops, l->calls, l->last };
	if (!k.state) { /* too large, or the analysis has begun to forget: what is kept stays good */
		l->snapshot_bytes = 0;
		return;
	}
	while (l->n_kept > 0 && (l->n_kept == SNAPSHOTS || bytes_kept(l) + snapshot_bytes(k.state) > l->snapshot_bytes))
		thin_out(l, s->ops);
	l->kept[l->n_kept++] = k;
	if (l->interval_ops == 0) { /* taking them should stay a small part of the run's time */
		uint64_t ops = snapshot_bytes(k.state) / BYTES_PER_OP;
		l->interval_ops = ops > OPS_AT_LEAST ? ops : OPS_AT_LEAST;
	}
}

static bool goes_on(const struct sim *s, int64_t until)
{
	int64_t flow = memsys_next(&s->memsys), heap = s->heap_n ? s->heap[0].cycle : MEMSYS_NEVER;
	return (flow < heap ? flow : heap) <= until;
}

/* sim_advance in pieces, with snapshots between them. */
static bool advance(struct live *l, int64_t until, uint64_t steps, bool *over)
{
	struct sim *s = &l->run->sim;
	while (steps > 0) {
		uint64_t n = steps < CHUNK_STEPS ? steps : CHUNK_STEPS, close = l->interval_ops > 64 ? l->interval_ops : 64;
		if (l->interval_ops && n > close)
			n = close;
		if (!sim_advance(s, until, n, over, &l->fail))
			return false;
		if (*over || l->met || !goes_on(s, until))
			break;
		keep_snapshot(l);
		steps -= n;
	}
	return true;
}

enum live_state live_to(struct live *l, const struct live_until *u, uint64_t slice)
{
	bool over = false;
	if (l->state == LIVE_ENDED || l->state == LIVE_FAILED || !l->run)
		return l->state;
	struct sim *s = &l->run->sim;
	l->until = u;
	l->ops = 0;
	l->met = false;
	int64_t was = s->now;
	bool ok = advance(l, u->cycle, slice ? slice : UINT64_MAX, &over);
	l->until = NULL;
	l->state = !ok ? LIVE_FAILED : over ? LIVE_ENDED : l->met ? LIVE_MET : LIVE_PAUSED;
	if (over && ok) {
		l->cycle = s->end;
		conclude(l);
	} else if (!ok || l->met || slice || u->cycle == INT64_MAX)
		l->cycle = s->now > was ? s->now : l->cycle > s->now ? l->cycle : s->now;
	else
		l->cycle = u->cycle;
	return l->state;
}

/* The state of the last snapshot not after `cycle`; false when there is none. */
static bool from_snapshot(struct live *l, int64_t cycle)
{
	int i = l->n_kept;
	/* what lies ahead has not been handed out */
	while (i > 0 && (l->kept[i - 1].cycle > cycle || l->kept[i - 1].calls > l->calls))
		i--;
	if (i == 0 || !l->run)
		return false;
	const struct kept *k = &l->kept[i - 1];
	if (!snapshot_put_back(k->state, &l->run->sim, &l->run->why))
		return false;
	report_free(&l->run->report);
	memset(&l->run->report, 0, sizeof l->run->report);
	memset(&l->fail, 0, sizeof l->fail);
	l->has_reasons = false;
	l->calls = k->calls;
	l->cycle = k->cycle;
	l->last = k->last;
	l->state = LIVE_PAUSED;
	return true;
}

bool live_back(struct live *l, int64_t cycle, void (*restarted)(void *user, uint64_t kept), struct fail *f)
{
	struct live_until until = LIVE_FOREVER;
	bool snapshot = from_snapshot(l, cycle);
	if (!snapshot)
		unprepare(l);
	if (restarted)
		restarted(l->user, snapshot ? l->calls : 0);
	if (!snapshot && !prepare(l, f)) {
		l->state = LIVE_FAILED;
		l->fail = *f;
		return false;
	}
	until.cycle = cycle;
	if (cycle > 0)
		live_to(l, &until, 0);
	return true;
}

void live_on_hold(struct live *l, void (*callback)(void *user, const struct vtr_hold *h)) { l->on_hold = callback; }
const struct vtr_findings *live_findings(const struct live *l) { return l->has_reasons ? &l->reasons.all : NULL; }
void live_snapshots(struct live *l, uint64_t interval_ops, size_t bytes)
{
	l->interval_ops = interval_ops;
	l->snapshot_bytes = bytes;
}

int live_snapshots_kept(const struct live *l) { return l->n_kept; }
int64_t live_cycle(const struct live *l) { return l->cycle; }
enum live_state live_state(const struct live *l) { return l->state; }
const struct fail *live_failure(const struct live *l) { return &l->fail; }
const struct sim *live_sim(const struct live *l) { return l->run ? &l->run->sim : NULL; }
const struct vtr *live_head(const struct live *l) { return &l->head; }
const struct vtr_event *live_last(const struct live *l) { return &l->last; }
