/*
 * npy.c - fuzz target: .npy files from memory. What parses must be whole, and equal to itself.
 */
#include "../../sim/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct array a;
	struct compare c;
	struct fail f = { 0 };
	if (!npy_parse(data, size, "fuzz.npy", &a, &f)) {
		if (f.class != FAIL_USER || a.data)
			__builtin_trap();
		return 0;
	}
	if (a.bytes > size || a.count * dtype_bytes(a.dtype) != a.bytes)
		__builtin_trap();
	if (!array_compare(&a, &a, tolerance_preset(a.dtype), &c, &f) || !c.pass || c.wrong)
		__builtin_trap();
	for (uint64_t i = 0; i < a.count; i++)
		dtype_set(a.dtype, a.data, i, dtype_get(a.dtype, a.data, i));
	array_free(&a);
	return 0;
}
