/*
 * isa_text.c - what is written from the table: the disassembly, held against llvm-objdump for every base instruction, and
 * the committed manual.
 */
#include "../isa/row.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void init(void)
{
	char err[512] = "";
	cr_assert(isa_init(err, sizeof err), "%s", err);
}

static uint64_t random_state = 3;
static uint32_t random32(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 32);
}

/* Control registers that the scalar unit has. */
static const uint32_t csrs[] = { 1, 2, 3, 0xc00, 0xc01, 0xc02 };
/* Operands that select pseudo-instructions are frequent. */
static const uint32_t edge_regs[] = { 0, 1, 2, 10 };
static const uint32_t edge_imms[] = { 0, 1, 0xff, 0xffffffff, 0x800, 0x7ff };

/* A word of a base row: random operands, drawn so that pseudo-instructions and extremes occur. */
static uint32_t random_word(enum isa_id id)
{
	const struct row *r = row_of(id);
	uint32_t raw = r->match;
	uint32_t csr = csrs[random32() % 6], imm = random32() & 1 ? edge_imms[random32() % 6] : random32();
	uint32_t reg[3];
	for (int i = 0; i < 3; i++)
		reg[i] = random32() & 1 ? edge_regs[random32() % 4] : random32() & 31;
	if (random32() % 4 == 0)
		reg[2] = reg[1];
	for (unsigned i = 0; i < r->n_piece; i++) {
		const struct row_piece *p = &r->piece[i];
		uint32_t v;
		switch (p->field) {
		case FIELD_rd: v = reg[0]; break;
		case FIELD_rs1: v = reg[1]; break;
		case FIELD_rs2: v = reg[2]; break;
		case FIELD_csr: v = csr; break;
		case FIELD_rm: v = random32() & 1 ? 7 : random32() % 5; break;
		case FIELD_imm: v = id == RV_lui || id == RV_auipc ? imm << 12 : imm; break;
		case FIELD_pred: case FIELD_succ: v = 1 + random32() % 15; break;
		default: v = random32();
		}
		raw |= (v >> p->lo & (uint32_t)((UINT64_C(1) << (p->hi - p->lo + 1)) - 1)) << p->at;
	}
	return raw;
}

/* "addi\ta0, a1, 0x1 <sym+0x4>" to single spaces, without the symbol. */
static void normalise(char *s)
{
	char *out = s;
	for (char *p = s; *p && *p != '\n' && !(p > s && *p == '<'); p++) {
		bool blank = *p == ' ' || *p == '\t';
		if (!blank)
			*out++ = *p;
		else if (out > s && out[-1] != ' ')
			*out++ = ' ';
	}
	while (out > s && out[-1] == ' ')
		out--;
	*out = 0;
}

enum { WORDS = 20000 };

Test(isa_text, base_instructions_as_llvm_objdump, .init = init)
{
	static uint32_t words[WORDS];
	int n = 0;
	for (unsigned id = 0; id < ISA_COUNT; id++)
		for (int k = 0; isa_table[id].rv && k < 100; k++)
			words[n++] = random_word((enum isa_id)id);
	char dir[] = "/tmp/vinci_isa_XXXXXX", path[64], command[512];
	cr_assert(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/a.S", dir);
	FILE *f = fopen(path, "w");
	cr_assert(f);
	fprintf(f, ".text\n");
	for (int i = 0; i < n; i++)
		fprintf(f, ".word 0x%08x\n", words[i]);
	fclose(f);
	snprintf(command, sizeof command,
		 "clang-19 --target=riscv64-unknown-elf -march=rv64imfd_zfhmin -c %s -o %s/a.o && llvm-objdump-19 -d %s/a.o",
		 path, dir, dir);
	f = popen(command, "r");
	cr_assert(f);
	char line[256];
	int seen = 0, wrong = 0;
	while (fgets(line, sizeof line, f)) {
		unsigned long long pc;
		unsigned raw;
		int at = 0;
		if (sscanf(line, " %llx: %x %n", &pc, &raw, &at) != 2 || !at || seen == n)
			continue;
		char mine[128];
		cr_assert(raw == words[seen] && pc == 4u * (unsigned)seen);
		isa_disasm(raw, pc, mine, sizeof mine);
		normalise(mine);
		normalise(line + at);
		if (strcmp(mine, line + at) != 0 && wrong++ < 20)
			cr_expect_fail("0x%08x: \"%s\", llvm-objdump writes \"%s\"", raw, mine, line + at);
		seen++;
	}
	cr_expect(pclose(f) == 0);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	cr_expect(system(command) == 0);
	cr_expect(seen == n && wrong == 0, "%d of %d words read, %d differ", seen, n, wrong);
}

Test(isa_text, da_vinci_instructions, .init = init)
{
	static const struct { struct isa_word w; const char *text; } known[] = {
		{ { .id = INSN_vadd, .rd = 10, .rs1 = 11, .rs2 = 12 }, "vadd.f16\tub[a0], ub[a1], ub[a2], t6" },
		{ { .id = INSN_mad, .variant = 2, .rd = 10, .rs1 = 11, .rs2 = 12 },
		  "mad.f32.bf16.bf16\tcc[a0], ca[a1], cb[a2], t6" },
		{ { .id = INSN_set_flag, .rs1 = 10, .imm = 3 << 3 | 1 }, "set_flag\tMTE2, V, a0" },
		{ { .id = INSN_pipe_barrier, .imm = 6 << 3 }, "pipe_barrier\tALL" },
		{ { .id = INSN_get_block_idx, .rd = 10 }, "get_block_idx\ta0" },
		{ { .id = INSN_vadds, .variant = 1, .rd = 8, .rs1 = 9, .rs2 = 10 }, "vadds.f32\tub[s0], ub[s1], a0, t6" },
		{ { .id = INSN_vconv_f322f16r, .rd = 10, .rs1 = 11 }, "vconv_f322f16r\tub[a0], ub[a1], t6" },
		{ { .id = INSN_copy_gm_to_ubuf, .rd = 10, .rs1 = 11 }, "copy_gm_to_ubuf\tub[a0], gm[a1], t6" },
		{ { .id = INSN_vbi }, "vbi" },
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		uint32_t raw;
		char text[128];
		cr_assert(isa_encode(&known[i].w, &raw));
		isa_disasm(raw, 0, text, sizeof text);
		cr_expect_str_eq(text, known[i].text);
	}
	char text[128], small[4];
	isa_disasm(0xffffffff, 0, text, sizeof text);
	cr_expect_str_eq(text, "<unknown>");
	isa_disasm(0x00000013, 0, small, sizeof small);
	cr_expect_str_eq(small, "nop");
	isa_disasm(0x00008067, 0, small, 2);
	cr_expect_str_eq(small, "r");
}

/* Output of a command, to be freed. */
static char *output(const char *command)
{
	size_t size = 0, room = 1 << 20;
	char *text = malloc(room);
	FILE *f = popen(command, "r");
	cr_assert(f && text);
	size = fread(text, 1, room - 1, f);
	text[size] = 0;
	cr_assert(pclose(f) == 0, "%s failed", command);
	return text;
}

Test(isa_text, manual_is_up_to_date)
{
	char *now = output("build/isatool doc"), *kept = output("cat isa/ISA.md");
	cr_expect(strcmp(now, kept) == 0, "isa/ISA.md differs from the table: run `make doc` and commit it");
	/* every row has its line, and tables keep their shape */
	for (char *line = kept; *line;) {
		size_t n = strcspn(line, "\n");
		if (strncmp(line, "| `v", 4) == 0) {
			int bars = 0;
			for (size_t i = 0; i < n; i++)
				bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
			cr_expect(bars == 9 || bars == 4, "%.*s", (int)n, line);
		}
		line += n + (line[n] == '\n');
	}
	free(now);
	free(kept);
}
