/*
 * main.c - the vinci command: which sub-command runs.
 */
#include "../isa/isa.h"
#include "../traces/trace_command.h"
#include "../viz/view.h"
#include "cli.h"
#include "cli_commands.h"
#include "run.h"
#include "tune.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"Vinci simulates a Da Vinci-style AI core: it runs compiled operator kernels, checks their values,\n"
	"counts cycles and says what held them back.\n"
	"\n"
	"  vinci run     kernels/matmul        compile if needed, simulate, check against golden, report\n"
	"  vinci check   kernels/matmul        find mistakes: memory, undefined bytes, races, flags, deadlock, useless waits\n"
	"  vinci report  kernels/matmul        where the time went: --source --bounds --roofline --buffers --what-if\n"
	"  vinci diff    old.json new.json     what changed between two reports or traces\n"
	"  vinci tune    kernels/matmul        vary tiling parameters: which is fastest, and why\n"
	"  vinci trace   run.vtr               what a trace holds; to Perfetto, Konata, CSV, the vendor's viewer\n"
	"  vinci view    run.vtr | kernels/add a window on a run: who waits for whom; or a kernel step by step\n"
	"  vinci cc      kernel.c -o k.elf     compile a kernel\n"
	"  vinci objdump k.elf                 disassemble\n"
	"  vinci chips   [NAME]                chips, or every parameter of one with its source\n"
	"\n"
	"vinci COMMAND --help says more. Exit status: 0 good, 1 wrong result or kernel error, 2 wrong input,\n"
	"3 not modelled, 4 internal error.\n";

static const struct { const char *name; int (*run)(int argc, char **argv); } commands[] = {
	{ "run", cli_run }, { "check", cli_check }, { "report", cli_report }, { "diff", cli_diff },
	{ "tune", cli_tune }, { "trace", cli_trace }, { "view", cli_view }, { "cc", cli_cc },
	{ "objdump", cli_objdump }, { "chips", cli_chips },
};

/* A stream that the caller closed: its number must not go to a file, whose content would mix with messages. */
static void hold_streams(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) != fd)
			_exit(FAIL_INTERNAL);
}

/* A report that nobody got is no success. */
static int finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "vinci: input error: standard output cannot be written: %s\n", strerror(errno));
	return status ? status : FAIL_USER;
}

int main(int argc, char **argv)
{
	char err[512];
	hold_streams();
	if (!isa_init(err, sizeof err)) {
		fprintf(stderr, "vinci: internal error: %s\n", err);
		return FAIL_INTERNAL;
	}
	if (argc < 2) {
		fputs(usage, stderr);
		return FAIL_USER;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		fputs(usage, stdout);
		return finish(0);
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("vinci 0.1 (instruction table %08x)\n", isa_fingerprint());
		return finish(0);
	}
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return finish(commands[i].run(argc - 1, argv + 1));
	fprintf(stderr, "vinci: \"%s\" is not a command (", argv[1]);
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		fprintf(stderr, "%s%s", i ? ", " : "", commands[i].name);
	fputs("; see: vinci --help)\n", stderr);
	return FAIL_USER;
}
