/*
 * mte_img2col.c - img2colv2_cbuf_to_ca, _cb, _ub (load3d): a window of the implicit im2col matrix of a feature map NC1HWC0
 * in L1 becomes fractals. Row m of the matrix is an output position, column k a channel block, kernel point and channel.
 * Facts: hardware.md 3.5; L0B receives the transposed window as ZN fractals (addendum).
 */
#include "mte.h"

#include <inttypes.h>
#include <string.h>

struct img2col {
	enum isa_space space;
	unsigned bits;
	uint32_t c0;                       /* elements of 32 bytes */
	uint32_t w, h, left, right, top, bottom;
	uint32_t stride_w, stride_h, filter_w, filter_h, dil_w, dil_h;
	uint32_t c1, wo, ho;               /* channel blocks; output positions */
	uint32_t k_pos, k_ext, m_pos, m_ext;
	uint32_t times, m_step, k_step;    /* repeats (set_l3d_rpt), what each moves the window on by */
	bool across;                       /* the window is written transposed */
	uint64_t bound;                    /* L1 addresses wrap here, 0: never */
};

static bool img2col_row(const struct op *op, struct img2col *p)
{
	switch (op->insn) {
	case INSN_img2colv2_cbuf_to_ca: p->space = SPACE_L0A; break;
	case INSN_img2colv2_cbuf_to_ca_s4: p->space = SPACE_L0A; p->bits = 4; return true;
	case INSN_img2colv2_cbuf_to_cb: p->space = SPACE_L0B; break;
	case INSN_img2colv2_cbuf_to_ub: p->space = SPACE_UB; break;
	default: return false;
	}
	p->bits = isa_type_bits(isa_operand_type(op->insn, op->variant, 0));
	return p->bits == 8 || p->bits == 16 || p->bits == 32;
}

static bool img2col_of(const struct op *op, struct img2col *p)
{
	uint64_t k = op->x[2], c = op->x[3], map = img2colf_fmatrix_sel(c) ? op->spr.fmatrix_b : op->spr.fmatrix;

	*p = (struct img2col){ .w = (uint32_t)fmatrix_w(map), .h = (uint32_t)fmatrix_h(map),
			       .left = (uint32_t)fmatrix_pad_left(map), .right = (uint32_t)fmatrix_pad_right(map),
			       .top = (uint32_t)fmatrix_pad_top(map), .bottom = (uint32_t)fmatrix_pad_bottom(map),
			       .stride_w = (uint32_t)img2colf_stride_w(c), .stride_h = (uint32_t)img2colf_stride_h(c),
			       .filter_w = (uint32_t)img2colf_filter_w(c), .filter_h = (uint32_t)img2colf_filter_h(c),
			       .dil_w = (uint32_t)img2colf_dilation_w(c), .dil_h = (uint32_t)img2colf_dilation_h(c),
			       .k_pos = (uint32_t)img2colk_k_pos(k), .k_ext = (uint32_t)img2colk_k_ext(k),
			       .m_pos = (uint32_t)img2colk_m_pos(k), .m_ext = (uint32_t)img2colk_m_ext(k),
			       .bound = op->spr.l3d_size };
	if (!img2col_row(op, p))
		return false;
	p->c0 = 256 / p->bits;
	p->c1 = (uint32_t)mte_ceil_div(img2colf_channels(c), p->c0);
	/* repeats move the window by 16 rows or by one channel block each stride; a register that was never set is one */
	uint64_t rpt = op->spr.l3d_rpt, step = l3drpt_stride(rpt);
	p->times = l3drpt_times(rpt) ? (uint32_t)l3drpt_times(rpt) : 1;
	p->m_step = l3drpt_mode(rpt) ? 0 : (uint32_t)step * 16;
	p->k_step = l3drpt_mode(rpt) ? (uint32_t)step * p->c0 : 0;
	p->across = p->space == SPACE_L0B || (p->space == SPACE_L0A && img2colf_transpose(c));
	return true;
}

/* Output positions along one side; 0 when the kernel does not fit. */
static uint32_t positions(uint32_t size, uint32_t before, uint32_t after, uint32_t filter, uint32_t dil,
	uint32_t stride)
{
	int64_t room = (int64_t)size + before + after - (int64_t)dil * (filter - 1) - 1;

	return room < 0 ? 0 : (uint32_t)(room / stride + 1);
}

static bool img2col_limits(const struct op *op, struct img2col *p, struct fail *f)
{
	uint64_t channels = img2colf_channels(op->x[3]), rpt = op->spr.l3d_rpt;
	uint64_t m_last = p->m_pos + (uint64_t)(p->times - 1) * p->m_step;

	if (!p->w || !p->h || p->w > 32767 || p->h > 32767)
		return op_fail(f, FAIL_KERNEL, op, "feature map of %u x %u is outside 1..32767 (set_fmatrix)", p->w,
			p->h);
	if (!p->stride_w || !p->stride_h || !p->filter_w || !p->filter_h || !p->dil_w || !p->dil_h)
		return op_fail(f, FAIL_KERNEL, op, "stride %u x %u, filter %u x %u, dilation %u x %u: none may be 0",
			p->stride_w,
			       p->stride_h, p->filter_w, p->filter_h, p->dil_w, p->dil_h);
	if (channels == 0 || channels % p->c0)
		return op_fail(f, FAIL_MODEL, op,
			"%" PRIu64 " channels are no multiple of %u: how they are packed is not public",
			       channels, p->c0);
	if (rpt & ~UINT64_C(0x1ffffff))
		return op_fail(f, FAIL_MODEL, op, "set_l3d_rpt with destination strides, which this level's pages do not "
			"describe");
	if (m_last + p->m_ext > UINT32_MAX / 2 || p->k_pos + (uint64_t)(p->times - 1) * p->k_step + p->k_ext > UINT32_MAX / 2)
		return op_fail(f, FAIL_KERNEL, op, "repeats leave the matrix");
	if (p->k_pos % p->c0 || p->m_pos % 16)
		return op_fail(f, FAIL_KERNEL, op, "window starts at (%u, %u), no multiple of (16, %u)", p->m_pos,
			p->k_pos, p->c0);
	if (p->across && p->bits < 16 && p->space == SPACE_L0A)
		return op_fail(f, FAIL_KERNEL, op, "transposes elements of 2 and 4 bytes only");
	p->wo = positions(p->w, p->left, p->right, p->filter_w, p->dil_w, p->stride_w);
	p->ho = positions(p->h, p->top, p->bottom, p->filter_h, p->dil_h, p->stride_h);
	if (!p->wo || !p->ho)
		return op_fail(f, FAIL_KERNEL, op, "the filter does not fit into the padded feature map");
	return mte_aligned(op, "destination", p->space, op->x[0], p->space == SPACE_UB ? MTE_BLOCK : MTE_FRACTAL, f) &&
	       mte_aligned(op, "source", SPACE_L1, op->x[1], MTE_BLOCK, f);
}

/* Fractals written: rows of fractals x fractals in a row, in the destination's own order. */
static void fractals(const struct img2col *p, uint32_t *outer, uint32_t *inner)
{
	uint32_t k0 = p->c0, across_k = (uint32_t)mte_ceil_div(mte_round_up(p->m_ext, 16), k0);

	*outer = (uint32_t)mte_ceil_div(p->m_ext, 16);
	*inner = (uint32_t)mte_ceil_div(p->k_ext, k0);
	if (!p->across)
		return;
	*outer = p->space == SPACE_L0B ? across_k : (uint32_t)mte_ceil_div(p->k_ext, 16);
	*inner = p->space == SPACE_L0B ? (uint32_t)mte_ceil_div(p->k_ext, 16) : across_k;
}

/* Smallest run of rows of the feature map that the window may touch; false when it lies in the padding. */
static bool rows_touched(const struct img2col *p, uint32_t *low, uint32_t *high)
{
	uint32_t last = p->m_pos + p->m_ext - 1, end = p->wo * p->ho - 1;

	if (p->m_pos > end)
		return false;
	int64_t first = (int64_t)(p->m_pos / p->wo) * p->stride_h - p->top;
	int64_t to = (int64_t)((last < end ? last : end) / p->wo) * p->stride_h - p->top;
	to += (int64_t)(p->filter_h - 1) * p->dil_h;
	if (to < 0 || first >= p->h)
		return false;
	*low = first < 0 ? 0 : (uint32_t)first;
	*high = to >= p->h ? p->h - 1 : (uint32_t)to;
	return true;
}

static void add_source(const struct op *op, const struct img2col *p, struct effect *e)
{
	uint32_t per_c1 = p->filter_h * p->filter_w * p->c0, c_first = p->k_pos / per_c1;
	uint32_t c_last = (p->k_pos + p->k_ext - 1) / per_c1, low, high;
	uint64_t row = (uint64_t)p->w * MTE_BLOCK, plane = row * p->h;

	if (c_last >= p->c1)
		c_last = p->c1 - 1;
	if (c_first >= p->c1 || !rows_touched(p, &low, &high))
		return;
	uint64_t first = op->x[1] + c_first * plane + low * row, end = op->x[1] + c_last * plane + (high + 1) * row;
	if (p->bound && end > p->bound)
		effect_add(e, SPACE_L1, false, 0, (uint32_t)p->bound, 1, 0, 1, 0, 1, 0);
	else
		effect_add(e, SPACE_L1, false, first, (uint32_t)((high - low + 1) * row), c_last - c_first + 1,
			(int64_t)plane, 1,
			   0, 1, 0);
}

/* Turns into the next output row within the 16 windows of each row of fractals of one repeat. */
static uint32_t turns_of(const struct img2col *p)
{
	uint32_t turns = 0, end = p->wo * p->ho - 1;

	for (uint32_t m = p->m_pos; m < p->m_pos + p->m_ext && m <= end; m += 16)
		turns += (m + 15 < end ? m + 15 : end) / p->wo - m / p->wo;
	return turns;
}

bool mte_img2col_effect(const struct chip *chip, const struct op *op, struct effect *e, struct fail *f)
{
	struct img2col p;
	uint32_t outer, inner;

	(void)chip;
	if (!img2col_of(op, &p))
		return op_fail(f, FAIL_MODEL, op, "this form of img2col is not modelled");
	e->nop = p.m_ext == 0 || p.k_ext == 0;
	if (e->nop)
		return true;
	if (!img2col_limits(op, &p, f))
		return false;
	fractals(&p, &outer, &inner);
	uint32_t bytes = outer * inner * MTE_FRACTAL;
	struct img2col all = p; /* one window around those of all repeats, in whole fractals */
	uint32_t most = p.c0 > 16 ? p.c0 : 16;
	all.m_ext = (uint32_t)mte_round_up(p.m_ext, p.across ? most : 16) + (p.times - 1) * p.m_step;
	all.k_ext = (uint32_t)mte_round_up(p.k_ext, p.across ? most : p.c0) + (p.times - 1) * p.k_step;
	add_source(op, &all, e);
	effect_add(e, p.space, true, op->x[0], bytes, p.times, bytes, 1, 0, 1, 0);
	e->repeats = outer * inner * p.times;
	e->bytes = (uint64_t)bytes * p.times;
	e->elem_bytes = p.bits < 8 ? 1 : p.bits / 8;
	e->map_stride = p.stride_w;
	uint32_t rows = (uint32_t)mte_ceil_div(p.m_ext, 16), columns = outer * inner / rows;
	for (uint32_t r = 0; r < p.times; r++, p.m_pos += p.m_step)
		e->row_turns += turns_of(&p) * columns;
	return true;
}

/* The 32 bytes of row m, columns k .. k + c0 - 1: from the map, the padding value, or zeros beyond the matrix. */
static void block_of(const struct core_mem *mem, const struct op *op, const struct img2col *p, uint32_t m, uint32_t k,
		     uint8_t block[MTE_BLOCK])
{
	uint32_t point = k / p->c0, kw = point % p->filter_w, kh = point / p->filter_w % p->filter_h;
	uint32_t c1 = point / p->filter_w / p->filter_h;
	uint64_t pad = op->spr.padding;

	memset(block, 0, MTE_BLOCK);
	if (m >= p->wo * p->ho || c1 >= p->c1)
		return;
	int64_t h = (int64_t)(m / p->wo) * p->stride_h - p->top + (int64_t)kh * p->dil_h;
	int64_t w = (int64_t)(m % p->wo) * p->stride_w - p->left + (int64_t)kw * p->dil_w;
	if (h < 0 || h >= p->h || w < 0 || w >= p->w) {
		unsigned elem = p->bits < 8 ? 1 : p->bits / 8;
		if (p->bits == 4)
			pad = (pad & 15) * 17;
		for (unsigned i = 0; i < MTE_BLOCK; i += elem)
			memcpy(block + i, &pad, elem);
		return;
	}
	uint64_t at = op->x[1] + (((uint64_t)c1 * p->h + (uint64_t)h) * p->w + (uint64_t)w) * MTE_BLOCK;
	if (p->bound)
		at %= p->bound;
	memcpy(block, mte_local(mem, SPACE_L1, at), MTE_BLOCK);
}

/* Element index of (row m, column k) of the window when it is written transposed. */
static uint64_t across_index(const struct img2col *p, uint32_t inner, uint32_t m, uint32_t k)
{
	uint64_t fractal = p->space == SPACE_L0B ? (uint64_t)(m / p->c0) * inner + k / 16
						 : (uint64_t)(k / 16) * inner + m / p->c0;

	return (fractal * 16 + k % 16) * p->c0 + m % p->c0;
}

static void put_window(struct core_mem *mem, const struct op *op, const struct img2col *p, uint8_t *to, uint32_t inner)
{
	uint32_t m_end = (uint32_t)mte_round_up(p->m_ext, 16), k_end = (uint32_t)mte_round_up(p->k_ext, p->c0);
	uint32_t elem = p->bits / 8;
	uint8_t block[MTE_BLOCK];

	for (uint32_t m = 0; m < m_end; m++)
		for (uint32_t k = 0; k < k_end; k += p->c0) {
			block_of(mem, op, p, p->m_pos + m, p->k_pos + k, block);
			if (!p->across) {
				uint64_t fractal = (uint64_t)(m / 16) * inner + k / p->c0;
				memcpy(to + fractal * MTE_FRACTAL + m % 16 * MTE_BLOCK, block, MTE_BLOCK);
				continue;
			}
			for (uint32_t i = 0; i < p->c0 && (k + i) / 16 < mte_ceil_div(p->k_ext, 16); i++)
				memcpy(to + across_index(p, inner, m, k + i) * elem, block + i * elem, elem);
		}
}

bool mte_img2col_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	struct img2col p;
	uint32_t outer, inner;

	(void)e;
	if (!img2col_of(op, &p) || !img2col_limits(op, &p, f))
		return false;
	fractals(&p, &outer, &inner);
	uint8_t *to = mte_local(mem, p.space, op->x[0]);
	memset(to, 0, (size_t)outer * inner * MTE_FRACTAL * p.times);
	for (uint32_t r = 0; r < p.times; r++, p.m_pos += p.m_step, p.k_pos += p.k_step)
		put_window(mem, op, &p, to + (size_t)r * outer * inner * MTE_FRACTAL, inner);
	return true;
}
