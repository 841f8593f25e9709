/*
 * isa_rows.c - the instruction table against itself and against the list of public names: encode and decode are inverse,
 * bad rows are refused with the stated reason, every public intrinsic has a row on its levels.
 */
#include "../isa/row.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void init(void)
{
	char err[512] = "";
	cr_assert(isa_init(err, sizeof err), "%s", err);
}

static uint64_t random_state;
static uint32_t random32(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 32);
}

/* A value for every member that a row's word may carry, in range of its fields. */
static struct isa_word random_word(enum isa_id id)
{
	const struct row *r = row_of(id);
	struct isa_word w = { .id = (uint16_t)id, .variant = (uint8_t)(random32() % isa_variants(id)) };
	for (unsigned i = 0; i < r->n_piece; i++) {
		uint32_t v = random32();
		switch (r->piece[i].field) {
		case FIELD_rd: w.rd = v & 31; break;
		case FIELD_rs1: case FIELD_uimm: w.rs1 = v & 31; break;
		case FIELD_rs2: w.rs2 = v & 31; break;
		case FIELD_rs3: w.rs3 = v & 31; break;
		case FIELD_rm: w.rm = (uint8_t)(v % 5); break;
		case FIELD_imm: {
			unsigned n = r->piece[i].hi - r->piece[i].lo + 1u;
			w.imm = (int32_t)((uint32_t)w.imm | (v & ((UINT64_C(1) << n) - 1)) << r->piece[i].lo);
			break;
		}
		case FIELD_shamt: case FIELD_csr: case FIELD_psrc: case FIELD_pdst: case FIELD_pred: case FIELD_succ: {
			unsigned n = r->piece[i].hi - r->piece[i].lo + 1u;
			unsigned shift = r->piece[i].field == FIELD_psrc ? 3 : r->piece[i].field == FIELD_pred ? 4 : 0;
			w.imm |= (int32_t)((v & ((1u << n) - 1)) << r->piece[i].lo << shift);
			break;
		}
		default: break;
		}
	}
	if (r->fields >> FIELD_imm & 1 && r->imm_bits < 32)
		w.imm = (int32_t)((uint32_t)w.imm << (32 - r->imm_bits)) >> (32 - r->imm_bits);
	return w;
}

Test(isa_rows, decode_inverts_encode, .init = init)
{
	random_state = 1;
	for (unsigned id = 0; id < ISA_COUNT; id++)
		for (int k = 0; k < 300 && isa_table[id].state != ISA_PLAIN; k++) {
			struct isa_word w = random_word((enum isa_id)id), back;
			uint32_t raw;
			cr_assert(isa_encode(&w, &raw), "%s does not encode", isa_table[id].name);
			cr_assert(isa_decode(raw, &back), "%s: 0x%08x does not decode", isa_table[id].name, raw);
			cr_assert(back.id == w.id && back.variant == w.variant && back.rd == w.rd && back.rs1 == w.rs1 &&
				  back.rs2 == w.rs2 && back.rs3 == w.rs3 && back.rm == w.rm && back.imm == w.imm,
				  "%s: 0x%08x comes back as %s", isa_table[id].name, raw, isa_table[back.id].name);
		}
}

Test(isa_rows, encode_inverts_decode, .init = init)
{
	unsigned valid = 0;
	random_state = 2;
	for (int k = 0; k < 3000000; k++) {
		/* the two low bits are 1 in every instruction that is not compressed */
		uint32_t raw = random32() | 3, back;
		struct isa_word w;
		if (!isa_decode(raw, &w))
			continue;
		valid++;
		cr_assert(isa_encode(&w, &back) && back == raw, "0x%08x (%s) encodes as 0x%08x", raw, isa_table[w.id].name,
			  back);
	}
	cr_assert(valid > 300000, "only %u words decoded", valid);
}

Test(isa_rows, words_that_are_no_instructions, .init = init)
{
	/* compressed, all zero, all ones, unknown funct7, type beyond the row's list, reserved rounding modes, rv64a */
	static const uint32_t bad[] = { 0x00000001, 0, 0xffffffff, 0xfe00000b, 0x0000700b, 0x00005053, 0x00006053, 0x1005252f };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct isa_word w;
		cr_expect(!isa_decode(bad[i], &w), "0x%08x decodes as %s", bad[i], isa_table[w.id].name);
	}
}

Test(isa_rows, fields_that_do_not_fit, .init = init)
{
	struct { struct isa_word w; const char *what; } bad[] = {
		{ { .id = RV_addi, .imm = 2048 }, "12-bit immediate" },
		{ { .id = RV_addi, .imm = -2049 }, "12-bit immediate" },
		{ { .id = RV_beq, .imm = 3 }, "odd branch distance" },
		{ { .id = RV_lui, .imm = 1 }, "low bits of lui" },
		{ { .id = RV_add, .rd = 32 }, "register number" },
		{ { .id = RV_slliw, .imm = 32 }, "shift amount" },
		{ { .id = INSN_vadd, .variant = 4 }, "type" },
		{ { .id = INSN_bcnt0 }, "plain C" },
		{ { .id = ISA_COUNT }, "no row" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint32_t raw;
		cr_expect(!isa_encode(&bad[i].w, &raw), "%s was encoded", bad[i].what);
	}
}

/* Encodings that others rely on, drawn by hand from the RISC-V manual and the pictures in ISA.md. */
Test(isa_rows, known_words, .init = init)
{
	static const struct { uint32_t raw; unsigned id; unsigned rd, rs1, rs2; int32_t imm; } known[] = {
		{ 0x00000013, RV_addi, 0, 0, 0, 0 },        { 0xff010113, RV_addi, 2, 2, 0, -16 },
		{ 0xfe0008e3, RV_beq, 0, 0, 0, -16 },       { 0x0000006f, RV_jal, 0, 0, 0, 0 },
		{ 0x123452b7, RV_lui, 5, 0, 0, 0x12345000 },{ 0x00c5f553, RV_fadd_s, 10, 11, 12, 0 },
		{ 0x00c5850b, INSN_vadd, 10, 11, 12, 0 },   { 0x0195005b, INSN_set_flag, 0, 10, 0, 3 << 3 | 1 },
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct isa_word w;
		cr_assert(isa_decode(known[i].raw, &w), "0x%08x", known[i].raw);
		cr_expect(w.id == known[i].id && w.rd == known[i].rd && w.rs1 == known[i].rs1 && w.rs2 == known[i].rs2 &&
			  w.imm == known[i].imm, "0x%08x is read as %s %u %u %u %d", known[i].raw, isa_table[w.id].name, w.rd,
			  w.rs1, w.rs2, w.imm);
	}
}

/* One row with everything right; the bad ones below change one thing each. */
#define GOOD                                                                                                           \
	.name = "good", .enc = "0000000 rs2 rs1 type rd 0001011", .types = "f16 f32",                                  \
	.args = "dst:ub*0 src0:ub*1 src1:ub*2 repeat:u8", .regs = "rd=dst rs1=src0 rs2=src1 x31=vbin",                 \
	.arch = "c220 c100:f16", .doc = "adds", .form = FORM_VBIN, .file = "bad.def", .line = 7
#define BAD(reason, ...) { { GOOD, __VA_ARGS__ }, reason }
#pragma GCC diagnostic ignored "-Woverride-init"

static const struct { struct isa_insn row; const char *reason; } bad_rows[] = {
	BAD("1 bits unaccounted for", .enc = "000000 rs2 rs1 type rd 0001011"),
	BAD("12 bits unaccounted for", .enc = "0000000 rs2 rs1 000"),
	BAD("1 bits too many", .enc = "00000000 rs2 rs1 type rd 0001011"),
	BAD("unknown field 'rs4'", .enc = "0000000 rs4 rs1 type rd 0001011"),
	BAD("field 'rd': a bit stands there twice", .enc = "0000000 rd rs1 type rd 0001011"),
	BAD("bit 5 of field 'imm' is missing", .enc = "imm[11:6] 0 rs2 rs1 type imm[4:0] 0001011"),
	BAD("field 'rd' has no bit 5", .enc = "0000000 rs2 rs1 00 rd[5:0] 0001011"),
	BAD("field 'imm': the slice is not of the form [hi:lo|bit]", .enc = "imm[3:9] rs2 rs1 type rd 0001011"),
	BAD("field 'imm': the slice is not of the form [hi:lo|bit]", .enc = "imm[99999999999999999999:0] 0001011"),
	BAD("no encoding", .enc = NULL),
	BAD("3 type variants in a type field of 1 bits", .enc = "0000000 rs2 rs1 00 type[0] rd 0001011", .types = "f16 f32 s8"),
	BAD("unknown type in 'f17'", .types = "f16 f17"),
	BAD("a type field, but no types", .types = "", .arch = "c220"),
	BAD("unknown level 'c221'", .arch = "c221"),
	BAD("no level", .arch = ""),
	BAD("level names a type that the row lacks: 's8'", .arch = "c100:s8"),
	BAD("an argument has an unknown kind", .args = "dst:ub*0 src0:ub*1 src1:ub*2 repeat:u9"),
	BAD("an argument has an unknown kind", .args = "dst:uc*0 src0:ub*1 src1:ub*2"),
	BAD("an argument is not of the form name:kind or name=number", .args = "dst"),
	BAD("argument 'speed' travels nowhere", .args = "dst:ub*0 src0:ub*1 src1:ub*2 speed:u8"),
	BAD("operand 'rs2' has no field in the encoding", .enc = "0000000 00000 rs1 type rd 0001011"),
	BAD("field 'rs2' has no operand", .regs = "rd=dst rs1=src0 x31=vbin", .args = "dst:ub*0 src0:ub*1 repeat:u8"),
	BAD("field 'rd' is given twice", .regs = "rd=dst rd=src0 rs1=src0 rs2=src1 x31=vbin"),
	BAD("'vbim' is neither an argument nor a word of layout.def", .regs = "rd=dst rs1=src0 rs2=src1 x31=vbim",
	    .args = "dst:ub*0 src0:ub*1 src1:ub*2"),
	BAD("a register is not of the form rd=name or x31=word|name", .regs = "rd"),
	BAD("not modelled, but no reason is given", .state = ISA_NOT_YET, .form = FORM_NONE),
	BAD("modelled, but with a reason why not", .why = "because"),
	BAD("the form must be NONE exactly when the row is not modelled", .form = FORM_NONE),
	BAD("no sentence about it", .doc = ""),
	BAD("plain C, but it has an encoding", .state = ISA_PLAIN),
	BAD("unknown operand 'rs5'", .rv = true, .types = NULL, .enc = "0000000 rs2 rs1 000 rd 0110011", .args = "rd rs1 rs5"),
	BAD("field 'rs2' has no operand", .rv = true, .types = NULL, .enc = "0000000 rs2 rs1 000 rd 0110011",
	    .args = "rd rs1"),
};

Test(isa_rows, bad_rows_are_refused)
{
	const struct isa_insn good = { GOOD };
	char err[512] = "";
	cr_assert(isa_check_rows(&good, 1, err, sizeof err), "%s", err);
	for (size_t i = 0; i < sizeof bad_rows / sizeof *bad_rows; i++) {
		char want[512];
		snprintf(want, sizeof want, "bad.def:7: good: %s", bad_rows[i].reason);
		*err = 0;
		cr_expect(!isa_check_rows(&bad_rows[i].row, 1, err, sizeof err), "accepted: %s", want);
		cr_expect_str_eq(err, want);
	}
}

Test(isa_rows, bad_pairs_are_refused)
{
	struct isa_insn pair[2] = { { GOOD }, { GOOD, .line = 8 } };
	char err[512] = "";
	cr_expect(!isa_check_rows(pair, 2, err, sizeof err));
	cr_expect_str_eq(err, "bad.def:8: good: the name stands at bad.def:7 too");
	pair[1].name = "other";
	pair[1].enc = "000000 type[3] rs2 rs1 type[2:0] rd 0001011";
	cr_expect(!isa_check_rows(pair, 2, err, sizeof err));
	cr_expect_str_eq(err, "bad.def:8: other: overlaps good (bad.def:7)");
	pair[1].enc = "0000001 rs2 rs1 type rd 0001011";
	cr_expect(isa_check_rows(pair, 2, err, sizeof err), "%s", err);
}

static unsigned levels_of(enum isa_id id)
{
	unsigned levels = 0;
	for (unsigned v = 0; v < isa_variants(id); v++)
		levels |= row_of(id)->arch[v];
	return levels;
}

/* Levels that the words behind a name ask for; code common to all levels asks for none in particular. */
static unsigned wanted_levels(const char *text)
{
	static const struct { const char *word; unsigned bit; } words[] = {
		{ "c100", ARCH_C100 }, { "m200", ARCH_M200 }, { "c220", ARCH_C220 }, { "capi2201", ARCH_C220 } };
	unsigned levels = 0;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(text, words[i].word))
			levels |= words[i].bit;
	return levels;
}

Test(isa_rows, every_public_name_has_a_row, .init = init)
{
	FILE *f = fopen("test/data/intrinsics_names.txt", "r");
	cr_assert(f, "run the tests in the repository's root");
	char line[256];
	static bool listed[ISA_COUNT];
	int names = 0;
	while (fgets(line, sizeof line, f)) {
		char name[64];
		if (line[0] == '#' || sscanf(line, "%63s", name) != 1)
			continue;
		names++;
		enum isa_id id = isa_find(name);
		cr_expect(id != ISA_COUNT, "no row for %s", name);
		if (id == ISA_COUNT)
			continue;
		listed[id] = true;
		unsigned missing = wanted_levels(line + strlen(name)) & ~levels_of(id);
		cr_expect(!missing, "%s: not on levels 0x%x", name, missing);
	}
	fclose(f);
	cr_expect(names == 382, "%d names in the list", names);
	/* rows beyond the list */
	listed[INSN_load_unzip_index_from_gm] = true;
	for (unsigned i = 0; i < ISA_COUNT; i++)
		cr_expect(isa_table[i].rv || listed[i], "%s is no public name", isa_table[i].name);
}

/* At least 95 % of the names that the 910B's library calls work, and of the 910's. */
static void share_of(const char *level, unsigned bit)
{
	FILE *f = fopen("test/data/intrinsics_names.txt", "r");
	char line[256], name[64];
	int names = 0, works = 0;
	cr_assert(f);
	while (fgets(line, sizeof line, f)) {
		if (line[0] == '#' || sscanf(line, "%63s", name) != 1 || !strstr(line + strlen(name), level))
			continue;
		enum isa_id id = isa_find(name);
		names++;
		works += id != ISA_COUNT && levels_of(id) & bit && (isa_table[id].state == ISA_DONE || isa_table[id].state ==
			ISA_PLAIN);
	}
	fclose(f);
	cr_expect(names > 90 && works * 100 >= names * 95, "%s: %d of %d names work", level, works, names);
}

Test(isa_rows, most_names_work, .init = init)
{
	share_of("c220", ARCH_C220);
	share_of("c100", ARCH_C100);
}

Test(isa_rows, types_and_levels, .init = init)
{
	cr_expect(isa_operand_type(INSN_mad, 2, 0) == TYPE_F32 && isa_operand_type(INSN_mad, 2, 1) == TYPE_BF16);
	cr_expect(isa_operand_type(INSN_vadd, 1, 2) == TYPE_F32);
	cr_expect(isa_operand_type(INSN_vaxpy, 2, 0) == TYPE_F32 && isa_operand_type(INSN_vaxpy, 2, 1) == TYPE_F16);
	cr_expect(isa_operand_type(INSN_set_flag, 0, 0) == TYPE_NONE);
	/* vadd of s16 exists on the 910B only */
	cr_expect(isa_available(INSN_vadd, 2, ARCH_C220) && !isa_available(INSN_vadd, 2, ARCH_C100));
	cr_expect(isa_available(INSN_vadd, 3, ARCH_C100));
	cr_expect(!isa_available(INSN_vadd, 4, ARCH_C220));
	cr_expect(!isa_available(INSN_copy_gm_to_ubuf_align_b8, 0, ARCH_C100));
	cr_expect(isa_available(RV_addi, 0, ARCH_C100));
	cr_expect(isa_table[INSN_vconv_f322f16o].round == ROUND_ODD && isa_table[INSN_vconv_f162s32a].round == ROUND_AWAY);
}
