/*
 * cli_tools.c - vinci cc, objdump and chips.
 */
#include "cc.h"
#include "cc_host.h"
#include "chip.h"
#include "cli_commands.h"
#include "objdump.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char cc_usage[] =
	"usage: vinci cc SOURCE -o OUTPUT.elf [--chip NAME] [--core cube|vector] [-I FOLDER] [-- CLANG FLAGS]\n"
	"       vinci cc --host SOURCE... -o PROGRAM [--chip NAME] [--cpu-debug] [-I FOLDER] [-- CLANG FLAGS]\n"
	"Compile a kernel: .c as C11, .cpp .cce .asc as C++17 with the Ascend C headers, with clang-19 and lld-19.\n"
	"--chip: a chip name, whose level decides (default ascend910b1); --core: of a split chip (default: what the source\n"
	"says, else vector). A mixed kernel gives OUTPUT.cube.elf and OUTPUT.vector.elf.\n"
	"--host: a program of operator and host sources that runs its kernels on the simulator through the acl runtime\n"
	"library; --cpu-debug: with ASCENDC_CPU_DEBUG for the host code (ICPU_RUN_KF).\n"
	"\n"
	"example: vinci cc kernels/matmul/matmul.c -o matmul.elf --chip ascend910b1 --core cube\n";

static int finish(bool ok, const struct fail *f)
{
	if (!ok)
		fail_print(f);
	return ok ? 0 : (int)f->class;
}

static bool cc_core(const struct chip *chip, const char *text, unsigned *core, struct fail *f)
{
	if (!text[0]) {
		*core = cc_default_core(chip->arch);
		return true;
	}
	*core = strcmp(text, "cube") == 0 ? CORE_CUBE : strcmp(text, "vector") == 0 ? CORE_VEC
		: strcmp(text, "fused") == 0 ? CORE_FUSED : 0;
	if (*core == 0)
		return fail_set(f, FAIL_USER, "--core %s: expected cube, vector or fused", text);
	if (chip->split == (*core == CORE_FUSED))
		return fail_set(f, FAIL_USER, "--core %s: %s has no such core", text, chip->name);
	return true;
}

/* One ELF; of a mixed kernel one per core kind, NAME.cube.elf and NAME.vector.elf for NAME.elf. */
static bool compile_cores(struct cc_options *cc, struct fail *f)
{
	char name[2][1024];
	const char *output = cc->output;
	size_t n = strlen(output);
	if (cc->core != (CORE_CUBE | CORE_VEC))
		return cc_compile(cc, f);
	n -= n > 4 && strcmp(output + n - 4, ".elf") == 0 ? 4 : 0;
	for (int i = 0; i < 2; i++) {
		snprintf(name[i], sizeof name[i], "%.*s.%s.elf", (int)n, output, i ? "vector" : "cube");
		cc->output = name[i];
		cc->core = i ? CORE_VEC : CORE_CUBE;
		if (!cc_compile(cc, f))
			return false;
	}
	fprintf(stderr, "a mixed kernel: %s and %s\n", name[0], name[1]);
	return true;
}

int cli_cc(int argc, char **argv)
{
	static const struct option options[] = { { "chip", 1, 0, 'c' }, { "core", 1, 0, 'k' }, { "help", 0, 0, 'h' },
						 { "include", 1, 0, 'I' }, { "host", 0, 0, 'H' },
						 { "cpu-debug", 0, 0, 'D' }, { 0, 0, 0, 0 } };
	struct cc_host_options host = { 0 };
	bool is_host = false;
	const char *chip_name = "ascend910b1", *core = "", *source = NULL;
	char extra[2048] = "";
	struct cc_options cc = { 0 };
	struct fail f = { 0 };
	struct chip chip;
	int c;
	optind = 1;
	while ((c = getopt_long(argc, argv, "-ho:I:", options, NULL)) != -1) {
		switch (c) {
		case 'h': fputs(cc_usage, stdout); return 0;
		case 'o': cc.output = optarg; break;
		case 'I': cc.include = optarg; break;
		case 'c': chip_name = optarg; break;
		case 'k': core = optarg; break;
		case 'H': is_host = true; break;
		case 'D': host.cpu_debug = true; break;
		case 1:
			if (host.n_source < CC_HOST_SOURCES)
				host.source[host.n_source++] = optarg;
			if (is_host) {
				source = optarg;
				break;
			}
			if (source)
				return finish(fail_set(&f, FAIL_USER, "one source at a time: %s and %s", source, optarg), &f);
			source = optarg;
			break;
		default: fputs(cc_usage, stderr); return FAIL_USER;
		}
	}
	for (int i = optind; i < argc; i++)
		snprintf(extra + strlen(extra), sizeof extra - strlen(extra), "%s ", argv[i]);
	if (!source || !cc.output) {
		fputs(cc_usage, stderr);
		return FAIL_USER;
	}
	cc.source = source;
	cc.extra = extra;
	bool ok = chip_load(chip_name, &chip, &f);
	if (ok && is_host) {
		host.output = cc.output;
		host.chip = chip_name;
		host.arch = chip.arch;
		host.include = cc.include;
		host.extra = extra;
		return finish(cc_host_program(&host, &f), &f);
	}
	cc.arch = ok ? chip.arch : 0;
	ok = ok && (core[0] ? cc_core(&chip, core, &cc.core, &f) : cc_source_core(source, chip.arch, &cc.core, &f));
	return finish(ok && compile_cores(&cc, &f), &f);
}

int cli_objdump(int argc, char **argv)
{
	struct fail f = { 0 };
	bool source = false;
	const char *file = NULL;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			puts("usage: vinci objdump FILE.elf [-l]\n"
			     "Disassemble a kernel, scalar and Da Vinci instructions. -l: with source lines.\n\n"
			     "example: vinci objdump -l matmul.elf");
			return 0;
		}
		if (strcmp(argv[i], "-l") == 0 || strcmp(argv[i], "--line-numbers") == 0)
			source = true;
		else if (argv[i][0] == '-')
			return finish(fail_set(&f, FAIL_USER, "unknown option %s (see: vinci objdump --help)", argv[i]), &f);
		else
			file = argv[i];
	}
	if (!file)
		return finish(fail_set(&f, FAIL_USER, "which file? usage: vinci objdump FILE.elf [-l]"), &f);
	return finish(objdump_file(file, stdout, source, &f), &f);
}

static int list_chips(void)
{
	char names[64][64];
	int n = chip_list(names, 64);
	printf("%-14s %-6s %-28s %9s %8s %8s\n", "chip", "level", "cores", "clock MHz", "UB KiB", "L1 KiB");
	for (int i = 0; i < n; i++) {
		struct chip c;
		struct fail f = { 0 };
		char cores[64];
		if (!chip_load(names[i], &c, &f)) {
			fail_print(&f);
			continue;
		}
		if (c.split)
			snprintf(cores, sizeof cores, "%d cube + %d vector", (int)c.cores.cube, (int)c.cores.vector);
		else
			snprintf(cores, sizeof cores, "%d fused", (int)c.cores.fused);
		printf("%-14s %-6s %-28s %9d %8d %8d\n", c.name, c.arch_name, cores, (int)c.clock.core_mhz,
		       (int)(c.buffers.ub / 1024), (int)(c.buffers.l1 / 1024));
	}
	return 0;
}

int cli_chips(int argc, char **argv)
{
	enum { MAX = 512 };
	static struct chip_param param[MAX];
	struct fail f = { 0 };
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		puts("usage: vinci chips [NAME]\n"
		     "List the chips, or print every parameter of one with where its value comes from.\n\n"
		     "example: vinci chips ascend910b1");
		return 0;
	}
	if (argc < 2)
		return list_chips();
	struct chip c;
	if (!chip_load(argv[1], &c, &f))
		return finish(false, &f);
	int n = chip_params(argv[1], param, MAX, &f);
	if (n < 0 || f.class)
		return finish(false, &f);
	for (int i = 0; i < n; i++) {
		char value[32], name[96];
		if (param[i].scale == 1)
			snprintf(value, sizeof value, "%lld", (long long)param[i].value);
		else
			snprintf(value, sizeof value, "%g", (double)param[i].value / param[i].scale);
		snprintf(name, sizeof name, "%s.%s", param[i].group, param[i].name);
		printf("%-36s %12s  %-10s %s\n", name, value, param[i].source.kind, param[i].source.text);
	}
	return 0;
}
