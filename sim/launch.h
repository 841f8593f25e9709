/*
 * launch.h - launch files (libconfig): which kernel, which chip, which arguments, what the result should be.
 *
 *   kernel = "matmul.c";  entry = "matmul";  chip = "ascend910b1";  blocks = 0;       // 0: one per core
 *   params = { M = 512; N = 512; K = 512; base_m = 128; };                            // --set M=127
 *   args = (
 *     { name = "a"; kind = "in";  dtype = "f16"; shape = [ "M", "K" ]; init = "uniform(-1, 1)"; }, // or file = "a.npy"
 *     { name = "c"; kind = "out"; dtype = "f32"; shape = [ "M", "N" ]; },
 *     { name = "w"; kind = "workspace"; dtype = "u8"; shape = [ "M * 64" ]; },
 *     { name = "tiling"; kind = "tiling"; values = { m = "M"; n = "N"; k = "K"; base_m = "base_m"; }; },
 *     { name = "alpha"; kind = "scalar"; dtype = "f32"; value = "2"; } );
 *   golden = "golden.c";         // a C program (kernels/golden.h), or per output: golden = "c.npy"
 *   tolerance = { preset = "f32"; };   // or rtol, atol, fraction
 *
 * Numbers may be expressions over params: + - * / % ( ) min max ceil_div align, comparisons (1 or 0), c ? a : b, integers.
 * A param may be an expression over those before it, step = "M > 128 ? 256 : 128": it follows them until it is set itself.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "fail.h"
#include "npy.h"

enum { LAUNCH_ARGS = 16, LAUNCH_PARAMS = 48, LAUNCH_VALUES = 64 };

enum arg_kind { ARG_IN, ARG_OUT, ARG_INOUT, ARG_WORKSPACE, ARG_TILING, ARG_SCALAR };

/* Member of a tiling struct: name = "expression" or a number; name = (value, "f32") says its type. type is empty when
 * not said: as the kernel's struct has it (else u32). A member of float type holds a number, not an expression. */
struct launch_value { char name[48]; char type[8]; char expr[128]; int line; };

struct launch_arg {
	char name[48];
	enum arg_kind kind;
	enum dtype dtype;
	int n_dim;
	char dim_expr[ARRAY_DIMS][96];
	char init[128];      /* "zeros" "ones" "arange(start, step)" "uniform(lo, hi)" "normal(mean, std)" "const(v)" */
	char file[512];      /* input file instead of init */
	char golden[512];    /* expected output file */
	char out[512];       /* where to write the output; empty: not written */
	bool bypass;         /* cache = "bypass": reads leave nothing in L2 */
	bool has_tolerance;
	struct tolerance tolerance;
	int n_value;         /* tiling members */
	struct launch_value value[LAUNCH_VALUES];
	char scalar[128];    /* value expression */
	int line;
};

/* expr: what value follows, empty for a plain number. */
struct launch_param { char name[48]; int64_t value; char expr[160]; int line; };

struct launch {
	char file[512];      /* the launch file, empty when built from command line only */
	char folder[512];    /* names of files in it are relative to this; reading joins them */
	char kernel[512];    /* .c, .cpp or .elf */
	char entry[64];
	char chip[128];
	char core[16];       /* "cube", "vector", "mix", "" = as the ELF says */
	char cflags[256];
	int64_t blocks;      /* 0: one per core */
	int64_t max_cycles;  /* 0: default */
	int64_t tiling_key;  /* what TILING_KEY_IS asks for */
	uint64_t seed;
	char golden[512];    /* C program, or empty */
	int n_param;
	struct launch_param param[LAUNCH_PARAMS];
	int n_arg;
	struct launch_arg arg[LAUNCH_ARGS];
};

/* Read a launch file, or the launch.cfg of a folder. Files that it names are made relative to the current folder (a.npy
 * becomes kernels/add/a.npy); those that launch_set names already are. Unknown and missing keys are FAIL_USER with file
 * and line. */
bool launch_load(const char *path, struct launch *l, struct fail *f) SIM_MUST_CHECK;
bool launch_parse(const char *text, const char *file, struct launch *l, struct fail *f) SIM_MUST_CHECK;

/* Overrides from the command line: "M=127" sets a param; "chip=ascend910", "blocks=8", "entry=...", "seed=...",
 * "a.file=x.npy", "c.out=y.npy", "c.golden=g.npy", "a.init=...", "a.dtype=f32", "c.rtol=1e-3" set other keys. Unknown
 * names are FAIL_USER with the nearest known one. */
bool launch_set(struct launch *l, const char *assignment, struct fail *f) SIM_MUST_CHECK;

/* Evaluate an integer expression over the params. */
bool launch_eval(const struct launch *l, const char *expr, int64_t *value, struct fail *f) SIM_MUST_CHECK;

/* Shape of an argument under the current params. */
bool launch_shape(const struct launch *l, const struct launch_arg *a, uint64_t dim[ARRAY_DIMS], struct fail *f)
	SIM_MUST_CHECK;

/* Fill an array as init says; the generator is seeded by launch seed and argument number, the same on every host. */
bool launch_init(const struct launch *l, int arg, struct array *a, struct fail *f) SIM_MUST_CHECK;

#endif
