/*
 * scalar_rig.h - a scalar unit for tests and the benchmark: a program from words, a stack, 256 KiB of data, a UB, a chip of
 * round numbers; and an assembler of one function per instruction format, written from the RISC-V specification.
 */
#ifndef SCALAR_RIG_H
#define SCALAR_RIG_H

#include "../sim/scalar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ZERO, RA, SP, GP, TP, T0, T1, T2, S0, S1, A0, A1, A2, A3, A4, A5, A6, A7, S2, S3, S4, S5, S6, S7, S8, S9, S10, S11,
       T3, T4, T5, T6 };

static inline uint32_t as_r(uint32_t op, uint32_t f3, uint32_t f7, int rd, int rs1, int rs2)
{
	return op | (uint32_t)rd << 7 | f3 << 12 | (uint32_t)rs1 << 15 | (uint32_t)rs2 << 20 | f7 << 25;
}
static inline uint32_t as_i(uint32_t op, uint32_t f3, int rd, int rs1, int imm)
{
	return op | (uint32_t)rd << 7 | f3 << 12 | (uint32_t)rs1 << 15 | (uint32_t)imm << 20;
}
static inline uint32_t as_s(uint32_t op, uint32_t f3, int rs2, int rs1, int imm)
{
	return op | ((uint32_t)imm & 31) << 7 | f3 << 12 | (uint32_t)rs1 << 15 | (uint32_t)rs2 << 20 |
	       ((uint32_t)imm >> 5 & 127) << 25;
}
static inline uint32_t as_b(uint32_t f3, int rs1, int rs2, int offset)
{
	uint32_t o = (uint32_t)offset;
	return 0x63 | f3 << 12 | (uint32_t)rs1 << 15 | (uint32_t)rs2 << 20 | (o >> 11 & 1) << 7 | (o >> 1 & 15) << 8 |
	       (o >> 5 & 63) << 25 | (o >> 12 & 1) << 31;
}
static inline uint32_t as_j(int rd, int offset)
{
	uint32_t o = (uint32_t)offset;
	return 0x6f | (uint32_t)rd << 7 | (o >> 12 & 255) << 12 | (o >> 11 & 1) << 20 | (o >> 1 & 1023) << 21 |
	       (o >> 20 & 1) << 31;
}

#define ADDI(rd, rs1, imm) as_i(0x13, 0, rd, rs1, imm)
#define ADD(rd, rs1, rs2) as_r(0x33, 0, 0, rd, rs1, rs2)
#define SUB(rd, rs1, rs2) as_r(0x33, 0, 32, rd, rs1, rs2)
#define SLLI(rd, rs1, n) as_i(0x13, 1, rd, rs1, n)
#define MUL(rd, rs1, rs2) as_r(0x33, 0, 1, rd, rs1, rs2)
#define DIV(rd, rs1, rs2) as_r(0x33, 4, 1, rd, rs1, rs2)
#define LUI(rd, imm20) (0x37 | (uint32_t)(rd) << 7 | (uint32_t)(imm20) << 12)
#define AUIPC(rd, imm20) (0x17 | (uint32_t)(rd) << 7 | (uint32_t)(imm20) << 12)
#define LB(rd, rs1, imm) as_i(0x03, 0, rd, rs1, imm)
#define LW(rd, rs1, imm) as_i(0x03, 2, rd, rs1, imm)
#define LD(rd, rs1, imm) as_i(0x03, 3, rd, rs1, imm)
#define LBU(rd, rs1, imm) as_i(0x03, 4, rd, rs1, imm)
#define SB(rs2, rs1, imm) as_s(0x23, 0, rs2, rs1, imm)
#define SW(rs2, rs1, imm) as_s(0x23, 2, rs2, rs1, imm)
#define SD(rs2, rs1, imm) as_s(0x23, 3, rs2, rs1, imm)
#define FLD(fd, rs1, imm) as_i(0x07, 3, fd, rs1, imm)
#define FSD(fs2, rs1, imm) as_s(0x27, 3, fs2, rs1, imm)
#define BEQ(rs1, rs2, offset) as_b(0, rs1, rs2, offset)
#define BNE(rs1, rs2, offset) as_b(1, rs1, rs2, offset)
#define JAL(rd, offset) as_j(rd, offset)
#define JALR(rd, rs1, imm) as_i(0x67, 0, rd, rs1, imm)
#define RET JALR(ZERO, RA, 0)
#define NOP ADDI(ZERO, ZERO, 0)
#define CSRRW(rd, csr, rs1) as_i(0x73, 1, rd, rs1, csr)
#define CSRRS(rd, csr, rs1) as_i(0x73, 2, rd, rs1, csr)
#define ECALL 0x73u
#define EBREAK 0x100073u
#define RIG_DATA_BYTES 262144
#define RIG_STACK_BYTES 32768
#define RIG_UB_BYTES 4096

struct rig {
	struct chip chip;
	struct program program;
	struct gm gm;
	struct core_mem mem;
	struct scalar s;
	struct fail f;
	struct gm_region *data;
};

/* Numbers that tell themselves apart in sums: two-wide, cache lines of 64 bytes in 4 sets of 2 ways, text lines of 32
 * bytes in 4 sets of 1. */
static inline struct chip rig_chip(void)
{
	struct chip c;
	memset(&c, 0, sizeof(c));
	c.clock.core_mhz = 1800;
	c.clock.sys_cnt_mhz = 50;
	c.scalar.issue_width = 2;
	c.scalar.load_ub_cycles = 13;
	c.scalar.load_gm_cycles = 3;
	c.scalar.mul_cycles = 4;
	c.scalar.div_cycles = 20;
	c.scalar.fp_cycles = 5;
	c.scalar.fdiv_cycles = 30;
	c.scalar.branch_cycles = 2;
	c.scalar.spr_cycles = 7;
	c.scalar.icache_bytes = c.scalar.icache_vector_bytes = 128;
	c.scalar.icache_line = 32;
	c.scalar.icache_ways = 1;
	c.scalar.icache_miss_cycles = 1000;
	c.scalar.dcache_bytes = c.scalar.dcache_vector_bytes = 512;
	c.scalar.dcache_line = 64;
	c.scalar.dcache_ways = 2;
	c.scalar.dcache_miss_cycles = 100;
	return c;
}

/* False, with r->f set, when something could not be made. The words must outlive the rig. */
static inline bool rig_init(struct rig *r, const struct chip *chip, const uint32_t *words, uint32_t n)
{
	char err[256];

	memset(r, 0, sizeof(*r));
	if (!isa_init(err, sizeof(err)))
		return fail_set(&r->f, FAIL_INTERNAL, "%s", err);
	r->chip = *chip;
	r->program.text_addr = r->program.entry = GM_BASE;
	r->program.n_insn = n;
	r->program.text_size = 4 * (uint64_t)n;
	r->program.text = (const uint8_t *)words;
	scalar_predecode(&r->program, &r->chip);
	gm_init(&r->gm, 2);
	r->mem.gm = &r->gm;
	r->data = gm_add(&r->gm, "data", GM_DATA, RIG_DATA_BYTES, true, false, &r->f);
	if (!r->data || !gm_add(&r->gm, "stack", GM_STACK_TOP - RIG_STACK_BYTES, RIG_STACK_BYTES, true, true, &r->f))
		return false;
	r->mem.buf[SPACE_UB] = calloc(1, RIG_UB_BYTES);
	r->mem.size[SPACE_UB] = RIG_UB_BYTES;
	if (!scalar_init(&r->s, &r->chip, CORE_CUBE, &r->program, &r->mem, &r->f))
		return false;
	scalar_start(&r->s, 0, NULL, 0, NULL);
	return true;
}

static inline void rig_free(struct rig *r)
{
	scalar_free(&r->s);
	free(r->program.insn);
	free(r->mem.buf[SPACE_UB]);
	gm_free(&r->gm);
}

/* A Da Vinci word: a stop for the test. After isa_init. */
static inline uint32_t rig_dv(int rd)
{
	struct isa_word w = { .id = INSN_get_block_idx, .rd = (uint8_t)rd };
	uint32_t raw = 0;
	return isa_encode(&w, &raw) ? raw : 0;
}

static inline uint64_t rig_u64(const struct rig *r, uint64_t addr)
{
	uint64_t v = 0;
	const uint8_t *at = gm_at(&r->gm, r->mem.core, addr, 8, false);
	if (at)
		memcpy(&v, at, 8);
	return v;
}

static inline void rig_set_u64(struct rig *r, uint64_t addr, uint64_t v)
{
	uint8_t *at = gm_at(&r->gm, r->mem.core, addr, 8, true);
	if (at)
		memcpy(at, &v, 8);
}

#endif
