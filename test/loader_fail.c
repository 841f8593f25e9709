/*
 * Errors: the first cause wins, and what is printed says whose fault, where, and what to do.
 */
#include "../isa/isa.h"
#include "../sim/fail.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char *print(const struct fail *f)
{
	static char text[2048];
	memset(text, 0, sizeof(text));
	FILE *out = fmemopen(text, sizeof(text) - 1, "w");
	fail_write(f, out);
	fclose(out);
	return text;
}

Test(fail, first_cause_wins)
{
	struct fail f = { 0 };
	cr_expect_not(fail_set(&f, FAIL_KERNEL, "first %d", 1));
	cr_expect_not(fail_hint(&f, "try %s", "this"));
	cr_expect_not(fail_file(&f, FAIL_INTERNAL, "x.cfg", 3, "second"));
	cr_expect_not(fail_hint(&f, "not this"));
	cr_expect_eq(f.class, FAIL_KERNEL);
	cr_expect_str_eq(f.what, "first 1");
	cr_expect_str_eq(f.hint, "try this");
	cr_expect_str_eq(f.file, "");
	cr_expect_not(fail_set(NULL, FAIL_USER, "nobody listens"));
	cr_expect_not(fail_hint(NULL, "nobody listens"));
}

Test(fail, a_hint_without_a_cause_is_dropped)
{
	struct fail f = { 0 };
	fail_hint(&f, "early");
	cr_expect_str_eq(f.hint, "");
}

Test(fail, long_texts_are_cut)
{
	struct fail f = { 0 };
	fail_file(&f, FAIL_USER, "f", 1, "%02000d", 7);
	cr_expect_eq(strlen(f.what), sizeof(f.what) - 1);
}

Test(fail, printed_with_place)
{
	struct fail f = { 0 };
	fail_set(&f, FAIL_KERNEL, "vadd.f16: out of bounds");
	fail_hint(&f, "shorten the tail");
	f.has_where = true;
	f.where = (struct fail_where){ .pc = 0x100000124, .cycle = 1234, .core = 3, .block = 5, .pipe = PIPE_MTE2 };
	strcpy(f.where.kernel_line, "kernel.c:88 in matmul");
	cr_expect_str_eq(print(&f),
			 "vinci: kernel error: vadd.f16: out of bounds\n"
			 "  at kernel.c:88 in matmul, pc 0x100000124, core 3 (block 5), pipe MTE2, cycle 1234\n"
			 "  hint: shorten the tail\n");
	f.where = (struct fail_where){ .pc = 0x100000124, .cycle = -1, .core = -1, .block = -1, .pipe = -1 };
	f.hint[0] = 0;
	cr_expect_str_eq(print(&f), "vinci: kernel error: vadd.f16: out of bounds\n  at pc 0x100000124\n");
}

Test(fail, printed_with_file)
{
	struct fail f = { 0 };
	fail_file(&f, FAIL_USER, "matmul.cfg", 12, "unknown key 'blcoks'");
	cr_expect_str_eq(print(&f), "vinci: input error: unknown key 'blcoks'\n  in matmul.cfg:12\n");
	f.line = 0;
	f.class = FAIL_MODEL;
	strcpy(f.what, "odd \033[31mname\n");
	cr_expect_str_eq(print(&f), "vinci: not modelled: odd ?[31mname?\n  in matmul.cfg\n");
}
