/*
 * vtr_why.c - the parts of a .vtr that say why: holds of the scalar unit (HOLD, as they happen) and the report's findings
 * with the critical path (FIND, at the end). Both sides of them.
 */
#include "vtr_store.h"

#include <stdlib.h>

enum { HOLDS_AT_ONCE = 16384 };

/* ---- writing ---- */

bool vtr_flush_holds(struct vtr_writer *w, struct fail *f)
{
	struct vtr_holds *x = vtr_writer_holds(w);
	struct vtr_bytes summary = { 0 };
	if (x->n == 0)
		return true;
	vtr_bytes_number(&summary, x->n);
	vtr_bytes_number(&summary, (uint64_t)x->min);
	vtr_bytes_number(&summary, (uint64_t)(x->max - x->min));
	bool ok = vtr_write_chunk(w, VTR_HOLD, &summary, &x->payload, f);
	free(summary.at);
	x->payload.n = 0;
	x->n = 0;
	x->last = 0;
	return ok;
}

bool vtr_write_hold(struct vtr_writer *w, const struct vtr_hold *h, struct fail *f)
{
	struct vtr_holds *x = vtr_writer_holds(w);
	struct vtr_limits max = vtr_writer_limits(w);
	struct vtr_bytes *b = &x->payload;
	if (h->core >= max.n_core || h->pipe >= max.n_pipe || h->cause >= max.n_cause || h->releaser_pipe >= max.n_pipe ||
	    (h->site >= max.n_site && h->site != UINT32_MAX) || h->from < 0 || h->to < h->from)
		return fail_set(f, FAIL_INTERNAL, "trace: a hold of core %u (cycles %lld to %lld) is out of order or range",
				h->core, (long long)h->from, (long long)h->to);
	vtr_bytes_number(b, h->core);
	vtr_bytes_number(b, h->pipe);
	vtr_bytes_number(b, vtr_zig((uint64_t)h->from - (uint64_t)x->last));
	vtr_bytes_number(b, (uint64_t)(h->to - h->from));
	vtr_bytes_number(b, h->cause);
	vtr_bytes_number(b, h->site == UINT32_MAX ? 0 : (uint64_t)h->site + 1);
	vtr_bytes_number(b, h->releaser_pipe);
	vtr_bytes_number(b, h->releaser);
	x->min = x->n == 0 || h->from < x->min ? h->from : x->min;
	x->max = x->n == 0 || h->to > x->max ? h->to : x->max;
	x->last = h->from;
	return ++x->n < HOLDS_AT_ONCE || vtr_flush_holds(w, f);
}

static uint64_t or_none(uint32_t v) { return v == UINT32_MAX ? 0 : (uint64_t)v + 1; }

static void put_path(struct vtr_bytes *b, const struct vtr_findings *x, uint32_t n_pipe)
{
	vtr_bytes_number(b, x->n_part);
	for (uint32_t i = 0; i < x->n_part; i++)
		vtr_bytes_text(b, x->part[i]);
	vtr_bytes_number(b, x->path_core);
	vtr_bytes_number(b, (uint64_t)x->path_cycles);
	vtr_bytes_number(b, x->path_links);
	for (uint32_t p = 0; p < n_pipe; p++)
		for (uint32_t i = 0; i < x->n_part; i++)
			vtr_bytes_number(b, (uint64_t)x->path[p * x->n_part + i]);
	vtr_bytes_number(b, x->n_line);
	for (uint32_t i = 0; i < x->n_line; i++) {
		vtr_bytes_text(b, x->line[i].place);
		vtr_bytes_number(b, or_none(x->line[i].site));
		vtr_bytes_number(b, (uint64_t)x->line[i].cycles);
	}
}

bool vtr_write_findings(struct vtr_writer *w, const struct vtr_findings *x, struct fail *f)
{
	static const struct vtr_bytes none;
	struct vtr_bytes b = { 0 };
	if (!vtr_flush(w, f))
		return false;
	if (x->n_finding > VTR_FINDINGS || x->n_part > VTR_FINDINGS || x->n_line > VTR_FINDINGS)
		return fail_set(f, FAIL_INTERNAL, "trace: %u findings, %u parts, %u lines: beyond the format's limits",
				x->n_finding, x->n_part, x->n_line);
	vtr_bytes_text(&b, x->headline);
	put_path(&b, x, vtr_writer_limits(w).n_pipe);
	vtr_bytes_number(&b, x->n_finding);
	for (uint32_t i = 0; i < x->n_finding; i++) {
		const struct vtr_finding *y = &x->finding[i];
		vtr_bytes_text(&b, y->id);
		vtr_bytes_text(&b, y->what);
		vtr_bytes_text(&b, y->attempt);
		vtr_bytes_text(&b, y->place);
		vtr_bytes_text(&b, y->what_if);
		vtr_bytes_number(&b, (uint64_t)y->gain);
		vtr_bytes_number(&b, y->measured);
		vtr_bytes_number(&b, or_none(y->site));
		vtr_bytes_number(&b, or_none(y->cause));
	}
	bool ok = vtr_write_chunk(w, VTR_FIND, &none, &b, f);
	free(b.at);
	return ok;
}

/* ---- reading ---- */

/* A number that says "none" by 0; else one less, below `limit`. */
static uint32_t take_or_none(struct vtr_in *in, uint32_t limit)
{
	uint64_t v = vtr_take_max(in, limit);
	return v ? (uint32_t)(v - 1) : UINT32_MAX;
}

static bool take_path(struct vtr *t, struct vtr_findings *x, struct vtr_in *in)
{
	struct vtr_store *s = t->store;
	x->n_part = (uint32_t)vtr_take_max(in, VTR_FINDINGS);
	vtr_text *part = vtr_arena(s, (x->n_part + 1) * sizeof *part);
	for (uint32_t i = 0; part && i < x->n_part; i++)
		part[i] = vtr_take_text(s, in);
	x->path_core = (uint32_t)vtr_take_max(in, t->head.n_core - 1);
	x->path_cycles = (int64_t)vtr_take_max(in, INT64_MAX);
	x->path_links = vtr_take(in);
	size_t n = (size_t)t->head.n_pipe * x->n_part;
	int64_t *path = vtr_arena(s, (n + 1) * sizeof *path);
	for (size_t i = 0; path && i < n; i++)
		path[i] = (int64_t)vtr_take_max(in, INT64_MAX);
	x->n_line = (uint32_t)vtr_take_max(in, VTR_FINDINGS);
	struct vtr_path_line *line = vtr_arena(s, (x->n_line + 1) * sizeof *line);
	for (uint32_t i = 0; line && i < x->n_line; i++) {
		line[i].place = vtr_take_text(s, in);
		line[i].site = take_or_none(in, t->n_site);
		line[i].cycles = (int64_t)vtr_take_max(in, INT64_MAX);
	}
	x->part = part;
	x->path = path;
	x->line = line;
	return part && path && line && !in->bad;
}

bool vtr_read_findings(struct vtr *t, struct vtr_in *in)
{
	struct vtr_store *s = t->store;
	struct vtr_findings *x = vtr_arena(s, sizeof *x);
	if (!x)
		return false;
	memset(x, 0, sizeof *x);
	x->headline = vtr_take_text(s, in);
	if (!take_path(t, x, in))
		return false;
	x->n_finding = (uint32_t)vtr_take_max(in, VTR_FINDINGS);
	struct vtr_finding *y = vtr_arena(s, (x->n_finding + 1) * sizeof *y);
	for (uint32_t i = 0; y && i < x->n_finding; i++) {
		y[i].id = vtr_take_text(s, in);
		y[i].what = vtr_take_text(s, in);
		y[i].attempt = vtr_take_text(s, in);
		y[i].place = vtr_take_text(s, in);
		y[i].what_if = vtr_take_text(s, in);
		y[i].gain = (int64_t)vtr_take_max(in, INT64_MAX);
		y[i].measured = vtr_take_max(in, 1);
		y[i].site = take_or_none(in, t->n_site);
		y[i].cause = take_or_none(in, t->head.n_cause);
	}
	x->finding = y;
	if (!y || in->bad || s->arena_failed || in->p != in->end)
		return false;
	t->findings = x;
	return true;
}

static bool take_hold(const struct vtr *t, struct vtr_in *in, uint64_t *last, struct vtr_hold *h)
{
	const struct vtr_head *head = &t->head;
	h->core = (uint32_t)vtr_take_max(in, head->n_core - 1);
	h->pipe = (uint8_t)vtr_take_max(in, head->n_pipe - 1);
	*last += vtr_zag(vtr_take(in));
	h->from = (int64_t)*last;
	h->to = (int64_t)(*last + vtr_take(in));
	h->cause = (uint8_t)vtr_take_max(in, head->n_cause ? head->n_cause - 1 : 0);
	h->site = take_or_none(in, t->n_site);
	h->releaser_pipe = (uint8_t)vtr_take_max(in, head->n_pipe - 1);
	h->releaser = vtr_take(in);
	return !in->bad && head->n_cause > 0 && h->from >= 0 && h->to >= h->from;
}

uint32_t vtr_each_hold(const struct vtr *t, void (*take)(void *user, const struct vtr_hold *h), void *user)
{
	const struct vtr_store *s = t->store;
	uint8_t *raw = NULL;
	size_t raw_max = 0;
	uint32_t n_bad = 0;
	for (uint32_t i = 0; i < t->n_hold_block; i++) {
		struct vtr_in in = { 0 };
		struct vtr_hold h;
		uint64_t last = 0;
		uint32_t left = s->hold[i].n;
		bool ok = vtr_chunk_load(s, s->hold[i].offset, VTR_HOLD, &raw, &raw_max, &in);
		while (ok && left > 0 && (ok = take_hold(t, &in, &last, &h))) {
			take(user, &h);
			left--;
		}
		n_bad += !ok || in.p != in.end;
	}
	free(raw);
	return n_bad;
}
