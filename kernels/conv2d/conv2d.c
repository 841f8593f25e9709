/*
 * conv2d.c - two-dimensional convolution by img2col on the cube cores of the 910B, fp16 operands, NHWC maps: forward,
 * gradient to the input, gradient to the weights.
 *
 * A map [h,w,c] comes into L1 as [c/16][h w][16] (nd2nz of its pixels), which is what img2col reads. Weights are a
 * matrix [c/16 kh kw 16, co], rows in the order of img2col's columns, channels padded to 16. Work is cut into bands
 * of output rows of one image: only the rows of the map that a band sees are loaded.
 *
 *   forward     y[p, co] = img2col(x)[p, k] * w[k, co]
 *   to input    the same on dy, its pixels set `stride` apart among zeros, with w turned round: fractals of w as they stand
 *               in L1 are just those of the turned matrix, picked in another order
 *   to weights  dw[k, co] += img2col(x)^T[k, p] * dy[p, co]: img2col transposes into L0A; shares of the bands are added to
 *               dw atomically
 */
#include "../tile.h"

struct conv_tiling {
	uint32_t n, h, w, c, co;       /* of x; channels of y */
	uint32_t kh, kw, stride, pad;
	uint32_t band;                 /* output rows (of the pass) per unit of work */
	uint32_t base_m, base_n, base_k; /* multiples of 16 */
};

enum { FRACTAL_BYTES = 512, STAGES = 2 };
enum { L1_WEIGHTS = 0, L1_WEIGHTS_SIZE = 0x40000, L1_MAP = 0x40000, L1_MAP_STAGE = 0x20000, L0_STAGE = 0x8000,
       L0C_SIZE = 0x20000 };

/* The convolution that a pass does: map [h, w, c] seen with its pixels `grow` apart, padded, to [oh, ow, co]. */
struct conv {
	__gm__ half *x, *w;
	__gm__ void *y;
	bool turned;              /* weights turned round: gradient to the input */
	uint32_t n, h, w_, c, co;
	uint32_t grow, vh, vw;    /* the map as img2col sees it */
	uint32_t kh, kw, stride, top, left, right;
	uint32_t oh, ow;
	uint32_t band, bands, base_m, base_n, base_k;
	uint32_t c1, k1;          /* blocks of 16 channels; fractals along K */
};

/* A band: output rows, and which rows of the map are in L1. */
struct band {
	uint32_t image, row, rows;
	uint32_t lo, map_rows, top, bottom;
};

INLINE int32_t clip(int32_t v, int32_t low, int32_t high) { return v < low ? low : v > high ? high : v; }

INLINE struct band band_at(const struct conv *c, uint32_t unit)
{
	struct band b = { .image = unit / c->bands, .row = unit % c->bands * c->band };
	int32_t first, last, lo, hi;

	b.rows = min_u32(c->band, c->oh - b.row);
	first = (int32_t)(b.row * c->stride) - (int32_t)c->top;
	last = first + (int32_t)((b.rows - 1) * c->stride + c->kh - 1);
	lo = clip(first, 0, (int32_t)c->vh - 1);
	hi = clip(last, 0, (int32_t)c->vh - 1);
	b.lo = (uint32_t)lo;
	b.map_rows = (uint32_t)(hi - lo + 1);
	b.top = (uint32_t)(lo > first ? lo - first : 0);
	b.bottom = (uint32_t)(last > hi ? last - hi : 0);
	return b;
}

/* Beyond the map on one side only: one row of it is loaded all the same, and must lie outside of all windows. */
INLINE bool band_sees_map(const struct conv *c, const struct band *b)
{
	return b->top < (b->rows - 1) * c->stride + c->kh && b->bottom < (b->rows - 1) * c->stride + c->kh;
}

INLINE void zero_l1(uint32_t at, uint32_t blocks)
{
	create_cbuf_matrix((__cbuf__ uint32_t *)(uintptr_t)at, (uint64_t)1 | (uint64_t)blocks << 16, (uint32_t)0);
	pipe_barrier(PIPE_MTE2);
}

INLINE void load_map(const struct conv *c, const struct band *b, uint32_t l1)
{
	uint32_t pixels = b->map_rows * c->vw;
	__gm__ half *from = c->x + (uint64_t)b->image * c->h * c->w_ * c->c;

	limit(c->c1 * pixels * 32 <= L1_MAP_STAGE && pixels <= 16384,
	      "the rows of the map that a band sees fit into 128 KB of L1 and have at most 16384 pixels: a smaller `band` helps");
	if (c->grow == 1 && band_sees_map(c, b)) {
		copy_gm_to_cbuf_multi_nd2nz_b16((__cbuf__ half *)(uintptr_t)l1, from + (uint64_t)b->lo * c->w_ * c->c, 0, 1,
						pixels, c->c, 0, c->c, pixels, 1, 0);
		return;
	}
	zero_l1(l1, c->c1 * pixels);
	if (!band_sees_map(c, b))
		return;
	for (uint32_t r = ceil_div(b->lo, c->grow); r * c->grow < b->lo + b->map_rows; r++)
		copy_gm_to_cbuf_multi_nd2nz_b16((__cbuf__ half *)(uintptr_t)(l1 + (r * c->grow - b->lo) * c->vw * 32),
						from + (uint64_t)r * c->w_ * c->c, 0, 1, c->w_, c->c, 0, c->c, pixels,
							c->grow,
						0);
}

#define WEIGHTS_FIT "weights of `base_n` output channels fit into 256 KB of L1, in at most 16384 rows: a smaller `base_n` helps"

/* Weights of output channels [first, first + cols). Turned: rows of w, as many as 16-channel blocks need, all columns. */
INLINE void load_weights(const struct conv *c, uint32_t first, uint32_t cols)
{
	__cbuf__ half *dst = (__cbuf__ half *)(uintptr_t)L1_WEIGHTS;
	uint32_t points = c->kh * c->kw;

	if (c->turned) {
		uint32_t rows = ceil_div(cols, 16) * points * 16;

		limit(rows * round_up(c->c, 16) * 2 <= L1_WEIGHTS_SIZE && rows <= 16384, WEIGHTS_FIT);
		copy_gm_to_cbuf_multi_nd2nz_b16(dst, c->w + (uint64_t)first * points * c->c, 0, 1, rows, c->c, 0, c->c,
						rows, 1,
						0);
	} else {
		uint32_t rows = c->k1 * 16;

		limit(rows * round_up(cols, 16) * 2 <= L1_WEIGHTS_SIZE && rows <= 16384, WEIGHTS_FIT);
		copy_gm_to_cbuf_multi_nd2nz_b16(dst, c->w + first, 0, 1, rows, cols, 0, c->co, rows, 1, 0);
	}
}

INLINE void map_size(const struct conv *c, const struct band *b)
{
	set_fmatrix(c->vw | (uint64_t)b->map_rows << 16 | (uint64_t)c->left << 32 | (uint64_t)c->right << 40 |
		    (uint64_t)b->top << 48 | (uint64_t)b->bottom << 56);
}

INLINE void window_to_a(const struct conv *c, uint32_t l0, uint32_t l1, uint32_t m, uint32_t m_ext, uint32_t k,
			uint32_t k_ext,
			bool transpose)
{
	img2colv2_cbuf_to_ca((__ca__ half *)(uintptr_t)l0, (__cbuf__ half *)(uintptr_t)l1, (uint16_t)k_ext, (uint16_t)m_ext,
			     (uint16_t)k, (uint16_t)m, (uint8_t)c->stride, (uint8_t)c->stride, (uint8_t)c->kw,
			     	(uint8_t)c->kh, 1,
			     1, false, false, transpose, false, (uint16_t)(c->c1 * 16));
}

/* Fractals [first_k1, first_k1 + k1) of the weights in L1, all n1 of their chunk, to ZN in L0B. */
INLINE void weights_to_b(const struct conv *c, uint32_t l0, uint32_t first_k1, uint32_t k1, uint32_t n1)
{
	__cb__ half *dst = (__cb__ half *)(uintptr_t)l0;
	uint32_t points = c->kh * c->kw;

	for (uint32_t i = 0; i < k1; i++, dst += n1 * FRACTAL_BYTES / 2) {
		uint32_t k = first_k1 + i;

		if (c->turned) { /* [co/16][c/16 kh kw] of fractals with c down, co across */
			uint32_t from = k / points * n1 * points + (points - 1 - k % points);

			load_cbuf_to_cb(dst, (__cbuf__ half *)(uintptr_t)(L1_WEIGHTS + from * FRACTAL_BYTES), 0, (uint8_t)n1,
					(uint16_t)points, 0, 0, false, inc);
		} else {
			load_cbuf_to_cb(dst, (__cbuf__ half *)(uintptr_t)(L1_WEIGHTS + k * FRACTAL_BYTES), 0, (uint8_t)n1,
					(uint16_t)c->k1, 0, 0, true, inc);
		}
	}
}

INLINE void multiply(const struct conv *c, uint32_t l0c, uint32_t l1, uint32_t m, uint32_t m_ext, uint32_t cols,
		     uint32_t *l0_steps)
{
	uint32_t n1 = ceil_div(cols, 16), k_all = c->k1 * 16;

	for (uint32_t k = 0; k < k_all; k += c->base_k) {
		uint32_t depth = min_u32(c->base_k, k_all - k), stage = (*l0_steps)++ % STAGES, l0 = stage * L0_STAGE;

		wait_flag(PIPE_M, PIPE_MTE1, stage);
		window_to_a(c, l0, l1, m, m_ext, k, depth, false);
		weights_to_b(c, l0, k / 16, depth / 16, n1);
		set_flag(PIPE_MTE1, PIPE_M, stage);
		wait_flag(PIPE_MTE1, PIPE_M, stage);
		/* m = 1 would mean a matrix-vector product */
		mad((__cc__ float *)(uintptr_t)l0c, (__ca__ half *)(uintptr_t)l0, (__cb__ half *)(uintptr_t)l0,
		    (uint16_t)(m_ext == 1 ? 16 : m_ext), (uint16_t)depth, (uint16_t)cols, 0, false, false, k == 0);
		set_flag(PIPE_M, PIPE_MTE1, stage);
		if (ceil_div(m_ext, 16) * n1 < 10)
			pipe_barrier(PIPE_M);
	}
}

INLINE void store(const struct conv *c, uint32_t l0c, uint64_t pixel, uint32_t m_ext, uint32_t first, uint32_t cols,
		  bool half_out)
{
	__cc__ float *src = (__cc__ float *)(uintptr_t)l0c;
	uint64_t at = pixel * c->co + first;
	uint16_t strip = (uint16_t)round_up(m_ext, 16);

	if (half_out)
		copy_matrix_cc_to_gm((__gm__ half *)c->y + at, src, 0, (uint16_t)cols, (uint16_t)m_ext, c->co, strip, 0,
				     F322F16, 0,
				     false, true);
	else
		copy_matrix_cc_to_gm((__gm__ float *)c->y + at, src, 0, (uint16_t)cols, (uint16_t)m_ext, c->co, strip, 0,
				     NoQuant, 0,
				     false, true);
}

INLINE void flags_free(uint32_t slots)
{
	for (uint32_t s = 0; s < STAGES; s++) {
		set_flag(PIPE_MTE1, PIPE_MTE2, s);
		set_flag(PIPE_M, PIPE_MTE1, s);
	}
	for (uint32_t s = 0; s < slots; s++)
		set_flag(PIPE_FIX, PIPE_M, s);
}

INLINE void flags_drain(uint32_t slots)
{
	for (uint32_t s = 0; s < STAGES; s++) {
		wait_flag(PIPE_MTE1, PIPE_MTE2, s);
		wait_flag(PIPE_M, PIPE_MTE1, s);
	}
	for (uint32_t s = 0; s < slots; s++)
		wait_flag(PIPE_FIX, PIPE_M, s);
}

INLINE void load_unit(const struct conv *c, uint32_t unit, uint32_t stage)
{
	struct band b = band_at(c, unit % (c->n * c->bands));

	wait_flag(PIPE_MTE1, PIPE_MTE2, stage);
	load_map(c, &b, L1_MAP + stage * L1_MAP_STAGE);
	set_flag(PIPE_MTE2, PIPE_MTE1, stage);
}

/* Units: bands of all images, for each chunk of base_n output channels, whose weights stay in L1. */
INLINE void convolve(const struct conv *c, bool half_out)
{
	uint32_t all = c->n * c->bands, slot_bytes = c->base_m * c->base_n * 4, slots = min_u32(L0C_SIZE / slot_bytes, 8);
	struct span own = span_of_block(all * ceil_div(c->co, c->base_n));
	uint32_t chunk = ~0u, l0_steps = 0, parts = 0;

	require(c->base_m % 16 == 0 && c->base_n % 16 == 0 && c->base_k % 16 == 0 && c->base_k && slots > 0);
	require(c->base_m * c->base_k * 2 <= L0_STAGE && c->base_n * c->base_k * 2 <= L0_STAGE);
	limit(c->right <= 255 && c->left <= 255, "a gradient's window reaches at most 255 pixels beyond the map");
	if (!own.count)
		return;
	set_nd_para(1);
	set_padding(0);
	flags_free(slots);
	load_unit(c, own.first, 0);
	for (uint32_t i = 0; i < own.count; i++) {
		uint32_t unit = own.first + i, first = unit / all * c->base_n, cols = min_u32(c->base_n, c->co - first);
		struct band b = band_at(c, unit % all);
		uint32_t positions = b.rows * c->ow;

		if (i + 1 < own.count)
			load_unit(c, unit + 1, (i + 1) % STAGES);
		if (unit / all != chunk) { /* the weights before are no longer read when MTE1 has done all before */
			chunk = unit / all;
			set_flag(PIPE_MTE1, PIPE_MTE2, 2);
			wait_flag(PIPE_MTE1, PIPE_MTE2, 2);
			load_weights(c, first, cols);
			set_flag(PIPE_MTE2, PIPE_MTE1, 2);
			wait_flag(PIPE_MTE2, PIPE_MTE1, 2);
		}
		map_size(c, &b);
		wait_flag(PIPE_MTE2, PIPE_MTE1, i % STAGES);
		for (uint32_t m = 0; m < positions; m += c->base_m, parts++) {
			uint32_t m_ext = min_u32(c->base_m, positions - m), slot = parts % slots, l0c = slot * slot_bytes;

			wait_flag(PIPE_FIX, PIPE_M, slot);
			multiply(c, l0c, L1_MAP + i % STAGES * L1_MAP_STAGE, m, m_ext, cols, &l0_steps);
			set_flag(PIPE_M, PIPE_FIX, slot);
			wait_flag(PIPE_M, PIPE_FIX, slot);
			store(c, l0c, ((uint64_t)b.image * c->oh + b.row) * c->ow + m, m_ext, first, cols, half_out);
			set_flag(PIPE_FIX, PIPE_M, slot);
		}
		set_flag(PIPE_MTE1, PIPE_MTE2, i % STAGES);
	}
	flags_drain(slots);
}

INLINE struct conv forward_of(__gm__ const struct conv_tiling *t, __gm__ half *x, __gm__ half *w, __gm__ void *y)
{
	struct conv c = { .x = x, .w = w, .y = y, .n = t->n, .h = t->h, .w_ = t->w, .c = t->c, .co = t->co, .grow = 1,
			  .vh = t->h, .vw = t->w, .kh = t->kh, .kw = t->kw, .stride = t->stride, .top = t->pad,
			  	.left = t->pad,
			  .right = t->pad, .band = t->band, .base_m = t->base_m, .base_n = t->base_n, .base_k = t->base_k };

	limit(t->stride && t->stride <= 63 && t->kh <= 255 && t->kw <= 255, "stride is 1 to 63, kh and kw at most 255");
	limit(t->pad < t->kh && t->pad < t->kw, "pad is less than kh and kw");
	limit(t->h + 2 * t->pad >= t->kh && t->w + 2 * t->pad >= t->kw, "the kernel is not larger than the padded map");
	c.oh = (t->h + 2 * t->pad - t->kh) / t->stride + 1;
	c.ow = (t->w + 2 * t->pad - t->kw) / t->stride + 1;
	c.band = min_u32(c.band, c.oh);
	require(c.band > 0);
	c.bands = ceil_div(c.oh, c.band);
	c.c1 = ceil_div(c.c, 16);
	c.k1 = c.c1 * c.kh * c.kw;
	return c;
}

__global__ __aicore__ void conv2d_f32(__gm__ half *x, __gm__ half *w, __gm__ float *y, __gm__ struct conv_tiling *tiling)
{
	struct conv c = forward_of(tiling, x, w, y);

	convolve(&c, false);
}

__global__ __aicore__ void conv2d_f16(__gm__ half *x, __gm__ half *w, __gm__ half *y, __gm__ struct conv_tiling *tiling)
{
	struct conv c = forward_of(tiling, x, w, y);

	convolve(&c, true);
}

/* dx = the transposed convolution of dy. */
__global__ __aicore__ void conv2d_grad_input(__gm__ half *dy, __gm__ half *w, __gm__ float *dx,
					     __gm__ struct conv_tiling *t)
{
	struct conv f = forward_of(t, dy, w, dx), c = f;

	c.turned = true;
	c.h = f.oh;
	c.w_ = f.ow;
	c.c = t->co;
	c.co = t->c;
	c.grow = t->stride;
	c.stride = 1;
	c.vh = (f.oh - 1) * t->stride + 1;
	c.vw = (f.ow - 1) * t->stride + 1;
	c.top = t->kh - 1 - t->pad;
	c.left = t->kw - 1 - t->pad;
	c.right = t->w + t->kw - 1 - c.vw - c.left;
	c.oh = t->h;
	c.ow = t->w;
	c.band = min_u32(t->band, c.oh);
	c.bands = ceil_div(c.oh, c.band);
	c.c1 = ceil_div(c.c, 16);
	c.k1 = c.c1 * c.kh * c.kw;
	convolve(&c, false);
}

/* ---- gradient to the weights ---- */

/* dy of a band, [positions, co] columns [first, first + cols), to NZ in L1 behind the map. */
enum { L1_MAP_SHARE = 0x10000 };

INLINE void load_pair(const struct conv *c, __gm__ half *dy, uint32_t unit, uint32_t first, uint32_t cols, uint32_t stage)
{
	struct band b = band_at(c, unit);
	uint32_t at = stage * L1_MAP_STAGE, positions = b.rows * c->ow;

	limit(c->c1 * b.map_rows * c->vw * 32 <= L1_MAP_SHARE && round_up(positions, 16) * round_up(cols, 16) * 2 <= L1_MAP_SHARE,
	      "a band's rows of x and its rows of dy take 64 KB of L1 each: a smaller `band` helps");
	wait_flag(PIPE_MTE1, PIPE_MTE2, stage);
	load_map(c, &b, at);
	copy_gm_to_cbuf_multi_nd2nz_b16((__cbuf__ half *)(uintptr_t)(at + L1_MAP_SHARE),
					dy + (((uint64_t)b.image * c->oh + b.row) * c->ow) * c->co + first, 0, 1, positions,
						cols, 0,
					c->co, round_up(positions, 16), 1, 0);
	set_flag(PIPE_MTE2, PIPE_MTE1, stage);
}

/* One band: rows [k, k + k_ext) of dw, all its positions. */
INLINE void gather(const struct conv *c, const struct band *b, uint32_t l1, uint32_t k, uint32_t k_ext, uint32_t cols,
		   bool start,
		   uint32_t *l0_steps)
{
	uint32_t positions = b->rows * c->ow, n1 = ceil_div(cols, 16), all_m1 = ceil_div(positions, 16);

	for (uint32_t m = 0; m < positions; m += c->base_k) {
		uint32_t depth = min_u32(c->base_k, positions - m), stage = (*l0_steps)++ % STAGES, l0 = stage * L0_STAGE;
		__cb__ half *dst = (__cb__ half *)(uintptr_t)l0;

		wait_flag(PIPE_M, PIPE_MTE1, stage);
		window_to_a(c, l0, l1, m, depth, k, k_ext, true);
		for (uint32_t i = 0; i < ceil_div(depth, 16); i++, dst += n1 * FRACTAL_BYTES / 2)
			load_cbuf_to_cb(dst, (__cbuf__ half *)(uintptr_t)(l1 + L1_MAP_SHARE + (m / 16 + i) * FRACTAL_BYTES),
					0,
					(uint8_t)n1, (uint16_t)all_m1, 0, 0, true, inc);
		set_flag(PIPE_MTE1, PIPE_M, stage);
		wait_flag(PIPE_MTE1, PIPE_M, stage);
		mad((__cc__ float *)0, (__ca__ half *)(uintptr_t)l0, (__cb__ half *)(uintptr_t)l0, (uint16_t)k_ext,
		    (uint16_t)depth,
		    (uint16_t)cols, 0, false, false, start && m == 0);
		set_flag(PIPE_M, PIPE_MTE1, stage);
		if (k_ext / 16 * n1 < 10)
			pipe_barrier(PIPE_M);
	}
}

/*
 * Work: tiles base_m x base_n of dw, each cut into as many shares of the bands as fill the blocks. dw is added to: zero
 * before the launch. Rows of channels that do not exist stay zero, as the map has zeros there.
 */
__global__ __aicore__ void conv2d_grad_weight(__gm__ half *x, __gm__ half *dy, __gm__ float *dw,
					      __gm__ struct conv_tiling *t)
{
	struct conv c = forward_of(t, x, NULL, dw);
	uint32_t all = c.n * c.bands, tiles_n = ceil_div(c.co, c.base_n), rows = c.k1 * 16;
	uint32_t tiles = ceil_div(rows, c.base_m) * tiles_n;
	uint32_t shares = min_u32(all, ceil_div((uint32_t)get_block_num(), tiles)), per_share = ceil_div(all, shares);
	uint32_t l0_steps = 0, loads = 0;

	require(c.base_m % 16 == 0 && c.base_n % 16 == 0 && c.base_k % 16 == 0 && c.base_k);
	require(c.base_m * c.base_k * 2 <= L0_STAGE && c.base_n * c.base_k * 2 <= L0_STAGE &&
		c.base_m * c.base_n * 4 <= L0C_SIZE);
	set_nd_para(1);
	set_padding(0);
	set_atomic_f32();
	set_atomic_add();
	flags_free(1);
	for (uint32_t job = (uint32_t)get_block_idx(); job < tiles * shares; job += (uint32_t)get_block_num()) {
		uint32_t tile = job % tiles, begin = job / tiles * per_share, end = min_u32(begin + per_share, all);
		uint32_t k = tile / tiles_n * c.base_m, k_ext = min_u32(c.base_m, rows - k);
		uint32_t first = tile % tiles_n * c.base_n, cols = min_u32(c.base_n, c.co - first);

		if (begin >= end)
			continue;
		load_pair(&c, dy, begin, first, cols, loads % STAGES);
		wait_flag(PIPE_FIX, PIPE_M, 0);
		for (uint32_t unit = begin; unit < end; unit++, loads++) {
			struct band b = band_at(&c, unit);

			if (unit + 1 < end)
				load_pair(&c, dy, unit + 1, first, cols, (loads + 1) % STAGES);
			map_size(&c, &b);
			wait_flag(PIPE_MTE2, PIPE_MTE1, loads % STAGES);
			gather(&c, &b, loads % STAGES * L1_MAP_STAGE, k, k_ext, cols, unit == begin, &l0_steps);
			set_flag(PIPE_MTE1, PIPE_MTE2, loads % STAGES);
		}
		set_flag(PIPE_M, PIPE_FIX, 0);
		wait_flag(PIPE_M, PIPE_FIX, 0);
		copy_matrix_cc_to_gm(dw + (uint64_t)k * c.co + first, (__cc__ float *)0, 0, (uint16_t)cols, (uint16_t)k_ext,
				     c.co,
				     (uint16_t)k_ext, 0, NoQuant, 0, false, true);
		set_flag(PIPE_FIX, PIPE_M, 0);
	}
	flags_drain(1);
	set_atomic_none();
}
