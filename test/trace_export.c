/*
 * trace_export.c - exports read back by other people's code and by the rules of their formats: Chrome JSON, CSV,
 * Kanata, Perfetto.
 */
#include "trace_make.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = 3, STEPS = 120 };

static struct made made;
static struct vtr trace;

static void setup(void)
{
	struct fail f = { 0 };
	made_run(&made, 8, CORES, STEPS, 100);
	cr_assert(vtr_open_memory(made.bytes, made.size, "made", &trace, &f), "%s", f.what);
}

static void teardown(void)
{
	vtr_close(&trace);
	made_free(&made);
}
TestSuite(trace_export, .init = setup, .fini = teardown);

static char *export_text(bool (*write)(struct export *, FILE *, struct fail *), bool cycles, size_t *size)
{
	struct export x = { .t = &trace, .filter = VTR_ALL, .cycles = cycles };
	struct fail f = { 0 };
	char *text;
	FILE *out = open_memstream(&text, size);
	cr_assert(write(&x, out, &f), "%s", f.what);
	fclose(out);
	cr_assert_eq(x.n_event, made.n_event);
	cr_assert_eq(x.n_bad, 0);
	return text;
}

/* ---- Chrome JSON ---- */

static double number(const json_t *o, const char *key) { return json_number_value(json_object_get(o, key)); }
static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));
	return s ? s : "";
}

/* The slice of a track that an arrow's end lies in: [ts, ts + dur), the rule of Perfetto's importer. */
static const json_t *enclosing(const json_t *events, const json_t *end)
{
	size_t i;
	json_t *e;
	json_array_foreach(events, i, e) {
		double ts = number(e, "ts"), at = number(end, "ts");
		if (text(e, "ph")[0] == 'X' && number(e, "pid") == number(end, "pid") &&
		    number(e, "tid") == number(end, "tid") && ts <= at + 1e-7 && at + 1e-7 < ts + number(e, "dur"))
			return e;
	}
	return NULL;
}

static void check_arrows(const json_t *events)
{
	size_t i, flags = 0;
	json_t *e;
	const json_t *start = NULL;
	json_array_foreach(events, i, e) {
		char ph = text(e, "ph")[0];
		if (ph == 's') {
			cr_assert_null(start, "an arrow begins before the last one ended");
			start = e;
			continue;
		}
		if (ph != 'f')
			continue;
		cr_assert(start && json_equal(json_object_get(start, "id"), json_object_get(e, "id")));
		cr_assert_str_eq(text(start, "cat"), text(e, "cat"));
		cr_assert_str_eq(text(start, "name"), text(e, "name"));
		cr_assert_str_eq(text(e, "bp"), "e");
		const json_t *a = enclosing(events, start), *b = enclosing(events, e);
		cr_assert(a && b, "an arrow's end lies in no slice");
		cr_assert_leq(number(start, "ts"), number(e, "ts"));
		if (strcmp(text(e, "cat"), "flag") == 0) {
			flags++;
			cr_assert_str_eq(text(a, "name"), "set_flag");
			cr_assert_str_eq(text(b, "name"), "wait_flag");
			cr_assert_str_eq(text(json_object_get(a, "args"), "flag"),
					 text(json_object_get(b, "args"), "flag"));
			/* the maker's wait comes right behind its set */
			cr_assert_eq(number(json_object_get(a, "args"), "seq") + 1,
				     number(json_object_get(b, "args"), "seq"));
		} else {
			cr_assert_str_eq(text(b, "name"), "pipe_barrier");
		}
		start = NULL;
	}
	cr_assert_eq(flags, made.n_pair);
}

static void check_chrome(bool cycles)
{
	size_t size, i, slices = 0, names = 0;
	json_error_t error;
	char *out = export_text(export_chrome, cycles, &size);
	json_t *root = json_loads(out, JSON_REJECT_DUPLICATES, &error), *e;
	cr_assert(root, "line %d: %s", error.line, error.text);
	json_t *events = json_object_get(root, "traceEvents");
	cr_assert(strstr(text(json_object_get(root, "otherData"), "time"), cycles ? "cycle" : "real time"));
	double end[CORES + 1][5] = { { 0 } };
	json_array_foreach(events, i, e) {
		char ph = text(e, "ph")[0];
		cr_assert(strchr("MXsf", ph));
		names += ph == 'M' && strstr(text(e, "name"), "_name") != NULL;
		if (ph != 'X')
			continue;
		const struct vtr_event *x = &made.event[slices++];
		int core = (int)number(e, "pid"), pipe = (int)number(e, "tid");
		cr_assert_eq(core, (int)x->core + 1);
		cr_assert_eq(pipe, x->pipe + 1);
		cr_assert_eq(number(json_object_get(e, "args"), "start"), (double)x->start);
		cr_assert_eq(number(json_object_get(e, "args"), "end"), (double)x->end);
		cr_assert_gt(number(e, "dur"), 0);
		if (cycles)
			cr_assert_eq(number(e, "ts") + number(e, "dur"), (double)x->issue_end);
		else
			cr_assert_leq(fabs(number(e, "ts") + number(e, "dur") - (double)x->issue_end / 1850), 0.002);
		cr_assert_geq(number(e, "ts"), end[core][pipe] - 1e-7, "slices of a track overlap");
		end[core][pipe] = number(e, "ts") + number(e, "dur");
	}
	cr_assert_eq(slices, made.n_event);
	cr_assert_eq(names, CORES * 5);
	check_arrows(events);
	json_decref(root);
	free(out);
}

Test(trace_export, chrome_in_cycles) { check_chrome(true); }
Test(trace_export, chrome_in_real_time) { check_chrome(false); }

Test(trace_export, real_time_is_cycles_over_clock)
{
	struct export x = { .t = &trace };
	cr_assert_eq(export_ns(&x, 0), 0);
	cr_assert_eq(export_ns(&x, 1850), 1000);
	cr_assert_eq(export_ns(&x, 37), 20);
	cr_assert_eq(export_ns(&x, 36), 19); /* 19.46 */
	cr_assert_eq(export_ns(&x, INT64_C(1850000000000)), INT64_C(1000000000000));
	x.cycles = true;
	cr_assert_eq(export_ns(&x, 1850), 1850000);
	cr_assert_eq(export_ns(&x, INT64_MAX), INT64_MAX);
}

/* ---- CSV ---- */

/* Next field of a record; quotes as in RFC 4180. */
static char *field(char *p, char *out)
{
	bool quoted = *p == '"';
	p += quoted;
	for (; *p; p++) {
		if (quoted && p[0] == '"' && p[1] == '"')
			p++;
		else if (quoted ? *p == '"' : *p == ',' || *p == '\n')
			break;
		*out++ = *p;
	}
	*out = 0;
	return p + quoted + 1;
}

Test(trace_export, csv_has_a_row_per_instruction)
{
	enum { COLUMNS = 27 };
	size_t size;
	char *out = export_text(export_csv, false, &size), *p = out, value[COLUMNS][300];
	int header = 1;
	for (char *c = out; *c != '\n'; c++)
		header += *c == ',';
	cr_assert_eq(header, COLUMNS);
	p = strchr(out, '\n') + 1;
	for (uint32_t i = 0; i < made.n_event; i++) {
		const struct vtr_event *e = &made.event[i];
		for (int c = 0; c < COLUMNS; c++)
			p = field(p, value[c]);
		cr_assert_eq(p[-1], '\n');
		cr_assert_eq(strtoul(value[0], NULL, 10), e->core);
		cr_assert_str_eq(value[4], trace.site[e->site].name);
		cr_assert_str_eq(value[6], trace.site[e->site].line);
		cr_assert_eq(strtoll(value[11], NULL, 10), e->start);
		cr_assert_eq(strtoll(value[13], NULL, 10), e->end);
		cr_assert_eq(strtoull(value[25], NULL, 10), e->macs);
		cr_assert_eq(value[20][0] != 0, e->has_flag);
	}
	cr_assert_eq(*p, 0);
	free(out);
}

/* ---- Kanata ---- */

struct op { bool retired; char stage[2][40]; };

static void kanata_line(char *line, struct op *op, int *n_op, long long *cycle, int *retired, int *arrows)
{
	char *f[5] = { NULL };
	int n = 0;
	for (char *p = line; p && n < 5; n++) {
		f[n] = p;
		p = strchr(p, '\t');
		if (p)
			*p++ = 0;
	}
	if (strcmp(f[0], "C=") == 0 || strcmp(f[0], "C") == 0) {
		cr_assert(n == 2 && (f[0][1] ? *cycle < 0 : atoll(f[1]) > 0), "cycles only grow");
		*cycle = f[0][1] ? atoll(f[1]) : *cycle + atoll(f[1]);
		return;
	}
	int id = atoi(f[1]);
	if (strcmp(f[0], "I") == 0) {
		cr_assert(n == 4 && id == *n_op, "instructions are numbered in order of appearance");
		memset(&op[(*n_op)++], 0, sizeof *op);
		return;
	}
	cr_assert(id >= 0 && id < *n_op && (f[0][0] == 'W' || !op[id].retired),
		  "line of an unknown or retired instruction");
	if (f[0][0] == 'S' || f[0][0] == 'E') {
		int lane = atoi(f[2]);
		cr_assert(n == 4 && (lane == 0 || lane == 1) && f[3][0]);
		char *stage = op[id].stage[lane];
		if (f[0][0] == 'S') {
			cr_assert_eq(stage[0], 0, "%d: stage %s begins inside %s", id, f[3], stage);
			snprintf(stage, sizeof op[id].stage[0], "%s", f[3]);
		} else {
			cr_assert_str_eq(stage, f[3]);
			stage[0] = 0;
		}
	} else if (f[0][0] == 'R') {
		cr_assert(n == 4 && atoi(f[2]) == (*retired)++ && atoi(f[3]) == 0);
		cr_assert(op[id].stage[0][0] == 0 && op[id].stage[1][0] == 0, "%d retires inside a stage", id);
		op[id].retired = true;
	} else if (f[0][0] == 'W') {
		cr_assert(n == 4 && atoi(f[2]) < *n_op && atoi(f[2]) != id);
		cr_assert_eq(op[id].stage[0][0], 'X', "arrows are drawn at stages named X");
		++*arrows;
	} else {
		cr_assert_eq(f[0][0], 'L', "unknown line %s", f[0]);
	}
}

Test(trace_export, kanata_keeps_its_rules)
{
	size_t size;
	char *out = export_text(export_kanata, true, &size), *save = NULL;
	struct op *op = calloc(made.n_event + 1, sizeof *op);
	int n_op = 0, retired = 0, arrows = 0;
	long long cycle = -1;
	char *line = strtok_r(out, "\n", &save);
	cr_assert_str_eq(line, "Kanata\t0004");
	while ((line = strtok_r(NULL, "\n", &save)))
		kanata_line(line, op, &n_op, &cycle, &retired, &arrows);
	cr_assert_eq(n_op, (int)made.n_event);
	cr_assert_eq(retired, n_op);
	cr_assert_eq(arrows, (int)made.n_pair);
	cr_assert_eq(cycle, trace.max_cycle);
	free(op);
	free(out);
}

/* ---- Perfetto ---- */

static int occurrences(const char *s, const char *what)
{
	int n = 0;
	for (; (s = strstr(s, what)); s += strlen(what))
		n++;
	return n;
}

/* Decoded by protoc with the public schema's part in test/data/perfetto.proto. */
static char *decode(const char *file)
{
	char command[300], *text_out = NULL, buffer[4096];
	size_t size, n;
	snprintf(command, sizeof command, "protoc --decode=perfetto.protos.Trace test/data/perfetto.proto <%s 2>&1",
		 file);
	FILE *p = popen(command, "r"), *m = open_memstream(&text_out, &size);
	while ((n = fread(buffer, 1, sizeof buffer, p)) > 0)
		fwrite(buffer, 1, n, m);
	fclose(m);
	cr_assert_eq(pclose(p), 0, "%.200s (is protobuf-compiler installed?)", text_out);
	return text_out;
}

/* Slices open and close in turn on every track, in order of time, with the cycles that were written. */
static void check_slices(char *text_out)
{
	long long time = -1, open[2 + CORES * (VTR_PIPES + 1)], end[2 + CORES * (VTR_PIPES + 1)] = { 0 };
	int track = 0, type = 0, begins = 0, ends = 0;
	char *save = NULL;
	for (size_t i = 0; i < sizeof open / sizeof open[0]; i++)
		open[i] = -1;
	for (char *line = strtok_r(text_out, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		cr_assert_not(strspn(line, " ") < strlen(line) && strchr("0123456789", line[strspn(line, " ")]),
			      "unknown field: %s", line);
		if (sscanf(line, "  timestamp: %lld", &time) == 1 || sscanf(line, "    track_uuid: %d", &track) == 1)
			continue;
		if (strstr(line, "type: TYPE_SLICE_"))
			type = strstr(line, "BEGIN") ? 1 : 2;
		if (strcmp(line, "}") != 0 || !type)
			continue;
		cr_assert(track >= 2 && track < 2 + CORES * (VTR_PIPES + 1));
		if (type == 1) {
			cr_assert_eq(open[track], -1);
			cr_assert_geq(time, end[track]);
			open[track] = time;
			begins++;
		} else {
			cr_assert(open[track] >= 0 && time >= open[track]);
			cr_assert_eq(time, made.event[ends].issue_end * 1000);
			end[track] = time;
			open[track] = -1;
			ends++;
		}
		type = 0;
	}
	cr_assert_eq(begins, (int)made.n_event);
	cr_assert_eq(ends, (int)made.n_event);
}

Test(trace_export, perfetto_decodes_with_the_public_schema)
{
	size_t size;
	char *out = export_text(export_perfetto, true, &size), file[] = "build/trace-XXXXXX";
	int fd = mkstemp(file);
	cr_assert(fd >= 0);
	FILE *f = fdopen(fd, "w");
	cr_assert_eq(fwrite(out, 1, size, f), size);
	fclose(f);
	char *decoded = decode(file);
	remove(file);
	cr_assert_eq(occurrences(decoded, "track_descriptor {"), 1 + CORES * 5);
	cr_assert_eq(occurrences(decoded, "child_ordering: EXPLICIT"), 1 + CORES * 5);
	cr_assert(strstr(decoded, "1 us = 1 cycle"));
	cr_assert(strstr(decoded, "name: \"core0.veccore1\""));
	cr_assert_eq(occurrences(decoded, " flow_ids:"), (int)made.n_pair);
	cr_assert_eq(occurrences(decoded, "terminating_flow_ids:"), (int)made.n_pair);
	cr_assert(strstr(decoded, "function_name: \"load\"") && strstr(decoded, "line_number: 10"));
	check_slices(decoded);
	free(decoded);
	free(out);
}

Test(trace_export, summary_names_the_waits)
{
	char *out;
	size_t size;
	struct export x = { .t = &trace, .filter = VTR_ALL };
	FILE *f = open_memstream(&out, &size);
	export_summary(&x, f);
	fclose(f);
	cr_assert(strstr(out, "wait for MTE2") && strstr(out, "123456") && strstr(out, "toy910b"));
	cr_assert_eq(x.n_event, made.n_event);
	free(out);
}
