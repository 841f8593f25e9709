/*
 * program.h - a compiled kernel: ELF file checked, placed in GM, decoded once.
 *
 * Accepted: ELF64, little-endian, RISC-V, EXEC, static, without compressed code. The note ".note.vinci" written by the
 * kernel header says for which level and core kind it was compiled and with which instruction table.
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

/* A parameter of the entry, from debug info. */
struct program_param {
	char name[48];
	char type[48];     /* "tiling *" */
	bool pointer;
	uint32_t size;     /* bytes of the parameter itself */
	int struct_index;  /* into structs[], or -1: pointer to a struct whose members are known */
};
struct program_member {
	char name[48];
	char type[24];     /* "unsigned int" */
	uint32_t offset, size;
	bool is_signed, is_float;
};
struct program_struct {
	char name[48];
	uint32_t size;
	int n_member;
	struct program_member member[64];
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
	uint64_t entry;          /* address of the chosen entry */
	char entry_name[64];
	uint64_t data_addr, data_size;
	uint8_t *data_image;     /* initial bytes of the per-core data segment */
	int n_param;             /* -1: no debug info */
	struct program_param param[16];
	int n_struct;
	struct program_struct structs[8];
	void *debug;             /* libdw handle */
	uint8_t *file_bytes;
	size_t file_size;
};

/* Read and check an ELF file. FAIL_USER: not an ELF, wrong machine, truncated, header that lies, no note.
 * The memory variant serves the fuzzer; bytes must outlive the program. */
bool program_load(const char *file, struct program *p, struct fail *f) SIM_MUST_CHECK;
bool program_parse(const uint8_t *bytes, size_t size, const char *file, struct program *p, struct fail *f)
	SIM_MUST_CHECK;
void program_free(struct program *p);

/* Choose the entry: by name, or the only function marked __global__ when name is NULL. FAIL_USER lists what there is. */
bool program_entry(struct program *p, const char *name, struct fail *f) SIM_MUST_CHECK;

/* Put text, data, bss and stack into GM. */
bool program_place(struct program *p, struct gm *gm, uint64_t stack_bytes, struct fail *f) SIM_MUST_CHECK;

/* "matmul.c:88 in matmul" for a pc, inlined calls resolved outermost last; empty when unknown. */
void program_line(const struct program *p, uint64_t pc, char *text, size_t size);

#endif
