/*
 * golden.c - what cast should compute: each element rounded once to the type of y, integers saturated.
 */
#include "../golden.h"

int golden(struct golden *g)
{
	golden_put_f64(g, "y", golden_f64(g, "x"));
	return 0;
}
