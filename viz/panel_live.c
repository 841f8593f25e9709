/*
 * panel_live.c - the run inside the window: controls, what each pipe of the core does and holds, registers, flags; and
 * the bytes of its memories as bytes, as numbers, or as a heat map.
 */
#include "ui.h"

#include "../sim/num.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LIVE_SLICE = 20000 };

void ui_live_slice(struct ui *u)
{
	struct live_until forever = LIVE_FOREVER;
	if (!u->live || !u->live_running)
		return;
	enum live_state s = live_to(u->live, &forever, LIVE_SLICE);
	if (s == LIVE_ENDED || s == LIVE_FAILED)
		u->live_running = false;
	ui_live_seen(u);
	if (s == LIVE_FAILED)
		ui_fail(u, live_failure(u->live));
}

static int pipe_number(const struct vtr_head *h, const char *name)
{
	for (uint32_t p = 0; p < h->n_pipe; p++)
		if (strcasecmp(h->pipe[p], name) == 0)
			return (int)p;
	return -1;
}

static int space_number(const struct vtr_head *h, const char *name)
{
	for (uint32_t s = 0; s < h->n_space; s++)
		if (strcasecmp(h->space[s], name) == 0)
			return (int)s;
	return -1;
}

/* "1200" "@1200" "cycle 1200" | "matmul.c:88" | "flag MTE2 V [0]" | "write UB 0x40" */
static bool parse_until(const struct vtr_head *h, const char *text, struct live_until *u)
{
	char a[32], b[32], *end;
	int event;
	*u = LIVE_FOREVER;
	int n = sscanf(text, "flag %31s %31s %d", a, b, &event);
	if (n >= 2) {
		int src = pipe_number(h, a), dst = pipe_number(h, b);
		u->flag = true;
		u->flag_src = (uint8_t)src;
		u->flag_dst = (uint8_t)dst;
		u->flag_event = n == 3 ? event : -1;
		return src >= 0 && dst >= 0;
	}
	if (sscanf(text, "write %31s %31s", a, b) == 2) {
		int space = space_number(h, a);
		u->write = true;
		u->space = (uint8_t)space;
		u->addr = strtoull(b, &end, 0);
		return space >= 0 && *end == 0;
	}
	text += strncmp(text, "cycle ", 6) == 0 ? 6 : text[0] == '@';
	int64_t cycle = strtoll(text, &end, 10);
	if (*end == 0 && end != text && cycle >= 0) {
		u->cycle = cycle;
		return true;
	}
	u->line = text;
	return strchr(text, ':') != NULL;
}

void ui_live_until(struct ui *u, const char *condition)
{
	struct live_until until;
	char text[UI_TEXT];
	snprintf(text, sizeof text, "%s", condition);
	if (!u->live)
		return;
	if (!parse_until(&ui_model(u, 0)->vtr->head, text, &until)) {
		ui_say(u, true, "\"%s\" is no place to run to. Write a cycle (1200), a line (matmul.c:88), "
		       "a flag (flag MTE2 V 0) or an address (write UB 0x40).", text);
		return;
	}
	if (until.cycle != INT64_MAX && until.cycle < live_cycle(u->live)) {
		ui_say(u, false, "Cycle %s has passed; B goes back.", text);
		return;
	}
	u->live_running = false;
	until.core = (int)ui_core(u);
	enum live_state s = live_to(u->live, &until, 0);
	ui_live_seen(u);
	if (s == LIVE_FAILED)
		ui_fail(u, live_failure(u->live));
	else if (s == LIVE_MET) {
		const struct vtr_event *e = live_last(u->live);
		uint32_t lane = e->core * ui_model(u, 0)->vtr->head.n_pipe + e->pipe;
		ui_select(u, 0, lane, ui_model(u, 0)->lane[lane].n - 1, true);
		u->cursor = live_cycle(u->live);
	} else if (s == LIVE_ENDED && until.cycle == INT64_MAX)
		ui_say(u, false, "The run ended; \"%s\" did not come.", text);
}

static const char *state_text(enum live_state s, bool running)
{
	if (running)
		return "running";
	switch (s) {
	case LIVE_ENDED: return "ended";
	case LIVE_FAILED: return "failed";
	case LIVE_MET: return "stopped where asked";
	default: return "paused";
	}
}

static const char *op_text(const struct op *op, char *text, size_t size)
{
	op_name(op, text, size);
	unsigned form = isa_table[op->insn].form;
	size_t n = strlen(text);
	if ((form == FORM_SETFLAG || form == FORM_WAITFLAG) && n < size)
		snprintf(text + n, size - n, " %s" S_ARROW "%s %u", isa_pipe_name(op->flag_src),
			 isa_pipe_name(op->flag_dst), op->event_id);
	return text;
}

/* A pipe: what it works on, how full its queue is, what stands in it. */
static void pipe_line(struct ui *u, struct box b, const struct core *c, int p, int64_t cycle)
{
	const struct theme *t = theme_get(u->dark);
	const struct pipe *pp = &c->pipe[p];
	char name[64];
	int n = 0, x = b.x;
	for (int i = 0; i < pp->count; i++)
		n += pp->queue[(pp->head + i) % (pp->depth + 2)].dispatched <= cycle;
	bool works = pp->flow >= 0 || pp->free_at > cycle;
	x += draw_textf(&u->draw, x, b.y, 6 * u->cell_w, t->text, "%-5s ", isa_pipe_name((enum isa_pipe)p));
	int box = u->cell_h - 6;
	for (int i = 0; i < pp->depth && i < 32; i++)
		draw_rect(&u->draw, (struct box){ x + i * (box / 2 + 1), b.y + 3, box / 2, box },
			  i < n ? t->accent : t->lane);
	x += (pp->depth < 32 ? pp->depth : 32) * (box / 2 + 1) + u->cell_w;
	x += draw_textf(&u->draw, x, b.y, b.x + b.w - x, works ? t->good : t->faint, "%d/%d %-6s", n, pp->depth,
			works ? "works"
			: n   ? "waits"
			      : "idle");
	x += u->cell_w;
	if (pp->current && pp->flow >= 0)
		x += draw_textf(&u->draw, x, b.y, b.x + b.w - x, t->text, "%s since %lld; ",
				op_text(pp->current, name, sizeof name), (long long)pp->current_start);
	for (int i = 0; i < pp->count && x < b.x + b.w - 8 * u->cell_w; i++) {
		const struct op *op = &pp->queue[(pp->head + i) % (pp->depth + 2)];
		if (op->dispatched <= cycle && op != pp->current)
			x += draw_textf(&u->draw, x, b.y, b.x + b.w - x, t->faint, "%s%s",
					op_text(op, name, sizeof name), ", ");
	}
}

static int flags_lines(struct ui *u, struct box b, const struct core *c)
{
	const struct theme *t = theme_get(u->dark);
	char text[400] = "";
	size_t n = 0;
	for (int s = 0; s < PIPE_COUNT; s++)
		for (int d = 0; d < PIPE_COUNT; d++)
			for (int e = 0; e < SIM_EVENT_IDS; e++)
				if (c->flag[s][d][e].set && n < sizeof text - 24)
					n += (size_t)snprintf(text + n, sizeof text - n, "%s" S_ARROW "%s %d  ",
							      isa_pipe_name((enum isa_pipe)s),
							      isa_pipe_name((enum isa_pipe)d), e);
	draw_text_fit(&u->draw, b.x, b.y, 11 * u->cell_w, t->faint, "flags set");
	return draw_wrapped(&u->draw, (struct box){ b.x + 11 * u->cell_w, b.y, b.w - 11 * u->cell_w, 2 * u->cell_h },
			    t->text, n ? text : "none");
}

static int register_lines(struct ui *u, struct box b, const struct core *c)
{
	static const char *const name[32] = {
		"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
		"a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
	};
	const struct theme *t = theme_get(u->dark);
	int cell = 23 * u->cell_w, columns = b.w / cell > 0 ? b.w / cell : 1, y = b.y;
	for (int i = 1; i < 32; i++) {
		int k = i - 1, x = b.x + k % columns * cell;
		y = b.y + k / columns * u->cell_h;
		draw_textf(&u->draw, x, y, 4 * u->cell_w, t->faint, "%s", name[i]);
		draw_textf(&u->draw, x + 4 * u->cell_w, y, 18 * u->cell_w, t->text, "%llx",
			   (unsigned long long)c->scalar.x[i]);
	}
	y += u->cell_h;
	draw_textf(&u->draw, b.x, y, b.w, t->faint, "mask %016llx %016llx  ctrl %llx  nd_para %llx  fmatrix %llx",
		   (unsigned long long)c->spr.mask_hi, (unsigned long long)c->spr.mask_lo,
		   (unsigned long long)c->spr.ctrl, (unsigned long long)c->spr.nd_para,
		   (unsigned long long)c->spr.fmatrix);
	return y + u->cell_h - b.y;
}

static const char *wait_text(const struct core *c, char text[64])
{
	switch (c->wait) {
	case WAIT_QUEUE:
		snprintf(text, 64, "waits: the queue of %s is full", isa_pipe_name((enum isa_pipe)c->wait_pipe));
		break;
	case WAIT_FLAG:
		snprintf(text, 64, "waits for flag %s" S_ARROW "S %d", isa_pipe_name((enum isa_pipe)c->wait_pipe),
			 c->wait_event);
		break;
	case WAIT_BARRIER: snprintf(text, 64, "waits: pipe_barrier(PIPE_ALL)"); break;
	case WAIT_CROSS: snprintf(text, 64, "waits for cross-core flag %d", c->wait_event); break;
	case WAIT_DRAIN: snprintf(text, 64, "returned; its pipes still work"); break;
	case WAIT_IDLE: snprintf(text, 64, "has no block"); break;
	default: snprintf(text, 64, "executes");
	}
	return text;
}

static void controls(struct ui *u, struct box b, int *y)
{
	const struct theme *t = theme_get(u->dark);
	char number[32], time[32];
	int x = b.x;
	ui_button(u, &x, *y, u->live_running ? "Space pause" : S_PLAY " Space run", ACT_RUN, u->live_running);
	ui_button(u, &x, *y, "O op", ACT_STEP_OP, false);
	ui_button(u, &x, *y, "Y cycle", ACT_STEP_CYCLE, false);
	ui_button(u, &x, *y, S_LEFT " B back", ACT_BACK, false);
	ui_button(u, &x, *y, "R restart", ACT_RESTART, false);
	ui_button(u, &x, *y, "U run to" S_DOTS, ACT_UNTIL, u->until_asked);
	*y += u->cell_h + 4 + u->pad;
	draw_textf(&u->draw, b.x, *y, b.w, t->accent, "cycle %s (%s), %s", ui_number(live_cycle(u->live), number),
		   ui_time(u, (double)live_cycle(u->live), time), state_text(live_state(u->live), u->live_running));
	*y += u->cell_h;
}

void panel_live(struct ui *u, struct box b)
{
	const struct theme *t = theme_get(u->dark);
	const struct sim *s = u->live ? live_sim(u->live) : NULL;
	uint32_t core = ui_core(u);
	char wait[64], line[200];
	int y = b.y - u->scroll_right, top = y;
	if (!s || core >= (uint32_t)s->n_core) {
		draw_wrapped(&u->draw, b, t->faint, "A kernel runs inside the window with: vinci view kernels/matmul");
		return;
	}
	const struct core *c = &s->core[core];
	controls(u, b, &y);
	program_line(c->program, c->scalar.pc, line, sizeof line);
	const char *name = ui_model(u, 0)->vtr->head.core[core].name;
	if (c->block >= 0)
		draw_textf(&u->draw, b.x, y, b.w, t->text, "%s, block %d: scalar unit at cycle %lld %s", name, c->block,
			   (long long)c->scalar.cycle, wait_text(c, wait));
	else
		draw_textf(&u->draw, b.x, y, b.w, t->text, "%s has no block", name);
	y += u->cell_h;
	draw_textf(&u->draw, b.x, y, b.w, t->faint, "pc 0x%llx %s", (unsigned long long)c->scalar.pc,
		   c->scalar.pc == SCALAR_RETURN_PC ? "(returned)" : line);
	y += u->cell_h + u->pad;
	for (int p = 0; p < PIPE_COUNT; p++) {
		bool used = p != PIPE_S && p != PIPE_ALL &&
			    (c->pipe[p].count || ui_model(u, 0)->lane[core * PIPE_COUNT + (uint32_t)p].n);
		if (!used)
			continue;
		pipe_line(u, (struct box){ b.x, y, b.w, u->cell_h }, c, p, live_cycle(u->live));
		y += u->cell_h;
	}
	y += u->pad;
	y += flags_lines(u, (struct box){ b.x, y, b.w, b.h }, c) + u->pad;
	y += register_lines(u, (struct box){ b.x, y, b.w, b.h }, c);
	u->right_height = y - top + 4 * u->pad;
}

/* ---- memory ---- */

enum format { AS_HEX, AS_F16, AS_F32, AS_S8, AS_S32, AS_HEAT16, AS_HEAT32, FORMATS };

static const struct {
	const char *name;
	int bytes, cells;
} formats[FORMATS] = { { "bytes", 1, 3 }, { "f16", 2, 10 },         { "f32", 4, 12 },        { "s8", 1, 5 },
		       { "s32", 4, 12 },  { "heat map f16", 2, 0 }, { "heat map f32", 4, 0 } };

static double value_at(const uint8_t *p, enum format f)
{
	uint16_t h;
	int32_t w;
	float x;
	switch (f) {
	case AS_F16:
	case AS_HEAT16: memcpy(&h, p, 2); return num_from_f16(h);
	case AS_F32:
	case AS_HEAT32: memcpy(&x, p, 4); return x;
	case AS_S32: memcpy(&w, p, 4); return w;
	case AS_S8: return (int8_t)*p;
	default: return *p;
	}
}

static void value_text(const uint8_t *p, enum format f, char text[32])
{
	double v = value_at(p, f);
	switch (f) {
	case AS_HEX: snprintf(text, 32, "%02x", *p); break;
	case AS_S8:
	case AS_S32: snprintf(text, 32, "%.0f", v); break;
	default: snprintf(text, 32, "%.4g", v);
	}
}

static void numbers(struct ui *u, struct box b, const uint8_t *bytes, int64_t size, enum format f)
{
	const struct theme *t = theme_get(u->dark);
	int each = formats[f].cells * u->cell_w, room = (b.w - 10 * u->cell_w) / each, per_row = 1;
	char text[32];
	while (per_row * 2 <= room)
		per_row *= 2;
	for (int y = 0; y + u->cell_h <= b.h; y += u->cell_h) {
		int64_t at = u->memory_addr + (int64_t)(y / u->cell_h) * per_row * formats[f].bytes;
		if (at >= size)
			break;
		draw_textf(&u->draw, b.x, b.y + y, 9 * u->cell_w, t->faint, "%06llx", (unsigned long long)at);
		for (int i = 0; i < per_row && at + formats[f].bytes <= size; i++, at += formats[f].bytes) {
			value_text(bytes + at, f, text);
			draw_text_fit(&u->draw, b.x + 9 * u->cell_w + i * each, b.y + y, each - u->cell_w, t->text,
				      text);
		}
	}
}

/* 64 numbers a row, a square each; blue below zero, orange above, brighter the larger. */
static void heat(struct ui *u, struct box b, const uint8_t *bytes, int64_t size, enum format f)
{
	enum { PER_ROW = 64 };
	const struct theme *t = theme_get(u->dark);
	int side = b.w / PER_ROW < u->cell_h ? b.w / PER_ROW : u->cell_h, step = formats[f].bytes;
	side = side < 2 ? 2 : side;
	int rows = (b.h - u->cell_h) / side;
	double most = 0;
	for (int64_t i = 0; i < (int64_t)rows * PER_ROW && u->memory_addr + (i + 1) * step <= size; i++) {
		double v = fabs(value_at(bytes + u->memory_addr + i * step, f));
		if (isfinite(v) && v > most)
			most = v;
	}
	for (int64_t i = 0; i < (int64_t)rows * PER_ROW && u->memory_addr + (i + 1) * step <= size; i++) {
		double v = value_at(bytes + u->memory_addr + i * step, f), share = most > 0 ? fabs(v) / most : 0;
		uint32_t color =
			!isfinite(v) ? t->bad
				     : theme_mix(t->back, v < 0 ? t->accent : t->group[GROUP_FLAG], (int)(share * 256));
		draw_rect(&u->draw,
			  (struct box){ b.x + (int)(i % PER_ROW) * side, b.y + u->cell_h + (int)(i / PER_ROW) * side,
					side - (side > 3), side - (side > 3) },
			  color);
	}
	draw_textf(&u->draw, b.x, b.y, b.w, t->faint,
		   "%d numbers a row, from 0x%llx; largest %.4g; blue below zero, red: no number", PER_ROW,
		   (unsigned long long)u->memory_addr, most);
}

void panel_memory(struct ui *u, struct box b)
{
	const struct theme *t = theme_get(u->dark);
	const struct sim *s = u->live ? live_sim(u->live) : NULL;
	uint32_t core = ui_core(u);
	int x = b.x;
	if (!s || core >= (uint32_t)s->n_core)
		return;
	const struct core_mem *m = &s->core[core].mem;
	if (u->memory_space < 0 || u->memory_space >= SPACE_COUNT || !m->buf[u->memory_space])
		for (int i = SPACE_COUNT - 1; i > 0; i--)
			if (m->buf[i])
				u->memory_space = i;
	for (int i = SPACE_UB; i < SPACE_COUNT; i++) {
		const char *name = isa_space_name((enum isa_space)i);
		if (!m->buf[i])
			continue;
		struct box k = { x, b.y, (text_cells(name) + 2) * u->cell_w, u->cell_h + 4 };
		bool on = i == u->memory_space;
		draw_rect(&u->draw, k, on ? t->accent : theme_mix(t->panel, t->text, 28));
		draw_text(&u->draw, k.x + u->cell_w, k.y + 2, on ? t->back : t->text, name);
		draw_zone(&u->draw, k, ZONE_SPACE, i, 0);
		x += k.w + 2;
	}
	enum format f = (enum format)(u->memory_format % FORMATS);
	char label[64];
	snprintf(label, sizeof label, "V: %s", formats[f].name);
	x += u->pad;
	ui_button(u, &x, b.y, label, ACT_FORMAT, false);
	draw_textf(&u->draw, x, b.y + 2, b.x + b.w - x, t->faint, "%s at cycle %lld",
		   ui_model(u, 0)->vtr->head.core[core].name, (long long)live_cycle(u->live));
	if (!m->buf[u->memory_space])
		return;
	int64_t size = m->size[u->memory_space], row = 64;
	u->memory_addr = u->memory_addr < 0 ? 0 : u->memory_addr >= size ? size - row : u->memory_addr / row * row;
	struct box in = { b.x, b.y + u->cell_h + 8, b.w, b.h - u->cell_h - 8 };
	if (f >= AS_HEAT16)
		heat(u, in, m->buf[u->memory_space], size, f);
	else
		numbers(u, in, m->buf[u->memory_space], size, f);
}
