/*
 * args.c - reads the columns .args and .regs: which C arguments an intrinsic has, and how they travel in registers.
 */
#include "row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct cfg cfg_table[] = {
#define CFG(word, field, lsb, width, doc) { #word, #field, lsb, width, 0, 0, doc },
#define CFG2(word, field, lsb, width, lsb2, width2, doc) { #word, #field, lsb, width, lsb2, width2, doc },
#include "layout.def"
#undef CFG
#undef CFG2
};
const size_t cfg_count = sizeof cfg_table / sizeof *cfg_table;

const struct cfg *cfg_find(const char *word, const char *field)
{
	for (size_t i = 0; i < cfg_count; i++)
		if (strcmp(cfg_table[i].word, word) == 0 && (!field || strcmp(cfg_table[i].field, field) == 0))
			return &cfg_table[i];
	return NULL;
}

/* Kinds that are plain C types, with their width; the enums are those of include/cce.h. */
static const struct { const char *kind, *type; int bits; enum kind_class class; } kinds[] = {
	{ "bool", "bool", 1, KIND_INT },          { "u8", "uint8_t", 8, KIND_INT },
	{ "u16", "uint16_t", 16, KIND_INT },      { "u32", "uint32_t", 32, KIND_INT },
	{ "u64", "uint64_t", 64, KIND_INT },      { "s8", "int8_t", 64, KIND_INT },
	{ "s16", "int16_t", 64, KIND_INT },       { "s32", "int32_t", 64, KIND_INT },
	{ "s64", "int64_t", 64, KIND_INT },       { "f16", "half", 16, KIND_FLOAT },
	{ "f32", "float", 32, KIND_FLOAT },       { "pipe", "pipe_t", 64, KIND_INT },
	{ "event", "event_t", 64, KIND_INT },     { "order", "Order_t", 64, KIND_INT },
	{ "addr_mode", "addr_cal_mode_t", 64, KIND_INT },
	{ "pad", "pad_t", 64, KIND_INT },         { "quant", "QuantMode_t", 64, KIND_INT },
	{ "crmode", "ConvRelu_t", 64, KIND_INT }, { "va", "ub_addr8_t", 64, KIND_INT },
	{ "vah", "vtype_t", 64, KIND_INT },       { "line", "cache_line_t", 64, KIND_INT },
	{ "out", "dcci_dst_t", 64, KIND_INT },    { "dsbmem", "mem_dsb_t", 64, KIND_INT },
	{ "csize", "csize_t", 64, KIND_INT },     { "mem", "mem_t", 8, KIND_INT },
};

static const struct { const char *name, *qualifier; } spaces[] = {
	{ "gm", "__gm__" },  { "ub", "__ubuf__" }, { "cbuf", "__cbuf__" }, { "ca", "__ca__" },
	{ "cb", "__cb__" },  { "cc", "__cc__" },   { "fbuf", "__fbuf__" }, { "bt", "__biasbuf__" },
};

static const char *fixed_type(const char *name)
{
	if (strcmp(name, "void") == 0)
		return "void";
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].kind, name) == 0)
			return kinds[i].type;
	return NULL;
}

static struct kind pointer_kind(const char *text, const char *star)
{
	struct kind k = { .class = KIND_POINTER, .operand = -1, .bits = 64 };
	char space[8] = "";
	size_t n = (size_t)(star - text);
	if (n < sizeof space)
		memcpy(space, text, n);
	if (strcmp(space, "ub4") == 0) {
		k.class = KIND_ARRAY4;
		space[2] = 0;
	}
	const char *to = star + 1, *fixed = fixed_type(to);
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
		if (strcmp(spaces[i].name, space) == 0)
			snprintf(k.qualifier, sizeof k.qualifier, "%s", spaces[i].qualifier);
	if (strcmp(to, "any") == 0)
		k.any = true;
	else if (*to >= '0' && *to < '0' + ROW_OPERANDS && !to[1])
		k.operand = *to - '0';
	else if (fixed)
		snprintf(k.fixed, sizeof k.fixed, "%s", fixed);
	else
		k.class = KIND_BAD;
	if (!*k.qualifier)
		k.class = KIND_BAD;
	return k;
}

struct kind kind_of(const char *text)
{
	struct kind k = { .class = KIND_BAD, .operand = -1 };
	const char *star = strchr(text, '*');
	if (star)
		return pointer_kind(text, star);
	if (strcmp(text, "va8") == 0) {
		k.class = KIND_VA8;
		k.bits = 64;
	} else if (strncmp(text, "val", 3) == 0 && text[3] >= '0' && text[3] < '0' + ROW_OPERANDS && !text[4]) {
		k.class = KIND_VALUE;
		k.operand = text[3] - '0';
		k.bits = 64;
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].kind, text) == 0) {
			k.class = kinds[i].class;
			k.bits = kinds[i].bits;
			snprintf(k.fixed, sizeof k.fixed, "%s", kinds[i].type);
		}
	return k;
}

unsigned args_forms(const char *text)
{
	unsigned n = 1;
	for (; text && *text; text++)
		n += *text == '|';
	return n;
}

static bool read_arg(const char *s, size_t n, struct arg *a, const char **why)
{
	size_t name = strcspn(s, ":= |");
	if (name >= n || name == 0 || name >= sizeof a->name || n - name - 1 >= sizeof a->kind) {
		*why = "an argument is not of the form name:kind or name=number";
		return false;
	}
	memcpy(a->name, s, name);
	memcpy(a->kind, s + name + 1, n - name - 1);
	a->ignored = a->name[0] == '_';
	if (s[name] == '=') {
		char *end;
		a->constant = true;
		a->value = strtoull(a->kind, &end, 0);
		*why = "a constant is no number";
		return *end == 0;
	}
	*why = "an argument has an unknown kind";
	return kind_of(a->kind).class != KIND_BAD;
}

bool args_parse(const char *text, unsigned form, struct args *out, const char **why)
{
	memset(out, 0, sizeof *out);
	const char *s = text ? text : "";
	for (; form && *s; s++)
		form -= *s == '|';
	while (*s && *s != '|') {
		size_t n = strcspn(s, " |");
		if (n) {
			if (out->n == ARG_MAX) {
				*why = "too many arguments";
				return false;
			}
			if (!read_arg(s, n, &out->arg[out->n], why))
				return false;
			out->n++;
		}
		s += n;
		s += *s == ' ';
	}
	return true;
}

const struct arg *args_find(const struct args *a, const char *name)
{
	for (int i = 0; i < a->n; i++)
		if (strcmp(a->arg[i].name, name) == 0)
			return &a->arg[i];
	return NULL;
}

static bool reg_field(const char *s, size_t n, enum field_id *out)
{
	static const struct { const char *name; enum field_id field; } names[] = {
		{ "rd", FIELD_rd }, { "rs1", FIELD_rs1 }, { "rs2", FIELD_rs2 }, { "x31", FIELD_COUNT },
		{ "psrc", FIELD_psrc }, { "pdst", FIELD_pdst } };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i].name) == n && memcmp(names[i].name, s, n) == 0) {
			*out = names[i].field;
			return true;
		}
	return false;
}

bool regs_parse(const char *text, struct regs *out, const char **why)
{
	memset(out, 0, sizeof *out);
	for (const char *s = text ? text : ""; *s;) {
		size_t n = strcspn(s, " "), eq = strcspn(s, "= "), bar = strcspn(s, "| ");
		struct reg *r = &out->reg[out->n];
		*why = "a register is not of the form rd=name or x31=word|name";
		if (out->n == REG_MAX || eq >= n || !reg_field(s, eq, &r->field) || bar - eq - 1 >= sizeof r->word ||
		    (bar < n && n - bar - 1 >= sizeof r->raw))
			return false;
		memcpy(r->word, s + eq + 1, bar - eq - 1);
		if (bar < n)
			memcpy(r->raw, s + bar + 1, n - bar - 1);
		out->n++;
		s += n + strspn(s + n, " ");
	}
	return true;
}

/* Does an argument reach a register? "addrs_hi" is the upper word of a va8, "field_hi" the upper part of a CFG2 field. */
static bool arg_travels(const struct arg *a, const struct regs *regs)
{
	for (int i = 0; i < regs->n; i++) {
		const struct reg *r = &regs->reg[i];
		char base[32];
		snprintf(base, sizeof base, "%s", a->name);
		size_t n = strlen(base);
		if (strcmp(r->word, a->name) == 0 || strcmp(r->raw, a->name) == 0 || cfg_find(r->word, a->name))
			return true;
		if (n > 3 && strcmp(base + n - 3, "_hi") == 0) {
			base[n - 3] = 0;
			const struct cfg *c = cfg_find(r->word, base);
			if (c && c->width2)
				return true;
		}
	}
	return false;
}

static bool reg_has_source(const struct isa_insn *in, const struct reg *r)
{
	if (cfg_find(r->word, NULL))
		return true;
	for (unsigned form = 0; form < args_forms(in->args); form++) {
		struct args args;
		const char *why;
		if (!args_parse(in->args, form, &args, &why))
			return false;
		if (args_find(&args, r->word))
			return true;
		for (int i = 0; i < args.n; i++) {
			size_t n = strlen(args.arg[i].name);
			if (kind_of(args.arg[i].kind).class == KIND_VA8 && strncmp(r->word, args.arg[i].name, n) == 0 &&
			    strcmp(r->word + n, "_hi") == 0)
				return true;
		}
	}
	return false;
}

static bool check_regs(const struct isa_insn *in, const struct row *row, const struct regs *regs, char *err,
		       size_t err_size)
{
	uint32_t given = UINT32_C(1) << FIELD_type;
	for (int i = 0; i < regs->n; i++) {
		const struct reg *r = &regs->reg[i];
		if (r->field != FIELD_COUNT) {
			if (!(row->fields >> r->field & 1))
				return row_fail(in, err, err_size, "operand '%s' has no field in the encoding",
						field_name(r->field));
			if (given >> r->field & 1)
				return row_fail(in, err, err_size, "field '%s' is given twice", field_name(r->field));
			given |= UINT32_C(1) << r->field;
		}
		if (!reg_has_source(in, r))
			return row_fail(in, err, err_size, "'%s' is neither an argument nor a word of layout.def", r->word);
	}
	for (unsigned f = 0; f < FIELD_COUNT; f++)
		if (row->fields >> f & 1 && !(given >> f & 1))
			return row_fail(in, err, err_size, "field '%s' has no operand", field_name(f));
	return true;
}

bool args_check(const struct isa_insn *in, const struct row *row, char *err, size_t err_size)
{
	struct regs regs;
	const char *why = "";
	if (!regs_parse(in->regs, &regs, &why))
		return row_fail(in, err, err_size, "%s", why);
	for (unsigned form = 0; form < args_forms(in->args); form++) {
		struct args args;
		if (!args_parse(in->args, form, &args, &why))
			return row_fail(in, err, err_size, "%s", why);
		for (int i = 0; i < args.n; i++) {
			const struct arg *a = &args.arg[i];
			if (!a->ignored && !arg_travels(a, &regs))
				return row_fail(in, err, err_size, "argument '%s' travels nowhere", a->name);
			if (!a->constant && kind_of(a->kind).operand >= 0 && !row->has_types)
				return row_fail(in, err, err_size, "argument '%s' has an element type, but the row has none",
						a->name);
		}
	}
	return check_regs(in, row, &regs, err, err_size);
}

/* Fields that each word of the assembler syntax stands for. */
static uint32_t syntax_fields(const char *s, size_t n)
{
	static const struct { const char *word; enum field_id field[2]; } words[] = {
		{ "rd", { FIELD_rd, FIELD_rd } },      { "fd", { FIELD_rd, FIELD_rd } },
		{ "rs1", { FIELD_rs1, FIELD_rs1 } },   { "fs1", { FIELD_rs1, FIELD_rs1 } },
		{ "rs2", { FIELD_rs2, FIELD_rs2 } },   { "fs2", { FIELD_rs2, FIELD_rs2 } },
		{ "fs3", { FIELD_rs3, FIELD_rs3 } },   { "imm", { FIELD_imm, FIELD_imm } },
		{ "upper", { FIELD_imm, FIELD_imm } }, { "target", { FIELD_imm, FIELD_imm } },
		{ "mem", { FIELD_imm, FIELD_rs1 } },   { "shamt", { FIELD_shamt, FIELD_shamt } },
		{ "csr", { FIELD_csr, FIELD_csr } },   { "uimm", { FIELD_uimm, FIELD_uimm } },
		{ "rm", { FIELD_rm, FIELD_rm } },      { "rmx", { FIELD_rm, FIELD_rm } },
		{ "order", { FIELD_pred, FIELD_succ } },
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i].word) == n && memcmp(words[i].word, s, n) == 0)
			return UINT32_C(1) << words[i].field[0] | UINT32_C(1) << words[i].field[1];
	return 0;
}

bool syntax_check(const struct isa_insn *in, const struct row *row, char *err, size_t err_size)
{
	uint32_t given = 0;
	for (const char *s = in->args ? in->args : ""; *s;) {
		size_t n = strcspn(s, " ");
		uint32_t f = syntax_fields(s, n);
		if (!f)
			return row_fail(in, err, err_size, "unknown operand '%.*s'", (int)n, s);
		if (f & ~row->fields)
			return row_fail(in, err, err_size, "operand '%.*s' has no field in the encoding", (int)n, s);
		given |= f;
		s += n + strspn(s + n, " ");
	}
	for (unsigned f = 0; f < FIELD_COUNT; f++)
		if (row->fields >> f & 1 && !(given >> f & 1))
			return row_fail(in, err, err_size, "field '%s' has no operand", field_name(f));
	return true;
}
