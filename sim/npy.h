/*
 * npy.h - arrays in files: .npy (versions 1-3) and raw .bin; element types and tolerances.
 */
#ifndef NPY_H
#define NPY_H

#include "fail.h"

#include <stddef.h>
#include <stdint.h>

enum dtype {
	DT_NONE, DT_F16, DT_BF16, DT_F32, DT_F64, DT_S8, DT_U8, DT_S16, DT_U16, DT_S32, DT_U32, DT_S64, DT_U64, DT_BOOL,
	DT_COUNT
};

enum { ARRAY_DIMS = 8 };
#define ARRAY_MAX_BYTES (UINT64_C(64) << 30)

struct array {
	enum dtype dtype;
	int n_dim;
	uint64_t dim[ARRAY_DIMS];
	uint64_t count;      /* elements */
	uint64_t bytes;
	uint8_t *data;       /* owned; row-major, little-endian */
	double *bound;       /* owned or NULL; of expected values: how far each element may be off by rounding */
};

enum dtype dtype_parse(const char *name);      /* "f16" "float16" "<f2" ...; DT_NONE when unknown */
const char *dtype_name(enum dtype t);          /* "f16" */
unsigned dtype_bytes(enum dtype t);
double dtype_get(enum dtype t, const uint8_t *data, uint64_t i);        /* element as double (64-bit ints: rounded) */
void dtype_set(enum dtype t, uint8_t *data, uint64_t i, double v);      /* nearest even; integers saturate, NaN is 0 */
bool dtype_is_int(enum dtype t);                                        /* bool included */
int64_t dtype_get_int(enum dtype t, const uint8_t *data, uint64_t i);   /* the bits, sign-extended */

/* Elements and bytes of a shape; false when it overflows or exceeds ARRAY_MAX_BYTES. */
bool array_size(enum dtype t, int n_dim, const uint64_t *dim, uint64_t *count, uint64_t *bytes);
/* Zeroed. */
bool array_make(struct array *a, enum dtype t, int n_dim, const uint64_t *dim, struct fail *f) SIM_MUST_CHECK;
void array_free(struct array *a);

/* Read FILE. .npy describes itself; a raw file takes dtype and shape from the caller, and must have exactly that size.
 * A dtype (not DT_NONE) or shape (dim not NULL) that is given and differs from the .npy is FAIL_USER. bf16 travels as
 * <u2 or |V2: such a file is bf16 when the caller asks for it. */
bool array_read(const char *file, enum dtype t, int n_dim, const uint64_t *dim, struct array *a, struct fail *f)
	SIM_MUST_CHECK;
bool npy_parse(const uint8_t *bytes, size_t size, const char *file, struct array *a, struct fail *f) SIM_MUST_CHECK;

/* Write .npy or, by extension, raw bytes. Written to a temporary beside it and renamed: never half a file. */
bool array_write(const char *file, const struct array *a, struct fail *f) SIM_MUST_CHECK;

/* |got - expected| <= atol + rtol * |expected| + the expected array's bound; NaN equals NaN; at most `fraction` of the
 * elements may miss. */
struct tolerance { double rtol, atol, fraction; };
struct tolerance tolerance_preset(enum dtype t);
/* By name: an element type, or "exact". False when unknown. */
bool tolerance_parse(const char *name, struct tolerance *t);

struct mismatch { uint64_t index; double expected, got; };
struct compare {
	uint64_t count, wrong;
	double max_abs, max_rel;
	double worst;        /* largest share of its tolerance that an element within it used, 0..1 */
	uint64_t max_abs_index;
	int n_first;
	struct mismatch first[8];
	bool bound;          /* the expected values came with bounds */
	bool pass;
};
/* FAIL_USER when types or element counts differ. */
bool array_compare(const struct array *got, const struct array *expected, struct tolerance t, struct compare *c,
		   struct fail *f) SIM_MUST_CHECK;

#endif
