/*
 * scalar_decode.c - from words to struct insn, once per program: handlers, operands, and the issue cycle of every
 * instruction when the text is followed in line.
 */
#include "scalar_priv.h"

#include <stdlib.h>
#include <string.h>

/* Registers and latency of an instruction. */
enum kind {
	KIND_NONE,                                  /* illegal */
	KIND_U, KIND_I, KIND_R, KIND_MUL, KIND_DIV, /* integer: rd; rd rs1; rd rs1 rs2 */
	KIND_JAL, KIND_JALR, KIND_BRANCH,
	KIND_LOAD, KIND_STORE, KIND_FLOAD, KIND_FSTORE,
	KIND_FENCE, KIND_SYS, KIND_CSR, KIND_CSRI,
	KIND_F_F, KIND_F_FF, KIND_F_FFF,            /* float: result and sources by file */
	KIND_FDIV, KIND_FSQRT,
	KIND_X_F, KIND_X_FF, KIND_F_X,
	KIND_DV
};

struct op_info { uint8_t kind, handler; };

static const struct op_info info_of[ISA_COUNT] = {
#define OP(id, k) [RV_##id] = { KIND_##k, HANDLER_##id },
#define FOP(id, k) [RV_##id] = { KIND_##k, HANDLER_float },
#include "scalar_ops.def"
#undef OP
#undef FOP
};

/* Ready times are kept per register: 0-31 x, 32-63 f. */
enum { F0 = 32, NO_REG = 64, REGS = 64 };

struct regs { uint8_t dst, src[4]; };

static struct regs regs_of(enum kind k, const struct insn *i)
{
	uint8_t x0 = i->rd % 32, x1 = i->rs1, x2 = i->rs2; /* rd is SCALAR_SINK for x0 */
	uint8_t fd = (uint8_t)(F0 + x0), f1 = F0 + i->rs1, f2 = F0 + i->rs2, f3 = F0 + i->rs3;
	const uint8_t no = NO_REG;

	switch (k) {
	case KIND_U: case KIND_JAL: case KIND_CSRI: return (struct regs){ x0, { no, no, no, no } };
	case KIND_I: case KIND_JALR: case KIND_LOAD: case KIND_CSR: return (struct regs){ x0, { x1, no, no, no } };
	case KIND_R: case KIND_MUL: case KIND_DIV: return (struct regs){ x0, { x1, x2, no, no } };
	case KIND_BRANCH: case KIND_STORE: return (struct regs){ no, { x1, x2, no, no } };
	case KIND_FLOAD: case KIND_F_X: return (struct regs){ fd, { x1, no, no, no } };
	case KIND_FSTORE: return (struct regs){ no, { x1, f2, no, no } };
	case KIND_F_F: case KIND_FSQRT: return (struct regs){ fd, { f1, no, no, no } };
	case KIND_F_FF: case KIND_FDIV: return (struct regs){ fd, { f1, f2, no, no } };
	case KIND_F_FFF: return (struct regs){ fd, { f1, f2, f3, no } };
	case KIND_X_F: return (struct regs){ x0, { f1, no, no, no } };
	case KIND_X_FF: return (struct regs){ x0, { f1, f2, no, no } };
	case KIND_DV: return (struct regs){ no, { x0, x1, x2, 31 } };
	default: return (struct regs){ no, { no, no, no, no } };
	}
}

static bool writes_x(enum kind k)
{
	switch (k) {
	case KIND_U: case KIND_I: case KIND_R: case KIND_MUL: case KIND_DIV: case KIND_JAL: case KIND_JALR:
	case KIND_LOAD: case KIND_CSR: case KIND_CSRI: case KIND_X_F: case KIND_X_FF:
		return true;
	default:
		return false;
	}
}

static bool is_float(enum kind k) { return k >= KIND_F_F && k <= KIND_F_X; }
static bool is_memory(enum kind k) { return k >= KIND_LOAD && k <= KIND_FSTORE; }
static bool is_jump(enum kind k) { return k == KIND_JAL || k == KIND_JALR || k == KIND_BRANCH; }

static enum kind kind_of(const struct insn *i)
{
	return i->handler == HANDLER_illegal ? KIND_NONE : i->handler == HANDLER_dv ? KIND_DV : info_of[i->id].kind;
}

static struct insn decode(uint32_t raw)
{
	struct isa_word w = { .id = ISA_COUNT };

	if (!isa_decode(raw, &w))
		return (struct insn){ .handler = HANDLER_illegal, .id = ISA_COUNT, .imm = (int32_t)raw };
	struct insn i = { .rd = w.rd, .rs1 = w.rs1, .rs2 = w.rs2, .rs3 = w.rs3, .id = w.id, .imm = w.imm };
	if (!isa_table[w.id].rv) {
		i.handler = HANDLER_dv;
		i.rs3 = w.variant;
		return i;
	}
	enum kind k = info_of[w.id].kind;
	i.handler = info_of[w.id].handler;
	if (k == KIND_NONE || (is_float(k) && (w.rm == 5 || w.rm == 6)))
		return (struct insn){ .handler = HANDLER_illegal, .id = ISA_COUNT, .imm = (int32_t)raw };
	if (is_float(k))
		i.imm = w.rm;
	if (writes_x(k) && i.rd == 0)
		i.rd = SCALAR_SINK;
	return i;
}

/* Direct targets: byte offsets become instruction counts, targets are marked in `leader`. */
static void resolve(struct program *p, uint32_t at, uint8_t *leader)
{
	struct insn *i = &p->insn[at];
	int64_t to = (int64_t)at + i->imm / 4;

	if (i->imm % 4 || to < 0 || to >= p->n_insn) {
		i->rs3 = (uint8_t)i->handler;
		i->handler = HANDLER_away;
		return;
	}
	i->imm /= 4;
	leader[to] = 1;
}

/* The state of in-line issue. */
struct issue {
	int64_t cycle, next;   /* of the open group; first cycle of the group after it */
	int64_t slots;         /* instructions in the open group */
	bool memory, closed;
	int64_t ready[REGS];   /* when each register's value may be used */
};

static int64_t at_least_1(int64_t v) { return v > 1 ? v : 1; }

static void issue_group(struct issue *q, int64_t cycle)
{
	q->cycle = cycle;
	q->next = cycle + 1;
	q->slots = 0;
	q->memory = q->closed = false;
}

static void issue(struct issue *q, struct insn *i, enum kind k, bool leader, const struct chip *chip)
{
	struct regs r = regs_of(k, i);
	int64_t latency = 1, busy = 1;

	if (q->closed || leader || q->slots == chip->scalar.issue_width || (q->memory && is_memory(k)) ||
	    (k == KIND_DV && q->slots > 0))
		issue_group(q, q->next);
	for (int n = 0; n < 4; n++)
		if (r.src[n] != NO_REG && r.src[n] != 0 && q->ready[r.src[n]] > q->cycle)
			issue_group(q, q->ready[r.src[n]]);
	/* a loop must not wait, turn after turn, for what was made before it */
	if (leader)
		memset(q->ready, 0, sizeof(q->ready));
	i->cost = (uint32_t)q->cycle;
	q->slots++;
	switch (k) {
	case KIND_MUL: latency = chip->scalar.mul_cycles; break;
	case KIND_DIV: latency = busy = chip->scalar.div_cycles; break;
	case KIND_FDIV: case KIND_FSQRT: latency = busy = chip->scalar.fdiv_cycles; break;
	case KIND_CSR: case KIND_CSRI: latency = busy = at_least_1(chip->scalar.spr_cycles); break;
	case KIND_LOAD: case KIND_FLOAD: latency = at_least_1(chip->scalar.load_gm_cycles); break;
	default:
		if (is_float(k))
			latency = chip->scalar.fp_cycles;
	}
	q->memory |= is_memory(k);
	q->closed |= is_jump(k) || k == KIND_DV || k == KIND_FENCE || busy > 1;
	if (q->next < q->cycle + busy)
		q->next = q->cycle + busy;
	if (r.dst != NO_REG && r.dst != 0)
		q->ready[r.dst] = q->cycle + latency;
}

void scalar_predecode(struct program *p, const struct chip *chip)
{
	uint8_t *leader = calloc((size_t)p->n_insn + 1, 1);
	struct issue q = { .next = 1 };
	uint64_t line = (uint64_t)chip->scalar.icache_line;

	if (!p->insn)
		p->insn = calloc((size_t)p->n_insn + 1, sizeof(*p->insn));
	if (!p->insn || !leader) {
		free(leader);
		free(p->insn);
		p->insn = NULL;
		return;
	}
	for (uint32_t n = 0; n < p->n_insn; n++) {
		const uint8_t *b = p->text + 4 * (size_t)n;
		p->insn[n] = decode(b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24);
		enum kind k = kind_of(&p->insn[n]);
		if (k == KIND_BRANCH || k == KIND_JAL)
			resolve(p, n, leader);
	}
	p->insn[p->n_insn] = (struct insn){ .handler = HANDLER_end, .id = ISA_COUNT };
	for (uint32_t n = 0; n <= p->n_insn; n++) {
		struct insn *i = &p->insn[n];
		enum kind k = n == p->n_insn ? KIND_NONE : kind_of(i);
		issue(&q, i, k, leader[n], chip);
		if ((p->text_addr + 4 * (uint64_t)n) % line == 0)
			i->handler += HANDLER_COUNT;
	}
	free(leader);
}
