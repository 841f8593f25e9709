/*
 * cast.c - n elements from one type to another on the vector cores of the 910B and, without bf16 and s16, the fused
 * cores of the 910 and 310P. Nearest even; integers saturate, since the vector unit's conversions do.
 */
#include "../vec.h"

struct cast_tiling {
	uint32_t n, tile; /* elements; tile a multiple of 64 */
};

enum cast { F32_F16, F16_F32, F32_BF16, BF16_F32, F32_S32, S32_F32, F32_S16, S16_F32, F16_S8, S8_F16, U8_F16, F16_U8, U8_F32,
	    F16_BF16 };

struct cast_way {
	enum cast cast;
	uint32_t tile;
};

INLINE void cast_tile(const void *context, const struct stream_tile *t)
{
	const struct cast_way *c = context;
	uint32_t y = t->out[0], x = t->in[0], w = t->work;

	switch (c->cast) {
	case F32_F16: vconv_f322f16(ub_f16(y), ub_f32(x), 1, 1, 1, 4, 8); break;
	case F16_F32: vconv_f162f32(ub_f32(y), ub_f16(x), 1, 1, 1, 8, 4); break;
	case F32_S32: vconv_f322s32r(ub_s32(y), ub_f32(x), 1, 1, 1, 8, 8); break;
	case S32_F32: vconv_s322f32(ub_f32(y), ub_s32(x), 1, 1, 1, 8, 8); break;
	case F16_S8: vconv_f162s8(ub_s8(y), ub_f16(x), 1, 1, 1, 4, 8); break;
	case S8_F16: vconv_s82f16(ub_f16(y), ub_s8(x), 1, 1, 1, 8, 4); break;
	case U8_F16: vconv_u82f16(ub_f16(y), ub_u8(x), 1, 1, 1, 8, 4); break;
	case F16_U8: vconv_f162u8(ub_u8(y), ub_f16(x), 1, 1, 1, 4, 8); break;
	case U8_F32:
		vconv_u82f16(ub_f16(w), ub_u8(x), 1, 1, 1, 8, 4);
		pipe_barrier(PIPE_V);
		vconv_f162f32(ub_f32(y), ub_f16(w), 1, 1, 1, 8, 4);
		break;
#if __NPU_ARCH__ == 2201
	case F32_BF16: vconv_f322bf16r(ub_bf16(y), ub_f32(x), 1, 1, 1, 4, 8); break;
	case BF16_F32: vconv_bf162f32(ub_f32(y), ub_bf16(x), 1, 1, 1, 8, 4); break;
	case F32_S16: vconv_f322s16r(ub_s16(y), ub_f32(x), 1, 1, 1, 4, 8); break;
	case S16_F32: vconv_s162f32(ub_f32(y), ub_s16(x), 1, 1, 1, 8, 4); break;
	case F16_BF16:
		vconv_f162f32(ub_f32(w), ub_f16(x), 1, 1, 1, 8, 4);
		pipe_barrier(PIPE_V);
		vconv_f322bf16r(ub_bf16(y), ub_f32(w), 1, 1, 1, 4, 8);
		break;
#else
	default: trap(); /* has no entry */
#endif
	}
	pipe_barrier(PIPE_V);
}

INLINE void cast(enum cast way, enum elem from, enum elem to, __gm__ void *x, __gm__ void *y,
		 __gm__ const struct cast_tiling *tiling)
{
	struct stream s = { .n_in = 1, .n_out = 1, .in_elem = { from }, .out_elem = { to }, .in = { x }, .out = { y },
			    .work = way == U8_F32 || way == F16_BF16 };
	struct cast_way c = { way, tiling->tile };

	stream_share(&s, tiling->n, tiling->tile);
	stream(&s, cast_tile, &c);
}

#define ENTRY(name, way, from, from_elem, to, to_elem)                                                                 \
	__global__ __aicore__ void name(__gm__ from *x, __gm__ to *y, __gm__ struct cast_tiling *tiling)               \
	{                                                                                                              \
		cast(way, from_elem, to_elem, x, y, tiling);                                                           \
	}

ENTRY(cast_f32_f16, F32_F16, float, E_F32, half, E_F16)
ENTRY(cast_f16_f32, F16_F32, half, E_F16, float, E_F32)
ENTRY(cast_f32_s32, F32_S32, float, E_F32, int32_t, E_S32)
ENTRY(cast_s32_f32, S32_F32, int32_t, E_S32, float, E_F32)
ENTRY(cast_f16_s8, F16_S8, half, E_F16, int8_t, E_S8)
ENTRY(cast_s8_f16, S8_F16, int8_t, E_S8, half, E_F16)
ENTRY(cast_u8_f16, U8_F16, uint8_t, E_U8, half, E_F16)
ENTRY(cast_f16_u8, F16_U8, half, E_F16, uint8_t, E_U8)
ENTRY(cast_u8_f32, U8_F32, uint8_t, E_U8, float, E_F32)
#if __NPU_ARCH__ == 2201
ENTRY(cast_f32_bf16, F32_BF16, float, E_F32, bfloat16_t, E_BF16)
ENTRY(cast_bf16_f32, BF16_F32, bfloat16_t, E_BF16, float, E_F32)
ENTRY(cast_f16_bf16, F16_BF16, half, E_F16, bfloat16_t, E_BF16)
ENTRY(cast_f32_s16, F32_S16, float, E_F32, int16_t, E_S16)
ENTRY(cast_s16_f32, S16_F32, int16_t, E_S16, float, E_F32)
#endif
