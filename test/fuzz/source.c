/*
 * source.c - fuzz target: the source pass on any text. Both halves must come out with as many lines as the text has up to
 * what is added behind it, and the halves of a half are stable: nothing of it is taken out twice.
 */
#include "../../sim/cc_source.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t lines(const char *s, size_t n)
{
	size_t count = 0;
	for (size_t i = 0; i < n; i++)
		count += s[i] == '\n';
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fail f = { 0 };
	char *device = NULL, *host = NULL;
	size_t device_size = 0, host_size = 0;
	if (size > 20000)
		return 0; /* brackets are looked for from each one on: long inputs only cost time */
	FILE *d = open_memstream(&device, &device_size), *h = open_memstream(&host, &host_size);
	if (!d || !h)
		return 0;
	bool ok = source_halves((const char *)data, size, "hidden.cpp", "fuzz.cpp", d, h, &f);
	fclose(d);
	fclose(h);
	if (!ok && f.class != FAIL_USER)
		__builtin_trap();
	if (ok && (lines(device, device_size) < lines((const char *)data, size) ||
		   lines(host, host_size) != lines((const char *)data, size)))
		__builtin_trap();
	free(device);
	free(host);
	return 0;
}
