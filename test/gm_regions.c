/*
 * Global memory: placing, finding, private copies, and the words for accesses that miss.
 */
#include "../sim/gm.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct gm gm;
static struct fail f;

static void setup(void)
{
	f = (struct fail){ 0 };
	gm_init(&gm, 3);
}
static void teardown(void) { gm_free(&gm); }
TestSuite(gm, .init = setup, .fini = teardown);

static const char *describe(uint64_t addr, uint64_t size, bool write)
{
	static char text[256];
	gm_describe(&gm, addr, size, write, text, sizeof(text));
	return text;
}

Test(gm, arguments_are_aligned_with_a_gap_behind)
{
	struct gm_region *a = gm_add_arg(&gm, "a", 1000, false, &f);
	struct gm_region *b = gm_add_arg(&gm, "b", 4096, true, &f);
	struct gm_region *none = gm_add_arg(&gm, "none", 0, true, &f);
	cr_assert(a && b && none);
	cr_expect_str_eq(a->name, "argument a");
	cr_expect_eq(a->addr, 0x200000000);
	cr_expect_eq(b->addr % 512, 0);
	cr_expect_geq(b->addr, a->addr + a->size + 512);
	cr_expect_gt(none->addr, b->addr + b->size);
	cr_expect_null(gm_find(&gm, none->addr, 1));
}

Test(gm, zeroed_and_found_only_entirely)
{
	struct gm_region *a = gm_add_arg(&gm, "a", 1000, true, &f);
	cr_assert(a);
	for (int i = 0; i < 1000; i++)
		cr_assert_eq(a->host[i], 0);
	cr_expect_eq(gm_find(&gm, a->addr, 1000), a);
	cr_expect_eq(gm_find(&gm, a->addr + 999, 1), a);
	cr_expect_eq(gm_find(&gm, a->addr + 1000, 0), a);
	cr_expect_null(gm_find(&gm, a->addr, 1001));
	cr_expect_null(gm_find(&gm, a->addr + 999, 2));
	cr_expect_null(gm_find(&gm, a->addr + 999, UINT64_MAX));
	cr_expect_null(gm_find(&gm, a->addr - 1, 1));
	cr_expect_null(gm_find(&gm, UINT64_MAX, UINT64_MAX));
	cr_expect_eq(gm_at(&gm, 0, a->addr + 5, 995, true), a->host + 5);
}

Test(gm, order_of_adding_does_not_matter)
{
	/* many regions, added in a scattered order; every one must be found, and pointers stay valid */
	struct gm_region *r[GM_REGIONS];
	for (int i = 0; i < GM_REGIONS; i++) {
		uint64_t place = (uint64_t)(i * 37 % GM_REGIONS);
		r[i] = gm_add(&gm, "r", GM_BASE + place * 4096, 4096, true, false, &f);
		cr_assert(r[i], "%s", f.what);
	}
	for (int i = 0; i < GM_REGIONS; i++) {
		uint64_t place = (uint64_t)(i * 37 % GM_REGIONS);
		cr_expect_eq(r[i]->addr, GM_BASE + place * 4096);
		cr_expect_eq(gm_find(&gm, GM_BASE + place * 4096 + 4095, 1), r[i]);
		cr_expect_null(gm_find(&gm, GM_BASE + place * 4096 + 4095, 2));
	}
	cr_expect_null(gm_add(&gm, "one too many", GM_ARGS, 1, true, false, &f));
	cr_expect_eq(f.class, FAIL_USER);
}

Test(gm, private_copies)
{
	struct gm_region *d = gm_add(&gm, "data", GM_DATA, 64, true, true, &f);
	cr_assert(d);
	uint8_t *p0 = gm_at(&gm, 0, GM_DATA + 8, 8, true);
	uint8_t *p2 = gm_at(&gm, 2, GM_DATA + 8, 8, true);
	cr_assert(p0 && p2);
	*p2 = 7;
	cr_expect_eq(*p0, 0);
	cr_expect_eq(d->host[2 * 64 + 8], 7);
	cr_expect_null(gm_at(&gm, 3, GM_DATA, 8, true));
	cr_expect_null(gm_at(&gm, -1, GM_DATA, 8, true));
}

Test(gm, overlap_is_refused)
{
	cr_assert(gm_add(&gm, "text", GM_BASE, 4096, false, false, &f));
	cr_expect_null(gm_add(&gm, "data", GM_BASE + 4095, 16, true, true, &f));
	cr_expect_eq(f.class, FAIL_USER);
	cr_expect_str_eq(f.what, "data (0x100000fff, 16 bytes) overlaps text (0x100000000, 4096 bytes) in global memory");
	struct fail g = { 0 };
	cr_expect(gm_add(&gm, "behind", GM_BASE + 8192, 16, true, true, &g));
	cr_expect_null(gm_add(&gm, "from before", GM_BASE + 4096, 4097, true, true, &g));
	cr_expect_eq(g.class, FAIL_USER);
	struct fail h = { 0 };
	cr_expect(gm_add(&gm, "exactly between", GM_BASE + 4096, 4096, true, true, &h));
	cr_expect_null(gm_add(&gm, "low", 4096, 16, true, true, &h));
	cr_expect_eq(h.class, FAIL_USER);
	struct fail k = { 0 };
	cr_expect_null(gm_add(&gm, "huge", GM_ARGS, UINT64_MAX - GM_ARGS - 4096, true, true, &k));
	cr_expect_eq(k.class, FAIL_USER);
}

Test(gm, untouched_pages_cost_nothing)
{
	/* 1 GiB of address space, one page of memory */
	struct gm_region *r = gm_add_arg(&gm, "big", UINT64_C(1) << 30, true, &f);
	cr_assert(r);
	long pages_before = 0, pages_after = 0, ignore;
	FILE *s = fopen("/proc/self/statm", "r");
	cr_assert(s && fscanf(s, "%ld %ld", &ignore, &pages_before) == 2);
	fclose(s);
	r->host[(UINT64_C(1) << 30) - 1] = 1;
	s = fopen("/proc/self/statm", "r");
	cr_assert(s && fscanf(s, "%ld %ld", &ignore, &pages_after) == 2);
	fclose(s);
	cr_expect_lt(pages_before, 65536, "%ld pages resident", pages_before);
	cr_expect_lt(pages_after - pages_before, 1024);
}

Test(gm, words_for_accesses_that_miss)
{
	cr_assert(gm_add_arg(&gm, "a", 4096, false, &f));
	struct gm_region *c = gm_add_arg(&gm, "c", 4096, true, &f);
	cr_assert(c);
	char want[256];
	snprintf(want, sizeof(want), "starts 64 bytes past the end of argument c (0x%llx, 4096 bytes)",
		 (unsigned long long)c->addr);
	cr_expect_str_eq(describe(c->addr + 4096 + 64, 128, false), want);
	snprintf(want, sizeof(want), "its last 96 of 128 bytes are past the end of argument c (0x%llx, 4096 bytes)",
		 (unsigned long long)c->addr);
	cr_expect_str_eq(describe(c->addr + 4096 - 32, 128, false), want);
	snprintf(want, sizeof(want), "starts right behind the end of argument c (0x%llx, 4096 bytes)",
		 (unsigned long long)c->addr);
	cr_expect_str_eq(describe(c->addr + 4096, 1, true), want);
	snprintf(want, sizeof(want), "its first 32 of 64 bytes are before the start of argument c (0x%llx, 4096 bytes)",
		 (unsigned long long)c->addr);
	cr_expect_str_eq(describe(c->addr - 32, 64, false), want);
	snprintf(want, sizeof(want), "starts 64 bytes before the start of argument c (0x%llx, 4096 bytes)",
		 (unsigned long long)c->addr);
	cr_expect_str_eq(describe(c->addr - 64, 64, false), want);
	cr_expect_str_eq(describe(0x200000000, 64, true), "argument a is read-only");
	cr_expect_str_eq(describe(0x40, 64, true),
			 "0x40 is below 4 GiB: a local buffer offset used as a GM address?");
	cr_expect_str_eq(describe(0x200000000, 8192, false),
			 "its last 4096 of 8192 bytes are past the end of argument a (0x200000000, 4096 bytes)");
	cr_expect_str_eq(describe(UINT64_MAX - 3, 8, false),
			 "0xfffffffffffffffc + 8 bytes runs past the end of the address space");
}
