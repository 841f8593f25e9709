/*
 * detail.c - the panel on the left: the selected instruction, or statistics of the selected stretch.
 */
#include "ui.h"

#include <string.h>

/* A panel being filled from top to bottom. */
struct sheet {
	struct ui *u;
	struct box box;
	int y;
};

static void put(struct sheet *s, uint32_t color, const char *name, const char *value)
{
	struct draw *d = &s->u->draw;
	int left = 12 * d->cell_w;
	draw_text_fit(d, s->box.x, s->y, left, theme_get(s->u->dark)->faint, name);
	draw_text_fit(d, s->box.x + left, s->y, s->box.w - left, color, value);
	s->y += d->cell_h;
}

/* Long values over several lines. */
static void put_long(struct sheet *s, uint32_t color, const char *name, const char *value)
{
	struct draw *d = &s->u->draw;
	const struct theme *t = theme_get(s->u->dark);
	int left = 12 * d->cell_w;
	draw_text_fit(d, s->box.x, s->y, left, t->faint, name);
	s->y += draw_wrapped(d, (struct box){ s->box.x + left, s->y, s->box.w - left, 4 * d->cell_h }, color, value);
}

static void put_many(struct sheet *s, uint32_t color, const char *name, const char *value)
{
	enum { MANY_LINES = 12 };
	struct draw *d = &s->u->draw;
	int left = 12 * d->cell_w;
	draw_text_fit(d, s->box.x, s->y, left, theme_get(s->u->dark)->faint, name);
	s->y += draw_wrapped(d, (struct box){ s->box.x + left, s->y, s->box.w - left, MANY_LINES * d->cell_h }, color, value);
}

static void put_link(struct sheet *s, const char *name, int run, uint32_t lane, uint32_t row)
{
	struct draw *d = &s->u->draw;
	const struct model *m = ui_model(s->u, run);
	const struct row *r = &m->lane[lane].row[row];
	char text[200], number[32];
	snprintf(text, sizeof text, "%s %s at %s", m->vtr->head.pipe[m->lane[lane].pipe],
		 model_name(m, &m->lane[lane], r), ui_number(r->start, number));
	put(s, theme_get(s->u->dark)->accent, name, text);
	draw_zone(d, (struct box){ s->box.x, s->y - d->cell_h, s->box.w, d->cell_h }, ZONE_ROW,
		  (int64_t)run << 32 | lane, row);
}

static void put_accesses(struct sheet *s, const struct model *m, const struct vtr_event *e)
{
	char text[160];
	for (int i = 0; i < e->n_access; i++) {
		const struct vtr_access *a = &e->access[i];
		/* strided operands touch only some of the bytes between */
		snprintf(text, sizeof text, "%s 0x%llx .. 0x%llx, %s%llu B", m->vtr->head.space[a->space],
			 (unsigned long long)a->addr, (unsigned long long)(a->addr + a->extent),
			 e->bytes && a->extent > e->bytes ? "spread over " : "", (unsigned long long)a->extent);
		put(s, theme_get(s->u->dark)->text, a->write ? "writes" : "reads", text);
		draw_zone(&s->u->draw, (struct box){ s->box.x, s->y - s->u->cell_h, s->box.w, s->u->cell_h },
			  ZONE_SPACE, a->space, (int64_t)a->addr);
	}
}

/* Arguments by name. Addresses come first and stand for themselves, the rest follows as name and number. */
static void put_operands(struct sheet *s, const struct model *m, const struct vtr_event *e)
{
	const struct vtr *t = m->vtr;
	uint32_t of = t->layout_of && e->has_words ? t->layout_of[e->site] : UINT32_MAX;
	char text[900] = "";
	size_t n = 0;
	for (uint32_t i = 0; of < t->n_layout && i < t->layout[of].n && n + 80 < sizeof text; i++) {
		const struct vtr_operand *o = &t->layout[of].operand[i];
		unsigned long long v = vtr_operand_value(o, e->word);
		n += (size_t)snprintf(text + n, sizeof text - n, o->address || v > 0xffffffff ? "%s%.30s" S_NO_BREAK "0x%llx"
				      : "%s%.30s" S_NO_BREAK "%llu", n ? "  " : "", o->name, v);
	}
	if (n)
		put_many(s, theme_get(s->u->dark)->text, "operands", text);
}

static void put_work(struct sheet *s, const struct model *m, const struct vtr_event *e)
{
	char text[160], a[32], b[32];
	const struct theme *t = theme_get(s->u->dark);
	if (e->has_flag) {
		snprintf(text, sizeof text, "%s " S_ARROW " %s, event %u", m->vtr->head.pipe[e->flag_src],
			 m->vtr->head.pipe[e->flag_dst], e->event_id);
		put(s, t->text, "flag", text);
	}
	if (e->bytes) {
		double cycles = (double)(e->issue_end - e->start);
		snprintf(text, sizeof text, "%s B, %.1f B/cycle", ui_number((int64_t)e->bytes, a),
			 cycles > 0 ? (double)e->bytes / cycles : 0);
		put(s, t->text, "moves", text);
	} else if (e->macs) {
		snprintf(text, sizeof text, "%s MACs", ui_number((int64_t)e->macs, a));
		put(s, t->text, "computes", text);
	} else if (e->repeats) {
		snprintf(text, sizeof text, "%llu repeats", (unsigned long long)e->repeats);
		put(s, t->text, "computes", text);
	}
	if (e->extra_bank || e->extra_bandwidth) {
		snprintf(text, sizeof text, "%s cycles to bank conflicts, %s to shared bandwidth",
			 ui_number(e->extra_bank, a), ui_number(e->extra_bandwidth, b));
		put_long(s, t->text, "slowed by", text);
	}
}

static void put_times(struct sheet *s, const struct row *r, const struct vtr_event *e, bool known)
{
	char text[200], a[32], b[32], c[32];
	const struct theme *t = theme_get(s->u->dark);
	snprintf(text, sizeof text, "%s .. %s, %s cycle%s (%s)", ui_number(r->start, a), ui_number(row_issue_end(r), b),
		 ui_number(r->issue, c), r->issue == 1 ? "" : "s", ui_time(s->u, r->issue, (char[32]){ 0 }));
	put(s, t->text, "on pipe", text);
	if (r->tail) {
		snprintf(text, sizeof text, "at %s, %s cycles later", ui_number(row_end(r), a), ui_number(r->tail, b));
		put(s, t->text, "results", text);
	}
	if (known) {
		snprintf(text, sizeof text, "dispatched %s, in queue %s", ui_number(e->dispatched, a),
			 ui_number(e->arrived, b));
		put(s, t->text, "before", text);
	}
}

static void put_wait(struct sheet *s, const struct model *m, const struct lane *l, uint32_t row)
{
	const struct theme *t = theme_get(s->u->dark);
	const struct vtr_head *h = &m->vtr->head;
	const struct row *r = &l->row[row];
	char text[200], a[32];
	int64_t older = row > 0 ? row_issue_end(&l->row[row - 1]) : 0, idle = r->start - r->stall - older;
	if (r->stall) {
		snprintf(text, sizeof text, "%s cycles: %s", ui_number(r->stall, a), h->cause[row_cause(r)]);
		put_long(s, ui_cause_text(s->u, h, row_cause(r)), "waited", text);
	} else if (idle > 0) {
		snprintf(text, sizeof text, "%s cycles: the pipe had no instruction", ui_number(idle, a));
		put_long(s, t->faint, "waited", text);
	} else {
		put(s, t->faint, "waited", "not at all");
	}
	uint32_t lane, at;
	if (model_releaser(m, l, r, &lane, &at))
		put_link(s, "released by", s->u->pick.run, lane, at);
	if (model_released(m, l, row, &lane, &at))
		put_link(s, "releases", s->u->pick.run, lane, at);
	if (row > 0)
		put_link(s, "previous", s->u->pick.run, (uint32_t)(l - m->lane), row - 1);
	if (row + 1 < l->n)
		put_link(s, "next", s->u->pick.run, (uint32_t)(l - m->lane), row + 1);
}

static void instruction(struct sheet *s)
{
	struct ui *u = s->u;
	const struct theme *t = theme_get(u->dark);
	const struct model *m = ui_model(u, u->pick.run);
	const struct lane *l = &m->lane[u->pick.lane];
	const struct row *r = &l->row[u->pick.row];
	const struct vtr_site *site = model_site(m, r);
	struct vtr_event e;
	char text[300];
	bool known = model_event(m, l, u->pick.row, &e);
	snprintf(text, sizeof text, "%s%s", u->n_run > 1 ? u->pick.run ? "B: " : "A: " : "", model_name(m, l, r));
	draw_text_fit(&u->draw, s->box.x, s->y, s->box.w, t->accent, text);
	s->y += u->cell_h + 2;
	put_wait(s, m, l, u->pick.row);
	if (known)
		put_work(s, m, &e);
	put_times(s, r, &e, known);
	if (known) {
		put_operands(s, m, &e);
		put_accesses(s, m, &e);
	}
	snprintf(text, sizeof text, "%s of %s", m->vtr->head.pipe[l->pipe], m->vtr->head.core[l->core].name);
	put(s, t->text, "runs on", text);
	if (known && e.block >= 0) {
		snprintf(text, sizeof text, "%d; instruction %llu of the core, pc 0x%llx", e.block,
			 (unsigned long long)e.seq, (unsigned long long)site->pc);
		put_long(s, t->text, "block", text);
	}
	if ((int)l->pipe == m->hold_pipe && site)
		put_long(s, t->text, "held at", site->name);
	if (site && site->line[0])
		put_long(s, t->text, "line", site->line);
}

static void range_row(struct sheet *s, const struct model *m, const struct lane *l)
{
	struct ui *u = s->u;
	const struct theme *t = theme_get(u->dark);
	const struct vtr_head *h = &m->vtr->head;
	struct range_stat r;
	char a[32], text[160];
	double cycles = (double)(u->range_to - u->range_from);
	analysis_range(m, l, u->range_from, u->range_to, &r);
	uint32_t top = 0;
	for (uint32_t k = 1; k < h->n_cause; k++)
		top = r.cause[k] > r.cause[top] ? k : top;
	int rate_is_bytes = l->work > 0;
	snprintf(text, sizeof text, "%-5s %6llu %4.0f %% %4.0f %% %9s%s", h->pipe[l->pipe], (unsigned long long)r.n,
		 100.0 * (double)r.busy / cycles, 100.0 * (double)r.stall / cycles,
		 r.work ? ui_count((double)r.work / cycles, a) : "-",
		 r.work ? rate_is_bytes ? " B/c" : " M/c" : "    ");
	draw_text_fit(&u->draw, s->box.x, s->y, s->box.w, t->text, text);
	int x = s->box.x + (text_cells(text) + 1) * u->cell_w;
	if (h->n_cause && r.cause[top] > 0)
		draw_textf(&u->draw, x, s->y, s->box.x + s->box.w - x, ui_cause_text(u, h, top), "%s", h->cause[top]);
	s->y += u->cell_h;
}

static void range(struct sheet *s)
{
	struct ui *u = s->u;
	const struct theme *t = theme_get(u->dark);
	char a[32], b[32], c[32], time[32];
	draw_textf(&u->draw, s->box.x, s->y, s->box.w, t->accent, "%s cycles (%s)",
		   ui_number(u->range_to - u->range_from, a), ui_time(u, (double)(u->range_to - u->range_from), time));
	s->y += u->cell_h;
	draw_textf(&u->draw, s->box.x, s->y, s->box.w, t->faint, "from %s to %s; Z zooms to it, Esc drops it",
		   ui_number(u->range_from, b), ui_number(u->range_to, c));
	s->y += u->cell_h + u->pad;
	for (int run = 0; run < u->n_run; run++) {
		const struct model *m = ui_model(u, run);
		uint32_t core = ui_core(u), n_pipe = m->vtr->head.n_pipe;
		if (core >= m->vtr->head.n_core)
			continue;
		draw_textf(&u->draw, s->box.x, s->y, s->box.w, t->faint, "%s%s",
			   u->n_run > 1 ? run ? "B: " : "A: " : "", m->vtr->head.core[core].name);
		s->y += u->cell_h;
		draw_text_fit(&u->draw, s->box.x, s->y, s->box.w, t->faint,
			      "pipe    instr   busy   wait      rate     mostly for");
		s->y += u->cell_h;
		for (uint32_t p = 0; p < n_pipe; p++)
			if (m->lane[core * n_pipe + p].n > 0)
				range_row(s, m, &m->lane[core * n_pipe + p]);
		s->y += u->pad;
	}
}

void draw_left(struct ui *u)
{
	const struct theme *t = theme_get(u->dark);
	struct box b = u->left, old = draw_clip(&u->draw, b, false);
	draw_rect(&u->draw, b, t->panel);
	draw_zone(&u->draw, b, ZONE_LEFT, 0, 0);
	if (u->scroll_left > u->left_height - b.h)
		u->scroll_left = u->left_height - b.h;
	if (u->scroll_left < 0)
		u->scroll_left = 0;
	struct sheet s = { u, { b.x + u->pad, b.y, b.w - 2 * u->pad, b.h }, b.y + u->pad - u->scroll_left };
	if (u->range_shown && u->range_to > u->range_from) {
		range(&s);
	} else if (u->pick.any && ui_model(u, u->pick.run)) {
		instruction(&s);
	} else {
		/* nothing is selected: where the time went, in one look */
		if (ui_model(u, 0)->n_row > 0 || u->run[0].reading)
			s.y += draw_core_time(u, (struct box){ s.box.x, s.y, s.box.w, s.box.h }, ui_core(u)) + u->pad;
		s.y += draw_wrapped(
			&u->draw, (struct box){ s.box.x, s.y, s.box.w, 8 * u->cell_h }, t->faint,
			"Click on an instruction to see what it does, what it waited for and who released it. Drag over the"
			" lanes to measure. A click on a finding goes to where it shows.");
	}
	u->left_height = s.y + u->scroll_left - b.y + u->pad;
	ui_scroll_hint(u, b, u->scroll_left, u->left_height);
	draw_clip(&u->draw, old, false);
}
