/*
 * End to end with the real kernel header: a kernel is compiled for every kind of core, loaded, and what the loader says
 * about it is held against its source.
 */
#include "../sim/cc.h"
#include "../sim/program.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char source[64], elf[64], dep[72];
static struct fail f;
static struct program p;

static void setup(void)
{
	char err[256] = "";
	cr_assert(isa_init(err, sizeof(err)), "%s", err);
	f = (struct fail){ 0 };
}
static void teardown(void)
{
	unlink(source);
	unlink(elf);
	unlink(dep);
}
TestSuite(kernel, .init = setup, .fini = teardown, .timeout = 120);

/* Line 5 starts the copies, line 14 the vadd. */
static const char add[] =
	"struct tiling { uint32_t n; float alpha; int16_t shift; };\n"
	"static inline __aicore__ void copy_in(__ubuf__ half *to, __gm__ half *from, uint32_t n)\n"
	"{\n"
	"\t/* 32-byte blocks */\n"
	"\tcopy_gm_to_ubuf(to, from, 0, 1, n / 16, 0, 0);\n"
	"}\n"
	"extern \"C\" __global__ __aicore__ void add(__gm__ half *a, __gm__ half *b, __gm__ half *c, __gm__ struct tiling *t)\n"
	"{\n"
	"\t__ubuf__ half *x = (__ubuf__ half *)0, *y = (__ubuf__ half *)4096;\n"
	"\tcopy_in(x, a, t->n);\n"
	"\tcopy_in(y, b, t->n);\n"
	"\tset_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
	"\twait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
	"\tvadd(x, x, y, t->n / 128, 1, 1, 1, 8, 8, 8);\n"
	"\tset_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
	"\twait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
	"\tcopy_ubuf_to_gm(c, x, 0, 1, t->n / 16, 0, 0);\n"
	"}\n";

static void compile(const char *text, const char *ending, unsigned arch, unsigned core)
{
	snprintf(source, sizeof(source), "/tmp/vinci-kernel-%d.%s", (int)getpid(), ending);
	snprintf(elf, sizeof(elf), "/tmp/vinci-kernel-%d.elf", (int)getpid());
	snprintf(dep, sizeof(dep), "%s.dep", elf);
	FILE *out = fopen(source, "w");
	cr_assert(out);
	fputs(text, out);
	fclose(out);
	struct cc_options o = { .source = source, .output = elf, .arch = arch, .core = core, .extra = "-Werror" };
	cr_assert(cc_compile(&o, &f), "%s", f.what);
	cr_assert(cc_up_to_date(&o));
	cr_assert(program_load(elf, &p, &f) && program_entry(&p, NULL, &f), "%s", f.what);
	cr_expect_eq(p.arch, arch);
	cr_expect_eq(p.core, core);
}

/* How many instructions of a row there are in the text, and the line of the first. */
static int count(enum isa_id id, char *line, size_t size)
{
	int n = 0;
	for (uint64_t offset = 0; offset < p.text_size; offset += 4) {
		struct isa_word w;
		uint32_t raw;
		memcpy(&raw, p.text + offset, 4);
		if (!isa_decode(raw, &w) || w.id != id)
			continue;
		if (n++ == 0)
			program_line(&p, p.text_addr + offset, line, size);
	}
	return n;
}

static void check_add(void)
{
	static const char *const names[4] = { "a", "b", "c", "t" };
	char line[160] = "", want[160];
	const char *name = strrchr(source, '/') + 1;
	cr_expect_str_eq(p.entry_name, "add");
	cr_assert_eq(p.n_param, 4);
	for (int i = 0; i < 4; i++) {
		cr_expect_str_eq(p.param[i].name, names[i]);
		cr_expect_str_eq(p.param[i].type, i < 3 ? "half *" : "tiling *");
		cr_expect(p.param[i].pointer);
		cr_expect_eq(p.param[i].struct_index, i < 3 ? -1 : 0);
	}
	cr_expect_eq(p.structs[0].size, 12);
	cr_assert_eq(p.structs[0].n_member, 3);
	cr_expect_str_eq(p.structs[0].member[2].name, "shift");
	cr_expect_str_eq(p.structs[0].member[2].type, "int16_t");
	cr_expect_eq(p.structs[0].member[2].offset, 8);
	cr_expect_eq(count(INSN_vadd, line, sizeof(line)), 1);
	snprintf(want, sizeof(want), "%s:14 in add", name);
	cr_expect_str_eq(line, want);
	cr_expect_eq(count(INSN_copy_gm_to_ubuf, line, sizeof(line)), 2);
	snprintf(want, sizeof(want), "%s:5 in copy_in, inlined at %s:10 in add", name, name);
	cr_expect_str_eq(line, want);
	cr_expect_eq(count(INSN_set_flag, line, sizeof(line)), 2);
	program_free(&p);
}

Test(kernel, cpp_on_the_vector_core)
{
	compile(add, "cpp", ARCH_C220, CORE_VEC);
	check_add();
}

Test(kernel, cpp_on_the_fused_core)
{
	compile(add, "cce", ARCH_C100, CORE_FUSED);
	check_add();
}

Test(kernel, c_on_every_core)
{
	static const struct { unsigned arch, core; } kinds[] = {
		{ ARCH_C220, CORE_CUBE }, { ARCH_C220, CORE_VEC }, { ARCH_C100, CORE_FUSED }, { ARCH_M200, CORE_FUSED } };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		compile("#ifdef __DAV_C220_CUBE__\nint kind = 1;\n#elif defined(__DAV_C220_VEC__)\nint kind = 2;\n"
			"#else\nint kind = 4;\n#endif\n__global__ __aicore__ void k(__gm__ int64_t *out) { out[0] = "
			"get_block_idx() + kind; }\n",
			"c", kinds[i].arch, kinds[i].core);
		cr_expect_str_eq(p.entry_name, "k");
		cr_expect_eq(p.data_image[0], kinds[i].core);
		program_free(&p);
	}
}
