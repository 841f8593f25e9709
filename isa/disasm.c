/*
 * disasm.c - text of one instruction. Base instructions are written as llvm-objdump writes them, pseudo-instructions
 * included; Da Vinci instructions with the memory that each address register points into.
 */
#include "row.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text { char *at; size_t left; };

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(t->at, t->left, fmt, ap);
	va_end(ap);
	size_t used = n < 0 ? 0 : (size_t)n < t->left ? (size_t)n : t->left ? t->left - 1 : 0;
	t->at += used;
	t->left -= used;
}

static const char *x_name(unsigned r)
{
	static const char *const name[32] = { "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
					      "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
					      "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6" };
	return name[r & 31];
}

static const char *f_name(unsigned r)
{
	static const char *const name[32] = { "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1", "fa0",
					      "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4", "fs5",
					      "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11" };
	return name[r & 31];
}

enum { CSR_FFLAGS = 1, CSR_FRM = 2, CSR_FCSR = 3, CSR_CYCLE = 0xc00, CSR_TIME = 0xc01, CSR_INSTRET = 0xc02 };

static const char *csr_name(int32_t csr)
{
	switch (csr) {
	case CSR_FFLAGS: return "fflags";
	case CSR_FRM: return "frm";
	case CSR_FCSR: return "fcsr";
	case CSR_CYCLE: return "cycle";
	case CSR_TIME: return "time";
	case CSR_INSTRET: return "instret";
	default: return NULL;
	}
}

static void add_number(struct text *t, int64_t v)
{
	if (v < 0)
		add(t, "-0x%llx", -(unsigned long long)v);
	else
		add(t, "0x%llx", (unsigned long long)v);
}

static void add_accesses(struct text *t, unsigned set)
{
	if (!set)
		add(t, "0");
	static const char letter[] = "wroi";
	for (int i = 3; i >= 0; i--)
		if (set >> i & 1)
			add(t, "%c", letter[i]);
}

/* A pseudo-instruction: the instruction with some operands fixed. */
enum { ANY = -1, SAME = -2 };
struct alias { uint16_t id; int8_t rd, rs1, rs2; int32_t imm; const char *name, *syntax; };
#define ANY_IMM INT32_MIN

static const struct alias aliases[] = {
	{ RV_addi, 0, 0, ANY, 0, "nop", "" },
	{ RV_addi, ANY, 0, ANY, ANY_IMM, "li", "rd imm" },
	{ RV_addi, ANY, ANY, ANY, 0, "mv", "rd rs1" },
	{ RV_xori, ANY, ANY, ANY, -1, "not", "rd rs1" },
	{ RV_sub, ANY, 0, ANY, ANY_IMM, "neg", "rd rs2" },
	{ RV_subw, ANY, 0, ANY, ANY_IMM, "negw", "rd rs2" },
	{ RV_addiw, ANY, ANY, ANY, 0, "sext.w", "rd rs1" },
	{ RV_sltiu, ANY, ANY, ANY, 1, "seqz", "rd rs1" },
	{ RV_sltu, ANY, 0, ANY, ANY_IMM, "snez", "rd rs2" },
	{ RV_slt, ANY, ANY, 0, ANY_IMM, "sltz", "rd rs1" },
	{ RV_slt, ANY, 0, ANY, ANY_IMM, "sgtz", "rd rs2" },
	{ RV_beq, ANY, ANY, 0, ANY_IMM, "beqz", "rs1 target" },
	{ RV_bne, ANY, ANY, 0, ANY_IMM, "bnez", "rs1 target" },
	{ RV_bge, ANY, 0, ANY, ANY_IMM, "blez", "rs2 target" },
	{ RV_bge, ANY, ANY, 0, ANY_IMM, "bgez", "rs1 target" },
	{ RV_blt, ANY, ANY, 0, ANY_IMM, "bltz", "rs1 target" },
	{ RV_blt, ANY, 0, ANY, ANY_IMM, "bgtz", "rs2 target" },
	{ RV_jal, 0, ANY, ANY, ANY_IMM, "j", "target" },
	{ RV_jal, 1, ANY, ANY, ANY_IMM, "jal", "target" },
	{ RV_jalr, 0, 1, ANY, 0, "ret", "" },
	{ RV_jalr, 0, ANY, ANY, 0, "jr", "rs1" },
	{ RV_jalr, 0, ANY, ANY, ANY_IMM, "jr", "mem" },
	{ RV_jalr, 1, ANY, ANY, 0, "jalr", "rs1" },
	{ RV_jalr, 1, ANY, ANY, ANY_IMM, "jalr", "mem" },
	{ RV_jalr, ANY, ANY, ANY, 0, "jalr", "rd rs1" },
	{ RV_fence, ANY, ANY, ANY, 255, "fence", "" },
	{ RV_csrrw, 0, 0, ANY, CSR_CYCLE, "unimp", "" },
	{ RV_csrrs, ANY, 0, ANY, CSR_FCSR, "frcsr", "rd" },
	{ RV_csrrs, ANY, 0, ANY, CSR_FRM, "frrm", "rd" },
	{ RV_csrrs, ANY, 0, ANY, CSR_FFLAGS, "frflags", "rd" },
	{ RV_csrrs, ANY, 0, ANY, CSR_CYCLE, "rdcycle", "rd" },
	{ RV_csrrs, ANY, 0, ANY, CSR_TIME, "rdtime", "rd" },
	{ RV_csrrs, ANY, 0, ANY, CSR_INSTRET, "rdinstret", "rd" },
	{ RV_csrrw, 0, ANY, ANY, CSR_FCSR, "fscsr", "rs1" },
	{ RV_csrrw, 0, ANY, ANY, CSR_FRM, "fsrm", "rs1" },
	{ RV_csrrw, 0, ANY, ANY, CSR_FFLAGS, "fsflags", "rs1" },
	{ RV_csrrw, ANY, ANY, ANY, CSR_FCSR, "fscsr", "rd rs1" },
	{ RV_csrrw, ANY, ANY, ANY, CSR_FRM, "fsrm", "rd rs1" },
	{ RV_csrrw, ANY, ANY, ANY, CSR_FFLAGS, "fsflags", "rd rs1" },
	{ RV_csrrwi, 0, ANY, ANY, CSR_FRM, "fsrmi", "uimm" },
	{ RV_csrrwi, 0, ANY, ANY, CSR_FFLAGS, "fsflagsi", "uimm" },
	{ RV_csrrwi, ANY, ANY, ANY, CSR_FRM, "fsrmi", "rd uimm" },
	{ RV_csrrwi, ANY, ANY, ANY, CSR_FFLAGS, "fsflagsi", "rd uimm" },
	{ RV_csrrs, ANY, 0, ANY, ANY_IMM, "csrr", "rd csr" },
	{ RV_csrrw, 0, ANY, ANY, ANY_IMM, "csrw", "csr rs1" },
	{ RV_csrrs, 0, ANY, ANY, ANY_IMM, "csrs", "csr rs1" },
	{ RV_csrrc, 0, ANY, ANY, ANY_IMM, "csrc", "csr rs1" },
	{ RV_csrrwi, 0, ANY, ANY, ANY_IMM, "csrwi", "csr uimm" },
	{ RV_csrrsi, 0, ANY, ANY, ANY_IMM, "csrsi", "csr uimm" },
	{ RV_csrrci, 0, ANY, ANY, ANY_IMM, "csrci", "csr uimm" },
	{ RV_fsgnj_s, ANY, ANY, SAME, ANY_IMM, "fmv.s", "fd fs1" },
	{ RV_fsgnjn_s, ANY, ANY, SAME, ANY_IMM, "fneg.s", "fd fs1" },
	{ RV_fsgnjx_s, ANY, ANY, SAME, ANY_IMM, "fabs.s", "fd fs1" },
	{ RV_fsgnj_d, ANY, ANY, SAME, ANY_IMM, "fmv.d", "fd fs1" },
	{ RV_fsgnjn_d, ANY, ANY, SAME, ANY_IMM, "fneg.d", "fd fs1" },
	{ RV_fsgnjx_d, ANY, ANY, SAME, ANY_IMM, "fabs.d", "fd fs1" },
};

static bool alias_fits(const struct alias *a, const struct isa_word *w)
{
	return a->id == w->id && (a->rd == ANY || a->rd == w->rd) && (a->rs1 == ANY || a->rs1 == w->rs1) &&
	       (a->rs2 == ANY || (a->rs2 == SAME ? w->rs2 == w->rs1 : a->rs2 == w->rs2)) &&
	       (a->imm == ANY_IMM || a->imm == w->imm);
}

static bool is_word(const char *s, size_t n, const char *word) { return strlen(word) == n && memcmp(s, word, n) == 0; }

/* One operand of the assembler syntax. False when nothing is written (the usual rounding mode). */
static bool add_operand(struct text *t, const struct isa_word *w, uint64_t pc, const char *s, size_t n, const char *sep)
{
	static const char *const rounding[8] = { "rne", "rtz", "rdn", "rup", "rmm", "rm5", "rm6", "dyn" };
	bool rm = is_word(s, n, "rm"), rmx = is_word(s, n, "rmx");
	/* conversions that are exact have no rounding in the assembler; other encodings than 0 show it */
	if ((rm && w->rm == 7) || (rmx && w->rm == 0))
		return false;
	add(t, "%s", sep);
	if (rm || rmx)
		add(t, "%s", rounding[w->rm & 7]);
	else if (s[0] == 'f')
		add(t, "%s", f_name(s[1] == 'd' ? w->rd : s[2] == '1' ? w->rs1 : s[2] == '2' ? w->rs2 : w->rs3));
	else if (s[0] == 'r')
		add(t, "%s", x_name(s[1] == 'd' ? w->rd : s[2] == '1' ? w->rs1 : w->rs2));
	else if (is_word(s, n, "target"))
		add(t, "0x%llx", (unsigned long long)(pc + (uint64_t)(int64_t)w->imm));
	else if (is_word(s, n, "upper"))
		add(t, "0x%x", (uint32_t)w->imm >> 12);
	else if (is_word(s, n, "uimm"))
		add_number(t, w->rs1);
	else if (is_word(s, n, "csr") && csr_name(w->imm))
		add(t, "%s", csr_name(w->imm));
	else if (is_word(s, n, "order")) {
		add_accesses(t, (unsigned)w->imm >> 4 & 15);
		add(t, ", ");
		add_accesses(t, (unsigned)w->imm & 15);
	} else
		add_number(t, w->imm);
	if (is_word(s, n, "mem"))
		add(t, "(%s)", x_name(w->rs1));
	return true;
}

static void rv_text(struct text *t, const struct isa_word *w, uint64_t pc)
{
	const char *name = isa_table[w->id].name, *syntax = isa_table[w->id].args;
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (alias_fits(&aliases[i], w)) {
			name = aliases[i].name;
			syntax = aliases[i].syntax;
			break;
		}
	add(t, "%s", name);
	const char *sep = "\t";
	for (const char *s = syntax ? syntax : ""; *s;) {
		size_t n = strcspn(s, " ");
		if (add_operand(t, w, pc, s, n, sep))
			sep = ", ";
		s += n + strspn(s + n, " ");
	}
}

/* Memory that the argument of a register points into; empty for values. */
static const char *space_of(const struct isa_insn *in, const char *word)
{
	for (unsigned form = 0; form < args_forms(in->args); form++) {
		struct args args;
		const char *why;
		if (!args_parse(in->args, form, &args, &why))
			continue;
		const struct arg *a = args_find(&args, word);
		const char *star = a ? strchr(a->kind, '*') : NULL;
		if (!star || strncmp(a->kind, "ub4", 3) == 0)
			continue;
		static const char *const spaces[] = { "gm", "ub", "cbuf", "ca", "cb", "cc", "fbuf", "bt" };
		for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
			if (is_word(a->kind, (size_t)(star - a->kind), spaces[i]))
				return spaces[i];
	}
	return "";
}

static void dv_text(struct text *t, const struct isa_word *w)
{
	const struct isa_insn *in = &isa_table[w->id];
	const struct row *row = row_of((enum isa_id)w->id);
	add(t, "%s", in->name);
	for (unsigned k = 0; row->n_variant > 1 && k < ROW_OPERANDS; k++)
		if (k == 0 || row->type[w->variant][k] != row->type[w->variant][k - 1] || strchr(in->types, ':'))
			add(t, ".%s", isa_type_name((enum isa_type)row->type[w->variant][k]));
	struct regs regs;
	const char *why, *sep = "\t";
	if (in->state != ISA_DONE || !regs_parse(in->regs, &regs, &why))
		return;
	for (int i = 0; i < regs.n; i++) {
		const struct reg *r = &regs.reg[i];
		const char *space = space_of(in, r->word);
		const char *name = r->field == FIELD_psrc  ? isa_pipe_name(isa_psrc(w->imm))
				   : r->field == FIELD_pdst ? isa_pipe_name(isa_pdst(w->imm))
				   : r->field == FIELD_rd   ? x_name(w->rd)
				   : r->field == FIELD_rs1  ? x_name(w->rs1)
				   : r->field == FIELD_rs2  ? x_name(w->rs2)
							    : "t6";
		add(t, *space ? "%s%s[%s]" : "%s%s%s", sep, space, name);
		sep = ", ";
	}
}

void isa_disasm(uint32_t raw, uint64_t pc, char *text, size_t size)
{
	struct text t = { text, size };
	struct isa_word w;
	if (!size)
		return;
	*text = 0;
	if (!isa_decode(raw, &w))
		add(&t, "<unknown>");
	else if (isa_table[w.id].rv)
		rv_text(&t, &w, pc);
	else
		dv_text(&t, &w);
}
