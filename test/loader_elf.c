/*
 * The loader: a good file is taken apart rightly, and every kind of damage gets its own sentence.
 */
#include "loader_build.h"

#include "../sim/program.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct build b;
static struct program p;
static struct fail f;

static void setup(void)
{
	char err[256] = "";
	cr_assert(isa_init(err, sizeof(err)), "%s", err);
	build_elf(&b);
	f = (struct fail){ 0 };
}
TestSuite(elf, .init = setup);

static bool parse(void) { return program_parse(b.bytes, sizeof(b.bytes), "test.elf", &p, &f); }

/* The file is refused with a sentence that contains `words`. */
static void refused(const char *words)
{
	cr_expect_not(parse(), "accepted, but should say: %s", words);
	cr_expect_eq(f.class, FAIL_USER);
	cr_expect_str_eq(f.file, "test.elf");
	cr_expect(strstr(f.what, words), "says '%s', not '%s'", f.what, words);
	build_elf(&b);
	f = (struct fail){ 0 };
}

Test(elf, good_file)
{
	cr_assert(parse(), "%s", f.what);
	cr_expect_eq(p.arch, ARCH_C220);
	cr_expect_eq(p.core, CORE_VEC);
	cr_expect_eq(p.text_addr, 0x100000000);
	cr_expect_eq(p.n_insn, 4);
	for (int i = 0; i <= 4; i++)
		cr_expect_eq(p.insn[i].handler, 0);
	cr_expect_eq(p.rodata_addr, 0x100001000);
	cr_expect_eq(p.data_addr, 0x140000000);
	cr_expect_eq(p.data_size, 64);
	cr_expect_eq(p.data_init_size, 16);
	cr_expect_eq(p.data_image[15], 16);
	cr_expect_eq(p.n_symbol, 2);
	cr_expect_eq(p.n_param, -1);
	cr_expect_str_eq(program_symbol(&p, 0x10000000c)->name, "mul");
	cr_expect_null(program_symbol(&p, 0x100000010));
	char line[64] = "x";
	program_line(&p, 0x100000000, line, sizeof(line));
	cr_expect_str_eq(line, "");
	program_free(&p);
}

Test(elf, entry_by_name)
{
	cr_assert(parse(), "%s", f.what);
	cr_assert(program_entry(&p, "mul", &f), "%s", f.what);
	cr_expect_eq(p.entry, 0x100000008);
	cr_expect_str_eq(p.entry_name, "mul");
	cr_expect_eq(p.n_param, -1);
	cr_expect_not(program_entry(&p, "div", &f));
	cr_expect_eq(f.class, FAIL_USER);
	cr_expect_str_eq(f.what, "the kernel has no entry 'div'; its entries: add, mul");
	struct fail g = { 0 };
	cr_expect_not(program_entry(&p, NULL, &g));
	cr_expect_str_eq(g.what, "the kernel has several entries: add, mul");
	program_free(&p);
}

Test(elf, the_only_entry)
{
	build_sym(&b, 2)->st_shndx = SHN_ABS; /* no longer in the entry section */
	cr_assert(parse(), "%s", f.what);
	cr_assert(program_entry(&p, "", &f), "%s", f.what);
	cr_expect_str_eq(p.entry_name, "add");
	program_free(&p);
	build_sym(&b, 1)->st_shndx = SHN_ABS;
	cr_assert(parse(), "%s", f.what);
	cr_expect_not(program_entry(&p, NULL, &f));
	cr_expect(strstr(f.what, "no function is marked __global__"));
	program_free(&p);
}

Test(elf, placed_in_global_memory)
{
	struct gm gm;
	gm_init(&gm, 2);
	cr_assert(parse(), "%s", f.what);
	cr_assert(program_place(&p, &gm, 32768, &f), "%s", f.what);
	cr_expect_eq(memcmp(gm_at(&gm, 0, 0x100000000, 16, false), b.bytes + BUILD_TEXT, 16), 0);
	cr_expect_null(gm_at(&gm, 0, 0x100000000, 4, true));
	cr_expect_eq(memcmp(gm_at(&gm, 0, 0x100001000, 32, false), b.bytes + BUILD_NOTE, 32), 0);
	for (int core = 0; core < 2; core++) {
		uint8_t *data = gm_at(&gm, core, 0x140000000, 64, true);
		cr_assert(data);
		for (int i = 0; i < 64; i++)
			cr_expect_eq(data[i], i < 16 ? i + 1 : 0);
	}
	cr_expect_neq(gm_at(&gm, 0, 0x140000000, 1, true), gm_at(&gm, 1, 0x140000000, 1, true));
	cr_expect(gm_at(&gm, 0, 0x180000000 - 32768, 32768, true));
	cr_expect_null(gm_find(&gm, 0x180000000 - 32769, 1));
	cr_expect_null(gm_find(&gm, 0x180000000, 1));
	program_free(&p);
	gm_free(&gm);
}

Test(elf, stack_that_does_not_fit)
{
	struct gm gm;
	gm_init(&gm, 1);
	cr_assert(parse(), "%s", f.what);
	cr_expect_not(program_place(&p, &gm, 0x40000000, &f));
	cr_expect_eq(f.class, FAIL_USER);
	program_free(&p);
	gm_free(&gm);
}

Test(elf, not_an_elf)
{
	memcpy(b.bytes, "#!/bin/sh\n", 10);
	refused("not an ELF file");
	b.bytes[EI_CLASS] = ELFCLASS32;
	refused("32-bit ELF");
	b.bytes[EI_CLASS] = 9;
	refused("unknown ELF class");
	b.bytes[EI_DATA] = ELFDATA2MSB;
	refused("big-endian");
	b.bytes[EI_DATA] = 0;
	refused("unknown byte order");
	b.eh.e_version = 2;
	refused("version");
	b.eh.e_ehsize = 52;
	refused("size of the ELF header");
}

Test(elf, wrong_kind_of_file)
{
	b.eh.e_machine = EM_X86_64;
	refused("ELF machine 62, not RISC-V (243)");
	b.eh.e_type = ET_REL;
	refused("not linked");
	b.eh.e_type = ET_DYN;
	refused("position-independent");
	b.eh.e_type = ET_CORE;
	refused("not an executable");
	b.eh.e_flags = 5;
	refused("compressed instructions");
	b.eh.e_flags = 0xc;
	refused("RV64E");
	b.eh.e_flags = 0;
	refused("lp64d");
	build_phdr(&b, 1)->p_type = PT_DYNAMIC;
	refused("dynamically");
	build_phdr(&b, 1)->p_type = PT_INTERP;
	refused("dynamically");
	build_phdr(&b, 1)->p_type = PT_TLS;
	refused("thread-local");
}

Test(elf, tables_beyond_the_file)
{
	b.eh.e_phoff = BUILD_SIZE - 8;
	refused("program headers lie beyond");
	b.eh.e_phoff = UINT64_MAX - 7;
	refused("program headers lie beyond");
	b.eh.e_phnum = 0;
	refused("no usable program headers");
	b.eh.e_phentsize = 32;
	refused("no usable program headers");
	b.eh.e_shoff = BUILD_SIZE - 64;
	refused("section headers lie beyond");
	b.eh.e_shoff = UINT64_MAX - 63;
	refused("section headers lie beyond");
	b.eh.e_shnum = 200;
	refused("section headers lie beyond");
	b.eh.e_shoff = 0;
	refused("no usable section headers");
	b.eh.e_shstrndx = 7;
	refused("section of section names");
	build_shdr(&b, 4)->sh_size = BUILD_SIZE;
	refused("section 4 lies beyond");
	build_shdr(&b, 2)->sh_offset = UINT64_MAX - 3;
	refused("section 2 lies beyond");
}

Test(elf, segments_that_lie)
{
	build_phdr(&b, 0)->p_offset = BUILD_SIZE - 8;
	refused("segment lies beyond");
	build_phdr(&b, 2)->p_offset = UINT64_MAX - 3;
	refused("segment lies beyond");
	build_phdr(&b, 2)->p_memsz = 8;
	refused("other sizes in the file and in memory");
	build_phdr(&b, 1)->p_memsz = 64;
	refused("other sizes in the file and in memory");
	build_phdr(&b, 0)->p_vaddr = 0x80000000;
	refused("text segment at 0x80000000 (16 bytes) is outside of 0x100000000 .. 0x140000000");
	build_phdr(&b, 0)->p_vaddr = 0x13ffffffc;
	refused("text segment at 0x13ffffffc");
	build_phdr(&b, 2)->p_vaddr = 0x100000000;
	refused("data segment at 0x100000000");
	build_phdr(&b, 2)->p_memsz = 0x40000001;
	refused("data segment at 0x140000000");
	build_phdr(&b, 1)->p_vaddr = UINT64_MAX - 3;
	refused("read-only segment at 0xfffffffffffffffc");
	build_phdr(&b, 1)->p_vaddr = 0x10000000c;
	refused("overlap");
	build_phdr(&b, 0)->p_flags = PF_R | PF_W | PF_X;
	refused("both writable and executable");
	build_phdr(&b, 0)->p_flags = PF_R;
	refused("two segments of one kind");
	build_phdr(&b, 2)->p_flags = PF_R | PF_X;
	build_phdr(&b, 2)->p_memsz = 16;
	build_phdr(&b, 2)->p_vaddr = 0x100002000;
	refused("two segments of one kind");
	build_phdr(&b, 0)->p_type = PT_NOTE;
	refused("no code");
	build_phdr(&b, 0)->p_vaddr = 0x100000002;
	refused("aligned 4-byte words");
	build_phdr(&b, 0)->p_filesz = build_phdr(&b, 0)->p_memsz = 14;
	refused("aligned 4-byte words");
	build_phdr(&b, 0)->p_offset += 2;
	refused("aligned 4-byte words");
}

Test(elf, notes_that_lie)
{
	build_shdr(&b, 2)->sh_name = 31;
	refused("not compiled with Vinci's cce.h (no .note.vinci)");
	build_shdr(&b, 2)->sh_size = 0;
	refused("no .note.vinci");
	build_shdr(&b, 2)->sh_size = 28;
	refused("ends early");
	build_shdr(&b, 2)->sh_size = 8;
	refused("ends early");
	build_note(&b)[0] = UINT32_MAX;
	refused("ends early");
	build_note(&b)[1] = UINT32_MAX;
	refused("ends early");
	build_note(&b)[2] = 2;
	refused("has not the form");
	build_note(&b)[1] = 8;
	build_shdr(&b, 2)->sh_size = 28;
	refused("has not the form");
	b.bytes[BUILD_NOTE + 12] = 'G';
	refused("has not the form");
	build_note(&b)[5] = 3;
	refused("names level 3 and core kind 2");
	build_note(&b)[6] = 0;
	refused("which do not exist");
	build_note(&b)[7] ^= 1;
	refused("compiled with another instruction table");
}

Test(elf, two_notes_must_agree)
{
	/* the data of .data becomes a second note, for another core */
	memcpy(b.bytes + BUILD_NOTE + 32, b.bytes + BUILD_NOTE, 32);
	build_shdr(&b, 2)->sh_size = 64;
	cr_expect(parse(), "%s", f.what);
	program_free(&p);
	build_note(&b)[8 + 6] = CORE_CUBE;
	refused("different levels or core kinds");
}

Test(elf, symbols_that_lie)
{
	build_shdr(&b, 4)->sh_type = SHT_PROGBITS;
	refused("no symbol table");
	build_sym(&b, 1)->st_value = 0x100000010;
	refused("outside of the code");
	build_sym(&b, 1)->st_size = UINT64_MAX;
	refused("outside of the code");
	build_sym(&b, 1)->st_name = 77777;
	refused("outside of the code");
	build_sym(&b, 1)->st_value = 0x100000002;
	refused("outside of the code");
}

Test(elf, truncated_anywhere)
{
	/* exact copies, so that the address sanitizer sees every byte too far */
	for (size_t size = 0; size < BUILD_SIZE; size += size % 64 ? 61 : 3) {
		uint8_t *part = malloc(size + 1);
		memcpy(part, b.bytes, size);
		f = (struct fail){ 0 };
		cr_expect_not(program_parse(part, size, "test.elf", &p, &f), "%zu bytes were accepted", size);
		cr_expect_eq(f.class, FAIL_USER);
		free(part);
	}
}

Test(elf, files_that_cannot_be_read)
{
	cr_expect_not(program_load("test/no_such.elf", &p, &f));
	cr_expect_eq(f.class, FAIL_USER);
	cr_expect_str_eq(f.file, "test/no_such.elf");
	struct fail g = { 0 };
	cr_expect_not(program_load("test", &p, &g));
	cr_expect_eq(g.class, FAIL_USER);
}

Test(elf, human_names)
{
	char t[64];
	cr_expect_str_eq(program_name("add", t, sizeof(t)), "add");
	cr_expect_str_eq(program_name("_Z3addPDhS_i", t, sizeof(t)), "add");
	cr_expect_str_eq(program_name("_Z2tkIiEvPT_", t, sizeof(t)), "tk");
	cr_expect_str_eq(program_name("_ZL3addi", t, sizeof(t)), "add");
	cr_expect_str_eq(program_name("_Z99add", t, sizeof(t)), "_Z99add");
	cr_expect_str_eq(program_name("_ZN2ns3addEv", t, sizeof(t)), "_ZN2ns3addEv");
	cr_expect_str_eq(program_name("_Z", t, sizeof(t)), "_Z");
}
