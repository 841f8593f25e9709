/*
 * device.h - many launches in one process on memory that stays: what a host program does that trains a network or
 * runs a pipeline of operators. Buffers are the caller's; a launch sees them as GM and writes its results back.
 *
 *	struct device d;
 *	device_open(&d, "ascend910b1", &f);
 *	struct device_arg a[] = { device_in(x, n * 4), device_out(y, n * 4), device_in(&tiling, sizeof tiling) };
 *	device_run(&d, "kernels/eltwise/eltwise.c", "relu_f32", "vector", 0, a, 3, &t, &f);
 */
#ifndef DEVICE_H
#define DEVICE_H

#include "run.h"

enum { DEVICE_KERNELS = 64 };

struct device_arg {
	void *data;          /* a buffer, or NULL: a number */
	uint64_t bytes;
	bool writable, is_float;
	uint64_t number;     /* as the register holds it */
};

/* What a launch took. */
struct device_time { int64_t cycles; uint64_t macs; };

struct device {
	struct chip chip;
	int n_kernel;
	struct run *kernel[DEVICE_KERNELS]; /* compiled and loaded once per source, entry and core */
};

bool device_open(struct device *d, const char *chip, struct fail *f) SIM_MUST_CHECK;
void device_close(struct device *d);

static inline struct device_arg device_in(const void *p, uint64_t bytes)
{
	return (struct device_arg){ .data = (void *)(uintptr_t)p, .bytes = bytes };
}
static inline struct device_arg device_out(void *p, uint64_t bytes)
{
	return (struct device_arg){ .data = p, .bytes = bytes, .writable = true };
}
struct device_arg device_f32(float v);
struct device_arg device_s32(int32_t v);

/* Run an entry of a kernel source (or .elf) to its end. core: "cube", "vector", "mix"; blocks 0: one per core. t may be NULL.
 * Errors are those of `vinci run`. */
bool device_run(struct device *d, const char *kernel, const char *entry, const char *core, int64_t blocks,
		const struct device_arg *arg, int n_arg, struct device_time *t, struct fail *f) SIM_MUST_CHECK;

#endif
