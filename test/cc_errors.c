/*
 * cc_errors.c - compile errors of Ascend C kernels: at the kernel's line, in a sentence, without pages of templates; and the
 * rewriting of the compiler's text by itself.
 */
#include "../sim/cc_errors.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The error that a body gives at its line 2 on a chip. */
struct mistake { char chip[16], body[160], says[200]; };
#define B "ascend910b1"
static struct mistake mistakes[] = {
	{ B, "Addd(t, t, t, 32);", "use of undeclared identifier 'Addd'" },
	{ B, "AscendC::Foo(t);", "no type named 'Foo' in namespace 'AscendC'" },
	{ B, "t.SetVal(0, 1.0f);", "no member named 'SetVal' in 'AscendC::LocalTensor<float>'; did you mean 'SetValue'?" },
	{ B, "TQue<TPosition::VECINN, 1> r;", "no member named 'VECINN' in 'AscendC::TPosition'; did you mean 'VECIN'?" },
	{ B, "Add(t, h, t, 32);", "Add: deduced conflicting types for parameter 'T' ('float' vs. 'half')" },
	{ B, "Mul(t, t, 32);", "Mul: requires 4 arguments, but 3 were provided" },
	{ B, "Cast(h, u, RoundMode::CAST_NONE);", "Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const "
	  "RoundMode &mode, "
	  "const uint32_t count): requires 4 arguments, but 3 were provided" },
	{ B, "auto y = q.AllocTensor();", "AllocTensor(): couldn't infer template argument 'T'" },
	{ B, "DataCopy(t, x, 32);", "could not match 'GlobalTensor<T>' against 'uint8_t *'" },
	{ B, "LocalTensor<float> w = h;", "no viable conversion from 'LocalTensor<half>' to 'LocalTensor<float>'" },
	{ B, "Add(u, u, u, 32);", "AscendC::Add takes half, float, int16_t and int32_t on Ascend 910B" },
	{ "ascend910", "Add(s, s, s, 32);", "AscendC::Add takes half, float and int32_t on Ascend 910 and 310" },
	{ B, "Exp(u, u, 64, 1, {1, 1, 8, 8});", "AscendC::Exp takes half and float on Ascend 910B" },
	{ B, "Cast(u, t, RoundMode::CAST_NONE, 32);", "AscendC::Cast: Ascend 910B has no conversion between these types" },
	{ B, "Duplicate(u, (uint8_t)1, 32);", "AscendC::Duplicate takes half, bfloat16_t" },
	{ "ascend310p", "SetAtomicAdd<int32_t>();", "AscendC::SetAtomicAdd takes float, half and int16_t on Ascend 310P" },
	{ B, "DropOut(t);", "Vinci does not model AscendC::DropOut yet" },
	{ B, "DropOut<float>(t, t);", "Vinci does not model AscendC::DropOut yet" },
	{ B, "AscendC::TopK<float, true>(t, t);", "Vinci does not model AscendC::TopK yet" },
	{ "ascend910", "DataCopyPad(t, g, {1, 20, 0, 0, 0}, {false, 0, 0, 0});",
	  "AscendC::DataCopyPad does not exist on Ascend 910 and 310; use DataCopy of whole 32-byte blocks" },
	{ "ascend310p", "DataCopyPad(g, t, DataCopyExtParams(1, 20, 0, 0, 0));",
	  "AscendC::DataCopyPad does not exist on Ascend 310P; use DataCopy of whole 32-byte blocks" },
	{ "ascend910", "Gather(t, t, t.ReinterpretCast<uint32_t>(), 0, 32);", "AscendC::Gather does not exist on "
	  "Ascend 910 and 310; use" },
	{ "ascend310p", "Sort<float, true>(t, t, t.ReinterpretCast<uint32_t>(), t, 1);", "AscendC::Sort does not exist "
	  "on Ascend 310P; use" },
	{ "ascend910", "CrossCoreSetFlag<2, PIPE_MTE3>(1);", "AscendC::CrossCoreSetFlag does not exist on Ascend 910 "
	  "and 310; use SyncAll" },
	{ "ascend910", "WholeReduceMax<float>(t, t, 64, 1, 1, 1, 8);", "AscendC::WholeReduceMax takes half on Ascend "
	  "910 and 310" },
	{ "ascend310p", "using T = MatmulType<TPosition::GM, CubeFormat::ND, half>; matmul::Matmul<T, T, T> m; (void)m;",
	  "Vinci models the Matmul object on 910B (c220) only; on 910 and 310P use Mmad" },
	{ B, "RpSort16(t, t, 1);", "AscendC::RpSort16 does not exist on Ascend 910B; use Sort32" },
};
ParameterizedTestParameters(cc_errors, kernel)
{
	return cr_make_param_array(struct mistake, mistakes, sizeof mistakes / sizeof mistakes[0]);
}
ParameterizedTest(struct mistake *m, cc_errors, kernel)
{
	char path[] = "/tmp/cc_errors_XXXXXX.cpp", line[200], out[1 << 15];
	int fd = mkstemps(path, 4), lines = 0;
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
	cr_assert(f != NULL);
	fprintf(f, "#include \"kernel_operator.h\"\n#include \"lib/matmul_intf.h\"\nusing namespace AscendC;\n#line 1\n"
		   "extern \"C\" __global__ __aicore__ void k(GM_ADDR x) { TPipe p; TBuf<> b; TQue<TPosition::VECIN, 1> q; "
		   "GlobalTensor<float> g; auto t = b.Get<float>(); auto h = b.Get<half>(); auto s = b.Get<int16_t>(); "
		   "auto u = b.Get<uint8_t>(); "
		   "(void)g, (void)h, (void)s, (void)u, (void)q, (void)t;\n%s\n}\n", m->body);
	fclose(f);
	snprintf(line, sizeof line, "build/vinci cc %s -o %s.elf --chip %s 2>&1", path, path, m->chip);
	FILE *p = popen(line, "r");
	cr_assert(p != NULL);
	out[fread(out, 1, sizeof out - 1, p)] = 0;
	int status = pclose(p);
	unlink(path);
	cr_expect_eq(WEXITSTATUS(status), 2, "%s", out);
	cr_expect(strstr(out, m->says), "%s does not say \"%s\": %s", m->body, m->says, out);
	snprintf(line, sizeof line, "%s:2:", path);
	cr_expect(strncmp(out, line, strlen(line)) == 0, "%s is not told at its line: %s", m->body, out);
	for (const char *c = out; *c; c++)
		lines += *c == '\n';
	cr_expect(lines <= 13, "%d lines: %s", lines, out);
	cr_expect(!strstr(out, "macro") && !strstr(out, "vinci_") && !strstr(out, "instantiation") && !strstr(out,
	  "_Float16"), "%s", out);
}

static void rewrite(const char *text, const char *expected, int want)
{
	static const char *const ours[] = { "/vinci/isa", NULL };
	int errors;
	char *got = cc_errors(text, ours, &errors);
	cr_assert(got != NULL);
	cr_expect_str_eq(got, expected);
	cr_expect_eq(errors, want);
	free(got);
}
Test(cc_errors, an_error_in_a_header_moves_to_the_kernel)
{
	rewrite("In file included from k.cpp:1:\n/vinci/isa/a.h:9:3: error: static assertion failed due to requirement "
	  "'x<int>': "
		"AscendC::Add takes half\n    9 | X\n      | ^\n/vinci/isa/a.h:5:1: note: expanded from macro 'X'\n"
		"k.cpp:7:5: note: in instantiation of function template specialization 'Add<int>' requested here\n"
		"    7 |     Add(t);\n      |     ^\n1 error generated.\n",
		"k.cpp:7:5: error: AscendC::Add takes half\n    7 |     Add(t);\n      |     ^\n", 1);
}
Test(cc_errors, what_follows_from_an_error_is_not_told)
{
	rewrite("/vinci/isa/a.h:9:3: error: first\nk.cpp:7:5: note: requested here\n/vinci/isa/a.h:10:3: error: second\n"
		"k.cpp:7:5: note: requested here\n/vinci/isa/a.h:11:3: error: third\nk.cpp:8:5: error: of the kernel\n",
		"k.cpp:7:5: error: first\nk.cpp:8:5: error: of the kernel\n", 2);
}
Test(cc_errors, errors_without_the_kernel_stay)
{
	rewrite("/vinci/isa/a.h:9:3: error: ours\n    9 | X\n", "/vinci/isa/a.h:9:3: error: ours\n    9 | X\n", 1);
	rewrite("clang-19: error: no input files\n", "clang-19: error: no input files\n", 0);
}
Test(cc_errors, warnings_and_notes_of_the_kernel_stay)
{
	rewrite("k.cpp:3:1: warning: unused variable 'a' [-Wunused-variable]\n    3 | int a;\n"
	  "k.cpp:2:1: error: redefinition of "
		"'b'\nk.cpp:1:1: note: previous definition is here\n",
		"k.cpp:3:1: warning: unused variable 'a' [-Wunused-variable]\n    3 | int a;\n"
	  "k.cpp:2:1: error: redefinition of "
		"'b'\nk.cpp:1:1: note: previous definition is here\n", 1);
}
