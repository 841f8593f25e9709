/*
 * softmax_fused.h - softmax for the fused cores, by the tiles of rows that ../rows.h has for them. A row fits into a tile.
 */
#ifndef SOFTMAX_FUSED_H
#define SOFTMAX_FUSED_H

#include "../rows.h"

struct softmax {
	struct row_stream s;
	struct rows r;
};

INLINE void softmax_tile(const void *context, const struct row_tile *t)
{
	const struct softmax *m = context;
	enum elem e = m->s.in_elem[0];
	uint32_t a = t->work, x = tile_f32(&m->s, a, t->in[0], t->rows, e), y = f32_place(t->out[0], a, e);

	rows_reduce(&m->r, x, t->rows, FOLD_MAX);
	ROWS_WITH_BLOCKS(vsub, &m->r, a, x, m->r.broad, t->rows);
	count_lanes(t->rows * m->s.pitch);
	V_UN(vexp, a, a);
	all_lanes();
	rows_reduce(&m->r, a, t->rows, FOLD_SUM);
	ROWS_WITH_BLOCKS(vdiv, &m->r, y, a, m->r.broad, t->rows);
	tile_from_f32(&m->s, t->out[0], y, t->rows, e);
}

INLINE void softmax_all(bool half_io, __gm__ void *x, __gm__ void *y, __gm__ const struct softmax_tiling *tiling)
{
	enum elem e = half_io ? E_F16 : E_F32;
	struct softmax m = { .s = { .n_in = 1, .n_out = 1, .work = 1, .in_elem = { e }, .out_elem = { e }, .in = { x },
				    .out = { y } } };

	row_share(&m.s, tiling->rows, tiling->cols, tiling->tile);
	limit(row_stream_end(&m.s) + ROWS_BYTES <= ROWS_UB_SIZE, "tiles of `tile` elements fit into UB: at most 7168");
	all_lanes();
	m.r = rows_at(m.s.cols, m.s.pitch, row_stream_end(&m.s));
	row_stream(&m.s, softmax_tile, &m);
}

#endif
