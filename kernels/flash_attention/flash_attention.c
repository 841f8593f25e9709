/*
 * flash_attention.c - O = softmax(Q K^T * scale) V for each of `heads` heads, fp16, without ever holding the whole
 * score matrix: cube and vector cores of the 910B together (core = "mix"). Q [heads, rows, d], K and V [heads, keys,
 * d], d up to 128. Causal: row i sees keys 0 .. i + keys - rows; tiles of keys that no row of a block sees are left out.
 *
 * A block takes 128 rows of Q of one head and walks over the keys, 128 at a time. Per step the cube multiplies S = Q
 * K^T to a workspace in GM; the two vector cores, 64 rows each, turn S into P = exp(S - running maximum), fp16, and
 * keep maximum and sum of each row; the cube multiplies P V to the workspace; the vector cores rescale their rows of
 * O and add. Cross-core flags say when a piece is there. Everything has two buffers: the cube multiplies step j + 1's
 * scores while the vector cores are at j.
 *
 *   cube     S0  S1 | PV0  S2 | PV1  S3 | ...        vector     P0  P1 | O0  P2 | O1  P3 | ...
 *
 * No flag goes back for a buffer that is free: PVj waits for Pj, and by then its vector cores have read S of two
 * steps ago and PV of two steps ago, since each walks in the order above.
 */
#include "../tile.h"

struct attention_tiling {
	uint32_t heads, rows, keys, d, causal;
};

enum { TILE_ROWS = 128, TILE_KEYS = 128, D_MAX = 128, HALF_ROWS = 64 };
/* Workspace of a block, bytes: two of each. */
enum { WS_S = 0, WS_S_SIZE = TILE_ROWS * TILE_KEYS * 4, WS_P = 2 * WS_S_SIZE, WS_P_SIZE = TILE_ROWS * TILE_KEYS * 2,
       WS_O = WS_P + 2 * WS_P_SIZE, WS_O_SIZE = TILE_ROWS * D_MAX * 4, WS_SIZE = WS_O + 2 * WS_O_SIZE };
/* Cross-core counters; mode 2: the cube core and both vector cores of a block. */
enum { S_READY = 1, P_READY = 2, O_READY = 3 };
#define CROSS(pipe, id) ffts_cross_core_sync(pipe, 1 | 2 << 4 | (id) << 8)

struct attention {
	__gm__ half *q, *k, *v, *o;
	__gm__ uint8_t *ws;
	uint32_t rows, keys, d, tiles, units;
	bool causal;
	float scale;
};

/* 128 rows of a head. */
struct unit {
	uint64_t q, kv; /* elements */
	uint32_t row, rows;
	uint32_t steps; /* tiles of keys */
};

INLINE struct attention attention_of(__gm__ half *q, __gm__ half *k, __gm__ half *v, __gm__ half *o, __gm__ uint8_t *ws,
				     float scale,
				     __gm__ const struct attention_tiling *t)
{
	struct attention a = { .q = q, .k = k, .v = v, .o = o, .ws = ws + (uint64_t)get_block_idx() * WS_SIZE,
			       .rows = t->rows,
			       .keys = t->keys, .d = t->d, .causal = t->causal != 0, .scale = scale };

	limit(a.d >= 1 && a.d <= D_MAX, "d is 1 to 128");
	limit(a.keys >= 1, "there is at least one key");
	limit(!a.causal || a.keys >= a.rows, "with a causal mask there are at least as many keys as rows");
	a.tiles = ceil_div(a.rows, TILE_ROWS);
	a.units = t->heads * a.tiles;
	return a;
}

INLINE struct unit unit_at(const struct attention *a, uint32_t i)
{
	uint32_t head = i / a->tiles, row = i % a->tiles * TILE_ROWS;

	struct unit u = { .q = ((uint64_t)head * a->rows + row) * a->d, .kv = (uint64_t)head * a->keys * a->d, .row = row,
			  .rows = min_u32(TILE_ROWS, a->rows - row) };

	u.steps = ceil_div(a->causal ? row + u.rows + a->keys - a->rows : a->keys, TILE_KEYS);
	return u;
}

INLINE uint32_t keys_of(const struct attention *a, uint32_t step) { return min_u32(TILE_KEYS, a->keys - step * TILE_KEYS); }

#if __DAV_CUBE__

/* L1: Q; two stages of K, of V, of P. L0A, L0B and L0C in halves. */
enum { L1_Q = 0, L1_SIZE = 0x8000, L1_K = 0x8000, L1_V = 0x18000, L1_P = 0x28000, L0_STAGE = 0x8000, L0C_STAGE = 0x10000,
       FRACTAL = 256 };
/* Event ids MTE2 <-> MTE1: K of stage 0, 1; V and P of stage 0, 1; Q. */
enum { EV_K = 0, EV_VP = 2, EV_Q = 4 };

INLINE void load_nz(uint32_t l1, __gm__ half *gm, uint32_t rows, uint32_t cols, uint32_t pitch)
{
	copy_gm_to_cbuf_multi_nd2nz_b16((__cbuf__ half *)(uintptr_t)l1, gm, 0, 1, rows, cols, 0, pitch, round_up(rows, 16),
					1, 0);
}

/*
 * rows x cols = a [rows, depth] times b, from NZ in L1 to GM, fp32 with a pitch; b is [cols, depth] (K) or [depth,
 * cols] (V). *products counts: L0 and L0C change halves with each.
 */
INLINE void product(uint32_t l1_a, uint32_t l1_b, bool b_rows, uint32_t rows, uint32_t cols, uint32_t depth, __gm__ float *to,
		    uint32_t pitch, uint32_t *products)
{
	uint32_t stage = (*products)++ % 2, l0 = stage * L0_STAGE, m1 = ceil_div(rows, 16), n1 = ceil_div(cols, 16);
	uint32_t k1 = ceil_div(depth, 16);
	__ca__ half *a = (__ca__ half *)(uintptr_t)l0;
	__cb__ half *b = (__cb__ half *)(uintptr_t)l0;

	wait_flag(PIPE_M, PIPE_MTE1, stage);
	for (uint32_t i = 0; i < k1; i++) {
		load_cbuf_to_ca(a + i * FRACTAL, (__cbuf__ half *)(uintptr_t)l1_a + i * m1 * FRACTAL, 0, (uint8_t)m1, 1,
				(uint16_t)(k1 - 1),
				0, false, inc);
		if (b_rows)
			load_cbuf_to_cb(b + i * n1 * FRACTAL, (__cbuf__ half *)(uintptr_t)l1_b + i * FRACTAL, 0,
					(uint8_t)n1, (uint16_t)k1,
					0, 0, true, inc);
		else
			load_cbuf_to_cb(b + i * n1 * FRACTAL, (__cbuf__ half *)(uintptr_t)l1_b + i * n1 * FRACTAL, 0,
					(uint8_t)n1, 1, 0, 0,
					false, inc);
	}
	set_flag(PIPE_MTE1, PIPE_M, stage);
	wait_flag(PIPE_MTE1, PIPE_M, stage);
	wait_flag(PIPE_FIX, PIPE_M, stage);
	mad((__cc__ float *)(uintptr_t)(stage * L0C_STAGE), a, b, (uint16_t)(rows == 1 ? 16 : rows), (uint16_t)depth,
	    (uint16_t)cols, 0,
	    false, false, true);
	set_flag(PIPE_M, PIPE_MTE1, stage);
	set_flag(PIPE_M, PIPE_FIX, stage);
	wait_flag(PIPE_M, PIPE_FIX, stage);
	copy_matrix_cc_to_gm(to, (__cc__ float *)(uintptr_t)(stage * L0C_STAGE), 0, (uint16_t)cols, (uint16_t)rows, pitch,
			     (uint16_t)round_up(rows, 16), 0, NoQuant, 0, false, true);
	set_flag(PIPE_FIX, PIPE_M, stage);
}

INLINE void scores(const struct attention *a, const struct unit *u, uint32_t step, uint32_t *products)
{
	uint32_t stage = step % 2, keys = keys_of(a, step), l1 = L1_K + stage * L1_SIZE;

	wait_flag(PIPE_MTE1, PIPE_MTE2, EV_K + stage);
	load_nz(l1, a->k + u->kv + (uint64_t)step * TILE_KEYS * a->d, keys, a->d, a->d);
	set_flag(PIPE_MTE2, PIPE_MTE1, EV_K + stage);
	wait_flag(PIPE_MTE2, PIPE_MTE1, EV_K + stage);
	product(L1_Q, l1, false, u->rows, keys, a->d, (__gm__ float *)(a->ws + WS_S + stage * WS_S_SIZE), TILE_KEYS,
		products);
	set_flag(PIPE_MTE1, PIPE_MTE2, EV_K + stage);
	CROSS(PIPE_FIX, S_READY);
}

INLINE void values(const struct attention *a, const struct unit *u, uint32_t step, uint32_t *products)
{
	uint32_t stage = step % 2, keys = keys_of(a, step), l1_v = L1_V + stage * L1_SIZE, l1_p = L1_P + stage * L1_SIZE;

	wait_flag(PIPE_MTE1, PIPE_MTE2, EV_VP + stage);
	load_nz(l1_v, a->v + u->kv + (uint64_t)step * TILE_KEYS * a->d, keys, a->d, a->d);
	wait_flag_dev(P_READY);
	load_nz(l1_p, (__gm__ half *)(a->ws + WS_P + stage * WS_P_SIZE), u->rows, keys, TILE_KEYS);
	set_flag(PIPE_MTE2, PIPE_MTE1, EV_VP + stage);
	wait_flag(PIPE_MTE2, PIPE_MTE1, EV_VP + stage);
	product(l1_p, l1_v, true, u->rows, a->d, keys, (__gm__ float *)(a->ws + WS_O + stage * WS_O_SIZE), D_MAX, products);
	set_flag(PIPE_MTE1, PIPE_MTE2, EV_VP + stage);
	CROSS(PIPE_FIX, O_READY);
}

INLINE void attend(const struct attention *a)
{
	uint32_t products = 0;

	set_nd_para(1);
	for (uint32_t i = 0; i < 5; i++)
		set_flag(PIPE_MTE1, PIPE_MTE2, i);
	for (uint32_t i = 0; i < 2; i++) {
		set_flag(PIPE_M, PIPE_MTE1, i);
		set_flag(PIPE_FIX, PIPE_M, i);
	}
	for (uint32_t i = (uint32_t)get_block_idx(); i < a->units; i += (uint32_t)get_block_num()) {
		struct unit u = unit_at(a, i);

		wait_flag(PIPE_MTE1, PIPE_MTE2, EV_Q);
		load_nz(L1_Q, a->q + u.q, u.rows, a->d, a->d);
		set_flag(PIPE_MTE2, PIPE_MTE1, EV_Q);
		wait_flag(PIPE_MTE2, PIPE_MTE1, EV_Q);
		scores(a, &u, 0, &products);
		for (uint32_t step = 0; step < u.steps; step++) {
			if (step + 1 < u.steps)
				scores(a, &u, step + 1, &products);
			values(a, &u, step, &products);
		}
		set_flag(PIPE_MTE1, PIPE_MTE2, EV_Q);
	}
	for (uint32_t i = 0; i < 5; i++)
		wait_flag(PIPE_MTE1, PIPE_MTE2, i);
	for (uint32_t i = 0; i < 2; i++) {
		wait_flag(PIPE_M, PIPE_MTE1, i);
		wait_flag(PIPE_FIX, PIPE_M, i);
	}
}

#else

#include "../rows.h"

/* UB: scores; P; what P V brings; O; per row maximum, sum, the factors of two steps. */
enum { UB_S = 0, UB_P = 0x8000, UB_PV = 0xc000, UB_O = 0x14000, UB_MAX = 0x1c000, UB_SUM = 0x1c100, UB_OLD = 0x1c200,
       UB_ALPHA = 0x1c300, UB_ROWS = 0x1d000 };

/* This core's rows of a unit: the first or the second 64. */
INLINE uint32_t own_rows(const struct unit *u)
{
	uint32_t first = (uint32_t)get_subblockid() * HALF_ROWS;

	return u->rows > first ? min_u32(HALF_ROWS, u->rows - first) : 0;
}

/* The lowest finite value, not -inf: a difference of two is 0, never NaN. */
#define LOWEST -3.402823466e+38f

/* Scores of keys behind what a row sees become the lowest: they are never the maximum, and their exponential is 0. */
INLINE void hide_later_keys(const struct attention *a, const struct unit *u, uint32_t step, uint32_t rows)
{
	int32_t seen = (int32_t)(u->row + (uint32_t)get_subblockid() * HALF_ROWS + a->keys - a->rows + 1 - step * TILE_KEYS);

	if (!a->causal || seen >= TILE_KEYS)
		return;
	for (uint32_t i = 0; i < rows; i++, seen++)
		for (int32_t col = 0; col < TILE_KEYS; col += LANES) {
			int32_t from = seen < col ? 0 : seen - col;

			if (from >= LANES)
				continue;
			set_vector_mask(0, ~UINT64_C(0) << from);
			vadds(ub_f32(UB_S) + i * TILE_KEYS + col, ub_f32(UB_S) + i * TILE_KEYS + col, LOWEST, 1, 1, 1, 8, 8);
		}
	mask_lanes(LANES);
	pipe_barrier(PIPE_V);
}

INLINE void softmax_step(const struct attention *a, const struct rows *r, const struct unit *u, uint32_t step, uint32_t rows)
{
	uint32_t stage = step % 2, first = (uint32_t)get_subblockid() * HALF_ROWS, alpha = UB_ALPHA + stage * 256;
	uint32_t n = rows * TILE_KEYS;
	struct rows g = *r;

	g.cols = keys_of(a, step);
	wait_flag_dev(S_READY);
	if (rows) {
		/* all columns: those behind the last key are computed and never used; so that they are defined, as zeros */
		PIPE_AFTER(PIPE_V, PIPE_MTE2);
		load_bytes(UB_S, a->ws + WS_S + stage * WS_S_SIZE + first * TILE_KEYS * 4, rows, g.cols * 4,
			   (TILE_KEYS - g.cols) * 4,
			   TILE_KEYS / 8 - ceil_div(g.cols, 8));
		PIPE_AFTER(PIPE_MTE2, PIPE_V);
		count_lanes(n);
		V_SCALAR(vmuls, UB_S, UB_S, a->scale);
		all_lanes();
		hide_later_keys(a, u, step, rows);
		rows_stat(&g, UB_S, rows, FOLD_MAX);
		count_lanes(rows);
		V_BIN(vmax, UB_OLD, UB_MAX, g.stat);
		V_BIN(vsub, alpha, UB_MAX, UB_OLD);
		V_UN(vexp, alpha, alpha);
		V_SCALAR(vadds, UB_MAX, UB_OLD, 0.0f);
		V_BIN(vmul, UB_SUM, UB_SUM, alpha);
		all_lanes();
		rows_spread(&g, UB_MAX, g.broad, rows);
		ROWS_WITH_BLOCKS(vsub, &g, UB_S, UB_S, g.broad, rows);
		count_lanes(n);
		V_UN(vexp, UB_S, UB_S);
		all_lanes();
		rows_stat(&g, UB_S, rows, FOLD_SUM);
		count_lanes(rows);
		V_BIN(vadd, UB_SUM, UB_SUM, g.stat);
		count_lanes(n);
		from_f32(UB_P, UB_S, E_F16);
		all_lanes();
		PIPE_AFTER(PIPE_V, PIPE_MTE3);
		store_bytes(a->ws + WS_P + stage * WS_P_SIZE + first * TILE_KEYS * 2, UB_P, 1, n * 2, 0, 0);
		PIPE_AFTER(PIPE_MTE3, PIPE_V);
	}
	CROSS(PIPE_MTE3, P_READY);
}

/* O = O * alpha + P V */
INLINE void gather_step(const struct attention *a, const struct rows *r, uint32_t step, uint32_t rows)
{
	uint32_t stage = step % 2, first = (uint32_t)get_subblockid() * HALF_ROWS;

	wait_flag_dev(O_READY);
	if (!rows)
		return;
	PIPE_AFTER(PIPE_V, PIPE_MTE2);
	load_bytes(UB_PV, a->ws + WS_O + stage * WS_O_SIZE + first * D_MAX * 4, rows, a->d * 4, (D_MAX - a->d) * 4,
		   D_MAX / 8 - ceil_div(a->d, 8));
	PIPE_AFTER(PIPE_MTE2, PIPE_V);
	rows_spread(r, UB_ALPHA + stage * 256, r->broad, rows);
	ROWS_WITH_BLOCKS(vmul, r, UB_O, UB_O, r->broad, rows);
	count_lanes(rows * D_MAX);
	V_BIN(vadd, UB_O, UB_O, UB_PV);
	all_lanes();
}

INLINE void finish(const struct attention *a, const struct rows *r, const struct unit *u, uint32_t rows)
{
	uint64_t to = u->q + (uint64_t)get_subblockid() * HALF_ROWS * a->d;

	rows_spread(r, UB_SUM, r->broad, rows);
	ROWS_WITH_BLOCKS(vdiv, r, UB_O, UB_O, r->broad, rows);
	count_lanes(rows * D_MAX);
	from_f32(UB_PV, UB_O, E_F16);
	all_lanes();
	PIPE_AFTER(PIPE_V, PIPE_MTE3);
	store_bytes(a->o + to, UB_PV, rows, a->d * 2, D_MAX / 16 - ceil_div(a->d, 16), 0);
	PIPE_AFTER(PIPE_MTE3, PIPE_V);
}

INLINE void attend(const struct attention *a)
{
	struct rows r;

	all_lanes();
	r = rows_at(TILE_KEYS, TILE_KEYS, UB_ROWS); /* D_MAX is as wide */
	fill_f32(UB_S, 0.0f, HALF_ROWS * TILE_KEYS);
	fill_f32(UB_PV, 0.0f, HALF_ROWS * D_MAX);
	for (uint32_t i = (uint32_t)get_block_idx(); i < a->units; i += (uint32_t)get_block_num()) {
		struct unit u = unit_at(a, i);
		uint32_t rows = own_rows(&u);

		fill_f32(UB_MAX, LOWEST, HALF_ROWS);
		fill_f32(UB_SUM, 0.0f, HALF_ROWS);
		fill_f32(UB_O, 0.0f, HALF_ROWS * D_MAX);
		softmax_step(a, &r, &u, 0, rows);
		for (uint32_t step = 0; step < u.steps; step++) {
			if (step + 1 < u.steps)
				softmax_step(a, &r, &u, step + 1, rows);
			gather_step(a, &r, step, rows);
		}
		if (rows)
			finish(a, &r, &u, rows);
	}
}

#endif

__global__ __aicore__ void flash_attention(__gm__ half *q, __gm__ half *k, __gm__ half *v, __gm__ half *o,
					   __gm__ uint8_t *workspace,
					   float scale, __gm__ struct attention_tiling *tiling)
{
	struct attention a = attention_of(q, k, v, o, workspace, scale, tiling);

	attend(&a);
}
