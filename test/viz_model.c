/*
 * viz_model.c - the window's model: every event becomes a row, summaries agree with a plain sum over the events, links lead
 * to the right instructions, damaged files are refused or opened as far as they are whole.
 */
#include "trace_make.h"

#include "../viz/analysis.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void open_made(struct model *m, struct made *made, uint32_t cores, uint32_t steps, uint32_t block)
{
	struct fail f = { 0 };
	made_run(made, 7, cores, steps, block);
	cr_assert(model_open_memory(m, made->bytes, made->size, "made", &f), "%s", f.what);
}

static void close_made(struct model *m, struct made *made)
{
	model_free(m);
	made_free(made);
}

Test(viz_model, every_event_is_a_row)
{
	struct model m;
	struct made made;
	uint32_t at[5 * 4] = { 0 };
	open_made(&m, &made, 5, 400, 500); /* several blocks: both halves of the loader have work */
	cr_assert_eq(m.n_row, made.n_event);
	for (uint32_t i = 0; i < made.n_event; i++) {
		const struct vtr_event *e = &made.event[i];
		const struct lane *l = &m.lane[e->core * 4 + e->pipe];
		const struct row *r = &l->row[at[e->core * 4 + e->pipe]++];
		cr_assert_eq(r->start, e->start);
		cr_assert_eq(row_issue_end(r), e->issue_end);
		cr_assert_eq(row_end(r), e->end);
		cr_assert_eq(r->start - r->stall, e->stall_begin > e->arrived ? e->stall_begin : e->arrived);
		cr_assert_eq(row_site(r), e->site);
		cr_assert_eq(row_cause(r), e->cause);
	}
	close_made(&m, &made);
}

/* The scalar unit's lane: each hold is the wait of a row, the work behind it lasts until the next one. */
Test(viz_model, holds_are_rows_of_the_scalar_unit)
{
	struct model m;
	struct made made;
	uint32_t at[3] = { 0 };
	open_made(&m, &made, 3, 200, 128);
	cr_assert_eq(m.hold_pipe, 0);
	for (uint32_t i = 0; i < made.n_hold; i++) {
		const struct vtr_hold *h = &made.hold[i];
		const struct lane *l = &m.lane[h->core * 4];
		const struct row *r = &l->row[at[h->core]++], *older = at[h->core] > 1 ? r - 1 : NULL;
		struct vtr_event none;
		uint32_t lane, row;
		cr_assert_eq(r->start, h->to);
		cr_assert_eq(r->start - r->stall, h->from);
		cr_assert_eq(row_cause(r), h->cause);
		cr_assert(h->site == UINT32_MAX ? !model_site(&m, r) : model_site(&m, r) == &m.vtr->site[h->site]);
		cr_assert_not(model_event(&m, l, at[h->core] - 1, &none), "a hold is no event");
		cr_assert(!older || row_issue_end(older) == h->from);
		cr_assert_eq(model_releaser(&m, l, r, &lane, &row), h->releaser != 0);
		if (h->releaser) {
			cr_assert_eq(lane, h->core * 4 + 1);
			cr_assert_eq(m.lane[lane].row[row].seq, h->releaser);
		}
	}
	for (uint32_t c = 0; c < 3; c++)
		cr_assert_eq(at[c], m.lane[c * 4].n);
	close_made(&m, &made);
}

Test(viz_model, the_whole_event_comes_back)
{
	struct model m;
	struct made made;
	open_made(&m, &made, 3, 200, 128);
	for (uint32_t i = 0; i < made.n_event; i += 37) {
		const struct vtr_event *e = &made.event[i];
		const struct lane *l = &m.lane[e->core * 4 + e->pipe];
		struct vtr_event back;
		uint32_t row = lane_seq(l, (uint32_t)e->seq);
		cr_assert(row != UINT32_MAX && model_event(&m, l, row, &back));
		cr_assert_eq(back.seq, e->seq);
		cr_assert_eq(back.bytes, e->bytes);
		cr_assert_eq(back.n_access, e->n_access);
		for (int k = 0; k < e->n_access; k++)
			cr_assert_eq(back.access[k].addr, e->access[k].addr);
	}
	close_made(&m, &made);
}

Test(viz_model, releasers_lead_from_wait_to_set_and_back)
{
	struct model m;
	struct made made;
	uint32_t n = 0, lane, row;
	open_made(&m, &made, 2, 100, 64);
	for (uint32_t i = 0; i < made.n_event; i++) {
		const struct vtr_event *e = &made.event[i];
		const struct lane *l = &m.lane[e->core * 4 + e->pipe];
		if (e->site != 2)
			continue;
		cr_assert(model_releaser(&m, l, &l->row[lane_seq(l, (uint32_t)e->seq)], &lane, &row));
		cr_assert_eq(lane, e->core * 4 + 3);
		cr_assert_eq(m.lane[lane].row[row].seq, e->releaser);
		uint32_t to_lane, to_row;
		cr_assert(model_released(&m, &m.lane[lane], row, &to_lane, &to_row));
		cr_assert_eq(to_lane, e->core * 4 + 1);
		cr_assert_eq(m.lane[to_lane].row[to_row].seq, e->seq);
		n++;
	}
	cr_assert_eq(n, made.n_pair);
	close_made(&m, &made);
}

/* Cycles of [from, to) that a lane worked and waited, added up event by event. */
static void plain_sum(const struct made *made, uint32_t core, uint32_t pipe, int64_t from, int64_t to, int64_t *busy,
		      int64_t *wait)
{
	*busy = *wait = 0;
	for (uint32_t i = 0; i < made->n_event; i++) {
		const struct vtr_event *e = &made->event[i];
		int64_t ready = e->stall_begin > e->arrived ? e->stall_begin : e->arrived;
		if (e->core != core || e->pipe != pipe)
			continue;
		for (int64_t c = ready > from ? ready : from; c < e->start && c < to; c++)
			(*wait)++;
		for (int64_t c = e->start > from ? e->start : from; c < e->issue_end && c < to; c++)
			(*busy)++;
	}
}

Test(viz_model, summaries_agree_with_the_events_at_every_zoom)
{
	struct model m;
	struct made made;
	open_made(&m, &made, 1, 3000, 4096);
	const struct lane *l = &m.lane[1];
	cr_assert_gt(l->n_level, 3);
	for (int k = 0; k < l->n_level; k++) {
		int64_t width = INT64_C(1) << (l->base_log2 + k), busy, wait;
		int64_t from = (m.end / 3) / width * width;
		struct bucket b = lane_bucket(l, from, from + width);
		plain_sum(&made, 0, 1, from, from + width, &busy, &wait);
		cr_assert_float_eq(b.busy / 65535.0, (double)busy / (double)width, 0.001, "level %d", k);
		cr_assert_float_eq(b.wait / 65535.0, (double)wait / (double)width, 0.001, "level %d", k);
	}
	close_made(&m, &made);
}

Test(viz_model, range_statistics_are_the_plain_sum)
{
	struct model m;
	struct made made;
	struct range_stat r;
	int64_t busy, wait;
	open_made(&m, &made, 2, 300, 256);
	int64_t from = m.end / 5, to = m.end / 2;
	for (uint32_t pipe = 1; pipe < 4; pipe += 2) {
		analysis_range(&m, &m.lane[4 + pipe], from, to, &r);
		plain_sum(&made, 1, pipe, from, to, &busy, &wait);
		cr_assert_eq(r.busy, busy);
		cr_assert_eq(r.stall, wait);
		cr_assert_eq(r.idle, to - from - busy - wait);
	}
	close_made(&m, &made);
}

Test(viz_model, bytes_over_time_add_up)
{
	struct model m;
	struct made made;
	double sum = 0;
	open_made(&m, &made, 2, 500, 256);
	for (uint32_t i = 0; i < made.n_event; i++)
		sum += made.event[i].pipe == 3 ? (double)made.event[i].bytes : 0;
	cr_assert_float_eq(analysis_bytes(&m, 3, 0, (double)m.end + 1), sum, sum * 1e-9);
	double half = analysis_bytes(&m, 3, 0, (double)m.end / 2),
	       rest = analysis_bytes(&m, 3, (double)m.end / 2, (double)m.end + 1);
	cr_assert_float_eq(half + rest, sum, sum * 1e-9);
	close_made(&m, &made);
}

/* A copy is followed by a flag, a wait and an add: the path of such a run is a chain in time that reaches back to the
 * first instruction, and no step starts before the one it hangs on. */
Test(viz_model, critical_path_is_a_chain_in_time)
{
	struct model m;
	struct made made;
	struct path p;
	open_made(&m, &made, 1, 50, 64);
	cr_assert(analysis_path(&m, 0, &p));
	cr_assert_gt(p.n, 20);
	/* from what ended last, back to the first instruction */
	int64_t end = 0;
	for (uint32_t i = 0; i < made.n_event; i++)
		end = made.event[i].end > end ? made.event[i].end : end;
	cr_assert_eq(row_end(&m.lane[p.step[0].lane].row[p.step[0].row]), end);
	cr_assert_eq(m.lane[p.step[p.n - 1].lane].row[p.step[p.n - 1].row].seq, 1);
	for (uint32_t i = 0; i + 1 < p.n; i++) {
		const struct row *to = &m.lane[p.step[i].lane].row[p.step[i].row];
		const struct row *from = &m.lane[p.step[i + 1].lane].row[p.step[i + 1].row];
		if (p.step[i].via == PATH_FLAG || p.step[i].via == PATH_PIPE)
			cr_assert_leq(from->start, to->start);
		cr_assert(path_has(&p, p.step[i].lane, p.step[i].row));
	}
	cr_assert_not(path_has(&p, 0, 0));
	path_free(&p);
	close_made(&m, &made);
}

Test(viz_model, buffers_know_what_is_live)
{
	struct model m;
	struct made made;
	struct buffer_map map[VTR_SPACES];
	open_made(&m, &made, 1, 60, 64);
	/* in the middle of an add: it reads 256..767 and writes 0..255 of UB (trace_make.c) */
	const struct vtr_event *add = NULL;
	for (uint32_t i = made.n_event / 2; i < made.n_event && !add; i++)
		if (made.event[i].n_access == 3 && made.event[i].issue_end > made.event[i].start + 2)
			add = &made.event[i];
	cr_assert(add && analysis_buffers(&m, NULL, 0, add->start + 1, map));
	cr_assert(map[2].present && map[2].whole);
	cr_assert_not(map[1].present, "GM is no buffer");
	uint64_t per_cell = (uint64_t)map[2].bytes;
	int write_cell = (int)(128 * MAP_CELLS / per_cell), read_cell = (int)(512 * MAP_CELLS / per_cell);
	cr_assert(map[2].cell[write_cell] == MAP_WRITE || map[2].cell[write_cell] == MAP_CONFLICT);
	cr_assert(map[2].cell[read_cell] == MAP_READ || map[2].cell[read_cell] == MAP_CONFLICT);
	cr_assert_geq(map[2].n_now, 3);
	cr_assert(analysis_buffers(&m, NULL, 0, 0, map));
	cr_assert_eq(map[2].cell[MAP_CELLS - 1], MAP_NEVER);
	close_made(&m, &made);
}

Test(viz_model, causes_fall_into_groups_by_their_words)
{
	cr_assert_eq(cause_group("busy"), GROUP_BUSY);
	cr_assert_eq(cause_group("wait for MTE2"), GROUP_FLAG);
	cr_assert_eq(cause_group("UB bank conflict"), GROUP_BANK);
	cr_assert_eq(cause_group("HBM bandwidth"), GROUP_BANDWIDTH);
	cr_assert_eq(cause_group("none: I-cache miss"), GROUP_EMPTY);
	cr_assert_eq(cause_group("I-cache miss"), GROUP_CACHE);
	cr_assert_eq(cause_group("none: queue full"), GROUP_EMPTY);
	cr_assert_eq(cause_group("queue full"), GROUP_QUEUE);
}

Test(viz_model, foreign_and_cut_files)
{
	struct model m;
	struct made made;
	struct fail f = { 0 };
	cr_assert_not(model_open_memory(&m, "not a trace at all, really", 26, "x.vtr", &f));
	cr_assert_eq(f.class, FAIL_USER);
	memset(&f, 0, sizeof f);
	cr_assert_not(model_open(&m, "test/no-such-file.vtr", &f));
	cr_assert_eq(f.class, FAIL_USER);
	made_run(&made, 3, 2, 300, 64);
	uint64_t before = 0;
	for (size_t size = made.size / 2; size < made.size; size += made.size / 7) {
		memset(&f, 0, sizeof f);
		cr_assert(model_open_memory(&m, made.bytes, size, "cut", &f), "%s", f.what);
		cr_assert(m.vtr->cut);
		cr_assert_geq(m.n_row, before);
		cr_assert_lt(m.n_row, made.n_event + 1);
		before = m.n_row;
		model_free(&m);
	}
	made_free(&made);
}
