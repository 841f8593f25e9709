/*
 * isa.h - the instruction table of the modelled core, and what is made from it.
 *
 * One row per instruction (isa.def and the files it includes) drives the encoder, the decoder, the disassembler, the
 * intrinsics header for kernels, and the manual ISA.md. Rows of Da Vinci instructions carry the public intrinsic name;
 * rows of the scalar unit carry the RISC-V mnemonic.
 *
 *   31      25 24   20 19   15 14    12 11    7 6      0
 *  +----------+-------+-------+--------+-------+--------+
 *  |  funct7  |  rs2  |  rs1  |  type  |  rd   | opcode |     Da Vinci: R-type on the four custom opcodes
 *  +----------+-------+-------+--------+-------+--------+     0001011 vector   0101011 cube, MTE, fixpipe
 *     selects    src1    src0   element   dst                 1011011 sync and system   1111011 vector conversions
 *     the row                    type                         a fourth operand travels in x31
 *
 * rd is a *source* (the destination address) unless the row says that the instruction returns a value (an argument
 * "ret:kind").
 *
 * .enc  32 bits, msb first: literal 0 and 1, and fields of fields.def with the slice that stands there, as RISC-V manuals
 *       write them: "imm[12|10:5] rs2 rs1 000 imm[4:1|11] 1100011". A field without slice is whole (type: its low 3 bits).
 * .args of Da Vinci rows: "name:kind" in public order, '|' between forms of other arity. Kinds:
 *         u8 u16 u32 u64 s8 s16 s32 s64 bool f16 f32    a C value (floats travel as bits, integers as C converts them to
 *                                                       uint64_t)
 *         val0 val1 val2                                a value of the element type of operand 0, 1, 2: bits, zero-extended
 *         ub*0 cc*1 gm*void cbuf*u8 ca*any              a pointer to the element type of an operand, to void, to a fixed
 *                                                       type, to any type; spaces gm ub cbuf ca cb cc fbuf bt
 *         ub4*0                                         array of 4 UB pointers, packed to 4 x 16 bit in units of 8 B
 *         va8                                           array of 8 UB addresses, packed to 8 x 16 bit in units of 32 B:
 *                                                       "name" is the low word, "name_hi" the high one
 *         pipe event order ...                          the public enums (args.c: kinds)
 *       "name=number" is no argument but a constant for the field of that name; a name that begins with '_' is accepted
 *       and ignored. Pointers whose name does not begin with dst point to const.
 *       of RV rows: the assembler syntax, with fd fs1 fs2 fs3 for floating-point registers.
 * .regs "rd=dst rs1=src0 rs2=src1 x31=vbin": a register takes an argument, or a word of layout.def, packed from the
 *       arguments that are named like its fields ("field_hi": the upper part of a CFG2 field). "fixm|xm": the argument xm,
 *       where a form has it, is the word (fields are or-ed into it). What a form does not give is 0.
 *       rd=ret: rd is written. psrc and pdst take their argument as a constant of the instruction word.
 * .arch "c220 c100:f16,f32": levels, each with its types where not all exist there.
 */
#ifndef ISA_H
#define ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pipes, numbered as the public pipe_t. PIPE_ALL is the pseudo-pipe of barriers. */
enum isa_pipe {
	PIPE_S = 0, PIPE_V = 1, PIPE_MTE1 = 2, PIPE_MTE2 = 3, PIPE_MTE3 = 4, PIPE_M = 5, PIPE_ALL = 6, PIPE_FIX = 7,
	PIPE_COUNT = 8
};

/* Memories. UB..BT are numbered as the clang address spaces of __ubuf__ .. __biasbuf__; GM is the default space. */
enum isa_space {
	SPACE_NONE = 0, SPACE_GM = 1, SPACE_UB = 2, SPACE_L1 = 3, SPACE_L0A = 4, SPACE_L0B = 5, SPACE_L0C = 6,
	SPACE_FB = 7, SPACE_BT = 8, SPACE_COUNT = 9
};

/* Element types. B8..B32 are "any type of that width" (bit copies). */
enum isa_type {
	TYPE_NONE, TYPE_S4, TYPE_S8, TYPE_U8, TYPE_S16, TYPE_U16, TYPE_F16, TYPE_BF16, TYPE_S32, TYPE_U32, TYPE_F32,
	TYPE_S64, TYPE_U64, TYPE_B8, TYPE_B16, TYPE_B32, TYPE_COUNT
};

/* Instruction-set levels a row exists on, as bits. RV rows exist on all. */
enum isa_arch { ARCH_C100 = 1, ARCH_M200 = 2, ARCH_C220 = 4, ARCH_ALL = 7 };

/* Core kinds, as bits: the cube core and the vector core of a split chip, the fused core of the others. */
enum isa_core { CORE_CUBE = 1, CORE_VEC = 2, CORE_FUSED = 4 };

enum isa_state {
	ISA_DONE,     /* modelled */
	ISA_NOT_YET,  /* has a row; calling it ends with a "not modelled" error that names it */
	ISA_UNSPEC,   /* public sources do not say enough; .why says what is missing */
	ISA_PLAIN     /* no instruction: plain C in include/cce.h; .enc is empty */
};

/* Rounding of a conversion, from the suffix of its name. NONE: exact, or the default (nearest even). */
enum isa_round { ROUND_NONE, ROUND_RINT, ROUND_FLOOR, ROUND_CEIL, ROUND_AWAY, ROUND_TRUNC, ROUND_ODD };

/* What an instruction does with its operand words: one handler in sim/ per form. Listed in forms.def. */
enum isa_form {
#define FORM(id, doc) FORM_##id,
#include "forms.def"
#undef FORM
	FORM_COUNT
};

/* Timing classes by name; the numbers are in configs/ (one entry per class and chip). Listed in timing.def. */
enum isa_time {
#define TIME(id, doc) TIME_##id,
#include "timing.def"
#undef TIME
	TIME_COUNT
};

/* Every row's number: INSN_vadd, INSN_set_flag, RV_add ... */
enum isa_id {
#define RV(id, mnemonic, ...) RV_##id,
#define INSN(id, ...) INSN_##id,
#include "isa.def"
#undef RV
#undef INSN
	ISA_COUNT
};

struct isa_insn {
	const char *name;   /* public intrinsic name, or RISC-V mnemonic */
	const char *enc;    /* 32 bits, msb first, see above */
	const char *types;  /* variants selected by the field "type", in its order: "f16 f32"; "f32:f16:f16" names
	                       operand types 0, 1, 2 apart. Empty: one variant, no type field */
	const char *args;   /* arguments, see above */
	const char *regs;   /* where arguments travel, see above */
	const char *arch;   /* levels, see above; NULL for RV rows: all */
	const char *why;    /* not DONE: the reason */
	const char *doc;    /* one sentence */
	uint8_t pipe;       /* enum isa_pipe */
	uint8_t form;       /* enum isa_form */
	uint8_t time;       /* enum isa_time */
	uint8_t state;      /* enum isa_state */
	uint8_t cores;      /* bits of enum isa_core it can run on; 0 = all */
	uint8_t round;      /* enum isa_round, conversions */
	bool rv;            /* row of the scalar unit */
	const char *file;   /* where the row stands, for errors about the table itself */
	int line;
};

extern const struct isa_insn isa_table[ISA_COUNT];

/* A decoded word. Registers are numbers; imm is sign-extended where the row's immediate is signed. lui and auipc: imm is
 * the value with its 12 low bits zero. csrrw and kin: imm is the CSR's number, rs1 the 5-bit value of the immediate forms.
 * fence: imm = pred << 4 | succ. set_flag, wait_flag, pipe_barrier, ffts_cross_core_sync: isa_psrc and isa_pdst. */
struct isa_word {
	uint32_t raw;
	uint16_t id;      /* enum isa_id */
	uint8_t variant;  /* index into the row's types */
	uint8_t rd, rs1, rs2, rs3, rm;
	int32_t imm;
};

/* Pipes named by the word itself: pipe_barrier and ffts_cross_core_sync have psrc only. */
static inline enum isa_pipe isa_psrc(int32_t imm) { return (enum isa_pipe)((imm >> 3) & 7); }
static inline enum isa_pipe isa_pdst(int32_t imm) { return (enum isa_pipe)(imm & 7); }

/* Parse all rows and check them against each other: unknown field, gap, overlap, operand without field. Must succeed
 * before anything else is called; isatool runs it at build time. Writes the first complaint to err. */
bool isa_init(char *err, size_t err_size);

/* The same checks on any rows, without keeping anything. Messages: "file:line: name: 1 bits unaccounted for". */
bool isa_check_rows(const struct isa_insn *rows, size_t n, char *err, size_t err_size);

/* Decode one word. False when no row matches (illegal instruction). */
bool isa_decode(uint32_t raw, struct isa_word *out);

/* Encode; the inverse of isa_decode. False when a field does not fit. */
bool isa_encode(const struct isa_word *w, uint32_t *raw);

/* Text of one instruction as llvm-objdump writes base instructions ("addi\tsp, sp, -0x10"); Da Vinci instructions as
 * "vadd.f16\tub[a0], ub[a1], ub[a2], t6". pc is used for branch targets. */
void isa_disasm(uint32_t raw, uint64_t pc, char *text, size_t size);

/* Number of variants of a row (1 when it has no types), and the element type of operand `operand` (0 = destination) of a
 * variant. */
unsigned isa_variants(enum isa_id id);
enum isa_type isa_operand_type(enum isa_id id, unsigned variant, unsigned operand);

/* An argument as it travels: bits of word 0..3 (rd, rs1, rs2, x31), width2 more of them from lsb2 on above. */
enum { ISA_OPERANDS = 32 };
struct isa_operand { char name[32]; uint8_t word, lsb, width, lsb2, width2; bool address; };
/* The arguments of a Da Vinci instruction; returns how many. Pipes and constants in the instruction word are not among them. */
int isa_operands(enum isa_id id, struct isa_operand out[ISA_OPERANDS]);

/* True when that variant exists on the level `arch` (one bit of enum isa_arch). */
bool isa_available(enum isa_id id, unsigned variant, unsigned arch);

/* Find a row by public name; ISA_COUNT when there is none. */
enum isa_id isa_find(const char *name);

/* A number that changes when any encoding changes; kernels carry it in their note. */
uint32_t isa_fingerprint(void);

unsigned isa_type_bits(enum isa_type t);
const char *isa_type_name(enum isa_type t);   /* "f16" */
const char *isa_pipe_name(enum isa_pipe p);   /* "MTE2" */
const char *isa_space_name(enum isa_space s); /* "UB" */
const char *isa_form_name(enum isa_form f);
const char *isa_time_name(enum isa_time t);

/* Fields of the packed 64-bit operand words: vbin_dst_blk(word) and so on, one getter per line of layout.def. */
#define CFG(word, field, lsb, width, doc)                                                                              \
	static inline uint64_t word##_##field(uint64_t w) { return (w >> (lsb)) & ((UINT64_C(1) << (width)) - 1); }
#define CFG2(word, field, lsb, width, lsb2, width2, doc)                                                               \
	static inline uint64_t word##_##field(uint64_t w)                                                              \
	{                                                                                                              \
		return ((w >> (lsb)) & ((UINT64_C(1) << (width)) - 1)) |                                               \
		       (((w >> (lsb2)) & ((UINT64_C(1) << (width2)) - 1)) << (width));                                 \
	}
#include "layout.def"
#undef CFG
#undef CFG2

#endif
