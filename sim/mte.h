/*
 * mte.h - inside the data-movement units: what their parts share. Operand words of an op: x[0] = rd (destination
 * address), x[1] = rs1 (source address), x[2] = rs2, x[3] = x31, as the table row places them.
 */
#ifndef MTE_H
#define MTE_H

#include "exec.h"

enum { MTE_BLOCK = 32, MTE_FRACTAL = 512 };

static inline uint64_t mte_round_up(uint64_t v, uint64_t unit) { return (v + unit - 1) / unit * unit; }
static inline uint64_t mte_ceil_div(uint64_t v, uint64_t unit) { return (v + unit - 1) / unit; }

/* FAIL_KERNEL unless addr is a multiple of align; GM addresses are not held to it. */
bool mte_aligned(const struct op *op, const char *what, enum isa_space space, uint64_t addr, uint64_t align,
		 struct fail *f) SIM_MUST_CHECK;
/* FAIL_KERNEL when bits outside `used` are set in a packed word. */
bool mte_reserved(const struct op *op, const char *what, uint64_t word, uint64_t used, struct fail *f) SIM_MUST_CHECK;

/* Host address of on-chip bytes; bounds were checked with the effect. */
static inline uint8_t *mte_local(const struct core_mem *mem, enum isa_space space, uint64_t addr)
{
	return mem->buf[space] + addr;
}

/* GM as one op sees it: the host address of the whole range, when one region holds it, saves a look-up per burst. */
struct mte_window { uint8_t *host; uint64_t addr, size; bool write; };
struct mte_window mte_window_open(const struct core_mem *mem, const struct access *a);
/* Host address of [addr, addr+size); NULL when it is outside. */
uint8_t *mte_window_at(const struct core_mem *mem, const struct mte_window *w, uint64_t addr, uint64_t size);
/* Host address of bytes of an access: GM through the window, other spaces directly. */
uint8_t *mte_at(const struct core_mem *mem, const struct mte_window *w, const struct access *a, uint64_t addr,
		uint64_t size);

/* Read-modify-write at the memory side (hardware.md 2.5). type TYPE_NONE: a plain store. */
struct mte_atomic { enum isa_type type; unsigned op; bool keep; };
enum { MTE_ATOMIC_ADD, MTE_ATOMIC_MAX, MTE_ATOMIC_MIN };
struct mte_atomic mte_atomic_of(const struct op *op);
/* Is CTRL's setting one that this level has for a write from `from` (UB, L1, L0C)? Transfers of pieces that are no whole
 * elements fail. On success *a is what applies to this op. */
bool mte_atomic_check(const struct chip *chip, const struct op *op, enum isa_space from, uint64_t piece_bytes,
		      struct mte_atomic *a, struct fail *f) SIM_MUST_CHECK;
void mte_store(const struct mte_atomic *a, uint8_t *dst, const uint8_t *src, uint64_t bytes);

/* Fill effect->gm: n_burst pieces of burst_bytes, pitch bytes from start to start. */
void mte_gm_transfer(struct effect *e, bool write, uint64_t addr, uint64_t n_burst, uint64_t burst_bytes,
		     int64_t burst_pitch);

#define MTE_PART(name)                                                                                                 \
	bool name##_effect(const struct chip *chip, const struct op *op, struct effect *e, struct fail *f);            \
	bool name##_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f);
MTE_PART(mte_dma)
MTE_PART(mte_align)
MTE_PART(mte_nd2nz)
MTE_PART(mte_load2d)
MTE_PART(mte_loadtr)
MTE_PART(mte_loadsp)
MTE_PART(mte_img2col)
MTE_PART(mte_img2col1)
MTE_PART(mte_fill)
MTE_PART(mte_table)
MTE_PART(mte_ccub)
MTE_PART(mte_bcast)
#undef MTE_PART

#endif
