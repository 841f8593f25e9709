/*
 * isa_header.c - the kernels' header: a generated file calls every function that the table promises, in C11 and C++17, and
 * the compiled words must decode to the rows that were called; directed calls are executed up to the instruction to see
 * what their operand words hold.
 */
#include "../isa/row.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char dir[32];

static void init(void)
{
	char err[512] = "";
	cr_assert(isa_init(err, sizeof err), "%s", err);
	strcpy(dir, "/tmp/vinci_hdr_XXXXXX");
	cr_assert(mkdtemp(dir));
}

static void fini(void)
{
	char command[64];
	snprintf(command, sizeof command, "rm -rf %s", dir);
	cr_expect(system(command) == 0);
}

#define COMPILE                                                                                                        \
	"clang-19 --target=riscv64-unknown-elf -march=rv64imfd_zfhmin -mabi=lp64d -mcmodel=medany -fno-pic "           \
	"-ffreestanding -Wall -Wextra -Werror -I isa/include -I build/include -include cce.h "                         \
	"-mllvm -riscv-disable-using-constant-pool-for-large-ints "

/* Compile dir/name and read section .text of the object. Returns the number of words. */
static size_t compile(const char *name, const char *flags, uint32_t **words)
{
	char command[768], path[64];
	snprintf(command, sizeof command, COMPILE "%s -c %s/%s -o %s/out.o", flags, dir, name, dir);
	cr_assert(system(command) == 0, "does not compile: %s", command);
	snprintf(path, sizeof path, "%s/out.o", dir);
	FILE *f = fopen(path, "rb");
	cr_assert(f);
	fseek(f, 0, SEEK_END);
	size_t size = (size_t)ftell(f);
	rewind(f);
	uint8_t *bytes = malloc(size);
	cr_assert(bytes && fread(bytes, 1, size, f) == size);
	fclose(f);
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)(void *)bytes;
	const Elf64_Shdr *sh = (const Elf64_Shdr *)(void *)(bytes + eh->e_shoff);
	size_t n = 0;
	for (int i = 0; i < eh->e_shnum; i++)
		if (strcmp((const char *)bytes + sh[eh->e_shstrndx].sh_offset + sh[i].sh_name, ".text") == 0) {
			n = sh[i].sh_size / 4;
			*words = malloc(sh[i].sh_size + 1);
			memcpy(*words, bytes + sh[i].sh_offset, sh[i].sh_size);
		}
	free(bytes);
	return n;
}

/* One call that must compile to a word of this row and variant. */
struct call { uint16_t id; uint8_t variant; };
struct calls {
	struct call *call;
	size_t n;
	FILE *f;
	bool modelled_only; /* the fallbacks take any arguments (...), which clang inlines only when it optimises */
};

static const char *c_type(enum isa_type t)
{
	static const char *const name[TYPE_COUNT] = {
		[TYPE_S4] = "void",       [TYPE_S8] = "int8_t",      [TYPE_U8] = "uint8_t",   [TYPE_S16] = "int16_t",
		[TYPE_U16] = "uint16_t",  [TYPE_F16] = "half",       [TYPE_BF16] = "bfloat16_t", [TYPE_S32] = "int32_t",
		[TYPE_U32] = "uint32_t",  [TYPE_F32] = "float",      [TYPE_S64] = "int64_t",  [TYPE_U64] = "uint64_t",
		[TYPE_B8] = "uint8_t",    [TYPE_B16] = "bfloat16_t", [TYPE_B32] = "int32_t",  [TYPE_NONE] = "void",
	};
	return name[t];
}

static void write_argument(FILE *f, enum isa_id id, unsigned variant, const struct arg *a)
{
	struct kind k = kind_of(a->kind);
	const char *type = k.operand >= 0 ? c_type(isa_operand_type(id, variant, (unsigned)k.operand)) : k.fixed;
	if (k.any)
		type = "bfloat16_t";
	if (k.class == KIND_POINTER)
		fprintf(f, "(%s %s *)p", k.qualifier, type);
	else if (k.class == KIND_ARRAY4)
		fprintf(f, "(%s %s **)p", k.qualifier, type);
	else if (k.class == KIND_VA8)
		fprintf(f, "(uint64_t *)p");
	else if (strcmp(a->kind, "pipe") == 0)
		fprintf(f, "PIPE_MTE2");
	else
		fprintf(f, "(%s)v", type);
}

/* Every form of every variant that exists on a level; a function of its own each, so that calls stay in order. */
static void write_calls(struct calls *c, unsigned arch)
{
	for (unsigned id = 0; id < ISA_COUNT; id++) {
		const struct isa_insn *in = &isa_table[id];
		if (in->rv || in->state == ISA_PLAIN || (c->modelled_only && in->state != ISA_DONE))
			continue;
		for (unsigned v = 0; v < isa_variants((enum isa_id)id); v++) {
			unsigned forms = in->state == ISA_DONE ? args_forms(in->args) : 1;
			for (unsigned form = 0; form < forms && isa_available((enum isa_id)id, v, arch); form++) {
				struct args args;
				const char *why, *sep = "";
				cr_assert(args_parse(in->args, form, &args, &why));
				fprintf(c->f, "\t%s(", in->name);
				for (int i = 0; i < args.n; i++)
					if (!args.arg[i].constant && strcmp(args.arg[i].name, "ret") != 0) {
						fputs(sep, c->f);
						write_argument(c->f, (enum isa_id)id, v, &args.arg[i]);
						sep = ", ";
					}
				fprintf(c->f, ");\n");
				c->call[c->n++] = (struct call){ (uint16_t)id, (uint8_t)v };
			}
		}
	}
}

static void calls_decode(unsigned arch, const char *macro, const char *language)
{
	struct calls c = { .call = calloc(8192, sizeof *c.call), .modelled_only = strstr(language, "-O0") != NULL };
	char path[64], flags[256];
	snprintf(path, sizeof path, "%s/calls.c", dir);
	c.f = fopen(path, "w");
	cr_assert(c.f && c.call);
	fprintf(c.f, "void calls(char *p, unsigned v);\nvoid calls(char *p, unsigned v)\n{\n");
	write_calls(&c, arch);
	fprintf(c.f, "}\n");
	fclose(c.f);
	cr_assert(c.n > 100);
	snprintf(flags, sizeof flags, "-D%s %s", macro, language);
	uint32_t *words;
	size_t n = compile("calls.c", flags, &words), done = 0;
	for (size_t i = 0; i < n; i++) {
		struct isa_word w;
		if (!isa_decode(words[i], &w) || isa_table[w.id].rv)
			continue;
		cr_assert(done < c.n);
		cr_assert(w.id == c.call[done].id && w.variant == c.call[done].variant,
			  "call %zu, %s variant %u, was compiled to %s variant %u", done, isa_table[c.call[done].id].name,
			  c.call[done].variant, isa_table[w.id].name, w.variant);
		done++;
	}
	cr_expect(done == c.n, "%zu of %zu calls in the code", done, c.n);
	free(words);
	free(c.call);
}

#define C11 "-O1 -std=c11"
#define CXX "-O1 -std=c++17 -x c++ -fno-exceptions -fno-rtti"
Test(isa_header, all_calls_910b_c, .init = init, .fini = fini) { calls_decode(ARCH_C220, "__DAV_C220_VEC__", C11); }
Test(isa_header, all_calls_910b_cpp, .init = init, .fini = fini) { calls_decode(ARCH_C220, "__DAV_C220_CUBE__", CXX); }
Test(isa_header, all_calls_310p_cpp, .init = init, .fini = fini) { calls_decode(ARCH_M200, "__DAV_M200__", CXX); }
Test(isa_header, all_calls_910_c, .init = init, .fini = fini) { calls_decode(ARCH_C100, "__DAV_C100__", C11); }
Test(isa_header, all_calls_910b_unoptimised, .init = init, .fini = fini)
{
	calls_decode(ARCH_C220, "__DAV_C220_VEC__", "-O0 -std=c11");
}

/* Registers after straight code that loads constants. */
static void step(uint64_t x[32], const struct isa_word *w)
{
	uint64_t imm = (uint64_t)(int64_t)w->imm, v;
	switch (w->id) {
	case RV_lui: v = imm; break;
	case RV_addi: v = x[w->rs1] + imm; break;
	case RV_addiw: v = (uint64_t)(int64_t)(int32_t)(x[w->rs1] + imm); break;
	case RV_slli: v = x[w->rs1] << w->imm; break;
	case RV_srli: v = x[w->rs1] >> w->imm; break;
	case RV_ori: v = x[w->rs1] | imm; break;
	case RV_xori: v = x[w->rs1] ^ imm; break;
	case RV_add: v = x[w->rs1] + x[w->rs2]; break;
	case RV_or: v = x[w->rs1] | x[w->rs2]; break;
	default: cr_assert_fail("%s is not expected in a kernel of constants", isa_table[w->id].name);
	}
	if (w->rd)
		x[w->rd] = v;
}

struct packed { const char *call; enum isa_id id; uint64_t rd, rs1, rs2, x31; };
#define UB(type, at) "(__ubuf__ " type " *)" at
#define NONE UINT64_C(0xdeadbeefdeadbeef)

/* Expected words are put together by hand from the bit positions in hardware.md 3.1, 3.4, 3.5, 3.6. */
static const struct packed packed[] = {
	{ "vadd(" UB("half", "32") ", " UB("half", "64") ", " UB("half", "96") ", 7, 1, 2, 3, 4, 5, 6)", INSN_vadd, 32, 64, 96,
	  0x0700060504030201 },
	{ "vadds(" UB("float", "32") ", " UB("float", "64") ", 1.0f, 255, 1, 1, 0xabc, 0x123)", INSN_vadds, 32, 64, 0x3f800000,
	  0xffa123bc00010001 },
	{ "vadds(" UB("int16_t", "32") ", " UB("int16_t", "64") ", -1, 1, 1, 1, 8, 8)", INSN_vadds, 32, 64, 0xffff,
	  0x0100080800010001 },
	{ "vector_dup(" UB("half", "32") ", (half)-2.0f, 1, 1, 1, 8, 0)", INSN_vector_dup, 32, NONE, 0xc000, 0x0100000800010001 },
	{ "vshr(" UB("int32_t", "32") ", " UB("int32_t", "64") ", 5, 2, 1, 1, 8, 8, true)", INSN_vshr, 32, 64, 0x100000005,
	  0x0200080800010001 },
	{ "vcmax(" UB("float", "32") ", " UB("float", "64") ", 9, 0x102, 0x304, 0x506, ONLY_INDEX)", INSN_vcmax, 32, 64, 0,
	  0x0903050603040102 },
	{ "vsel(" UB("half", "32") ", " UB("half", "64") ", " UB("half", "96") ", 7, 1, 2, 3, 4, 5, 6, 2)", INSN_vsel, 32, 64, 96,
	  0x0702060504030201 },
	{ "copy_gm_to_ubuf(" UB("void", "32") ", (void *)4096, 0, 0xabc, 0x1234, 0x5678, 0x9abc)", INSN_copy_gm_to_ubuf, 32, 4096,
	  0, 0x9abc56781234abc0 },
	{ "copy_gm_to_ubuf_align_b16(" UB("void", "32") ", (void *)4096, 0, 3, 0x123456, 1, 2, 0x11223344, 0x55667788)",
	  INSN_copy_gm_to_ubuf_align_b16, 32, 4096, 0x5566778811223344, 0x0081001234560030 },
	{ "copy_gm_to_cbuf_multi_nd2nz_b16((__cbuf__ half *)512, (half *)4096, 0, 1, 2, 3, 4, 5, 6, 7, 8)",
	  INSN_copy_gm_to_cbuf_multi_nd2nz_b16, 512, 4096, 0x0008000700060005, 0x0004000300020010 },
	{ "load_cbuf_to_ca((__ca__ half *)512, (__cbuf__ half *)1024, 0x1234, 5, 0x6789, 0xabc, 0, true, inc)",
	  INSN_load_cbuf_to_ca, 512, 1024, 0, 0x40abc06789051234 },
	{ "mad((__cc__ float *)1024, (__ca__ half *)512, (__cb__ half *)1536, 0x123, 0x456, 0x789, 3, true, false, true)",
	  INSN_mad, 1024, 512, 1536, 0x8580000789456123 },
	{ "copy_matrix_cc_to_gm((half *)4096, (__cc__ float *)1024, 0, 0x20, 0x30, 0x40, 0x50, 3, F322F16, 1, false, true)",
	  INSN_copy_matrix_cc_to_gm, 4096, 1024, 0x0000004000300200, 0x0000088700000050 },
	{ "img2colv2_cbuf_to_ca((__ca__ half *)512, (__cbuf__ half *)1024, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, true, false, true, "
	  "false, 11)",
	  INSN_img2colv2_cbuf_to_ca, 512, 1024, 0x0004000300020001, 0x000b50a090807185 },
	{ "vmrgsort4(" UB("float", "32") ", (__ubuf__ float *[4]){ 0 }, (uint64_t)5, (uint64_t)6)", INSN_vmrgsort4, 32, 0, 5, 6 },
	{ "set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3)", INSN_set_flag, NONE, 3, NONE, NONE },
	{ "set_vector_mask(1, 2)", INSN_set_vector_mask, NONE, 1, 2, NONE },
	{ "dcci((void *)64, ENTIRE_DATA_CACHE, CACHELINE_OUT)", INSN_dcci, NONE, 64, 0x201, NONE },
	{ "set_deqscale((half)1.0f)", INSN_set_deqscale, NONE, 0x3c00, NONE, NONE },
	{ "st_dev((uint32_t)7, (uint32_t *)64, 4)", INSN_st_dev, 7, 64, 4, NONE },
};

static void expect_word(const struct packed *p, const char *reg, uint64_t got, uint64_t want)
{
	cr_expect(want == NONE || got == want, "%s: %s holds 0x%016llx, not 0x%016llx", p->call, reg, (unsigned long long)got,
		  (unsigned long long)want);
}

/* All calls in one file, a function each: registers are forgotten at every return. */
Test(isa_header, operand_words, .init = init, .fini = fini)
{
	size_t count = sizeof packed / sizeof *packed, done = 0;
	char path[64];
	snprintf(path, sizeof path, "%s/words.c", dir);
	FILE *f = fopen(path, "w");
	cr_assert(f);
	for (size_t i = 0; i < count; i++)
		fprintf(f, "void f%zu(void);\nvoid f%zu(void)\n{\n\t%s;\n}\n", i, i, packed[i].call);
	fclose(f);
	uint32_t *words;
	size_t n = compile("words.c", "-O2 -std=c11 -D__DAV_C220_VEC__", &words);
	uint64_t x[32] = { 0 };
	for (size_t at = 0; at < n; at++) {
		struct isa_word w;
		cr_assert(isa_decode(words[at], &w));
		if (w.id == RV_jalr) {
			memset(x, 0, sizeof x);
		} else if (isa_table[w.id].rv) {
			step(x, &w);
		} else {
			cr_assert(done < count);
			const struct packed *p = &packed[done++];
			cr_assert(w.id == p->id, "%s: compiled to %s", p->call, isa_table[w.id].name);
			expect_word(p, "rd", x[w.rd], p->rd);
			expect_word(p, "rs1", x[w.rs1], p->rs1);
			expect_word(p, "rs2", x[w.rs2], p->rs2);
			expect_word(p, "x31", x[31], p->x31);
			if (p->id == INSN_set_flag)
				cr_expect(isa_psrc(w.imm) == PIPE_MTE2 && isa_pdst(w.imm) == PIPE_V);
		}
	}
	cr_expect(done == count, "%zu of %zu calls in the code", done, count);
	free(words);
}

/* A register that is read must keep its value: both adds use the same destination. */
Test(isa_header, sources_in_rd_survive, .init = init, .fini = fini)
{
	char path[64];
	snprintf(path, sizeof path, "%s/two.c", dir);
	FILE *f = fopen(path, "w");
	cr_assert(f);
	fprintf(f, "void two(__ubuf__ half *d, __ubuf__ half *s);\nvoid two(__ubuf__ half *d, __ubuf__ half *s)\n{\n"
		   "\tvabs(d, s, 1, 1, 1, 8, 8);\n\tvabs(d, s, 2, 1, 1, 8, 8);\n}\n");
	fclose(f);
	uint32_t *words;
	size_t n = compile("two.c", "-O2 -std=c11 -D__DAV_C100__", &words);
	int seen = 0;
	for (size_t i = 0; i < n; i++) {
		struct isa_word w;
		if (isa_decode(words[i], &w) && w.id == INSN_vabs) {
			cr_expect(w.rd == 10 && w.rs1 == 11, "operands in x%u, x%u", w.rd, w.rs1);
			seen++;
		}
	}
	cr_expect(seen == 2);
	free(words);
}
