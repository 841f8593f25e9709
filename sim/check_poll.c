/*
 * check_poll.c - order between cores by polling on GM: a core writes a word and makes it visible (dcci, st_dev, a copy out),
 * another reads it in a loop until it is there. Whoever sees it knows what the writer knew.
 *
 *   small write to GM --> a note with what its core knew;   polling read that can see it --> joins what the note says
 *
 * Polling reads are no accesses of data: they race with nothing. A copy to UB in a polling loop (check_loop.c) is one only
 * when the scalar unit then loads what it brought; else it is looked at as any other, as soon as that shows.
 */
#include "check_priv.h"

#include <stdlib.h>
#include <string.h>

enum { NOTES = 8192, PROBES = 8, SMALL_BYTES = 64, WORD = 4 };

/* A word of GM that was written by a small write. */
struct poll_note {
	uint64_t word;      /* address / WORD + 1; 0 = free */
	uint64_t stamp;     /* of the write */
	uint32_t *vector;   /* what its core knew, [core * SLOTS + slot] */
};

bool poll_begin(struct checker *k)
{
	for (int i = 0; i < 2; i++)
		if (!poll_find(k->sim->program[i], &k->poll_mark[i]))
			return false;
	if (!k->poll_mark[0] && !k->poll_mark[1])
		return true;
	k->poll = calloc(NOTES, sizeof *k->poll);
	return k->poll != NULL;
}

void poll_free(struct checker *k)
{
	for (int i = 0; k->poll && i < NOTES; i++)
		free(k->poll[i].vector);
	free(k->poll);
	free(k->poll_mark[0]);
	free(k->poll_mark[1]);
}

unsigned poll_kind(const struct checker *k, const struct core *c, uint64_t pc)
{
	const uint8_t *mark = k->poll_mark[c->program == k->sim->program[1]];
	return mark ? mark[check_site(c, pc)] : 0;
}

static struct poll_note *find(struct checker *k, uint64_t addr, bool make)
{
	uint64_t word = addr / WORD + 1, at = word * UINT64_C(0x9e3779b97f4a7c15) >> 40;
	struct poll_note *old = NULL;
	for (int i = 0; i < PROBES; i++) {
		struct poll_note *n = &k->poll[(at + (uint64_t)i) % NOTES];
		if (n->word == word)
			return n;
		if (!old || n->stamp < old->stamp)
			old = n; /* free ones are oldest */
	}
	if (!make)
		return NULL;
	old->word = word;
	if (old->vector)
		memset(old->vector, 0, (size_t)k->n_core * SLOTS * sizeof *old->vector);
	return old;
}

/* A small write to GM by a core that knows `own` (and far, of others). joins: it adds to what the word says already. */
void poll_write(struct checker *k, struct core *c, const struct clock *own, uint64_t addr, uint64_t bytes, bool joins)
{
	const uint32_t *far = clock_remote(&k->core[c->id], own->remote);
	size_t n = (size_t)k->n_core * SLOTS;
	if (!k->poll || bytes > SMALL_BYTES)
		return;
	k->poll_stamp++;
	for (uint64_t a = addr; a < addr + bytes; a = (a / WORD + 1) * WORD) {
		struct poll_note *note = find(k, a, true);
		note->stamp = k->poll_stamp;
		if (!note->vector && !(note->vector = calloc(n, sizeof *note->vector))) {
			k->broken = true;
			return;
		}
		if (!joins)
			memcpy(note->vector, far, n * sizeof *far);
		for (size_t i = 0; joins && i < n; i++)
			note->vector[i] = far[i] > note->vector[i] ? far[i] : note->vector[i];
		uint32_t *mine = note->vector + (size_t)c->id * SLOTS;
		for (int q = 0; q < SLOTS; q++)
			mine[q] = own->t[q] > mine[q] ? own->t[q] : mine[q];
	}
}

/* The scalar unit of c sees words of GM as they were at `stamp`. */
void poll_see(struct checker *k, struct core *c, uint64_t addr, uint64_t bytes, uint64_t stamp)
{
	for (uint64_t a = addr; k->poll && a < addr + bytes; a = (a / WORD + 1) * WORD) {
		const struct poll_note *note = find(k, a, false);
		if (note && note->stamp <= stamp)
			clock_hear(k, c, note->vector);
	}
}

/* A copy from GM in a polling loop has started: wait and see. */
void poll_copy(struct checker *k, struct core *c, const struct race *r, const struct access *gm)
{
	struct poll_pending *p = &k->core[c->id].pending;
	poll_settle(k, c);
	*p = (struct poll_pending){ .waits = true, .race = *r, .clock = *r->clock, .gm = *gm, .stamp = k->poll_stamp };
	p->race.fate = NULL;
}

/* The scalar unit loads a byte of UB that `writer` wrote last. */
void poll_loaded(struct checker *k, struct core *c, epoch writer)
{
	struct poll_pending *p = &k->core[c->id].pending;
	struct runs runs;
	uint64_t addr, bytes;
	if (!p->waits || writer != p->race.me)
		return;
	p->waits = false;
	runs_open(&runs, &p->gm);
	while (runs_next(&runs, &addr, &bytes))
		poll_see(k, c, addr, bytes, p->stamp);
}

/* Does the op of `r` write GM, ordered behind the copy that may have polled? Then what that read is to be looked at before. */
bool poll_is_before(const struct race *r, const struct effect *e)
{
	const struct poll_pending *p = &r->kc->pending;
	bool writes = false;
	for (int i = 0; i < e->n_access; i++)
		writes |= e->access[i].write && e->access[i].space == SPACE_GM;
	return p->waits && writes && clock_knows(r->k, (unsigned)r->c->id, r->clock, p->race.me);
}

/* Nobody asked for what the last copy brought: it was one like others. */
void poll_settle(struct checker *k, struct core *c)
{
	struct poll_pending *p = &k->core[c->id].pending;
	if (!p->waits)
		return;
	p->waits = false;
	p->race.clock = &p->clock;
	race_access(&p->race, &p->gm);
}
