/*
 * ubbank.c - many fp32 adds of 64 repeats on operands at given UB addresses, a vector barrier behind each, as the
 * vendor's compiler puts it between dependent instructions (asc-devkit, bank_conflict_ub).
 */
#include <stdint.h>

__global__ __aicore__ void ubbank(uint64_t src0, uint64_t src1, uint64_t dst, uint32_t src0_blk, uint32_t src0_rep,
				  uint32_t count)
{
	set_vector_mask(~UINT64_C(0), ~UINT64_C(0));
	for (uint32_t i = 0; i < count; i++) {
		vadd((__ubuf__ float *)dst, (__ubuf__ float *)src0, (__ubuf__ float *)src1, 64, 1, (uint8_t)src0_blk, 1, 8,
		     (uint8_t)src0_rep, 8);
		pipe_barrier(PIPE_V);
	}
}
