/*
 * unitflag.c - unit flags between cube and fixpipe: one bit per 512-byte block of L0C.
 *
 *   mad      starts when the bits of the blocks it writes are 0; mode 2 leaves them, mode 3 sets each when it is computed
 *   fixpipe  follows block by block; mode 2 leaves the bits, mode 3 clears them when it has read
 *
 * A mad computes its fractals one after the other, M first or (CTRL[51]) N first; fixpipe reads them N first for ND results
 * and 8-bit ones, else M first, and starts so that it never overtakes. Back from fixpipe to mad a whole instruction is
 * handed over: when a copy to GM reads its last block is only known then. Source: asc-devkit UnitFlag page and sample.
 */
#include "exec.h"
#include "sim.h"

enum { BLOCK_BYTES = 512, FRACTAL_BYTES = 1024, ROW_BYTES = 64 };

unsigned unitflag_mode(const struct op *op)
{
	switch (isa_table[op->insn].form) {
	case FORM_MAD: return (unsigned)mad_unit_flag(op->x[3]);
	case FORM_FIX: return (unsigned)fixt_unit_flag(op->x[3]);
	default: return 0;
	}
}

/* The fractals of an instruction and in which order it goes through them. */
struct walk { uint32_t rows, strips; bool n_first; };

static struct walk walk_of(const struct op *op)
{
	if (op->pipe == PIPE_M)
		return (struct walk){ (uint32_t)(mad_m(op->x[3]) + 15) / 16, (uint32_t)(mad_n(op->x[3]) + 15) / 16,
				      ctrl_bit(op, CTRL_MN_ORDER) };
	bool nd = fixt_nz2nd(op->x[3]), bytes = isa_type_bits(isa_operand_type(op->insn, op->variant, 0)) == 8;
	uint32_t strips = (uint32_t)(fixm_n_size(op->x[2]) + 15) / 16;
	return (struct walk){ (uint32_t)(fixm_m_size(op->x[2]) + 15) / 16,
			      nd ? strips * (uint32_t)ndpara_nd_num(op->spr.nd_para) : strips, nd || bytes };
}

static int64_t place_of(const struct walk *w, uint32_t row, uint32_t strip)
{
	return w->n_first ? (int64_t)row * w->strips + strip : (int64_t)strip * w->rows + row;
}

/* Call fn for every block of L0C that the effect touches with that direction; place: of its fractal in the walk. */
static void each_block(struct core *c, const struct effect *e, bool write, const struct walk *w,
		       void (*fn)(struct unit_flag *f, int64_t place, void *user), void *user)
{
	uint32_t strip = 0;
	for (int i = 0; i < e->n_access; i++) {
		const struct access *a = &e->access[i];
		if (a->space != SPACE_L0C || a->write != write)
			continue;
		bool single_rows = a->unit_bytes <= ROW_BYTES && a->stride[0] == ROW_BYTES; /* an incomplete strip */
		uint64_t strips = (uint64_t)a->n[1] * a->n[2] * (single_rows ? 1 : a->n[0]);
		for (uint64_t s = 0; s < strips; s++) {
			uint64_t i0 = single_rows ? 0 : s % a->n[0], i1 = (single_rows ? s : s / a->n[0]) % a->n[1];
			uint64_t i2 = (single_rows ? s : s / a->n[0]) / a->n[1];
			uint64_t at = a->addr + i0 * (uint64_t)a->stride[0] + i1 * (uint64_t)a->stride[1] +
				      i2 * (uint64_t)a->stride[2];
			uint64_t bytes = single_rows ? (uint64_t)a->n[0] * ROW_BYTES : a->unit_bytes;
			for (uint64_t b = at / BLOCK_BYTES; b <= (at + bytes - 1) / BLOCK_BYTES && b < UNIT_FLAGS; b++) {
				uint64_t into = b * BLOCK_BYTES > at ? b * BLOCK_BYTES - at : 0;
				fn(&c->unit_flag[b], place_of(w, (uint32_t)(into / FRACTAL_BYTES), strip + (uint32_t)s), user);
			}
		}
		strip += (uint32_t)strips;
	}
}

/* Earliest start of somebody who is at fractal `place` after place / n of his cycles. */
struct look { bool want; int64_t ready, cycles, n; };

static void look(struct unit_flag *f, int64_t place, void *user)
{
	struct look *l = user;
	int64_t at = f->set == l->want ? f->at : INT64_MAX;
	if (at != INT64_MAX)
		at -= place * l->cycles / l->n;
	if (at > l->ready)
		l->ready = at;
}

/* Bits change from `from` to `to`, one fractal after the other. */
struct change { bool set; int64_t from, to, n; };

static void change(struct unit_flag *f, int64_t place, void *user)
{
	const struct change *c = user;
	f->set = c->set;
	f->at = c->to == INT64_MAX ? INT64_MAX : c->from + (c->to - c->from) * (place + 1) / c->n;
}

static int64_t fractals(const struct walk *w)
{
	int64_t n = (int64_t)w->rows * w->strips;
	return n > 0 ? n : 1;
}

int64_t unitflag_ready(struct core *c, const struct op *op, const struct effect *e, int64_t cycles)
{
	bool fix = op->pipe == PIPE_FIX;
	struct walk w = walk_of(op);
	struct look l = { fix, 0, fix ? cycles : 0, fractals(&w) };
	if (unitflag_mode(op) == 0)
		return 0;
	each_block(c, e, !fix, &w, look, &l);
	return l.ready;
}

bool unitflag_done(struct sim *s, struct core *c, const struct op *op, const struct effect *e, int64_t now, int64_t from,
		   int64_t to)
{
	bool fix = op->pipe == PIPE_FIX;
	struct walk w = walk_of(op);
	struct change ch = { !fix, from, to, fractals(&w) };
	if (unitflag_mode(op) != 3)
		return true;
	each_block(c, e, !fix, &w, change, &ch);
	/* the other side looks again: at once for the blocks of a mad, when the bits are really over otherwise */
	int64_t look_at = fix && to > now ? to : now;
	return to == INT64_MAX || sim_push(s, look_at, EV_PIPE, (unsigned)c->id, fix ? PIPE_M : PIPE_FIX);
}
