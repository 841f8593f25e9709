/*
 * mte_dma.c - block copies (n_burst x len_burst with gaps) between GM, UB and L1, byte-exact copies between GM and UB, and
 * the loads of the bias table and the fixpipe buffer. Facts: hardware.md 3.6.
 */
#include "mte.h"
#include "num.h"

#include <inttypes.h>
#include <string.h>

struct route { enum isa_space dst, src; };

static struct route dma_route(unsigned insn)
{
	switch (insn) {
	case INSN_copy_gm_to_ubuf: return (struct route){ SPACE_UB, SPACE_GM };
	case INSN_copy_gm_to_cbuf: return (struct route){ SPACE_L1, SPACE_GM };
	case INSN_copy_ubuf_to_gm: return (struct route){ SPACE_GM, SPACE_UB };
	case INSN_copy_cbuf_to_gm: return (struct route){ SPACE_GM, SPACE_L1 };
	case INSN_copy_ubuf_to_cbuf: return (struct route){ SPACE_L1, SPACE_UB };
	case INSN_copy_cbuf_to_ubuf: return (struct route){ SPACE_UB, SPACE_L1 };
	case INSN_copy_ubuf_to_ubuf: return (struct route){ SPACE_UB, SPACE_UB };
	default: return (struct route){ SPACE_NONE, SPACE_NONE };
	}
}

static bool burst_limit(const struct chip *chip, const struct op *op, uint64_t n_burst, struct fail *f)
{
	if (n_burst <= (uint64_t)chip->gm.dma_max_burst)
		return true;
	return op_fail(f, FAIL_KERNEL, op, "%" PRIu64 " bursts, but %s allows %" PRId64, n_burst, chip->name,
		       chip->gm.dma_max_burst);
}

/* A write to GM: the atomic setting, and what the memory system sees. */
static bool gm_write(const struct chip *chip, const struct op *op, enum isa_space from, struct effect *e,
		     struct access *dst, uint64_t addr, uint64_t n, uint64_t bytes, int64_t pitch, struct fail *f)
{
	struct mte_atomic a;

	if (!mte_atomic_check(chip, op, from, bytes, &a, f))
		return false;
	mte_gm_transfer(e, true, addr, n, bytes, pitch);
	e->gm.atomic = dst->atomic = a.type != TYPE_NONE;
	return true;
}

/* Pad modes 1..5 of copy_gm_to_cbuf: every burst is one block in L1, made of 1, 2, 4, 8 or 16 bytes that follow each other
 * in GM and the value of set_padding behind them: its low byte in mode 1, its low 2 bytes in the others (public intrinsic
 * page). */
static bool pad_effect(const struct chip *chip, const struct op *op, struct effect *e, struct fail *f)
{
	uint64_t w = op->x[3], n = dma_n_burst(w), mode = op->x[2], piece = UINT64_C(1) << ((mode - 1) & 15);

	if (mode > 5)
		return op_fail(f, mode > 8 ? FAIL_KERNEL : FAIL_MODEL, op, "pad mode %" PRIu64 " %s", mode,
			       mode > 8 ? "does not exist (0..8)" : "is not modelled: public sources differ about modes 6 to 8");
	if (dma_len_burst(w) != 1 || dma_src_gap(w))
		return op_fail(f, FAIL_KERNEL, op, "pad mode %" PRIu64 " needs bursts of 1 and a source gap of 0, not %" PRIu64
			       " and %" PRIu64, mode, dma_len_burst(w), dma_src_gap(w));
	if (!burst_limit(chip, op, n, f) || !mte_aligned(op, "destination", SPACE_L1, op->x[0], MTE_BLOCK, f))
		return false;
	e->nop = n == 0;
	if (e->nop)
		return true;
	effect_add(e, SPACE_GM, false, op->x[1], (uint32_t)piece, (uint32_t)n, (int64_t)piece, 1, 0, 1, 0);
	effect_add(e, SPACE_L1, true, op->x[0], MTE_BLOCK, (uint32_t)n, (int64_t)((1 + dma_dst_gap(w)) * MTE_BLOCK), 1, 0, 1, 0);
	e->bytes = n * MTE_BLOCK;
	mte_gm_transfer(e, false, op->x[1], 1, n * piece, (int64_t)(n * piece));
	return true;
}

static void pad_block(const struct op *op, uint8_t to[MTE_BLOCK], const uint8_t *from, uint32_t piece)
{
	uint8_t low = (uint8_t)op->spr.padding, high = op->x[2] == 1 ? low : (uint8_t)(op->spr.padding >> 8);

	memcpy(to, from, piece);
	for (uint32_t i = piece; i < MTE_BLOCK; i++)
		to[i] = i % 2 ? high : low;
}

bool mte_dma_effect(const struct chip *chip, const struct op *op, struct effect *e, struct fail *f)
{
	uint64_t w = op->x[3], n = dma_n_burst(w), bytes = dma_len_burst(w) * MTE_BLOCK;
	int64_t src_pitch = (int64_t)(bytes + dma_src_gap(w) * MTE_BLOCK);
	int64_t dst_pitch = (int64_t)(bytes + dma_dst_gap(w) * MTE_BLOCK);
	struct route r = dma_route(op->insn);

	if (r.dst == SPACE_NONE)
		return op_fail(f, FAIL_MODEL, op, "this block copy is not modelled");
	if (op->insn == INSN_copy_gm_to_cbuf && op->x[2] != 0)
		return pad_effect(chip, op, e, f);
	if (!burst_limit(chip, op, n, f) || !mte_aligned(op, "destination", r.dst, op->x[0], MTE_BLOCK, f) ||
	    !mte_aligned(op, "source", r.src, op->x[1], MTE_BLOCK, f))
		return false;
	e->nop = n == 0 || bytes == 0;
	if (e->nop)
		return true;
	effect_add(e, r.src, false, op->x[1], (uint32_t)bytes, (uint32_t)n, src_pitch, 1, 0, 1, 0);
	struct access *dst = effect_add(e, r.dst, true, op->x[0], (uint32_t)bytes, (uint32_t)n, dst_pitch, 1, 0, 1, 0);
	e->bytes = n * bytes;
	if (r.src == SPACE_GM)
		mte_gm_transfer(e, false, op->x[1], n, bytes, src_pitch);
	if (r.dst == SPACE_GM)
		return gm_write(chip, op, r.src, e, dst, op->x[0], n, bytes, dst_pitch, f);
	return true;
}

static bool lost(const struct op *op, struct fail *f)
{
	return op_fail(f, FAIL_INTERNAL, op, "GM bytes that were checked are gone");
}

bool mte_dma_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	const struct access *s = &e->access[0], *d = &e->access[1];
	struct mte_window sw = mte_window_open(mem, s), dw = mte_window_open(mem, d);
	struct mte_atomic a = d->atomic ? mte_atomic_of(op) : (struct mte_atomic){ 0 };

	for (uint32_t i = 0; i < s->n[0]; i++) {
		uint8_t *from = mte_at(mem, &sw, s, s->addr + (uint64_t)(i * s->stride[0]), s->unit_bytes);
		uint8_t *to = mte_at(mem, &dw, d, d->addr + (uint64_t)(i * d->stride[0]), d->unit_bytes);
		if (!from || !to)
			return lost(op, f);
		if (a.type != TYPE_NONE)
			mte_store(&a, to, from, s->unit_bytes);
		else if (d->unit_bytes != s->unit_bytes)
			pad_block(op, to, from, s->unit_bytes);
		else
			memmove(to, from, s->unit_bytes);
	}
	return true;
}

/* copy_gm_to_ubuf_align_*, copy_ubuf_to_gm_align_*: a row in UB is left padding, the burst, right padding, rounded up to
 * 32 bytes. */
struct align {
	bool in;                          /* GM to UB */
	uint64_t n, len, row;             /* bursts; bytes in GM; bytes in UB, rounded */
	uint64_t left, right;             /* bytes of padding */
	uint64_t elem;                    /* bytes */
	int64_t src_pitch, dst_pitch;
};

static bool align_words(const struct op *op, struct align *p)
{
	uint64_t w = op->x[3], gaps = op->x[2];

	switch (op->insn) {
	case INSN_copy_gm_to_ubuf_align_b8: *p = (struct align){ .in = true, .elem = 1 }; break;
	case INSN_copy_gm_to_ubuf_align_b16: *p = (struct align){ .in = true, .elem = 2 }; break;
	case INSN_copy_gm_to_ubuf_align_b32: *p = (struct align){ .in = true, .elem = 4 }; break;
	case INSN_copy_ubuf_to_gm_align_b8: *p = (struct align){ .elem = 1 }; break;
	case INSN_copy_ubuf_to_gm_align_b16: *p = (struct align){ .elem = 2 }; break;
	case INSN_copy_ubuf_to_gm_align_b32: *p = (struct align){ .elem = 4 }; break;
	default: return false;
	}
	p->n = dmaal_n_burst(w);
	p->len = dmaal_len_burst(w);
	p->left = dmaal_left_pad(w) * p->elem;
	p->right = dmaal_right_pad(w) * p->elem;
	p->row = mte_round_up(p->left + p->len + p->right, MTE_BLOCK);
	p->src_pitch = (int64_t)(p->in ? p->len + dmaalgap_src_gap(gaps) : p->row + dmaalgap_src_gap(gaps) * MTE_BLOCK);
	p->dst_pitch = (int64_t)(p->in ? p->row + dmaalgap_dst_gap(gaps) * MTE_BLOCK : p->len + dmaalgap_dst_gap(gaps));
	return true;
}

static bool align_limits(const struct chip *chip, const struct op *op, const struct align *p, struct fail *f)
{
	if (!burst_limit(chip, op, p->n, f) ||
	    !mte_reserved(op, "burst", op->x[3], UINT64_C(0x0fff001fffffffff), f))
		return false;
	if (p->left > MTE_BLOCK || p->right > MTE_BLOCK)
		return op_fail(f, FAIL_KERNEL, op,
			"padding of %" PRIu64 " bytes left and %" PRIu64 " right, but at most 32 each",
			       p->left, p->right);
	if (!p->in && (p->left || p->right))
		return op_fail(f, FAIL_KERNEL, op, "padding has no meaning on the way from UB to GM");
	if (p->len % p->elem)
		return op_fail(f, FAIL_KERNEL, op,
			"bursts of %" PRIu64 " bytes are no whole elements of %" PRIu64 " bytes",
			       p->len, p->elem);
	return mte_aligned(op, p->in ? "destination" : "source", SPACE_UB, op->x[p->in ? 0 : 1], MTE_BLOCK, f);
}

bool mte_align_effect(const struct chip *chip, const struct op *op, struct effect *e, struct fail *f)
{
	struct align p;

	if (!align_words(op, &p))
		return op_fail(f, FAIL_MODEL, op, "this byte-exact copy is not modelled");
	if (!align_limits(chip, op, &p, f))
		return false;
	e->nop = p.n == 0 || p.len == 0;
	if (e->nop)
		return true;
	effect_add(e, p.in ? SPACE_GM : SPACE_UB, false, op->x[1], (uint32_t)p.len, (uint32_t)p.n, p.src_pitch, 1, 0, 1,
		0);
	struct access *dst = effect_add(e, p.in ? SPACE_UB : SPACE_GM, true, op->x[0], (uint32_t)(p.in ? p.row : p.len),
					(uint32_t)p.n, p.dst_pitch, 1, 0, 1, 0);
	e->bytes = p.n * p.len;
	e->elem_bytes = (uint32_t)p.elem;
	if (!p.in)
		return gm_write(chip, op, SPACE_UB, e, dst, op->x[0], p.n, p.len, p.dst_pitch, f);
	mte_gm_transfer(e, false, op->x[1], p.n, p.len, p.src_pitch);
	return true;
}

static void fill_elems(uint8_t *to, uint64_t bytes, const uint8_t *elem, uint64_t elem_bytes)
{
	for (uint64_t i = 0; i < bytes; i += elem_bytes)
		memcpy(to + i, elem, elem_bytes);
}

/* One row in UB. With padding, everything around the burst is the pad value; without, the tail up to the next 32 bytes
 * repeats the row's first element. */
static void align_row(const struct op *op, const struct align *p, uint8_t *to, const uint8_t *from)
{
	uint64_t pad = op->spr.mov_pad_val, tail = p->left + p->len;
	uint8_t elem[8];

	memcpy(elem, &pad, sizeof(elem));
	if (!p->left && !p->right)
		memcpy(elem, from, p->elem);
	fill_elems(to, p->left, elem, p->elem);
	memcpy(to + p->left, from, p->len);
	fill_elems(to + tail, p->row - tail, elem, p->elem);
}

bool mte_align_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	const struct access *s = &e->access[0], *d = &e->access[1];
	struct mte_window sw = mte_window_open(mem, s), dw = mte_window_open(mem, d);
	struct mte_atomic a = d->atomic ? mte_atomic_of(op) : (struct mte_atomic){ 0 };
	struct align p;

	if (!align_words(op, &p))
		return lost(op, f);
	for (uint32_t i = 0; i < s->n[0]; i++) {
		uint8_t *from = mte_at(mem, &sw, s, s->addr + (uint64_t)(i * s->stride[0]), s->unit_bytes);
		uint8_t *to = mte_at(mem, &dw, d, d->addr + (uint64_t)(i * d->stride[0]), d->unit_bytes);
		if (!from || !to)
			return lost(op, f);
		if (p.in)
			align_row(op, &p, to, from);
		else
			mte_store(&a, to, from, p.len);
	}
	return true;
}

/* copy_cbuf_to_bt: bursts of 64 bytes in L1, with conversion from f16 to f32 twice that in BT. copy_cbuf_to_fbuf: bursts
 * of 128 bytes. Gaps count 32 bytes in L1 and one burst unit in the table. x[2] of copy_cbuf_to_bt is conv_control. */
static bool table_converts(const struct op *op) { return op->insn == INSN_copy_cbuf_to_bt && op->x[2] == 1; }

bool mte_table_effect(const struct chip *chip, const struct op *op, struct effect *e, struct fail *f)
{
	bool bt = isa_table[op->insn].form == FORM_TOBT;
	uint64_t w = op->x[3], n = dma_n_burst(w), unit = bt ? 64 : 128, bytes = dma_len_burst(w) * unit;
	uint64_t out = table_converts(op) ? 2 * bytes : bytes;
	enum isa_space space = bt ? SPACE_BT : SPACE_FB;

	if (bt && op->x[2] > 1)
		return op_fail(f, FAIL_KERNEL, op, "conversion control %" PRIu64 " is neither 0 nor 1 (f16 to f32)",
			op->x[2]);
	if (!burst_limit(chip, op, n, f) || !mte_aligned(op, "destination", space, op->x[0], unit, f) ||
	    !mte_aligned(op, "source", SPACE_L1, op->x[1], MTE_BLOCK, f))
		return false;
	e->nop = n == 0 || bytes == 0;
	if (e->nop)
		return true;
	effect_add(e, SPACE_L1, false, op->x[1], (uint32_t)bytes, (uint32_t)n,
		   (int64_t)(bytes + dma_src_gap(w) * MTE_BLOCK), 1, 0, 1, 0);
	effect_add(e, space, true, op->x[0], (uint32_t)out, (uint32_t)n, (int64_t)(out + dma_dst_gap(w) * unit), 1, 0,
		1, 0);
	e->bytes = n * bytes;
	return true;
}

bool mte_table_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	const struct access *s = &e->access[0], *d = &e->access[1];

	(void)f;
	for (uint32_t i = 0; i < s->n[0]; i++) {
		const uint8_t *from = mte_local(mem, s->space, s->addr + (uint64_t)(i * s->stride[0]));
		uint8_t *to = mte_local(mem, d->space, d->addr + (uint64_t)(i * d->stride[0]));
		if (!table_converts(op)) {
			memcpy(to, from, s->unit_bytes);
			continue;
		}
		for (uint32_t j = 0; j < s->unit_bytes / 2; j++) {
			uint16_t h;
			memcpy(&h, from + 2 * j, 2);
			float v = num_from_f16(h);
			memcpy(to + 4 * j, &v, 4);
		}
	}
	return true;
}
