/*
 * vector_bench.c - see vector_bench.h.
 */
#include "coverage.h"
#include "vector_bench.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void bench_init(void)
{
	char err[256] = "";
	cr_assert(isa_init(err, sizeof(err)), "%s", err);
}

uint32_t bench_rnd(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	return *seed ^= *seed << 5;
}

static uint32_t pick(uint32_t *seed, uint32_t n) { return bench_rnd(seed) % n; }

/* Half the buffer wild bits, half numbers of moderate size, so that sums and functions are neither all inf nor all
 * NaN. */
static void fill(uint8_t *ub, enum isa_type t, uint32_t *seed)
{
	for (uint32_t i = 0; i < BENCH_UB; i += 4) {
		uint32_t u = bench_rnd(seed);
		float x = (float)((int32_t)bench_rnd(seed) >> 12) / 4096.0f;
		if ((u >> 7 & 1) && t == TYPE_F32)
			memcpy(&u, &x, 4);
		else if ((u >> 7 & 1) && (t == TYPE_F16 || t == TYPE_NONE))
			u = (u & 0x83ff83ff) | (0x3800 + (u >> 20 & 0x0c00)) | 0x3c000000;
		else if ((u >> 7 & 1) && t == TYPE_BF16)
			u = (u & 0x807f807f) | 0x3f804000;
		else if (!(u >> 8 & 7))
			u &= 0x00070007; /* small integers: ties, equal values */
		memcpy(ub + i, &u, 4);
	}
}

void bench_start(struct bench *b, unsigned id, unsigned variant, uint32_t seed)
{
	memset(b, 0, sizeof(*b));
	snprintf(b->chip.name, sizeof(b->chip.name), "bench");
	b->chip.arch = ARCH_C220;
	b->chip.split = true;
	b->mem.buf[SPACE_UB] = b->ub;
	b->mem.size[SPACE_UB] = BENCH_UB;
	b->op.insn = (uint16_t)id;
	b->op.variant = (uint8_t)variant;
	b->op.pipe = PIPE_V;
	b->op.pc = 0x100000040;
	b->op.spr.mask_hi = b->op.spr.mask_lo = UINT64_MAX;
	b->op.spr.ctrl = CTRL_RESET;
	uint32_t s = seed * 2654435761u + 1;
	fill(b->ub, isa_operand_type(id, variant, 1), &s);
}

bool bench_run(struct bench *b)
{
	b->f = (struct fail){ 0 };
	bool ok = unit_effect(&b->chip, &b->mem, &b->op, &b->e, &b->f) &&
		  unit_value(&b->chip, &b->mem, &b->op, &b->e, &b->f);
	if (ok) {
		coverage_ran(&b->op, &b->e);
		coverage_edge(&b->mem, &b->op, &b->e);
	} else {
		coverage_refused(&b->op, &b->f);
	}
	return ok;
}

static char letter(enum isa_type t)
{
	switch (t) {
	case TYPE_S4: return 'n';
	case TYPE_S8: return 'c';
	case TYPE_U8: return 'C';
	case TYPE_S16: return 's';
	case TYPE_U16: return 'S';
	case TYPE_F16: return 'h';
	case TYPE_BF16: return 'b';
	case TYPE_S32: return 'i';
	case TYPE_U32: return 'I';
	case TYPE_F32: return 'f';
	case TYPE_S64: return 'l';
	default: return 0;
	}
}

static void ref_strides(struct vref_op *r, unsigned form, uint64_t w)
{
	switch (form) {
	case FORM_VBIN: case FORM_VSEL: case FORM_VCMP: case FORM_VCMPV:
		r->blk[0] = (int)vbin_dst_blk(w), r->blk[1] = (int)vbin_src0_blk(w), r->blk[2] = (int)vbin_src1_blk(w);
		r->rep[0] = (int)vbin_dst_rep(w), r->rep[1] = (int)vbin_src0_rep(w), r->rep[2] = (int)vbin_src1_rep(w);
		r->repeat = (int)vbin_repeat(w);
		r->order = (int)vbin_mode(w);
		break;
	case FORM_VRED: case FORM_VCG: case FORM_VCPADD:
		r->rep[0] = (int)vred_dst_rep(w), r->blk[1] = (int)vred_src_blk(w), r->rep[1] = (int)vred_src_rep(w);
		r->repeat = (int)vred_repeat(w);
		r->order = (int)vred_order(w);
		break;
	case FORM_VGATHER: case FORM_VGATHERB:
		r->rep[0] = (int)vgat_dst_rep(w), r->blk[0] = form == FORM_VGATHER ? 1 : (int)vgat_dst_blk(w);
		r->repeat = (int)vgat_repeat(w);
		break;
	case FORM_VRV2:
		r->blk[1] = (int)vrv2_src0_blk(w), r->rep[1] = (int)vrv2_src0_rep(w), r->rep[2] = (int)vrv2_src1_rep(w);
		r->repeat = (int)vrv2_repeat(w), r->order = (int)vrv2_pattern(w);
		break;
	default:
		r->blk[0] = (int)vun_dst_blk(w), r->blk[1] = (int)vun_src_blk(w);
		r->rep[0] = (int)vun_dst_rep(w), r->rep[1] = (int)vun_src_rep(w);
		r->repeat = (int)vun_repeat(w);
		break;
	}
}

struct vref_op bench_ref(const struct bench *b)
{
	const struct op *op = &b->op;
	unsigned form = isa_table[op->insn].form;
	struct vref_op r = { .name = isa_table[op->insn].name,
			    .addr = { op->x[0], op->x[1], op->x[2] },
			    .mask = { op->spr.mask_lo, op->spr.mask_hi },
			    .counter = op->spr.ctrl >> 56 & 1, .keep = op->spr.ctrl >> 48 & 1,
			    .saturate = op->spr.ctrl >> 53 & 1, .truncate = op->spr.ctrl >> 59 & 1,
			    .scalar = op->x[2], .shift_round = op->x[2] >> 32 & 1,
			    .deqscale = (uint16_t)op->spr.deqscale };
	bool one = form == FORM_VUN || form == FORM_VCOPY, none = form == FORM_VDUP || form == FORM_VBRCB ||
		   form == FORM_VGATHER || form == FORM_VGATHERB || form == FORM_VRV2;
	bool compare = form == FORM_VCMP || form == FORM_VCMPV || form == FORM_VCMPVS;

	for (unsigned k = 0; k < 3; k++)
		r.t[k] = letter(isa_operand_type(op->insn, op->variant, form == FORM_VUNS && k == 2 ? 1 : k));
	if (compare) /* dst bits have no element type */
		r.t[0] = 0, r.t[1] = r.t[2] = letter(isa_operand_type(op->insn, op->variant, 1));
	if (one)
		r.t[2] = 0;
	if (none)
		r.t[1] = r.t[2] = 0;
	if (form == FORM_VRED || form == FORM_VCG || form == FORM_VCPADD)
		r.t[0] = r.t[2] = 0;
	ref_strides(&r, form, op->x[3]);
	if (form == FORM_VUNS)
		r.shift_round = r.shift_round && (r.t[0] == 's' || r.t[0] == 'i');
	memcpy(r.cmpmask, b->mem.cmpmask, 16);
	return r;
}

/* exp, ln, rsqrt in fp32 are compared with a last bit of freedom: libm rounds from its own approximation. */
static bool same(const struct bench *b, const uint8_t *got, const uint8_t *want, uint32_t *at)
{
	const char *n = isa_table[b->op.insn].name;
	bool loose = (!strcmp(n, "vexp") || !strcmp(n, "vln") || !strcmp(n, "vrsqrt")) && b->op.variant == 1;

	for (uint32_t i = 0; i < BENCH_UB; i += 4) {
		int32_t x, y;
		memcpy(&x, got + i, 4);
		memcpy(&y, want + i, 4);
		if (x == y || (loose && (x - y == 1 || y - x == 1)))
			continue;
		*at = i;
		return false;
	}
	return true;
}

static void words(const struct bench *b, char *text, size_t size)
{
	char name[64];
	snprintf(text, size, "%s dst %llx src0 %llx src1 %llx config %llx mask %llx %llx ctrl %llx",
		 op_name(&b->op, name, sizeof(name)), (unsigned long long)b->op.x[0], (unsigned long long)b->op.x[1],
		 (unsigned long long)b->op.x[2], (unsigned long long)b->op.x[3], (unsigned long long)b->op.spr.mask_hi,
		 (unsigned long long)b->op.spr.mask_lo, (unsigned long long)b->op.spr.ctrl);
}

/* Mark the bytes of e's accesses of one direction. */
static void mark(const struct effect *e, bool write, uint8_t *touched)
{
	uint64_t addr;
	uint32_t bytes;

	memset(touched, 0, BENCH_UB);
	for (unsigned k = 0; k < e->n_access; k++) {
		struct access_cursor c = { 0 };
		if (e->access[k].write != write)
			continue;
		while (access_next(&e->access[k], &c, &addr, &bytes))
			for (uint32_t i = 0; i < bytes; i++)
				touched[addr + i] = 1;
	}
}

/* Does the footprint depend on values? Then only the written ranges are an upper bound. */
static bool values_decide(const struct bench *b)
{
	unsigned form = isa_table[b->op.insn].form;
	if (isa_operand_type(b->op.insn, b->op.variant, 0) == TYPE_S4)
		return true; /* half bytes: the other half stays */
	return form == FORM_VGATHER || form == FORM_VGATHERB || (form == FORM_VSEL && vbin_mode(b->op.x[3]) == 2);
}

static void footprint_check(const struct bench *before, const struct bench *after, uint32_t seed, const char *text)
{
	static struct bench twin;
	static uint8_t reads[BENCH_UB], writes[BENCH_UB];

	mark(&after->e, false, reads);
	mark(&after->e, true, writes);
	for (uint32_t i = 0; i < BENCH_UB; i++)
		cr_assert(writes[i] || after->ub[i] == before->ub[i],
			  "seed %u %s: byte %x written outside the effect", seed, text, i);
	if (values_decide(before))
		return;
	twin = *before;
	twin.mem.buf[SPACE_UB] = twin.ub;
	for (uint32_t i = 0; i < BENCH_UB; i++)
		if (!reads[i])
			twin.ub[i] = (uint8_t)(twin.ub[i] ^ 0x5a);
	cr_assert(bench_run(&twin));
	for (uint32_t i = 0; i < BENCH_UB; i++) {
		bool kept = after->ub[i] == before->ub[i] &&
			    twin.ub[i] == (uint8_t)(before->ub[i] ^ (reads[i] ? 0 : 0x5a));
		cr_assert(!writes[i] || kept || twin.ub[i] == after->ub[i],
			  "seed %u %s: byte %x depends on bytes outside the "
			  "effect",
			  seed, text, i);
	}
}

void bench_compare(struct bench *b, uint32_t seed)
{
	static struct bench before, plain;
	static uint8_t ref[BENCH_UB];
	struct vref_op r = bench_ref(b);
	uint32_t at = 0;
	char text[320];

	words(b, text, sizeof(text));
	before = *b;
	plain = *b;
	plain.mem.buf[SPACE_UB] = plain.ub;
	memcpy(ref, b->ub, BENCH_UB);
	cr_assert(bench_run(b), "seed %u %s: %s", seed, text, b->f.what);
	cr_assert(unit_effect(&plain.chip, &plain.mem, &plain.op, &plain.e, &plain.f));
	cr_assert(vector_value_plain(&plain.mem, &plain.op, &plain.e, &plain.f));
	cr_assert(vref_run(&r, ref), "no reference for %s", text);
	for (uint32_t i = 0; i < BENCH_UB; i++)
		cr_assert_eq(b->ub[i], plain.ub[i], "seed %u %s: fast and plain differ at %x", seed, text, i);
	cr_assert(same(b, b->ub, ref, &at), "seed %u %s: at %x got %02x%02x%02x%02x want %02x%02x%02x%02x", seed,
		  text, at, b->ub[at + 3], b->ub[at + 2], b->ub[at + 1], b->ub[at], ref[at + 3], ref[at + 2],
		  ref[at + 1], ref[at]);
	cr_assert_eq(memcmp(b->mem.cmpmask, r.cmpmask, 16), 0, "seed %u %s: CMPMASK", seed, text);
	footprint_check(&before, b, seed, text);
}

uint64_t word_bin(int repeat, int dblk, int s0blk, int s1blk, int drep, int s0rep, int s1rep, int mode)
{
	return (uint64_t)dblk | (uint64_t)s0blk << 8 | (uint64_t)s1blk << 16 | (uint64_t)drep << 24 |
	       (uint64_t)s0rep << 32 | (uint64_t)s1rep << 40 | (uint64_t)mode << 48 | (uint64_t)repeat << 56;
}

uint64_t word_un(int repeat, int dblk, int sblk, int drep, int srep)
{
	return (uint64_t)dblk | (uint64_t)sblk << 16 | (uint64_t)(drep & 255) << 32 | (uint64_t)srep << 40 |
	       (uint64_t)(drep >> 8) << 52 | (uint64_t)repeat << 56;
}

uint64_t word_red(int repeat, int drep, int sblk, int srep, int order)
{
	return (uint64_t)drep | (uint64_t)sblk << 16 | (uint64_t)srep << 32 | (uint64_t)order << 48 |
	       (uint64_t)repeat << 56;
}

static void random_mask(struct bench *b, uint32_t *s)
{
	struct spr *p = &b->op.spr;

	switch (pick(s, 6)) {
	case 0: case 1:
		break;
	case 2:
		p->mask_lo = (uint64_t)bench_rnd(s) << 32 | bench_rnd(s);
		p->mask_hi = (uint64_t)bench_rnd(s) << 32 | bench_rnd(s);
		break;
	case 3: /* the first few */
		p->mask_lo = (UINT64_C(1) << pick(s, 64)) - 1;
		p->mask_hi = 0;
		break;
	case 4: /* one lane */
		p->mask_lo = UINT64_C(1) << pick(s, 64);
		p->mask_hi = 0;
		break;
	default:
		p->ctrl |= UINT64_C(1) << CTRL_COUNTER;
		p->mask_lo = pick(s, 400);
		p->mask_hi = 0;
		break;
	}
	if (pick(s, 4) == 0)
		p->ctrl ^= UINT64_C(1) << CTRL_INF_NAN;
	if (pick(s, 2))
		p->ctrl ^= UINT64_C(1) << CTRL_INT_SAT;
	if (pick(s, 4) == 0)
		p->ctrl ^= UINT64_C(1) << CTRL_INT_TRUNC;
}

/* Three areas of 8 KB; strides keep 12 repeats inside one. In place: dst is the first source with its strides. */
void bench_random(unsigned id, unsigned variant, uint32_t seed)
{
	static struct bench b;
	uint32_t s = seed * 40503u + id * 977u + variant * 131u + 7;
	unsigned form = isa_table[id].form;
	int repeat = (int)pick(&s, 6), dblk = 1 + (int)pick(&s, 3), drep = (int)pick(&s, 16);
	int ablk = (int)pick(&s, 4), bblk = (int)pick(&s, 4), arep = (int)pick(&s, 16), brep = (int)pick(&s, 16);

	if (pick(&s, 3) == 0)
		dblk = ablk = bblk = 1, drep = arep = brep = 8;
	bench_start(&b, id, variant, seed);
	random_mask(&b, &s);
	b.op.x[0] = pick(&s, 8) * 32;
	b.op.x[1] = 8192 + pick(&s, 8) * 32;
	b.op.x[2] = 16384 + pick(&s, 8) * 32;
	b.op.spr.deqscale = vref_half(0.001 * (1 + pick(&s, 900)), 'r', true);
	memcpy(b.mem.cmpmask, b.ub + 64, 16);
	bool same_type = isa_operand_type(id, variant, 0) == isa_operand_type(id, variant, 1);
	if (same_type && pick(&s, 4) == 0 && (form == FORM_VBIN || form == FORM_VUN || form == FORM_VUNS)) {
		b.op.x[0] = b.op.x[1];
		dblk = ablk = ablk ? ablk : 1;
		drep = arep;
	}
	if (form == FORM_VBIN || form == FORM_VCMP || form == FORM_VCMPV || form == FORM_VSEL) {
		int mode = form == FORM_VSEL ? (int)pick(&s, 3) : 0;
		uint32_t bits_at = 16384 + 4096;
		if (mode == 2)
			memcpy(b.mem.cmpmask, &bits_at, 4);
		b.op.x[3] = word_bin(repeat, dblk, ablk, bblk, drep, arep, brep, mode);
		if (form == FORM_VCMP) /* no destination operand */
			b.op.x[0] = 0;
	} else if (form == FORM_VRED || form == FORM_VCG || form == FORM_VCPADD) {
		b.op.x[3] = word_red(repeat, drep, ablk, arep, form == FORM_VRED ? (int)pick(&s, 4) : 0);
	} else {
		b.op.x[3] = word_un(repeat, dblk, ablk, drep, arep);
		if (form == FORM_VUNS || form == FORM_VCMPVS || form == FORM_VDUP) {
			uint64_t scalar = 0;
			memcpy(&scalar, b.ub + pick(&s, 1000) * 4, isa_type_bits(isa_operand_type(id, variant, 1)) / 8);
			b.op.x[2] = scalar;
			if (id == INSN_vshl || id == INSN_vshr)
				b.op.x[2] = pick(&s, isa_type_bits(isa_operand_type(id, variant, 0)) + 1) |
					    (id == INSN_vshr ? (uint64_t)pick(&s, 2) << 32 : 0);
		}
	}
	bench_compare(&b, seed);
}
