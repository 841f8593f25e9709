/*
 * launch.c - fuzz target: launch files from memory, then what a run does with one: shapes, expressions, initial values.
 * A first line that begins with '=' is an override.
 */
#include "../../sim/launch.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

/* libconfig loses a few bytes on syntax errors */
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static void use(const struct launch *l)
{
	for (int i = 0; i < l->n_arg; i++) {
		struct fail f = { 0 };
		struct array a = { 0 };
		uint64_t dim[ARRAY_DIMS], count, bytes;
		int64_t v;
		for (int k = 0; k < l->arg[i].n_value; k++) {
			struct fail g = { 0 };
			if (!launch_eval(l, l->arg[i].value[k].expr, &v, &g) && g.class != FAIL_USER)
				__builtin_trap();
		}
		if (launch_shape(l, &l->arg[i], dim, &f) && l->arg[i].dtype != DT_NONE &&
		    array_size(l->arg[i].dtype, l->arg[i].n_dim, dim, &count, &bytes) && bytes < 4096 &&
		    array_make(&a, l->arg[i].dtype, l->arg[i].n_dim, dim, &f) && !launch_init(l, i, &a, &f) &&
		    f.class != FAIL_USER)
			__builtin_trap();
		array_free(&a);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct launch l;
	struct fail f = { 0 }, g = { 0 };
	char *text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = 0;
	char *end = strchr(text, '\n');
	bool set = text[0] == '=' && end;
	if (set)
		*end = 0;
	if (launch_parse(set ? end + 1 : text, "fuzz/launch.cfg", &l, &f)) {
		if (set && !launch_set(&l, text + 1, &g) && g.class != FAIL_USER)
			__builtin_trap();
		use(&l);
	} else if (f.class != FAIL_USER)
		__builtin_trap();
	free(text);
	return 0;
}
