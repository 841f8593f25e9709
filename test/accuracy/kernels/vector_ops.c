/*
 * vector_ops.c - streams and single shots of vector instructions, for the tables of micro.jsonl. For every count of
 * repeats in the list: 32 times the instruction, behind a barrier of all pipes; `alone` puts a vector barrier between.
 */
#include <stdbool.h>
#include <stdint.h>

#define A 0x0
#define B 0x8000
#define D 0x20000

#define SHOTS(call)                                                                                                    \
	for (uint32_t i = 0; i < n; i++) {                                                                             \
		uint8_t r = (uint8_t)list[i];                                                                          \
		pipe_barrier(PIPE_ALL);                                                                                \
		if (alone)                                                                                             \
			for (int k = 0; k < 4; k++) {                                                                  \
				call;                                                                                  \
				pipe_barrier(PIPE_V);                                                                  \
			}                                                                                              \
		else                                                                                                   \
			for (int k = 0; k < 4; k++) {                                                                  \
				call; call; call; call; call; call; call; call;                                        \
			}                                                                                              \
	}

enum op {
#define OP(name, call) op_##name,
#include "vector_ops.def"
#undef OP
};

__global__ __aicore__ void vector_ops(__gm__ const uint32_t *list, uint32_t n, uint32_t which, uint32_t alone)
{
	set_vector_mask(~UINT64_C(0), ~UINT64_C(0));
	set_deqscale(UINT64_C(1) << 46); /* signed results */
	switch (which) {
#define OP(name, call) case op_##name: SHOTS(call) break;
#include "vector_ops.def"
#undef OP
	}
}
