/*
 * topk.c - the k largest of each row of x[rows, n], fp32, descending, with their indices, on the vector cores of the
 * 910B: vbitsort makes runs of 32 records (value, index), vmrgsort4 merges four runs at a time until one is left.
 * Equal values keep their order. Whole rows are split over the blocks. Rows above N_MAX go by in chunks, each sorted and
 * merged with the k best so far.
 */
#include "../vec.h"

struct topk_tiling {
	uint32_t rows, n, k;
};

enum { N_MAX = 8192, CHUNK = 2048, RUN = 32, RECORD = 8, LIST_MAX = 4095 };
/* values (32 KB) and indices (32 KB) of a row; two buffers of records; results take the first buffer's place */
enum { UB_X = 0, UB_INDEX = 0x8000, UB_A = 0x10000, UB_B = 0x20000 };
/* Long rows: a chunk in the lower halves of the same places, and what is best of it and of all before, in turn at two. */
enum { UB_BEST = 0x18000, UB_BEST_SIZE = 0xc000 };

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

/* Sort the padded row or chunk in buffers of records at a and b; returns where its records stand. */
INLINE uint32_t sort(uint32_t padded, uint32_t a, uint32_t b)
{
	uint32_t from = a, to = b;

	for (uint32_t at = 0; at < padded; at += RUN * REPEAT_MAX) {
		uint32_t runs = min_u32((padded - at) / RUN, REPEAT_MAX);

		vbitsort(ub_f32(a + at * RECORD), ub_f32(UB_X + at * 4), ub_u32(UB_INDEX + at * 4), (uint8_t)runs);
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

/* n elements to UB_X. What pads them comes last: lower than all, and behind equal ones. */
INLINE void load_padded(__gm__ const float *x, uint32_t n)
{
	fill_f32(UB_X, -__builtin_inff(), round_up(n, RUN));
	PIPE_AFTER(PIPE_V, PIPE_MTE2);
	/* the copy fills its last block from the row: put back what pads it */
	load_bytes(UB_X, x, 1, n * 4, 0, 0);
	PIPE_AFTER(PIPE_MTE2, PIPE_V);
	if (n % 8) {
		set_vector_mask(0, 0xff & ~((UINT64_C(1) << n % 8) - 1));
		vector_dup(ub_f32(UB_X + n / 8 * 32), -__builtin_inff(), 1, 1, 1, 8, 0);
		mask_lanes(LANES);
		pipe_barrier(PIPE_V);
	}
}

/* The first k of the records: even words are values, odd ones indices. Through `out`, and UB_X, which is free now. */
INLINE void store_best(__gm__ float *value, __gm__ uint32_t *index, uint32_t records, uint32_t out, uint32_t k)
{
	uint16_t repeats = (uint16_t)ceil_div(k * 2, LANES);

	vreducev2(ub_u32(out), ub_u32(records), ub_u32(records), repeats, 1, 1, 8, 0);
	vreducev2(ub_u32(UB_X), ub_u32(records), ub_u32(records), repeats, 1, 2, 8, 0);
	PIPE_AFTER(PIPE_V, PIPE_MTE3);
	store_bytes(value, out, 1, k * 4, 0, 0);
	store_bytes(index, UB_X, 1, k * 4, 0, 0);
	PIPE_AFTER(PIPE_MTE3, PIPE_V);
}

/* ---- long rows ---- */

/* Indices that start at `was` shall start at `first`. */
INLINE void count_from(uint32_t first, uint32_t was)
{
	count_lanes(CHUNK);
	vadds(ub_s32(UB_INDEX), ub_s32(UB_INDEX), (int32_t)(first - was), 1, 1, 1, 8, 8);
	pipe_barrier(PIPE_V);
	all_lanes();
}

/* The k best of x[n]; returns where their records stand. *counted: where the indices start. */
INLINE uint32_t best_of_chunks(__gm__ const float *x, uint32_t n, uint32_t k, uint32_t *counted)
{
	uint32_t best = UB_BEST, next = UB_BEST + UB_BEST_SIZE, have = 0;

	for (uint32_t first = 0; first < n; first += CHUNK) {
		uint32_t count = min_u32(CHUNK, n - first), padded = round_up(count, RUN), keep = min_u32(k, padded);

		count_from(first, *counted);
		*counted = first;
		load_padded(x + first, count);
		uint32_t sorted = sort(padded, UB_A, UB_A + CHUNK * RECORD);
		if (first == 0) {
			move_f32(best, sorted, keep * 2);
			have = keep;
			continue;
		}
		__ubuf__ float *list[4] = { ub_f32(best), ub_f32(sorted), ub_f32(sorted), ub_f32(sorted) };
		vmrgsort4(ub_f32(next), list, 1, (uint16_t)have, (uint16_t)keep, 0, 0, false, 3);
		pipe_barrier(PIPE_V);
		have = min_u32(k, have + keep);
		uint32_t was = best;
		best = next;
		next = was;
	}
	return best;
}

INLINE void topk_long(__gm__ float *x, __gm__ float *value, __gm__ uint32_t *index, uint32_t n, uint32_t k,
		      struct span own)
{
	uint32_t counted = 0;

	count_up(UB_INDEX, CHUNK);
	fill_f32(UB_BEST, 0.0f, 2 * UB_BEST_SIZE / 4); /* repeats read past the last record */
	for (uint32_t row = own.first; row < own.first + own.count; row++) {
		uint32_t best = best_of_chunks(x + (uint64_t)row * n, n, k, &counted);

		store_best(value + (uint64_t)row * k, index + (uint64_t)row * k, best, UB_A, k);
	}
}

__global__ __aicore__ void topk(__gm__ float *x, __gm__ float *value, __gm__ uint32_t *index,
				__gm__ struct topk_tiling *tiling)
{
	uint32_t n = tiling->n, k = tiling->k, padded = round_up(n, RUN);
	struct span own = span_of_block(tiling->rows);

	limit(k >= 1 && k <= n, "k is 1 to n");
	limit(n <= N_MAX || k <= LIST_MAX, "k is at most 4095 where n is above 8192");
	all_lanes();
	if (n > N_MAX) {
		topk_long(x, value, index, n, k, own);
		return;
	}
	count_up(UB_INDEX, padded);
	for (uint32_t row = own.first; row < own.first + own.count; row++) {
		load_padded(x + (uint64_t)row * n, n);
		uint32_t records = sort(padded, UB_A, UB_B);

		store_best(value + (uint64_t)row * k, index + (uint64_t)row * k, records, records == UB_A ? UB_B : UB_A, k);
	}
}
