/*
 * check_root.c - which findings are consequences of another. Two findings have one cause when one and the same sync, put in
 * front of one and the same instruction, would have ordered both, at every time they were seen. For each finding the
 * places of such a sync are kept: what stood in the waiting pipe's program between the first access (or the set behind
 * it) and the second. Another flag, or another instruction that has no part in the first finding, is another mistake.
 */
#include "check_priv.h"

#include <stdlib.h>
#include <string.h>

enum { STEP_WORK, STEP_SET, STEP_WAIT };

static struct root_note *note_of(struct checker *k, const struct check_finding *f)
{
	return &k->note[f - k->result.finding];
}

/* An instruction as the source has it: copies of a line are one, several instructions of a line are not. */
static uint32_t key_of(struct checker *k, const struct core *c, uint64_t pc)
{
	uint32_t site = check_site(c, pc), **keys = &k->line_key[c->program == k->sim->program[1]];
	char line[160];
	if (site >= c->program->n_insn)
		return (uint32_t)pc | 1;
	if (!*keys && !(*keys = calloc(c->program->n_insn, sizeof **keys))) {
		k->broken = true;
		return (uint32_t)pc | 1;
	}
	if ((*keys)[site])
		return (*keys)[site];
	uint32_t h = UINT32_C(2166136261) ^ c->program->insn[site].id;
	program_line(c->program, pc, line, sizeof line);
	for (const char *s = line; *s; s++)
		h = (h ^ (uint8_t)*s) * UINT32_C(16777619);
	if (!line[0])
		h = (h ^ site) * UINT32_C(16777619);
	return (*keys)[site] = h | 1; /* 0 is none */
}

void root_step(struct check_core *kc, const struct core *c, const struct op *op)
{
	unsigned form = isa_table[op->insn].form;
	bool flag = form == FORM_SETFLAG || form == FORM_WAITFLAG;
	struct root_steps *r = flag ? &kc->flags[op->pipe] : &kc->work[op->pipe];
	struct root_step *s = &r->at[r->n++ % ROOT_STEPS];
	*s = (struct root_step){ .seq = op->seq, .site = check_site(c, op->pc) };
	if (flag) {
		s->kind = form == FORM_SETFLAG ? STEP_SET : STEP_WAIT;
		s->other = form == FORM_SETFLAG ? op->flag_dst : op->flag_src;
		s->event_id = op->event_id;
	}
}

/* The i-th newest of a ring, NULL when it is not known any more. */
static const struct root_step *step_at(const struct root_steps *r, uint32_t i)
{
	return i < ROOT_STEPS && i < r->n ? &r->at[(r->n - 1 - i) % ROOT_STEPS] : NULL;
}

/* ---- what would order a pair ---- */

struct fixes {
	struct checker *k;
	const struct core *c;
	const struct check_core *kc;
	int n;
	struct root_fix at[ROOT_FIXES];
};

/* Sets of `from` for `to` within (low, high), in the order of the program; the first ROOT_SETS of them. */
static int sets_between(const struct fixes *x, int from, int to, uint64_t low, uint64_t high, struct root_set *set,
			uint64_t *seq)
{
	const struct root_step *s;
	int n = 0;
	for (uint32_t i = 0; from != to && (s = step_at(&x->kc->flags[from], i)) && s->seq > low; i++) {
		if (s->kind != STEP_SET || s->other != to || s->seq >= high)
			continue;
		n = n < ROOT_SETS ? n + 1 : n;
		memmove(set + 1, set, (size_t)(n - 1) * sizeof *set);
		memmove(seq + 1, seq, (size_t)(n - 1) * sizeof *seq);
		set[0] = (struct root_set){ key_of(x->k, x->c, check_site_pc(x->c, s->site)), s->site,
					    UINT64_C(1) << s->event_id };
		seq[0] = s->seq;
	}
	return n;
}

static uint32_t where_of(int from, int to, uint32_t key)
{
	return (key * UINT32_C(0x9e3779b1) + (uint32_t)(from * SLOTS + to)) * UINT32_C(0x85ebca6b);
}

/* `to` could wait for `from` in front of this instruction, for one of these sets. */
static void add_fix(struct fixes *x, int from, int to, const struct root_step *s, const struct root_set *set,
		    const uint64_t *seq, int n_set)
{
	uint32_t where = where_of(from, to, key_of(x->k, x->c, check_site_pc(x->c, s->site)));
	int n = 0;
	while (n < x->n && x->at[n].where != where)
		n++;
	if (n < x->n || x->n == ROOT_FIXES)
		return;
	struct root_fix *fix = &x->at[x->n++];
	*fix = (struct root_fix){ .where = where };
	while (fix->n_set < n_set && seq[fix->n_set] < s->seq) {
		fix->set[fix->n_set] = set[fix->n_set];
		fix->n_set++;
	}
}

/* Instructions of `to` within (low, high]: places where it could wait for `from`. */
static void add_edge(struct fixes *x, int from, int to, uint64_t low, uint64_t high)
{
	const struct root_steps *ring[2] = { &x->kc->work[to], &x->kc->flags[to] };
	const struct root_step *s;
	struct root_set set[ROOT_SETS];
	uint64_t seq[ROOT_SETS];
	int n_set = sets_between(x, from, to, low, high, set, seq);
	for (int r = 0; r < 2; r++)
		for (uint32_t i = 0; (s = step_at(ring[r], i)) && s->seq > low; i++)
			if (s->seq <= high)
				add_fix(x, from, to, s, set, seq, n_set);
}

/* Does a wait of `to` for a set of `from` stand within (low, high)? Where the first such wait stands; *set: its set. */
static uint64_t passed_on(const struct check_core *kc, int from, int to, uint64_t low, uint64_t high, bool last,
			  uint64_t *set)
{
	const struct root_step *w, *s;
	uint64_t found = 0;
	for (uint32_t i = 0; (w = step_at(&kc->flags[to], i)) && w->seq > low; i++) {
		if (w->kind != STEP_WAIT || w->other != from || w->seq >= high)
			continue;
		for (uint32_t j = 0; (s = step_at(&kc->flags[from], j)) && s->seq > low; j++)
			if (s->kind == STEP_SET && s->other == to && s->event_id == w->event_id && s->seq < w->seq) {
				found = w->seq;
				*set = s->seq;
				break;
			}
		if (found && last)
			break;
	}
	return found;
}

/* All single waits that would order two places of the program, also by way of a third pipe that one side is in order with. */
static void add_all(struct fixes *x, const struct root_pair *p)
{
	uint64_t set, wait;
	add_edge(x, p->from, p->to, p->low, p->high);
	for (int q = 1; q < PIPE_COUNT; q++) {
		if (q == p->from || q == p->to)
			continue;
		if (passed_on(x->kc, q, p->to, p->low, p->high, true, &set))
			add_edge(x, p->from, q, p->low, set);
		if ((wait = passed_on(x->kc, p->from, q, p->low, p->high, false, &set)))
			add_edge(x, q, p->to, wait, p->high);
	}
}

static void common_sets(struct root_fix *a, const struct root_fix *b)
{
	int n = 0;
	for (int i = 0; i < a->n_set; i++)
		for (int j = 0; j < b->n_set; j++)
			if (a->set[i].key == b->set[j].key) {
				a->set[n] = a->set[i];
				a->set[n++].ids |= b->set[j].ids;
				break;
			}
	a->mixed |= n != a->n_set || n != b->n_set;
	a->n_set = n;
}

/* Only what would have helped each time stays. */
static void narrow(struct root_note *n, const struct fixes *x)
{
	if (!n->seen) {
		n->n_fix = x->n;
		memcpy(n->fix, x->at, (size_t)x->n * sizeof x->at[0]);
		n->seen = true;
		return;
	}
	int out = 0;
	for (int i = 0; i < n->n_fix; i++) {
		int j = 0;
		while (j < x->n && x->at[j].where != n->fix[i].where)
			j++;
		if (j == x->n)
			continue;
		n->fix[out] = n->fix[i];
		common_sets(&n->fix[out++], &x->at[j]);
	}
	n->n_fix = out;
}

/* ---- findings as they are seen ---- */

void root_pair(struct checker *k, const struct check_finding *f, const struct core *c, const struct root_pair *p)
{
	struct root_note *n = note_of(k, f);
	struct fixes x = { .k = k, .c = c, .kc = &k->core[c->id] };
	if (f->count > ROOT_TIMES)
		return;
	n->key[0] = key_of(k, &k->sim->core[f->other.core], f->other.pc);
	n->key[1] = key_of(k, &k->sim->core[f->at.core], f->at.pc);
	n->direct = where_of(p->from, p->to, n->key[1]);
	if (p->low > 0 && p->low < p->high) /* else it is not known where they stand: nothing is said to help */
		add_all(&x, p);
	narrow(n, &x);
}

/* A wait for the flag within (low, high) of the program; 0: none. */
static uint64_t wait_between(const struct check_core *kc, int src, int dst, int id, uint64_t low, uint64_t high)
{
	const struct root_step *s;
	for (uint32_t i = 0; (s = step_at(&kc->flags[dst], i)) && s->seq > low; i++)
		if (s->kind == STEP_WAIT && s->other == src && s->event_id == id && s->seq < high)
			return s->seq;
	return 0;
}

/* A set that no wait takes before `high`: waits behind it that would. */
static void lost_set(struct checker *k, struct root_note *n, const struct core *c, int src, int dst, int id,
		     const struct root_set *set, uint64_t low, uint64_t high)
{
	struct fixes x = { .k = k, .c = c, .kc = &k->core[c->id] };
	if (low > 0)
		add_edge(&x, src, dst, low, high);
	for (int i = 0; i < x.n; i++) {
		x.at[i].n_set = 1;
		x.at[i].set[0] = *set;
		x.at[i].set[0].ids = UINT64_C(1) << id;
	}
	n->lost_set = set->key;
	narrow(n, &x);
}

static struct root_set set_at(struct checker *k, const struct core *c, uint64_t pc)
{
	return (struct root_set){ .key = key_of(k, c, pc), .site = check_site(c, pc) };
}

void root_twice(struct checker *k, const struct check_finding *f, const struct core *c, int src, int dst, int id)
{
	struct check_core *kc = &k->core[c->id];
	struct flag_note *flag = clock_flag(kc, src, dst, id);
	struct root_note *n = note_of(k, f);
	struct root_set set = set_at(k, c, flag->set_before_pc);
	struct fixes x = { .k = k, .c = c, .kc = kc };
	flag->twice = n->id;
	if (f->count > ROOT_TIMES || src == PIPE_S || dst == PIPE_S) {
		n->seen = true;
		return;
	}
	/* with a wait between the two in the program, the second came too early */
	uint64_t wait = wait_between(kc, src, dst, id, flag->set_before_seq, flag->set_seq);
	if (!wait) {
		lost_set(k, n, c, src, dst, id, &set, flag->set_before_seq, flag->set_seq);
		return;
	}
	add_all(&x, &(struct root_pair){ dst, src, wait, flag->set_seq });
	narrow(n, &x);
}

/* From where on in the program all instructions of a pipe are still known. */
static uint64_t oldest_known(const struct check_core *kc, int pipe)
{
	const struct root_step *work = step_at(&kc->work[pipe], ROOT_STEPS - 1),
			       *flag = step_at(&kc->flags[pipe], ROOT_STEPS - 1);
	uint64_t a = work ? work->seq : 0, b = flag ? flag->seq : 0;
	return a > b ? a : b;
}

void root_left(struct checker *k, const struct check_finding *f, const struct core *c, int src, int dst, int id)
{
	const struct check_core *kc = &k->core[c->id];
	const struct flag_note *flag = clock_flag(&k->core[c->id], src, dst, id);
	struct root_note *n = note_of(k, f);
	const struct root_step *s;
	uint64_t next = UINT64_MAX;
	struct root_note gaps = { 0 };
	struct fixes x = { .k = k, .c = c, .kc = kc };
	if (f->count > ROOT_TIMES)
		return;
	/* which of the block's sets is one too many is not known: a wait is missing where none stands between two */
	uint64_t oldest = oldest_known(kc, dst);
	oldest = oldest > flag->first_seq ? oldest : flag->first_seq;
	for (uint32_t i = 0; flag->first_seq && (s = step_at(&kc->flags[src], i)) && s->seq >= oldest; i++) {
		if (s->kind != STEP_SET || s->other != dst || s->event_id != id)
			continue;
		if (!wait_between(kc, src, dst, id, s->seq, next)) {
			struct root_set set = set_at(k, c, check_site_pc(c, s->site));
			lost_set(k, &gaps, c, src, dst, id, &set, s->seq, next);
		}
		next = s->seq;
	}
	const struct flag *set = &c->flag[src][dst][id];
	if (set->set && set->setter_seq) { /* or it is missing behind the one that is there */
		struct root_set own = set_at(k, c, set->setter_pc);
		struct root_note behind = { 0 };
		lost_set(k, &behind, c, src, dst, id, &own, set->setter_seq, UINT64_MAX);
		n->lost_set = own.key;
		x.n = behind.n_fix;
		memcpy(x.at, behind.fix, sizeof x.at);
	}
	for (int i = 0; i < gaps.n_fix; i++) {
		int j = 0;
		while (j < x.n && x.at[j].where != gaps.fix[i].where)
			j++;
		if (j == x.n && x.n < ROOT_FIXES)
			x.at[x.n++] = gaps.fix[i];
	}
	narrow(n, &x);
}

void root_lost(struct checker *k, const struct check_finding *f, const struct core *c, const struct op *op)
{
	const struct flag_note *flag = clock_flag(&k->core[c->id], op->flag_src, op->flag_dst, op->event_id);
	struct root_set set = set_at(k, c, flag->set_pc);
	if (f->count <= ROOT_TIMES)
		lost_set(k, note_of(k, f), c, op->flag_src, op->flag_dst, op->event_id, &set, flag->set_seq, op->seq);
}

void root_stuck(struct checker *k, const struct check_finding *f, const struct core *c, int pipe)
{
	const struct pipe *p = &c->pipe[pipe];
	if (pipe == PIPE_S || p->count == 0)
		return;
	const struct op *op = &p->queue[p->head];
	if (isa_table[op->insn].form == FORM_WAITFLAG)
		note_of(k, f)->stuck = clock_flag(&k->core[c->id], op->flag_src, op->flag_dst, op->event_id)->twice;
}

void root_bytes(struct checker *k, const struct check_finding *f, unsigned space, uint64_t addr, uint64_t bytes)
{
	struct root_note *n = note_of(k, f);
	if (f->count == 1) {
		n->space = space;
		n->begin = addr;
		n->end = addr;
	}
	n->space = n->space == space ? space : SPACE_NONE;
	n->begin = addr < n->begin ? addr : n->begin;
	n->end = addr + bytes > n->end ? addr + bytes : n->end;
}

void root_early(struct checker *k, const struct check_finding *f, struct fate *reader)
{
	if (reader && !reader->early)
		reader->early = note_of(k, f)->id;
}

void root_undefined(struct checker *k, const struct check_finding *f, const struct core *c, int pipe)
{
	const struct check_core *kc = &k->core[c->id];
	struct root_note *n = note_of(k, f);
	const struct fate *t = pipe != PIPE_S && kc->fate[pipe] ? &kc->fate[pipe][kc->number[pipe] % FATES] : NULL;
	int early = t && t->number == kc->number[pipe] ? t->early : 0, i = 0;
	while (i < n->n_early && n->early[i] != early)
		i++;
	if (i < n->n_early)
		return;
	if (early == 0 || i == ROOT_EARLY)
		n->own = true;
	else
		n->early[n->n_early++] = early;
}

/* ---- groups ---- */

static bool is_race(const struct check_finding *f) { return f->kind == CHECK_RACES; }

static bool same_pair(const struct root_note *a, const struct root_note *b)
{
	if (!a->key[1] || !b->key[1])
		return false;
	return (a->key[0] == b->key[0] && a->key[1] == b->key[1]) || (a->key[0] == b->key[1] && a->key[1] == b->key[0]);
}

static bool shares_instruction(const struct root_note *a, const struct root_note *b)
{
	return a->key[0] == b->key[0] || a->key[1] == b->key[1];
}

/* The set that a missing wait belongs to: the first behind the access that is known to be lost, else the first. */
static const struct root_set *set_of(const struct checker *k, const struct root_fix *f)
{
	for (int i = 0; i < f->n_set; i++)
		for (int n = 0; n < k->result.n_finding; n++)
			if (k->note[n].lost_set == f->set[i].key)
				return &f->set[i];
	return f->n_set ? &f->set[0] : NULL;
}

/* Is what would order y at this place the very sync that x lacks? */
static bool same_sync(const struct checker *k, const struct root_note *x, const struct root_fix *fx,
		      const struct root_note *y, const struct root_fix *fy)
{
	const struct root_set *a = set_of(k, fx), *b = set_of(k, fy);
	if (a && b)
		return a->key == b->key || (a->ids & b->ids);
	return !a && !b && !fx->mixed && !fy->mixed && (!y->key[0] || shares_instruction(x, y));
}

/* Those of the group's syncs that order y too; `common` begins with all of the head's. */
static bool join(const struct checker *k, const struct root_note *head, bool *common, const struct root_note *y)
{
	bool left[ROOT_FIXES] = { false }, any = false;
	for (int i = 0; i < head->n_fix; i++)
		for (int j = 0; j < y->n_fix && common[i] && !left[i]; j++)
			any |= left[i] = head->fix[i].where == y->fix[j].where &&
					 same_sync(k, head, &head->fix[i], y, &y->fix[j]);
	if (any)
		memcpy(common, left, sizeof left);
	return any;
}

static bool inside(unsigned space, uint64_t begin, uint64_t end, const struct root_note *n)
{
	return space != SPACE_NONE && space == n->space && begin >= n->begin && end <= n->end;
}

/* A wait for ever, for a set that this group's mistake lost. */
static bool stuck_behind(const struct checker *k, int head, const struct root_note *y)
{
	for (int i = 0; i < k->result.n_finding && y->stuck; i++)
		if (k->result.finding[i].cause == head && k->note[i].id == y->stuck)
			return true;
	return false;
}

/* Undefined bytes that were made, each time, of what a read of this group's races took too early. */
static bool made_early(const struct checker *k, int head, const struct root_note *y)
{
	int known = 0;
	for (int i = 0; i < k->result.n_finding && !y->own; i++)
		for (int e = 0; e < y->n_early; e++)
			known += k->result.finding[i].cause == head && k->note[i].id == y->early[e];
	return known > 0 && known == y->n_early;
}

/* A write that nobody seemed to read because its reader came too early. */
static bool lost_early(const struct checker *k, int head, const struct check_finding *f, const struct root_note *y)
{
	for (int i = 0; i < k->result.n_finding && strcmp(f->code, "never-read") == 0; i++)
		if (k->result.finding[i].cause == head && strcmp(k->result.finding[i].code, "read-after-write") == 0 &&
		    k->note[i].key[0] == y->key[0] && inside(y->space, y->begin, y->end, &k->note[i]))
			return true;
	return false;
}

static void set_hint(struct checker *k, struct check_finding *f, const struct root_note *n)
{
	const struct root_set *set = NULL;
	char line[160];
	for (int i = 0; i < n->n_fix && !set; i++)
		if (n->fix[i].where == n->direct && is_race(f))
			set = set_of(k, &n->fix[i]);
	for (int i = 0; i < k->result.n_finding && set; i++)
		if (k->note[i].lost_set == set->key) {
			const struct core *c = &k->sim->core[f->at.core];
			program_line(c->program, check_site_pc(c, set->site), line, sizeof line);
			line[strcspn(line, ",")] = 0;
			check_say(f->hint, sizeof f->hint,
				  "wait_flag(PIPE_%s, PIPE_%s, id) is missing before the second: the set_flag at %s stands"
				  " behind the first, and no wait takes it",
				  isa_pipe_name((enum isa_pipe)f->other.pipe), isa_pipe_name((enum isa_pipe)f->at.pipe),
				  line[0] ? line : "?");
			return;
		}
}

/* The finding, a head, that i follows from; i when it stands for itself. */
static int head_of(const struct checker *k, int i, bool (*common)[ROOT_FIXES])
{
	const struct check_finding *f = &k->result.finding[i];
	for (int h = 0; h < k->result.n_finding; h++) {
		const struct check_finding *head = &k->result.finding[h];
		if (h == i || head->cause != h || (h > i && (is_race(f) || !is_race(head))) ||
		    (is_race(f) && !is_race(head)))
			continue;
		if ((is_race(f) && same_pair(&k->note[h], &k->note[i])) || made_early(k, h, &k->note[i]) ||
		    stuck_behind(k, h, &k->note[i]) ||
		    lost_early(k, h, f, &k->note[i]) || join(k, &k->note[h], common[h], &k->note[i]))
			return h;
	}
	return i;
}

void root_group(struct checker *k)
{
	struct check_result *r = &k->result;
	bool common[CHECK_FINDINGS][ROOT_FIXES];
	memset(common, true, sizeof common);
	for (int i = 0; i < r->n_finding; i++) {
		struct check_finding *f = &r->finding[i];
		f->cause = i;
		if (strcmp(f->code, "never-read") == 0)
			k->note[i].key[0] = key_of(k, &k->sim->core[f->other.core], f->other.pc);
	}
	/* races say most about what is missing: they are heads before others are */
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < r->n_finding; i++)
			if (is_race(&r->finding[i]) == (pass == 0))
				r->finding[i].cause = head_of(k, i, common);
	for (int i = 0; i < r->n_finding; i++)
		set_hint(k, &r->finding[i], &k->note[i]);
}

void root_free(struct checker *k)
{
	free(k->line_key[0]);
	free(k->line_key[1]);
}
