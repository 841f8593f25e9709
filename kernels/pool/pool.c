/*
 * pool.c - maximum and average pooling of x[n, h, w, c] (NHWC, fp32) with windows of size x size and any stride, no
 * padding, and their gradients, on the vector cores of the 910B and the fused cores of the 910 and 310P. A unit of work is a
 * row of windows, all channels or as many as fit: `size` rows of x come into UB, each pixel from a new block of 32 bytes on,
 * and a row of results goes out.
 */
#include "../rows.h"

struct pool_tiling {
	uint32_t n, h, w, c;
	uint32_t size, stride;
};

struct pool {
	__gm__ float *x, *y, *dy, *dx;
	uint32_t n, h, w, c, size, stride, ho, wo;
	uint32_t chunk, chunks;  /* channels of a unit */
	bool avg;
};

/* A row of windows, a chunk of channels. */
struct unit {
	uint32_t image, row, first, c; /* channels [first, first + c) */
	uint32_t pixel;                /* elements from pixel to pixel in UB */
	uint32_t line, out_line;       /* elements of a row of x, of results, in UB */
};

INLINE struct pool pool_of(__gm__ const struct pool_tiling *t, bool avg)
{
	struct pool p = { .n = t->n, .h = t->h, .w = t->w, .c = t->c, .size = t->size, .stride = t->stride, .avg = avg };

	limit(p.size && p.stride && p.c, "size, stride and c are at least 1");
	limit(p.size <= p.h && p.size <= p.w, "size is at most h and w");
	p.ho = (p.h - p.size) / p.stride + 1;
	p.wo = (p.w - p.size) / p.stride + 1;
	return p;
}

/* As many channels as fit beside each other when UB holds `pixels` pixels; whole blocks. */
INLINE void cut_channels(struct pool *p, uint64_t pixels)
{
	uint32_t most = (uint32_t)(ROWS_UB_SIZE / (pixels * 32)) * 8;

	limit(most > 0, "a unit's rows of pixels, 32 bytes each, fit into UB: 2 (size w + wo) of them, or 2 size w + w + 4 wo "
			"for a gradient");
#if __NPU_ARCH__ == 2201
	p->chunk = min_u32(most, p->c);
	p->chunks = ceil_div(p->c, p->chunk);
#else
	/* the last chunk may be up to 7 channels longer rather than shorter than a copy */
	p->chunk = round_up(p->c, 8) <= most ? p->c : most - 8;
	limit(p->chunk > 0 && p->w <= 255,
	      "on the fused cores rows of pixels fit into UB with 16 channels, and w is at most 255");
	p->chunks = p->chunk == p->c ? 1 : p->c / p->chunk + (p->c % p->chunk >= 8);
#endif
}

/* Elements of UB that a pixel takes at most. */
INLINE uint32_t pixel_most(const struct pool *p)
{
	return COPIES_BYTES || p->chunks == 1 ? round_up(p->chunk, 8) : p->chunk + 8;
}

INLINE struct unit unit_at(const struct pool *p, uint32_t i)
{
	struct unit u = { .image = i / p->chunks / p->ho, .row = i / p->chunks % p->ho, .first = i % p->chunks * p->chunk };

	u.c = COPIES_BYTES || i % p->chunks + 1 < p->chunks ? min_u32(p->chunk, p->c - u.first) : p->c - u.first;
	u.pixel = round_up(u.c, 8);
	u.line = p->w * u.pixel;
	u.out_line = p->wo * u.pixel;
	return u;
}

/* `pixels` pixels of a row between GM and UB; `all`: elements of the tensor from gm to its end. */
INLINE void load_pixels(const struct pool *p, const struct unit *u, uint32_t ub, __gm__ const float *gm, uint32_t pixels,
			uint64_t all)
{
#if __NPU_ARCH__ == 2201
	copy_gm_to_ubuf_align_b32(ub_f32(ub), (__gm__ void *)(gm + u->first), 0, (uint16_t)pixels, u->c * 4, 0, 0,
				  (p->c - u->c) * 4, 0);
	(void)all;
#else
	rows_in(ub, gm + u->first, pixels, u->c * 4, p->c * 4, u->pixel * 4, (all - u->first) * 4, 4);
#endif
}

INLINE void store_pixels(const struct pool *p, const struct unit *u, __gm__ float *gm, uint32_t ub, uint32_t pixels,
			 uint32_t stage)
{
#if __NPU_ARCH__ == 2201
	store_bytes(gm + u->first, ub, pixels, u->c * 4, 0, (p->c - u->c) * 4);
	(void)stage;
#else
	rows_out(gm + u->first, ub, pixels, u->c * 4, p->c * 4, u->pixel * 4, 4, stage, 0);
#endif
}

/*
 * The block's share of units, whose results are `row` elements of an image's `image`. Where copies are whole units of 32 bytes
 * no block writes into a cache line of another: whole images, when rows are no whole lines.
 */
INLINE struct span pool_share(const struct pool *p, uint32_t row, uint32_t image)
{
	uint32_t rows = p->n * p->ho * p->chunks, unit = 1;
	struct span own;

	if (COPIES_BYTES)
		return span_of_block(rows);
	if (row % 16 || image % 16) {
		while (unit * image % 16)
			unit *= 2;
		unit *= p->ho * p->chunks;
	} else if (p->c % 16) {
		unit = p->chunks;
	}
	own = span_of_block(rows / unit);
	own.first *= unit;
	own.count = own.count * unit + (own.last ? rows % unit : 0);
	return own;
}

/* Row `row` of image u->image, of maps of `rows` rows of `pixels` pixels. */
INLINE uint64_t line_at(const struct pool *p, const struct unit *u, uint32_t row, uint32_t rows, uint32_t pixels)
{
	return ((uint64_t)u->image * rows + row) * pixels * p->c;
}

/*
 * A strip of up to 64 channels of all windows: dst, a and b step from window to window by their own number of pixels. A
 * repeat per window while the strides fit into eight bits, else an instruction per window.
 */
#define WINDOWS(insn, p, u, dst, dst_step, a, a_step, b, b_step)                                                       \
	do {                                                                                                           \
		uint32_t blocks_ = (u)->pixel / 8, d_ = (dst_step) * blocks_, s_ = (a_step) * blocks_, t_ = (b_step) * blocks_; \
		bool far_ = d_ > REPEAT_MAX || s_ > REPEAT_MAX || t_ > REPEAT_MAX;                                     \
		uint32_t most_ = far_ ? 1 : REPEAT_MAX;                                                                \
		for (uint32_t c_ = 0; c_ < (u)->pixel; c_ += LANES) {                                                  \
			mask_lanes(min_u32(LANES, (u)->pixel - c_));                                                   \
			for (uint32_t w_ = 0; w_ < (p)->wo; w_ += most_)                                               \
				insn(ub_f32(dst) + c_ + w_ * d_ * 8, ub_f32(a) + c_ + w_ * s_ * 8,                     \
				     ub_f32(b) + c_ + w_ * t_ * 8, (uint8_t)min_u32(most_, (p)->wo - w_), 1, 1, 1,     \
				     (uint8_t)(far_ ? 8 : d_), (uint8_t)(far_ ? 8 : s_), (uint8_t)(far_ ? 8 : t_));    \
		}                                                                                                      \
		mask_lanes(LANES);                                                                                     \
		pipe_barrier(PIPE_V);                                                                                  \
	} while (0)

/* ---- forward ---- */

/* A row of x; a copy per pixel leaves out what is between the windows of a large stride. */
INLINE void load_line(const struct pool *p, const struct unit *u, uint32_t ub, __gm__ const float *gm, uint64_t all)
{
	if (COPIES_BYTES || p->stride <= p->size) {
		load_pixels(p, u, ub, gm, p->w, all);
		return;
	}
	for (uint32_t i = 0; i < p->wo; i++) {
		uint64_t at = (uint64_t)i * p->stride;

		load_pixels(p, u, ub + (uint32_t)at * u->pixel * 4, gm + at * p->c, p->size, all - at * p->c);
	}
}

/* The rows of x of u's windows. */
INLINE void load_rows(const struct pool *p, const struct unit *u, uint32_t at)
{
	uint64_t from = line_at(p, u, u->row * p->stride, p->h, p->w), line = (uint64_t)p->w * p->c, all = p->n * p->h * line;

	for (uint32_t r = 0; r < p->size; r++, from += line)
		load_line(p, u, at + r * u->line * 4, p->x + from, all - from);
}

INLINE void pool_row(const struct pool *p, const struct unit *u, uint32_t x, uint32_t y)
{
	fill_f32(y, fold_least(p->avg ? FOLD_SUM : FOLD_MAX), u->out_line);
	for (uint32_t i = 0; i < p->size * p->size; i++) {
		uint32_t from = x + (i / p->size * u->line + i % p->size * u->pixel) * 4;

		if (p->avg)
			WINDOWS(vadd, p, u, y, 1, from, p->stride, y, 1);
		else
			WINDOWS(vmax, p, u, y, 1, from, p->stride, y, 1);
	}
	if (p->avg) {
		count_lanes(u->out_line);
		V_SCALAR(vmuls, y, y, 1.0f / (float)(p->size * p->size));
		all_lanes();
	}
}

INLINE void pool(bool avg, __gm__ float *x, __gm__ float *y, __gm__ const struct pool_tiling *tiling)
{
	struct pool p = pool_of(tiling, avg);
	uint32_t in, out, outs;
	struct span own;

	p.x = x;
	p.y = y;
	cut_channels(&p, STAGES * ((uint64_t)p.size * p.w + p.wo)); /* two stages of rows and of a row of results */
	in = p.size * p.w * pixel_most(&p) * 4;
	out = p.wo * pixel_most(&p) * 4;
	outs = STAGES * in;
	own = pool_share(&p, p.wo * p.c, p.ho * p.wo * p.c);
	if (!own.count)
		return;
	all_lanes();
	stages_free();
	for (uint32_t i = 0; i <= own.count; i++) {
		if (i < own.count) {
			struct unit u = unit_at(&p, own.first + i);

			wait_flag(PIPE_V, PIPE_MTE2, i % STAGES);
			load_rows(&p, &u, i % STAGES * in);
			set_flag(PIPE_MTE2, PIPE_V, i % STAGES);
		}
		if (i == 0)
			continue;
		uint32_t stage = (i - 1) % STAGES, at = outs + stage * out;
		struct unit u = unit_at(&p, own.first + i - 1);

		wait_flag(PIPE_MTE2, PIPE_V, stage);
		wait_flag(PIPE_MTE3, PIPE_V, stage);
		pool_row(&p, &u, stage * in, at);
		set_flag(PIPE_V, PIPE_MTE2, stage);
		set_flag(PIPE_V, PIPE_MTE3, stage);
		wait_flag(PIPE_V, PIPE_MTE3, stage);
		store_pixels(&p, &u, p.y + line_at(&p, &u, u.row, p.ho, p.wo), at, p.wo, stage);
		set_flag(PIPE_MTE3, PIPE_V, stage);
	}
	stages_drain();
}

/* ---- gradient ---- */

/*
 * A unit of dx is the rows from the first of a row of windows to the next one's; the last unit of an image goes on to its
 * end. With stride < size the windows of `rows_before` rows of windows above reach into it: they are loaded and their
 * maxima found again, and each adds its part. No row of dx has two writers.
 */
struct grad {
	struct pool p;
	uint32_t rows_before;
	bool shared;                    /* elements of dx belong to several windows: add */
	uint32_t x, y, dy, dx, work, hit, zero, one; /* UB */
};

/* Rows of u's part of dx that windows reach, from the buffer; all its rows. */
INLINE uint32_t own_rows(const struct pool *p, const struct unit *u)
{
	return u->row + 1 == p->ho ? p->size : min_u32(p->size, p->stride);
}

/* The 910 has the smaller of two vectors alone: `one` is a block of ones. */
#if __NPU_ARCH__ == 2201
#define V_AT_MOST_ONE(y, one) V_SCALAR(vmins, y, y, 1.0f)
#else
#define V_AT_MOST_ONE(y, one) V_BIN_ALL(vmin, y, y, one)
#endif

/*
 * The first element of a window that equals its maximum y gets the gradient. `free` is 1 while none had it. x == y as a
 * number: d = y - x is at least 2^-149 when they differ, so min(d * 2^100 * 2^100, 1) is 0 or 1. Row `row` of the window is
 * row row - above of dx.
 */
INLINE void max_grad(const struct grad *g, const struct unit *u, uint32_t above, uint32_t rows)
{
	const struct pool *p = &g->p;
	uint32_t free = g->work, hit = g->hit;

	uint32_t last = min_u32(p->size, above + rows) * p->size - 1;

	fill_f32(free, 1.0f, u->out_line);
	for (uint32_t i = 0; i <= last; i++) {
		uint32_t row = i / p->size, col = i % p->size * u->pixel * 4;

		WINDOWS(vsub, p, u, hit, 1, g->y, 1, g->x + row * u->line * 4 + col, p->stride);
		count_lanes(u->out_line);
		V_SCALAR(vmuls, hit, hit, 0x1p100f);
		V_SCALAR(vmuls, hit, hit, 0x1p100f);
		V_AT_MOST_ONE(hit, g->one);
		V_SCALAR(vmuls, hit, hit, -1.0f);
		V_SCALAR(vadds, hit, hit, 1.0f);
		V_BIN(vmul, hit, hit, free);
		if (i < last)
			V_BIN(vsub, free, free, hit);
		if (g->shared && row >= above)
			V_BIN(vmul, hit, hit, g->dy);
		all_lanes();
		if (row < above)
			continue;
		uint32_t to = g->dx + (row - above) * u->line * 4 + col;

		if (g->shared)
			WINDOWS(vadd, p, u, to, p->stride, to, p->stride, hit, 1);
		else
			WINDOWS(vmul, p, u, to, p->stride, hit, 1, g->dy, 1);
	}
}

INLINE void avg_grad(const struct grad *g, const struct unit *u, uint32_t above, uint32_t rows)
{
	const struct pool *p = &g->p;
	uint32_t part = g->work;

	count_lanes(u->out_line);
	V_SCALAR(vmuls, part, g->dy, 1.0f / (float)(p->size * p->size));
	all_lanes();
	for (uint32_t i = above * p->size; i < min_u32(p->size, above + rows) * p->size; i++) {
		uint32_t to = g->dx + ((i / p->size - above) * u->line + i % p->size * u->pixel) * 4;

		if (g->shared)
			WINDOWS(vadd, p, u, to, p->stride, to, p->stride, part, 1);
		else
			WINDOWS(vmax, p, u, to, p->stride, part, 1, part, 1);
	}
}

/* What the windows of row v add to the part of dx that starts at the windows of row u, `rows` rows of it. */
INLINE void grad_of_row(const struct grad *g, const struct unit *u, const struct unit *v, uint32_t rows)
{
	const struct pool *p = &g->p;
	uint32_t above = (u->row - v->row) * p->stride;
	uint64_t from = line_at(p, v, v->row, p->ho, p->wo);

	PIPE_AFTER(PIPE_V, PIPE_MTE2);
	if (!p->avg)
		load_rows(p, v, g->x);
	load_pixels(p, v, g->dy, p->dy + from, p->wo, (uint64_t)p->n * p->ho * p->wo * p->c - from);
	PIPE_AFTER(PIPE_MTE2, PIPE_V);
	if (p->avg) {
		avg_grad(g, v, above, rows);
		return;
	}
	pool_row(p, v, g->x, g->y); /* computed again: cheaper than bringing it */
	max_grad(g, v, above, rows);
}

/* Rows of u's part of dx from the buffer, and zeros where no window is: between the windows of a large stride, at the end. */
INLINE void store_grad(const struct grad *g, const struct unit *u, uint32_t rows)
{
	const struct pool *p = &g->p;
	uint32_t first = u->row * p->stride, all = u->row + 1 == p->ho ? p->h - first : p->stride;
	__gm__ float *to = p->dx + line_at(p, u, first, p->h, p->w);

	for (uint32_t r = 0; r < all; r++) {
		store_pixels(p, u, to + (uint64_t)r * p->w * p->c, r < rows ? g->dx + r * u->line * 4 : g->zero, p->w, 0);
		if (!COPIES_BYTES)
			PIPE_AFTER(PIPE_MTE3, PIPE_S); /* the ends of rows have one place */
	}
}

INLINE void pool_grad(bool avg, __gm__ float *x, __gm__ float *dy, __gm__ float *dx,
		      __gm__ const struct pool_tiling *tiling)
{
	struct grad g = { .p = pool_of(tiling, avg) };
	struct pool *p = &g.p;
	uint32_t pixel, out;
	struct span own;

	p->x = x;
	p->dy = dy;
	p->dx = dx;
	g.shared = p->stride < p->size;
	g.rows_before = (p->size - 1) / p->stride;
	/* x and dx; a row of zeros; y, dy, two work rows */
	cut_channels(p, 2 * (uint64_t)p->size * p->w + p->w + 4 * (uint64_t)p->wo);
	pixel = pixel_most(p) * 4;
	out = p->wo * pixel;
	g.y = p->size * p->w * pixel;
	g.dy = g.y + out;
	g.dx = g.dy + out;
	g.work = g.dx + p->size * p->w * pixel;
	g.hit = g.work + out;
	g.zero = g.hit + out;
	g.one = edge_end();
	own = pool_share(p, p->stride * p->w * p->c, p->h * p->w * p->c);
	if (!own.count)
		return;
	all_lanes();
	fill_f32(g.dx, 0.0f, p->size * p->w * pixel / 4); /* columns that no window reaches stay zero */
	fill_f32(g.zero, 0.0f, p->w * pixel / 4);
	if (!COPIES_BYTES)
		fill_f32(g.one, 1.0f, 8);
	for (uint32_t i = 0; i < own.count; i++) {
		struct unit u = unit_at(p, own.first + i);
		uint32_t rows = own_rows(p, &u);

		if (i > 0)
			wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
		if (i > 0 && (g.shared || p->chunks > 1))
			fill_f32(g.dx, 0.0f, p->size * u.line);
		for (uint32_t k = min_u32(g.rows_before, u.row) + 1; k-- > 0;) {
			struct unit v = u;

			v.row = u.row - k;
			grad_of_row(&g, &u, &v, rows);
		}
		PIPE_AFTER(PIPE_V, PIPE_MTE3);
		store_grad(&g, &u, rows);
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
