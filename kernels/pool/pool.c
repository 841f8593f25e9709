/*
 * pool.c - maximum and average pooling of x[n, h, w, c] (NHWC, fp32) with windows of size x size and a stride, no
 * padding, and their gradients, on the vector cores of the 910B. A unit of work is a row of windows: `size` rows of x
 * come into UB, each pixel from a new block of 32 bytes on, and a row of results goes out. The gradients need stride
 * = size.
 */
#include "../vec.h"

struct pool_tiling {
	uint32_t n, h, w, c;
	uint32_t size, stride;
};

struct pool {
	__gm__ float *x, *y, *dy, *dx;
	uint32_t h, w, c, size, stride, ho, wo;
	uint32_t pixel;          /* elements from pixel to pixel in UB */
	uint32_t row, out_row;   /* elements of a row of x, of results, in UB */
	bool avg;
};

INLINE struct pool pool_of(__gm__ const struct pool_tiling *t, bool avg)
{
	struct pool p = { .h = t->h, .w = t->w, .c = t->c, .size = t->size, .stride = t->stride, .avg = avg };

	require(p.size && p.stride && p.size <= p.h && p.size <= p.w);
	p.ho = (p.h - p.size) / p.stride + 1;
	p.wo = (p.w - p.size) / p.stride + 1;
	p.pixel = round_up(p.c, 8);
	p.row = p.w * p.pixel;
	p.out_row = p.wo * p.pixel;
	require(p.w <= 4095);
	return p;
}

/* `pixels` pixels of a row between GM and UB. */
INLINE void load_pixels(const struct pool *p, uint32_t ub, __gm__ const float *gm, uint32_t pixels)
{
	copy_gm_to_ubuf_align_b32(ub_f32(ub), (__gm__ void *)gm, 0, (uint16_t)pixels, p->c * 4, 0, 0, 0, 0);
}

/*
 * A strip of up to 64 channels of all windows: dst, a and b step from window to window by their own number of pixels. A
 * repeat per window while the strides fit into eight bits, else an instruction per window.
 */
#define WINDOWS(insn, p, dst, dst_step, a, a_step, b, b_step)                                                          \
	do {                                                                                                           \
		uint32_t blocks_ = (p)->pixel / 8, d_ = (dst_step) * blocks_, s_ = (a_step) * blocks_, t_ = (b_step) * blocks_; \
		bool far_ = d_ > REPEAT_MAX || s_ > REPEAT_MAX || t_ > REPEAT_MAX;                                     \
		uint32_t most_ = far_ ? 1 : REPEAT_MAX;                                                                \
		for (uint32_t c_ = 0; c_ < (p)->pixel; c_ += LANES) {                                                  \
			mask_lanes(min_u32(LANES, (p)->pixel - c_));                                                   \
			for (uint32_t w_ = 0; w_ < (p)->wo; w_ += most_)                                               \
				insn(ub_f32(dst) + c_ + w_ * d_ * 8, ub_f32(a) + c_ + w_ * s_ * 8,                     \
				     ub_f32(b) + c_ + w_ * t_ * 8, (uint8_t)min_u32(most_, (p)->wo - w_), 1, 1, 1,     \
				     (uint8_t)(far_ ? 8 : d_), (uint8_t)(far_ ? 8 : s_), (uint8_t)(far_ ? 8 : t_));    \
		}                                                                                                      \
		mask_lanes(LANES);                                                                                     \
		pipe_barrier(PIPE_V);                                                                                  \
	} while (0)

/* ---- forward ---- */

INLINE void load_rows(const struct pool *p, uint32_t unit, uint32_t at)
{
	__gm__ const float *from = p->x + ((uint64_t)(unit / p->ho) * p->h + unit % p->ho * p->stride) * p->w * p->c;

	for (uint32_t r = 0; r < p->size; r++)
		load_pixels(p, at + r * p->row * 4, from + (uint64_t)r * p->w * p->c, p->w);
}

INLINE void pool_row(const struct pool *p, uint32_t x, uint32_t y)
{
	fill_f32(y, p->avg ? 0.0f : -__builtin_inff(), p->out_row);
	for (uint32_t i = 0; i < p->size * p->size; i++) {
		uint32_t from = x + (i / p->size * p->row + i % p->size * p->pixel) * 4;

		if (p->avg)
			WINDOWS(vadd, p, y, 1, from, p->stride, y, 1);
		else
			WINDOWS(vmax, p, y, 1, from, p->stride, y, 1);
	}
	if (p->avg) {
		count_lanes(p->out_row);
		V_SCALAR(vmuls, y, y, 1.0f / (float)(p->size * p->size));
		all_lanes();
	}
}

INLINE void pool(bool avg, __gm__ float *x, __gm__ float *y, __gm__ const struct pool_tiling *tiling)
{
	struct pool p = pool_of(tiling, avg);
	struct span own = span_of_block(tiling->n * p.ho);
	uint32_t in = p.size * p.row * 4, out = p.out_row * 4, outs = STAGES * in;

	p.x = x;
	p.y = y;
	require(STAGES * (in + out) <= UB_SIZE); /* two stages of `size` rows and of a row of results */
	if (!own.count)
		return;
	all_lanes();
	stages_free();
	for (uint32_t i = 0; i <= own.count; i++) {
		if (i < own.count) {
			wait_flag(PIPE_V, PIPE_MTE2, i % STAGES);
			load_rows(&p, own.first + i, i % STAGES * in);
			set_flag(PIPE_MTE2, PIPE_V, i % STAGES);
		}
		if (i == 0)
			continue;
		uint32_t stage = (i - 1) % STAGES, at = outs + stage * out;

		wait_flag(PIPE_MTE2, PIPE_V, stage);
		wait_flag(PIPE_MTE3, PIPE_V, stage);
		pool_row(&p, stage * in, at);
		set_flag(PIPE_V, PIPE_MTE2, stage);
		set_flag(PIPE_V, PIPE_MTE3, stage);
		wait_flag(PIPE_V, PIPE_MTE3, stage);
		store_bytes(p.y + (uint64_t)(own.first + i - 1) * p.wo * p.c, at, p.wo, p.c * 4, 0, 0);
		set_flag(PIPE_MTE3, PIPE_V, stage);
	}
	stages_drain();
}

/* ---- gradient ---- */

/*
 * The first element of a window that equals its maximum y gets the gradient. `free` is 1 while none had it. x == y as a
 * number: d = y - x is at least 2^-149 when they differ, so min(d * 2^100 * 2^100, 1) is 0 or 1.
 */
INLINE void max_grad(const struct pool *p, uint32_t x, uint32_t y, uint32_t dy, uint32_t dx, uint32_t free, uint32_t hit)
{
	fill_f32(free, 1.0f, p->out_row);
	for (uint32_t i = 0; i < p->size * p->size; i++) {
		uint32_t at = (i / p->size * p->row + i % p->size * p->pixel) * 4;

		WINDOWS(vsub, p, hit, 1, y, 1, x + at, p->stride);
		count_lanes(p->out_row);
		V_SCALAR(vmuls, hit, hit, 0x1p100f);
		V_SCALAR(vmuls, hit, hit, 0x1p100f);
		V_SCALAR(vmins, hit, hit, 1.0f);
		V_SCALAR(vmuls, hit, hit, -1.0f);
		V_SCALAR(vadds, hit, hit, 1.0f);
		V_BIN(vmul, hit, hit, free);
		V_BIN(vsub, free, free, hit);
		all_lanes();
		WINDOWS(vmul, p, dx + at, p->stride, hit, 1, dy, 1);
	}
}

INLINE void avg_grad(const struct pool *p, uint32_t dy, uint32_t dx, uint32_t part)
{
	count_lanes(p->out_row);
	V_SCALAR(vmuls, part, dy, 1.0f / (float)(p->size * p->size));
	all_lanes();
	for (uint32_t i = 0; i < p->size * p->size; i++) {
		uint32_t at = (i / p->size * p->row + i % p->size * p->pixel) * 4;

		WINDOWS(vmax, p, dx + at, p->stride, part, 1, part, 1);
	}
}

/* Rows of dx that no window reaches, behind the last one of each image, are zero: the unit of that window writes them. */
INLINE void zero_rest(const struct pool *p, uint32_t unit, uint32_t zero)
{
	uint32_t first = p->ho * p->stride;

	if (unit % p->ho != p->ho - 1)
		return;
	for (uint32_t r = first; r < p->h; r++)
		store_bytes(p->dx + ((uint64_t)(unit / p->ho) * p->h + r) * p->w * p->c, zero, p->w, p->c * 4, 0, 0);
}

INLINE void pool_grad(bool avg, __gm__ float *x, __gm__ float *dy, __gm__ float *dx,
		      __gm__ const struct pool_tiling *tiling)
{
	struct pool p = pool_of(tiling, avg);
	struct span own = span_of_block(tiling->n * p.ho);
	uint32_t rows = p.size * p.row * 4, out = p.out_row * 4;
	/* x, y, dy; dx; two work rows; a row of zeros */
	uint32_t ub_y = rows, ub_dy = ub_y + out, ub_dx = ub_dy + out, work = ub_dx + rows, zero = work + 2 * out;

	require(p.size == p.stride);
	require(zero + p.row * 4 <= UB_SIZE);
	p.x = x;
	if (!own.count)
		return;
	p.dx = dx;
	all_lanes();
	fill_f32(ub_dx, 0.0f, p.size * p.row); /* columns that no window reaches stay zero */
	fill_f32(zero, 0.0f, p.row);
	for (uint32_t i = 0; i < own.count; i++) {
		uint32_t unit = own.first + i, row = unit % p.ho * p.stride;
		__gm__ float *to = dx + ((uint64_t)(unit / p.ho) * p.h + row) * p.w * p.c;

		PIPE_AFTER(PIPE_V, PIPE_MTE2);
		if (!avg)
			load_rows(&p, unit, 0);
		load_pixels(&p, ub_dy, dy + (uint64_t)unit * p.wo * p.c, p.wo);
		PIPE_AFTER(PIPE_MTE2, PIPE_V);
		if (i > 0)
			wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
		if (!avg)
			pool_row(&p, 0, ub_y); /* computed again: cheaper than bringing it */
		if (avg)
			avg_grad(&p, ub_dy, ub_dx, work);
		else
			max_grad(&p, 0, ub_y, ub_dy, ub_dx, work, work + out);
		PIPE_AFTER(PIPE_V, PIPE_MTE3);
		for (uint32_t r = 0; r < p.size; r++)
			store_bytes(to + (uint64_t)r * p.w * p.c, ub_dx + r * p.row * 4, p.w, p.c * 4, 0, 0);
		zero_rest(&p, unit, zero);
		if (i + 1 < own.count)
			set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
	}
}

__global__ __aicore__ void max_pool(__gm__ float *x, __gm__ float *y, __gm__ struct pool_tiling *tiling)
{
	pool(false, x, y, tiling);
}

__global__ __aicore__ void avg_pool(__gm__ float *x, __gm__ float *y, __gm__ struct pool_tiling *tiling)
{
	pool(true, x, y, tiling);
}

__global__ __aicore__ void max_pool_grad(__gm__ float *x, __gm__ float *dy, __gm__ float *dx,
					 __gm__ struct pool_tiling *tiling)
{
	pool_grad(false, x, dy, dx, tiling);
}

__global__ __aicore__ void avg_pool_grad(__gm__ float *dy, __gm__ float *dx, __gm__ struct pool_tiling *tiling)
{
	pool_grad(true, NULL, dy, dx, tiling);
}
