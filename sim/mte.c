/*
 * mte.c - data movement: choice of the part that handles a form, and what the parts share: alignment, GM windows, atomics.
 */
#include "mte.h"
#include "num.h"

#include <inttypes.h>
#include <string.h>

bool mte_aligned(const struct op *op, const char *what, enum isa_space space, uint64_t addr, uint64_t align,
		 struct fail *f)
{
	if (space == SPACE_GM || addr % align == 0)
		return true;
	return op_fail(f, FAIL_KERNEL, op, "%s address 0x%" PRIx64 " in %s is not a multiple of %" PRIu64 " bytes",
		what,
		       addr, isa_space_name(space), align);
}

bool mte_reserved(const struct op *op, const char *what, uint64_t word, uint64_t used, struct fail *f)
{
	if (!(word & ~used))
		return true;
	return op_fail(f, FAIL_KERNEL, op, "reserved bits 0x%" PRIx64 " are set in the %s word 0x%" PRIx64,
		word & ~used, what,
		       word);
}

/* Smallest range that holds the access; GM addresses were checked, so it does not wrap. */
struct mte_window mte_window_open(const struct core_mem *mem, const struct access *a)
{
	struct mte_window w = { .addr = a->addr, .size = a->unit_bytes, .write = a->write };

	if (a->space != SPACE_GM)
		return w;
	for (int d = 0; d < 3; d++) {
		int64_t reach = a->stride[d] * ((int64_t)a->n[d] - 1);
		if (reach < 0)
			w.addr += (uint64_t)reach;
		w.size += (uint64_t)(reach < 0 ? -reach : reach);
	}
	w.host = gm_at(mem->gm, mem->core, w.addr, w.size, w.write);
	return w;
}

uint8_t *mte_window_at(const struct core_mem *mem, const struct mte_window *w, uint64_t addr, uint64_t size)
{
	if (w->host && addr >= w->addr && addr - w->addr <= w->size && size <= w->size - (addr - w->addr))
		return w->host + (addr - w->addr);
	return gm_at(mem->gm, mem->core, addr, size, w->write);
}

uint8_t *mte_at(const struct core_mem *mem, const struct mte_window *w, const struct access *a, uint64_t addr,
		uint64_t size)
{
	return a->space == SPACE_GM ? mte_window_at(mem, w, addr, size) : mem->buf[a->space] + addr;
}

void mte_gm_transfer(struct effect *e, bool write, uint64_t addr, uint64_t n_burst, uint64_t burst_bytes,
		     int64_t burst_pitch)
{
	e->gm = (struct gm_transfer){ .any = true, .write = write, .addr = addr, .n_burst = (uint32_t)n_burst,
				      .burst_bytes = (uint32_t)burst_bytes, .burst_pitch = burst_pitch,
				      .bytes = n_burst * burst_bytes };
}

/* CTRL[8:6] (hardware.md 2.5); entry 7 is reserved. */
static const uint8_t atomic_types[8] = { TYPE_NONE, TYPE_F32, TYPE_F16, TYPE_S16, TYPE_S32, TYPE_S8, TYPE_BF16,
	TYPE_NONE };

struct mte_atomic mte_atomic_of(const struct op *op)
{
	return (struct mte_atomic){ .type = atomic_types[op->spr.ctrl >> CTRL_ATOMIC_TYPE & 7],
				    .op = op->spr.ctrl >> CTRL_ATOMIC_OP & 3, .keep = ctrl_bit(op, CTRL_INF_NAN) };
}

static bool atomic_exists(unsigned arch, enum isa_type t, unsigned what)
{
	if (arch == ARCH_C100)
		return t == TYPE_F32 && what == MTE_ATOMIC_ADD;
	if (arch == ARCH_M200)
		return (t == TYPE_F32 || t == TYPE_F16 || t == TYPE_S16) && what == MTE_ATOMIC_ADD;
	return what <= MTE_ATOMIC_MIN;
}

bool mte_atomic_check(const struct chip *chip, const struct op *op, enum isa_space from, uint64_t piece_bytes,
		      struct mte_atomic *a, struct fail *f)
{
	static const char *const verb[4] = { "add", "max", "min", "operation 3" };

	*a = mte_atomic_of(op);
	if ((op->spr.ctrl >> CTRL_ATOMIC_TYPE & 7) == 7)
		return op_fail(f, FAIL_KERNEL, op, "CTRL[8:6] = 7 is no atomic type");
	if (a->type == TYPE_NONE)
		return true;
	if (chip->arch != ARCH_C220 && from != SPACE_UB) {
		a->type = TYPE_NONE; /* the fused chips apply atomics to UB to GM only */
		return true;
	}
	if (!atomic_exists(chip->arch, a->type, a->op)) {
		op_fail(f, FAIL_KERNEL, op, "atomic %s of %s does not exist on %s", verb[a->op], isa_type_name(a->type),
			chip->arch_name);
		return fail_hint(f, "set_atomic_none() before a plain store");
	}
	if (piece_bytes % (isa_type_bits(a->type) / 8))
		return op_fail(f, FAIL_KERNEL, op, "atomic %s of %s on pieces of %" PRIu64 " bytes", verb[a->op],
			       isa_type_name(a->type), piece_bytes);
	return true;
}

static float atomic_f32(unsigned what, float old, float v)
{
	if (old != old || v != v)
		return num_float(0x7fc00000u);
	switch (what) {
	case MTE_ATOMIC_ADD: return num_canon(old + v);
	case MTE_ATOMIC_MAX: return v > old ? v : old;
	default: return v < old ? v : old;
	}
}

/* Integer sums wrap: public sources name no saturation at the memory side. */
static int64_t atomic_int(unsigned what, int64_t old, int64_t v)
{
	switch (what) {
	case MTE_ATOMIC_ADD: return old + v;
	case MTE_ATOMIC_MAX: return v > old ? v : old;
	default: return v < old ? v : old;
	}
}

#define EACH(type, update)                                                                                             \
	for (uint64_t i = 0; i + sizeof(type) <= bytes; i += sizeof(type)) {                                           \
		type old, v;                                                                                           \
		memcpy(&old, dst + i, sizeof(type));                                                                   \
		memcpy(&v, src + i, sizeof(type));                                                                     \
		old = (type)(update);                                                                                  \
		memcpy(dst + i, &old, sizeof(type));                                                                   \
	}

void mte_store(const struct mte_atomic *a, uint8_t *dst, const uint8_t *src, uint64_t bytes)
{
	switch (a->type) {
	case TYPE_F32: EACH(float, atomic_f32(a->op, old, v)) break;
	case TYPE_F16:
		EACH(uint16_t, num_to_f16(atomic_f32(a->op, num_from_f16(old), num_from_f16(v)), NUM_RINT, a->keep))
		break;
	case TYPE_BF16:
		EACH(uint16_t, num_to_bf16(atomic_f32(a->op, num_from_bf16(old), num_from_bf16(v)), NUM_RINT, a->keep))
		break;
	case TYPE_S8: EACH(int8_t, atomic_int(a->op, old, v)) break;
	case TYPE_S16: EACH(int16_t, atomic_int(a->op, old, v)) break;
	case TYPE_S32: EACH(int32_t, atomic_int(a->op, old, v)) break;
	default: memcpy(dst, src, bytes); break;
	}
}

bool mte_effect(const struct chip *chip, const struct core_mem *mem, const struct op *op, struct effect *e,
	struct fail *f)
{
	bool ok;

	switch (isa_table[op->insn].form) {
	case FORM_DMA: ok = mte_dma_effect(chip, op, e, f); break;
	case FORM_DMAAL: ok = mte_align_effect(chip, op, e, f); break;
	case FORM_ND2NZ: ok = mte_nd2nz_effect(chip, op, e, f); break;
	case FORM_LOAD2D: ok = mte_load2d_effect(chip, op, e, f); break;
	case FORM_LOADTR: ok = mte_loadtr_effect(chip, op, e, f); break;
	case FORM_LOADSP: ok = mte_loadsp_effect(chip, op, e, f); break;
	case FORM_LOAD3D: ok = mte_img2col_effect(chip, op, e, f); break;
	case FORM_LOAD3D1: ok = mte_img2col1_effect(chip, op, e, f); break;
	case FORM_FILL: ok = mte_fill_effect(chip, op, e, f); break;
	case FORM_TOBT:
	case FORM_TOFB: ok = mte_table_effect(chip, op, e, f); break;
	case FORM_CCUB: ok = mte_ccub_effect(chip, op, e, f); break;
	case FORM_BCAST: ok = mte_bcast_effect(chip, op, e, f); break;
	default: return op_fail(f, FAIL_INTERNAL, op, "no form of the data movement units");
	}
	if (!ok)
		return false;
	if (e->nop) {
		e->n_access = 0;
		e->gm.any = false;
		return true;
	}
	return effect_check(mem, op, e, f);
}

bool mte_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	if (e->nop)
		return true;
	switch (isa_table[op->insn].form) {
	case FORM_DMA: return mte_dma_value(mem, op, e, f);
	case FORM_DMAAL: return mte_align_value(mem, op, e, f);
	case FORM_ND2NZ: return mte_nd2nz_value(mem, op, e, f);
	case FORM_LOAD2D: return mte_load2d_value(mem, op, e, f);
	case FORM_LOADTR: return mte_loadtr_value(mem, op, e, f);
	case FORM_LOADSP: return mte_loadsp_value(mem, op, e, f);
	case FORM_LOAD3D: return mte_img2col_value(mem, op, e, f);
	case FORM_LOAD3D1: return mte_img2col1_value(mem, op, e, f);
	case FORM_FILL: return mte_fill_value(mem, op, e, f);
	case FORM_TOBT:
	case FORM_TOFB: return mte_table_value(mem, op, e, f);
	case FORM_CCUB: return mte_ccub_value(mem, op, e, f);
	case FORM_BCAST: return mte_bcast_value(mem, op, e, f);
	default: return op_fail(f, FAIL_INTERNAL, op, "no form of the data movement units");
	}
}
