/* golden.c - the rows of move.cpp: every element is one of x. */
#include "../rows_golden.h"

#define ROW(active, from)                                                                                              \
	do {                                                                                                           \
		double *o = rows_next(&r);                                                                             \
		for (int64_t i = 0; i < n; i++)                                                                        \
			o[i] = (active) ? r.x[from] : 0;                                                               \
	} while (0)
#define KEPT(keep)                                                                                                     \
	do {                                                                                                           \
		double *o = rows_next(&r);                                                                             \
		for (int64_t i = 0; i < n; i++)                                                                        \
			if (keep)                                                                                      \
				*o++ = r.x[i];                                                                         \
	} while (0)

int golden(struct golden *g)
{
	struct rows r = rows_start(g);
	int64_t n = r.n, block = r.lanes / 8, gen = golden_param(g, "gen");
	ROW(i < n / 2, i / block * 2 * block + i % block);
	ROW(true, block);
	ROW(true, i / 64);
	ROW(true, i % 64);
	if (block == 16) {
		ROW(i < 256, i % 16 * 16 + i / 16);
		ROW(i < 256, i % 16 * 16 + i / 16);
	}
	if (gen == 3) {
		ROW(rows_first7(&r, i), i);
		ROW(i / r.lanes % 2 == 0 && rows_bits(&r, i), i / r.lanes / 2 * r.lanes + i % r.lanes);
		ROW(true, i / block);
		ROW(true, (n / block - 1 - i / block) * block + i % block);
	}
	if (gen > 1) {
		ROW(i < n - 3, n - 1 - i);
		ROW(rows_first7(&r, i), n - 1 - i);
		ROW(rows_bits(&r, i), n - 1 - i);
		KEPT(i % 2 == 0);
		KEPT(i % 2 == 1);
		KEPT(i % 4 == 0);
		KEPT(i % 4 == 3);
		KEPT(true);
		KEPT(i < 70 && i % 2 == 0);
		KEPT(i % 4 == 0);
	}
	return rows_end(&r, g);
}
