/*
 * trace_vendor.c - the vendor profiler's folder by the rules of its viewer: header, pairs and arrows of trace.json,
 * block framing of visualize_data.bin, columns and sums of the tables.
 */
#include "trace_make.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CORES = 3 };

static struct made made;
static char folder[] = "build/vendor-XXXXXX";

static void setup(void)
{
	struct vtr t;
	struct fail f = { 0 };
	made_run(&made, 12, CORES, 60, 100);
	cr_assert(mkdtemp(folder));
	cr_assert(vtr_open_memory(made.bytes, made.size, "made", &t, &f), "%s", f.what);
	struct export x = { .t = &t, .filter = VTR_ALL };
	cr_assert(export_vendor(&x, folder, &f), "%s", f.what);
	cr_assert_eq(x.n_event, made.n_event);
	cr_assert_not(export_vendor(&x, folder, &f), "a folder with something in it is not overwritten");
	cr_assert_eq(f.class, FAIL_USER);
	vtr_close(&t);
}

static void teardown(void)
{
	char command[100];
	snprintf(command, sizeof command, "rm -r %s", folder);
	cr_assert_eq(system(command), 0);
	made_free(&made);
}
TestSuite(trace_vendor, .init = setup, .fini = teardown);

static char *slurp(const char *name, size_t *size)
{
	char path[200];
	struct stat st;
	snprintf(path, sizeof path, "%s/simulator/%s", folder, name);
	FILE *f = fopen(path, "r");
	cr_assert(f && fstat(fileno(f), &st) == 0, "%s is missing", path);
	char *bytes = malloc((size_t)st.st_size + 1);
	cr_assert_eq(fread(bytes, 1, (size_t)st.st_size, f), (size_t)st.st_size);
	bytes[st.st_size] = 0;
	fclose(f);
	if (size)
		*size = (size_t)st.st_size;
	return bytes;
}

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));
	return s ? s : "";
}

/* How the viewer knows the kind of file: the text before the first bracket. */
static json_t *load(const char *bytes)
{
	json_error_t error;
	const char *bracket = strchr(bytes, '['), *type = strstr(bytes, "\"profilingType\":\"op\"");
	cr_assert(type && type < bracket);
	json_t *root = json_loads(bytes, JSON_REJECT_DUPLICATES, &error);
	cr_assert(root, "line %d: %s", error.line, error.text);
	return root;
}

struct pair { double begin, end; bool closed, set, has; char pipe[16]; };

static void take_half(const json_t *e, struct pair *set, struct pair *wait, size_t max)
{
	size_t id = (size_t)json_integer_value(json_object_get(e, "id"));
	bool is_set = strcmp(text(e, "name"), "SET_FLAG") == 0;
	struct pair *p = is_set ? &set[id] : &wait[id];
	double ts = json_number_value(json_object_get(e, "ts"));
	cr_assert(json_is_integer(json_object_get(e, "id")) && id < max);
	cr_assert(is_set || strcmp(text(e, "name"), "WAIT_FLAG") == 0, "B and E are for flags only");
	cr_assert(json_is_object(json_object_get(e, "args")));
	if (text(e, "ph")[0] == 'B') {
		cr_assert_not(p->has, "an id is used again");
		p->has = true;
		p->begin = ts;
		snprintf(p->pipe, sizeof p->pipe, "%s", text(e, "tid"));
		cr_assert(strncmp(text(json_object_get(e, "args"), "detail"),
				  "PIPE:MTE2,TRIGGERPIPE:VECTOR,FLAGID:", 36) == 0);
	} else {
		cr_assert(p->has && !p->closed && ts > p->begin);
		p->closed = true;
		p->end = ts;
	}
}

Test(trace_vendor, flags_are_pairs_with_arrows_inside)
{
	char *bytes = slurp("trace.json", NULL);
	json_t *root = load(bytes), *e;
	size_t i, max = made.n_pair + 2, slices = 0, arrows = 0;
	struct pair *set = calloc(max, sizeof *set), *wait = calloc(max, sizeof *wait);
	json_array_foreach(json_object_get(root, "traceEvents"), i, e) {
		char ph = text(e, "ph")[0];
		double ts = json_number_value(json_object_get(e, "ts"));
		size_t id = (size_t)json_integer_value(json_object_get(e, "id"));
		if (ph == 'B' || ph == 'E')
			take_half(e, set, wait, max);
		slices += ph == 'X';
		if (ph != 's' && ph != 't')
			continue;
		struct pair *p = ph == 's' ? &set[id] : &wait[id];
		cr_assert(p->closed && p->begin <= ts && ts < p->end, "an arrow's end is outside its slice");
		cr_assert_str_eq(text(e, "tid"), p->pipe);
		cr_assert_str_eq(text(e, "cat"), "MTE2ToVECTOR");
		arrows += ph == 't';
	}
	cr_assert_eq(arrows, made.n_pair);
	cr_assert_eq(slices, made.n_event - 2 * made.n_pair);
	cr_assert_eq(json_integer_value(json_object_get(root, "schemaVersion")), 2);
	json_decref(root);
	free(set);
	free(wait);
	free(bytes);
}

static double sum(const json_t *rows, const char *column)
{
	double s = 0;
	size_t i, k;
	json_t *row, *v;
	json_array_foreach(rows, i, row) {
		cr_assert_eq(json_array_size(json_object_get(row, column)), CORES);
		json_array_foreach(json_object_get(row, column), k, v)
			s += json_number_value(v);
	}
	return s;
}

static double occupied(bool with_line)
{
	double cycles = 0;
	for (uint32_t i = 0; i < made.n_event; i++) {
		const struct vtr_event *e = &made.event[i];
		bool waits = e->site == 2 || e->site == 4;
		int64_t begin = waits ? vtr_ready(e) : e->start;
		if (!with_line || e->site < 5)
			cycles += (double)(e->issue_end - begin);
	}
	return cycles;
}

static void check_block(int type, const char *content, size_t size)
{
	json_error_t error;
	json_t *root = json_loadb(content, size, 0, &error), *files, *file;
	cr_assert(root, "block %d, line %d: %s", type, error.line, error.text);
	if (type == 3) {
		double cycles = 0;
		size_t i;
		files = json_object_get(root, "Files");
		json_array_foreach(files, i, file)
			cycles += sum(json_object_get(file, "Lines"), "Cycles");
		cr_assert_eq(cycles, occupied(true));
		/* site 6, which no event names, has a line in another file */
		cr_assert_eq(json_array_size(files), 2);
	} else if (type == 4) {
		const json_t *rows = json_object_get(root, "Instructions");
		cr_assert_eq(json_array_size(rows), MADE_SITES);
		cr_assert_eq(sum(rows, "Instructions Executed"), made.n_event);
		cr_assert_eq(sum(rows, "Cycles"), occupied(false));
	} else if (type == 5) {
		cr_assert_str_eq(text(root, "op_type"), "mix");
		cr_assert_str_eq(text(root, "block_dim"), "7");
		cr_assert_str_eq(text(root, "mix_block_dim"), "14", "two vector cores a block");
	}
	json_decref(root);
}

Test(trace_vendor, binary_is_framed_as_its_viewer_reads_it)
{
	size_t size, at = 0;
	int seen[16] = { 0 };
	uint8_t *b = (uint8_t *)slurp("visualize_data.bin", &size);
	cr_assert(b[10] == 0x5a && b[11] == 0x5a, "the viewer knows the file by these");
	while (at < size) {
		uint64_t length = 0;
		cr_assert_leq(at + 12, size);
		for (int i = 0; i < 8; i++)
			length |= (uint64_t)b[at + (size_t)i] << 8 * i;
		int type = b[at + 8], padding = b[at + 9];
		cr_assert(type >= 1 && type < 16 && padding < 4 && length > 0 && length % 4 == 0);
		cr_assert_eq(b[at + 10], type == 4 ? 0 : 0x5a);
		cr_assert_eq(b[at + 11], 0x5a);
		at += 12 + (type == 1 ? 4096 : 0);
		cr_assert_leq(at + length, size);
		seen[type]++;
		if (type != 1)
			check_block(type, (char *)b + at, length - (size_t)padding);
		at += length;
	}
	cr_assert(seen[2] == 1 && seen[3] == 1 && seen[4] == 1 && seen[5] == 1 && seen[1] == 0);
	free(b);
}

/* Numbers in the columns call_count and cycles, summed over a table; lines may hold quoted commas. */
static void table(const char *name, const char *header, int calls_column, double *calls, double *cycles)
{
	char *bytes = slurp(name, NULL), *save = NULL, *line = strtok_r(bytes, "\n", &save);
	cr_assert_str_eq(line, header);
	while ((line = strtok_r(NULL, "\n", &save))) {
		int column = 0;
		bool quoted = false;
		for (char *p = line; *p; p++) {
			quoted ^= *p == '"';
			if (*p != ',' || quoted)
				continue;
			column++;
			*calls += column == calls_column ? strtod(p + 1, NULL) : 0;
			*cycles += column == calls_column + 1 ? strtod(p + 1, NULL) : 0;
		}
	}
	free(bytes);
}

Test(trace_vendor, tables_sum_to_the_same_in_every_view)
{
	static const char *const core[CORES] = { "core0.cubecore0", "core0.veccore0", "core0.veccore1" };
	double instr[2] = { 0 }, code[2] = { 0 };
	for (int i = 0; i < CORES; i++) {
		char name[100];
		snprintf(name, sizeof name, "%s/%s_instr_exe.csv", core[i], core[i]);
		table(name, "instr,addr,pipe,call_count,cycles,running_time(us),detail", 3, &instr[0], &instr[1]);
		snprintf(name, sizeof name, "%s/%s_code_exe.csv", core[i], core[i]);
		table(name, "code,call_count,cycles,running_time(us)", 1, &code[0], &code[1]);
		snprintf(name, sizeof name, "%s/trace.json", core[i]);
		char *bytes = slurp(name, NULL);
		json_decref(load(bytes));
		free(bytes);
	}
	cr_assert_eq(instr[0], made.n_event);
	cr_assert_eq(instr[1], occupied(false));
	cr_assert_eq(code[1], occupied(true));
}
