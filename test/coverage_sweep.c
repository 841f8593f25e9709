/*
 * coverage_sweep.c - every modelled row x type of the units on every chip that has it, with operands made from the table's
 * own columns: a plain op must run; the same op with an operand at the very end of its buffer must run and touch the last
 * byte; one step further, and off its alignment, it must be refused with a named error; reserved bits likewise; repeat 0
 * must do nothing. What the ops compute is the business of the other tests.
 */
#include "../isa/row.h"
#include "coverage.h"
#include "unit_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

/* Where an operand of the op under test lies. */
struct place { int reg; enum isa_space space; uint64_t addr, extent; bool packed; };

struct subject {
	struct unit_rig *r;
	enum isa_id id;
	unsigned variant;
	uint64_t x[4];
	struct place place[4];
	int n_place, count_reg; /* register of the word with the count */
	unsigned count_lsb, count_width;
};

static enum isa_space space_of(const char *qualifier)
{
	static const struct { const char *name; enum isa_space space; } names[] = {
		{ "__gm__", SPACE_GM }, { "__ubuf__", SPACE_UB }, { "__cbuf__", SPACE_L1 }, { "__ca__", SPACE_L0A },
		{ "__cb__", SPACE_L0B }, { "__cc__", SPACE_L0C }, { "__fbuf__", SPACE_FB }, { "__biasbuf__", SPACE_BT } };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i].name, qualifier) == 0)
			return names[i].space;
	return SPACE_NONE;
}

/* A small op: one repeat, one burst, one fractal, strides of one block. Fields that are not listed are 0. */
static uint64_t field_value(const struct subject *s, const struct cfg *c)
{
	static const struct { const char *word, *field; uint64_t value; } defaults[] = {
		{ NULL, "repeat", 1 }, { NULL, "n_burst", 1 }, { "dmaal", "len_burst", 32 }, { NULL, "len_burst", 1 },
		{ NULL, "dst_blk", 1 }, { NULL, "src_blk", 1 }, { NULL, "src0_blk", 1 }, { NULL, "src1_blk", 1 },
		{ "nd2nz", "nd_num", 1 }, { "nd2nz", "n_value", 16 }, { "nd2nz", "d_value", 32 },
		{ "nd2nzdst", "src_d_value", 32 }, { "nd2nzdst", "dst_nz_c0_stride", 16 }, { "nd2nzdst", "dst_nz_n_stride", 1 },
		{ "load2d", "src_stride", 1 }, { "loadtr", "src_stride", 1 }, { "img2colk", "k_ext", 64 }, { "img2colk",
			"m_ext", 16 },
		{ NULL, "stride_w", 1 }, { NULL, "stride_h", 1 }, { NULL, "filter_w", 1 }, { NULL, "filter_h", 1 },
		{ NULL, "dilation_w", 1 }, { NULL, "dilation_h", 1 }, { "img2colf", "channels", 64 }, { "img1", "jump_stride",
			1 },
		{ "fill", "blk_num", 1 }, { "mad", "m", 16 }, { "mad", "k", 64 }, { "mad", "n", 16 }, { "mad", "init_val", 1 },
		{ "fixm", "n_size", 32 }, { "fixm", "m_size", 16 }, { "fixm", "dst_stride", 32 }, { "fixt", "src_stride", 16 },
		{ "vrv2", "pattern", 7 }, { "vmrg", "valid", 3 }, { "vmrglen", "len0", 16 }, { "vmrglen", "len1", 16 },
		{ "vred", "dst_rep", 1 },
	};
	if (strcmp(c->word, "fixt") == 0 && strcmp(c->field, "quant_pre") == 0) {
		enum isa_type d = isa_operand_type(s->id, s->variant, 0), a = isa_operand_type(s->id, s->variant, 1);
		if (a == TYPE_F32)
			return d == TYPE_F32 ? 0 : d == TYPE_F16 ? 1 : d == TYPE_BF16 ? 16 : 24;
		return d == TYPE_S32 ? 0 : d == TYPE_F16 ? 5 : d == TYPE_S16 ? 13 : 3;
	}
	if (isa_table[s->id].form == FORM_LOADSP && strcmp(c->field, "src_stride") == 0)
		return 0; /* it has none */
	for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
		if (strcmp(defaults[i].field, c->field) == 0 && (!defaults[i].word || strcmp(defaults[i].word, c->word) == 0))
			return defaults[i].value;
	return 0;
}

static uint64_t word_value(struct subject *s, const char *word, int reg)
{
	uint64_t v = 0;
	for (size_t i = 0; i < cfg_count; i++) {
		const struct cfg *c = &cfg_table[i];
		if (strcmp(c->word, word) != 0)
			continue;
		v |= field_value(s, c) << c->lsb;
		bool count = strcmp(c->field, "repeat") == 0 || strcmp(c->field, "n_burst") == 0 || strcmp(c->field,
			"nd_num") == 0 ||
			     (strcmp(c->field, "m") == 0 && strcmp(word, "mad") == 0) || strcmp(c->field, "m_size") == 0 ||
			     strcmp(c->field, "m_ext") == 0;
		if (count) {
			s->count_reg = reg;
			s->count_lsb = c->lsb;
			s->count_width = c->width;
		}
	}
	return v;
}

/* Values that are neither pointers nor words: scalars are 0; conversions between L0C and UB follow the types. */
static uint64_t plain_value(const struct subject *s, const char *name)
{
	enum isa_type d = isa_operand_type(s->id, s->variant, 0), a = isa_operand_type(s->id, s->variant, 1);
	if (strcmp(name, "crmode") != 0 || d == a)
		return 0;
	if (a == TYPE_F32)
		return 1;
	if (a == TYPE_F16)
		return 4;
	return d == TYPE_F16 ? 7 : 9;
}

static void put_place(struct subject *s, int reg, enum isa_space space)
{
	uint64_t addr = space == SPACE_GM ? s->r->gm_addr : 0;
	for (int i = 0; i < s->n_place; i++)
		if (s->place[i].space == space)
			addr += 0x4000;
	s->place[s->n_place++] = (struct place){ .reg = reg, .space = space, .addr = addr };
	s->x[reg] = addr;
}

/* Operand words from the columns .args and .regs of the first form. */
static void build(struct subject *s)
{
	struct args args;
	struct regs regs;
	const char *why;
	cr_assert(args_parse(isa_table[s->id].args, 0, &args, &why) && regs_parse(isa_table[s->id].regs, &regs, &why), "%s",
		why);
	for (int i = 0; i < regs.n; i++) {
		int reg = regs.reg[i].field == FIELD_rd ? 0 : regs.reg[i].field == FIELD_rs1 ? 1 : regs.reg[i].field ==
			FIELD_rs2 ? 2 : 3;
		const struct arg *a = args_find(&args, regs.reg[i].word);
		if (!a) {
			s->x[reg] = word_value(s, regs.reg[i].word, reg);
			continue;
		}
		struct kind k = kind_of(a->kind);
		if (k.class == KIND_POINTER)
			put_place(s, reg, space_of(k.qualifier));
		else if (k.class == KIND_ARRAY4) {
			s->x[reg] = 0x5000 / 8 | (uint64_t)(0x6000 / 8) << 16;
		} else if (strcmp(a->name, "dst") == 0 && strcmp(a->kind, "u64") == 0) {
			put_place(s, reg, SPACE_BT);
		} else {
			s->x[reg] = plain_value(s, a->name);
		}
	}
}

static bool run(struct subject *s) { return unit_try(s->r, s->id, s->variant, s->x[0], s->x[1], s->x[2], s->x[3]); }

static uint64_t extent(const struct subject *s, const struct place *p)
{
	uint64_t end = p->addr;
	for (unsigned i = 0; i < s->r->e.n_access; i++) {
		const struct access *a = &s->r->e.access[i];
		uint64_t to = a->addr + a->unit_bytes;
		for (int d = 0; d < 3; d++)
			to += a->stride[d] > 0 ? (uint64_t)a->stride[d] * (a->n[d] - 1) : 0;
		if (a->space == p->space && a->addr >= p->addr && a->addr < p->addr + 0x4000 && to > end)
			end = to;
	}
	return end - p->addr;
}

static const char *label(const struct subject *s)
{
	static char text[160];
	snprintf(text, sizeof text, "%s variant %u on %.32s", isa_table[s->id].name, s->variant, s->r->chip.name);
	return text;
}

static void refused(struct subject *s, const char *how)
{
	cr_expect(!run(s), "%s: %s is accepted", label(s), how);
	cr_expect(s->r->f.class == FAIL_KERNEL || s->r->f.class == FAIL_NONE, "%s: %s: %s", label(s), how, s->r->f.what);
	coverage_refused(&s->r->op, &s->r->f);
}

static void edges(struct subject *s, const struct place *p)
{
	uint64_t size = p->space == SPACE_GM ? s->r->gm_size : (uint64_t)s->r->mem.size[p->space], base = p->space ==
		SPACE_GM ? s->r->gm_addr : 0;
	uint64_t was = s->x[p->reg];
	if (!p->extent)
		return; /* an operand that this op does not touch */
	s->x[p->reg] = base + size - p->extent;
	bool last = run(s);
	if (last)
		coverage_edge(&s->r->mem, &s->r->op, &s->r->e);
	else /* the extent is no multiple of the alignment */
		cr_expect(strstr(s->r->f.what, "multiple of") || strstr(s->r->f.what, "aligned"), "%s at the end of %s: %s",
			label(s),
			  isa_space_name(p->space), s->r->f.what);
	s->x[p->reg] = base + (size - p->extent) / 512 * 512 + 512;
	refused(s, "an operand past the end");
	if (p->space != SPACE_GM) {
		s->x[p->reg] = was + 1;
		refused(s, "an odd address");
	}
	s->x[p->reg] = was;
}

/* Each bit that no field of the word claims, where a word is held to its fields. */
static void nothing(struct subject *s)
{
	uint64_t was = s->x[s->count_reg];
	if (!s->count_width)
		return;
	s->x[s->count_reg] = was & ~(((UINT64_C(1) << s->count_width) - 1) << s->count_lsb);
	cr_expect(run(s) && s->r->e.nop, "%s with a count of 0: %s", label(s), s->r->f.what);
	coverage_ran(&s->r->op, &s->r->e);
	s->x[s->count_reg] = was;
}

static bool swept(enum isa_id id, unsigned variant, const struct unit_rig *r, enum isa_core kind)
{
	const struct isa_insn *row = &isa_table[id];
	return !row->rv && row->state == ISA_DONE && row->pipe != PIPE_S && row->pipe != PIPE_ALL && row->form != FORM_VNCHW &&
	       isa_available(id, variant, r->chip.arch) && (!row->cores || row->cores & kind);
}

static void prepare(struct unit_rig *r)
{
	for (int sp = SPACE_UB; sp < SPACE_COUNT; sp++) /* zeros: offsets in range, no NaN */
		if (r->mem.buf[sp])
			memset(r->mem.buf[sp], 0, (size_t)r->mem.size[sp]);
	r->op.spr.mask_lo = r->op.spr.mask_hi = UINT64_MAX;
	r->op.spr.fmatrix = 4 | 4 << 16;
	r->op.spr.nd_para = 1;
}

/* deqscale as a parameter, or as the place of sixteen, for results of the destination's sign. */
static void prepare_scales(struct subject *s)
{
	uint64_t q = isa_operand_type(s->id, s->variant, 0) == TYPE_S8 ? UINT64_C(1) << 46 : 0, table = 0x10000;
	bool many = strstr(isa_table[s->id].name, "vdeqs") != NULL;
	for (int i = 0; many && i < 16; i++)
		memcpy(unit_at(s->r, SPACE_UB, table + 8 * (uint64_t)i), &q, 8);
	s->r->op.spr.deqscale = many ? table / 32 : q;
}

static void sweep(const char *chip, enum isa_core kind, uint64_t seed)
{
	struct unit_rig r;
	int n = 0;
	unit_open(&r, chip, kind, seed);
	prepare(&r);
	for (unsigned id = 0; id < ISA_COUNT; id++)
		for (unsigned v = 0; v < isa_variants((enum isa_id)id); v++) {
			struct subject s = { .r = &r, .id = (enum isa_id)id, .variant = v };
			if (!swept(s.id, v, &r, kind))
				continue;
			n++;
			prepare_scales(&s);
			build(&s);
			cr_expect(run(&s), "%s: %s", label(&s), r.f.what);
			if (r.f.class != FAIL_NONE)
				continue;
			for (int i = 0; i < s.n_place; i++)
				s.place[i].extent = extent(&s, &s.place[i]);
			for (int i = 0; i < s.n_place; i++)
				edges(&s, &s.place[i]);
			nothing(&s);
		}
	cr_assert_gt(n, 20);
	unit_close(&r);
}

Test(coverage, cube_rows) { sweep("ascend910b1", CORE_CUBE, 301); }
Test(coverage, vector_rows) { sweep("ascend910b1", CORE_VEC, 302); }
Test(coverage, rows_of_310p) { sweep("ascend310p", CORE_FUSED, 303); }
Test(coverage, rows_of_910) { sweep("ascend910", CORE_FUSED, 304); }
