/*
 * launch_test.c - launch files: what they may say, every error with its line, expressions, overrides, initial values,
 * golden programs.
 */
#include "../sim/golden.h"
#include "../sim/launch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char good[] =
	"kernel = \"matmul.c\"; entry = \"matmul\"; chip = \"ascend910b1\"; blocks = 3; core = \"cube\";\n"
	"seed = 7; max_cycles = 1000000; golden = \"golden.c\"; cflags = \"-DX=1\";\n"
	"params = { M = 512; N = 100; base_m = 128; };\n"
	"args = (\n"
	"  { name = \"a\"; kind = \"in\"; dtype = \"f16\"; shape = [ \"M\", \"align(N, 16)\" ];"
	" init = \"uniform(-1, 1)\"; },\n"
	"  { name = \"b\"; kind = \"in\"; dtype = \"float32\"; shape = ( \"N\", 4 ); file = \"b.npy\"; },\n"
	"  { name = \"c\"; kind = \"out\"; dtype = \"f32\"; shape = [ \"M\", \"N\" ]; golden = \"c.npy\";"
	" out = \"/tmp/c.npy\";\n"
	"    tolerance = { preset = \"f16\"; rtol = 0.5; }; },\n"
	"  { name = \"d\"; kind = \"inout\"; dtype = \"bf16\"; shape = [ 8 ]; init = \"ones\"; },\n"
	"  { name = \"w\"; kind = \"workspace\"; shape = [ \"M * 64\" ]; },\n"
	"  { name = \"t\"; kind = \"tiling\"; values = { m = \"M\"; n = \"ceil_div(N, 16)\"; k = 3; s = 0.5;\n"
	"    u = (\"M\", \"s64\"); }; },\n"
	"  { name = \"alpha\"; kind = \"scalar\"; dtype = \"f32\"; value = \"2.5\"; } );\n"
	"tolerance = { rtol = 0.25; atol = 0; fraction = 1e-2; };\n";

static struct launch *parse(const char *text)
{
	static struct launch l;
	struct fail f = { 0 };
	cr_assert(launch_parse(text, "some/where/launch.cfg", &l, &f), "%s (line %d)", f.what, f.line);
	return &l;
}

Test(launch_parse, everything)
{
	struct launch *l = parse(good);
	cr_expect_str_eq(l->kernel, "some/where/matmul.c");
	cr_expect_str_eq(l->golden, "some/where/golden.c");
	cr_expect_str_eq(l->folder, "some/where");
	cr_expect_str_eq(l->entry, "matmul");
	cr_expect_str_eq(l->chip, "ascend910b1");
	cr_expect_str_eq(l->core, "cube");
	cr_expect_str_eq(l->cflags, "-DX=1");
	cr_expect_eq(l->blocks, 3);
	cr_expect_eq(l->seed, 7);
	cr_expect_eq(l->max_cycles, 1000000);
	cr_expect_eq(l->n_param, 3);
	cr_expect_str_eq(l->param[2].name, "base_m");
	cr_expect_eq(l->param[2].value, 128);
	cr_expect_eq(l->param[2].line, 3);
	cr_expect_eq(l->n_arg, 7);
	cr_expect_eq(l->arg[0].kind, ARG_IN);
	cr_expect_eq(l->arg[0].dtype, DT_F16);
	cr_expect_str_eq(l->arg[0].init, "uniform(-1, 1)");
	cr_expect_str_eq(l->arg[1].file, "some/where/b.npy");
	cr_expect_str_eq(l->arg[2].golden, "some/where/c.npy");
	cr_expect_str_eq(l->arg[2].out, "/tmp/c.npy");
	cr_expect_eq(l->arg[2].tolerance.rtol, 0.5);
	cr_expect_eq(l->arg[2].tolerance.atol, 1e-3);
	cr_expect(l->arg[3].has_tolerance && l->arg[3].tolerance.rtol == 0.25 && l->arg[3].tolerance.atol == 0);
	cr_expect_not(l->arg[0].has_tolerance);
	cr_expect_eq(l->arg[4].dtype, DT_U8);
	cr_expect_eq(l->arg[5].n_value, 5);
	cr_expect_str_eq(l->arg[5].value[1].expr, "ceil_div(N, 16)");
	cr_expect_str_eq(l->arg[5].value[2].expr, "3");
	cr_expect_str_eq(l->arg[5].value[3].expr, "0.5");
	cr_expect_str_eq(l->arg[5].value[3].type, "f32");
	cr_expect_str_eq(l->arg[5].value[4].type, "s64");
	cr_expect_eq(l->arg[5].value[4].line, 12);
	cr_expect_str_eq(l->arg[6].scalar, "2.5");
	uint64_t dim[ARRAY_DIMS];
	struct fail f = { 0 };
	cr_assert(launch_shape(l, &l->arg[0], dim, &f), "%s", f.what);
	cr_expect_eq(dim[0], 512);
	cr_expect_eq(dim[1], 112);
	cr_assert(launch_shape(l, &l->arg[1], dim, &f));
	cr_expect_eq(dim[1], 4);
}

Test(launch_parse, errors_have_line_and_advice)
{
	static const struct { const char *from, *to, *says, *hint; int line; } cases[] = {
		{ "entry =", "entrance =", "launch: unknown key entrance", "known: kernel, entry", 1 },
		{ "kernel = \"matmul.c\";", "", "missing key kernel", "", 0 },
		{ "kernel = \"matmul.c\"", "kernel = 3", "kernel: expected a text in quotes, got a whole number", "",
		  1 },
		{ "blocks = 3", "blocks = -3", "blocks = -3 is negative", "", 1 },
		{ "blocks = 3", "blocks = \"all\"", "blocks: expected a whole number, got a text", "", 1 },
		{ "\"cube\"", "\"sphere\"", "core: \"sphere\" is not known", "cube, vector, mix", 1 },
		{ "params = {", "params = 3; p = {", "launch: unknown key p", "", 3 },
		{ "M = 512", "M = 5.5", "M: expected a whole number, got a fraction", "", 3 },
		{ "M = 512", "blocks = 512", "params: \"blocks\" has a meaning of its own", "", 3 },
		{ "M = 512", "M-x = 512", "params: \"M-x\" is no name", "", 3 },
		{ "M = 512", "M = \"N\"", "params.M: expression \"N\": no parameter N", "", 3 },
		{ "M = 512", "M = \"1 / 0\"", "params.M: expression \"1 / 0\": division by zero", "", 3 },
		{ "args = (", "others = (", "unknown key others", "", 4 },
		{ "{ name = \"a\"; kind = \"in\";", "{ kind = \"in\";", "argument without name: missing key name", "",
		  5 },
		{ "{ name = \"a\"; kind = \"in\";", "{ name = \"a\";", "argument a: missing key kind", "", 5 },
		{ "{ name = \"a\"; kind = \"in\";", "{ name = \"a b\"; kind = \"in\";",
		  "argument \"a b\": not a name", "", 5 },
		{ "{ name = \"a\"; kind = \"in\";", "{ name = \"a\"; kind = \"input\";",
		  "argument a: no kind \"input\"", "in", 5 },
		{ "{ name = \"a\"; kind = \"in\";", "{ name = \"a\"; kind = \"in\"; golden = \"x\";",
		  "argument a (in): unknown key golden", "known: name", 5 },
		{ "{ name = \"a\"; kind = \"in\";", "3, { name = \"a\"; kind = \"in\";",
		  "args: expected groups { ... }, got", "", 5 },
		{ "dtype = \"f16\"", "dtype = \"f17\"", "argument a: \"f17\" is no element type", "bf16", 5 },
		{ "dtype = \"f16\";", "", "argument a: missing key dtype", "", 5 },
		{ "shape = [ \"M\", \"align(N, 16)\" ];", "", "argument a: missing key shape", "", 5 },
		{ "shape = [ \"M\", \"align(N, 16)\" ]", "shape = 3", "shape: expected [ ... ], got a whole number",
		  "", 5 },
		{ "shape = [ \"M\", \"align(N, 16)\" ]", "shape = [ 0.5 ]",
		  "shape: expected a whole number, got a fraction", "", 5 },
		{ "shape = [ \"M\", \"align(N, 16)\" ]", "shape = [1,1,1,1,1,1,1,1,1]", "shape: at most 8 dimensions",
		  "", 5 },
		{ "init = \"uniform(-1, 1)\";", "", "argument a: missing key init or file", "uniform", 5 },
		{ "init = \"uniform(-1, 1)\";", "init = \"ones\"; file = \"x\";", "argument a has both init and file",
		  "", 5 },
		{ "uniform(-1, 1)", "uniforn(-1, 1)", "no generator \"uniforn\"", "did you mean \"uniform\"", 5 },
		{ "uniform(-1, 1)", "uniform(-1)", "expected uniform(low, high)", "", 5 },
		{ "uniform(-1, 1)", "uniform(1, -1)", "low is above high", "", 5 },
		{ "uniform(-1, 1)", "uniform(1, x)", "expected uniform(low, high)", "", 5 },
		{ "uniform(-1, 1)", "normal(0, -1)", "std is negative", "", 5 },
		{ "uniform(-1, 1)", "ones(1)", "expected ones", "", 5 },
		{ "name = \"b\"", "name = \"a\"", "two arguments are named a", "", 6 },
		{ "preset = \"f16\"", "preset = \"lax\"", "\"lax\" is neither an element type nor \"exact\"", "", 8 },
		{ "rtol = 0.5", "rtol = \"x\"", "rtol: expected a number, got a text", "", 8 },
		{ "rtol = 0.5", "rtol = -0.5", "tolerance.rtol is negative", "", 8 },
		{ "rtol = 0.5", "reltol = 0.5", "tolerance: unknown key reltol", "did you mean \"rtol\"", 8 },
		{ "values = {", "value = {", "argument t (tiling): unknown key value", "did you mean \"values\"", 11 },
		{ "(\"M\", \"s64\")", "(\"M\")", "values.u: expected (value, \"type\")", "", 12 },
		{ "(\"M\", \"s64\")", "(\"M\", \"s65\")", "values.u: \"s65\" is no element type", "", 12 },
		{ "(\"M\", \"s64\")", "[1]", "u: expected a whole number, got an array", "", 12 },
		{ "value = \"2.5\";", "", "argument alpha: missing key value", "", 13 },
		{ "args = (\n", "args = 3; x = (\n", "unknown key x", "", 4 },
		{ "seed = 7;", "seed = ;", "syntax error", "name = value", 2 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static struct launch l;
		static char text[4096];
		struct fail f = { 0 };
		const char *at = strstr(good, cases[i].from);
		cr_assert(at, "%s", cases[i].from);
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - good), good, cases[i].to,
			at + strlen(cases[i].from));
		cr_expect(!launch_parse(text, "x/launch.cfg", &l, &f), "%s", cases[i].to);
		cr_expect_eq(f.class, FAIL_USER);
		cr_expect_str_eq(f.file, "x/launch.cfg");
		cr_expect(strstr(f.what, cases[i].says), "%s: got \"%s\"", cases[i].says, f.what);
		cr_expect(strstr(f.hint, cases[i].hint), "%s: hint \"%s\"", cases[i].says, f.hint);
		cr_expect_eq(f.line, cases[i].line, "%s: line %d, not %d", cases[i].says, f.line, cases[i].line);
	}
}

Test(launch_load, folder_and_missing_file)
{
	static struct launch l;
	char folder[] = "/tmp/vinci-launch-XXXXXX", path[64], want[64];
	struct fail f = { 0 }, g = { 0 };
	cr_assert(mkdtemp(folder));
	cr_expect(!launch_load(folder, &l, &f));
	cr_expect(strstr(f.what, "launch.cfg: No such file"), "%s", f.what);
	snprintf(path, sizeof(path), "%s/launch.cfg", folder);
	FILE *out = fopen(path, "w");
	fputs(good, out);
	fclose(out);
	snprintf(want, sizeof(want), "%s/matmul.c", folder);
	cr_expect(launch_load(folder, &l, &g), "%s", g.what);
	cr_expect_str_eq(l.kernel, want);
	snprintf(path, sizeof(path), "%s/", folder);
	cr_expect(launch_load(path, &l, &g), "%s", g.what);
	cr_expect_str_eq(l.kernel, want);
	snprintf(path, sizeof(path), "rm -r %s", folder);
	cr_assert_eq(system(path), 0);
}

Test(launch_eval, values)
{
	static const struct { const char *text; int64_t v; } cases[] = {
		{ "1", 1 }, { "M", 512 }, { "M+N*2", 712 }, { "(M + N) * 2", 1224 }, { "M - N - 2", 410 }, { "M/3/2",
		  85 },
		{ "M % 100 * 2", 24 }, { "-M", -512 }, { "--M", 512 }, { "2 - -3", 5 }, { "0x1F", 31 }, { "-7 / 2",
		  -3 },
		{ "-7 % 2", -1 }, { "min(M, N)", 100 }, { "max(M, N)", 512 }, { "ceil_div(N, 16)", 7 },
		{ "ceil_div(96, 16)", 6 }, { "ceil_div(-7, 2)", -3 }, { "align(N, 16)", 112 }, { "align(0, 16)", 0 },
		{ "align(min(M, 33), max(2, 16)) + base_m", 176 }, { "9223372036854775807", INT64_MAX },
		{ "-9223372036854775807 - 1", INT64_MIN }, { " ( ( ( 3 ) ) ) ", 3 }, { "5 % -1", 0 }, { "5 / -1", -5 },
		{ "2 < 3", 1 }, { "3 < 3", 0 }, { "3 <= 3", 1 }, { "4 > 4", 0 }, { "4 >= 4", 1 }, { "M == 512", 1 },
		{ "M != 512", 0 }, { "1 + 1 == 2", 1 }, { "M > 128 ? 256 : 128", 256 }, { "N > 128 ? 256 : N + 1", 101 },
		{ "0 ? 1 : 0 ? 2 : 3", 3 }, { "min(M > N, 7) * 2", 2 }, { "(M < N) + 4", 4 },
	};
	struct launch *l = parse(good);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fail f = { 0 };
		int64_t v = 0;
		cr_expect(launch_eval(l, cases[i].text, &v, &f), "%s: %s", cases[i].text, f.what);
		cr_expect_eq(v, cases[i].v, "%s = %lld", cases[i].text, (long long)v);
	}
}

Test(launch_eval, errors)
{
	static const struct { const char *text, *says, *hint; } cases[] = {
		{ "", "it ends too early", "" }, { "M +", "it ends too early", "" }, { "M N",
		  "something is left over", "" },
		{ "(M", "expected ')'", "" }, { "M)", "left over", "" }, { "*",
		  "expected a number, a parameter or '('", "" },
		{ "1 / 0", "division by zero", "" }, { "1 % (M - 512)", "division by zero", "" },
		{ "9223372036854775807 + 1", "overflow", "" }, { "-9223372036854775807 - 2", "overflow", "" },
		{ "9223372036854775807 * 2", "overflow", "" }, { "9223372036854775808", "number too large", "" },
		{ "(0 - 9223372036854775807 - 1) / -1", "overflow", "" }, { "-(0-9223372036854775807-1)", "overflow",
		  "" },
		{ "align(9223372036854775807, 16)", "overflow", "" }, { "ceil_div(1, 0)", "positive second argument",
		  "" },
		{ "align(1, -4)", "positive second argument", "" }, { "base_n", "no parameter base_n",
		  "did you mean \"base_m\"" },
		{ "ceildiv(1, 2)", "no function ceildiv", "did you mean \"ceil_div\"" }, { "min(1)", "expected ','",
		  "" },
		{ "min 1", "no parameter min", "" }, { "1.5", "not a whole number", "" }, { "3x",
		  "not a whole number", "" },
		{ "0x", "not a whole number", "" }, { "sizeof(M)", "no function sizeof", "known: min" },
		{ "1 ? 2", "expected ':'", "" }, { "1 < 2 < 3", "left over", "" }, { "1 = 2", "left over", "" },
		{ "M ? : 3", "expected a number", "" },
	};
	struct launch *l = parse(good);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fail f = { 0 };
		int64_t v = 0;
		cr_expect(!launch_eval(l, cases[i].text, &v, &f), "%s", cases[i].text);
		cr_expect_eq(f.class, FAIL_USER);
		cr_expect(strstr(f.what, cases[i].says), "%s: %s", cases[i].text, f.what);
		cr_expect(strstr(f.hint, cases[i].hint), "%s: hint %s", cases[i].text, f.hint);
	}
}

Test(launch_eval, depth_is_bounded)
{
	static char text[20002];
	struct launch *l = parse(good);
	static const char *const openers[] = { "(", "-", "min(", "1?", "1?1:" };
	for (int k = 0; k < 5; k++) {
		struct fail f = { 0 };
		int64_t v;
		text[0] = 0;
		for (int i = 0; i < 5000; i++)
			memcpy(text + (size_t)i * strlen(openers[k]), openers[k], strlen(openers[k]) + 1);
		cr_expect(!launch_eval(l, text, &v, &f));
		cr_expect(strstr(f.what, "nested too deeply"), "%.100s", f.what);
	}
}

Test(launch_shape, errors_name_argument_and_line)
{
	struct launch *l = parse(good);
	uint64_t dim[ARRAY_DIMS];
	struct fail f = { 0 }, g = { 0 };
	strcpy(l->arg[0].dim_expr[1], "N - 101");
	cr_expect(!launch_shape(l, &l->arg[0], dim, &f));
	cr_expect(strstr(f.what, "argument a, dimension 1: \"N - 101\" is -1"), "%s", f.what);
	cr_expect_eq(f.line, 5);
	strcpy(l->arg[0].dim_expr[1], "n");
	cr_expect(!launch_shape(l, &l->arg[0], dim, &g));
	cr_expect(strstr(g.what, "argument a, dimension 1: expression \"n\": no parameter n"), "%s", g.what);
	cr_expect(strstr(g.hint, "N"), "%s", g.hint);
}

Test(launch_set, everything)
{
	struct launch *l = parse(good);
	static const char *const sets[] = { "M=127", "N=M+1", "chip=ascend910", "blocks=8", "entry=other", "seed=99",
					    "a.file=x.npy", "b.init=zeros", "c.out=y.npy", "c.golden=g.npy",
					    "d.dtype=f32",
					    "c.rtol=1e-3", "d.tolerance=exact", "t.k=64", "alpha.value=M",
					    "core=vector",
					    "kernel=k.elf", "golden=", "max_cycles=5", "cflags=-O1" };
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		struct fail f = { 0 };
		cr_expect(launch_set(l, sets[i], &f), "%s: %s", sets[i], f.what);
	}
	cr_expect_eq(l->param[0].value, 127);
	cr_expect_eq(l->param[1].value, 128);
	cr_expect_str_eq(l->chip, "ascend910");
	cr_expect_eq(l->blocks, 8);
	cr_expect_eq(l->seed, 99);
	cr_expect_str_eq(l->entry, "other");
	cr_expect_str_eq(l->arg[0].file, "x.npy");
	cr_expect_str_eq(l->arg[0].init, "");
	cr_expect_str_eq(l->arg[1].init, "zeros");
	cr_expect_str_eq(l->arg[1].file, "");
	cr_expect_str_eq(l->arg[2].out, "y.npy");
	cr_expect_str_eq(l->arg[2].golden, "g.npy");
	cr_expect_eq(l->arg[2].tolerance.rtol, 1e-3);
	cr_expect_eq(l->arg[3].dtype, DT_F32);
	cr_expect_eq(l->arg[3].tolerance.rtol, 0);
	cr_expect_str_eq(l->arg[5].value[2].expr, "64");
	cr_expect_str_eq(l->arg[6].scalar, "M");
	cr_expect_str_eq(l->kernel, "k.elf");
	cr_expect_str_eq(l->golden, "");
	cr_expect_eq(l->max_cycles, 5);
}

/* A parameter that is an expression follows those before it, until it is set itself. */
Test(launch_set, parameters_that_follow)
{
	static struct launch l;
	static char text[4096];
	struct fail f = { 0 };
	int64_t v;
	const char *at = strstr(good, "M = 512;");
	cr_assert(at);
	snprintf(text, sizeof(text), "%.*sM = 512; step = \"M > 128 ? 256 : 128\"; twice = \"2 * step\";%s", (int)(at - good),
		 good, at + strlen("M = 512;"));
	cr_assert(launch_parse(text, "x/launch.cfg", &l, &f), "%s", f.what);
	cr_expect(launch_eval(&l, "twice", &v, &f) && v == 512);
	cr_expect(launch_set(&l, "M=100", &f) && launch_eval(&l, "twice", &v, &f) && v == 256, "%s", f.what);
	cr_expect(launch_set(&l, "step=7", &f) && launch_eval(&l, "twice", &v, &f) && v == 14, "%s", f.what);
	cr_expect(launch_set(&l, "M=1000", &f) && launch_eval(&l, "twice", &v, &f) && v == 14, "%s", f.what);
}

Test(launch_set, errors)
{
	static const struct { const char *text, *says, *hint; } cases[] = {
		{ "M", "\"M\" is no assignment", "NAME=VALUE" }, { "=1", "no assignment", "" },
		{ "K=1", "nothing to set is called \"K\"", "" }, { "base_n=1", "nothing to set",
		  "did you mean \"base_m\"" },
		{ "chp=x", "nothing to set is called \"chp\"", "did you mean \"chip\"" },
		{ "M=x", "no parameter x", "" }, { "M=", "it ends too early", "" }, { "blocks=-1",
		  "blocks = -1 is negative", "" },
		{ "e.file=x", "no argument is called \"e\"", "" }, { "a.fil=x", "argument a has no key \"fil\"",
		  "did you mean \"file\"" },
		{ "a.out=x", "argument a (in) has no key \"out\"", "" }, { "c.file=x",
		  "argument c (out) has no key \"file\"", "" },
		{ "w.rtol=1", "argument w (workspace) has no key \"rtol\"", "" }, { "a.dtype=f17",
		  "\"f17\" is no element type", "" },
		{ "a.init=unifrm(0,1)", "no generator \"unifrm\"", "did you mean \"uniform\"" },
		{ "c.rtol=x", "rtol: \"x\" is no tolerance", "" }, { "c.rtol=-1", "is no tolerance", "" },
		{ "c.atol=inf", "is no tolerance", "" }, { "c.atol=nan", "is no tolerance", "" },
		{ "c.tolerance=lax", "\"lax\" is no preset", "" }, { "t.q=1", "argument t has no member \"q\"", "" },
		{ "alpha.file=x", "argument alpha (scalar) has no key \"file\"", "" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct launch *l = parse(good);
		struct fail f = { 0 };
		cr_expect(!launch_set(l, cases[i].text, &f), "%s", cases[i].text);
		cr_expect_eq(f.class, FAIL_USER);
		cr_expect(strstr(f.what, cases[i].says), "%s: %s", cases[i].text, f.what);
		cr_expect(strstr(f.hint, cases[i].hint), "%s: hint %s", cases[i].text, f.hint);
	}
}

static struct array values_of(enum dtype t, const char *init, uint64_t n, uint64_t seed, int arg)
{
	struct launch *l = parse(good);
	struct array a;
	struct fail f = { 0 };
	l->seed = seed;
	strcpy(l->arg[arg].init, init);
	cr_assert(array_make(&a, t, 1, &n, &f));
	cr_assert(launch_init(l, arg, &a, &f), "%s", f.what);
	return a;
}

Test(launch_init, simple_generators)
{
	static const struct { const char *init; double want[3]; } cases[] = {
		{ "zeros", { 0, 0, 0 } }, { "ones", { 1, 1, 1 } }, { "const(-2.5)", { -2.5, -2.5, -2.5 } },
		{ "arange", { 0, 1, 2 } }, { "arange(5)", { 5, 6, 7 } }, { "arange(1, -0.5)", { 1, 0.5, 0 } }, { "",
		  { 0, 0, 0 } },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct array a = values_of(DT_F32, cases[i].init, 3, 0, 0);
		for (uint64_t k = 0; k < 3; k++)
			cr_expect_eq(dtype_get(a.dtype, a.data, k), cases[i].want[k], "%s", cases[i].init);
		array_free(&a);
	}
}

Test(launch_init, first_random_values_are_splitmix64)
{
	/* the published generator, written out again: state starts at mix(mix(seed + g) + argument), g the golden gamma
	 * */
	const uint64_t g = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t state = 0, z = 3;
	struct array a = values_of(DT_F64, "uniform(0, 1)", 2, 3, 1);
	for (int step = 0; step < 4; step++) {
		if (step == 0)
			z = 3 + g;
		else if (step == 1)
			z = state + 1; /* argument 1 */
		else
			z = state += g;
		z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
		z ^= z >> 31;
		if (step < 2)
			state = z;
		else
			cr_expect_eq(dtype_get(DT_F64, a.data, (uint64_t)step - 2), ldexp((double)(z >> 11), -53));
	}
	array_free(&a);
}

Test(launch_init, distributions)
{
	enum { N = 100000 };
	static const struct { enum dtype t; const char *init; double mean, variance, low, high; } cases[] = {
		{ DT_F32, "uniform(-1, 3)", 1, 16.0 / 12, -1, 3 },
		{ DT_F64, "normal(2, 0.5)", 2, 0.25, -1, 5 },
		{ DT_F16, "normal(0, 1)", 0, 1, -6, 6 },
		{ DT_S8, "uniform(-3, 3)", 0, 4, -3, 3 },       /* (7^2 - 1) / 12 */
		{ DT_U8, "uniform(0, 255)", 127.5, 5461.25, 0, 255 },
		{ DT_BOOL, "uniform(0, 1)", 0.5, 0.25, 0, 1 },
	};
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct array a = values_of(cases[c].t, cases[c].init, N, 1, 0);
		double sum = 0, squares = 0;
		for (uint64_t i = 0; i < N; i++) {
			double v = dtype_get(a.dtype, a.data, i);
			cr_assert(v >= cases[c].low && v <= cases[c].high, "%s: %g", cases[c].init, v);
			sum += v;
			squares += (v - cases[c].mean) * (v - cases[c].mean);
		}
		/* five standard deviations of the estimates, and a little for rounding */
		double sd = sqrt(cases[c].variance);
		cr_expect_float_eq(sum / N, cases[c].mean, 5 * sd / sqrt(N), "%s: mean %g", cases[c].init, sum / N);
		cr_expect_float_eq(squares / N, cases[c].variance, 0.03 * cases[c].variance, "%s: variance %g",
			cases[c].init,
				   squares / N);
		array_free(&a);
	}
}

Test(launch_init, seed_and_argument_decide)
{
	struct array a = values_of(DT_F32, "uniform(0, 1)", 64, 1, 0), same = values_of(DT_F32, "uniform(0, 1)", 64,
		1, 0),
		     seed = values_of(DT_F32, "uniform(0, 1)", 64, 2, 0), arg = values_of(DT_F32, "uniform(0, 1)", 64,
		     1, 1);
	cr_expect_arr_eq(a.data, same.data, a.bytes);
	cr_expect_arr_neq(a.data, seed.data, a.bytes);
	cr_expect_arr_neq(a.data, arg.data, a.bytes);
	array_free(&a);
	array_free(&same);
	array_free(&seed);
	array_free(&arg);
}

static const char golden_launch[] =
	"kernel = \"k.c\"; golden = \"golden.c\"; params = { n = 6; };\n"
	"args = ( { name = \"x\"; kind = \"in\"; dtype = \"f16\"; shape = [ 2, 3 ]; init = \"arange(0.5, 0.25)\"; },\n"
	" { name = \"y\"; kind = \"out\"; dtype = \"bf16\"; shape = [ \"n\" ]; },\n"
	" { name = \"z\"; kind = \"inout\"; dtype = \"s8\"; shape = [ \"n\" ]; init = \"const(100)\"; },\n"
	" { name = \"alpha\"; kind = \"scalar\"; dtype = \"f32\"; value = 1.5; },\n"
	" { name = \"beta\"; kind = \"scalar\"; dtype = \"s32\"; value = \"n * 2\"; } );\n";

static bool run_golden(const char *body, struct array *golden, struct fail *f)
{
	static struct launch l;
	char folder[] = "/tmp/vinci-gold-XXXXXX", path[64];
	struct array in[LAUNCH_ARGS];
	cr_assert(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/golden.c", folder);
	FILE *out = fopen(path, "w");
	fprintf(out, "#include \"golden.h\"\nint golden(struct golden *g)\n{\n%s\n}\n", body);
	fclose(out);
	memset(in, 0, sizeof(in));
	memset(golden, 0, LAUNCH_ARGS * sizeof(*golden));
	cr_assert(launch_parse(golden_launch, "launch.cfg", &l, f), "%s", f->what);
	strcpy(l.golden, path);
	for (int i = 0; i < 3; i++) {
		uint64_t dim[ARRAY_DIMS];
		cr_assert(launch_shape(&l, &l.arg[i], dim, f));
		cr_assert(array_make(&in[i], l.arg[i].dtype, l.arg[i].n_dim, dim, f) && launch_init(&l, i, &in[i], f));
	}
	bool ok = golden_run(&l, "build/test.golden", in, golden, f);
	for (int i = 0; i < 3; i++)
		array_free(&in[i]);
	unlink(path);
	cr_expect_eq(rmdir(folder), 0);
	return ok;
}

Test(launch_golden, runs)
{
	struct array golden[LAUNCH_ARGS];
	struct fail f = { 0 };
	bool ok = run_golden("const float *x = golden_f32(g, \"x\");\n"
			     "const int64_t *z = golden_s64(g, \"z\");\n"
			     "double y[6], w[6];\n"
			     "for (int i = 0; i < golden_param(g, \"n\"); i++) {\n"
			     "	y[i] = x[i] * golden_scalar(g, \"alpha\") + (double)golden_dim(g, \"x\", 0);\n"
			     "	w[i] = (double)z[i] + i * golden_scalar(g, \"beta\");\n"
			     "}\n"
			     "y[5] = 1.00390625 + 1e-12;\n"
			     "golden_put_f64(g, \"y\", y);\n"
			     "golden_put_f64(g, \"z\", w);\n"
			     "const double bound[6] = { 0, 0.5, 1, 1.5, 2, 1e300 };\n"
			     "golden_bound(g, \"y\", bound);\n"
			     "return golden_count(g, \"x\") == 6 && golden_n_dim(g, \"x\") == 2 ? 0 : 1;\n",
			     golden, &f);
	cr_assert(ok, "%s", f.what);
	for (uint64_t i = 0; i < 5; i++)
		cr_expect_eq(dtype_get(DT_BF16, golden[1].data, i), (0.5 + 0.25 * (double)i) * 1.5 + 2);
	cr_expect_eq(dtype_get_int(DT_BF16, golden[1].data, 5), 0x3f81, "one rounding from double to bf16");
	static const int64_t z[6] = { 100, 112, 124, 127, 127, 127 };
	for (uint64_t i = 0; i < 6; i++)
		cr_expect_eq(dtype_get_int(DT_S8, golden[2].data, i), z[i]);
	cr_expect_null(golden[0].data);
	cr_expect_null(golden[2].bound);
	cr_assert(golden[1].bound);
	for (int i = 0; i < 5; i++)
		cr_expect_eq(golden[1].bound[i], 0.5 * i);
	for (int i = 0; i < LAUNCH_ARGS; i++)
		array_free(&golden[i]);
}

Test(launch_golden, errors)
{
	static const struct { const char *body, *says; } cases[] = {
		{ "(void)g; return 3;", "the golden program ended with status 3" },
		{ "(void)g; abort();", "the golden program was ended by signal 6" },
		{ "return (int)golden_param(g, \"m\");", "ended with status 1" },
		{ "float y[6] = { 0 }; golden_put_f32(g, \"y\", y); return 0;", "wrote no output \"z\"" },
		{ "float y[6] = { 0 }; double b[6] = { 0, 0, -1 }; golden_put_f32(g, \"y\", y); golden_put_f32(g, \"z\", y);"
		  "golden_bound(g, \"y\", b); return 0;", "bound of \"y\" is -1 at element 2" },
		{ "float y[6] = { 0 }; double b[6] = { INFINITY }; golden_put_f32(g, \"y\", y); golden_put_f32(g, \"z\", y);"
		  "golden_bound(g, \"z\", b); return 0;", "bound of \"z\" is inf at element 0" },
		{ "return", "golden.c" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct array golden[LAUNCH_ARGS];
		struct fail f = { 0 };
		cr_expect(!run_golden(cases[i].body, golden, &f), "%s", cases[i].body);
		cr_expect_eq(f.class, FAIL_USER);
		cr_expect(strstr(f.what, cases[i].says), "%s: %s", cases[i].body, f.what);
		cr_expect(strstr(f.file, "golden.c"), "%s", f.file);
		for (int k = 0; k < LAUNCH_ARGS; k++)
			array_free(&golden[k]);
	}
}
