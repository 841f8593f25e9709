/*
 * Fuzz target: any bytes as a kernel ELF. Parsed, entry chosen, parameters and lines read from its debug info, placed.
 */
#include "../../sim/program.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Seeds outlive changes of the instruction table: give their note the fingerprint of today. */
static void patch_fingerprint(uint8_t *bytes, size_t size)
{
	uint32_t fingerprint = isa_fingerprint();
	for (size_t i = 0; i + 20 <= size; i++)
		if (memcmp(bytes + i, "Vinci\0\0", 8) == 0)
			memcpy(bytes + i + 16, &fingerprint, 4);
}

static void use(struct program *p, const char *entry)
{
	struct fail f = { 0 };
	char line[160];
	const char *file;
	int number;
	if (!program_entry(p, entry, &f))
		return;
	for (uint64_t pc = p->entry; pc < p->text_addr + p->text_size && pc < p->entry + 64; pc += 4) {
		program_line(p, pc, line, sizeof(line));
		program_source(p, pc, &file, &number);
	}
}

static void place(struct program *p)
{
	struct gm gm;
	struct fail f = { 0 };
	gm_init(&gm, 2);
	if (p->data_size < 65536 && program_place(p, &gm, 32768, &f))
		(void)gm_at(&gm, 1, p->entry, 4, false);
	gm_free(&gm);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;
	char err[256];
	struct fail f = { 0 };
	static struct program p;
	if (!ready)
		ready = isa_init(err, sizeof(err));
	uint8_t *bytes = malloc(size + 1);
	if (!bytes)
		return 0;
	memcpy(bytes, data, size);
	patch_fingerprint(bytes, size);
	if (program_parse(bytes, size, "fuzz.elf", &p, &f)) {
		use(&p, NULL);
		use(&p, "add");
		place(&p);
		program_free(&p);
	}
	free(bytes);
	return 0;
}
