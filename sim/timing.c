/*
 * timing.c - cycles of one op from its effect and the chip (design D3: never from values).
 *
 *   |<------- occupy ------->|<- latency ->|        the next op of the pipe may start after occupy;
 *   start                 issue end       end       flags and barriers see `end`
 */
#include "sim.h"

#define MILLI 1000

static int64_t div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t bytes_at(int64_t bytes, int64_t rate_milli) { return div_up(bytes * MILLI, rate_milli); }

/* Blocks that a vector instruction touches in one repeat, as addresses in 32-byte rows. */
struct rows { int n; bool write; uint32_t row[64]; };

static void repeat_rows(const struct access *a, uint32_t repeat, struct rows *r)
{
	r->n = 0;
	r->write = a->write;
	uint64_t base = a->addr + (uint64_t)((int64_t)repeat * a->stride[1]);
	for (uint32_t b = 0; b < a->n[0] && r->n < 64; b++) {
		uint64_t at = base + (uint64_t)((int64_t)b * a->stride[0]);
		r->row[r->n++] = (uint32_t)(at / 32);
	}
}

/* Distinct rows of all operands of one direction that fall into the fullest bank group: cycles to move them, since a
 * group moves one row per cycle and the same row is fetched once (source: asc-devkit, bank conflict pages). */
static int64_t group_cycles(const struct rows *r, int n, bool write, int64_t groups)
{
	int count[64] = { 0 }, most = 0;
	for (int i = 0; i < n; i++) {
		if (r[i].write != write)
			continue;
		for (int k = 0; k < r[i].n; k++) {
			bool seen = false;
			for (int j = 0; j <= i && !seen; j++) {
				int end = j == i ? k : r[j].n;
				for (int l = 0; l < end && !seen; l++)
					seen = r[j].write == write && r[j].row[l] == r[i].row[k];
			}
			if (seen)
				continue;
			int g = (int)(r[i].row[k] % groups);
			if (++count[g] > most)
				most = count[g];
		}
	}
	return most ? most : 1;
}

static int64_t bank_of(const struct chip *c, uint32_t row)
{
	int64_t groups = c->buffers.ub_bank_groups;
	int64_t bank = (int64_t)row * 32 / (groups * c->buffers.ub_bank_bytes);
	return bank * groups + row % groups;
}

/* A write meets a read in a bank, unless both operands start in the same bank phase: then the write runs one repeat
 * behind and nothing is lost (measured: asc-devkit bank_conflict_ub, cases 4 to 6). */
static bool write_meets_read(const struct chip *c, const struct rows *r, int n)
{
	for (int w = 0; w < n; w++) {
		if (!r[w].write || r[w].n == 0)
			continue;
		for (int s = 0; s < n; s++) {
			if (r[s].write || r[s].n == 0 || bank_of(c, r[s].row[0]) == bank_of(c, r[w].row[0]))
				continue;
			for (int i = 0; i < r[w].n; i++)
				for (int k = 0; k < r[s].n; k++)
					if (bank_of(c, r[w].row[i]) == bank_of(c, r[s].row[k]))
						return true;
		}
	}
	return false;
}

/* Thousandths of a cycle that bank conflicts add over all repeats, on top of one cycle per repeat. The pattern of a
 * repeat depends on addresses modulo the groups, so it recurs after at most `groups` repeats. */
static int64_t bank_extra(const struct chip *chip, const struct effect *e)
{
	int64_t groups = chip->buffers.ub_bank_groups, sum = 0, period[64];
	uint32_t n_period = e->repeats < groups ? e->repeats : (uint32_t)groups;
	bool steady = true;
	const struct access *ub[EFFECT_ACCESSES];
	int n = 0;
	for (int i = 0; i < e->n_access; i++)
		if (e->access[i].space == SPACE_UB && e->access[i].unit_bytes <= 32 && e->access[i].n[2] == 1)
			ub[n++] = &e->access[i];
	for (int i = 1; i < n; i++)
		steady &= (ub[i]->stride[1] - ub[0]->stride[1]) % (32 * groups) == 0;
	if (steady && n_period > 1)
		n_period = 1;
	for (uint32_t r = 0; r < n_period; r++) {
		struct rows rows[EFFECT_ACCESSES] = { { 0 } };
		for (int i = 0; i < n; i++)
			repeat_rows(ub[i], r, &rows[i]);
		int64_t rd = group_cycles(rows, n, false, groups), wr = group_cycles(rows, n, true, groups);
		period[r] = (rd > wr ? rd : wr) * MILLI;
		if (period[r] < chip->vector.rw_conflict_milli && write_meets_read(chip, rows, n))
			period[r] = chip->vector.rw_conflict_milli;
	}
	for (uint32_t r = 0; r < e->repeats && n_period; r++)
		sum += period[r % n_period] - MILLI;
	return sum;
}

static struct cost vector_cost(const struct chip *chip, const struct isa_insn *row, const struct effect *e)
{
	const struct vector_time *t = &chip->vector_time[row->time];
	int64_t slope = e->elem_bytes >= 4 ? t->slope32 : t->slope16;
	int64_t extra = bank_extra(chip, e), work = slope * e->repeats;
	/* a slope above one cycle hides conflicts of its own length */
	int64_t hidden = work - (int64_t)e->repeats * MILLI;
	extra = hidden > 0 ? (extra > hidden ? extra - hidden : 0) : extra;
	int64_t tail = e->partial_tail ? chip->vector.count_tail_cycles * MILLI : 0;
	int64_t plain = div_up(t->head + work + tail, MILLI);
	struct cost c = { .occupy = div_up(t->head + work + tail + extra, MILLI), .latency = div_up(t->tail, MILLI) };
	c.bank = c.occupy - plain;
	return c;
}

/* Bytes to charge for the pieces of a GM transfer: whole granules, and no piece faster than burst_cycles. */
static int64_t gm_volume(const struct chip *chip, const struct gm_transfer *t, int64_t rate_milli)
{
	int64_t g = chip->gm.granule, volume = 0, at_least;
	bool same_phase = t->burst_pitch % g == 0;
	for (uint32_t b = 0; b < t->n_burst; b++) {
		uint64_t at = t->addr + (uint64_t)((int64_t)b * t->burst_pitch);
		int64_t span = (int64_t)((at + t->burst_bytes + (uint64_t)g - 1) / (uint64_t)g - at / (uint64_t)g) * g;
		if (same_phase || t->burst_pitch == t->burst_bytes) {
			volume = t->burst_pitch == t->burst_bytes ? (int64_t)t->bytes : span * t->n_burst;
			break;
		}
		volume += span;
	}
	at_least = div_up(t->n_burst * chip->gm.burst_cycles * rate_milli, (int64_t)MILLI * MILLI);
	return volume > at_least ? volume : at_least;
}

static struct cost gm_cost(const struct chip *chip, const struct effect *e, int64_t rate, int64_t latency)
{
	struct cost c = { .flow = true, .rate_milli = rate, .latency = latency };
	c.volume_bytes = gm_volume(chip, &e->gm, rate);
	return c;
}

static enum isa_space space_of(const struct effect *e, bool write)
{
	for (int i = 0; i < e->n_access; i++)
		if (e->access[i].write == write)
			return e->access[i].space;
	return SPACE_NONE;
}

static struct cost gm_in_cost(const struct chip *chip, const struct isa_insn *row, const struct effect *e)
{
	if (row->time == TIME_nd2nz)
		return gm_cost(chip, e, chip->gm.nd2nz_rate, chip->gm.nd2nz_latency_cycles);
	switch (space_of(e, true)) {
	case SPACE_UB: return gm_cost(chip, e, chip->gm.to_ub_rate, chip->gm.to_ub_latency_cycles);
	case SPACE_L1: return gm_cost(chip, e, chip->gm.to_l1_rate, chip->gm.to_l1_latency_cycles);
	default: return gm_cost(chip, e, chip->gm.to_l0_rate, chip->gm.to_l0_latency_cycles);
	}
}

static struct cost fix_cost(const struct chip *chip, const struct effect *e)
{
	int64_t read = 0, elements = e->macs; /* fixpipe effects carry elements there */
	for (int i = 0; i < e->n_access; i++)
		if (e->access[i].space == SPACE_L0C)
			read += (int64_t)e->access[i].unit_bytes * e->access[i].n[0] * e->access[i].n[1] * e->access[i].n[2];
	int64_t cycles = bytes_at(read, chip->local.fix_read), out = bytes_at(elements, chip->local.fix_elements);
	if (out > cycles)
		cycles = out;
	if (!e->gm.any)
		return (struct cost){ .occupy = cycles, .latency = chip->local.fix_head_cycles };
	struct cost c = gm_cost(chip, e, chip->gm.fix_out_rate, chip->gm.fix_out_latency_cycles);
	int64_t at_least = cycles * c.rate_milli / MILLI;
	if (c.volume_bytes < at_least)
		c.volume_bytes = at_least;
	return c;
}

static struct cost cube_cost(const struct chip *chip, const struct op *op, const struct effect *e)
{
	bool f32 = isa_operand_type(op->insn, op->variant, 1) == TYPE_F32;
	int64_t step = f32 ? chip->cube.f32_step_cycles : chip->cube.step_cycles;
	/* HF32 doubles the fp32 rate (CTRL[46]) */
	if (f32 && ctrl_bit(op, CTRL_HF32))
		step /= 2;
	return (struct cost){ .occupy = chip->cube.next_cycles + div_up(e->cube_steps * step, MILLI),
			      .latency = chip->cube.head_cycles - chip->cube.next_cycles };
}

static struct cost local_cost(int64_t bytes, int64_t rate_milli, int64_t next, int64_t head)
{
	return (struct cost){ .occupy = next + bytes_at(bytes, rate_milli), .latency = head > next ? head - next : 0 };
}

struct cost timing_cost(const struct chip *chip, const struct op *op, const struct effect *e)
{
	const struct isa_insn *row = &isa_table[op->insn];
	int64_t bytes = (int64_t)e->bytes;
	if (e->nop)
		return (struct cost){ .occupy = 1 };
	switch (row->time) {
	case TIME_mad: return cube_cost(chip, op, e);
	case TIME_dma_in:
	case TIME_nd2nz: return gm_in_cost(chip, row, e);
	case TIME_dma_out:
		if (space_of(e, false) == SPACE_UB)
			return gm_cost(chip, e, chip->gm.ub_out_rate, chip->gm.ub_out_latency_cycles);
		return gm_cost(chip, e, chip->gm.l1_out_rate, chip->gm.l1_out_latency_cycles);
	case TIME_fixpipe: return fix_cost(chip, e);
	case TIME_load2d:
	case TIME_load3d:
		if (e->gm.any)
			return gm_in_cost(chip, row, e);
		return local_cost(bytes, space_of(e, true) == SPACE_L0B ? chip->local.l1_to_l0b : chip->local.l1_to_l0a,
				  chip->local.load2d_next_cycles,
				  row->time == TIME_load2d ? chip->local.load2d_head_cycles
							   : chip->local.load3d_head_cycles);
	case TIME_fill: return local_cost(bytes, chip->local.fill, 0, chip->local.fill_head_cycles);
	case TIME_to_bt: return local_cost(bytes, chip->local.l1_to_bt, 0, chip->local.bt_head_cycles);
	case TIME_to_fb: return local_cost(bytes, chip->local.l1_to_fb, 0, chip->local.fb_head_cycles);
	case TIME_dma_local:
		return local_cost(bytes, space_of(e, true) == SPACE_L1 ? chip->local.ub_to_l1 : chip->local.l1_to_ub, 0, 0);
	case TIME_v_move:
		if (space_of(e, false) == SPACE_L0C || space_of(e, true) == SPACE_L0C)
			return local_cost(bytes, chip->local.l0c_to_ub, 0, chip->local.ccub_head_cycles);
		return local_cost(bytes, chip->vector.move_bytes_per_cycle, 0, 0);
	case TIME_none:
	case TIME_scalar:
	case TIME_sync:
	case TIME_spr: return (struct cost){ .occupy = 1 };
	default: return vector_cost(chip, row, e);
	}
}

/* A machine that is not: a pipe faster by a factor, or one that takes no time to speak of. */
void timing_what_if(const struct what_if *w, int pipe, struct cost *c)
{
	int64_t speed = w->speed[pipe];
	if (w->no_bank_conflicts && !c->flow) {
		c->occupy -= c->bank;
		c->bank = 0;
	}
	if (speed == INT64_MAX) {
		*c = (struct cost){ .occupy = 1 };
	} else if (speed > 0) {
		c->occupy = div_up(c->occupy * MILLI, speed);
		c->bank = c->bank * MILLI / speed;
		c->latency = div_up(c->latency * MILLI, speed);
		c->rate_milli = c->rate_milli * speed / MILLI;
	}
}
