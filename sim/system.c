/*
 * system.c - Da Vinci instructions that the scalar unit executes itself: special registers, CTRL bits, caches, traps.
 */
#include "check.h"
#include "num.h"

#include <inttypes.h>
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
	case INSN_set_l0_set_value_h:
	case INSN_set_l0_set_value_bf16: spr->l0_value = v & 0xffff; break;
	case INSN_set_condition_flag: c->regs.condition_flag = v; break;
	case INSN_set_lpcnt: c->regs.lpcnt = v; break;
	case INSN_set_st_atomic_cfg: c->regs.st_atomic_cfg = v; break;
	case INSN_set_pcie_rd_ctrl: c->regs.pcie_rd_ctrl = v; break;
	case INSN_set_data_exp_0:
	case INSN_set_data_exp_1:
	case INSN_set_data_exp_2:
	case INSN_set_data_exp_3: c->regs.data_exp[op->insn - INSN_set_data_exp_0] = v; break;
	default:
		if (op->insn >= INSN_set_aipp_spr_0 && op->insn <= INSN_set_aipp_spr_24) {
			spr->aipp[op->insn - INSN_set_aipp_spr_0] = v;
			break;
		}
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

/* Rows of data_exp and aipp follow each other in the table. */
_Static_assert(INSN_set_data_exp_3 == INSN_set_data_exp_0 + 3, "order of rows");
_Static_assert(INSN_set_aipp_spr_24 == INSN_set_aipp_spr_0 + 24, "order of rows");

/* The kernel's arguments as 8-byte words in GM, where get_para_base points; made when a kernel first asks. */
#define PARA_BASE GM_PARA

static bool para_base(struct sim *s, uint64_t *addr)
{
	*addr = PARA_BASE;
	if (gm_find(&s->gm, PARA_BASE, 1))
		return true;
	struct gm_region *g = gm_add(&s->gm, "kernel arguments", PARA_BASE, SIM_ARGS * 8, false, false, &s->fail);
	if (!g)
		return false;
	memcpy(g->host, s->arg, (size_t)s->n_arg * 8);
	return true;
}

/* Lowest address of a region of this core by name; 0 when there is none. */
static uint64_t region_base(const struct sim *s, const char *name)
{
	for (int i = 0; i < s->gm.n_region; i++)
		if (strcmp(s->gm.region[i].name, name) == 0)
			return s->gm.region[i].addr;
	return 0;
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
	case INSN_get_condition_flag: v = c->regs.condition_flag; break;
	case INSN_get_lpcnt: v = c->regs.lpcnt; break;
	case INSN_get_st_atomic_cfg: v = c->regs.st_atomic_cfg; break;
	case INSN_get_thread_dim: v = 1; break;
	case INSN_get_status:
	case INSN_get_icache_prl_st:
	case INSN_get_thread_id:
	case INSN_get_l2_in_main:
	case INSN_get_l2_vaddr_base:
	case INSN_get_smmu_tag_ver: v = 0; break; /* the table's rows say why */
	case INSN_get_stack_phy_base: v = region_base(s, "stack"); break;
	case INSN_get_data_main_base: v = region_base(s, "data"); break;
	case INSN_get_sys_va_base: v = GM_BASE; break;
	case INSN_get_para_base:
		if (!para_base(s, &v)) {
			sim_place(s, c, op->pc, PIPE_S, &s->fail);
			return false;
		}
		break;
	default:
		return sim_fail(s, c, FAIL_INTERNAL, op->pc, PIPE_S, "no register behind %s", isa_table[op->insn].name);
	}
	return done(s, c, op, true, v);
}

/* dc_preload: the line comes in behind the scalar unit's back, at no cost of its own. */
static bool preload(struct sim *s, struct core *c, const struct op *op)
{
	uint64_t addr = op->x[1] + op->x[2];
	if (addr < GM_BASE)
		return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S, "%s: address 0x%" PRIx64 " is not in GM",
				isa_table[op->insn].name, addr);
	if (!scalar_cache_fetch(&c->scalar, addr, &s->fail)) {
		sim_place(s, c, op->pc, PIPE_S, &s->fail);
		return false;
	}
	return done(s, c, op, false, 0);
}

/* VA registers: eight block addresses of 16 bits, 32 B units; from two words, or from 16 bytes of UB (part 1: the upper
 * 16 of a 32-byte block). Public kernels keep sixteen addresses in one block and load them as L128 and H128. */
static bool write_va(struct sim *s, struct core *c, const struct op *op)
{
	uint64_t va = op->x[0], addr = op->x[1] + 16 * op->x[2], words[2] = { op->x[1], op->x[2] };
	if (va > 7)
		return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S, "%s: VA%" PRIu64 " does not exist (VA0..VA7)",
				isa_table[op->insn].name, va);
	if (op->insn == INSN_vld_va_reg) {
		uint64_t size = (uint64_t)c->mem.size[SPACE_UB];
		if (op->x[2] > 1)
			return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S, "vld_va_reg: part %" PRIu64 " is neither L128 nor "
				"H128",
					op->x[2]);
		if (op->x[1] % 32)
			return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S,
					"vld_va_reg: address 0x%" PRIx64 " in UB is not a multiple of 32 bytes", op->x[1]);
		if (size < 16 || addr > size - 16)
			return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S,
					"vld_va_reg: reads UB bytes 0x%" PRIx64 "..0x%" PRIx64 " but UB has %" PRIu64 " bytes",
					addr,
					addr + 16, size);
		memcpy(words, c->mem.buf[SPACE_UB] + addr, sizeof words);
		if (s->options.check)
			check_scalar(s->options.check, c->id, op->pc, addr, sizeof words, false, -1);
	}
	memcpy(c->spr.va[va], words, sizeof words);
	return done(s, c, op, false, 0);
}

static bool convert(struct sim *s, struct core *c, const struct op *op)
{
	static const uint8_t mode[] = {
		[ROUND_RINT] = NUM_RINT, [ROUND_FLOOR] = NUM_FLOOR, [ROUND_CEIL] = NUM_CEIL, [ROUND_AWAY] = NUM_AWAY,
		[ROUND_TRUNC] = NUM_TRUNC, [ROUND_ODD] = NUM_ODD,
	};
	float x = num_float((uint32_t)op->x[1]);
	enum num_round round = (enum num_round)mode[isa_table[op->insn].round];
	uint64_t v = op->insn == INSN_conv_f322f16o
			     ? num_to_f16(x, round, c->spr.ctrl >> CTRL_INF_NAN & 1)
			     : (uint64_t)num_to_int(x, round, 32, true, c->spr.ctrl >> CTRL_INT_TRUNC & 1);
	return done(s, c, op, true, v);
}

/* ld_dev, st_dev: GM itself, whatever the data cache holds. A load waits as for a cache line, a store is posted. */
static bool device_access(struct sim *s, struct core *c, const struct op *op)
{
	bool store = op->insn == INSN_st_dev;
	enum isa_type t = isa_operand_type(op->insn, op->variant, 0);
	uint64_t addr = op->x[1] + op->x[2], size = isa_type_bits(t) / 8, v = 0;
	if (addr % size)
		return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S, "%s: address 0x%" PRIx64 " is not a multiple of %" PRIu64 " "
			"bytes",
				isa_table[op->insn].name, addr, size);
	uint8_t *at = gm_at(&s->gm, c->id, addr, size, store);
	if (!at) {
		char text[256];
		gm_describe(&s->gm, addr, size, store, text, sizeof text);
		return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S, "%s: %s GM bytes 0x%" PRIx64 "..0x%" PRIx64 ": %s",
				isa_table[op->insn].name, store ? "writes" : "reads", addr, addr + size, text);
	}
	if (s->options.check)
		check_device(s->options.check, c, op->pc, addr, (unsigned)size, store);
	if (store) {
		memcpy(at, &op->x[0], size);
		return done(s, c, op, false, 0);
	}
	memcpy(&v, at, size);
	if (t == TYPE_S8 || t == TYPE_S16 || t == TYPE_S32)
		v = (uint64_t)((int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size));
	c->scalar.cycle += s->chip->scalar.dcache_miss_cycles;
	return done(s, c, op, true, v);
}

/* dcci(address, line or everything, clean target): write dirty data back and drop it. */
static bool cache_control(struct sim *s, struct core *c, const struct op *op)
{
	bool all = op->x[2] & 1, ok = true;
	if (op->insn == INSN_dc_preload)
		return preload(s, c, op);
	if (op->insn == INSN_dcci)
		ok = all ? scalar_cache_all(&c->scalar, true, true, &s->fail)
			 : scalar_cache_line(&c->scalar, op->x[1], true, true, &s->fail);
	if (!ok) {
		sim_place(s, c, op->pc, PIPE_S, &s->fail);
		return false;
	}
	return done(s, c, op, false, 0);
}

/*
 * trap(code): a code that is the address of a constant text of the kernel carries a sentence (ascendc/kernel_core.h). One that
 * begins with a 1 is about an earlier call, whose pc is in the last word but one of the core's part of the system region.
 */
static bool trapped(struct sim *s, struct core *c, const struct op *op)
{
	const struct program *p = c->program;
	uint64_t at = op->x[1] - p->rodata_addr;
	if (p->rodata && op->x[1] >= p->rodata_addr && at < p->rodata_size && memchr(p->rodata + at, 0, p->rodata_size - at)) {
		const char *sentence = (const char *)p->rodata + at;
		uint64_t pc = op->pc;
		uint64_t slot = GM_SYSTEM + (uint64_t)c->id * GM_SYSTEM_SLOT;
		uint8_t *earlier = gm_at(&s->gm, c->id, slot + GM_SYSTEM_SLOT - 16, 8, false);
		if (*sentence == 1 && earlier)
			memcpy(&pc, earlier, 8);
		return sim_fail(s, c, FAIL_KERNEL, pc, PIPE_S, "%s", sentence + (*sentence == 1));
	}
	sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S, "the kernel called trap (code %lld)", (long long)op->x[1]);
	return fail_hint(&s->fail, "the kernel's own check at this line refused what it was given, most often a tiling");
}

bool system_execute(struct sim *s, struct core *c, const struct op *op)
{
	switch (isa_table[op->insn].form) {
	case FORM_SPRSET: return write_register(s, c, op);
	case FORM_CTRLBITS: return change_ctrl(s, c, op);
	case FORM_SPRGET: return read_register(s, c, op);
	case FORM_CACHE: return cache_control(s, c, op);
	case FORM_VAREG: return write_va(s, c, op);
	case FORM_SCONV: return convert(s, c, op);
	case FORM_GMDEV: return device_access(s, c, op);
	case FORM_DSB:
		if (s->options.check)
			check_dsb(s->options.check, c);
		return done(s, c, op, false, 0);
	case FORM_TRAP: return trapped(s, c, op);
	default:
		return sim_fail(s, c, FAIL_MODEL, op->pc, PIPE_S, "%s is not modelled", isa_table[op->insn].name);
	}
}
