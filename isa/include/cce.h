/*
 * cce.h - the language of Da Vinci kernels for a RISC-V compiler: qualifiers, types, enums, scalar helpers, and (from
 * cce_intrinsics.h, made from the instruction table) the intrinsics. Names and argument orders are the public ones. Comes
 * before every kernel source: clang --target=riscv64 -include cce.h, C11 or C++17. The driver says what is compiled:
 *   -D__DAV_C220_VEC__ or -D__DAV_C220_CUBE__ (910B, one core kind each), -D__DAV_M200__ (310P), -D__DAV_C100__ (910)
 */
#ifndef VINCI_CCE_H
#define VINCI_CCE_H
#pragma clang system_header

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__clang__) || !defined(__riscv) || __riscv_xlen != 64
#error "Vinci kernels are compiled by clang for riscv64 (address spaces, overloads, half); use `vinci cc`"
#endif

/* Level and core kind, as the bits of the instruction table. */
#if defined(__DAV_C220_VEC__) || defined(__DAV_C220_CUBE__)
#define VINCI_ARCH 4
#ifdef __DAV_C220_VEC__
#define VINCI_CORE 2
#define __DAV_VEC__ 1
#else
#define VINCI_CORE 1
#define __DAV_CUBE__ 1
#endif
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif
#elif defined(__DAV_M200__)
#define VINCI_ARCH 2
#define VINCI_CORE 4
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2002
#endif
#elif defined(__DAV_C100__)
#define VINCI_ARCH 1
#define VINCI_CORE 4
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 1001
#endif
#else
#error "no core named: compile with -D__DAV_C220_VEC__, -D__DAV_C220_CUBE__, -D__DAV_M200__ or -D__DAV_C100__"
#endif

#include "cce_qualifiers.h"

typedef _Float16 half;
typedef _Float16 float16_t;
typedef float float32_t;
/* To and from half by way of a volatile float: clang 19 cannot select bf16 to fp16 and folds plain steps into it. */
typedef __bf16 bfloat16_t;
/* two 4-bit integers; pointers to it are accepted wherever an intrinsic takes int4 data */
typedef struct { int8_t pair; } int4b_t;

typedef enum {
	PIPE_S = 0, PIPE_V = 1, PIPE_MTE1 = 2, PIPE_MTE2 = 3, PIPE_MTE3 = 4, PIPE_M = 5, PIPE_ALL = 6, PIPE_FIX = 7
} pipe_t;
typedef enum {
	EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7
} event_t;
typedef enum { VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX } Order_t;
typedef enum { VA0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 } ub_addr8_t;
typedef enum { L128, H128 } vtype_t;
typedef enum { inc, dec } addr_cal_mode_t;
typedef enum { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE } cache_line_t;
typedef enum { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC } dcci_dst_t;
typedef enum { DSB_ALL, DSB_DDR, DSB_UB, DSB_SEQ } mem_dsb_t;
typedef enum { CSIZE0, CSIZE1 } csize_t;
/* memory of hset_flag: 0 L1, 1 L0A, 2 L0B, 3 L0C, 4 UB, 5 bias table */
typedef uint8_t mem_t;
typedef enum {
	PAD_NONE, PAD_MODE1, PAD_MODE2, PAD_MODE3, PAD_MODE4, PAD_MODE5, PAD_MODE6, PAD_MODE7, PAD_MODE8
} pad_t;
/* Conversions between L0C and UB on fused chips; the numbers are ours. */
typedef enum {
	CRMODE_NONE, CRMODE_F32toF16_NONE, CRMODE_F32toF16_RELU, CRMODE_S32toF16_NONE, CRMODE_F16toF32_NONE,
	CRMODE_NONE_RELU, CRMODE_F16_MUL, CRMODE_S32toF16_DEQSCALE_SPR, CRMODE_DEQSCALE_VDEQ8, CRMODE_DEQSCALE_DEQ8,
	CRMODE_DEQSCALE_VDEQ16, CRMODE_DEQSCALE_DEQ16, CRMODE_DEQSCALE_VDEQS16, CRMODE_DEQSCALE_DEQS16
} ConvRelu_t;
typedef enum {
	NoQuant = 0, F322F16 = 1, VREQ8 = 2, REQ8 = 3, VDEQF16 = 4, DEQF16 = 5, VSHIFTS322S16 = 12, SHIFTS322S16 = 13,
	F322BF16 = 16, VQF322B8_PRE = 23, QF322B8_PRE = 24, QF322HIF8_PRE = 25, QF322FP8_PRE = 26, QF322F32_PRE = 27,
	VQF322HIF8_PRE = 28, QF322F16_PRE = 32, VQF322F16_PRE = 33, QF322BF16_PRE = 34, QS322BF16_PRE = 35,
	VQF322BF16_PRE = 36, VQF322FP8_PRE = 37, VQF322F32_PRE = 38, VQS322BF16_PRE = 39
} QuantMode_t;

/* In C the intrinsics overload by clang's attribute, in C++ by the language. */
#ifdef __cplusplus
#define VINCI_FN static inline __attribute__((always_inline, unused))
#else
#define VINCI_FN static inline __attribute__((always_inline, unused, overloadable))
#endif

/*
 * One instruction. rd, rs1, rs2 and x31 are all read; an instruction that writes rd is a VINCI_GET. An operand that the
 * encoding lacks is named z, the others d, a, b. "memory" keeps the scalar unit's own accesses to GM and UB on their side.
 */
#define VINCI_TEXT_d "%z0"
#define VINCI_TEXT_a "%z1"
#define VINCI_TEXT_b "%z2"
#define VINCI_TEXT_z "zero"
#define VINCI_INSN(op, f3, f7, rd, rs1, rs2)                                                                           \
	".insn r " #op ", " #f3 ", " #f7 ", " VINCI_TEXT_##rd ", " VINCI_TEXT_##rs1 ", " VINCI_TEXT_##rs2
#define VINCI_R3(op, f3, f7, rd, rs1, rs2, d, a, b)                                                                    \
	do {                                                                                                           \
		uint64_t d_ = (d), a_ = (a), b_ = (b);                                                                 \
		__asm__ volatile(VINCI_INSN(op, f3, f7, rd, rs1, rs2) : : "rJ"(d_), "rJ"(a_), "rJ"(b_) : "memory");    \
	} while (0)
#define VINCI_R4(op, f3, f7, rd, rs1, rs2, d, a, b, c)                                                                 \
	do {                                                                                                           \
		uint64_t d_ = (d), a_ = (a), b_ = (b), c_ = (c);                                                       \
		register uint64_t x31_ __asm__("t6") = c_;                                                             \
		__asm__ volatile(VINCI_INSN(op, f3, f7, rd, rs1, rs2)                                                  \
				 : : "rJ"(d_), "rJ"(a_), "rJ"(b_), "r"(x31_) : "memory");                              \
	} while (0)
#define VINCI_GET(type, op, f3, f7, rd, rs1, rs2, a, b)                                                                \
	uint64_t d_, a_ = (a), b_ = (b);                                                                               \
	__asm__ volatile(VINCI_INSN(op, f3, f7, rd, rs1, rs2) : "=r"(d_) : "rJ"(a_), "rJ"(b_) : "memory");             \
	return vinci_from_##type(d_)
#define VINCI_PIPES(op, bits, rs1, a)                                                                                  \
	do {                                                                                                           \
		uint64_t a_ = (a);                                                                                     \
		__asm__ volatile(".insn i " #op ", 0, zero, " VINCI_TEXT_##rs1 ", %0" : : "i"(bits), "rJ"(a_)          \
				 : "memory");                                                                          \
	} while (0)

#define VINCI_HELPER static inline __attribute__((always_inline, unused))
/* Operands wider than their field: constants are refused by the compiler; with VINCI_CHECK_OPERANDS others end the kernel,
 * which costs a comparison each. */
#ifdef VINCI_CHECK_OPERANDS
#define VINCI_FIT(misfit, text)                                                                                        \
	do {                                                                                                           \
		if (misfit)                                                                                            \
			vinci_misfit(text);                                                                            \
	} while (0)
#else
#define VINCI_FIT(misfit, text) ((void)0)
#endif
VINCI_HELPER uint64_t vinci_bits_f16(half x)
{
	union { half f; uint16_t u; } c = { .f = x };
	return c.u;
}
VINCI_HELPER uint64_t vinci_bits_bf16(bfloat16_t x)
{
	union { bfloat16_t f; uint16_t u; } c = { .f = x };
	return c.u;
}
VINCI_HELPER uint64_t vinci_bits_f32(float x)
{
	union { float f; uint32_t u; } c = { .f = x };
	return c.u;
}
VINCI_HELPER int64_t vinci_from_int(uint64_t x) { return (int64_t)x; }
VINCI_HELPER half vinci_from_f16(uint64_t x)
{
	union { uint16_t u; half f; } c = { .u = (uint16_t)x };
	return c.f;
}
VINCI_HELPER float vinci_from_f32(uint64_t x)
{
	union { uint32_t u; float f; } c = { .u = (uint32_t)x };
	return c.f;
}
/* four UB addresses in units of 8 bytes; four in units of 32 bytes */
VINCI_HELPER uint64_t vinci_ub4(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return (a >> 3 & 0xffff) | (b >> 3 & 0xffff) << 16 | (c >> 3 & 0xffff) << 32 | (d >> 3 & 0xffff) << 48;
}
VINCI_HELPER uint64_t vinci_va4(const uint64_t *a)
{
	return (a[0] >> 5 & 0xffff) | (a[1] >> 5 & 0xffff) << 16 | (a[2] >> 5 & 0xffff) << 32 | (a[3] >> 5 & 0xffff) << 48;
}

#include "cce_intrinsics.h"

/* Scalar helpers that need no instruction of their own (rows of state "plain C"). */
VINCI_HELPER int64_t bcnt0(uint64_t x) { return 64 - __builtin_popcountll(x); }
VINCI_HELPER int64_t bcnt1(uint64_t x) { return __builtin_popcountll(x); }
VINCI_HELPER int64_t clz(uint64_t x) { return x ? __builtin_clzll(x) : 64; }
/* lowest bit that is 0 or 1; -1 when there is none */
VINCI_HELPER int64_t sff1(uint64_t x) { return x ? __builtin_ctzll(x) : -1; }
VINCI_HELPER int64_t sff0(uint64_t x) { return sff1(~x); }
/* bits above the highest that differs from the sign */
VINCI_HELPER int64_t sflbits(int64_t x) { return clz((uint64_t)(x < 0 ? ~x : x)) - 1; }
VINCI_HELPER uint64_t sbitset0(uint64_t x, int64_t bit) { return x & ~((uint64_t)1 << (bit & 63)); }
VINCI_HELPER uint64_t sbitset1(uint64_t x, int64_t bit) { return x | (uint64_t)1 << (bit & 63); }

/* constants in pieces of 16 bits, as a move-immediate takes them */
VINCI_FN uint64_t get_imm(uint64_t imm0_15) { return imm0_15; }
VINCI_FN uint64_t get_imm(uint64_t imm0_15, uint64_t imm16_31) { return (imm0_15 & 0xffff) | imm16_31 << 16; }
VINCI_FN uint64_t get_imm(uint64_t imm0_15, uint64_t imm16_31, uint64_t imm32_47)
{
	return (imm0_15 & 0xffff) | (imm16_31 & 0xffff) << 16 | imm32_47 << 32;
}
VINCI_FN uint64_t get_imm(uint64_t imm0_15, uint64_t imm16_31, uint64_t imm32_47, uint64_t imm48_63)
{
	return (imm0_15 & 0xffff) | (imm16_31 & 0xffff) << 16 | (imm32_47 & 0xffff) << 32 | imm48_63 << 48;
}

#if VINCI_ARCH & 3
/* 910 and 310P pack the lengths (4 x 12 bits from bit 8), the stop flag and the list mask into one word with repeat. */
VINCI_HELPER uint64_t vinci_vmrg_lengths(uint64_t c)
{
	return (c >> 8 & 0xfff) | (c >> 20 & 0xfff) << 16 | (c >> 32 & 0xfff) << 32 | (c >> 44 & 0xfff) << 48;
}
VINCI_HELPER uint64_t vinci_vmrg_config(uint64_t c) { return (c & 0xff) | (c >> 60 & 15) << 8 | (c >> 59 & 1) << 12; }
VINCI_FN void vmrgsort4(__ubuf__ half *dst, __ubuf__ half *const *src, uint64_t config)
{
	vmrgsort4(dst, src, vinci_vmrg_lengths(config), vinci_vmrg_config(config));
}
VINCI_FN void vmrgsort4(__ubuf__ float *dst, __ubuf__ float *const *src, uint64_t config)
{
	vmrgsort4(dst, src, vinci_vmrg_lengths(config), vinci_vmrg_config(config));
}
#endif

#ifdef __cplusplus
/* event ids and the kinds of cache clean as plain numbers: C++ turns none into an enum by itself */
VINCI_FN void set_flag(pipe_t src, pipe_t dst, uint64_t event) { set_flag(src, dst, (event_t)event); }
VINCI_FN void wait_flag(pipe_t src, pipe_t dst, uint64_t event) { wait_flag(src, dst, (event_t)event); }
VINCI_FN void dcci(__gm__ void *dst, uint64_t all) { dcci(dst, (cache_line_t)all); }
VINCI_FN void dcci(__gm__ void *dst, uint64_t all, uint64_t out) { dcci(dst, (cache_line_t)all, (dcci_dst_t)out); }

/* Place of an array that a kernel declares in local memory, `__ubuf__ T x[n];` (the driver makes calls of it): one behind the
 * other, once per array. */
static uint64_t vinci_local_arrays;
template <uint64_t bytes> static inline __attribute__((always_inline)) uint64_t vinci_local_array()
{
	uint64_t at = vinci_local_arrays;
	vinci_local_arrays = at + (bytes + 31) / 32 * 32;
	return at;
}
#endif

/* What a loader must know: level, core kind, fingerprint of the table this was compiled with. Name "Vinci", type 1. */
__attribute__((used, section(".note.vinci"), aligned(4))) static const struct {
	uint32_t name_size, desc_size, type;
	char name[8];
	uint32_t arch, core, fingerprint;
} vinci_note = { 6, 12, 1, "Vinci", VINCI_ARCH, VINCI_CORE, VINCI_FINGERPRINT };

#endif
