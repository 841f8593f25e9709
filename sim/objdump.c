/*
 * objdump.c - `vinci objdump`: the disassembly that other tools cannot give, since they print Da Vinci instructions as
 * unknown words.
 */
#include "objdump.h"

#include "program.h"

#include <inttypes.h>
#include <string.h>

static uint32_t word_at(const struct program *p, uint64_t offset)
{
	const uint8_t *b = p->text + offset;
	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* " <add+0x40>" behind branches and jumps with an immediate target. */
static void put_target(const struct program *p, FILE *out, uint32_t raw, uint64_t pc)
{
	struct isa_word w;
	uint32_t opcode = raw & 0x7f;
	bool jumps = opcode == 0x63 || opcode == 0x6f; /* the branches, jal */
	if (!jumps || !isa_decode(raw, &w))
		return;
	uint64_t target = pc + (uint64_t)(int64_t)w.imm;
	const struct program_symbol *s = program_symbol(p, target);
	if (s && target == s->addr)
		fprintf(out, " <%s>", s->name);
	else if (s)
		fprintf(out, " <%s+0x%" PRIx64 ">", s->name, target - s->addr);
}

/* Where the source was last, to print changes only. */
struct position {
	const char *file;
	int line;
};

static void put_source(const struct program *p, FILE *out, uint64_t pc, struct position *last)
{
	struct position now;
	if (!program_source(p, pc, &now.file, &now.line))
		return;
	if (last->file && now.line == last->line && strcmp(now.file, last->file) == 0)
		return;
	fprintf(out, "; %s:%d\n", now.file, now.line);
	*last = now;
}

static const char *arch_name(unsigned arch) { return arch == ARCH_C220 ? "c220" : arch == ARCH_M200 ? "m200" : "c100"; }
static const char *core_name(unsigned core)
{
	return core == CORE_CUBE ? "cube" : core == CORE_VEC ? "vector" : "fused";
}

static void put_text(const struct program *p, FILE *out, bool with_source)
{
	struct position last = { 0 };
	int next = 0;
	for (uint64_t offset = 0; offset < p->text_size; offset += 4) {
		uint64_t pc = p->text_addr + offset;
		uint32_t raw = word_at(p, offset);
		char text[160];
		for (; next < p->n_symbol && p->symbol[next].addr <= pc; next++)
			if (p->symbol[next].addr == pc)
				fprintf(out, "\n%016" PRIx64 " <%s>:\n", pc, p->symbol[next].name);
		if (with_source)
			put_source(p, out, pc, &last);
		isa_disasm(raw, pc, text, sizeof(text));
		fprintf(out, "%9" PRIx64 ": %08" PRIx32 "    \t%s", pc, raw, text);
		put_target(p, out, raw, pc);
		fputc('\n', out);
	}
}

bool objdump_file(const char *elf, FILE *out, bool with_source, struct fail *f)
{
	struct program p;
	if (!program_load(elf, &p, f))
		return false;
	fprintf(out, "\n%s:\tVinci kernel, %s, %s core\n", elf, arch_name(p.arch), core_name(p.core));
	put_text(&p, out, with_source);
	program_free(&p);
	return (fflush(out) == 0 && !ferror(out)) || fail_set(f, FAIL_USER, "cannot write the disassembly of %s", elf);
}
