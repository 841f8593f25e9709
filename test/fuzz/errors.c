/*
 * errors.c - fuzz target: text of a compiler. Whatever it is, it is rewritten without reading outside, and an error in it
 * that has a place is never lost altogether.
 */
#include "../../sim/cc_errors.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const ours[] = { "/v", NULL };
	char *text = malloc(size + 1);
	int errors;
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	char *told = cc_errors(text, ours, &errors);
	if (!told || errors < 0 || (errors && !strstr(told, ": error: ")))
		__builtin_trap();
	free(told);
	free(text);
	return 0;
}
