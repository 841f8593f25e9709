/*
 * chip_test.c - chips: committed configs against the published facts, every error of the reader with file and line,
 * overrides, the list.
 */
#include "../sim/chip.h"
#include "../sim/cfg.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct chip load(const char *name)
{
	static struct chip c;
	struct fail f = { 0 };
	cr_assert(chip_load(name, &c, &f), "%s: %s (%s:%d)", name, f.what, f.file, f.line);
	return c;
}

/* A config as one text, includes put in by the test's own simple rule. */
static char *flat(const char *file)
{
	char *all = calloc(1, 1 << 17), line[512], name[256], path[512];
	FILE *in = fopen(file, "r");
	cr_assert(in && all, "%s", file);
	while (fgets(line, sizeof(line), in)) {
		if (sscanf(line, " @include \"%255[^\"]\"", name) == 1) {
			snprintf(path, sizeof(path), "configs/%s", name);
			char *inner = flat(path);
			strcat(all, inner);
			free(inner);
		} else
			strcat(all, line);
	}
	fclose(in);
	return all;
}

/* text with the first `from` replaced; *line is where it stood. */
static char *edit(const char *text, const char *from, const char *to, int *line)
{
	const char *at = strstr(text, from);
	cr_assert(at, "the config has no \"%s\"", from);
	char *out = malloc(strlen(text) + strlen(to) + 1);
	sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	*line = 1;
	for (const char *p = text; p < at; p++)
		*line += *p == '\n';
	return out;
}

Test(chip_facts, ascend910b1)
{
	struct chip c = load("ascend910b1");
	/* hardware facts: public documentation of the 910B */
	cr_expect_str_eq(c.name, "ascend910b1");
	cr_expect_eq(c.arch, (unsigned)ARCH_C220);
	cr_expect(c.split);
	cr_expect_eq(c.cores.cube, 24);
	cr_expect_eq(c.cores.vector, 48);
	cr_expect_eq(c.clock.core_mhz, 1850);
	cr_expect_eq(c.clock.sys_cnt_mhz, 50);
	cr_expect_eq(c.buffers.ub, 192 * 1024);
	cr_expect_eq(c.buffers.l1, 512 * 1024);
	cr_expect_eq(c.buffers.l0a, 64 * 1024);
	cr_expect_eq(c.buffers.l0b, 64 * 1024);
	cr_expect_eq(c.buffers.l0c, 128 * 1024);
	cr_expect_eq(c.gm.l2_bytes, 192 * 1024 * 1024);
	cr_expect_eq(c.sync.queue_depth, 32);
	cr_expect_eq(c.local.l1_to_l0a, 256 * 1000);
	cr_expect_eq(c.local.l1_to_l0b, 128 * 1000);
}

Test(chip_facts, measured_adds)
{
	/* 1000 Adds of 64 repeats between barriers took 2390 ticks of 50 MHz at 1800 MHz without conflict, 4167 in phase */
	struct chip c = load("ascend910b3");
	const struct vector_time *t = &c.vector_time[TIME_v_binary];
	double around = (double)(t->head + t->tail) / 1000 + (double)(c.sync.barrier_cycles + c.sync.barrier_v_cycles);
	double free_cycles = around + 64 * (double)t->slope32 / 1000, conflict_cycles = around + 64 * 2.0;
	cr_expect_float_eq(free_cycles, 2390 * 36.0 / 1000, 0.5);
	cr_expect_float_eq(conflict_cycles, 4167 * 36.0 / 1000, 0.5);
}

Test(chip_facts, sustained_memory)
{
	/* 12288 x 12288 fp16 read by 48 cores in 202.7 us */
	struct chip c = load("ascend910b1");
	double rate = 12288.0 * 12288 * 2 / (202.657e-6 * 1850e6);
	cr_expect_float_eq((double)c.gm.hbm_rate / 1000, rate, 0.01 * rate);
}

Test(chip_facts, peaks)
{
	/* 256 TFLOPS at about 977 MHz on 32 cores of 4096 MACs: at 1000 MHz within 3 % */
	struct chip c = load("ascend910");
	cr_expect_not(c.split);
	cr_expect_eq(c.arch, (unsigned)ARCH_C100);
	double macs = 16.0 * 16 * 16 / ((double)c.cube.step_cycles / 1000);
	double tflops = 2 * macs * (double)c.cores.fused * (double)c.clock.core_mhz * 1e-6;
	cr_expect_float_eq(tflops, 256, 0.03 * 256);
	cr_expect_eq(c.buffers.l1, 1024 * 1024);
	cr_expect_eq(c.buffers.ub, 256 * 1024);
	cr_expect_eq(c.sync.event_ids, 4);
	cr_expect_eq(c.buffers.bt, 0);
}

Test(chip_facts, lite_and_tiny)
{
	/* 16 x 16 x 8 multiply-adds and 128 bytes per cycle; 512 and 32 */
	struct chip lite = load("lite"), tiny = load("tiny");
	cr_expect_float_eq(16.0 * 16 * 16 * 1000 / (double)lite.cube.step_cycles, 16 * 16 * 8, 1e-9);
	cr_expect_float_eq(16.0 * 16 * 16 * 1000 / (double)tiny.cube.step_cycles, 512, 1e-9);
	cr_expect_eq(lite.vector.bytes_per_cycle, 128);
	cr_expect_eq(tiny.vector.bytes_per_cycle, 32);
	cr_expect_eq(lite.gm.l2_bytes, 0);
	cr_expect_eq(lite.buffers.l0c, 128 * 1024);
	cr_expect_eq(lite.clock.core_mhz, 300);
}

Test(chip_facts, ctrl_at_reset)
{
	/* hiascend, set_device_sat_mode: A2 and A3 keep inf and NaN, the Atlas training series saturates */
	cr_expect_eq(load("ascend910b1").reset.inf_nan, 1);
	cr_expect_eq(load("ascend910b4").reset.inf_nan, 1);
	cr_expect_eq(load("ascend910").reset.inf_nan, 0);
}

Test(chip_facts, all_load_and_are_listed)
{
	char names[64][64];
	int n = chip_list(names, 64);
	static const char *const want[] = { "ascend310", "ascend310p", "ascend910", "ascend910b1", "ascend910b2",
					    "ascend910b3", "ascend910b4", "lite", "tiny" };
	cr_assert_eq(n, 9);
	for (int i = 0; i < 9; i++) {
		cr_expect_str_eq(names[i], want[i]);
		cr_expect_str_eq(load(names[i]).name, names[i]);
	}
	cr_expect_eq(chip_list(names, 3), 3);
}

Test(chip_facts, parameters_carry_their_source)
{
	static struct chip_param p[400];
	struct fail f = { 0 };
	int n = chip_params("ascend910b1", p, 400, &f), kinds[3] = { 0 };
	struct chip c = load("ascend910b1");
	cr_assert(n > 150 && n < 400, "%d", n);
	bool found = false;
	for (int i = 0; i < n; i++) {
		cr_expect(p[i].source.text[0] && p[i].source.kind[0], "%s.%s", p[i].group, p[i].name);
		kinds[0] += strcmp(p[i].source.kind, "measured") == 0;
		kinds[1] += strcmp(p[i].source.kind, "published") == 0;
		kinds[2] += strcmp(p[i].source.kind, "guessed") == 0;
		if (strcmp(p[i].group, "vector_time") == 0 && strcmp(p[i].name, "v_exp.head") == 0) {
			found = true;
			cr_expect_eq(p[i].value, c.vector_time[TIME_v_exp].head);
			cr_expect_eq(p[i].scale, 1000);
		}
	}
	cr_expect(found && kinds[0] > 0 && kinds[1] > 0 && kinds[2] > 0);
	cr_expect_eq(chip_params("ascend910b1", p, 10, &f), n);
	cr_expect_eq(chip_params("none", p, 10, &f), 0);
	cr_expect_eq(f.class, FAIL_USER);
}

Test(chip_load, unknown_name_gets_a_suggestion)
{
	static struct chip c;
	struct fail f = { 0 }, g = { 0 };
	cr_expect(!chip_load("ascend910b7", &c, &f));
	cr_expect_eq(f.class, FAIL_USER);
	cr_expect(strstr(f.what, "no chip \"ascend910b7\""), "%s", f.what);
	cr_expect(strstr(f.hint, "ascend910b"), "%s", f.hint);
	cr_expect(!chip_load("no/such.cfg", &c, &g));
	cr_expect(strstr(g.what, "cannot read no/such.cfg"), "%s", g.what);
}

Test(chip_load, a_path_is_a_file)
{
	struct chip c = load("configs/ascend910b2.cfg");
	cr_expect_str_eq(c.name, "ascend910b2");
	cr_expect_str_eq(c.file, "configs/ascend910b2.cfg");
}

struct bad { const char *from, *to, *says, *hint; int line; /* after the edited place, -1 = line 0 */ };

Test(chip_parse, every_error_has_place_and_advice)
{
	static const struct bad cases[] = {
		{ "queue_depth       = (32,", "queue_dept = (32,", "unknown key sync.queue_dept",
		  "did you mean \"queue_depth\"", 0 },
		{ "sync = {", "snyc = {", "unknown key snyc", "did you mean \"sync\"", 0 },
		{ "name = \"ascend910b1\";", "name = \"ascend910b1\"; colour = 3;", "unknown key colour",
		  "known: name", 0 },
		{ "\tvector              = (48", "\t# (48", "missing key cores.vector (vector cores (AIV))",
		  "every key", -3 },
		{ "arch = \"c220\";", "", "missing key arch", "", -1 },
		{ "arch = \"c220\"", "arch = \"c22\"", "arch = \"c22\" is not known", "did you mean \"c220\"", 0 },
		{ "\"split\"", "\"halves\"", "organisation = \"halves\" is not known", "split, fused", 0 },
		{ "\"split\"", "2", "organisation: expected a text in quotes, got a whole number", "", 0 },
		{ "queue_depth       = (32,", "queue_depth = (0,", "sync.queue_depth = 0 is out of range 1 .. 4096",
		  "", 0 },
		{ "queue_depth       = (32,", "queue_depth = (3.5,",
		  "sync.queue_depth: expected a whole number, got a fraction",
		  "", 0 },
		{ "queue_depth       = (32,", "queue_depth = (\"32\",", "expected a whole number, got a text", "", 0 },
		{ "l1_to_l0a          = (256,", "l1_to_l0a = (0.5,",
		  "local.l1_to_l0a = 0.5 is out of range 1 .. 4096", "", 0 },
		{ "l1_to_l0a          = (256,", "l1_to_l0a = (1e999,", "local.l1_to_l0a = inf is out of range", "", 0 },
		{ "l1_to_l0a          = (256,", "l1_to_l0a = (25.60001,", "more than three decimals", "", 0 },
		{ "l1_to_l0a          = (256,", "l1_to_l0a = (true,", "expected a number, got true or false", "", 0 },
		{ "(256, \"published\", \"DEV NPU 2201; MSK measured 255-262\")", "256",
		  "expected (value, \"kind\", \"source\"), got",
		  "for example local.l1_to_l0a = (1,", 0 },
		{ "(256, \"published\", \"DEV NPU 2201; MSK measured 255-262\")", "(256, \"published\")",
		  "expected (value", "", 0 },
		{ "256, \"published\"", "256, \"guess\"", "\"guess\" is no kind of source",
		  "did you mean \"guessed\"", 0 },
		{ "256, \"published\"", "256, 7", "expected a text in quotes",
		  "measured, published, fitted, guessed, structure", 0 },
		{ "\"DEV NPU 2201; MSK measured 255-262\"", "\"\"", "the source is empty", "", 0 },
		{ "vector_time = {", "vector_time = { v_cosine = { };", "unknown key vector_time.v_cosine", "v_", 0 },
		{ "v_exp = {", "v_exp = { middle = 1;", "unknown key vector_time.v_exp.middle", "head, tail, slope16",
		  0 },
		{ "v_exp = {", "v_exp = 3; v_rest = {", "unknown key vector_time.v_rest", "", 0 },
		{ "\t\tslope32 = (1, \"measured\", \"DEV bank_conflict_ub cases 1, 4, 6, 8\");\n", "",
		  "missing key vector_time.v_binary.slope32", "", -5 },
		{ "sync = {", "sync = 4; rest = {", "unknown key rest", "", 0 },
		{ "cube                = (24", "cube = (0", "cores.cube: a split chip needs cube and vector cores",
		  "", 0 },
		{ "vector              = (48", "vector = (50", "50 vector cores do not divide among 24 cube cores",
		  "", 0 },
		{ "fused               = (0", "fused = (4",
		  "cores.fused: a split chip has no fused cores, this says 4", "", 0 },
		{ "ub_bank_bytes      = (4096", "ub_bank_bytes = (8192",
		  "48 banks of 8192 bytes do not cover the UB of 196608", "", 0 },
		{ "ub_bank_bytes      = (4096", "ub_bank_bytes = (4100", "a bank holds rows of 32 bytes", "", 0 },
		{ "l0a                = (65536", "l0a = (0", "buffers.l0a: every core needs this memory", "", 0 },
		{ "l0c                = (131072", "l0c = (131073", "131073 bytes are no multiple of 1024", "", 0 },
		{ "l2_bytes               = (201326592", "l2_bytes = (201326593",
		  "gm.l2_bytes: 201326593 bytes do not divide", "", 0 },
		{ "icache_line         = (128", "icache_line = (100", "a cache line is a power of two, not 100", "",
		  0 },
		{ "request_least          = (128", "request_least = (96", "the smallest request is a power of two", "", 0 },
		{ "sync = {", "sync = { = ", "syntax error", "name = value", 0 },
		{ "organisation = \"split\";", "organisation = \"split\"; x = {", "syntax error", "", -2 },
		{ "name = \"ascend910b1\";", "name = \"a\"; name = \"b\";", "duplicate setting name", "", 0 },
		{ "sync = {", "@include \"x\"\nsync = {", "@include needs a file", "", 0 },
	};
	char *good = flat("configs/ascend910b1.cfg");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static struct chip c;
		struct fail f = { 0 };
		int line;
		char *text = edit(good, cases[i].from, cases[i].to, &line);
		cr_expect(!chip_parse(text, "my.cfg", &c, &f), "%s", cases[i].to);
		cr_expect_eq(f.class, FAIL_USER, "%s", cases[i].to);
		cr_expect_str_eq(f.file, "my.cfg");
		cr_expect(strstr(f.what, cases[i].says), "%s: got \"%s\"", cases[i].says, f.what);
		cr_expect(strstr(f.hint, cases[i].hint), "%s: hint \"%s\"", cases[i].says, f.hint);
		if (cases[i].line == -1)
			cr_expect_eq(f.line, 0, "%s: line %d", cases[i].says, f.line);
		else if (cases[i].line == -2)
			cr_expect(f.line >= line, "%s: line %d", cases[i].says, f.line);
		else
			cr_expect(f.line <= line && f.line >= line + cases[i].line, "%s: line %d, not %d",
				cases[i].says, f.line, line);
		free(text);
	}
	struct fail f = { 0 };
	static struct chip c;
	cr_expect(chip_parse(good, "my.cfg", &c, &f), "%s", f.what);
	free(good);
}

Test(chip_parse, fused_chips)
{
	static const struct bad cases[] = {
		{ "fused               = (32", "fused = (0", "cores.fused: a fused chip needs fused cores", "", 0 },
		{ "cube                = (0", "cube = (3", "cores.cube: a fused chip has no separate", "", 0 },
		{ "vector              = (0", "vector = (3", "cores.vector: a fused chip has no separate", "", 0 },
	};
	char *good = flat("configs/ascend910.cfg");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static struct chip c;
		struct fail f = { 0 };
		int line;
		char *text = edit(good, cases[i].from, cases[i].to, &line);
		cr_expect(!chip_parse(text, "my.cfg", &c, &f));
		cr_expect(strstr(f.what, cases[i].says), "%s", f.what);
		cr_expect_eq(f.line, line);
		free(text);
	}
	free(good);
}

static void put(const char *file, const char *text)
{
	FILE *out = fopen(file, "w");
	cr_assert(out);
	fputs(text, out);
	fclose(out);
}

Test(chip_include, errors_name_the_included_file)
{
	char folder[] = "/tmp/vinci-chip-XXXXXX", main_file[64], part[64], command[96];
	static struct chip c;
	struct fail f = { 0 }, g = { 0 }, h = { 0 }, loop = { 0 }, form = { 0 };
	cr_assert(mkdtemp(folder));
	snprintf(main_file, sizeof(main_file), "%s/main.cfg", folder);
	snprintf(part, sizeof(part), "%s/part.cfg", folder);
	put(main_file, "name = \"x\";\n@include \"part.cfg\"\narch = \"c220\"; organisation = \"split\";\n");
	put(part, "# first\n\ncolour = 3;\n");
	cr_expect(!chip_load(main_file, &c, &f));
	cr_expect_str_eq(f.file, part);
	cr_expect_eq(f.line, 3);
	put(part, "# first\nclock = {\n\tcore_mhz = ;\n};\n");
	cr_expect(!chip_load(main_file, &c, &g));
	cr_expect_str_eq(g.file, part);
	cr_expect_eq(g.line, 3);
	/* behind the include, lines count in the main file again */
	put(part, "# nothing\n# here\n# at all\n");
	put(main_file, "name = \"x\";\n@include \"part.cfg\"\n\ncolour = 3;\n");
	cr_expect(!chip_load(main_file, &c, &h));
	cr_expect_str_eq(h.file, main_file);
	cr_expect_eq(h.line, 4);
	put(part, "@include \"part.cfg\"\n");
	cr_expect(!chip_load(main_file, &c, &loop));
	cr_expect(strstr(loop.what, "files deep"), "%s", loop.what);
	put(main_file, "name = \"x\";\n@include \"none.cfg\"\n");
	struct fail missing = { 0 };
	cr_expect(!chip_load(main_file, &c, &missing));
	cr_expect_str_eq(missing.file, main_file);
	cr_expect_eq(missing.line, 2);
	cr_expect(strstr(missing.what, "none.cfg: No such file"), "%s", missing.what);
	put(main_file, "@include part.cfg\n");
	cr_expect(!chip_load(main_file, &c, &form));
	cr_expect(strstr(form.what, "expected @include \"file\""), "%s", form.what);
	FILE *binary = fopen(main_file, "wb");
	fwrite("name\0x", 1, 6, binary);
	fclose(binary);
	struct fail nul = { 0 };
	cr_expect(!chip_load(main_file, &c, &nul));
	cr_expect(strstr(nul.what, "not a text file"), "%s", nul.what);
	struct fail dir = { 0 };
	snprintf(main_file, sizeof(main_file), "%s/", folder);
	cr_expect(!chip_load(main_file, &c, &dir));
	cr_expect(strstr(dir.what, "not a regular file"), "%s", dir.what);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	cr_assert_eq(system(command), 0);
}

Test(chip_override, values_and_factors)
{
	struct chip c = load("ascend910b1");
	struct fail f = { 0 };
	int64_t l2 = c.gm.l2_rate, head = c.vector_time[TIME_v_exp].head;
	cr_expect(chip_override(&c, "gm.hbm_rate=2000", &f), "%s", f.what);
	cr_expect_eq(c.gm.hbm_rate, 2000 * 1000);
	cr_expect(chip_override(&c, "gm.hbm_rate=1000.125", &f), "%s", f.what);
	cr_expect_eq(c.gm.hbm_rate, 1000125);
	cr_expect(chip_override(&c, "gm.l2_rate=2x", &f), "%s", f.what);
	cr_expect_eq(c.gm.l2_rate, 2 * l2);
	cr_expect(chip_override(&c, "gm.l2_rate=0.5x", &f), "%s", f.what);
	cr_expect_eq(c.gm.l2_rate, l2);
	cr_expect(chip_override(&c, "cores.cube=12", &f), "%s", f.what);
	cr_expect_eq(c.cores.cube, 12);
	cr_expect(chip_override(&c, "vector_time.v_exp.head=1.5x", &f), "%s", f.what);
	cr_expect_eq(c.vector_time[TIME_v_exp].head, head * 3 / 2);
}

Test(chip_override, errors_leave_the_chip_alone)
{
	static const struct { const char *text, *says, *hint; } cases[] = {
		{ "gm.hbm_rat=1", "no chip parameter \"gm.hbm_rat\"", "did you mean \"gm.hbm_rate\"" },
		{ "hbm_rate=1", "no chip parameter", "gm.hbm_rate" },
		{ "vector_time.mad.head=1", "no chip parameter \"vector_time.mad.head\"", "" },
		{ "gm.hbm_rate", "is no assignment", "group.name=value" },
		{ "=3", "is no assignment", "" },
		{ "gm.hbm_rate=", "\"\" is no number", "three decimals" },
		{ "gm.hbm_rate=x", "is no number", "" },
		{ "gm.hbm_rate=-5", "is no number", "" },
		{ "gm.hbm_rate=1.2345", "is no number", "" },
		{ "gm.hbm_rate=99999999999999999999", "is no number", "" },
		{ "gm.hbm_rate=2000x", "is no number", "" },
		{ "gm.hbm_rate=70000", "out of range 1 .. 65536", "" },
		{ "sync.queue_depth=1.5", "expected a whole number, got 1.5", "" },
		{ "cores.vector=49", "49 vector cores do not divide among 24", "" },
		{ "buffers.ub=131072", "do not cover the UB of 131072 bytes", "" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct chip c = load("ascend910b1"), before = c;
		struct fail f = { 0 };
		cr_expect(!chip_override(&c, cases[i].text, &f), "%s", cases[i].text);
		cr_expect_eq(f.class, FAIL_USER);
		cr_expect(strstr(f.what, cases[i].says), "%s: %s", cases[i].text, f.what);
		cr_expect(strstr(f.hint, cases[i].hint), "%s: hint %s", cases[i].text, f.hint);
		cr_expect_eq(memcmp(&c, &before, sizeof(c)), 0, "%s", cases[i].text);
	}
}

Test(chip_words, distance)
{
	cr_expect_eq(cfg_distance("", ""), 0);
	cr_expect_eq(cfg_distance("abc", ""), 3);
	cr_expect_eq(cfg_distance("kitten", "sitting"), 3);
	cr_expect_eq(cfg_distance("sync", "snyc"), 1);
	cr_expect_eq(cfg_distance("hbm_rate", "hbm_rat"), 1);
}
