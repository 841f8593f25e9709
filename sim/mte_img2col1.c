/*
 * mte_img2col1.c - img2col_cbuf_to_ca, _cb, _ub (load3d, first version): every repeat makes one fractal, 16 windows by C0
 * channels of one point of the filter. Facts: hardware.md 3.5. Windows start at left_top and walk along W, then H; behind the
 * last window come zeros. Repeats walk over the filter's points, then channel blocks (mode 0), or over windows (mode 1).
 */
#include "mte.h"

#include <string.h>

struct load1 {
	enum isa_space space;
	unsigned elem;                  /* bytes */
	int w, h, left, right, bottom;  /* feature map, padding */
	int left_top_w, left_top_h, fetch_w, fetch_h, c1;
	int stride_w, stride_h, filter_w, filter_h, dil_w, dil_h;
	int n;                          /* repeats */
	int64_t jump;                   /* bytes from fractal to fractal */
	bool windows;                   /* repeats walk over windows */
};

/* A window's top left corner. */
struct window { int x, y; };

static struct load1 load1_of(const struct op *op)
{
	uint64_t p = op->x[2], c = op->x[3], map = op->spr.fmatrix;
	struct load1 l = { .space = SPACE_L0A, .w = (int)fmatrix_w(map), .h = (int)fmatrix_h(map),
			   .left = (int)fmatrix_pad_left(map), .right = (int)fmatrix_pad_right(map),
			   .bottom = (int)fmatrix_pad_bottom(map), .left_top_w = (int16_t)img1pos_left_top_w(p),
			   .left_top_h = (int16_t)img1pos_left_top_h(p), .fetch_w = (int)img1pos_fetch_w(p),
			   .fetch_h = (int)img1pos_fetch_h(p), .c1 = (int)img1pos_c1(p), .stride_w = (int)img1_stride_w(c),
			   .stride_h = (int)img1_stride_h(c), .filter_w = (int)img1_filter_w(c),
			   .filter_h = (int)img1_filter_h(c), .dil_w = (int)img1_dilation_w(c),
			   .dil_h = (int)img1_dilation_h(c), .n = (int)img1_repeat(c),
			   .jump = (int64_t)img1_jump_stride(c) * MTE_FRACTAL, .windows = img1_repeat_mode(c) };

	l.elem = isa_type_bits(isa_operand_type(op->insn, op->variant, 0)) / 8;
	if (op->insn == INSN_img2col_cbuf_to_cb)
		l.space = SPACE_L0B;
	else if (op->insn == INSN_img2col_cbuf_to_ub)
		l.space = SPACE_UB;
	return l;
}

static bool load1_limits(const struct op *op, const struct load1 *l, struct fail *f)
{
	uint64_t c = op->x[3];

	if (!mte_reserved(op, "position", op->x[2], UINT64_C(0x0fffffffffffffff), f) ||
	    !mte_reserved(op, "filter", c, UINT64_C(0xff1fffffffffffff), f))
		return false;
	if (img1_csize(c))
		return op_fail(f, FAIL_MODEL, op, "small channel blocks (csize 1): how they lie in a block is not public");
	if (!l->w || !l->h || l->w > 32767 || l->h > 32767)
		return op_fail(f, FAIL_KERNEL, op, "feature map of %d x %d is outside 1..32767 (set_fmatrix)", l->w, l->h);
	if (!l->stride_w || !l->stride_h || !l->filter_w || !l->filter_h || !l->dil_w || !l->dil_h)
		return op_fail(f, FAIL_KERNEL, op, "stride %d x %d, filter %d x %d, dilation %d x %d: none may be 0",
			l->stride_w,
			       l->stride_h, l->filter_w, l->filter_h, l->dil_w, l->dil_h);
	if (l->fetch_w >= l->filter_w || l->fetch_h >= l->filter_h)
		return op_fail(f, FAIL_KERNEL, op, "point (%d, %d) is outside the filter of %d x %d", l->fetch_w, l->fetch_h,
			       l->filter_w, l->filter_h);
	if (l->left_top_w < -255 || l->left_top_h < -255)
		return op_fail(f, FAIL_KERNEL, op, "the first window at (%d, %d) begins before -255", l->left_top_w,
			l->left_top_h);
	if (l->n > 1 && !l->jump)
		return op_fail(f, FAIL_KERNEL, op, "jump stride 0 (1..127 fractals)");
	return mte_aligned(op, "destination", l->space, op->x[0], l->space == SPACE_UB ? MTE_BLOCK : MTE_FRACTAL, f) &&
	       mte_aligned(op, "source", SPACE_L1, op->x[1], MTE_BLOCK, f);
}

static void step_window(const struct load1 *l, struct window *at)
{
	at->x += l->stride_w;
	if (at->x + (l->filter_w - 1) * l->dil_w >= l->w + l->right) {
		at->x = -l->left;
		at->y += l->stride_h;
	}
}

static bool inside_map(const struct load1 *l, const struct window *at)
{
	return at->y + (l->filter_h - 1) * l->dil_h < l->h + l->bottom;
}

static void add_source(const struct op *op, const struct load1 *l, struct effect *e)
{
	struct window at = { l->left_top_w, l->left_top_h };
	int points = l->filter_w * l->filter_h, c_last = l->c1, low = at.y + l->fetch_h * l->dil_h, high = low;

	for (int i = 0; i < 16 * (l->windows ? l->n : 1); i++, step_window(l, &at))
		if (inside_map(l, &at) && at.y + l->fetch_h * l->dil_h > high)
			high = at.y + l->fetch_h * l->dil_h;
	if (!l->windows) {
		int first = l->fetch_h * l->filter_w + l->fetch_w, last = first + l->n - 1;
		c_last += last / points;
		low += ((last >= points ? 0 : l->fetch_h) - l->fetch_h) * l->dil_h;
		high += ((last >= points ? l->filter_h - 1 : last / l->filter_w) - l->fetch_h) * l->dil_h;
	}
	low = low < 0 ? 0 : low;
	high = high >= l->h ? l->h - 1 : high;
	if (low > high)
		return;
	int64_t row = (int64_t)l->w * MTE_BLOCK, plane = row * l->h;
	effect_add(e, SPACE_L1, false, op->x[1] + (uint64_t)(l->c1 * plane + low * row), (uint32_t)((high - low + 1) * row),
		   (uint32_t)(c_last - l->c1 + 1), plane, 1, 0, 1, 0);
}

/* Turns into the next row within the fractals of all repeats. */
static uint32_t turns_of(const struct load1 *l)
{
	struct window at = { l->left_top_w, l->left_top_h };
	uint32_t turns = 0;

	for (int r = 0; r < (l->windows ? l->n : 1); r++)
		for (int i = 0; i < 16; i++) {
			int y = at.y;
			step_window(l, &at);
			turns += i < 15 && at.y != y;
		}
	return l->windows ? turns : turns * (uint32_t)l->n;
}

bool mte_img2col1_effect(const struct chip *chip, const struct op *op, struct effect *e, struct fail *f)
{
	struct load1 l = load1_of(op);

	(void)chip;
	e->nop = l.n == 0;
	if (e->nop)
		return true;
	if (!load1_limits(op, &l, f))
		return false;
	add_source(op, &l, e);
	effect_add(e, l.space, true, op->x[0], MTE_FRACTAL, (uint32_t)l.n, l.jump, 1, 0, 1, 0);
	e->repeats = (uint32_t)l.n;
	e->bytes = (uint64_t)l.n * MTE_FRACTAL;
	e->elem_bytes = l.elem;
	e->map_stride = (uint32_t)l.stride_w;
	e->row_turns = turns_of(&l);
	return true;
}

/* 32 bytes of one window and filter point. */
static void load_block(const struct core_mem *mem, const struct op *op, const struct load1 *l, const struct window *at,
		       uint8_t to[MTE_BLOCK])
{
	int h = at->y + l->fetch_h * l->dil_h, w = at->x + l->fetch_w * l->dil_w;

	memset(to, 0, MTE_BLOCK);
	if (!inside_map(l, at))
		return;
	if (h < 0 || h >= l->h || w < 0 || w >= l->w) {
		for (unsigned i = 0; i < MTE_BLOCK; i += l->elem)
			memcpy(to + i, &op->spr.padding, l->elem);
		return;
	}
	int64_t block = ((int64_t)l->c1 * l->h + h) * l->w + w;
	memcpy(to, mte_local(mem, SPACE_L1, op->x[1] + (uint64_t)block * MTE_BLOCK), MTE_BLOCK);
}

bool mte_img2col1_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	struct load1 l = load1_of(op);
	struct window start = { l.left_top_w, l.left_top_h };
	uint8_t block[MTE_BLOCK];

	(void)e;
	(void)f;
	for (int r = 0; r < l.n; r++) {
		uint8_t *to = mte_local(mem, l.space, op->x[0] + (uint64_t)(r * l.jump));
		struct window at = start;
		for (int i = 0; i < 16; i++, step_window(&l, &at)) {
			load_block(mem, op, &l, &at, block);
			if (l.space != SPACE_L0B) {
				memcpy(to + i * MTE_BLOCK, block, MTE_BLOCK);
				continue;
			}
			for (int k = 0; k < 16; k++) /* ZN: channels are columns */
				memcpy(to + k * MTE_BLOCK + 2 * i, block + 2 * k, 2);
		}
		if (l.windows) {
			start = at;
		} else if (++l.fetch_w == l.filter_w) {
			l.fetch_w = 0;
			if (++l.fetch_h == l.filter_h) {
				l.fetch_h = 0;
				l.c1++;
			}
		}
	}
	return true;
}
