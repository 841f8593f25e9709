/*
 * vector_bench.h - a unified buffer, one vector op built by hand, and the three ways to run it: sim's fast path, sim's
 * plain path, the reference.
 */
#ifndef VECTOR_BENCH_H
#define VECTOR_BENCH_H

#include "../sim/vector.h"
#include "ref/vector_ref.h"

enum { BENCH_UB = 24576 };

struct bench {
	struct chip chip;
	struct core_mem mem;
	struct op op;
	struct effect e;
	struct fail f;
	_Alignas(32) uint8_t ub[BENCH_UB];
};

void bench_init(void);
uint32_t bench_rnd(uint32_t *seed);

/* A zeroed bench for one op: mask all ones, CTRL at reset, UB filled from seed for elements of type t. */
void bench_start(struct bench *b, unsigned id, unsigned variant, uint32_t seed);
/* unit_effect and unit_value; false when either fails. */
bool bench_run(struct bench *b);

/* Random operands for one row and variant: fast, plain and reference must leave the same bytes, all inside the written
 * ranges of the effect, and none must depend on bytes outside the read ranges. */
void bench_random(unsigned id, unsigned variant, uint32_t seed);

/* The reference's view of b's op. */
struct vref_op bench_ref(const struct bench *b);

/* Run b and the reference; compare all of UB. */
void bench_compare(struct bench *b, uint32_t seed);

/* Words of layout.def. */
uint64_t word_bin(int repeat, int dblk, int s0blk, int s1blk, int drep, int s0rep, int s1rep, int mode);
uint64_t word_un(int repeat, int dblk, int sblk, int drep, int srep);
uint64_t word_red(int repeat, int drep, int sblk, int srep, int order);

#endif
