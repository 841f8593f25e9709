/*
 * gen_doc.c - the manual isa/ISA.md, written from the instruction table. Committed, and compared by a test.
 */
#include "gen.h"

#include <string.h>

/* A cell of a Markdown table: '|' is escaped, '*' too outside code. */
static void cell(FILE *out, const char *text)
{
	for (const char *s = text ? text : ""; *s; s++)
		fprintf(out, *s == '|' || *s == '*' ? "\\%c" : "%c", *s);
}

static void code(FILE *out, const char *text)
{
	if (!text || !*text)
		return;
	fputc('`', out);
	for (const char *s = text; *s; s++)
		fprintf(out, *s == '|' ? "\\%c" : "%c", *s);
	fputc('`', out);
}

static const char *const state_name[] = {
	[ISA_DONE] = "modelled", [ISA_NOT_YET] = "not yet", [ISA_UNSPEC] = "unspecified", [ISA_PLAIN] = "plain C" };

static const char intro_text[] =
	"# The instruction set of Vinci\n"
	"\n"
	"Written by `make doc` from the instruction table (`isa/*.def`); do not edit.\n"
	"\n"
	"A kernel is RV64 code (IMFD, Zfhmin, Zicsr; nothing compressed) with Da Vinci instructions on the\n"
	"four custom opcodes. Da Vinci rows carry the public intrinsic name; `isa/include/cce.h` makes the\n"
	"intrinsics callable from C11 and C++17. The encodings are Vinci's own: those of the chips are not\n"
	"public.\n"
	"\n"
	"## How to read the tables\n"
	"\n"
	"- **Types**: one entry per variant, in the order of the field `type`; `f32:f16:f16` are the types\n"
	"  of the operands 0 (destination), 1 and 2. `b8 b16 b32`: any type of that width.\n"
	"- **Levels**: c220 (910B), m200 (310P), c100 (910), each with its types where not all exist there.\n"
	"  An overload that a level lacks is not declared for it, and the simulator refuses its word.\n"
	"- **State**: *modelled*; *not yet*: calling it ends with an error that names it; *unspecified*:\n"
	"  the same, and public sources do not say enough to model it; *plain C*: a function of `cce.h`, no\n"
	"  instruction.\n"
	"- **Registers**: `rd=dst`: the argument `dst` travels in rd. `x31=vbin`: x31 holds the word\n"
	"  *vbin* (see Operand words), packed from the arguments that are named like its fields; `fixm|xm`:\n"
	"  or given whole as the argument `xm`. rd is a source, except for `ret`. Scalars travel as their\n"
	"  bits, zero-extended. What a form lacks is 0.\n"
	"- **Arguments**: `name:kind` in public order, `|` between forms; a leading `_` is accepted and\n"
	"  ignored. Kinds: integers `u8`..`s64`, `bool`, `f16`, `f32`; `val0`..`val2`: a value of that\n"
	"  operand's type; `ub*1`: a pointer to operand 1's type in UB (gm, ub, cbuf = L1, ca = L0A, cb =\n"
	"  L0B, cc = L0C, fbuf, bt); `ub4*1`: four UB pointers; `va8`: eight UB addresses; the rest are\n"
	"  the public enums. `name=1` is no argument but a constant.\n"
	"\n"
	"## Encoding\n"
	"\n"
	"```\n"
	" 31      25 24   20 19   15 14    12 11    7 6      0\n"
	"+----------+-------+-------+--------+-------+--------+\n"
	"|  funct7  |  rs2  |  rs1  |  type  |  rd   | opcode |   0001011 vector    0101011 cube, MTE, fixpipe\n"
	"+----------+-------+-------+--------+-------+--------+   1011011 sync, system\n"
	"|  funct7  | 00000 |  src  | round  |  dst  | 1111011|   conversions: funct7 = pair of types\n"
	"+----------+-------+-------+--------+-------+--------+\n"
	"| f6 psrc pdst     | event |  000   | 00000 | 1011011|   flags: pipes are constants, 3 bits each\n"
	"+------------------+-------+--------+-------+--------+\n"
	"```\n"
	"\n"
	"In the column Encoding, 0 and 1 are literal bits and names are fields, most significant bit first;\n"
	"slices as in the RISC-V manuals: `imm[12|10:5]`.\n"
	"\n"
	"| field | bits | what |\n"
	"|---|---|---|\n";

static void intro(FILE *out)
{
	fputs(intro_text, out);
#define FIELD(name, width, to, shift, doc) fprintf(out, "| %s | %d | %s |\n", #name, width, doc);
#include "fields.def"
#undef FIELD
}

static void summary(FILE *out)
{
	static const struct { const char *name; unsigned bit; } level[] = {
		{ "c220 (910B)", ARCH_C220 }, { "m200 (310P)", ARCH_M200 }, { "c100 (910)", ARCH_C100 } };
	fputs("\n## State\n\nDa Vinci names per level, those that public code shared by all levels calls included.\n\n"
	      "| level | modelled | plain C | not yet | unspecified | all |\n|---|---|---|---|---|---|\n", out);
	for (unsigned l = 0; l < 3; l++) {
		unsigned n[4] = { 0 }, all = 0;
		for (unsigned i = 0; i < ISA_COUNT; i++) {
			unsigned levels = 0;
			for (unsigned v = 0; v < isa_variants((enum isa_id)i); v++)
				levels |= row_of((enum isa_id)i)->arch[v];
			if (!isa_table[i].rv && levels & level[l].bit) {
				n[isa_table[i].state]++;
				all++;
			}
		}
		fprintf(out, "| %s | %u | %u | %u | %u | %u |\n", level[l].name, n[ISA_DONE], n[ISA_PLAIN], n[ISA_NOT_YET],
			n[ISA_UNSPEC], all);
	}
}

static void layouts(FILE *out)
{
	fputs("\n## Operand words\n\nThe packed 64-bit words, as the public intrinsics pack them where public sources say so.\n",
	      out);
	const char *word = "";
	for (size_t i = 0; i < cfg_count; i++) {
		const struct cfg *c = &cfg_table[i];
		if (strcmp(c->word, word) != 0)
			fprintf(out, "\n**%s**\n\n| bits | field | what |\n|---|---|---|\n", c->word);
		word = c->word;
		fprintf(out, "| %u:%u", c->lsb + c->width - 1u, c->lsb);
		if (c->width2)
			fprintf(out, ", then %u:%u", c->lsb2 + c->width2 - 1u, c->lsb2);
		fprintf(out, " | %s | ", c->field);
		cell(out, c->doc);
		fputs(" |\n", out);
	}
}

static void dv_row(FILE *out, const struct isa_insn *in)
{
	fprintf(out, "| `%s` | ", in->name);
	cell(out, in->types);
	fputs(" | ", out);
	cell(out, in->arch);
	fprintf(out, " | %s | ", state_name[in->state]);
	cell(out, in->doc);
	fputs(" | ", out);
	code(out, in->enc);
	fputs(" | ", out);
	code(out, in->regs);
	fputs(" | ", out);
	code(out, in->args);
	fputs(" |\n", out);
}

static void by_pipe(FILE *out)
{
	static const struct { enum isa_pipe pipe; const char *title; } group[] = {
		{ PIPE_V, "Vector pipe (V)" }, { PIPE_M, "Cube pipe (M)" }, { PIPE_MTE1, "MTE1: L1 to L0A, L0B, UB, BT" },
		{ PIPE_MTE2, "MTE2: GM to UB, L1, L0" }, { PIPE_MTE3, "MTE3: UB and L1 to GM" },
		{ PIPE_FIX, "Fixpipe (FIX)" }, { PIPE_ALL, "Synchronisation: the pipe is an operand" },
		{ PIPE_S, "Scalar unit (S): registers, caches, helpers" } };
	for (size_t g = 0; g < sizeof group / sizeof *group; g++) {
		fprintf(out, "\n## %s\n\n| name | types | levels | state | what | encoding | registers | arguments |\n"
			     "|---|---|---|---|---|---|---|---|\n", group[g].title);
		for (unsigned i = 0; i < ISA_COUNT; i++)
			if (!isa_table[i].rv && isa_table[i].pipe == group[g].pipe)
				dv_row(out, &isa_table[i]);
	}
}

static void reasons(FILE *out)
{
	fputs("\n## Why some are not modelled\n\n| name | state | reason |\n|---|---|---|\n", out);
	for (unsigned i = 0; i < ISA_COUNT; i++) {
		const struct isa_insn *in = &isa_table[i];
		if (in->state != ISA_NOT_YET && in->state != ISA_UNSPEC)
			continue;
		fprintf(out, "| `%s` | %s | ", in->name, state_name[in->state]);
		cell(out, in->why);
		fputs(" |\n", out);
	}
}

/* Words wrapped at 100 columns. */
static void paragraph(FILE *out, const char *text)
{
	size_t column = 0;
	for (const char *s = text; *s;) {
		size_t n = strcspn(s, " ");
		if (column && column + 1 + n > 100) {
			fputc('\n', out);
			column = 0;
		}
		if (column)
			fputc(' ', out);
		for (size_t i = 0; i < n; i++)
			fprintf(out, s[i] == '*' ? "\\%c" : "%c", s[i]);
		column += n + 1;
		s += n + strspn(s + n, " ");
	}
	fputs("\n", out);
}

static void choices(FILE *out)
{
	static const struct { const char *topic, *text; } choice[] = {
#define CHOICE(topic, text) { topic, text },
#include "choices.def"
#undef CHOICE
	};
	fputs("\n## Choices\n\nWhat Vinci does where public sources leave it open, and the policies of its numbers.\n", out);
	for (size_t i = 0; i < sizeof choice / sizeof *choice; i++) {
		fprintf(out, "\n**%s.**\n", choice[i].topic);
		paragraph(out, choice[i].text);
	}
}

static void base(FILE *out)
{
	fputs("\n## Base instructions of the scalar unit\n\nRV64I, M, F, D, Zfhmin and Zicsr, as in the RISC-V unprivileged "
	      "specification.\n\n| name | what | encoding |\n|---|---|---|\n", out);
	for (unsigned i = 0; i < ISA_COUNT; i++) {
		if (!isa_table[i].rv)
			continue;
		fprintf(out, "| `%s` | ", isa_table[i].name);
		cell(out, isa_table[i].doc);
		fputs(" | ", out);
		code(out, isa_table[i].enc);
		fputs(" |\n", out);
	}
}

void gen_doc(FILE *out)
{
	intro(out);
	summary(out);
	by_pipe(out);
	layouts(out);
	choices(out);
	reasons(out);
	base(out);
}
