/*
 * program.h - a compiled kernel: ELF file checked, placed in GM, decoded once.
 *
 * Accepted: ELF64, little-endian, RISC-V, EXEC, static, lp64d, without compressed code; one executable segment and at
 * most one read-only and one writable one, where gm.h has their places (isa/include/vinci.ld links so). The note
 * ".note.vinci" (name "Vinci", type 1) written by the kernel header holds three words: level (a bit of enum isa_arch),
 * core kind (a bit of enum isa_core), fingerprint of the instruction table. Entries are the functions of the section
 * ".text.vinci_entry".
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "../isa/isa.h"
#include "fail.h"
#include "gm.h"

#include <stddef.h>
#include <stdint.h>

/* One pre-decoded instruction of the scalar unit; 16 bytes. Handlers are numbers into the interpreter's label table. */
struct insn {
	uint16_t handler;
	uint8_t rd, rs1, rs2, rs3;   /* register numbers; rs3 = rm or variant where unused */
	uint16_t id;                 /* enum isa_id */
	int32_t imm;
	uint32_t cost;               /* cycle of its issue if the text were run in line from its start: time along straight
	                                code is a difference of two of these */
};

enum { PROGRAM_PARAMS = 16, PROGRAM_STRUCTS = 8, PROGRAM_MEMBERS = 256 };

/* A parameter of the entry, from debug info. */
struct program_param {
	char name[48];
	char type[48];     /* "tiling *" */
	bool pointer, is_signed, is_float;
	uint32_t size;     /* bytes of the parameter itself */
	int struct_index;  /* into structs[], or -1: pointer to a struct whose members are known (or, without `pointer`,
	                      the struct itself passed by value) */
};
/* A scalar or an array of scalars; members of inner structs have names like "tile.m". Bit-fields and unions are listed
 * with size 0: they have no bytes of their own to set. */
struct program_member {
	char name[48];
	char type[24];     /* "unsigned int", of an array: its element */
	uint32_t offset, size; /* bytes, all elements */
	uint32_t count;    /* elements; 1 = scalar */
	bool is_signed, is_float;
};
struct program_struct {
	char name[48];
	uint32_t size;
	int n_member;
	struct program_member member[PROGRAM_MEMBERS];
};

/* A function. */
struct program_symbol {
	uint64_t addr, size;
	const char *name;  /* as in the ELF, mangled for C++ */
	bool entry;
};

struct program {
	char file[512];
	unsigned arch;           /* bit of enum isa_arch */
	unsigned core;           /* bit of enum isa_core it was compiled for */
	uint32_t fingerprint;
	uint64_t text_addr, text_size;
	uint32_t n_insn;
	struct insn *insn;       /* n_insn decoded + 1 sentinel */
	const uint8_t *text;     /* raw words */
	uint64_t rodata_addr, rodata_size;
	const uint8_t *rodata;   /* constants, shared by all cores; NULL when there are none */
	uint64_t entry;          /* address of the chosen entry */
	char entry_name[64];
	uint64_t data_addr, data_size; /* bss included */
	uint64_t data_init_size;
	uint8_t *data_image;     /* data_init_size initial bytes of the per-core data segment; the rest is zero */
	int n_param;             /* -1: no debug info */
	struct program_param param[PROGRAM_PARAMS];
	int tiling_index;        /* into structs[], or -1: what an Ascend C kernel reads by GET_TILING_DATA */
	int n_struct;
	struct program_struct structs[PROGRAM_STRUCTS];
	int n_symbol;
	struct program_symbol *symbol; /* functions, sorted by address */
	void *elf, *debug;       /* libelf and libdw handles; debug is NULL without debug info */
	uint8_t *file_bytes;     /* owned by program_load, NULL after program_parse */
	size_t file_size;
};

/* Read and check an ELF file. FAIL_USER: not an ELF, wrong machine, truncated, header that lies, no note, built with
 * another instruction table. insn[] is allocated and zeroed, not decoded. On failure there is nothing to free.
 * The memory variant serves the fuzzer; bytes must outlive the program. */
bool program_load(const char *file, struct program *p, struct fail *f) SIM_MUST_CHECK;
bool program_parse(const uint8_t *bytes, size_t size, const char *file, struct program *p, struct fail *f)
	SIM_MUST_CHECK;
void program_free(struct program *p);

/* Choose the entry: by name, or the only function marked __global__ when name is NULL or empty. FAIL_USER lists what
 * there is. Fills param[] and structs[] from debug info. */
bool program_entry(struct program *p, const char *name, struct fail *f) SIM_MUST_CHECK;

/* Put text, data, bss and stack into GM. */
bool program_place(struct program *p, struct gm *gm, uint64_t stack_bytes, struct fail *f) SIM_MUST_CHECK;

/* "add.c:41 in copy_in, inlined at add.c:88 in add" for a pc, innermost first; the header's own wrappers of
 * intrinsics are left out; "near add.c:41 in add" when the compiler merged code of several lines; empty when unknown. */
void program_line(const struct program *p, uint64_t pc, char *text, size_t size);

/* File (as debug info has it; lives as long as p) and line of a pc in the kernel's own source: of the call for wrappers
 * of intrinsics, of the code before it for merged code. False when unknown. */
bool program_source(const struct program *p, uint64_t pc, const char **file, int *line);

/* The function that holds addr, or NULL. */
const struct program_symbol *program_symbol(const struct program *p, uint64_t addr);

/* The name a human uses for a symbol: "add" for "_Z3addPDhS_i". Writes into text and returns it. */
const char *program_name(const char *symbol, char *text, size_t size);

#endif
