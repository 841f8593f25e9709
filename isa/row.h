/*
 * row.h - parsed rows of the instruction table, for the files of isa/ itself and their tests.
 */
#ifndef ISA_ROW_H
#define ISA_ROW_H

#include "isa.h"

enum { ROW_PIECES = 10, ROW_VARIANTS = 16, ROW_OPERANDS = 3, ARG_MAX = 24, REG_MAX = 6 };

/* Fields of fields.def. */
enum field_id {
#define FIELD(name, width, to, shift, doc) FIELD_##name,
#include "fields.def"
#undef FIELD
	FIELD_COUNT
};
const char *field_name(enum field_id f);

/* Bits [hi:lo] of a field stand at bits [at + hi - lo : at] of the word. */
struct row_piece { uint8_t field, hi, lo, at; };

struct row {
	uint32_t mask, match;
	uint32_t fields;      /* bit per enum field_id that occurs */
	uint8_t n_piece, n_variant, imm_bits;
	bool has_types;
	struct row_piece piece[ROW_PIECES];
	uint8_t type[ROW_VARIANTS][ROW_OPERANDS];
	uint8_t arch[ROW_VARIANTS]; /* levels of each variant, bits of enum isa_arch */
};

/* Parse one row's .enc, .types and .arch. Writes "file:line: name: reason" when it is wrong. */
bool row_parse(const struct isa_insn *in, struct row *out, char *err, size_t err_size);
/* The parsed row of the table; after isa_init. */
const struct row *row_of(enum isa_id id);
bool row_fail(const struct isa_insn *in, char *err, size_t err_size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* One line of layout.def. width2 = 0: no upper part. */
struct cfg { const char *word, *field; uint8_t lsb, width, lsb2, width2; const char *doc; };
extern const struct cfg cfg_table[];
extern const size_t cfg_count;

/* One argument of a form. Constants have kind "=". */
struct arg {
	char name[32], kind[24];
	bool constant, ignored;
	uint64_t value;
};
struct args { int n; struct arg arg[ARG_MAX]; };

/* A register and where its word comes from. */
struct reg { enum field_id field; char word[24], raw[24]; };
struct regs { int n; struct reg reg[REG_MAX]; };

/* Number of forms of a row, and form number `form`. False: *why says what is wrong. */
unsigned args_forms(const char *text);
bool args_parse(const char *text, unsigned form, struct args *out, const char **why);
bool regs_parse(const char *text, struct regs *out, const char **why);
const struct arg *args_find(const struct args *a, const char *name);
const struct cfg *cfg_find(const char *word, const char *field); /* field NULL: any of the word */

/* A kind's C declaration: base type and, for pointers, the space's qualifier. */
enum kind_class { KIND_BAD, KIND_INT, KIND_FLOAT, KIND_VALUE, KIND_POINTER, KIND_ARRAY4, KIND_VA8 };
struct kind {
	enum kind_class class;
	char qualifier[16]; /* "__ubuf__" */
	char fixed[16];     /* C type; empty: the operand's */
	int operand;        /* element type of this operand, -1 none */
	bool any;           /* any element type */
	int bits;           /* width of an integer kind */
};
struct kind kind_of(const char *text);

/* Check .args and .regs of a row against its fields, layout.def and each other. */
bool args_check(const struct isa_insn *in, const struct row *row, char *err, size_t err_size);
/* The same for the assembler syntax of an RV row. */
bool syntax_check(const struct isa_insn *in, const struct row *row, char *err, size_t err_size);

#endif
