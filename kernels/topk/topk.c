/*
 * topk.c - the k largest of each row of x[rows, n], fp32, descending, with their indices, on the vector cores of the
 * 910B: vbitsort makes runs of 32 records (value, index), vmrgsort4 merges four runs at a time until one is left.
 * Equal values keep their order. n up to N_MAX; whole rows are split over the blocks.
 */
#include "../vec.h"

struct topk_tiling {
	uint32_t rows, n, k;
};

enum { N_MAX = 8192, RUN = 32, RECORD = 8, LIST_MAX = 4095 };
/* values (32 KB) and indices (32 KB) of a row; two buffers of records; results take the first buffer's place */
enum { UB_X = 0, UB_INDEX = 0x8000, UB_A = 0x10000, UB_B = 0x20000 };

/* 0, 1, 2 .. padded - 1: eight by the scalar unit, then doubled. */
INLINE void count_up(uint32_t at, uint32_t n)
{
	for (uint32_t i = 0; i < 8; i++)
		ub_u32(at)[i] = i;
	PIPE_AFTER(PIPE_S, PIPE_V);
	for (uint32_t have = 8; have < n; have *= 2) {
		count_lanes(min_u32(have, n - have));
		vadds(ub_s32(at + have * 4), ub_s32(at), (int32_t)have, 1, 1, 1, 8, 8);
		pipe_barrier(PIPE_V);
	}
	all_lanes();
}

/* Up to four runs of `run` records from `from` on, `left` records in all, become one at `to`. */
INLINE void merge(uint32_t to, uint32_t from, uint32_t run, uint32_t left)
{
	__ubuf__ float *list[4];
	uint16_t len[4];
	uint8_t valid = 0;

#pragma clang loop unroll(full)
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t before = min_u32(left, i * run);

		len[i] = (uint16_t)min_u32(run, left - before);
		list[i] = ub_f32(from + before * RECORD);
		valid |= (uint8_t)((len[i] > 0) << i);
	}
	vmrgsort4(ub_f32(to), list, 1, len[0], len[1], len[2], len[3], false, valid);
}

/* Sort the padded row; returns where its records stand. */
INLINE uint32_t sort(uint32_t padded)
{
	uint32_t from = UB_A, to = UB_B;

	for (uint32_t at = 0; at < padded; at += RUN * REPEAT_MAX) {
		uint32_t runs = min_u32((padded - at) / RUN, REPEAT_MAX);

		vbitsort(ub_f32(UB_A + at * RECORD), ub_f32(UB_X + at * 4), ub_u32(UB_INDEX + at * 4), (uint8_t)runs);
	}
	pipe_barrier(PIPE_V);
	for (uint32_t run = RUN; run < padded; run *= 4) {
		for (uint32_t at = 0; at < padded; at += 4 * run)
			merge(to + at * RECORD, from + at * RECORD, run, min_u32(4 * run, padded - at));
		pipe_barrier(PIPE_V);
		uint32_t was = from;
		from = to;
		to = was;
	}
	return from;
}

__global__ __aicore__ void topk(__gm__ float *x, __gm__ float *value, __gm__ uint32_t *index,
				__gm__ struct topk_tiling *tiling)
{
	uint32_t n = tiling->n, k = tiling->k, padded = round_up(n, RUN), repeats = ceil_div(k * 2, LANES);
	struct span own = span_of_block(tiling->rows);

	require(n <= N_MAX && k >= 1 && k <= n);
	all_lanes();
	count_up(UB_INDEX, padded);
	for (uint32_t i = 0; i < own.count; i++) {
		uint32_t row = own.first + i, records, out;

		/* what pads the row comes last: lower than all, and behind equal ones */
		fill_f32(UB_X, -__builtin_inff(), padded);
		PIPE_AFTER(PIPE_V, PIPE_MTE2);
		/* the copy fills its last block from the row: put back what pads it */
		load_bytes(UB_X, x + (uint64_t)row * n, 1, n * 4, 0, 0);
		PIPE_AFTER(PIPE_MTE2, PIPE_V);
		if (n % 8) {
			set_vector_mask(0, 0xff & ~((UINT64_C(1) << n % 8) - 1));
			vector_dup(ub_f32(UB_X + n / 8 * 32), -__builtin_inff(), 1, 1, 1, 8, 0);
			mask_lanes(LANES);
			pipe_barrier(PIPE_V);
		}
		records = sort(padded);
		out = records == UB_A ? UB_B : UB_A;
		/* even words are values, odd ones indices */
		vreducev2(ub_u32(out), ub_u32(records), ub_u32(records), (uint16_t)repeats, 1, 1, 8, 0);
		vreducev2(ub_u32(UB_X), ub_u32(records), ub_u32(records), (uint16_t)repeats, 1, 2, 8, 0);
		PIPE_AFTER(PIPE_V, PIPE_MTE3);
		store_bytes(value + (uint64_t)row * k, out, 1, k * 4, 0, 0);
		store_bytes(index + (uint64_t)row * k, UB_X, 1, k * 4, 0, 0);
		PIPE_AFTER(PIPE_MTE3, PIPE_V);
	}
}
