/*
 * config.c - fuzz target: chip configs from memory, and overrides. The first line, when it begins with '=', is an
 * override of the 910B1; the rest is a config.
 */
#include "../../sim/chip.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

/* libconfig loses a few bytes on syntax errors */
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct chip good, c;
	struct fail f = { 0 }, g = { 0 };
	char *text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = 0;
	char *end = strchr(text, '\n');
	if (text[0] == '=' && end) {
		*end = 0;
		if (!good.name[0] && !chip_load("configs/ascend910b1.cfg", &good, &g))
			__builtin_trap();
		c = good;
		if (!chip_override(&c, text + 1, &g) && (g.class != FAIL_USER || memcmp(&c, &good, sizeof(c)) != 0))
			__builtin_trap();
	}
	bool ok = chip_parse(text[0] == '=' && end ? end + 1 : text, "fuzz.cfg", &c, &f);
	if (!ok && f.class != FAIL_USER)
		__builtin_trap();
	free(text);
	return 0;
}
