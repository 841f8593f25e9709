/*
 * quantize.c - q = s8(round(x * inverse_scale) + zero), saturated, and back, x = (q - zero) * scale; n elements, one
 * scale for all, fp32 or fp16 against s8, on the vector cores of the 910B and the fused cores of the 910 and
 * 310P.
 */
#include "../vec.h"

struct quantize_tiling {
	uint32_t n, tile; /* elements; tile a multiple of 64 */
};

struct quantize {
	bool back;
	enum elem elem;
	float scale, zero;
	uint32_t tile;
};

/* Nearest even. The fused cores round on the way to s32 alone, which saturates what fp32 has beyond. */
INLINE void whole_numbers(uint32_t a)
{
#if __NPU_ARCH__ == 2201
	vconv_f322f32r(ub_f32(a), ub_f32(a), 1, 1, 1, 8, 8);
#else
	vconv_f322s32r(ub_s32(a), ub_f32(a), 1, 1, 1, 8, 8);
	pipe_barrier(PIPE_V);
	vconv_s322f32(ub_f32(a), ub_s32(a), 1, 1, 1, 8, 8);
#endif
	pipe_barrier(PIPE_V);
}

INLINE void quantize_tile(const void *context, const struct stream_tile *t)
{
	const struct quantize *q = context;
	uint32_t a = t->work, b = a + q->tile * 4;

	if (q->back) {
		uint32_t y = f32_place(t->out[0], a, q->elem);

		vconv_s82f16(ub_f16(b), ub_s8(t->in[0]), 1, 1, 1, 8, 4);
		pipe_barrier(PIPE_V);
		vconv_f162f32(ub_f32(a), ub_f16(b), 1, 1, 1, 8, 4);
		pipe_barrier(PIPE_V);
		V_SCALAR(vadds, a, a, -q->zero);
		V_SCALAR(vmuls, y, a, q->scale);
		if (q->elem != E_F32)
			from_f32(t->out[0], y, q->elem);
		return;
	}
	V_SCALAR(vmuls, a, to_f32(a, t->in[0], q->elem), q->scale);
	/* whole numbers in the range of s8 pass fp16 unchanged: one rounding, here */
	whole_numbers(a);
	V_SCALAR(vadds, a, a, q->zero);
	clamp(a, a, -128.0f, 127.0f, b, t->n);
	from_f32(b, a, E_F16);
	vconv_f162s8(ub_s8(t->out[0]), ub_f16(b), 1, 1, 1, 4, 8);
	pipe_barrier(PIPE_V);
}

INLINE void quantize(bool back, enum elem elem, __gm__ void *x, __gm__ void *y, float scale, float zero,
		     __gm__ const struct quantize_tiling *tiling)
{
	struct stream s = { .n_in = 1, .n_out = 1, .in_elem = { back ? E_S8 : elem }, .out_elem = { back ? elem : E_S8 },
			    .in = { x }, .out = { y }, .work = 2 };
	struct quantize q = { back, elem, scale, zero, tiling->tile };

	stream_share(&s, tiling->n, tiling->tile);
	stream(&s, quantize_tile, &q);
}

#define ENTRIES(type, elem, suffix)                                                                                    \
	__global__ __aicore__ void quantize_##suffix(__gm__ type *x, __gm__ int8_t *y, float inverse_scale, float zero, \
						     __gm__ struct quantize_tiling *tiling)                            \
	{                                                                                                              \
		quantize(false, elem, x, y, inverse_scale, zero, tiling);                                              \
	}                                                                                                              \
	__global__ __aicore__ void dequantize_##suffix(__gm__ int8_t *x, __gm__ type *y, float scale, float zero,      \
						       __gm__ struct quantize_tiling *tiling)                          \
	{                                                                                                              \
		quantize(true, elem, x, y, scale, zero, tiling);                                                       \
	}

ENTRIES(float, E_F32, f32)
ENTRIES(half, E_F16, f16)
