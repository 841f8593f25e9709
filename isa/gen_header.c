/*
 * gen_header.c - the intrinsics for kernels: one always-inline function per row, element type and argument form. The text is
 * C11 with clang's overloadable attribute and C++17 alike; macros and enums come from include/cce.h.
 */
#include "gen.h"

#include <string.h>

/* One function to be written. */
struct fn {
	enum isa_id id;
	unsigned variant, form;
	const char *element; /* C type that stands for a b8, b16, b32 or any type; NULL when there is none */
	struct args args;
	struct regs regs;
	FILE *out;
};

static const char *const b8_types[] = { "int8_t", "uint8_t", NULL };
static const char *const b16_types[] = { "half", "bfloat16_t", "int16_t", "uint16_t", NULL };
static const char *const b32_types[] = { "float", "int32_t", "uint32_t", NULL };
static const char *const any_types[] = { "void", "int8_t", "uint8_t", "half", "bfloat16_t", "int16_t", "uint16_t",
					 "float", "int32_t", "uint32_t", NULL };
static const char *const no_types[] = { "", NULL };

static const char *c_type(enum isa_type t, const char *element)
{
	static const char *const name[TYPE_COUNT] = {
		[TYPE_S4] = "void",      [TYPE_S8] = "int8_t",    [TYPE_U8] = "uint8_t",   [TYPE_S16] = "int16_t",
		[TYPE_U16] = "uint16_t", [TYPE_F16] = "half",     [TYPE_BF16] = "bfloat16_t", [TYPE_S32] = "int32_t",
		[TYPE_U32] = "uint32_t", [TYPE_F32] = "float",    [TYPE_S64] = "int64_t",  [TYPE_U64] = "uint64_t",
	};
	return name[t] ? name[t] : element;
}

static enum isa_type operand_type(const struct fn *f, const struct kind *k)
{
	return k->operand < 0 ? TYPE_NONE : isa_operand_type(f->id, f->variant, (unsigned)k->operand);
}

static const char *kind_type(const struct fn *f, const struct kind *k)
{
	if (k->any)
		return f->element;
	return k->operand >= 0 ? c_type(operand_type(f, k), f->element) : k->fixed;
}

static void write_param(const struct fn *f, const struct arg *a)
{
	struct kind k = kind_of(a->kind);
	const char *type = kind_type(f, &k);
	bool written = strncmp(a->name, "dst", 3) == 0;
	switch (k.class) {
	case KIND_POINTER:
		fprintf(f->out, "%s %s%s *%s", k.qualifier, written ? "" : "const ", type, a->name);
		break;
	case KIND_ARRAY4:
		fprintf(f->out, "%s %s *const *%s", k.qualifier, type, a->name);
		break;
	case KIND_VA8:
		fprintf(f->out, "const uint64_t *%s", a->name);
		break;
	default:
		fprintf(f->out, "%s %s", type, a->name);
	}
}

static const struct arg *return_arg(const struct fn *f) { return args_find(&f->args, "ret"); }

/* Arguments wider than their field, each with the number of bits that it may have. */
struct limit { const struct arg *arg; unsigned bits; bool is_signed; };

static void add_limit(const struct fn *f, const struct arg *a, unsigned width, struct limit *l, int *n)
{
	struct kind k = kind_of(a->kind);
	unsigned bits = k.operand >= 0 ? isa_type_bits(operand_type(f, &k)) : (unsigned)k.bits;
	if (a->constant || (k.class != KIND_INT && k.class != KIND_VALUE) || bits <= width || *n == ARG_MAX)
		return;
	const char *type = kind_type(f, &k);
	l[(*n)++] = (struct limit){ a, width, type && strncmp(type, "int", 3) == 0 };
}

static int limits(const struct fn *f, struct limit l[ARG_MAX])
{
	int n = 0;
	for (int r = 0; r < f->regs.n; r++)
		for (size_t i = 0; i < cfg_count; i++) {
			const struct cfg *c = &cfg_table[i];
			char upper[40];
			snprintf(upper, sizeof upper, "%s_hi", c->field);
			const struct arg *a = args_find(&f->args, c->field);
			const struct arg *hi = c->width2 ? args_find(&f->args, upper) : NULL;
			const char *word = f->regs.reg[r].word;
			if (strcmp(c->word, word) != 0 || args_find(&f->args, word))
				continue;
			if (a)
				add_limit(f, a, hi ? c->width : c->width + c->width2, l, &n);
			if (hi)
				add_limit(f, hi, c->width2, l, &n);
		}
	return n;
}

/* "m > 0xfff", of a signed argument also below what the field holds as a negative number. */
static void write_misfit(const struct limit *l, FILE *out)
{
	fprintf(out, "%s > 0x%llx", l->arg->name, (1ull << l->bits) - 1);
	if (l->is_signed)
		fprintf(out, " || %s < -0x%llxll", l->arg->name, 1ull << (l->bits - 1));
}

static void write_complaint(const struct fn *f, const struct limit *l)
{
	fprintf(f->out, "\"%s: %s does not fit into its %u bit%s (at most %llu)\"", isa_table[f->id].name, l->arg->name, l->bits,
		l->bits == 1 ? "" : "s", (1ull << l->bits) - 1);
}

/* Bits of a packed word that some field has. */
static uint64_t word_bits(const char *word)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < cfg_count; i++)
		if (strcmp(cfg_table[i].word, word) == 0)
			bits |= ((UINT64_C(1) << cfg_table[i].width) - 1) << cfg_table[i].lsb;
	return bits;
}

/* Constants that would be cut are errors of the compiler. */
static void write_diagnoses(const struct fn *f)
{
	struct limit l[ARG_MAX];
	int n = limits(f, l);
	for (int i = 0; i < n; i++) {
		fputs("\n\t__attribute__((diagnose_if(", f->out);
		write_misfit(&l[i], f->out);
		fputs(", ", f->out);
		write_complaint(f, &l[i]);
		fputs(", \"error\")))", f->out);
	}
	if (isa_table[f->id].form == FORM_XSET)
		fprintf(f->out,
			"\n\t__attribute__((diagnose_if((message & ~0x%llxull) != 0, \"%s: the message has bits outside its "
			"fields: mode has 2 bits, flag id 4 (0..15)\", \"error\")))",
			(unsigned long long)word_bits("ffts"), isa_table[f->id].name);
}

/* Others end the kernel where VINCI_CHECK_OPERANDS is defined. */
static void write_checks(const struct fn *f)
{
	struct limit l[ARG_MAX];
	int n = limits(f, l);
	for (int i = 0; i < n; i++) {
		fputs("\tVINCI_FIT(", f->out);
		write_misfit(&l[i], f->out);
		fputs(", ", f->out);
		write_complaint(f, &l[i]);
		fputs(");\n", f->out);
	}
}

static void write_head(const struct fn *f)
{
	const struct arg *ret = return_arg(f);
	struct kind k = kind_of(ret ? ret->kind : "bool");
	fprintf(f->out, "VINCI_FN %s %s(", ret ? kind_type(f, &k) : "void", isa_table[f->id].name);
	int n = 0;
	for (int i = 0; i < f->args.n; i++) {
		const struct arg *a = &f->args.arg[i];
		if (a == ret || a->constant)
			continue;
		fputs(n++ ? ", " : "", f->out);
		write_param(f, a);
	}
	fputs(n ? ")" : "void)", f->out);
	write_diagnoses(f);
	fputs("\n{\n", f->out);
	write_checks(f);
}

/* An argument as 64 bits. */
static void write_value(const struct fn *f, const struct arg *a)
{
	struct kind k = kind_of(a->kind);
	enum isa_type t = operand_type(f, &k);
	if (k.class == KIND_FLOAT)
		t = k.bits == 16 ? TYPE_F16 : TYPE_F32;
	if (k.class == KIND_ARRAY4)
		fprintf(f->out, "vinci_ub4((uint64_t)%s[0], (uint64_t)%s[1], (uint64_t)%s[2], (uint64_t)%s[3])", a->name,
			a->name, a->name, a->name);
	else if (k.class == KIND_VA8)
		fprintf(f->out, "vinci_va4(%s)", a->name);
	else if (k.class != KIND_POINTER && (t == TYPE_F16 || t == TYPE_BF16 || t == TYPE_F32))
		fprintf(f->out, "vinci_bits_%s(%s)", isa_type_name(t), a->name);
	else if (k.class == KIND_VALUE)
		fprintf(f->out, "(uint64_t)(uint%u_t)%s", isa_type_bits(t), a->name);
	else
		fprintf(f->out, "(uint64_t)%s", a->name);
}

static void write_term(const struct fn *f, const struct arg *a, unsigned lsb, unsigned width, int *n)
{
	fputs((*n)++ ? " | " : "", f->out);
	if (a->constant) {
		fprintf(f->out, "(uint64_t)%llu << %u", (unsigned long long)a->value, lsb);
		return;
	}
	fputs("(", f->out);
	write_value(f, a);
	if ((unsigned)kind_of(a->kind).bits > width)
		fprintf(f->out, " & 0x%llx", width < 64 ? (1ull << width) - 1 : ~0ull);
	fprintf(f->out, ") << %u", lsb);
}

/* The word of a register: an argument, a packed word, or 0. */
static void write_word(const struct fn *f, const struct reg *r)
{
	const struct arg *a = args_find(&f->args, r->word);
	int n = 0;
	if (a) {
		write_value(f, a);
		return;
	}
	size_t len = strlen(r->word);
	for (int i = 0; i < f->args.n; i++) {
		a = &f->args.arg[i];
		if (kind_of(a->kind).class == KIND_VA8 && strncmp(a->name, r->word, strlen(a->name)) == 0 && len > 3) {
			fprintf(f->out, "vinci_va4(%s + 4)", a->name);
			return;
		}
	}
	a = *r->raw ? args_find(&f->args, r->raw) : NULL;
	if (a) {
		write_value(f, a);
		n++;
	}
	for (size_t i = 0; i < cfg_count; i++) {
		const struct cfg *c = &cfg_table[i];
		char upper[40];
		if (strcmp(c->word, r->word) != 0)
			continue;
		snprintf(upper, sizeof upper, "%s_hi", c->field);
		a = args_find(&f->args, c->field);
		const struct arg *hi = c->width2 ? args_find(&f->args, upper) : NULL;
		/* a wide argument fills both parts, unless the upper part has its own */
		if (a)
			write_term(f, a, c->lsb, c->width, &n);
		if (hi)
			write_term(f, hi, c->lsb2, c->width2, &n);
		else if (a && c->width2 && !a->constant) {
			fprintf(f->out, " | ((uint64_t)%s >> %u & 0x%llx) << %u", a->name, c->width,
				(1ull << c->width2) - 1, c->lsb2);
		}
	}
	if (!n)
		fputs("0", f->out);
}

static const struct reg *reg_for(const struct fn *f, enum field_id field)
{
	for (int i = 0; i < f->regs.n; i++)
		if (f->regs.reg[i].field == field)
			return &f->regs.reg[i];
	return NULL;
}

static void write_operand(const struct fn *f, enum field_id field)
{
	const struct reg *r = reg_for(f, field);
	fputs(", ", f->out);
	if (r)
		write_word(f, r);
	else
		fputs("0", f->out);
}

static uint32_t word_of(enum isa_id id, unsigned variant)
{
	struct isa_word w = { .id = (uint16_t)id, .variant = (uint8_t)variant };
	uint32_t raw = 0;
	isa_encode(&w, &raw);
	return raw;
}

/* ", d, a, z": which register fields the encoding has. */
static void write_fields(FILE *out, enum isa_id id)
{
	uint32_t fields = row_of(id)->fields;
	fprintf(out, ", %s, %s, %s", fields >> FIELD_rd & 1 ? "d" : "z", fields >> FIELD_rs1 & 1 ? "a" : "z",
		fields >> FIELD_rs2 & 1 ? "b" : "z");
}

static void write_body(const struct fn *f)
{
	uint32_t raw = word_of(f->id, f->variant);
	unsigned op = raw & 127, f3 = raw >> 12 & 7, f7 = raw >> 25;
	const struct arg *ret = return_arg(f);
	fputs("\t", f->out);
	if (ret) {
		struct kind k = kind_of(ret->kind);
		enum isa_type t = k.class == KIND_FLOAT ? (k.bits == 16 ? TYPE_F16 : TYPE_F32) : TYPE_NONE;
		fprintf(f->out, "VINCI_GET(%s, 0x%02x, %u, %u", t ? isa_type_name(t) : "int", op, f3, f7);
		write_fields(f->out, f->id);
	} else {
		fprintf(f->out, "VINCI_R%s(0x%02x, %u, %u", reg_for(f, FIELD_COUNT) ? "4" : "3", op, f3, f7);
		write_fields(f->out, f->id);
		write_operand(f, FIELD_rd);
	}
	write_operand(f, FIELD_rs1);
	write_operand(f, FIELD_rs2);
	if (reg_for(f, FIELD_COUNT))
		write_operand(f, FIELD_COUNT);
	fputs(");\n}\n", f->out);
}

/* The word in rs1 of a row that names pipes, as text that serves a function and a macro alike. */
static void write_pipes_word(const struct fn *f)
{
	const struct reg *rs1 = reg_for(f, FIELD_rs1);
	int n = 0;
	if (!rs1) {
		fputs("z, 0", f->out);
		return;
	}
	fputs("a, ", f->out);
	if (args_find(&f->args, rs1->word))
		fprintf(f->out, "(uint64_t)(%s)", rs1->word);
	for (size_t i = 0; i < cfg_count; i++)
		if (strcmp(cfg_table[i].word, rs1->word) == 0 && args_find(&f->args, cfg_table[i].field))
			fprintf(f->out, "%s(uint64_t)(%s) << %u", n++ ? " | " : "", cfg_table[i].field, cfg_table[i].lsb);
}

/* Rows that name pipes: constants of the word. Without optimisation a parameter is no constant, hence the macro. */
static void write_pipes(struct fn *f)
{
	const char *dst = reg_for(f, FIELD_pdst) ? " | (unsigned)(pdst)" : "";
	unsigned base = word_of(f->id, 0) >> 20, op = word_of(f->id, 0) & 127;
	fputs("#ifdef __OPTIMIZE__\n", f->out);
	write_head(f);
	fprintf(f->out, "\tVINCI_PIPES(0x%02x, %u | (unsigned)(psrc) << 3%s, ", op, base, dst);
	write_pipes_word(f);
	fprintf(f->out, ");\n}\n#else\n#define %s(", isa_table[f->id].name);
	for (int i = 0; i < f->args.n; i++)
		fprintf(f->out, "%s%s", i ? ", " : "", f->args.arg[i].name);
	fprintf(f->out, ") VINCI_PIPES(0x%02x, %u | (unsigned)(psrc) << 3%s, ", op, base, dst);
	write_pipes_word(f);
	fputs(")\n#endif\n", f->out);
}

static void write_fallback(FILE *out, enum isa_id id)
{
	uint32_t raw = word_of(id, 0);
	fprintf(out, "VINCI_FN int64_t %s(...)\n{\n\tVINCI_R3(0x%02x, %u, %u, z, z, z, 0, 0, 0);\n\treturn 0;\n}\n",
		isa_table[id].name, raw & 127, raw >> 12 & 7, raw >> 25);
}

/* C types that a form's b8, b16, b32 or "any" operands run through. */
static const char *const *elements_of(const struct fn *f)
{
	for (int i = 0; i < f->args.n; i++) {
		struct kind k = kind_of(f->args.arg[i].kind);
		enum isa_type t = operand_type(f, &k);
		if (k.any)
			return any_types;
		if (t == TYPE_B8 || t == TYPE_B16 || t == TYPE_B32)
			return t == TYPE_B8 ? b8_types : t == TYPE_B16 ? b16_types : b32_types;
	}
	return no_types;
}

static void write_row(FILE *out, enum isa_id id)
{
	const struct isa_insn *in = &isa_table[id];
	for (unsigned v = 0; v < isa_variants(id); v++) {
		unsigned levels = row_of(id)->arch[v];
		fprintf(out, "#if VINCI_ARCH & %u\n", levels);
		if (in->state != ISA_DONE)
			write_fallback(out, id);
		for (unsigned form = 0; form < args_forms(in->args) && in->state == ISA_DONE; form++) {
			struct fn f = { .id = id, .variant = v, .form = form, .out = out };
			const char *why;
			args_parse(in->args, form, &f.args, &why);
			regs_parse(in->regs, &f.regs, &why);
			if (reg_for(&f, FIELD_psrc)) {
				write_pipes(&f);
				continue;
			}
			for (const char *const *e = elements_of(&f); *e; e++) {
				f.element = *e;
				write_head(&f);
				write_body(&f);
			}
		}
		fputs("#endif\n", out);
	}
}

void gen_header(FILE *out)
{
	fprintf(out, "/* cce_intrinsics.h - written by isatool from the instruction table in isa/; do not edit. */\n"
		     "#pragma clang system_header\n#define VINCI_FINGERPRINT 0x%08xu\n",
		isa_fingerprint());
	uint32_t trap = word_of(INSN_trap, 0);
	fprintf(out,
		"VINCI_HELPER void vinci_misfit(const char *text) { VINCI_R3(0x%02x, %u, %u, z, a, z, 0, (uint64_t)text, 0); }\n",
		trap & 127, trap >> 12 & 7, trap >> 25);
	for (unsigned i = 0; i < ISA_COUNT; i++)
		if (!isa_table[i].rv && isa_table[i].state != ISA_PLAIN)
			write_row(out, (enum isa_id)i);
}
