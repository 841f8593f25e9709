/*
 * unitflag.c - unit flags between cube and fixpipe: one bit per 512-byte block of L0C.
 *
 *   mad      starts when the bits of the blocks it writes are 0; mode 2 leaves them, mode 3 sets them when it ends
 *   fixpipe  starts when the bits of the blocks it reads are 1; mode 2 leaves them, mode 3 clears them when it has read
 *
 * Source: asc-devkit UnitFlag page. The hardware hands over block by block; here a whole instruction does.
 */
#include "sim.h"

enum { BLOCK_BYTES = 512 };

unsigned unitflag_mode(const struct op *op)
{
	switch (isa_table[op->insn].form) {
	case FORM_MAD: return (unsigned)mad_unit_flag(op->x[3]);
	case FORM_FIX: return (unsigned)fixt_unit_flag(op->x[3]);
	default: return 0;
	}
}

/* Call fn for every block of L0C that the effect touches with that direction. */
static void each_block(struct core *c, const struct effect *e, bool write,
		       void (*fn)(struct unit_flag *f, void *user), void *user)
{
	for (int i = 0; i < e->n_access; i++) {
		const struct access *a = &e->access[i];
		if (a->space != SPACE_L0C || a->write != write)
			continue;
		for (uint32_t i2 = 0; i2 < a->n[2]; i2++)
			for (uint32_t i1 = 0; i1 < a->n[1]; i1++)
				for (uint32_t i0 = 0; i0 < a->n[0]; i0++) {
					uint64_t at = a->addr + (uint64_t)(i0 * a->stride[0] + i1 * a->stride[1] +
									   i2 * a->stride[2]);
					for (uint64_t b = at / BLOCK_BYTES; b <= (at + a->unit_bytes - 1) / BLOCK_BYTES; b++)
						if (b < UNIT_FLAGS)
							fn(&c->unit_flag[b], user);
				}
	}
}

struct look { bool want; int64_t ready; };

static void look(struct unit_flag *f, void *user)
{
	struct look *l = user;
	int64_t at = f->set == l->want ? f->at : INT64_MAX;
	if (at > l->ready)
		l->ready = at;
}

struct change { bool set; int64_t at; };

static void change(struct unit_flag *f, void *user)
{
	const struct change *c = user;
	f->set = c->set;
	f->at = c->at;
}

int64_t unitflag_ready(struct core *c, const struct op *op, const struct effect *e)
{
	bool fix = op->pipe == PIPE_FIX;
	struct look l = { fix, 0 };
	if (unitflag_mode(op) == 0)
		return 0;
	each_block(c, e, !fix, look, &l);
	return l.ready;
}

bool unitflag_done(struct sim *s, struct core *c, const struct op *op, const struct effect *e, int64_t now, int64_t at)
{
	bool fix = op->pipe == PIPE_FIX;
	struct change ch = { !fix, at };
	if (unitflag_mode(op) != 3)
		return true;
	each_block(c, e, !fix, change, &ch);
	/* the other side looks again when the bits are really over */
	return at == INT64_MAX || sim_push(s, at > now ? at : now, EV_PIPE, (unsigned)c->id, fix ? PIPE_M : PIPE_FIX);
}
