/*
 * counters.c - what is counted of every instruction that does work: bytes by memory and path, results and cycles by element
 * type. Reports, traces and the vendor's metric tables are made of these.
 */
#include "sim.h"

/* How many of the first `lanes` lanes of a mask are on. */
static uint64_t lanes_on(const uint64_t mask[2], uint64_t lanes)
{
	uint64_t low = lanes >= 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
	uint64_t high = lanes >= 128 ? UINT64_MAX : lanes > 64 ? (UINT64_C(1) << (lanes - 64)) - 1 : 0;
	return (uint64_t)(__builtin_popcountll(mask[0] & low) + __builtin_popcountll(mask[1] & high));
}

/* Bytes of the lanes that an access touches in all its repeats. */
static uint64_t masked_bytes(const struct access *a, uint64_t lanes)
{
	uint64_t repeats = (uint64_t)a->n[1] * a->n[2], on = lanes_on(a->mask, lanes);
	if (a->tail_lanes)
		return (on * (repeats - 1) + lanes_on(a->mask, a->tail_lanes)) * a->elem_bytes;
	return on * repeats * a->elem_bytes;
}

static uint64_t access_bytes(const struct access *a)
{
	uint64_t lanes = a->elem_bytes ? (uint64_t)a->n[0] * a->unit_bytes / a->elem_bytes : 0;
	if (a->masked && a->elem_bytes)
		return masked_bytes(a, lanes);
	if (a->tail_lanes && a->tail_lanes < lanes)
		return ((uint64_t)(a->n[1] - 1) * lanes + a->tail_lanes) * a->elem_bytes;
	return (uint64_t)a->unit_bytes * a->n[0] * a->n[1] * a->n[2];
}

static enum work_class class_of(enum isa_type t)
{
	switch (t) {
	case TYPE_F16:
	case TYPE_BF16: return WORK_F16;
	case TYPE_F32: return WORK_F32;
	case TYPE_S16:
	case TYPE_U16: return WORK_S16;
	case TYPE_S32:
	case TYPE_U32: return WORK_S32;
	case TYPE_S4:
	case TYPE_S8:
	case TYPE_U8: return WORK_S8;
	default: return WORK_OTHER;
	}
}

/* Does the vector unit calculate, rather than move, convert or sort? */
static bool computes(enum isa_time t)
{
	return (t >= TIME_v_binary && t <= TIME_v_axpy) || (t >= TIME_v_reduce && t <= TIME_v_cmps) || t == TIME_v_logic;
}

static void count_vector(struct core *c, const struct op *op, const struct effect *e, const struct cost *cost)
{
	enum isa_time time = (enum isa_time)isa_table[op->insn].time;
	enum isa_type type = isa_operand_type(op->insn, op->variant, 1);
	struct work_stats *w = &c->stats.vector[computes(time) ? class_of(type) : WORK_OTHER];
	uint64_t read = 0;
	for (int i = 0; i < e->n_access; i++)
		if (!e->access[i].write && read == 0)
			read = access_bytes(&e->access[i]);
	c->stats.vector_repeats += e->repeats;
	w->ops++;
	w->cycles += cost->occupy;
	/* one operation per element of the first source: a reduction has fewer results */
	w->elements += isa_type_bits(type) ? read * 8 / isa_type_bits(type) : 0;
}

static void count_cube(struct core *c, const struct op *op, const struct effect *e, const struct cost *cost)
{
	enum isa_type type = isa_operand_type(op->insn, op->variant, 1);
	struct work_stats *w = &c->stats.cube[class_of(type)];
	c->stats.macs += e->macs;
	c->stats.cube_steps[type == TYPE_F32] += e->cube_steps;
	w->ops++;
	w->cycles += cost->occupy;
	w->elements += e->macs;
}

void counters_op(struct core *c, const struct op *op, const struct effect *e, const struct cost *cost)
{
	enum isa_space from = SPACE_NONE, to = SPACE_NONE;
	for (int i = e->n_access - 1; i >= 0; i--) {
		const struct access *a = &e->access[i];
		*(a->write ? &to : &from) = (enum isa_space)a->space;
		c->stats.touched[op->pipe][a->space][a->write] += access_bytes(a);
	}
	if (op->pipe == PIPE_M) {
		count_cube(c, op, e, cost);
		return;
	}
	if (op->pipe == PIPE_V)
		count_vector(c, op, e, cost);
	c->stats.path_bytes[from][to] += e->bytes;
}
