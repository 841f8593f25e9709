/*
 * viz_live.c - a run in steps is the same run: same events and cycles as in one go; conditions stop where they say; going
 * back gives the state that was there.
 */
#include "../sim/live.h"
#include "../viz/view.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct seen {
	uint64_t n, sum;
	int64_t last_start;
};

static void note(void *user, const struct vtr_event *e)
{
	struct seen *s = user;
	s->n++;
	s->sum = s->sum * 31 + (uint64_t)e->start * 7 + e->core + e->seq + (uint64_t)e->issue_end;
	s->last_start = e->start;
}

static const char *const none[] = { NULL };

static void table(void)
{
	char err[256];
	cr_assert(isa_init(err, sizeof err), "%s", err);
}

static struct live *begin(struct seen *s)
{
	struct fail f = { 0 };
	table();
	memset(s, 0, sizeof *s);
	struct live *l = live_open("kernels/add", none, note, s, &f);
	cr_assert(l, "%s", f.what);
	return l;
}

static void forget(void *user, uint64_t kept)
{
	cr_assert_eq(kept, 0);
	memset(user, 0, sizeof(struct seen));
}

Test(viz_live, steps_of_any_size_make_the_same_run)
{
	struct seen whole, pieces;
	struct live_until forever = LIVE_FOREVER, until = LIVE_FOREVER;
	struct live *a = begin(&whole), *b = begin(&pieces);
	cr_assert_eq(live_to(a, &forever, 0), LIVE_ENDED);
	for (int i = 0; live_state(b) != LIVE_ENDED; i++) {
		until.cycle = live_cycle(b) + 1 + i % 700;
		until.ops = i % 5 == 4 ? 3 : 0;
		live_to(b, &until, i % 3 == 0 ? 10 : 0);
		cr_assert_neq(live_state(b), LIVE_FAILED);
	}
	cr_assert_eq(whole.n, pieces.n);
	cr_assert_eq(whole.sum, pieces.sum);
	cr_assert_eq(live_cycle(a), live_cycle(b));
	cr_assert_eq(live_sim(a)->end, live_sim(b)->end);
	live_free(a);
	live_free(b);
}

Test(viz_live, conditions_stop_where_they_say)
{
	struct seen s;
	struct live *l = begin(&s);
	struct live_until u = LIVE_FOREVER;
	const struct vtr_event *e = live_last(l);
	u.ops = 1;
	cr_assert_eq(live_to(l, &u, 0), LIVE_MET);
	cr_assert_eq(s.n, 1);
	u = LIVE_FOREVER;
	u.flag = true;
	u.flag_src = PIPE_MTE2;
	u.flag_dst = PIPE_V;
	cr_assert_eq(live_to(l, &u, 0), LIVE_MET);
	cr_assert(e->has_flag && e->flag_src == PIPE_MTE2 && e->flag_dst == PIPE_V);
	u = LIVE_FOREVER;
	u.write = true;
	u.space = SPACE_GM;
	u.addr = live_sim(l)->gm.region[0].addr;
	for (int i = 0; i < live_sim(l)->gm.n_region; i++)
		if (strstr(live_sim(l)->gm.region[i].name, "argument z"))
			u.addr = live_sim(l)->gm.region[i].addr;
	cr_assert_eq(live_to(l, &u, 0), LIVE_MET, "no instruction writes the first byte of z");
	bool found = false;
	for (int i = 0; i < e->n_access; i++)
		found |= e->access[i].write && e->access[i].space == SPACE_GM && e->access[i].addr == u.addr;
	cr_assert(found);
	char line[64];
	snprintf(line, sizeof line, "%.*s", (int)strcspn(live_head(l)->site[e->site].line, " "),
		 live_head(l)->site[e->site].line);
	u = LIVE_FOREVER;
	u.line = line;
	cr_assert_eq(live_to(l, &u, 0), LIVE_MET);
	cr_assert_eq(strncmp(live_head(l)->site[e->site].line, line, strlen(line)), 0);
	live_free(l);
}

Test(viz_live, going_back_gives_the_state_of_then)
{
	struct seen s, then;
	struct fail f = { 0 };
	struct live *l = begin(&s);
	struct live_until u = LIVE_FOREVER;
	u.cycle = 5000;
	live_to(l, &u, 0);
	then = s;
	cr_assert_gt(s.n, 0);
	uint64_t pc = live_sim(l)->core[0].scalar.pc;
	const struct core_mem *m = &live_sim(l)->core[0].mem;
	uint8_t *ub = malloc((size_t)m->size[SPACE_UB]);
	memcpy(ub, m->buf[SPACE_UB], (size_t)m->size[SPACE_UB]);
	u.cycle = 8000;
	live_to(l, &u, 0);
	cr_assert_gt(s.n, then.n);
	cr_assert(live_back(l, 5000, forget, &f), "%s", f.what);
	cr_assert_eq(live_cycle(l), 5000);
	cr_assert_eq(s.n, then.n);
	cr_assert_eq(s.sum, then.sum);
	cr_assert_eq(live_sim(l)->core[0].scalar.pc, pc);
	cr_assert_eq(
		memcmp(ub, live_sim(l)->core[0].mem.buf[SPACE_UB], (size_t)live_sim(l)->core[0].mem.size[SPACE_UB]), 0);
	free(ub);
	live_free(l);
}

Test(viz_live, errors_of_opening_are_said)
{
	struct fail f = { 0 };
	table();
	cr_assert_null(live_open("kernels/none-such", none, NULL, NULL, &f));
	cr_assert_eq(f.class, FAIL_USER);
	memset(&f, 0, sizeof f);
	const char *const bad[] = { "nonsense=1", NULL };
	cr_assert_null(live_open("kernels/add", bad, NULL, NULL, &f));
	cr_assert_eq(f.class, FAIL_USER);
}

/* The window bound to a run: keys step it, rows appear, going back takes them away. */
Test(viz_live, keys_step_the_run_in_the_window)
{
	struct ui u;
	struct fail f = { 0 };
	table();
	ui_init(&u);
	struct live *l = live_open("kernels/add", none, ui_live_event, &u, &f);
	cr_assert(l && ui_bind_live(&u, l), "%s", f.what);
	ui_frame(&u);
	ui_key(&u, 'o', 0);
	cr_assert_eq(u.run[0].model->n_row, 1);
	ui_key(&u, 'o', 0);
	cr_assert_eq(u.run[0].model->n_row, 2);
	ui_live_until(&u, "3000");
	cr_assert_eq(live_cycle(l), 3000);
	uint64_t rows = u.run[0].model->n_row;
	for (int tab = 0; tab < TAB_COUNT; tab++) {
		u.tab = (enum ui_tab)tab;
		ui_frame(&u);
	}
	ui_live_until(&u, "flag MTE2 V");
	cr_assert(u.pick.any);
	cr_assert_gt(u.run[0].model->n_row, rows);
	int64_t at = live_cycle(l);
	ui_key(&u, 'b', 0);
	cr_assert_lt(live_cycle(l), at);
	ui_frame(&u);
	ui_key(&u, ' ', 0);
	cr_assert(u.live_running);
	while (u.live_running)
		ui_live_slice(&u);
	cr_assert_eq(live_state(l), LIVE_ENDED);
	ui_frame(&u);
	ui_live_until(&u, "gibberish");
	cr_assert(u.message_is_error);
	ui_free(&u);
	live_free(l);
}
