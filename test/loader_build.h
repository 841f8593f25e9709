/*
 * loader_build.h - a small valid kernel ELF made by hand, for tests to damage. Offsets and addresses are fixed.
 */
#ifndef LOADER_BUILD_H
#define LOADER_BUILD_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BUILD_PHDR = 64,       /* text, read-only, data */
	BUILD_TEXT = 0x100,    /* two functions of two words: "add" at +0, "mul" at +8 */
	BUILD_NOTE = 0x140,
	BUILD_DATA = 0x180,    /* 16 bytes 1 .. 16, 64 in memory */
	BUILD_SYMTAB = 0x1c0,  /* null, add, mul */
	BUILD_STRTAB = 0x240,
	BUILD_SHSTRTAB = 0x260,
	BUILD_SHDR = 0x2c0,    /* null, entry, note, data, symtab, strtab, shstrtab */
	BUILD_SHNUM = 7,
	BUILD_SIZE = BUILD_SHDR + BUILD_SHNUM * 64
};

struct build {
	union {
		uint8_t bytes[BUILD_SIZE];
		Elf64_Ehdr eh;
		uint64_t align;
	};
};

/* Fill with a kernel for the c220 vector core that the loader accepts. */
void build_elf(struct build *b);

Elf64_Phdr *build_phdr(struct build *b, int i);
Elf64_Shdr *build_shdr(struct build *b, int i);
Elf64_Sym *build_sym(struct build *b, int i);
uint32_t *build_note(struct build *b);

#endif
