/*
 * scalar_faults.c - every way a kernel's scalar code can go wrong is named, with its pc; and where the scalar unit hands
 * over to the core: Da Vinci words, yields, arguments of a block.
 */
#include "scalar_rig.h"

#include <criterion/criterion.h>

/* Run; a1 = GM_DATA, a2 = value. The fault's text must hold `text`, its pc be that of word `at`. */
static void faults(const uint32_t *code, uint32_t n, uint64_t value, const char *text, uint32_t at)
{
	static struct rig r;
	const struct chip chip = rig_chip();

	cr_assert(rig_init(&r, &chip, code, n), "%s", r.f.what);
	r.s.x[A1] = GM_DATA;
	r.s.x[A2] = value;
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_FAULT, "no fault: %s", text);
	cr_assert_eq(r.f.class, FAIL_KERNEL);
	cr_assert(strstr(r.f.what, text), "\"%s\" is not in \"%s\"", text, r.f.what);
	cr_assert(r.f.has_where);
	cr_assert_eq(r.f.where.pc, GM_BASE + 4 * at, "%s: pc %lx", text, (unsigned long)r.f.where.pc);
	cr_assert_eq(r.f.where.core, 0);
	cr_assert_eq(r.f.where.pipe, PIPE_S);
	rig_free(&r);
}

#define FAULTS(value, text, at, ...)                                                                                   \
	faults((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4, value, text, at)

Test(scalar_faults, words)
{
	FAULTS(0, "illegal instruction 0x00000000", 1, NOP, 0);
	FAULTS(0, "illegal instruction 0xffffffff", 0, 0xffffffff);
	FAULTS(0, "illegal instruction 0x00008082", 0, 0x8082);         /* compressed ret */
	FAULTS(0, "illegal instruction 0x1005252f", 0, 0x1005252f);     /* lr.w */
	FAULTS(0, "illegal instruction", 0, as_r(0x53, 5, 0, 1, 2, 3)); /* fadd.s with rounding mode 5 */
	FAULTS(0, "frm holds the reserved rounding mode 6", 1, as_i(0x73, 5, ZERO, 6, 2), as_r(0x53, 7, 0, 1, 2, 3));
	FAULTS(0, "ecall", 1, NOP, ECALL);
	FAULTS(0, "ebreak", 0, EBREAK);
	FAULTS(0, "csrrs of CSR 0x300", 0, CSRRS(A0, 0x300, ZERO));
	FAULTS(0, "csrrw of CSR 0xc00", 0, CSRRW(A0, 0xc00, ZERO));
	FAULTS(0, "csrrs of CSR 0xc02", 0, CSRRS(A0, 0xc02, A1));
	FAULTS(0, "ran past the end", 1, NOP);
	/* the end on the first word of an I-cache line, reached in line */
	FAULTS(0, "ran past the end", 8, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP);
}

Test(scalar_faults, jumps)
{
	FAULTS(0, "jump to 0x0: an address outside", 0, JALR(ZERO, A2, 0), NOP);
	FAULTS(GM_BASE + 2, "jump to 0x100000002: a misaligned address", 0, JALR(ZERO, A2, 0), NOP);
	FAULTS(GM_DATA, "outside of the kernel's text (text is 0x100000000 to 0x100000008)", 0, JALR(ZERO, A2, 0), NOP);
	FAULTS(GM_BASE + 8, "jump to 0x100000008", 0, JALR(ZERO, A2, 0), NOP);
	FAULTS(0, "jump to 0x100000100: an address outside", 0, JAL(ZERO, 256), NOP);
	FAULTS(0, "jump to 0xfffffffc: an address outside", 0, JAL(ZERO, -4), NOP);
	FAULTS(0, "jump to 0x100000002: a misaligned address", 0, JAL(ZERO, 2), NOP);
	FAULTS(0, "jump to 0x100001000: an address outside", 1, NOP, BEQ(A2, ZERO, 4092), NOP);
	/* not taken: no fault there */
	FAULTS(1, "ebreak", 1, BEQ(A2, ZERO, 4092), EBREAK);
	FAULTS(1, "ebreak", 1, BEQ(A2, ZERO, 6), EBREAK);
	/* the faulting jump does not link */
	FAULTS(0, "jump to 0x0", 0, JALR(A2, A2, 0), NOP);
}

Test(scalar_faults, accesses)
{
	FAULTS(0x1000, "load of 4 bytes at 0x1000: past the end of UB (4096 bytes)", 0, LW(A0, A2, 0));
	FAULTS(0xff4, "misaligned load of 8 bytes at UB address 0xff4", 0, LD(A0, A2, 0));
	FAULTS(0x1000, "load of 4 bytes at 0xffe", 0, LW(A0, A2, -2));
	FAULTS(0x102, "misaligned store of 4 bytes at UB address 0x102", 0, SW(A0, A2, 0));
	FAULTS(0xfffffff8, "store of 8 bytes at 0xfffffff8: past the end of UB", 0, SD(A0, A2, 0));
	FAULTS(UINT64_MAX, "load of 1 bytes at 0xffffffffffffffff", 0, LB(A0, A2, 0));
	FAULTS(GM_DATA + 60, "misaligned load of 8 bytes at 0x14000003c crosses a data cache line", 0, LD(A0, A2, 0));
	FAULTS(GM_DATA + RIG_DATA_BYTES, "load of 8 bytes at 0x140040000", 1, LD(A0, A2, -8), LD(A0, A2, 0));
	FAULTS(GM_DATA - 8, "store of 8 bytes at 0x13ffffff8", 0, SD(A0, A2, 0));
	FAULTS(GM_ARGS, "0x200000000", 0, LD(A0, A2, 0));
}

/* Within a line any alignment is served, also when the line is hot. */
Test(scalar_faults, misaligned_within_a_line)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	const uint32_t code[] = { SD(A2, A1, 3), LD(A3, A1, 3), LW(A4, A1, 5), RET };

	cr_assert(rig_init(&r, &chip, code, 4));
	r.s.x[A1] = GM_DATA;
	r.s.x[A2] = 0x1122334455667788;
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_RETURN, "%s", r.f.what);
	cr_assert_eq(r.s.x[A3], 0x1122334455667788);
	cr_assert_eq(r.s.x[A4], 0x33445566);
	cr_assert_eq(r.s.dcache_misses, 1);
	cr_assert_eq(r.s.dcache_hits, 2);
	rig_free(&r);
}

Test(scalar_faults, read_only_and_no_ub)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	const uint32_t code[] = { LD(A0, A1, 0), SD(A0, A1, 0), RET };

	cr_assert(rig_init(&r, &chip, code, 3));
	cr_assert(gm_add_arg(&r.gm, "x", 64, false, &r.f));
	r.s.x[A1] = GM_ARGS;
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_FAULT);
	cr_assert(strstr(r.f.what, "argument x is read-only"), "%s", r.f.what);
	cr_assert_eq(r.f.where.pc, GM_BASE + 4);

	r.f = (struct fail){ 0 };
	free(r.mem.buf[SPACE_UB]);
	r.mem.buf[SPACE_UB] = NULL;
	scalar_start(&r.s, 0, NULL, 0, NULL);
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_FAULT);
	cr_assert(strstr(r.f.what, "this core has no UB"), "%s", r.f.what);
	rig_free(&r);
}

Test(scalar_faults, cache_control_outside_gm)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	const uint32_t code[] = { RET };

	cr_assert(rig_init(&r, &chip, code, 1));
	cr_assert_not(scalar_cache_line(&r.s, 64, true, true, &r.f));
	cr_assert(strstr(r.f.what, "data cache control at 0x40"), "%s", r.f.what);
	rig_free(&r);
}

Test(scalar_faults, cache_geometry)
{
	static struct rig r;
	const uint32_t code[] = { RET };
	struct chip chip = rig_chip();

	chip.scalar.dcache_line = 48;
	cr_assert_not(rig_init(&r, &chip, code, 1));
	cr_assert_eq(r.f.class, FAIL_USER);
	cr_assert(strstr(r.f.what, "data cache line of 48 bytes"), "%s", r.f.what);
	rig_free(&r);
	chip = rig_chip();
	chip.scalar.icache_bytes = 100;
	cr_assert_not(rig_init(&r, &chip, code, 1));
	cr_assert(strstr(r.f.what, "instruction cache of 100 bytes"), "%s", r.f.what);
	rig_free(&r);
}

Test(scalar_core, davinci_words)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	char err[128];
	cr_assert(isa_init(err, sizeof(err)));
	const uint32_t code[] = { ADDI(A3, ZERO, 5), rig_dv(A3), ADDI(A4, A3, 1), rig_dv(ZERO), RET };
	uint64_t x[4];

	cr_assert(rig_init(&r, &chip, code, 5));
	r.s.x[T6] = 66;
	/* not before its time: the word issues at 1000 + 1 */
	cr_assert_eq(scalar_run(&r.s, 1000, &r.f), SCALAR_YIELD);
	cr_assert_eq(r.s.cycle, 1001);
	cr_assert_eq(scalar_run(&r.s, 1001, &r.f), SCALAR_DV);
	cr_assert_eq(r.s.pc, GM_BASE + 4);
	cr_assert_eq(r.s.instret, 1);
	cr_assert_eq(scalar_dv(&r.s, x)->id, INSN_get_block_idx);
	cr_assert_eq(x[0], 5);
	cr_assert_eq(x[3], 66);
	scalar_skip(&r.s, true, 40);
	cr_assert_eq(r.s.cycle, 1002);
	cr_assert_eq(r.s.instret, 2);
	/* the core may have held it up */
	r.s.cycle = 5000;
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_DV);
	cr_assert_eq(r.s.x[A4], 41);
	cr_assert_eq(r.s.cycle, 5001);
	scalar_skip(&r.s, true, 99);
	cr_assert_eq(r.s.x[0], 0);
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_RETURN);
	cr_assert_eq(r.s.cycle, 5002 + 3);
	cr_assert_eq(r.s.pc, SCALAR_RETURN_PC);
	rig_free(&r);
}

/* What reaches shared state waits for its time; what does not runs on. */
Test(scalar_core, yields)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	const uint32_t code[] = { LD(A2, A1, 0), LD(A3, A1, 8), MUL(A4, A3, A3), SD(A4, ZERO, 0), RET };

	cr_assert(rig_init(&r, &chip, code, 5));
	r.s.x[A1] = GM_DATA;
	rig_set_u64(&r, GM_DATA + 8, 3);
	/* the fetch ends at 1000, the miss may not happen at 999 */
	cr_assert_eq(scalar_run(&r.s, 999, &r.f), SCALAR_YIELD);
	cr_assert_eq(r.s.pc, GM_BASE);
	cr_assert_eq(r.s.cycle, 1000);
	cr_assert_eq(r.s.dcache_misses, 0);
	/* the miss ends at 1100; the hit at 1101 and the multiply at 1104 go past `until`, the UB store at 1108 does not */
	cr_assert_eq(scalar_run(&r.s, 1000, &r.f), SCALAR_YIELD);
	cr_assert_eq(r.s.pc, GM_BASE + 12);
	cr_assert_eq(r.s.cycle, 1108);
	cr_assert_eq(r.s.x[A4], 9);
	/* the return issues beside the store, at 1108 */
	cr_assert_eq(scalar_run(&r.s, 1107, &r.f), SCALAR_YIELD);
	cr_assert_eq(scalar_run(&r.s, 1108, &r.f), SCALAR_RETURN);
	cr_assert_eq(r.mem.buf[SPACE_UB][0], 9);
	cr_assert_eq(r.s.cycle, 1108 + 3);
	rig_free(&r);
}

Test(scalar_core, return_waits_for_its_time)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	const uint32_t code[] = { RET };

	cr_assert(rig_init(&r, &chip, code, 1));
	cr_assert_eq(scalar_run(&r.s, 999, &r.f), SCALAR_YIELD);
	cr_assert_eq(r.s.pc, GM_BASE);
	cr_assert_eq(r.s.cycle, 1000);
	cr_assert_eq(scalar_run(&r.s, 1000, &r.f), SCALAR_RETURN);
	cr_assert_eq(r.s.cycle, 1003);
	cr_assert_eq(r.s.instret, 1);
	rig_free(&r);
}

Test(scalar_core, endless_loop_comes_back)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	const uint32_t code[] = { ADDI(A0, A0, 1), JAL(ZERO, -4) };

	cr_assert(rig_init(&r, &chip, code, 2));
	/* a turn takes 3 cycles: both instructions in one, the jump 2 more */
	cr_assert_eq(scalar_run(&r.s, 2000, &r.f), SCALAR_YIELD);
	cr_assert_eq(r.s.cycle, 1000 + 3 * (int64_t)r.s.x[A0]);
	cr_assert(r.s.cycle > 2000 + SCALAR_AHEAD_CYCLES && r.s.cycle <= 2000 + SCALAR_AHEAD_CYCLES + 3);
	cr_assert_eq(r.s.instret, 2 * r.s.x[A0]);
	int64_t before = r.s.cycle;
	cr_assert_eq(scalar_run(&r.s, before, &r.f), SCALAR_YIELD);
	cr_assert_gt(r.s.cycle, before + SCALAR_AHEAD_CYCLES);
	rig_free(&r);
}

/* lp64d: integers in a0-a7, floats in fa0-fa7, the rest on the stack in order, 16-byte aligned. */
Test(scalar_core, arguments)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	const uint32_t code[] = { RET };
	uint64_t args[13];
	bool is_float[13] = { false };

	cr_assert(rig_init(&r, &chip, code, 1));
	for (int i = 0; i < 13; i++)
		args[i] = 1000 + (uint64_t)i;
	is_float[1] = is_float[12] = true;
	scalar_start(&r.s, 77, args, 13, is_float);
	cr_assert_eq(r.s.cycle, 77);
	cr_assert_eq(r.s.pc, GM_BASE);
	cr_assert_eq(r.s.x[RA], SCALAR_RETURN_PC);
	cr_assert_eq(r.s.x[A0], 1000);
	cr_assert_eq(r.s.f[10], 1001);
	for (int i = 1; i < 8; i++)
		cr_assert_eq(r.s.x[A0 + i], 1001 + (uint64_t)i);
	cr_assert_eq(r.s.f[11], 1012);
	/* 9, 10, 11 are left: 24 bytes, rounded up to 32 */
	cr_assert_eq(r.s.x[SP], GM_STACK_TOP - 32);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(rig_u64(&r, r.s.x[SP] + 8 * (uint64_t)i), 1009 + (uint64_t)i);
	rig_free(&r);
}

/* Any words at all end in a stop that says what it is. */
Test(scalar_core, random_words)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	static const uint8_t opcodes[] = {
		0x03, 0x07, 0x13, 0x17, 0x1b, 0x23, 0x27, 0x33, 0x37, 0x3b, 0x43, 0x53, 0x63, 0x67, 0x6f, 0x73, 0x0b, 0x5b,
	};
	uint64_t state = 1;
	uint32_t code[64];
	int ended = 0;

	for (int round = 0; round < 400; round++) {
		for (int i = 0; i < 64; i++) {
			state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
			code[i] = (uint32_t)(state >> 32);
			if (round % 8)
				code[i] = (code[i] & ~127u) | opcodes[(state >> 20) % sizeof(opcodes)];
		}
		cr_assert(rig_init(&r, &chip, code, 64));
		for (int i = 1; i < 32; i++)
			r.s.x[i] = i % 3 == 0 ? GM_DATA + 512 : i % 3 == 1 ? GM_BASE + 8 * (uint64_t)i : 64;
		for (int calls = 0; calls < 50; calls++) {
			enum scalar_stop stop = scalar_run(&r.s, r.s.cycle, &r.f);
			if (stop == SCALAR_DV) {
				scalar_skip(&r.s, calls & 1, 5);
			} else if (stop != SCALAR_YIELD) {
				cr_assert(stop == SCALAR_FAULT && r.f.class == FAIL_KERNEL, "%s", r.f.what);
				ended++;
				break;
			}
			cr_assert_eq(r.s.x[0], 0);
		}
		rig_free(&r);
	}
	cr_assert_gt(ended, 300);
}
