/*
 * timing.c - cycles of one op from its effect and the chip (design D3: never from values).
 *
 *   |<------- occupy ------->|<- latency ->|        the next op of the pipe may start after occupy;
 *   start                 issue end       end       flags and barriers see `end`
 */
#include "sim.h"
#include "vector.h"

#define MILLI 1000

enum { FRACTAL_BYTES = 512 };

static int64_t div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t bytes_at(int64_t bytes, int64_t rate_milli) { return div_up(bytes * MILLI, rate_milli); }

/* Bits of a compare that end inside a 32-byte block of UB. */
static bool partial_block(const struct effect *e)
{
	for (int i = 0; i < e->n_access; i++)
		if (e->access[i].write && e->access[i].space == SPACE_UB)
			return (uint64_t)e->access[i].unit_bytes * e->access[i].n[0] * e->access[i].n[1] % 32 != 0;
	return false;
}

/* Cycles beside the repeats, in thousandths. */
static int64_t vector_gap(const struct chip *chip, enum isa_time class, bool wide, const struct effect *e)
{
	const struct vector_time *t = &chip->vector_time[class];
	int64_t gap = wide ? t->gap32 : t->gap16, more = e->partial_tail ? chip->vector.count_tail_cycles : 0;
	if (class == TIME_v_gatherb && e->repeats > 0)
		more += (e->repeats - 1) / 8 * chip->vector.offset_fetch_cycles;
	return gap + more * MILLI;
}

/* Cycles that a compare holds up the next instruction, not its own result: its last block of bits is not whole. */
static int64_t flush_cycles(const struct chip *chip, enum isa_time class, const struct effect *e)
{
	if ((class != TIME_v_cmp && class != TIME_v_cmps) || !partial_block(e))
		return 0;
	return class == TIME_v_cmp ? chip->vector.cmp_partial_cycles : chip->vector.cmps_partial_cycles;
}

/* The integer units: a shorter way to the result of a sum or product; a scalar operand (of all but products) costs a slot. */
static void integer_times(const struct chip *chip, enum isa_time class, int64_t *latency, int64_t *least)
{
	bool sum = class == TIME_v_binary || class == TIME_v_adds, product = class == TIME_v_mul || class == TIME_v_muls;
	if (sum || product)
		*latency -= chip->vector.int_less_cycles;
	if (class == TIME_v_adds || class == TIME_v_maxs || class == TIME_v_shift)
		*least = chip->vector.int_scalar_issue_cycles;
}

static struct cost vector_cost(const struct chip *chip, const struct op *op, const struct effect *e)
{
	const struct isa_insn *row = &isa_table[op->insn];
	const struct vector_time *t = &chip->vector_time[row->time];
	enum isa_type source = isa_operand_type(op->insn, op->variant, 1);
	bool wide = e->elem_bytes >= 4;
	int64_t slope = wide ? t->slope32 : t->slope16, least = chip->vector.issue_cycles;
	int64_t latency = div_up(t->head + t->tail, MILLI);
	if (row->time == TIME_v_mac && wide && source == TYPE_F16)
		slope = chip->vector.mac_widen;
	slope = slope * chip->vector.repeat_bytes / chip->vector.bytes_per_cycle;
	if (!vec_is_float(source))
		integer_times(chip, row->time, &latency, &least);
	int64_t gap = vector_gap(chip, row->time, wide, e), flush = flush_cycles(chip, row->time, e);
	int64_t work = div_up(bank_work_milli(chip, e, slope) + gap, MILLI);
	int64_t alone = div_up(slope * e->repeats + gap, MILLI) + flush;
	struct cost c = { .occupy = work + flush > least ? work + flush : least };
	/* a short instruction's own result does not wait for the pipe's next slot */
	c.latency = latency - (c.occupy - work);
	c.latency = c.latency > 0 ? c.latency : 0;
	c.bank = c.occupy - (alone > least ? alone : least);
	return c;
}

/* least: a path that measures show to take at least so long, its issue included; 0 = none */
static struct cost gm_cost(const struct chip *chip, int64_t rate, int64_t latency, int64_t least)
{
	return (struct cost){ .flow = true, .path = { .rate_milli = rate, .request_milli = chip->gm.request_cycles,
		.issue_cycles = least > 0 ? 0 : chip->gm.issue_cycles, .least_cycles = least }, .latency = latency };
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
	struct cost c;
	switch (row->time == TIME_nd2nz ? SPACE_L1 : space_of(e, true)) {
	case SPACE_UB:
		c = gm_cost(chip, chip->gm.to_ub_rate, chip->gm.to_ub_latency_cycles, 0);
		c.path.window_bytes = chip->gm.ub_window_bytes;
		c.path.window_miss_cycles = chip->gm.l2_miss_cycles;
		return c;
	case SPACE_L1:
		c = gm_cost(chip, chip->gm.to_l1_rate, chip->gm.to_l1_latency_cycles, 0);
		if (row->time == TIME_nd2nz)
			c.path.cut = MEM_CUT_ND2NZ;
		break;
	default:
		c = gm_cost(chip, chip->gm.to_l0_rate, chip->gm.to_l0_latency_cycles, chip->gm.to_l0_least_cycles);
	}
	c.path.window_requests = chip->gm.l1_window_requests;
	c.path.window_miss_cycles = chip->gm.l1_window_miss_cycles;
	c.path.cube_granule = chip->gm.l2_cube_granule;
	return c;
}

static struct cost fix_cost(const struct chip *chip, const struct effect *e)
{
	int64_t read = 0, elements = (int64_t)e->macs; /* fixpipe effects carry elements there */
	for (int i = 0; i < e->n_access; i++)
		if (e->access[i].space == SPACE_L0C)
			read += (int64_t)e->access[i].unit_bytes * e->access[i].n[0] * e->access[i].n[1] * e->access[i].n[2];
	int64_t cycles = bytes_at(read, chip->local.fix_read), out = bytes_at(elements, chip->local.fix_elements);
	if (out > cycles)
		cycles = out;
	if (!e->gm.any)
		return (struct cost){ .occupy = cycles, .latency = chip->local.fix_head_cycles };
	struct cost c = gm_cost(chip, chip->gm.fix_out_rate, chip->gm.fix_out_latency_cycles, chip->gm.fix_out_least_cycles);
	c.path.issue_cycles = 0;
	c.path.cut = MEM_CUT_FIXPIPE;
	if (c.path.least_cycles < cycles)
		c.path.least_cycles = cycles;
	return c;
}

/* Right behind a mad of the same tile that is still under way, an accumulating mad starts later. */
static struct cost cube_cost(const struct chip *chip, const struct op *op, const struct effect *e, bool adds, bool behind)
{
	bool f32 = isa_operand_type(op->insn, op->variant, 1) == TYPE_F32;
	int64_t step = f32 ? chip->cube.f32_step_cycles : chip->cube.step_cycles;
	/* HF32 doubles the fp32 rate (CTRL[46]) */
	if (f32 && ctrl_bit(op, CTRL_HF32))
		step /= 2;
	int64_t next = behind ? chip->cube.dependent_cycles : chip->cube.next_cycles;
	int64_t work = next + div_up(e->cube_steps * step, MILLI);
	int64_t occupy = work > chip->cube.issue_cycles ? work : chip->cube.issue_cycles;
	/* as in the vector unit, a short one's result does not wait for the next slot */
	int64_t latency = chip->cube.head_cycles - chip->cube.next_cycles - (occupy - work);
	return (struct cost){ .occupy = occupy, .latency = latency + (adds && !behind ? chip->cube.accumulate_cycles : 0) };
}

/* next: cycles that the pipe is taken beyond the bytes; head: all that an instruction alone takes beyond them */
static struct cost local_cost(const struct chip *chip, int64_t bytes, int64_t rate_milli, int64_t next, int64_t head)
{
	int64_t occupy = next + bytes_at(bytes, rate_milli);
	return (struct cost){ .occupy = occupy > chip->local.issue_cycles ? occupy : chip->local.issue_cycles,
			      .latency = head > next ? head - next : 0 };
}

static struct cost load_cost(const struct chip *chip, int64_t bytes, int64_t rate_milli, int64_t next, int64_t head)
{
	struct cost c = local_cost(chip, bytes, rate_milli, next, head);
	if (c.occupy < chip->local.load_least_cycles)
		c.occupy = chip->local.load_least_cycles;
	return c;
}

/* img2col: a fractal takes the path's rate at stride 1, longer by the rate of L0A for every step of stride more, and a
 * cycle for every turn into the next output row. */
static int64_t load3d_extra(const struct chip *chip, const struct effect *e)
{
	uint32_t s = e->map_stride;
	bool odd = s != 1 && s != 2 && s != 4 && s != 8;
	int64_t stride = odd ? chip->local.load3d_odd_stride : s;
	return bytes_at((int64_t)e->repeats * FRACTAL_BYTES * (stride - 1), chip->local.l1_to_l0a) +
	       (odd ? 0 : e->row_turns * chip->local.load3d_turn_cycles);
}

/* The tile that a mad accumulates into; 0 when it starts from zero or from a bias. Effects list the read of L0C last. */
static uint64_t accumulates(const struct effect *e, uint64_t *writes)
{
	uint64_t reads = UINT64_MAX;
	*writes = UINT64_MAX;
	for (int i = 0; i < e->n_access; i++)
		if (e->access[i].space == SPACE_L0C)
			*(e->access[i].write ? writes : &reads) = e->access[i].addr;
	return reads;
}

struct cost timing_cost(const struct chip *chip, const struct op *op, const struct effect *e, struct timing_state *st,
			bool in_flight)
{
	const struct isa_insn *row = &isa_table[op->insn];
	int64_t bytes = (int64_t)e->bytes;
	struct cost c;
	if (e->nop)
		return (struct cost){ .occupy = 1 };
	switch (row->time) {
	case TIME_mad: {
		uint64_t writes, reads = accumulates(e, &writes);
		bool behind = in_flight && reads == st->l0c_addr && reads != UINT64_MAX;
		st->l0c_addr = writes;
		return cube_cost(chip, op, e, reads != UINT64_MAX, behind);
	}
	case TIME_dma_in:
	case TIME_nd2nz: return gm_in_cost(chip, row, e);
	case TIME_dma_out:
		if (space_of(e, false) == SPACE_UB)
			return gm_cost(chip, chip->gm.ub_out_rate, chip->gm.ub_out_latency_cycles, 0);
		return gm_cost(chip, chip->gm.l1_out_rate, chip->gm.l1_out_latency_cycles, 0);
	case TIME_fixpipe: return fix_cost(chip, e);
	case TIME_load2d:
	case TIME_load3d:
		if (e->gm.any)
			return gm_in_cost(chip, row, e);
		/* what arrives counts, not the index of sparse weights */
		bytes = (int64_t)e->repeats * FRACTAL_BYTES;
		c = load_cost(chip, bytes, space_of(e, true) == SPACE_L0B ? chip->local.l1_to_l0b : chip->local.l1_to_l0a,
			      chip->local.load2d_next_cycles,
			      row->time == TIME_load2d ? chip->local.load2d_head_cycles : chip->local.load3d_head_cycles);
		if (e->map_stride)
			c.occupy += load3d_extra(chip, e);
		return c;
	case TIME_fill: return local_cost(chip, bytes, chip->local.fill, 0, chip->local.fill_head_cycles);
	case TIME_to_bt:
		return local_cost(chip, bytes, chip->local.l1_to_bt, chip->local.bt_next_cycles,
				  chip->local.bt_head_cycles);
	case TIME_to_fb:
		return local_cost(chip, bytes, chip->local.l1_to_fb, chip->local.fb_next_cycles,
				  chip->local.fb_head_cycles);
	case TIME_dma_local:
		return local_cost(chip, bytes, space_of(e, true) == SPACE_L1 ? chip->local.ub_to_l1 : chip->local.l1_to_ub, 0, 0);
	case TIME_v_move:
		if (space_of(e, false) == SPACE_L0C || space_of(e, true) == SPACE_L0C)
			return local_cost(chip, bytes, chip->local.l0c_to_ub, 0, chip->local.ccub_head_cycles);
		return local_cost(chip, bytes, chip->vector.move_bytes_per_cycle, 0, 0);
	case TIME_none:
	case TIME_scalar:
	case TIME_sync:
	case TIME_spr: return (struct cost){ .occupy = 1 };
	default: return vector_cost(chip, op, e);
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
		c->path.rate_milli = c->path.rate_milli * speed / MILLI;
		c->path.request_milli = c->path.request_milli * MILLI / speed;
		c->path.issue_cycles = div_up(c->path.issue_cycles * MILLI, speed);
		c->path.least_cycles = div_up(c->path.least_cycles * MILLI, speed);
	}
}
