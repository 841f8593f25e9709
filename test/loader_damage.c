/*
 * The loader on real compiler output that was damaged: cut at every 64th byte, and with debug info and tables overwritten.
 * It must answer, never crash; run with MODE=asan to see every byte read too far.
 */
#include "../sim/program.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *good;
static size_t good_size;

/* The seed of the fuzzer, with the fingerprint of today's instruction table in its note. */
static void setup(void)
{
	char err[256] = "";
	cr_assert(isa_init(err, sizeof(err)), "%s", err);
	FILE *in = fopen("test/fuzz/seeds/elf/add.elf", "rb");
	cr_assert(in);
	good = malloc(1 << 20);
	good_size = fread(good, 1, 1 << 20, in);
	fclose(in);
	uint32_t fingerprint = isa_fingerprint();
	for (size_t i = 0; i + 20 <= good_size; i++)
		if (memcmp(good + i, "Vinci\0\0", 8) == 0)
			memcpy(good + i + 16, &fingerprint, 4);
}
static void teardown(void) { free(good); }
TestSuite(damage, .init = setup, .fini = teardown, .timeout = 120);

Test(damage, undamaged)
{
	static struct program p;
	struct fail f = { 0 };
	char line[160];
	cr_assert(program_parse(good, good_size, "add.elf", &p, &f) && program_entry(&p, NULL, &f), "%s", f.what);
	cr_expect_str_eq(p.entry_name, "add");
	cr_assert_eq(p.n_param, 3);
	cr_expect_str_eq(p.param[2].name, "t");
	cr_expect_str_eq(p.structs[p.param[2].struct_index].name, "tiling");
	program_line(&p, p.entry, line, sizeof(line));
	cr_expect_eq(strncmp(line, "add.c:7 in add", 14), 0, "%s", line);
	program_free(&p);
}

Test(damage, cut_at_every_64th_byte)
{
	static struct program p;
	for (size_t size = 0; size < good_size; size += 64) {
		struct fail f = { 0 };
		uint8_t *part = malloc(size ? size : 1); /* an exact copy: the sanitizer guards its end */
		memcpy(part, good, size);
		cr_expect_not(program_parse(part, size, "cut.elf", &p, &f), "%zu bytes were accepted", size);
		cr_expect_eq(f.class, FAIL_USER);
		cr_expect_neq(f.what[0], 0);
		free(part);
	}
}

/* Use everything the loader offers, whatever it answers. */
static int use(const uint8_t *bytes, size_t size)
{
	static struct program p;
	struct fail f = { 0 };
	char line[160];
	if (!program_parse(bytes, size, "damaged.elf", &p, &f))
		return 0;
	int entry = program_entry(&p, NULL, &f);
	for (uint64_t pc = p.text_addr; pc < p.text_addr + p.text_size; pc += 4)
		program_line(&p, pc, line, sizeof(line));
	program_free(&p);
	return 1 + entry;
}

Test(damage, bytes_overwritten)
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0x80, 0xff };
	int answers[3] = { 0 };
	uint64_t seed = 1;
	for (int round = 0; round < 3000; round++) {
		uint8_t *copy = malloc(good_size);
		memcpy(copy, good, good_size);
		for (int n = 0; n < 1 + round % 4; n++) {
			seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			/* text is only read as bytes; damage what is interpreted: headers, then everything behind the segments */
			size_t at = (seed >> 33) % 8 == 0 ? (seed >> 40) % 512 : 0x3000 + (seed >> 40) % (good_size - 0x3000);
			copy[at] = values[(seed >> 20) % sizeof(values)];
		}
		answers[use(copy, good_size)]++;
		free(copy);
	}
	/* the damage must reach all depths, or this test tests nothing */
	cr_expect_gt(answers[0], 10);
	cr_expect_gt(answers[1], 10);
	cr_expect_gt(answers[2], 10);
}
