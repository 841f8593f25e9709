/*
 * loader_build.c - the hand-made kernel ELF of the loader's tests.
 */
#include "loader_build.h"

#include "../isa/isa.h"

#include <string.h>

Elf64_Phdr *build_phdr(struct build *b, int i) { return (Elf64_Phdr *)(void *)(b->bytes + BUILD_PHDR) + i; }
Elf64_Shdr *build_shdr(struct build *b, int i) { return (Elf64_Shdr *)(void *)(b->bytes + BUILD_SHDR) + i; }
Elf64_Sym *build_sym(struct build *b, int i) { return (Elf64_Sym *)(void *)(b->bytes + BUILD_SYMTAB) + i; }
uint32_t *build_note(struct build *b) { return (uint32_t *)(void *)(b->bytes + BUILD_NOTE); }

static void header(struct build *b)
{
	memcpy(b->eh.e_ident, "\177ELF\2\1\1", 7);
	b->eh.e_type = ET_EXEC;
	b->eh.e_machine = EM_RISCV;
	b->eh.e_version = EV_CURRENT;
	b->eh.e_phoff = BUILD_PHDR;
	b->eh.e_shoff = BUILD_SHDR;
	b->eh.e_flags = 4; /* double-float calling convention */
	b->eh.e_ehsize = sizeof(Elf64_Ehdr);
	b->eh.e_phentsize = sizeof(Elf64_Phdr);
	b->eh.e_phnum = 3;
	b->eh.e_shentsize = sizeof(Elf64_Shdr);
	b->eh.e_shnum = BUILD_SHNUM;
	b->eh.e_shstrndx = 6;
}

static void segments(struct build *b)
{
	*build_phdr(b, 0) = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = BUILD_TEXT,
					  .p_vaddr = 0x100000000, .p_filesz = 16, .p_memsz = 16, .p_align = 4 };
	*build_phdr(b, 1) = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R, .p_offset = BUILD_NOTE,
					  .p_vaddr = 0x100001000, .p_filesz = 32, .p_memsz = 32, .p_align = 4 };
	*build_phdr(b, 2) = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = BUILD_DATA,
					  .p_vaddr = 0x140000000, .p_filesz = 16, .p_memsz = 64, .p_align = 4 };
}

/* Names of sections, in order. */
static const char section_names[] = "\0.text.vinci_entry\0.note.vinci\0.data\0.symtab\0.strtab\0.shstrtab";

static void section(struct build *b, int i, uint32_t name, uint32_t type, uint64_t flags, uint64_t addr, uint64_t offset,
		    uint64_t size)
{
	*build_shdr(b, i) = (Elf64_Shdr){ .sh_name = name, .sh_type = type, .sh_flags = flags, .sh_addr = addr,
					  .sh_offset = offset, .sh_size = size, .sh_addralign = 4 };
}

static void sections(struct build *b)
{
	section(b, 1, 1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x100000000, BUILD_TEXT, 16);
	section(b, 2, 19, SHT_NOTE, SHF_ALLOC, 0x100001000, BUILD_NOTE, 32);
	section(b, 3, 31, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x140000000, BUILD_DATA, 16);
	section(b, 4, 37, SHT_SYMTAB, 0, 0, BUILD_SYMTAB, 3 * sizeof(Elf64_Sym));
	build_shdr(b, 4)->sh_link = 5;
	build_shdr(b, 4)->sh_info = 1;
	build_shdr(b, 4)->sh_entsize = sizeof(Elf64_Sym);
	section(b, 5, 45, SHT_STRTAB, 0, 0, BUILD_STRTAB, 9);
	section(b, 6, 53, SHT_STRTAB, 0, 0, BUILD_SHSTRTAB, sizeof(section_names));
}

void build_elf(struct build *b)
{
	static const uint32_t text[4] = { 0x00b50533, 0x00008067, 0x02b50533, 0x00008067 }; /* add; ret; mul; ret */
	static const uint32_t note[3] = { 6, 12, 1 };
	memset(b, 0, sizeof(*b));
	header(b);
	segments(b);
	sections(b);
	memcpy(b->bytes + BUILD_TEXT, text, sizeof(text));
	memcpy(b->bytes + BUILD_NOTE, note, sizeof(note));
	memcpy(b->bytes + BUILD_NOTE + 12, "Vinci", 6);
	uint32_t *desc = build_note(b) + 5;
	desc[0] = ARCH_C220;
	desc[1] = CORE_VEC;
	desc[2] = isa_fingerprint();
	for (int i = 0; i < 16; i++)
		b->bytes[BUILD_DATA + i] = (uint8_t)(i + 1);
	memcpy(b->bytes + BUILD_STRTAB, "\0add\0mul", 9);
	memcpy(b->bytes + BUILD_SHSTRTAB, section_names, sizeof(section_names));
	*build_sym(b, 1) = (Elf64_Sym){ .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1,
					.st_value = 0x100000000, .st_size = 8 };
	*build_sym(b, 2) = (Elf64_Sym){ .st_name = 5, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1,
					.st_value = 0x100000008, .st_size = 8 };
}
