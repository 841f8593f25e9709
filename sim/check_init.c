/*
 * check_init.c - reads of bytes that nothing wrote. A byte is defined, never written, or carried: moved here from one that
 * was never written. Moves carry; what matters is reported: storing to GM, an operand of the vector unit that was never
 * written, a load or store address of the scalar unit.
 */
#include "check_priv.h"

#include <inttypes.h>
#include <string.h>

uint64_t init_first(const uint8_t *p, uint64_t bytes)
{
	uint64_t i = 0;
	/* all bytes are 0 when the first is and each is as the one before: the library compares fastest */
	if (bytes > 1 && p[0] == INIT_DEFINED && memcmp(p, p + 1, bytes - 1) == 0)
		return bytes;
	for (; i + 64 <= bytes; i += 64) {
		uint64_t w[8], any = 0;
		memcpy(w, p + i, 64);
		for (int j = 0; j < 8; j++)
			any |= w[j];
		if (any)
			break;
	}
	while (i < bytes && p[i] == INIT_DEFINED)
		i++;
	return i;
}

void init_set(struct shadow *sh, uint64_t addr, uint64_t bytes, uint8_t value, uint32_t site)
{
	uint64_t off = addr - sh->base;
	if (!sh->init || off > sh->bytes || bytes > sh->bytes - off || bytes == 0)
		return;
	memset(sh->init + off, value, bytes);
	for (uint64_t i = off >> NOTE_SHIFT; i <= (off + bytes - 1) >> NOTE_SHIFT; i++)
		sh->writer[i] = site + 1;
}

void init_reset(struct check_core *kc)
{
	for (int sp = 0; sp < SPACE_COUNT; sp++) {
		struct shadow *sh = &kc->space[sp];
		if (!sh->init)
			continue;
		memset(sh->init, INIT_NEVER, sh->bytes);
		memset(sh->writer, 0, ((sh->bytes >> NOTE_SHIFT) + 2) * sizeof *sh->writer);
	}
	kc->cmpmask_carried = false;
}

/* Site + 1 of the write nearest to a byte, 0 when there is none within 64 KB. */
static uint32_t near_writer(const struct shadow *sh, uint64_t off)
{
	uint64_t at = off >> NOTE_SHIFT, last = (sh->bytes - 1) >> NOTE_SHIFT;
	for (uint64_t d = 0; d < 256; d++) {
		if (d <= at && sh->writer[at - d])
			return sh->writer[at - d];
		if (at + d <= last && sh->writer[at + d])
			return sh->writer[at + d];
	}
	return 0;
}

struct undefined {
	struct shadow *sh;
	uint64_t off, bytes, total;
	bool never;
};

/* Undefined bytes of what an access reads: the first run of them, and how many there are. */
static bool find_undefined(struct checker *k, struct check_core *kc, const struct access *a, struct undefined *u)
{
	struct runs runs;
	uint64_t addr, bytes;
	*u = (struct undefined){ 0 };
	runs_open(&runs, a);
	while (runs_next(&runs, &addr, &bytes)) {
		struct shadow *sh = check_shadow(k, kc, a->space, addr);
		if (!sh || !sh->init)
			continue;
		uint8_t *p = sh->init + (addr - sh->base);
		uint64_t first = init_first(p, bytes), n = 0;
		if (first == bytes)
			continue;
		for (uint64_t i = first; i < bytes; i++) {
			u->total += p[i] != INIT_DEFINED;
			u->never |= p[i] == INIT_NEVER;
		}
		if (u->sh)
			continue;
		while (first + n < bytes && p[first + n] != INIT_DEFINED)
			n++;
		u->sh = sh;
		u->off = addr - sh->base + first;
		u->bytes = n;
	}
	return u->sh != NULL;
}

static void place_text(const struct undefined *u, unsigned space, char *text, size_t size)
{
	if (space == SPACE_GM)
		check_say(text, size, "bytes 0x%" PRIx64 "..0x%" PRIx64 " of %s", u->off, u->off + u->bytes,
			  u->sh->region->name);
	else
		check_say(text, size, "%s 0x%" PRIx64 "..0x%" PRIx64, isa_space_name((enum isa_space)space), u->off,
			  u->off + u->bytes);
}

/* The other side: what carried them here, else who wrote nearest. */
static void blame(struct checker *k, struct core *c, const struct undefined *u, struct check_finding *f)
{
	uint64_t note = u->off >> NOTE_SHIFT;
	uint32_t carried = u->sh->origin[note], near = near_writer(u->sh, u->off);
	bool is_carried = u->sh->init[u->off] == INIT_CARRIED && carried;
	if (!is_carried && !near)
		return;
	check_place_at(k, c, -1, check_site_pc(c, (is_carried ? carried : near) - 1), -1, &f->other);
	f->other.core = c->id;
	check_say(f->other_role, sizeof f->other_role, "%s",
		  is_carried ? "where undefined bytes were first read" : "the last write nearby");
}

static void report(struct checker *k, struct core *c, int pipe, uint64_t pc, int64_t cycle, const char *verb,
		   unsigned space, const struct undefined *u)
{
	char place[128];
	bool fresh;
	struct check_finding *f =
		check_find(k, CHECK_UNDEFINED, u->never ? "never-written" : "undefined-result", c, pc, NULL, 0, &fresh);
	if (f)
		root_undefined(k, f, c, pipe);
	if (!f || !fresh)
		return;
	check_place_at(k, c, pipe, pc, cycle, &f->at);
	place_text(u, space, place, sizeof place);
	blame(k, c, u, f);
	check_say(f->what, sizeof f->what, "%s (pipe %s) %s %s, which %s; %" PRIu64 " such bytes in all", f->at.insn,
		  isa_pipe_name((enum isa_pipe)pipe), verb, place,
		  u->never ? "nothing has written" : "come from bytes that nothing has written", u->total);
	check_say(f->hint, sizeof f->hint, "%s",
		  u->never ? "write the whole range first, or mask the lanes and shorten the lengths that run"
			     " past what is valid"
			   : "follow the bytes from where they were first read");
}

static bool reads_as_operand(const struct op *op)
{
	switch (isa_table[op->insn].form) {
	case FORM_VCOPY:
	case FORM_VBRCB:
	case FORM_VNCHW:
	case FORM_VTRANS:
	case FORM_CCUB:
	case FORM_BCAST:
	case FORM_DMA:
	case FORM_DMAAL: return false;
	default: return op->pipe == PIPE_V;
	}
}

static bool writes_gm(const struct effect *e)
{
	for (int i = 0; i < e->n_access; i++)
		if (e->access[i].write && e->access[i].space == SPACE_GM)
			return true;
	return false;
}

static void define(struct checker *k, struct core *c, const struct op *op, const struct effect *e)
{
	struct check_core *kc = &k->core[c->id];
	struct runs runs;
	uint64_t addr, bytes;
	for (int i = 0; i < e->n_access; i++) {
		if (!e->access[i].write)
			continue;
		runs_open(&runs, &e->access[i]);
		while (runs_next(&runs, &addr, &bytes)) {
			struct shadow *sh = check_shadow(k, kc, e->access[i].space, addr);
			if (sh)
				init_set(sh, addr, bytes, INIT_DEFINED, check_site(c, op->pc));
		}
	}
}

static const char *atomic_verb(const struct op *op)
{
	static const char *const verb[4] = { "adds atomically to", "takes the atomic maximum with",
					     "takes the atomic minimum with", "changes atomically" };
	return verb[op->spr.ctrl >> CTRL_ATOMIC_OP & 3];
}

/* An atomic reads what it writes. */
static void atomic_op(struct checker *k, struct core *c, const struct op *op, const struct effect *e)
{
	struct undefined u;
	for (int i = 0; i < e->n_access; i++)
		if (e->access[i].write && e->access[i].atomic && find_undefined(k, &k->core[c->id], &e->access[i], &u))
			report(k, c, op->pipe, op->pc, k->sim->now, atomic_verb(op), SPACE_GM, &u);
}

void init_op(struct checker *k, struct core *c, const struct op *op, const struct effect *e)
{
	struct check_core *kc = &k->core[c->id];
	struct undefined u;
	bool any = false, to_gm = writes_gm(e), operand = reads_as_operand(op);
	uint32_t origin = 0;
	if (to_gm)
		atomic_op(k, c, op, e);
	for (int i = 0; i < e->n_access; i++) {
		const struct access *a = &e->access[i];
		if (a->write || !find_undefined(k, kc, a, &u))
			continue;
		if (to_gm || (operand && u.never)) {
			report(k, c, op->pipe, op->pc, k->sim->now, to_gm ? "stores to GM" : "reads", a->space, &u);
			define(k, c, op, e);
			return;
		}
		any = true;
		if (!origin)
			origin = u.never ? check_site(c, op->pc) + 1 : u.sh->origin[u.off >> NOTE_SHIFT];
	}
	unsigned form = isa_table[op->insn].form;
	if (form == FORM_VSEL)
		any |= kc->cmpmask_carried;
	if (form == FORM_VCMP || (form == FORM_CMPMASK && !any))
		kc->cmpmask_carried = any;
	if (any || form == FORM_MAD || form == FORM_VGATHER || form == FORM_VGATHERB)
		taint_op(k, c, op, e, origin);
	else
		define(k, c, op, e);
}

void init_scalar(struct checker *k, struct core *c, struct shadow *sh, uint64_t pc, uint64_t addr, unsigned bytes,
		 bool write)
{
	struct undefined u = { .sh = sh, .off = addr - sh->base, .bytes = bytes };
	if (write) {
		init_set(sh, addr, bytes, INIT_DEFINED, check_site(c, pc));
		return;
	}
	uint8_t *p = sh->init + u.off;
	uint64_t first = init_first(p, bytes);
	if (first == bytes)
		return;
	for (unsigned i = 0; i < bytes; i++) {
		u.total += p[i] != INIT_DEFINED;
		u.never |= p[i] == INIT_NEVER;
	}
	report(k, c, PIPE_S, pc, c->scalar.cycle, "loads", sh->region ? SPACE_GM : SPACE_UB, &u);
}
