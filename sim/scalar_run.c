/*
 * scalar_run.c - the interpreter. One label per instruction, each jumping straight to the next one's; a switch where the
 * compiler has no computed goto, or with -DSCALAR_SWITCH.
 *
 * Time and counts are kept relative: the instruction at ip issues at cycle t + ip->cost and is number n + (ip - base), so
 * straight code moves neither t nor n.
 */
#include "scalar_priv.h"

#include <inttypes.h>
#include <string.h>

#if defined(__GNUC__) && !defined(SCALAR_SWITCH)
#define SCALAR_GOTO 1
#else
#define SCALAR_GOTO 0
#endif
#define likely(c) __builtin_expect(!!(c), 1)

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

static uint64_t sext32(uint64_t v) { return (uint64_t)(int64_t)(int32_t)(uint32_t)v; }

static uint64_t mulh(uint64_t a, uint64_t b) { return (uint64_t)((wide)(int64_t)a * (int64_t)b >> 64); }
static uint64_t mulhu(uint64_t a, uint64_t b) { return (uint64_t)((uwide)a * b >> 64); }
static uint64_t mulhsu(uint64_t a, uint64_t b) { return mulhu(a, b) - ((int64_t)a < 0 ? b : 0); }

/* RISC-V: x / 0 = -1, x % 0 = x, most negative / -1 = itself, remainder 0. */
static uint64_t div_s(uint64_t a, uint64_t b)
{
	return b == 0 ? UINT64_MAX : b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t rem_s(uint64_t a, uint64_t b)
{
	return b == 0 ? a : b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

static uint64_t div_u(uint64_t a, uint64_t b) { return b == 0 ? UINT64_MAX : a / b; }
static uint64_t rem_u(uint64_t a, uint64_t b) { return b == 0 ? a : a % b; }
static uint64_t div_u32(uint32_t a, uint32_t b) { return b == 0 ? UINT64_MAX : sext32(a / b); }
static uint64_t rem_u32(uint32_t a, uint32_t b) { return sext32(b == 0 ? a : a % b); }

static bool taken(unsigned handler, uint64_t a, uint64_t b)
{
	switch (handler) {
	case HANDLER_beq: return a == b;
	case HANDLER_bne: return a != b;
	case HANDLER_blt: return (int64_t)a < (int64_t)b;
	case HANDLER_bge: return (int64_t)a >= (int64_t)b;
	case HANDLER_bltu: return a < b;
	case HANDLER_bgeu: return a >= b;
	default: return true;
	}
}

static enum scalar_stop bad_target(struct scalar *s, struct fail *f, uint64_t pc, int64_t cycle, uint64_t target)
{
	const struct program *p = s->program;
	const char *why = target & 3 ? "a misaligned address" : "an address outside of the kernel's text";

	scalar_fault(s, f, pc, cycle, "jump to 0x%" PRIx64 ": %s (text is 0x%" PRIx64 " to 0x%" PRIx64 ")", target, why,
		     p->text_addr, p->text_addr + 4 * (uint64_t)p->n_insn);
	return SCALAR_FAULT;
}

static enum scalar_stop illegal(struct scalar *s, struct fail *f, const struct insn *ip, int64_t cycle)
{
	const uint64_t pc = scalar_pc_of(s->program, ip);
	const unsigned h = ip->handler % HANDLER_COUNT;

	if (h == HANDLER_end)
		return scalar_fault(s, f, pc, cycle, "ran past the end of the kernel's text");
	if (h == HANDLER_ecall)
		return scalar_fault(s, f, pc, cycle, "ecall: there is no operating system on the core");
	if (h == HANDLER_ebreak)
		return scalar_fault(s, f, pc, cycle, "ebreak: the kernel stopped itself (a trap or an unreachable place)");
	if (h == HANDLER_float)
		return scalar_fault(s, f, pc, cycle, "%s: frm holds the reserved rounding mode %u", isa_table[ip->id].name,
				    s->fcsr >> 5);
	/* how a compiler writes a trap: csrrw zero, cycle, zero */
	if (h != HANDLER_illegal && ip->id == RV_csrrw && ip->rd == SCALAR_SINK && ip->rs1 == 0 &&
	    ((uint32_t)ip->imm & 0xfff) == 0xc00)
		return scalar_fault(s, f, pc, cycle, "unimp: the kernel stopped itself (a trap or an unreachable place)");
	if (h != HANDLER_illegal)
		return scalar_fault(s, f, pc, cycle, "%s of CSR 0x%x: not there, or read-only", isa_table[ip->id].name,
				    (uint32_t)ip->imm & 0xfff);
	scalar_fault(s, f, pc, cycle, "illegal instruction 0x%08" PRIx32, (uint32_t)ip->imm);
	fail_hint(f, "RV64IMFD, Zfhmin and Zicsr counters only; compressed and atomic code is not executed");
	return SCALAR_FAULT;
}

#define X1 x[ip->rs1]
#define X2 x[ip->rs2]
#define IMM ((uint64_t)(int64_t)ip->imm)
#define PC (p->text_addr + 4 * (uint64_t)(ip - base))
#define NOW (t + ip->cost)
#define LINE(at) ((uint32_t)(((uintptr_t)(at) - fetch_base) >> fetch_shift))

#if SCALAR_GOTO
#define DISPATCH goto *label[ip->handler]
#define OP_(id) do_##id:
#else
#define DISPATCH                                                                                                       \
	do {                                                                                                           \
		h = ip->handler;                                                                                       \
		goto again;                                                                                            \
	} while (0)
#define OP_(id) case HANDLER_##id:
#endif
#define NEXT                                                                                                           \
	do {                                                                                                           \
		ip++;                                                                                                  \
		DISPATCH;                                                                                              \
	} while (0)
#define ALU(id, value)                                                                                                 \
	OP_(id) {                                                                                                      \
		x[ip->rd] = (value);                                                                                   \
		NEXT;                                                                                                  \
	}
/* Continue at `dest`; the yield keeps endless loops from holding up the other cores. */
#define GO(dest)                                                                                                       \
	do {                                                                                                           \
		const struct insn *to = (dest);                                                                        \
		t += (int64_t)ip->cost - to->cost + jump_cycles;                                                       \
		n += ip - to + 1;                                                                                      \
		ip = to;                                                                                               \
		if (!likely(NOW <= limit))                                                                             \
			goto yield;                                                                                    \
		if (!likely(present[LINE(ip)]))                                                                        \
			goto fetch;                                                                                    \
		DISPATCH;                                                                                              \
	} while (0)
#define BRANCH(id, condition)                                                                                          \
	OP_(id) {                                                                                                      \
		if (condition)                                                                                         \
			GO(ip + ip->imm);                                                                              \
		NEXT;                                                                                                  \
	}
/* Host address of the bytes at X1 + IMM: one compare when the line is hot and the access aligned. */
#define REACH(type, hot, is_write)                                                                                     \
	uint64_t addr = X1 + IMM;                                                                                      \
	const struct scalar_hot *slot = &s->hot[(addr >> SCALAR_HOT_SHIFT) % SCALAR_HOT];                              \
	uint8_t *at = (uint8_t *)(slot->host + (uintptr_t)addr);                                                       \
	if (likely(slot->line == (addr & (line_mask | (sizeof(type) - 1))))) {                                         \
		hits++;                                                                                                \
	} else {                                                                                                       \
		access = (struct scalar_access){ .addr = addr, .pc = PC, .size = sizeof(type), .write = is_write,      \
						 .now = NOW, .until = until };                                         \
		at = scalar_reach(s, &access, f);                                                                      \
		if (!at)                                                                                               \
			goto refused;                                                                                  \
		t += access.extra;                                                                                     \
	}
#define LOAD(id, type, reg, value)                                                                                     \
	OP_(id) {                                                                                                      \
		type v;                                                                                                \
		REACH(type, hot_load, false)                                                                           \
		memcpy(&v, at, sizeof(v));                                                                             \
		reg[ip->rd] = (value);                                                                                 \
		NEXT;                                                                                                  \
	}
#define STORE(id, type, reg)                                                                                           \
	OP_(id) {                                                                                                      \
		type v = (type)reg[ip->rs2];                                                                           \
		REACH(type, hot_store, true)                                                                           \
		memcpy(at, &v, sizeof(v));                                                                             \
		NEXT;                                                                                                  \
	}

enum scalar_stop scalar_run(struct scalar *s, int64_t until, struct fail *f)
{
	const struct program *const p = s->program;
	const struct insn *const base = p->insn;
	const int64_t jump_cycles = 1 + s->chip->scalar.branch_cycles;
	const int64_t limit = until > INT64_MAX - SCALAR_AHEAD_CYCLES ? INT64_MAX : until + SCALAR_AHEAD_CYCLES;
	const uint64_t line_mask = ~(uint64_t)(s->d_line - 1);
	/* insn is 16 bytes for 4 of text; the first line may begin before the text does */
	const uintptr_t fetch_base = (uintptr_t)base - 4 * (uintptr_t)(p->text_addr % s->i_line);
	const int fetch_shift = __builtin_ctz(s->i_line) + 2;
	const uint8_t *const present = s->i_present;
	uint64_t *const x = s->x;
	uint64_t *const fr = s->f;
	const struct insn *ip = base;
	struct scalar_access access;
	enum scalar_stop stop;
	uint64_t target, hits = 0;
	int64_t t, n;
	_Static_assert(sizeof(struct insn) == 16, "LINE counts on it");

	target = s->pc - p->text_addr;
	if (target % 4 || target / 4 > p->n_insn)
		return bad_target(s, f, s->pc, s->cycle, s->pc);
	ip += target / 4;
	t = s->cycle - ip->cost;
	n = (int64_t)s->instret - (ip - base);
#if SCALAR_GOTO
	static const void *const label[2 * HANDLER_COUNT] = {
		[HANDLER_illegal] = &&do_illegal, [HANDLER_dv] = &&do_dv, [HANDLER_end] = &&do_illegal,
		[HANDLER_away] = &&do_away, [HANDLER_float] = &&do_float,
#define OP(id, kind) [HANDLER_##id] = &&do_##id,
#define FOP(id, kind)
#include "scalar_ops.def"
#undef OP
#undef FOP
		[HANDLER_COUNT ... 2 * HANDLER_COUNT - 1] = &&line_start
	};
#else
	unsigned h;
#endif
fetch:
	t += scalar_fetch(s, LINE(ip));
	DISPATCH;

#if SCALAR_GOTO
line_start:
	if (!likely(present[LINE(ip)]))
		t += scalar_fetch(s, LINE(ip));
	goto *label[ip->handler - HANDLER_COUNT];
#else
again:
	if (h >= HANDLER_COUNT) {
		t += scalar_fetch(s, LINE(ip));
		h -= HANDLER_COUNT;
	}
	switch ((enum handler)h) {
#endif
	ALU(lui, IMM)
	ALU(auipc, PC + IMM)
	ALU(addi, X1 + IMM)
	ALU(slti, (int64_t)X1 < (int64_t)IMM)
	ALU(sltiu, X1 < IMM)
	ALU(xori, X1 ^ IMM)
	ALU(ori, X1 | IMM)
	ALU(andi, X1 & IMM)
	ALU(slli, X1 << (IMM & 63))
	ALU(srli, X1 >> (IMM & 63))
	ALU(srai, (uint64_t)((int64_t)X1 >> (IMM & 63)))
	ALU(addiw, sext32(X1 + IMM))
	ALU(slliw, sext32(X1 << (IMM & 31)))
	ALU(srliw, sext32((uint32_t)X1 >> (IMM & 31)))
	ALU(sraiw, (uint64_t)(int64_t)((int32_t)X1 >> (IMM & 31)))
	ALU(add, X1 + X2)
	ALU(sub, X1 - X2)
	ALU(sll, X1 << (X2 & 63))
	ALU(slt, (int64_t)X1 < (int64_t)X2)
	ALU(sltu, X1 < X2)
	ALU(xor, X1 ^ X2)
	ALU(srl, X1 >> (X2 & 63))
	ALU(sra, (uint64_t)((int64_t)X1 >> (X2 & 63)))
	ALU(or, X1 | X2)
	ALU(and, X1 & X2)
	ALU(addw, sext32(X1 + X2))
	ALU(subw, sext32(X1 - X2))
	ALU(sllw, sext32(X1 << (X2 & 31)))
	ALU(srlw, sext32((uint32_t)X1 >> (X2 & 31)))
	ALU(sraw, (uint64_t)(int64_t)((int32_t)X1 >> (X2 & 31)))

	ALU(mul, X1 * X2)
	ALU(mulh, mulh(X1, X2))
	ALU(mulhsu, mulhsu(X1, X2))
	ALU(mulhu, mulhu(X1, X2))
	ALU(mulw, sext32(X1 * X2))
	ALU(div, div_s(X1, X2))
	ALU(divu, div_u(X1, X2))
	ALU(rem, rem_s(X1, X2))
	ALU(remu, rem_u(X1, X2))
	ALU(divw, sext32(div_s(sext32(X1), sext32(X2))))
	ALU(divuw, div_u32((uint32_t)X1, (uint32_t)X2))
	ALU(remw, sext32(rem_s(sext32(X1), sext32(X2))))
	ALU(remuw, rem_u32((uint32_t)X1, (uint32_t)X2))

	BRANCH(beq, X1 == X2)
	BRANCH(bne, X1 != X2)
	BRANCH(blt, (int64_t)X1 < (int64_t)X2)
	BRANCH(bge, (int64_t)X1 >= (int64_t)X2)
	BRANCH(bltu, X1 < X2)
	BRANCH(bgeu, X1 >= X2)
	OP_(jal) {
		x[ip->rd] = PC + 4;
		GO(ip + ip->imm);
	}
	OP_(jalr) {
		target = (X1 + IMM) & ~UINT64_C(1);
		if (!likely(target - p->text_addr < 4 * (uint64_t)p->n_insn && target % 4 == 0))
			goto leave;
		x[ip->rd] = PC + 4;
		GO(base + (target - p->text_addr) / 4);
	}

	LOAD(lb, uint8_t, x, (uint64_t)(int64_t)(int8_t)v)
	LOAD(lh, uint16_t, x, (uint64_t)(int64_t)(int16_t)v)
	LOAD(lw, uint32_t, x, sext32(v))
	LOAD(ld, uint64_t, x, v)
	LOAD(lbu, uint8_t, x, v)
	LOAD(lhu, uint16_t, x, v)
	LOAD(lwu, uint32_t, x, v)
	LOAD(flh, uint16_t, fr, v | UINT64_C(0xffffffffffff0000))
	LOAD(flw, uint32_t, fr, v | UINT64_C(0xffffffff00000000))
	LOAD(fld, uint64_t, fr, v)
	STORE(sb, uint8_t, x)
	STORE(sh, uint16_t, x)
	STORE(sw, uint32_t, x)
	STORE(sd, uint64_t, x)
	STORE(fsh, uint16_t, fr)
	STORE(fsw, uint32_t, fr)
	STORE(fsd, uint64_t, fr)

	OP_(float) {
		if (!likely(scalar_float(s, ip)))
			goto do_fault;
		NEXT;
	}
	OP_(csrrw) OP_(csrrs) OP_(csrrc) OP_(csrrwi) OP_(csrrsi) OP_(csrrci) {
		if (!scalar_csr(s, ip, NOW, (uint64_t)(n + (ip - base))))
			goto do_fault;
		NEXT;
	}
	OP_(fence) OP_(fence_tso) {
		NEXT;
	}
	OP_(away) {
		if (!taken(ip->rs3, X1, X2))
			NEXT;
		target = PC + IMM;
		goto leave;
	}
	OP_(dv) {
		stop = NOW <= until ? SCALAR_DV : SCALAR_YIELD;
		goto out;
	}
#if SCALAR_GOTO
do_illegal:
do_ecall:
do_ebreak:
#else
	case HANDLER_illegal: case HANDLER_end: case HANDLER_ecall: case HANDLER_ebreak: case HANDLER_COUNT:
		break;
	}
#endif
do_fault:
	stop = illegal(s, f, ip, NOW);
	goto out;
leave:
	if (target != SCALAR_RETURN_PC) {
		stop = bad_target(s, f, PC, NOW, target);
		goto out;
	}
	/* the block's end is for others to see, so it waits for its time; then the return itself issues and counts */
	if (NOW > until)
		goto yield;
	t += jump_cycles;
	n++;
	stop = SCALAR_RETURN;
	goto out;
yield:
	stop = SCALAR_YIELD;
	goto out;
refused:
	stop = access.stop;
out:
	s->pc = stop == SCALAR_RETURN ? SCALAR_RETURN_PC : PC;
	s->cycle = NOW;
	s->instret = (uint64_t)(n + (ip - base));
	s->dcache_hits += hits;
	return stop;
}
