/*
 * system.c - Da Vinci instructions that the scalar unit executes itself: special registers, CTRL bits, caches, traps.
 */
#include "check.h"

#include <string.h>

static void set_bits(uint64_t *reg, int lsb, int width, uint64_t value)
{
	uint64_t mask = ((UINT64_C(1) << width) - 1) << lsb;
	*reg = (*reg & ~mask) | (value << lsb & mask);
}

static bool done(struct sim *s, struct core *c, const struct op *op, bool has_value, uint64_t value)
{
	s->insn_count[op->insn]++;
	s->ops++;
	scalar_skip(&c->scalar, has_value, value);
	c->scalar.cycle += s->chip->scalar.spr_cycles;
	return true;
}

static bool write_register(struct sim *s, struct core *c, const struct op *op)
{
	struct spr *spr = &c->spr;
	uint64_t v = op->x[1];
	switch (op->insn) {
	case INSN_set_vector_mask: spr->mask_hi = v; spr->mask_lo = op->x[2]; break;
	case INSN_set_ctrl: spr->ctrl = v; break;
	case INSN_set_nd_para: spr->nd_para = v; break;
	case INSN_set_quant_pre: spr->quant_pre = v; break;
	case INSN_set_fpc: spr->fpc = v; break;
	case INSN_set_fmatrix: spr->fmatrix = v; break;
	case INSN_set_fmatrix_b: spr->fmatrix_b = v; break;
	case INSN_set_l3d_rpt: spr->l3d_rpt = v; break;
	case INSN_set_l1_3d_size: spr->l3d_size = v; break;
	case INSN_set_padding: spr->padding = v; break;
	case INSN_set_mov_pad_val: spr->mov_pad_val = v; break;
	case INSN_set_lrelu_alpha: spr->lrelu_alpha = v; break;
	case INSN_set_deqscale: spr->deqscale = v; break;
	case INSN_set_ffts_base_addr: spr->ffts_base = v; break;
	default:
		return sim_fail(s, c, FAIL_INTERNAL, op->pc, PIPE_S, "no register behind %s", isa_table[op->insn].name);
	}
	return done(s, c, op, false, 0);
}

static bool change_ctrl(struct sim *s, struct core *c, const struct op *op)
{
	uint64_t *ctrl = &c->spr.ctrl;
	switch (op->insn) {
	case INSN_set_mask_count: set_bits(ctrl, CTRL_COUNTER, 1, 1); break;
	case INSN_set_mask_norm: set_bits(ctrl, CTRL_COUNTER, 1, 0); break;
	case INSN_set_atomic_none: set_bits(ctrl, CTRL_ATOMIC_TYPE, 3, 0); break;
	case INSN_set_atomic_f32: set_bits(ctrl, CTRL_ATOMIC_TYPE, 3, 1); break;
	case INSN_set_atomic_f16: set_bits(ctrl, CTRL_ATOMIC_TYPE, 3, 2); break;
	case INSN_set_atomic_s16: set_bits(ctrl, CTRL_ATOMIC_TYPE, 3, 3); break;
	case INSN_set_atomic_s32: set_bits(ctrl, CTRL_ATOMIC_TYPE, 3, 4); break;
	case INSN_set_atomic_s8: set_bits(ctrl, CTRL_ATOMIC_TYPE, 3, 5); break;
	case INSN_set_atomic_bf16: set_bits(ctrl, CTRL_ATOMIC_TYPE, 3, 6); break;
	case INSN_set_atomic_add: set_bits(ctrl, CTRL_ATOMIC_OP, 2, 0); break;
	case INSN_set_atomic_max: set_bits(ctrl, CTRL_ATOMIC_OP, 2, 1); break;
	case INSN_set_atomic_min: set_bits(ctrl, CTRL_ATOMIC_OP, 2, 2); break;
	default:
		return sim_fail(s, c, FAIL_INTERNAL, op->pc, PIPE_S, "no CTRL bits behind %s", isa_table[op->insn].name);
	}
	return done(s, c, op, false, 0);
}

static bool read_register(struct sim *s, struct core *c, const struct op *op)
{
	uint64_t v;
	switch (op->insn) {
	case INSN_get_block_idx: v = (uint64_t)c->block; break;
	case INSN_get_block_num: v = (uint64_t)s->blocks; break;
	case INSN_get_subblockid: v = (uint64_t)c->sub; break;
	case INSN_get_subblockdim: v = s->group_size == 3 ? 2 : 1; break;
	case INSN_get_coreid: v = (uint64_t)c->id; break;
	case INSN_get_sys_cnt:
		v = (uint64_t)(c->scalar.cycle * s->chip->clock.sys_cnt_mhz / s->chip->clock.core_mhz);
		break;
	case INSN_get_ctrl: v = c->spr.ctrl; break;
	case INSN_get_fpc: v = c->spr.fpc; break;
	case INSN_get_vms4_sr: v = c->mem.vms4_sr; break;
	case INSN_get_rsvd_cnt: v = c->mem.rsvd_cnt; break;
	case INSN_get_acc_val: v = c->mem.acc_val; break;
	case INSN_get_max_min_cnt: v = c->mem.max_min_cnt; break;
	case INSN_get_ffts_base_addr: v = c->spr.ffts_base; break;
	case INSN_get_arch_ver: v = s->chip->arch == ARCH_C100 ? 1001 : s->chip->arch == ARCH_M200 ? 2002 : 2201; break;
	case INSN_get_pc: v = op->pc; break;
	default:
		return sim_fail(s, c, FAIL_INTERNAL, op->pc, PIPE_S, "no register behind %s", isa_table[op->insn].name);
	}
	return done(s, c, op, true, v);
}

/* dcci(address, line or everything, clean target): write dirty data back and drop it. */
static bool cache_control(struct sim *s, struct core *c, const struct op *op)
{
	bool all = op->x[2] & 1, ok = true;
	if (op->insn == INSN_dcci)
		ok = all ? scalar_cache_all(&c->scalar, true, true, &s->fail)
			 : scalar_cache_line(&c->scalar, op->x[1], true, true, &s->fail);
	if (!ok) {
		sim_place(s, c, op->pc, PIPE_S, &s->fail);
		return false;
	}
	return done(s, c, op, false, 0);
}

bool system_execute(struct sim *s, struct core *c, const struct op *op, uint32_t raw)
{
	(void)raw;
	switch (isa_table[op->insn].form) {
	case FORM_SPRSET: return write_register(s, c, op);
	case FORM_CTRLBITS: return change_ctrl(s, c, op);
	case FORM_SPRGET: return read_register(s, c, op);
	case FORM_CACHE: return cache_control(s, c, op);
	case FORM_DSB:
		if (s->options.check)
			check_dsb(s->options.check, c);
		return done(s, c, op, false, 0);
	case FORM_TRAP:
		return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S, "the kernel called trap (code %lld)", (long long)op->x[1]);
	default:
		return sim_fail(s, c, FAIL_MODEL, op->pc, PIPE_S, "%s is not modelled", isa_table[op->insn].name);
	}
}
