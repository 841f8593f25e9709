/*
 * asc_names.c - isa/include/ascendc/NAMES.md against the headers and the tests: a name that is there has a test that runs on
 * its chips; what the table says of each chip is what the headers declare.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHIPS = 3, MAX_NAMES = 600 };
static const char *const chips[CHIPS] = { "ascend910", "ascend310p", "ascend910b1" };
struct row { char name[64], state[CHIPS][8], tests[80]; };
static struct row rows[MAX_NAMES];
static size_t n_rows;

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	cr_assert(f != NULL, "no %s", path);
	size_t size = 0, room = 1 << 16, n;
	char *text = malloc(room);
	while (text && (n = fread(text + size, 1, room - size - 1, f)) > 0)
		if ((size += n) == room - 1)
			text = realloc(text, room *= 2);
	cr_assert(text != NULL);
	text[size] = 0;
	fclose(f);
	return text;
}

/* The next cell of a table row, without blanks and backquotes around it. */
static const char *cell(const char *p, char *out, size_t size)
{
	size_t n = strcspn(p, "|\n"), from = 0, to = n;
	while (from < to && strchr(" `", p[from]))
		from++;
	while (to > from && strchr(" `", p[to - 1]))
		to--;
	snprintf(out, size, "%.*s", (int)(to - from), p + from);
	return p[n] == '|' ? p + n + 1 : p + n;
}

static void read_table(void)
{
	char *text = read_file("isa/include/ascendc/NAMES.md");
	n_rows = 0;
	for (const char *p = text; (p = strstr(p, "\n| `")) != NULL;) {
		struct row *r = &rows[n_rows++];
		cr_assert(n_rows < MAX_NAMES);
		p = cell(p + 2, r->name, sizeof r->name);
		for (int c = 0; c < CHIPS; c++)
			p = cell(p, r->state[c], sizeof r->state[c]);
		p = cell(p, r->tests, sizeof r->tests);
		p--;
	}
	free(text);
}

static bool is(const struct row *r, int chip, const char *state) { return strcmp(r->state[chip], state) == 0; }
static bool there(const struct row *r, int chip) { return is(r, chip, "yes") || is(r, chip, "made"); }

/* the last part of LocalTensor.GetValue */
static const char *word_of(const struct row *r)
{
	const char *dot = strrchr(r->name, '.');
	return dot ? dot + 1 : r->name;
}

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }
static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = text; (p = strstr(p, word)) != NULL; p += n)
		if ((p == text || !in_word(p[-1])) && !in_word(p[n]))
			return true;
	return false;
}

/* Blank out the lines that a chip does not get: #if __NPU_ARCH__ == or != a number, #else, #endif. */
static void only_for(char *text, int chip)
{
	static const int arch[CHIPS] = { 1001, 2002, 2201 };
	bool on[16] = { true };
	int depth = 0, number;
	char how[4];
	for (char *p = text; *p; p += *p == '\n') {
		size_t n = strcspn(p, "\n");
		if (strncmp(p, "#if", 3) == 0 && depth < 15) {
			bool ours = sscanf(p, "#if __NPU_ARCH__ %2s %d", how, &number) == 2;
			bool good = !ours || (how[0] == '=') == (arch[chip] == number);
			depth++;
			on[depth] = on[depth - 1] && good;
		} else if (strncmp(p, "#else", 5) == 0 && depth) {
			on[depth] = on[depth - 1] && !on[depth];
		} else if (strncmp(p, "#endif", 6) == 0 && depth) {
			depth--;
		} else if (!on[depth]) {
			memset(p, ' ', n);
		}
		p += n;
	}
}

/* Does a kernel or host source of the test use the word on the chip? Golden programs and launch files do not count. */
static bool test_uses(const char *test, const char *word, int chip)
{
	char path[400];
	bool found = false;
	if (strcmp(test, "asc_test.c") == 0) {
		char *text = read_file("test/asc_test.c");
		found = has_word(text, word);
		free(text);
		return found;
	}
	snprintf(path, sizeof path, "test/asc/%s", test);
	DIR *d = opendir(path);
	cr_expect(d != NULL, "no folder %s", path);
	for (struct dirent *e; d && !found && (e = readdir(d)) != NULL;) {
		const char *end = strrchr(e->d_name, '.');
		if (!end || strcmp(end, ".c") == 0 || strcmp(end, ".cfg") == 0 || end == e->d_name || end[1] == 0)
			continue;
		snprintf(path, sizeof path, "test/asc/%s/%s", test, e->d_name);
		char *text = read_file(path), *rows_h = read_file("test/asc/rows.h");
		only_for(text, chip);
		found = has_word(text, word) || (strstr(text, "rows.h") && has_word(rows_h, word));
		free(text);
		free(rows_h);
	}
	if (d)
		closedir(d);
	return found;
}

/* The Matmul object: on 910 and 310P a sentence of its own, and members that need an object to be named. */
static bool is_matmul(const struct row *r)
{
	return strncmp(r->name, "Matmul", 6) == 0 || strcmp(r->name, "REGIST_MATMUL_OBJ") == 0;
}

/* Is there a run of the folder on the chip? The host programs of asc_test.c and its own kernels run on 910B. */
static bool runs_on(const char *list, const char *test, int chip)
{
	char want[100], folder[60], on[20];
	if (strcmp(test, "asc_test.c") == 0)
		return true;
	if (chip == 2 && (strcmp(test, "matmul_object") == 0 || strcmp(test, "matmul_leakyrelu") == 0))
		return true;
	snprintf(want, sizeof want, "%s", test);
	for (const char *p = list; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		if (sscanf(p, "%59s %19s", folder, on) != 2 || folder[0] == '#')
			continue;
		folder[strcspn(folder, "/")] = 0;
		if (strcmp(folder, want) == 0 && strcmp(on, chips[chip]) == 0)
			return true;
	}
	return false;
}

Test(asc_names, every_name_has_a_test)
{
	char *list = read_file("test/asc/runs.list");
	size_t tested = 0;
	read_table();
	for (size_t i = 0; i < n_rows; i++) {
		struct row *r = &rows[i];
		bool on[CHIPS] = { false }, any = false, wanted = is(r, 0, "type");
		char tests[80];
		snprintf(tests, sizeof tests, "%s", r->tests);
		for (char *t = strtok(tests, " "); t; t = strtok(NULL, " ")) {
			bool used = false;
			for (int c = 0; c < CHIPS; c++) {
				bool here = runs_on(list, t, c) && test_uses(t, word_of(r), c);
				used |= here;
				on[c] |= here;
			}
			cr_expect(used, "%s: its test %s does not use it", r->name, t);
			any = true;
		}
		for (int c = 0; c < CHIPS; c++) {
			wanted |= there(r, c);
			cr_expect(!there(r, c) || on[c], "%s: no test on %s", r->name, chips[c]);
		}
		cr_expect(any || !wanted, "%s: no test", r->name);
		tested += any;
	}
	cr_expect(tested >= 200, "only %zu names have a test", tested);
	free(list);
}

/* --- against the headers --- */

static char folder[64];
static void make_folder(void)
{
	snprintf(folder, sizeof folder, "/tmp/asc_names_XXXXXX");
	cr_assert(mkdtemp(folder) != NULL);
}
static void remove_folder(void)
{
	char line[100];
	snprintf(line, sizeof line, "rm -rf %s", folder);
	cr_expect_eq(system(line), 0);
}

static const char *const defines[CHIPS] = { "-D__DAV_C100__ -D__NPU_ARCH__=1001", "-D__DAV_M200__ -D__NPU_ARCH__=2002",
					    "-D__DAV_C220_VEC__ -D__NPU_ARCH__=2201" };
#define INCLUDES "#include \"kernel_operator.h\"\n#include \"lib/matmul_intf.h\"\n"

/* The headers after the preprocessor, blanks between pieces of a text taken out. */
static char *preprocessed(int chip)
{
	char line[1200], path[100];
	snprintf(path, sizeof path, "%s/k.cpp", folder);
	FILE *f = fopen(path, "w");
	cr_assert(f != NULL);
	fputs(INCLUDES, f);
	fclose(f);
	snprintf(line, sizeof line,
		 "clang-19 --target=riscv64-unknown-elf -march=rv64imfd_zfhmin -mabi=lp64d -ffreestanding -x c++ -std=c++17 "
		 "-isystem /usr/riscv64-linux-gnu/include/c++/12 -isystem "
		 "/usr/riscv64-linux-gnu/include/c++/12/riscv64-linux-gnu -isystem /usr/riscv64-linux-gnu/include %s -I "
		 "isa/include -I build/include -I isa/include/ascendc -include cce.h -E -P %s -o %s/k.txt",
		 defines[chip], path, folder);
	cr_assert_eq(system(line), 0);
	snprintf(path, sizeof path, "%s/k.txt", folder);
	char *text = read_file(path), *to = text;
	for (const char *p = text; *p;) {
		size_t gap = *p == '"' ? 1 + strspn(p + 1, " \n") : 0;
		if (gap > 1 && p[gap] == '"')
			p += gap + 1;
		else
			*to++ = *p++;
	}
	*to = 0;
	return text;
}

/* The names between `before` and `after` in the headers. */
static size_t names_between(const char *text, const char *before, const char *after, char names[][64])
{
	size_t n = 0;
	for (const char *p = text; (p = strstr(p, before)) != NULL;) {
		p += strlen(before);
		size_t length = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
		if (strncmp(p + length, after, strlen(after)) != 0 || length >= 64)
			continue;
		cr_assert(n < MAX_NAMES);
		snprintf(names[n++], 64, "%.*s", (int)length, p);
	}
	return n;
}
static bool among(char names[][64], size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}
static bool in_table(const char *name)
{
	for (size_t i = 0; i < n_rows; i++)
		if (strcmp(word_of(&rows[i]), name) == 0)
			return true;
	return false;
}

/* Every name that is there, and those that are declared to say that they are not, can be named. */
static void names_compile(int chip)
{
	char path[100], line[300];
	snprintf(path, sizeof path, "%s/names.cpp", folder);
	FILE *f = fopen(path, "w");
	cr_assert(f != NULL);
	fprintf(f, INCLUDES "namespace probe {\n");
	for (size_t i = 0; i < n_rows; i++)
		if (!strchr(rows[i].name, '.') && !(chip < 2 && is_matmul(&rows[i])))
			fprintf(f, "#ifndef %s\nusing AscendC::%s;\n#endif\n", rows[i].name, rows[i].name);
	fprintf(f, "}\nextern \"C\" __global__ __aicore__ void k(GM_ADDR x) {}\n");
	fclose(f);
	snprintf(line, sizeof line, "build/vinci cc %s -o %s/k.elf --chip %s", path, folder, chips[chip]);
	cr_expect_eq(system(line), 0, "names of the table that the headers do not have on %s", chips[chip]);
}

static int chip_numbers[CHIPS] = { 0, 1, 2 };
ParameterizedTestParameters(asc_names, headers_agree) { return cr_make_param_array(int, chip_numbers, CHIPS); }
ParameterizedTest(int *chip, asc_names, headers_agree)
{
	static char absent[MAX_NAMES][64], missing[MAX_NAMES][64];
	read_table();
	make_folder();
	char *text = preprocessed(*chip);
	size_t n_absent = names_between(text, "\"AscendC::", " does not exist on ", absent),
	       n_missing = names_between(text, "\"Vinci does not model AscendC::", " yet\"", missing);
	cr_expect(n_missing > 20, "the headers name only %zu missing calls", n_missing);
	for (size_t i = 0; i < n_rows; i++) {
		const struct row *r = &rows[i];
		bool known = there(r, *chip) || is(r, *chip, "type") || is(r, *chip, "-") || is(r, *chip, "no");
		cr_expect(known, "%s: state \"%s\"", r->name, r->state[*chip]);
		if (strchr(r->name, '.') || is_matmul(r))
			continue;
		bool agree = among(absent, n_absent, r->name) == is(r, *chip, "-") &&
			     among(missing, n_missing, r->name) == is(r, *chip, "no");
		cr_expect(agree, "%s on %s: the table says %s, the headers not", r->name, chips[*chip], r->state[*chip]);
	}
	for (size_t i = 0; i < n_absent; i++)
		cr_expect(in_table(absent[i]) || strncmp(absent[i], "vinci", 5) == 0, "%s is not in the table", absent[i]);
	for (size_t i = 0; i < n_missing; i++)
		cr_expect(in_table(missing[i]), "%s is not in the table", missing[i]);
	names_compile(*chip);
	free(text);
	remove_folder();
}
