/*
 * scalar_qemu.c - random programs, the same words run by the scalar unit and by qemu-riscv64: every logged result, all
 * registers, fcsr and memory must agree. A failure names the seed.
 */
#include "scalar_random.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <unistd.h>

/* Text and data at their addresses in Vinci, as a static ELF executable. */
static bool write_elf(FILE *out, const struct random_program *p)
{
	enum { PAGE = 4096, HEADER = 64, SEGMENT = 56 };
	const uint64_t text_bytes = 4 * (uint64_t)p->n;
	const uint64_t data_at = PAGE + (text_bytes + PAGE - 1) / PAGE * PAGE;
	uint8_t head[PAGE] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	const struct { int at, size; uint64_t v; } field[] = {
		{ 16, 2, 2 }, { 18, 2, 243 }, { 20, 4, 1 }, { 24, 8, GM_BASE }, { 32, 8, HEADER }, { 52, 2, HEADER },
		{ 48, 4, 4 }, /* flags: double-float ABI */
		{ 54, 2, SEGMENT }, { 56, 2, 2 },
		{ 64, 4, 1 }, { 68, 4, 5 }, { 72, 8, PAGE }, { 80, 8, GM_BASE }, { 88, 8, GM_BASE }, { 96, 8, text_bytes },
		{ 104, 8, text_bytes }, { 112, 8, PAGE },
		{ 120, 4, 1 }, { 124, 4, 6 }, { 128, 8, data_at }, { 136, 8, GM_DATA }, { 144, 8, GM_DATA },
		{ 152, 8, RIG_DATA_BYTES }, { 160, 8, RIG_DATA_BYTES }, { 168, 8, PAGE },
	};

	for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++)
		memcpy(head + field[i].at, &field[i].v, (size_t)field[i].size);
	return fwrite(head, PAGE, 1, out) == 1 && fwrite(p->word, 4, p->n, out) == p->n &&
	       fseek(out, (long)data_at, SEEK_SET) == 0 && fwrite(p->data, RIG_DATA_BYTES, 1, out) == 1;
}

/* What qemu leaves in the data, or false with the reason in why. */
static bool run_qemu(const struct random_program *p, uint8_t *data, const char **why)
{
	char file[] = "/tmp/vinci-scalar-XXXXXX", command[128];
	int fd = mkstemp(file);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "wb");
	bool ok = out && write_elf(out, p);

	*why = "cannot write the program to /tmp";
	if (out && fclose(out) != 0)
		ok = false;
	if (ok) {
		*why = "qemu-riscv64 did not run the program; is the package qemu-user installed?";
		snprintf(command, sizeof(command), "chmod +x %s && qemu-riscv64 -cpu rv64,Zfh=true %s", file, file);
		FILE *in = popen(command, "r");
		ok = in && fread(data, RIG_DATA_BYTES, 1, in) == 1;
		if (in && pclose(in) != 0)
			ok = false;
	}
	if (fd >= 0)
		unlink(file);
	return ok;
}

static void compare(const uint8_t *want, const uint8_t *got, uint64_t seed)
{
	for (int i = 0; i < RIG_DATA_BYTES; i += 8) {
		uint64_t w, g;
		memcpy(&w, want + i, 8);
		memcpy(&g, got + i, 8);
		cr_assert_eq(w, g, "seed %" PRIu64 ": data + %d (log entry %d): qemu %016" PRIx64 ", scalar unit %016" PRIx64,
			     seed, i, (i - RANDOM_LOG) / 8, w, g);
	}
}

/* Run to the first ecall, in pieces of `step` cycles. */
static void run_scalar(struct rig *r, int64_t step, uint64_t seed)
{
	enum scalar_stop stop;
	int64_t until = step;

	while ((stop = scalar_run(&r->s, until, &r->f)) == SCALAR_YIELD)
		until = r->s.cycle + step;
	cr_assert_eq(stop, SCALAR_FAULT);
	cr_assert_str_eq(r->f.what, "ecall: there is no operating system on the core", "seed %" PRIu64 ": %s", seed,
			 r->f.what);
	r->f = (struct fail){ 0 };
	cr_assert(scalar_cache_all(&r->s, true, false, &r->f));
}

static void differ(uint64_t seed, int operations)
{
	static struct random_program p;
	static uint8_t want[RIG_DATA_BYTES];
	static struct rig r, pieces;
	const struct chip chip = rig_chip();
	const char *why;

	random_make(&p, seed, operations);
	cr_assert_lt(p.n, RANDOM_WORDS);
	cr_assert(run_qemu(&p, want, &why), "seed %" PRIu64 ": %s", seed, why);
	cr_assert(rig_init(&r, &chip, p.word, p.n));
	memcpy(r.data->host, p.data, RIG_DATA_BYTES);
	run_scalar(&r, INT64_MAX / 2, seed);
	compare(want, r.data->host, seed);

	/* the same in small pieces: same values, same cycles */
	cr_assert(rig_init(&pieces, &chip, p.word, p.n));
	memcpy(pieces.data->host, p.data, RIG_DATA_BYTES);
	run_scalar(&pieces, (int64_t)(seed % 7) * 100, seed);
	compare(want, pieces.data->host, seed);
	cr_assert_eq(pieces.s.cycle, r.s.cycle, "seed %" PRIu64 ": cycles depend on until", seed);
	cr_assert_eq(pieces.s.instret, r.s.instret);
	cr_assert_eq(pieces.s.icache_misses, r.s.icache_misses);
	cr_assert_eq(pieces.s.dcache_misses, r.s.dcache_misses);
	cr_assert_eq(pieces.s.dcache_hits, r.s.dcache_hits);
	rig_free(&pieces);
	rig_free(&r);
}

Test(scalar_qemu, random_programs)
{
	for (uint64_t seed = 1; seed <= 40; seed++)
		differ(seed, 1500);
}

/* One long program: text and log of their largest sizes. */
Test(scalar_qemu, long_program) { differ(1000, 7000); }
