/*
 * scalar_time.c - cycles of tiny programs against formulas worked out by hand, and the caches: what hits, what stays stale,
 * what is written back, what it costs.
 *
 * The rig's chip: 2 instructions a cycle; a taken branch takes 1 + 2 cycles; I-cache 4 lines of 32 bytes (8 instructions),
 * direct mapped, 1000 per miss; D-cache 4 sets x 2 ways x 64 bytes, 100 per miss; load 3, multiply 4, divide 20, float 5,
 * float divide 30, CSR 7. Programs start on a line: 1000 for the first fetch; RET issues and takes 3 more.
 */
#include "scalar_rig.h"

#include <criterion/criterion.h>

#define FIRST 1000
#define BACK 3
#define FADD(fd, a, b) as_r(0x53, 0, 0, fd, a, b)
#define FDIV(fd, a, b) as_r(0x53, 0, 0x0c, fd, a, b)

static int64_t cycles_on(const struct chip *chip, const uint32_t *code, uint32_t n)
{
	static struct rig r;

	cr_assert(rig_init(&r, chip, code, n));
	r.s.x[A1] = GM_DATA;
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_RETURN, "%s", r.f.what);
	int64_t cycle = r.s.cycle;
	rig_free(&r);
	return cycle;
}

#define CYCLES(...)                                                                                                    \
	cycles_on(&(struct chip[]){ rig_chip() }[0], (const uint32_t[]){ __VA_ARGS__ },                                \
		  sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

Test(scalar_time, issue)
{
	cr_assert_eq(CYCLES(RET), FIRST + BACK);
	/* two in cycle 0, the return in cycle 1 */
	cr_assert_eq(CYCLES(ADDI(A2, A1, 1), ADDI(A3, A1, 1), RET), FIRST + 1 + BACK);
	/* a chain: cycles 0, 1, 2; the return beside the last */
	cr_assert_eq(CYCLES(ADDI(A2, A2, 1), ADDI(A2, A2, 1), ADDI(A2, A2, 1), RET), FIRST + 2 + BACK);
	/* x0 is no dependence */
	cr_assert_eq(CYCLES(NOP, NOP, NOP, NOP, RET), FIRST + 2 + BACK);
	/* nothing issues beside what a branch comes before: branch 0, then 1, the return beside it */
	cr_assert_eq(CYCLES(BNE(ZERO, ZERO, 12), NOP, RET, RET), FIRST + 1 + BACK);
	/* a branch target begins a group: branch 0, 1, target 2, the return beside it */
	cr_assert_eq(CYCLES(BNE(ZERO, ZERO, 8), NOP, NOP, RET), FIRST + 2 + BACK);
	/* one instruction a cycle */
	struct chip narrow = rig_chip();
	narrow.scalar.issue_width = 1;
	const uint32_t code[] = { NOP, NOP, NOP, RET };
	cr_assert_eq(cycles_on(&narrow, code, 4), FIRST + 3 + BACK);
}

Test(scalar_time, latencies)
{
	/* multiply at 0, its user at 4 with the return */
	cr_assert_eq(CYCLES(MUL(A2, A1, A1), ADDI(A3, A2, 1), RET), FIRST + 4 + BACK);
	/* nobody waits */
	cr_assert_eq(CYCLES(MUL(A2, A1, A1), ADDI(A3, A1, 1), RET), FIRST + 1 + BACK);
	/* three independent operations between hide 2 of the 4 cycles: 0 0 1 1, user at 4 */
	cr_assert_eq(CYCLES(MUL(A2, A1, A1), NOP, NOP, NOP, ADDI(A3, A2, 1), RET), FIRST + 4 + BACK);
	/* division blocks */
	cr_assert_eq(CYCLES(DIV(A2, A1, A1), NOP, RET), FIRST + 20 + BACK);
	cr_assert_eq(CYCLES(FADD(1, 2, 3), FADD(4, 1, 1), RET), FIRST + 5 + BACK);
	cr_assert_eq(CYCLES(FADD(1, 2, 3), FADD(4, 2, 3), RET), FIRST + 1 + BACK);
	cr_assert_eq(CYCLES(FDIV(1, 2, 3), NOP, RET), FIRST + 30 + BACK);
	/* f1 is not x1 */
	cr_assert_eq(CYCLES(FADD(1, 2, 3), RET), FIRST + BACK);
	cr_assert_eq(CYCLES(CSRRS(A2, 0xc00, ZERO), NOP, RET), FIRST + 7 + BACK);
}

Test(scalar_time, loop)
{
	/* set 0; body: decrement 1, branch 2 (needs it); twice taken: +3 each; the return a cycle behind the last branch */
	cr_assert_eq(CYCLES(ADDI(A2, ZERO, 3), ADDI(A2, A2, -1), BNE(A2, ZERO, -4), RET),
		     FIRST + 1 + 2 * (1 + 3) + 1 + 1 + BACK);
	/* a branch target waits for its own sources when entered from above: multiply 0, target 4, the return 5 */
	cr_assert_eq(CYCLES(MUL(A3, A1, A1), ADDI(A2, A3, 0), BNE(ZERO, ZERO, -4), RET), FIRST + 5 + BACK);
	/* what was made above a loop does not hold it up: 0 0, head 1, 1, branch 2; taken: head 5, branch 6; the return 7 */
	cr_assert_eq(CYCLES(MUL(A3, A1, A1), ADDI(A4, ZERO, 2), ADDI(A4, A4, -1), ADDI(A2, A3, 0), BNE(A4, ZERO, -8), RET),
		     FIRST + 7 + BACK);
}

Test(scalar_time, text_lines)
{
	/* 8 instructions to a line: the tenth word is on the second, 4 cycles later */
	cr_assert_eq(CYCLES(NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, RET), 2 * FIRST + 4 + BACK);
	/* word 32 and word 0 share a slot: there, back, and the return is fetched again */
	uint32_t code[33];
	for (int i = 0; i < 33; i++)
		code[i] = RET;
	code[0] = JAL(ZERO, 128);
	code[32] = JAL(ZERO, -124);
	const struct chip chip = rig_chip();
	cr_assert_eq(cycles_on(&chip, code, 33), 3 * FIRST + 3 + 3 + BACK);
	/* with two ways both stay */
	struct chip two = chip;
	two.scalar.icache_ways = 2;
	cr_assert_eq(cycles_on(&two, code, 33), 2 * FIRST + 3 + 3 + BACK);
}

Test(scalar_time, first_in_is_first_out)
{
	static struct rig r;
	struct chip chip = rig_chip();
	uint32_t code[65];

	/* lines 0, 4 and 8 in one set of two ways: 0 4 0 8 0: line 0 came first, so line 8 displaces it in spite of its use */
	chip.scalar.icache_bytes = 256;
	chip.scalar.icache_ways = 2;
	for (int i = 0; i < 65; i++)
		code[i] = RET;
	code[0] = JAL(ZERO, 128);
	code[32] = JAL(ZERO, -124); /* to word 1 */
	code[1] = JAL(ZERO, 252);   /* to word 64 */
	code[64] = JAL(ZERO, -248); /* to word 2 */
	cr_assert(rig_init(&r, &chip, code, 65));
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_RETURN);
	cr_assert_eq(r.s.icache_misses, 4);
	cr_assert_eq(r.s.stall_icache, 4000);
	rig_free(&r);
}

Test(scalar_time, data_lines)
{
	/* load 0 + miss; its user 3 later, with the return */
	cr_assert_eq(CYCLES(LD(A2, A1, 0), ADDI(A3, A2, 1), RET), FIRST + 100 + 3 + BACK);
	/* the second load hits: one memory access a cycle: 0, 1, user of the second at 4 */
	cr_assert_eq(CYCLES(LD(A2, A1, 0), LD(A3, A1, 8), ADDI(A3, A3, 1), RET), FIRST + 100 + 4 + BACK);
	/* lines 0, 256, 512 share a set of two ways; the third displaces the first, which is dirty */
	cr_assert_eq(CYCLES(SD(A2, A1, 0), LD(A3, A1, 256), LD(A4, A1, 512), RET), FIRST + 3 * 100 + 100 + 2 + BACK);
	/* and a clean one costs nothing */
	cr_assert_eq(CYCLES(LD(A2, A1, 0), LD(A3, A1, 256), LD(A4, A1, 512), RET), FIRST + 3 * 100 + 2 + BACK);
	/* round robin: the fourth displaces 256, so 512 still hits and 256 does not */
	cr_assert_eq(CYCLES(LD(A2, A1, 0), LD(A3, A1, 256), LD(A4, A1, 512), LD(A2, A1, 768), LD(A2, A1, 512),
			    LD(A2, A1, 256), RET),
		     FIRST + 5 * 100 + 5 + BACK);
}

Test(scalar_time, ub)
{
	/* a UB load is 13 - 3 cycles slower than a hit, a store is not */
	cr_assert_eq(CYCLES(LD(A2, ZERO, 0), ADDI(A3, A2, 1), RET), FIRST + 10 + 3 + BACK);
	cr_assert_eq(CYCLES(SD(A2, ZERO, 0), RET), FIRST + BACK);
}

/* A rig stopped at each Da Vinci word of its program; data holds 8-byte numbers. */
static void step(struct rig *r)
{
	cr_assert_eq(scalar_run(&r->s, INT64_MAX, &r->f), SCALAR_DV, "%s", r->f.what);
	scalar_skip(&r->s, false, 0);
}

static void start(struct rig *r, const uint32_t *code, uint32_t n)
{
	const struct chip chip = rig_chip();

	cr_assert(rig_init(r, &chip, code, n), "%s", r->f.what);
	r->s.x[A1] = GM_DATA;
	for (int i = 0; i < 32; i++)
		rig_set_u64(r, GM_DATA + 8 * (uint64_t)i, 100 + (uint64_t)i);
}

static uint32_t stop_word(void)
{
	char err[128];

	cr_assert(isa_init(err, sizeof(err)), "%s", err);
	return rig_dv(A7);
}

Test(scalar_cache, stale_until_invalidated)
{
	static struct rig r;
	const uint32_t dv = stop_word();
	const uint32_t code[] = { LD(A2, A1, 0), dv, LD(A3, A1, 8), dv, LD(A4, A1, 0), dv };

	start(&r, code, 6);
	step(&r);
	cr_assert_eq(r.s.x[A2], 100);
	rig_set_u64(&r, GM_DATA, 7);
	rig_set_u64(&r, GM_DATA + 8, 8);
	step(&r);
	cr_assert_eq(r.s.x[A3], 101, "stale");
	cr_assert_eq(r.s.dcache_misses, 1);
	cr_assert_eq(r.s.dcache_hits, 1);
	cr_assert(scalar_cache_line(&r.s, GM_DATA + 63, false, true, &r.f));
	step(&r);
	cr_assert_eq(r.s.x[A4], 7, "fresh");
	cr_assert_eq(r.s.dcache_misses, 2);
	rig_free(&r);
}

Test(scalar_cache, write_back)
{
	static struct rig r;
	const uint32_t dv = stop_word();
	const uint32_t code[] = { SD(A2, A1, 0), dv, SD(A3, A1, 8), dv, SD(A2, A1, 16), dv };

	start(&r, code, 6);
	r.s.x[A2] = 1;
	r.s.x[A3] = 2;
	step(&r);
	cr_assert_eq(rig_u64(&r, GM_DATA), 100, "not yet written");
	int64_t before = r.s.cycle;
	cr_assert(scalar_cache_line(&r.s, GM_DATA, true, false, &r.f));
	cr_assert_eq(r.s.cycle, before + 100);
	cr_assert_eq(rig_u64(&r, GM_DATA), 1);
	cr_assert(scalar_cache_line(&r.s, GM_DATA, true, false, &r.f));
	cr_assert_eq(r.s.cycle, before + 100, "a clean line costs nothing");
	/* the line stayed, and a store that hits makes it dirty again */
	step(&r);
	cr_assert_eq(r.s.dcache_misses, 1);
	cr_assert_eq(rig_u64(&r, GM_DATA + 8), 101);
	cr_assert(scalar_cache_all(&r.s, true, true, &r.f));
	cr_assert_eq(rig_u64(&r, GM_DATA + 8), 2);
	/* dropped without writing back: the store is lost */
	step(&r);
	cr_assert(scalar_cache_all(&r.s, false, true, &r.f));
	cr_assert(scalar_cache_all(&r.s, true, false, &r.f));
	cr_assert_eq(rig_u64(&r, GM_DATA + 16), 102);
	rig_free(&r);
}

Test(scalar_cache, displaced_lines_are_written)
{
	static struct rig r;
	const uint32_t dv = stop_word();
	const uint32_t code[] = { SD(A2, A1, 0), LD(A3, A1, 256), LD(A3, A1, 512), dv, LD(A4, A1, 0), dv };

	start(&r, code, 6);
	r.s.x[A2] = 1;
	step(&r);
	cr_assert_eq(rig_u64(&r, GM_DATA), 1);
	step(&r);
	cr_assert_eq(r.s.x[A4], 1);
	cr_assert_eq(r.s.dcache_misses, 4);
	cr_assert_eq(r.s.stall_dcache, 5 * 100);
	rig_free(&r);
}

/* Two cores store to different words of a line: whole lines are written, so the later write back undoes the other store. */
Test(scalar_cache, false_sharing_loses_data)
{
	static struct rig r;
	static struct scalar other;
	struct core_mem mem;
	const uint32_t dv = stop_word();
	const uint32_t code[] = { SD(A2, A1, 0), dv };

	start(&r, code, 2);
	mem = r.mem;
	mem.core = 1;
	cr_assert(scalar_init(&other, &r.chip, CORE_VEC, &r.program, &mem, &r.f));
	scalar_start(&other, 0, NULL, 0, NULL);
	r.s.x[A2] = 1;
	other.x[A1] = GM_DATA + 8;
	other.x[A2] = 2;
	step(&r);
	cr_assert_eq(scalar_run(&other, INT64_MAX, &r.f), SCALAR_DV);
	cr_assert(scalar_cache_all(&r.s, true, false, &r.f));
	cr_assert_eq(rig_u64(&r, GM_DATA), 1);
	cr_assert(scalar_cache_all(&other, true, false, &r.f));
	cr_assert_eq(rig_u64(&r, GM_DATA), 100);
	cr_assert_eq(rig_u64(&r, GM_DATA + 8), 2);
	scalar_free(&other);
	rig_free(&r);
}

/* A region that ends inside a line: its bytes are reached and written back, those behind it are not there. */
Test(scalar_cache, partial_line)
{
	static struct rig r;
	const uint32_t dv = stop_word();
	const uint32_t code[] = { SW(A2, A1, 64), dv, LW(A3, A1, 64), dv, LW(A3, A1, 68) };

	start(&r, code, 5);
	struct gm_region *odd = gm_add(&r.gm, "argument odd", GM_ARGS, 68, true, false, &r.f);
	cr_assert(odd);
	r.s.x[A1] = GM_ARGS;
	r.s.x[A2] = 77;
	step(&r);
	step(&r);
	cr_assert_eq(r.s.x[A3], 77);
	cr_assert_eq(r.s.dcache_misses, 1);
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_FAULT);
	cr_assert(strstr(r.f.what, "argument odd"), "%s", r.f.what);
	struct fail f = { 0 };
	cr_assert(scalar_cache_all(&r.s, true, true, &f));
	cr_assert_eq(odd->host[64], 77);
	rig_free(&r);
}
