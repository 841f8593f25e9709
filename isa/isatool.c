/*
 * isatool.c - host program made from the instruction table: `check` the table, write the kernels' `header`, the manual
 * (`doc`), the list of `names`. Output goes to stdout.
 */
#include "gen.h"

#include <stdio.h>
#include <string.h>

static void names(FILE *out)
{
	for (unsigned i = 0; i < ISA_COUNT; i++)
		fprintf(out, "%s\n", isa_table[i].name);
}

int main(int argc, char **argv)
{
	char err[512];
	if (!isa_init(err, sizeof err)) {
		fprintf(stderr, "isatool: %s\n", err);
		return 1;
	}
	const char *command = argc == 2 ? argv[1] : "";
	if (strcmp(command, "check") == 0)
		return 0;
	if (strcmp(command, "header") == 0)
		gen_header(stdout);
	else if (strcmp(command, "doc") == 0)
		gen_doc(stdout);
	else if (strcmp(command, "names") == 0)
		names(stdout);
	else {
		fprintf(stderr, "usage: isatool check | header | doc | names\n");
		return 2;
	}
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
