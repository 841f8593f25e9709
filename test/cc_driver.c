/*
 * The compiler driver: what it makes, when it makes it again, and what it says when it cannot. A home folder of its own
 * with a header of three macros keeps these tests apart from the real kernel header.
 */
#include "../sim/cc.h"
#include "../sim/objdump.h"
#include "../sim/program.h"
#include "../sim/tool.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char dir[64];
static struct fail f;
static struct program p;

static const char *path(const char *name)
{
	static char text[4][256];
	static int turn;
	char *out = text[turn++ % 4];
	snprintf(out, sizeof(text[0]), "%s/%s", dir, name);
	return out;
}

static void put(const char *name, const char *text)
{
	FILE *out = fopen(path(name), "w");
	cr_assert(out, "%s", name);
	fputs(text, out);
	fclose(out);
}

static int run(const char *a, const char *b, const char *c)
{
	struct tool t = { 0 };
	tool_add(&t, a);
	tool_add(&t, b);
	tool_add(&t, c);
	int status = tool_run(&t);
	tool_free(&t);
	return status;
}

static void copy(const char *from, const char *to)
{
	cr_assert_eq(run("cp", from, path(to)), 0);
}

static void setup(void)
{
	char err[256] = "", header[512];
	cr_assert(isa_init(err, sizeof(err)), "%s", err);
	strcpy(dir, "/tmp/vinci-test-XXXXXX");
	cr_assert(mkdtemp(dir));
	cr_assert_eq(mkdir(path("isa"), 0777) | mkdir(path("isa/include"), 0777), 0);
	copy("isa/include/vinci.ld", "isa/include/vinci.ld");
	copy("isa/include/vinci_rt.c", "isa/include/vinci_rt.c");
	copy("isa/include/cce_qualifiers.h", "isa/include/cce_qualifiers.h");
	snprintf(header, sizeof(header),
		 "#include \"cce_qualifiers.h\"\n"
		 "__asm__(\".pushsection .note.vinci,\\\"a\\\",@note\\n.balign 4\\n.4byte 6,12,1\\n.asciz \\\"Vinci\\\"\\n\"\n"
		 "\".balign 4\\n.4byte 4,2,%u\\n.popsection\");\n", (unsigned)isa_fingerprint());
	put("isa/include/cce.h", header);
	setenv("VINCI_HOME", dir, 1);
	f = (struct fail){ 0 };
}
/* Compilers say on stderr what the test expects them to say. */
static void quiet(void)
{
	int null = open("/dev/null", O_WRONLY);
	cr_assert(null >= 0 && dup2(null, STDERR_FILENO) >= 0);
	close(null);
}

static void teardown(void) { run("rm", "-rf", dir); }
TestSuite(cc, .init = setup, .fini = teardown, .timeout = 120);

static struct cc_options options(const char *source)
{
	static char in[256], out[256];
	strcpy(in, path(source));
	strcpy(out, path("k.elf"));
	return (struct cc_options){ .source = in, .output = out, .arch = ARCH_C220, .core = CORE_VEC };
}

/* Files in the test's folder besides isa/. */
static int files(void)
{
	DIR *d = opendir(dir);
	int n = 0;
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.' && strcmp(e->d_name, "isa") != 0;
	closedir(d);
	return n;
}

/* Modification time of a file, in seconds from now. */
static void set_age(const char *name, int seconds_ago)
{
	struct timespec now, times[2];
	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec -= seconds_ago;
	times[0] = times[1] = now;
	cr_assert_eq(utimensat(AT_FDCWD, path(name), times, 0), 0);
}

static const char kernel_c[] =
	"#include \"tiling.h\"\n"                                                               /* 1 */
	"static inline int sum(const int *a, unsigned n)\n"                                     /* 2 */
	"{\n"
	"\tint s = 0;\n"
	"\tfor (unsigned i = 0; i < n; i++)\n"
	"\t\ts += a[i] * 3;\n"                                                                  /* 6 */
	"\treturn s;\n"
	"}\n"
	"int calls = 5;\n"
	"__global__ void add(const int *a, volatile float *out, const struct tiling *t, float scale, unsigned n)\n" /* 10 */
	"{\n"
	"\tcalls++;\n"                                                                          /* 12 */
	"\tout[0] = scale;\n"
	"\tout[1] = (float)sum(a, n);\n"                                                        /* 14 */
	"\tout[2] = (float)t->m;\n"
	"}\n";
static const char tiling_h[] =
	"typedef unsigned int u32;\n"
	"typedef struct { signed char a; u32 b; } inner;\n"
	"struct tiling { const u32 m; float alpha; short q[2][3]; inner in; unsigned long big; _Float16 h; _Bool on;\n"
	"\tunsigned bits : 3; };\n";

static void expect_member(int i, const char *name, unsigned offset, unsigned size, unsigned count, bool is_signed,
			  bool is_float)
{
	struct program_member *m = &p.structs[0].member[i];
	cr_expect_str_eq(m->name, name);
	cr_expect_eq(m->offset, offset, "%s", name);
	cr_expect_eq(m->size, size, "%s", name);
	cr_expect_eq(m->count, count, "%s", name);
	cr_expect_eq(m->is_signed, is_signed, "%s", name);
	cr_expect_eq(m->is_float, is_float, "%s", name);
}

Test(cc, parameters_and_members)
{
	put("k.c", kernel_c);
	put("tiling.h", tiling_h);
	struct cc_options o = options("k.c");
	cr_assert(cc_compile(&o, &f), "%s", f.what);
	cr_expect_eq(files(), 4, "source, header, ELF, list of files; not %d", files());
	cr_assert(program_load(o.output, &p, &f) && program_entry(&p, NULL, &f), "%s", f.what);
	cr_expect_str_eq(p.entry_name, "add");
	cr_expect_eq(p.entry, 0x100000000);
	cr_expect_eq(p.arch, ARCH_C220);
	cr_expect_eq(p.core, CORE_VEC);
	cr_assert_eq(p.n_param, 5);
	static const char *const names[5] = { "a", "out", "t", "scale", "n" };
	static const char *const types[5] = { "int *", "float *", "tiling *", "float", "unsigned int" };
	for (int i = 0; i < 5; i++) {
		cr_expect_str_eq(p.param[i].name, names[i]);
		cr_expect_str_eq(p.param[i].type, types[i]);
		cr_expect_eq(p.param[i].pointer, i < 3);
		cr_expect_eq(p.param[i].size, i < 3 ? 8 : 4);
		cr_expect_eq(p.param[i].struct_index, i == 2 ? 0 : -1);
	}
	cr_expect(p.param[3].is_float && !p.param[4].is_float && !p.param[4].is_signed);
	/* offsets by the rules of the C ABI: every member aligned to its size */
	cr_expect_str_eq(p.structs[0].name, "tiling");
	cr_expect_eq(p.structs[0].size, 48);
	cr_assert_eq(p.structs[0].n_member, 9);
	expect_member(0, "m", 0, 4, 1, false, false);
	expect_member(1, "alpha", 4, 4, 1, true, true);
	expect_member(2, "q", 8, 12, 6, true, false);
	expect_member(3, "in.a", 20, 1, 1, true, false);
	expect_member(4, "in.b", 24, 4, 1, false, false);
	expect_member(5, "big", 32, 8, 1, false, false);
	expect_member(6, "h", 40, 2, 1, true, true);
	expect_member(7, "on", 42, 1, 1, false, false);
	cr_expect_str_eq(p.structs[0].member[8].name, "bits");
	cr_expect_eq(p.structs[0].member[8].size, 0);
	cr_expect_eq(p.data_size, 4);
	cr_expect_eq(p.data_image[0], 5);
	program_free(&p);
}

Test(cc, lines_with_inlined_calls)
{
	put("k.c", kernel_c);
	put("tiling.h", tiling_h);
	struct cc_options o = options("k.c");
	cr_assert(cc_compile(&o, &f) && program_load(o.output, &p, &f), "%s", f.what);
	bool outer = false, inner = false;
	for (uint64_t pc = p.text_addr; pc < p.text_addr + p.text_size; pc += 4) {
		char line[160];
		program_line(&p, pc, line, sizeof(line));
		cr_expect_neq(line[0], 0, "no line at %llx", (unsigned long long)pc);
		outer |= strcmp(line, "k.c:12 in add") == 0;
		inner |= strcmp(line, "k.c:6 in sum, inlined at k.c:14 in add") == 0;
	}
	cr_expect(outer && inner);
	char cut[8];
	program_line(&p, p.text_addr, cut, sizeof(cut));
	cr_expect_eq(strlen(cut), 7);
	cr_expect_eq(strncmp(cut, "k.c:1", 5), 0);
	program_free(&p);
}

Test(cc, objdump_names_functions_and_lines)
{
	put("k.c", kernel_c);
	put("tiling.h", tiling_h);
	struct cc_options o = options("k.c");
	cr_assert(cc_compile(&o, &f), "%s", f.what);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	cr_assert(objdump_file(o.output, out, true, &f), "%s", f.what);
	fclose(out);
	cr_expect(strstr(text, "\n0000000100000000 <add>:\n; "));
	cr_expect(strstr(text, "/k.c:12\n"));
	cr_expect(strstr(text, "\n100000004: "));
	cr_expect(strstr(text, ": 00008067    \t")); /* ret */
	free(text);
	cr_expect_not(objdump_file(path("k.c"), stdout, false, &f));
	cr_expect_eq(f.class, FAIL_USER);
}

Test(cc, up_to_date)
{
	put("k.c", kernel_c);
	put("tiling.h", tiling_h);
	struct cc_options o = options("k.c");
	cr_expect_not(cc_up_to_date(&o));
	set_age("k.c", 100);
	set_age("tiling.h", 100);
	cr_assert(cc_compile(&o, &f), "%s", f.what);
	cr_expect(cc_up_to_date(&o));
	o.extra = "-DX=1";
	cr_expect_not(cc_up_to_date(&o), "other flags");
	o.extra = "  ";
	cr_expect(cc_up_to_date(&o));
	o.core = CORE_CUBE;
	cr_expect_not(cc_up_to_date(&o), "other core");
	o.core = CORE_VEC;
	set_age("tiling.h", -100);
	cr_expect_not(cc_up_to_date(&o), "newer header");
	set_age("tiling.h", 100);
	cr_expect(cc_up_to_date(&o));
	set_age("isa/include/cce.h", -100);
	cr_expect_not(cc_up_to_date(&o), "newer kernel header");
	set_age("isa/include/cce.h", 100);
	set_age("isa/include/vinci.ld", -100);
	cr_expect_not(cc_up_to_date(&o), "newer linker script");
	set_age("isa/include/vinci.ld", 100);
	cr_expect(cc_up_to_date(&o));
	unlink(path("tiling.h"));
	cr_expect_not(cc_up_to_date(&o), "header gone");
}

Test(cc, damaged_list_means_compile_again)
{
	put("k.c", "__global__ void add(void) {}\n");
	struct cc_options o = options("k.c");
	cr_assert(cc_compile(&o, &f), "%s", f.what);
	cr_expect(cc_up_to_date(&o));
	put("k.elf.dep", "");
	cr_expect_not(cc_up_to_date(&o));
	put("k.elf.dep", "vinci cc 1, instruction table 00000000\n");
	cr_expect_not(cc_up_to_date(&o));
}

Test(cc, both_halves_of_a_mixed_kernel_fit_into_one_memory)
{
	static struct program cube;
	struct gm gm;
	char elf[256];
	strcpy(elf, path("cube.elf"));
	gm_init(&gm, 3);
	put("k.c", "int v = 7; const int c[3] = { 1, 2, 3 };\n"
		   "__global__ void mix(int *to, int n) { *to = v++ + c[n % 3]; }\n");
	struct cc_options o = options("k.c");
	cr_assert(cc_compile(&o, &f) && program_load(o.output, &p, &f) && program_entry(&p, NULL, &f), "%s", f.what);
	o.core = CORE_CUBE;
	o.output = elf;
	cr_assert(cc_compile(&o, &f) && program_load(elf, &cube, &f) && program_entry(&cube, NULL, &f), "%s", f.what);
	cr_expect_neq(cube.entry, p.entry);
	cr_expect_neq(cube.data_addr, p.data_addr);
	cr_assert(program_place(&cube, &gm, 32768, &f) && program_place(&p, &gm, 32768, &f), "%s", f.what);
	for (int core = 0; core < 3; core++) {
		cr_expect_eq(*gm_at(&gm, core, cube.data_addr, 4, true), 7);
		cr_expect_eq(*gm_at(&gm, core, p.data_addr, 4, true), 7);
	}
	program_free(&p);
	program_free(&cube);
	gm_free(&gm);
}

Test(cc, names_with_blanks)
{
	put("a b.c", "#include \"c d.h\"\n__global__ void add(void) {}\n");
	put("c d.h", "");
	struct cc_options o = options("a b.c");
	o.output = path("e f.elf");
	cr_assert(cc_compile(&o, &f), "%s", f.what);
	cr_expect(cc_up_to_date(&o));
	set_age("c d.h", -100);
	cr_expect_not(cc_up_to_date(&o));
}

Test(cc, cpp_with_templates)
{
	put("k.cpp",
	    "#include <cstdint>\n#include <type_traits>\n"
	    "template <class T> __global__ void fill(T *to, uint32_t n) {\n"
	    "\tstatic_assert(std::is_same<T, int>::value || std::is_same<T, float>::value, \"\");\n"
	    "\tfor (uint32_t i = 0; i < n; i++) to[i] = T(7);\n}\n"
	    "template __global__ void fill<int>(int *, uint32_t);\n");
	struct cc_options o = options("k.cpp");
	cr_assert(cc_compile(&o, &f), "%s", f.what);
	cr_assert(program_load(o.output, &p, &f) && program_entry(&p, "fill", &f), "%s", f.what);
	cr_expect_eq(p.n_param, 2);
	cr_expect_str_eq(p.param[0].type, "int *");
	program_free(&p);
}

Test(cc, a_wrong_source_leaves_nothing)
{
	quiet();
	put("k.c", "__global__ void add(int n) { return undeclared; }\n");
	struct cc_options o = options("k.c");
	cr_expect_not(cc_compile(&o, &f));
	cr_expect_eq(f.class, FAIL_USER);
	cr_expect(strstr(f.what, "cannot compile the kernel"));
	cr_expect(strstr(f.hint, "VINCI_CC_RAW=1"), "%s", f.hint);
	cr_expect_eq(files(), 1);
	struct fail g = { 0 };
	put("k.c", "double missing(double); __global__ void add(double *x) { *x = missing(*x); }\n");
	cr_expect_not(cc_compile(&o, &g));
	cr_expect(strstr(g.what, "cannot link the kernel"), "%s", g.what);
	cr_expect_eq(files(), 1);
}

Test(cc, what_the_linker_script_refuses)
{
	quiet();
	put("k.cpp", "struct s { s(); int v; }; s::s() : v(3) {} s global;\n__global__ void add(int *x) { *x = global.v; }\n");
	struct cc_options o = options("k.cpp");
	o.extra = "-O0"; /* at -O2 the constructor is folded into the initial value */
	cr_expect_not(cc_compile(&o, &f));
	cr_expect(strstr(f.what, "cannot link the kernel"), "%s", f.what);
}

Test(cc, impossible_targets)
{
	put("k.c", "");
	struct cc_options o = options("k.c");
	o.core = CORE_FUSED;
	cr_expect_not(cc_compile(&o, &f));
	cr_expect(strstr(f.what, "no chip has cores of kind 4 on instruction level 4"));
	o.source = path("k.txt");
	o.core = CORE_VEC;
	struct fail g = { 0 };
	cr_expect_not(cc_compile(&o, &g));
	cr_expect(strstr(g.what, "ends in .c"));
	o.source = path("none.c");
	struct fail h = { 0 };
	cr_expect_not(cc_compile(&o, &h));
	cr_expect(strstr(h.what, "cannot read the kernel source"));
}

Test(cc, a_missing_compiler_is_named)
{
	put("k.c", "__global__ void add(void) {}\n");
	struct cc_options o = options("k.c");
	char *old = strdup(getenv("PATH"));
	setenv("PATH", "/nonexistent", 1);
	cr_expect_not(cc_compile(&o, &f));
	cr_expect_str_eq(f.what, "cannot run clang-19");
	cr_expect(strstr(f.hint, "apt-get install clang-19 lld-19"));
	struct fail g = { 0 };
	cr_expect_not(cc_host(path("k.c"), path("k"), NULL, &g));
	cr_expect(strstr(g.what, "no C compiler"));
	setenv("PATH", old, 1);
	free(old);
}

Test(cc, a_wrong_home_is_named)
{
	put("k.c", "");
	struct cc_options o = options("k.c");
	setenv("VINCI_HOME", "/nonexistent", 1);
	cr_expect_not(cc_compile(&o, &f));
	cr_expect(strstr(f.what, "/nonexistent/isa/include/vinci.ld"));
	cr_expect(strstr(f.hint, "VINCI_HOME"));
	setenv("VINCI_HOME", dir, 1);
}

Test(cc, golden_programs)
{
	quiet();
	/* with a fused multiply-add the product would not be rounded and the difference not be zero */
	put("g.c", "#include \"g.h\"\nint main(int c, char **v) { (void)v; volatile double x = 1.0 + c * 0x1p-30;\n"
		   "\tdouble a = x, r = a * a; return a * a - r == 0 ? SEVEN : 1; }\n");
	put("g.h", "#define SEVEN 7\n");
	cr_assert(cc_host(path("g.c"), path("g"), dir, &f), "%s", f.what);
	struct tool t = { 0 };
	tool_add(&t, path("g"));
	cr_expect_eq(tool_run(&t), 7);
	tool_free(&t);
	put("g.c", "int main(void) { return }\n");
	cr_expect_not(cc_host(path("g.c"), path("g2"), dir, &f));
	cr_expect(strstr(f.what, "cannot compile the golden program"));
	cr_expect_neq(access(path("g2"), F_OK), 0);
}

Test(cc, runtime_functions)
{
	/* compiled as for a kernel and run by qemu; bf16 rounding held against a search for the nearest value */
	put("t.c",
	    "#define BOUND 0x10000\n"
	    "#include \"vinci_rt.c\"\n"
	    "static unsigned bits(float x) { unsigned u; __builtin_memcpy(&u, &x, 4); return u; }\n"
	    "static float value(unsigned u) { float x; __builtin_memcpy(&x, &u, 4); return x; }\n"
	    "static unsigned bf(float x) { return bits(__truncsfbf2(x)) & 0xffff; }\n"
	    "static unsigned bd(double x) { return bits(__truncdfbf2(x)) & 0xffff; }\n"
	    "static unsigned char a[64], b[64];\n"
	    "static int test(void) {\n"
	    "\tfor (unsigned h = 0; h < 0x7f80; h += 0x1f) {\n"
	    "\t\tfloat low = value(h << 16), high = value((h + 1) << 16), mid = value(h << 16 | 0x8000);\n"
	    "\t\tif (bf(low) != h || bf(value(h << 16 | 0x7fff)) != h || bf(value(h << 16 | 0x8001)) != h + 1) return 1;\n"
	    "\t\tif (bf(mid) != h + (h & 1) || bf(-mid) != (0x8000 | (h + (h & 1)))) return 2;\n"
	    "\t\tif (h < 0x7f00 && bd(0.5 * ((double)low + high)) != h + (h & 1)) return 3;\n"
	    "\t\tif (h > 0x1000 && h < 0x7f00 && bd((double)mid * (1 + 0x1p-40)) != h + 1) return 4;\n"
	    "\t\tif (h > 0x1000 && h < 0x7f00 && bd((double)mid * (1 - 0x1p-40)) != h) return 5;\n"
	    "\t}\n"
	    "\tif (bf(value(0x7f800001)) != 0x7fc0 || bf(value(0x7f800000)) != 0x7f80 || bd(1e300) != 0x7f80) return 6;\n"
	    "\tif (bd(-0.0) != 0x8000 || bd(1e-300) != 0) return 7;\n"
	    "\tfor (int n = 0; n < 40; n++) for (int s = 0; s < 9; s++) for (int d = 0; d < 9; d++) {\n"
	    "\t\tfor (int i = 0; i < 64; i++) { a[i] = (unsigned char)i; b[i] = (unsigned char)(100 + i); }\n"
	    "\t\tif (memcpy(b + d, a + s, n) != b + d) return 8;\n"
	    "\t\tfor (int i = 0; i < 64; i++) if (b[i] != (i >= d && i < d + n ? i - d + s : 100 + i)) return 9;\n"
	    "\t\tmemmove(a + d, a + s, n);\n"
	    "\t\tfor (int i = 0; i < 64; i++) if (a[i] != (i >= d && i < d + n ? i - d + s : i)) return 10;\n"
	    "\t\tmemset(a + s, 200 + d, n);\n"
	    "\t\tfor (int i = s; i < s + n; i++) if (a[i] != 200 + d) return 11;\n"
	    "\t}\n"
	    "\tif (memcmp(\"ab\", \"ac\", 2) >= 0 || memcmp(\"ab\", \"ac\", 1) != 0) return 12;\n"
	    "\tif (memcmp(\"\\377\", \"a\", 1) <= 0) return 13;\n"
	    "\treturn 42;\n}\n"
	    "void _start(void) { register long a0 __asm__(\"a0\") = test(); register long a7 __asm__(\"a7\") = 93;\n"
	    "\t__asm__ volatile(\"ecall\" :: \"r\"(a0), \"r\"(a7)); for (;;); }\n");
	struct tool t = { 0 };
	tool_add_split(&t, "clang-19 --target=riscv64-unknown-elf -march=rv64imfd_zfhmin -mabi=lp64d -mcmodel=medany");
	tool_add_split(&t, "-fno-pic -ffreestanding -fno-builtin -O2 -nostdlib -static -fuse-ld=lld-19 -I isa/include");
	tool_add(&t, path("t.c"));
	tool_add(&t, "-o");
	tool_add(&t, path("t"));
	cr_assert_eq(tool_run(&t), 0);
	tool_free(&t);
	tool_add(&t, "qemu-riscv64");
	tool_add(&t, path("t"));
	cr_expect_eq(tool_run(&t), 42);
	tool_free(&t);
}
