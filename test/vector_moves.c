/*
 * vector_moves.c - data movement inside UB: vbrcb, gathers, GatherMask, transposes, CMPMASK, sort and merge.
 */
#include "vector_bench.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct bench b;

Test(vector_moves, brcb_random)
{
	bench_init();
	for (unsigned variant = 0; variant < 2; variant++)
		for (uint32_t seed = 1; seed < 60; seed++) {
			uint32_t s = seed;
			bench_start(&b, INSN_vbrcb, variant, seed);
			b.op.x[0] = bench_rnd(&s) % 8 * 32;
			b.op.x[1] = 16384 + bench_rnd(&s) % 8 * 32;
			b.op.x[3] = word_un((int)(bench_rnd(&s) % 9), 1 + (int)(bench_rnd(&s) % 3), 0,
					    (int)(bench_rnd(&s) % 30), 0);
			bench_compare(&b, seed);
		}
}

Test(vector_moves, gather_random)
{
	bench_init();
	for (unsigned variant = 0; variant < 2; variant++)
		for (uint32_t seed = 1; seed < 60; seed++) {
			uint32_t s = seed, bytes = variant ? 4 : 2;
			bench_start(&b, INSN_vgather, variant, seed);
			b.op.x[0] = bench_rnd(&s) % 8 * 32;
			b.op.x[1] = 8192;
			b.op.x[2] = 16384 + bench_rnd(&s) % 100 * 32;
			b.op.x[3] = bench_rnd(&s) % 17 | (uint64_t)(bench_rnd(&s) % 6) << 56;
			for (uint32_t i = 0; i < 8192; i += 4) {
				uint32_t offset = bench_rnd(&s) % 1024 * bytes;
				memcpy(b.ub + 8192 + i, &offset, 4);
			}
			if (seed % 3 == 0)
				b.op.spr.mask_lo = (uint64_t)bench_rnd(&s) << 32 | bench_rnd(&s);
			if (seed % 3 == 1) {
				b.op.spr.ctrl |= UINT64_C(1) << CTRL_COUNTER;
				b.op.spr.mask_lo = bench_rnd(&s) % 500;
			}
			bench_compare(&b, seed);
		}
}

Test(vector_moves, gatherb_random)
{
	bench_init();
	for (uint32_t seed = 1; seed < 60; seed++) {
		uint32_t s = seed;
		bench_start(&b, INSN_vgatherb, seed & 1, seed);
		b.op.x[0] = bench_rnd(&s) % 8 * 32;
		b.op.x[1] = 8192;
		b.op.x[2] = 16384;
		b.op.x[3] = bench_rnd(&s) % 30 | (uint64_t)(1 + bench_rnd(&s) % 3) << 16 |
			    (uint64_t)(bench_rnd(&s) % 6) << 56;
		for (uint32_t i = 0; i < 1024; i += 4) {
			uint32_t offset = bench_rnd(&s) % 200 * 32;
			memcpy(b.ub + 8192 + i, &offset, 4);
		}
		bench_compare(&b, seed);
	}
}

/* Patterns, bit tensors, counter mode with a count per repeat; in place too, since results never overtake sources. */
Test(vector_moves, gather_mask_random)
{
	bench_init();
	for (uint32_t seed = 1; seed < 400; seed++) {
		uint32_t s = seed;
		bench_start(&b, INSN_vreducev2, seed & 1, seed);
		b.op.x[0] = seed % 5 ? bench_rnd(&s) % 8 * 32 : 8192;
		b.op.x[1] = 8192;
		b.op.x[2] = 20480;
		int blk = seed % 5 ? (int)(bench_rnd(&s) % 3) : 1, rep = seed % 5 ? (int)(bench_rnd(&s) % 20) : 8;
		b.op.x[3] = (uint64_t)blk | (uint64_t)(bench_rnd(&s) % 8) << 8 | (uint64_t)rep << 16 |
			    (uint64_t)(bench_rnd(&s) % 4) << 32 | (uint64_t)(bench_rnd(&s) % 6) << 40;
		if (seed % 3 == 1) {
			b.op.spr.ctrl |= UINT64_C(1) << CTRL_COUNTER;
			b.op.spr.mask_lo = seed % 5 ? bench_rnd(&s) % 200 : 64;
		}
		struct vref_op r = bench_ref(&b);
		static uint8_t ref[BENCH_UB];
		memcpy(ref, b.ub, BENCH_UB);
		cr_assert(vref_run(&r, ref));
		if (b.e.nop)
			r.count = 0;
		bench_compare(&b, seed);
		if (!b.e.nop)
			cr_assert_eq(b.mem.rsvd_cnt, r.count, "seed %u", seed);
	}
}

static void va_set(struct bench *t, int va, const uint16_t *blocks)
{
	memcpy(t->op.spr.va[va], blocks, 16);
	memcpy(t->op.spr.va[va + 1], blocks + 8, 16);
}

/* dst block i element j = src block j element i; b8 by halves; b32 in two groups of eight sources. */
Test(vector_moves, transposes)
{
	static const unsigned id[3] = { INSN_scatter_vnchwconv_b8, INSN_scatter_vnchwconv_b16,
					INSN_scatter_vnchwconv_b32 };
	static uint8_t want[BENCH_UB];

	bench_init();
	for (uint32_t seed = 1; seed < 120; seed++)
		for (int kind = 0; kind < 3; kind++) {
			uint32_t s = seed * 7 + (uint32_t)kind;
			uint16_t src[16], dst[16];
			bench_start(&b, id[kind], 0, seed);
			for (uint32_t i = 0; i < 16; i++) { /* regular, or scattered over separate slots */
				src[i] = (uint16_t)(256 + (seed & 1 ? i * 2 : (i * 7 % 16) * 4 + bench_rnd(&s) % 4));
				dst[i] = (uint16_t)(512 + (seed & 2 ? i : (i * 5 % 16) * 4 + bench_rnd(&s) % 4));
			}
			int repeat = (int)(seed % 4), drep = repeat == 1 ? 0 : 64, srep = repeat == 1 ? 0 : 65;
			int dh = kind ? 0 : seed >> 2 & 1, sh = kind ? 0 : seed >> 3 & 1;
			b.op.x[0] = 0;
			b.op.x[1] = 2 + seed % 5;
			va_set(&b, 2 + (int)(seed % 5), src);
			va_set(&b, 0, dst);
			b.op.x[3] = (uint64_t)drep | (uint64_t)srep << 16 | (uint64_t)dh << 32 | (uint64_t)sh << 33 |
				    (uint64_t)repeat << 56;
			memcpy(want, b.ub, BENCH_UB);
			for (int r = 0; r < repeat; r++)
				for (int i = 0; i < 16; i++)
					for (int j = 0; j < 16; j++) {
						uint8_t *to = want + (dst[i] + r * drep) * 32;
						if (kind == 0)
							to[dh * 16 + j] = b.ub[(src[j] + r * srep) * 32 + sh * 16 + i];
						else if (kind == 1)
							memcpy(to + j * 2, b.ub + (src[j] + r * srep) * 32 + i * 2, 2);
						else if (j < 8)
							memcpy(to + j * 4, b.ub + (src[i % 2 * 8 + j] + r * srep) * 32 +
							       i / 2 * 4, 4);
					}
			cr_assert(bench_run(&b), "%s", b.f.what);
			cr_assert_eq(memcmp(b.ub, want, BENCH_UB), 0, "seed %u kind %d", seed, kind);
		}
}

Test(vector_moves, transpose_16x16_also_in_place)
{
	bench_init();
	for (uint32_t seed = 1; seed < 20; seed++) {
		bench_start(&b, INSN_vtranspose, 0, seed);
		b.op.x[0] = seed & 1 ? 2048 : 4096;
		b.op.x[1] = 4096;
		bench_compare(&b, seed);
	}
}

Test(vector_moves, cmpmask_to_and_from_ub)
{
	bench_init();
	bench_start(&b, INSN_set_cmpmask, 0, 3);
	b.op.x[1] = 48;
	cr_assert(bench_run(&b), "%s", b.f.what);
	cr_assert_eq(memcmp(b.mem.cmpmask, b.ub + 48, 16), 0);
	b.op.insn = INSN_get_cmpmask;
	b.op.x[0] = 4096;
	cr_assert(bench_run(&b), "%s", b.f.what);
	cr_assert_eq(memcmp(b.ub + 4096, b.ub + 48, 16), 0);
	b.op.x[0] = 4100;
	cr_assert_not(bench_run(&b));
}

struct record { double score; uint32_t index; int order; };

static int descending(const void *p, const void *q)
{
	const struct record *x = p, *y = q;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->order - y->order;
}

static double score_at(const struct bench *t, uint64_t addr)
{
	uint16_t h;
	float f;
	memcpy(&h, t->ub + addr, 2);
	memcpy(&f, t->ub + addr, 4);
	return t->op.variant ? f : vref_half_value(h);
}

static void put_score(struct bench *t, uint64_t addr, double x)
{
	uint16_t h = vref_half(x, 'r', true);
	float f = (float)x;
	memcpy(t->ub + addr, t->op.variant ? (void *)&f : (void *)&h, t->op.variant ? 4 : 2);
}

Test(vector_moves, sort_32_records_stable)
{
	bench_init();
	for (uint32_t seed = 1; seed < 60; seed++)
		for (unsigned variant = 0; variant < 2; variant++) {
			uint32_t s = seed, n = seed % 4, bytes = variant ? 4 : 2;
			struct record want[96];
			bench_start(&b, INSN_vbitsort, variant, seed);
			b.op.x[0] = 0;
			b.op.x[1] = 8192;
			b.op.x[2] = 16384;
			b.op.x[3] = (uint64_t)n << 56;
			for (uint32_t i = 0; i < n * 32; i++) {
				double x = (double)(bench_rnd(&s) % 40) - 20;
				put_score(&b, 8192 + i * bytes, x);
				want[i] = (struct record){ .score = x, .order = (int)i };
				memcpy(&want[i].index, b.ub + 16384 + i * 4, 4);
			}
			for (uint32_t r = 0; r < n; r++)
				qsort(want + r * 32, 32, sizeof(want[0]), descending);
			cr_assert(bench_run(&b), "%s", b.f.what);
			for (uint32_t i = 0; i < n * 32; i++) {
				uint32_t index;
				memcpy(&index, b.ub + i * 8 + 4, 4);
				cr_assert_eq(score_at(&b, i * 8), want[i].score, "seed %u record %u", seed, i);
				cr_assert_eq(index, want[i].index, "seed %u record %u", seed, i);
				cr_assert(variant || (b.ub[i * 8 + 2] == 0 && b.ub[i * 8 + 3] == 0));
			}
		}
}

/* Lists at 0x1000, 0x2000, 0x3000, 0x4000; record i of list k carries index k << 16 | i. */
static uint32_t make_lists(uint32_t *s, const uint32_t *len, uint32_t lists)
{
	uint32_t total = 0;
	for (uint32_t k = 0; k < lists; k++) {
		double x = 30;
		for (uint32_t i = 0; i < len[k]; i++, total++) {
			uint32_t index = k << 16 | i;
			uint64_t at = 0x1000 * (k + 1) + i * 8;
			put_score(&b, at, x);
			memcpy(b.ub + at + 4, &index, 4);
			x -= bench_rnd(s) % 3;
		}
	}
	return total;
}

Test(vector_moves, merge_lists)
{
	bench_init();
	for (uint32_t seed = 1; seed < 200; seed++) {
		uint32_t s = seed, lists = 1 + seed % 4, len[4] = { 0 }, used[4] = { 0 }, n = 0;
		bool stop = seed & 8;
		bench_start(&b, INSN_vmrgsort4, seed >> 4 & 1, seed);
		for (uint32_t k = 0; k < lists; k++)
			len[k] = 1 + bench_rnd(&s) % 100;
		uint32_t total = make_lists(&s, len, lists);
		b.op.x[0] = 0;
		b.op.x[1] = 0x1000 / 8 | (uint64_t)0x2000 / 8 << 16 | (uint64_t)0x3000 / 8 << 32 |
			    (uint64_t)0x4000 / 8 << 48;
		b.op.x[2] = len[0] | (uint64_t)len[1] << 16 | (uint64_t)len[2] << 32 | (uint64_t)len[3] << 48;
		b.op.x[3] = 1 | ((1 << lists) - 1) << 8 | stop << 12;
		static struct bench old;
		old = b;
		cr_assert(bench_run(&b), "%s", b.f.what);
		for (; n < total; n++) {
			int best = -1;
			bool done = false;
			for (uint32_t k = 0; k < lists; k++) {
				uint64_t at = 0x1000 * (k + 1) + used[k] * 8;
				done |= used[k] == len[k];
				if (used[k] < len[k] &&
				    (best < 0 || score_at(&old, at) > score_at(&old, 0x1000 * ((uint64_t)best + 1) +
											     used[best] * 8)))
					best = (int)k;
			}
			if (stop && done)
				break;
			cr_assert_eq(memcmp(b.ub + n * 8, old.ub + 0x1000 * (best + 1) + used[best] * 8, 8), 0,
				     "seed %u record %u", seed, n);
			used[best]++;
		}
		cr_assert_eq(memcmp(b.ub + n * 8, old.ub + n * 8, 64), 0, "seed %u: written past the end", seed);
		cr_assert_eq(b.mem.vms4_sr,
			     used[0] | (uint64_t)used[1] << 16 | (uint64_t)used[2] << 32 | (uint64_t)used[3] << 48);
	}
}

Test(vector_moves, merge_several_groups)
{
	bench_init();
	bench_start(&b, INSN_vmrgsort4, 1, 1);
	/* two groups of four lists of 4 records, behind each other */
	for (uint32_t i = 0; i < 32; i++)
		put_score(&b, 0x2000 + i * 8, 100.0 - i % 4 * 10 - i / 4);
	b.op.x[0] = 0;
	b.op.x[1] = 0x2000 / 8 | (uint64_t)0x2020 / 8 << 16 | (uint64_t)0x2040 / 8 << 32 | (uint64_t)0x2060 / 8 << 48;
	b.op.x[2] = 0x0004000400040004;
	b.op.x[3] = 2 | 15 << 8;
	cr_assert(bench_run(&b), "%s", b.f.what);
	for (uint32_t g = 0; g < 2; g++)
		for (uint32_t i = 0; i < 16; i++)
			cr_assert_eq(score_at(&b, g * 128 + i * 8), 100.0 - i / 4 * 10 - i % 4 - g * 4);
	b.op.x[2] = 0x0004000400040003;
	cr_assert_not(bench_run(&b));
	cr_assert(strstr(b.f.what, "equal length"), "%s", b.f.what);
}

/* Older levels: 16 proposals of 8 elements, score in element 4. */
Test(vector_moves, sort_16_proposals)
{
	bench_init();
	bench_start(&b, INSN_vbitsort, 0, 9);
	b.chip.arch = ARCH_C100;
	b.chip.split = false;
	b.op.x[0] = 0;
	b.op.x[1] = 4096;
	b.op.x[3] = (uint64_t)1 << 56 | 1;
	for (uint32_t i = 0; i < 16; i++)
		put_score(&b, 4096 + i * 16 + 8, i * 5 % 16);
	cr_assert(bench_run(&b), "%s", b.f.what);
	for (uint32_t i = 0; i < 16; i++)
		cr_assert_eq(score_at(&b, i * 16 + 8), 15 - i);
}
