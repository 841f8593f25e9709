/* Ten million instructions of a vector kernel (48 blocks, 16000 rounds), for what a trace costs. */
#include <stdint.h>
#define UB(a) ((__ubuf__ float *)(uintptr_t)(a))
__global__ __aicore__ void stream(__gm__ uint8_t *in, __gm__ uint8_t *out, uint32_t rounds)
{
	uint64_t at = (uint64_t)get_block_idx() * 0x10000;
	set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
	set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
	for (uint32_t i = 0; i < rounds; i++) {
		uint64_t part = at + (i & 15) * 0x1000;
		wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
		copy_gm_to_ubuf((__ubuf__ void *)UB(0), (__gm__ void *)(in + part), 0, 1, 64, 0, 0);
		set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
		wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
		vadd(UB(0x8000), UB(0), UB(0x10100), 8, 1, 1, 1, 8, 8, 8);
		set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
		pipe_barrier(PIPE_V);
		wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
		vmul(UB(0x10000), UB(0x8000), UB(0x8100), 8, 1, 1, 1, 8, 8, 8);
		set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
		wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
		copy_ubuf_to_gm((__gm__ void *)(out + part), (__ubuf__ void *)UB(0x10000), 0, 1, 64, 0, 0);
		set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
	}
	wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
	wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
}
