/*
 * chip.h - a chip: every parameter, read from configs/NAME.cfg, never changed during a run. Nothing about a chip is
 * hard-coded in sim/ (design D5). The schema is chip_keys.def plus vector_time (one entry per vector timing class).
 */
#ifndef CHIP_H
#define CHIP_H

#include "../isa/isa.h"
#include "fail.h"

#include <stdint.h>
#include <stdio.h>

/* A vector instruction of R repeats occupies its pipe for gap + R * max(slope, s) cycles, s being the cycles that a
 * repeat's operands need at the UB ports (1 without bank conflict, 2 for two sources in phase ...), and at least
 * vector.issue_cycles; its results are visible head + tail cycles later: start-up and drain hide behind neighbours in
 * a stream. Thousandths of a cycle; gaps and slopes by width of the widest operand. The larger of slope and s, not the
 * product: vdiv takes 4 per repeat with operands in phase, as without. */
struct vector_time {
	int64_t head, tail, slope16, slope32, gap16, gap32;
};

struct chip {
	char name[64];        /* "ascend910b1" */
	char arch_name[16];   /* "c220" */
	unsigned arch;        /* one bit of enum isa_arch */
	bool split;           /* cube and vector cores apart */
	char file[512];

#define GROUP(group, doc) struct {
#define KEY(group, name, scale, min, max, doc) int64_t name;
#define GROUP_END(group) } group;
#include "chip_keys.def"
#undef KEY

	struct vector_time vector_time[TIME_COUNT]; /* entries of vector classes only */
};

/* Where a number came from. */
struct chip_source {
	char kind[12];   /* measured, published, fitted, guessed, structure */
	char text[160];
};

/* One parameter with its tag, for `vinci chips NAME`. */
struct chip_param {
	const char *group, *name, *doc;
	int64_t value;   /* in 1/scale */
	int scale;
	struct chip_source source;
};

/* Read configs/NAME.cfg (NAME may be a path to a .cfg). FAIL_USER with file and line for an unreadable file, an unknown
 * or missing key, a value out of range, a wrong source tag. The text variant parses memory and serves the fuzzer. */
bool chip_load(const char *name, struct chip *chip, struct fail *f) SIM_MUST_CHECK;
bool chip_parse(const char *text, const char *file, struct chip *chip, struct fail *f) SIM_MUST_CHECK;

/* Every parameter of a loaded file with its tag, in schema order; returns how many, at most max are written. */
int chip_params(const char *name, struct chip_param *out, int max, struct fail *f);

/* "group.name" = text, as --set-chip does: for experiments. FAIL_USER when unknown or out of range. */
bool chip_override(struct chip *chip, const char *assignment, struct fail *f) SIM_MUST_CHECK;

/* Names of the chips in the config folder, sorted; returns how many. */
int chip_list(char names[][64], int max);

/* The folder of configs, found from VINCI_HOME or beside the executable. */
const char *chip_folder(void);

static inline int64_t chip_buffer_bytes(const struct chip *c, enum isa_space s)
{
	switch (s) {
	case SPACE_UB: return c->buffers.ub;
	case SPACE_L1: return c->buffers.l1;
	case SPACE_L0A: return c->buffers.l0a;
	case SPACE_L0B: return c->buffers.l0b;
	case SPACE_L0C: return c->buffers.l0c;
	case SPACE_BT: return c->buffers.bt;
	case SPACE_FB: return c->buffers.fb;
	default: return 0;
	}
}

#endif
