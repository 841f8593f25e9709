/* golden.c - as for sort.cpp: lists of 16 instead of 32. */
#include "../sort/golden.c"
