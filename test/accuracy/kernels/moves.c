/*
 * moves.c - streams and single shots of data movement and of the cube, for the curves of micro.jsonl. For every size in
 * the list (bytes; for mad: n) `shots` times (a multiple of 8) the instruction; `alone` drains the pipe between.
 * `step`: bytes by which the GM address moves on, 0 = the same place again.
 */
#include <stdbool.h>
#include <stdint.h>

#define SHOTS(pipe, call)                                                                                              \
	for (uint32_t i = 0; i < n; i++) {                                                                             \
		uint32_t bytes = list[i];                                                                              \
		pipe_barrier(PIPE_ALL);                                                                                \
		if (alone)                                                                                             \
			for (uint32_t k = 0; k < shots; k++) {                                                         \
				call;                                                                                  \
				pipe_barrier(pipe);                                                                    \
				gm += step;                                                                            \
			}                                                                                              \
		else                                                                                                   \
			for (uint32_t k = 0; k < shots; k += 8) {                                                      \
				call; call; call; call; call; call; call; call;                                        \
			}                                                                                              \
	}

#if VINCI_CORE == 2
__global__ __aicore__ void moves(__gm__ const uint32_t *list, uint32_t n, uint32_t which, uint32_t shots, uint32_t alone,
				 uint32_t step, __gm__ uint8_t *gm)
{
	switch (which) {
	case 0: SHOTS(PIPE_MTE2, copy_gm_to_ubuf((__ubuf__ void *)0, gm, 0, 1, (uint16_t)(bytes / 32), 0, 0)) break;
	case 1: SHOTS(PIPE_MTE3, copy_ubuf_to_gm(gm, (__ubuf__ void *)0, 0, 1, (uint16_t)(bytes / 32), 0, 0)) break;
	case 2:
		SHOTS(PIPE_V,
		      copy_ubuf_to_ubuf((__ubuf__ void *)0, (__ubuf__ void *)0, 0, 1, (uint16_t)(bytes / 32), 0, 0))
		break;
	}
}
#else
__global__ __aicore__ void moves(__gm__ const uint32_t *list, uint32_t n, uint32_t which, uint32_t shots, uint32_t alone,
				 uint32_t step, __gm__ uint8_t *gm)
{
	set_nd_para(1);
	switch (which) {
	case 10: SHOTS(PIPE_MTE2, copy_gm_to_cbuf((__cbuf__ void *)0, gm, 0, 1, (uint16_t)(bytes / 32), 0, 0, PAD_NONE)) break;
	/* 128 rows, as long as they come out, without gaps */
	case 11: SHOTS(PIPE_MTE2, copy_gm_to_cbuf_multi_nd2nz_b16((__cbuf__ half *)0, (__gm__ half *)gm, 0, 1, 128,
			(uint16_t)(bytes / 256), 0, (uint16_t)(bytes / 256), 128, 1, 0)) break;
	case 12:
		SHOTS(PIPE_MTE2,
		      load_gm_to_ca((__ca__ half *)0, (__gm__ half *)gm, 0, (uint8_t)(bytes / 512), 1, 0, 0, inc))
		break;
	case 13:
		SHOTS(PIPE_MTE2,
		      load_gm_to_cb((__cb__ half *)0, (__gm__ half *)gm, 0, (uint8_t)(bytes / 512), 1, 0, 0, inc))
		break;
	case 14: SHOTS(PIPE_MTE1, load_cbuf_to_ca((__ca__ half *)0, (__cbuf__ half *)0, 0, (uint8_t)(bytes / 512), 1, 0, 0, false,
			inc)) break;
	case 15: SHOTS(PIPE_MTE1, load_cbuf_to_cb((__cb__ half *)0, (__cbuf__ half *)0, 0, (uint8_t)(bytes / 512), 1, 0, 0, false,
			inc)) break;
	case 16: SHOTS(PIPE_MTE1, copy_cbuf_to_bt(0, (__cbuf__ void *)0, 0, 1, (uint16_t)(bytes / 64), 0, 0)) break;
	case 17:
		SHOTS(PIPE_FIX,
		      copy_cbuf_to_fbuf((__fbuf__ void *)0, (__cbuf__ void *)0, 1, (uint16_t)(bytes / 128), 0, 0))
		break;
	case 18: SHOTS(PIPE_FIX, copy_matrix_cc_to_gm((__gm__ float *)gm, (__cc__ float *)0, 0, 16, (uint16_t)(bytes / 64),
			bytes / 64 * 16, (uint16_t)(bytes / 64), 0, NoQuant, 0, false, false)) break;
	case 19: SHOTS(PIPE_FIX, copy_matrix_cc_to_gm((__gm__ float *)gm, (__cc__ float *)0, 0, 16, (uint16_t)(bytes / 64), 16,
			(uint16_t)(bytes / 64), 0, NoQuant, 0, false, true)) break;
	case 20: SHOTS(PIPE_FIX, copy_matrix_cc_to_cbuf((__cbuf__ half *)0, (__cc__ float *)0, 0, 16, (uint16_t)(bytes / 32),
			bytes / 32, (uint16_t)(bytes / 32), 0, F322F16, 0, false, false)) break;
	case 21: SHOTS(PIPE_MTE1, load_cbuf_to_ca_transpose((__ca__ half *)0, (__cbuf__ half *)0, 0, (uint8_t)(bytes / 512), 1, 0,
			0, 0)) break;
	case 22: SHOTS(PIPE_MTE1, load_cbuf_to_cb_transpose((__cb__ half *)0, (__cbuf__ half *)0, 0, (uint8_t)(bytes / 512), 1, 0,
			0, 0)) break;
	/* a map of one row and 32 channels, filter of one point */
	case 23: SHOTS(PIPE_MTE1, set_fmatrix(bytes / 64 | UINT64_C(1) << 16); img2colv2_cbuf_to_ca((__ca__ half *)0,
			(__cbuf__ half *)0, 32, (uint16_t)(bytes / 64), 0, 0, 1, 1, 1, 1, 1, 1, false, false, false, false, 32))
		break;
	case 24: SHOTS(PIPE_MTE1, set_fmatrix(bytes / 64 | UINT64_C(1) << 16); img2colv2_cbuf_to_cb((__cb__ half *)0,
			(__cbuf__ half *)0, 32, (uint16_t)(bytes / 64), 0, 0, 1, 1, 1, 1, 1, 1, false, false, false, false, 32))
		break;
	case 25: SHOTS(PIPE_MTE1, load_cbuf_to_cb_sp((__cb__ int8_t *)0, (__cbuf__ int8_t *)(UINT64_C(0x40000) << 32), 0,
			(uint8_t)(bytes / 512))) break;
	case 26: SHOTS(PIPE_FIX, copy_matrix_cc_to_cbuf((__cbuf__ int8_t *)0, (__cc__ float *)0, 0, 32, (uint16_t)(bytes / 32),
			bytes / 32, (uint16_t)(bytes / 32), 0, QF322B8_PRE, 0, false, false)) break;
	case 30:
		SHOTS(PIPE_M, mad((__cc__ float *)0, (__ca__ half *)0, (__cb__ half *)0, 32, 16, (uint16_t)bytes, 0,
				  false, false, true))
		break;
	case 31:
		SHOTS(PIPE_M, mad((__cc__ float *)0, (__ca__ half *)0, (__cb__ half *)0, 16, 16, (uint16_t)bytes, 0,
				  false, false, true))
		break;
	}
}
#endif
