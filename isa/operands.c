/*
 * operands.c - how the words that an instruction takes are read: each argument with its word and bits, from the columns .args
 * and .regs and the packed words of layout.def.
 */
#include "row.h"

#include <stdio.h>
#include <string.h>

/* Addresses are read in hexadecimal; an argument may have another kind in another form, its first one decides. */
static bool is_address(const struct isa_insn *in, const char *name)
{
	for (unsigned form = 0; form < args_forms(in->args); form++) {
		struct args args;
		const char *why;
		const struct arg *a = args_parse(in->args, form, &args, &why) ? args_find(&args, name) : NULL;
		if (a)
			return kind_of(a->kind).class == KIND_POINTER;
	}
	return false;
}

static int word_of(enum field_id field)
{
	switch (field) {
	case FIELD_rd: return 0;
	case FIELD_rs1: return 1;
	case FIELD_rs2: return 2;
	case FIELD_COUNT: return 3; /* x31 */
	default: return -1;         /* psrc and pdst are in the instruction itself */
	}
}

static int add(struct isa_operand out[ISA_OPERANDS], int n, const char *name, struct isa_operand o)
{
	if (n == ISA_OPERANDS)
		return n;
	snprintf(o.name, sizeof o.name, "%s", name);
	out[n] = o;
	return n + 1;
}

int isa_operands(enum isa_id id, struct isa_operand out[ISA_OPERANDS])
{
	const struct isa_insn *in = &isa_table[id];
	struct regs regs;
	const char *why;
	int n = 0;
	if (in->rv || !regs_parse(in->regs, &regs, &why))
		return 0;
	for (int i = 0; i < regs.n; i++) {
		const struct reg *r = &regs.reg[i];
		int word = word_of(r->field);
		if (word < 0)
			continue;
		if (!cfg_find(r->word, NULL)) {
			n = add(out, n, r->word, (struct isa_operand){ .word = (uint8_t)word, .width = 64,
					.address = is_address(in, r->word) });
			continue;
		}
		for (size_t k = 0; k < cfg_count; k++) {
			const struct cfg *c = &cfg_table[k];
			if (strcmp(c->word, r->word) == 0)
				n = add(out, n, c->field, (struct isa_operand){ .word = (uint8_t)word, .lsb = c->lsb,
						.width = c->width, .lsb2 = c->lsb2, .width2 = c->width2 });
		}
	}
	return n;
}
