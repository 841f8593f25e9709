/*
 * panel_verdict.c - the first tab: what the run's report found, what saves most first, each a link to where it shows; the
 * critical path in shares. The words are the report's (sim/reasons.h), so that window and text report never differ.
 */
#include "ui.h"

#include "../sim/reasons.h"

#include <string.h>

enum { MANY_LINES = 100 };

static int wrapped(struct ui *u, struct box b, uint32_t color, const char *text)
{
	return draw_wrapped(&u->draw, (struct box){ b.x, b.y, b.w, MANY_LINES * u->cell_h }, color, text);
}

/* One finding; returns the height used. */
static int finding(struct ui *u, struct box b, const struct vtr_finding *f, uint32_t number)
{
	const struct theme *t = theme_get(u->dark);
	int64_t cycles = ui_model(u, 0)->cycles;
	int mark = 3 * u->cell_w, y = b.y;
	char text[1400];
	draw_textf(&u->draw, b.x, y, mark, t->accent, "%u.", number + 1);
	struct box in = { b.x + mark, y, b.w - mark, b.h };
	reasons_what(f, text, sizeof text);
	in.y += wrapped(u, in, t->text, text);
	snprintf(text, sizeof text, "Try: %s.", f->attempt);
	in.y += wrapped(u, in, t->accent, text);
	reasons_saves(f, cycles, text, sizeof text);
	in.y += wrapped(u, in, t->faint, text);
	draw_zone(&u->draw, (struct box){ b.x, y, b.w, in.y - y }, ZONE_FINDING, number, 0);
	return in.y - y + u->pad;
}

static int next_pipe(const int64_t *sum, const bool *shown, uint32_t n)
{
	int best = -1;
	for (uint32_t p = 0; p < n; p++)
		if (!shown[p] && sum[p] > 0 && (best < 0 || sum[p] > sum[best]))
			best = (int)p;
	return best;
}

/* Shares of the critical path, the largest pipe first, each with its largest part; returns the height used. */
static int path_text(struct ui *u, struct box b, const struct vtr_findings *x)
{
	const struct model *m = ui_model(u, 0);
	const struct vtr_head *h = &m->vtr->head;
	int64_t sum[VTR_PIPES] = { 0 };
	bool shown[VTR_PIPES] = { false };
	char text[1000];
	double whole = m->cycles > 0 ? (double)m->cycles : 1;
	size_t n = (size_t)snprintf(text, sizeof text, "The critical path spends");
	for (uint32_t p = 0; p < h->n_pipe; p++)
		for (uint32_t k = 0; k < x->n_part; k++)
			sum[p] += x->path[p * x->n_part + k];
	for (int p; (p = next_pipe(sum, shown, h->n_pipe)) >= 0 && n + 200 < sizeof text;) {
		const int64_t *part = x->path + (uint32_t)p * x->n_part;
		uint32_t most = 0;
		for (uint32_t k = 1; k < x->n_part; k++)
			most = part[k] > part[most] ? k : most;
		shown[p] = true;
		if (100.0 * (double)sum[p] / whole >= 0.5)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s %.0f %% in %.20s (most of it %.60s)",
					      n > 30 ? "," : "", 100.0 * (double)sum[p] / whole, h->pipe[p], x->part[most]);
	}
	snprintf(text + n, sizeof text - n, ".");
	return wrapped(u, b, theme_get(u->dark)->critical, text);
}

static const char *no_findings(const struct ui *u)
{
	const struct model *m = ui_model(u, 0);
	if (u->live && live_state(u->live) == LIVE_FAILED)
		return "The run has failed: there is no report.";
	if (u->live)
		return "The report comes when the run has ended (Space runs it). Bars show the cycles so far.";
	if (m->vtr->cut || !m->vtr->has_done)
		return "The trace has no end, and so no report. Bars show the cycles so far.";
	if (m->vtr->done.failed)
		return "The run has failed: there is no report.";
	return "The trace carries no report: it is older than reports in traces. Make it again with vinci run --trace.";
}

void panel_verdict(struct ui *u, struct box b)
{
	const struct theme *th = theme_get(u->dark);
	const struct vtr_findings *x = u->run[0].findings;
	int y = b.y - u->scroll_right, top = y;
	char text[600];
	if (x) {
		reasons_headline(x, text, sizeof text);
		y += wrapped(u, (struct box){ b.x, y, b.w, b.h }, th->text, text) + u->pad;
	} else {
		y += wrapped(u, (struct box){ b.x, y, b.w, b.h }, th->faint, no_findings(u)) + u->pad;
	}
	for (uint32_t i = 0; x && i < x->n_finding; i++)
		y += finding(u, (struct box){ b.x, y, b.w, b.h }, &x->finding[i], i);
	if (x && x->path_cycles > 0)
		y += path_text(u, (struct box){ b.x, y, b.w, b.h }, x) + u->pad;
	if (ui_model(u, 0)->n_row > 0 && (u->pick.any || u->range_shown))
		y += draw_core_time(u, (struct box){ b.x, y, b.w, b.h }, ui_core(u));
	u->right_height = y - top + 4 * u->pad;
}
