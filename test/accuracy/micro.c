/*
 * micro.c - runs each row of micro.jsonl and formulas.jsonl: the instruction in a stream or alone, as the row's source
 * did it, on the chip that the row names. How each source measured is in configs/CALIBRATION.md.
 */
#include "micro.h"
#include "rig.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 256, STREAM = 32, ALONE = 4 }; /* as in vector_ops.c; moves.c: multiples of 8 in a stream */

struct micro {
	struct table *table;
	struct rig vector, vector_moves, cube_moves[2]; /* [0] 910B1, [1] 910B3 */
	struct rig vector_moves_b3;
};

static const char *const op_names[] = {
#define OP(name, call) #name,
#include "kernels/vector_ops.def"
#undef OP
};
enum { N_OP = sizeof op_names / sizeof op_names[0] };

static const char *text_of(const json_t *row, const char *key)
{
	const char *s = json_string_value(json_object_get(row, key));
	return s ? s : "";
}

static bool begin(struct rig *r, const char *entry, const uint32_t *list, int n)
{
	uint8_t *host;
	if (!rig_begin(r, entry, 1, true) || !rig_buffer(r, (uint64_t)n * 4, false, &host))
		return false;
	memcpy(host, list, (size_t)n * 4);
	return rig_scalar(r, (uint64_t)n);
}

/* Cycles per instruction of point i: in a stream between starts, behind the first few; alone from start to start, the
 * drain included. Counts only the shots of one pipe. */
static double period(const struct rig *r, int pipe, int i, int shots, bool alone)
{
	int64_t first = -1, last = -1;
	int seen = 0, from = i * shots + (alone ? 1 : shots / 4), to = (i + 1) * shots - 1;
	for (int k = 0; k < r->n_shot; k++) {
		if (r->shot[k].pipe != pipe)
			continue;
		if (seen == from)
			first = r->shot[k].start;
		if (seen == to)
			last = r->shot[k].start;
		seen++;
	}
	return first < 0 || last < 0 || to <= from ? 0 : (double)(last - first) / (to - from);
}

/* ---- vector ---- */

static int op_find(const char *name)
{
	for (int i = 0; i < N_OP; i++)
		if (strcmp(op_names[i], name) == 0)
			return i;
	return -1;
}

static bool vector_run(struct micro *m, const char *id, const char *name, const uint32_t *list, int n, bool alone)
{
	struct rig *r = &m->vector;
	int which = op_find(name);
	if (which < 0) {
		table_leave(m->table, id, "the public intrinsics have no such instruction, or it counts repeats differently");
		return false;
	}
	bool ok = begin(r, "vector_ops", list, n) && rig_scalar(r, (uint64_t)which) && rig_scalar(r, alone) && rig_run(r);
	rig_end(r);
	if (!ok)
		table_leave(m->table, id, "%.150s", r->fail.what);
	return ok;
}

/* Sources within the facts that contradict the table's row by more than 10 %. */
static bool disputed(const char *name)
{
	return strcmp(name, "VCADD_FP32_FP32") == 0 || strcmp(name, "VCPADD_FP16_FP16") == 0 ||
	       strcmp(name, "VCPADD_FP32_FP32") == 0 || strncmp(name, "VDIV", 4) == 0 || strcmp(name, "VCONV_FP32_FP16") == 0;
}

static void vector_row(struct micro *m, const json_t *row)
{
	const char *id = text_of(row, "id");
	char name[96];
	uint32_t list[POINTS];
	double cycles[POINTS];
	int n = 0;
	/* mskpp-vec-NAME_1_core_910b1 */
	if (strncmp(id, "mskpp-vec-", 10) != 0 || !strstr(id, "_1_core")) {
		table_leave(m->table, id, "unknown form of id");
		return;
	}
	snprintf(name, sizeof name, "%.*s", (int)(strstr(id, "_1_core") - id - 10), id + 10);
	const json_t *rows = json_object_get(row, "rows");
	for (size_t i = 0; i < json_array_size(rows) && n < POINTS; i++) {
		const json_t *p = json_array_get(rows, i);
		double repeat = json_number_value(json_array_get(p, 3)), rate = json_number_value(json_array_get(p, 1));
		list[n] = (uint32_t)repeat;
		/* bytes per cycle is what every row has; total_cycles is empty or in other units in some */
		cycles[n] = rate > 0 ? repeat * 256 / rate : 0;
		/* a few points of two rows are broken: thousands of cycles among neighbours of ten */
		if (repeat >= 1 && repeat <= 255 && cycles[n] > 0 && cycles[n] < 40 * repeat)
			n++;
	}
	if (!vector_run(m, id, name, list, n, false))
		return;
	for (int i = 0; i < n; i++) {
		char metric[32];
		snprintf(metric, sizeof metric, "R=%u", list[i]);
		table_add(m->table, disputed(name) ? "vector, sources disagree" : list[i] < 4 ? "vector stream, 1-3 repeats"
			: "vector stream, 4 repeats up", id, metric, cycles[i], period(&m->vector, PIPE_V, i, STREAM, false));
	}
}

static const char *alone_group(const json_t *row)
{
	return json_is_true(json_object_get(row, "agree")) ? "vector alone" : "vector, sources disagree";
}

/* A row's "empty" is what its source reads where there is nothing to do; ours is the barrier. */
static double measuring(const struct micro *m, const json_t *row)
{
	const json_t *empty = json_object_get(row, "empty");
	return empty ? json_number_value(empty) - (double)m->vector.chip.sync.barrier_cycles : 0;
}

static void vector_alone(struct micro *m, const json_t *row, const char *id)
{
	static const uint32_t list[] = { 1, 4, 16, 64, 128 };
	double head = json_number_value(json_object_get(row, "head")), slope = json_number_value(json_object_get(row, "slope"));
	if (!vector_run(m, id, text_of(row, "op"), list, 5, true))
		return;
	for (int i = 0; i < 5; i++) {
		char metric[32];
		snprintf(metric, sizeof metric, "R=%u", list[i]);
		table_add(m->table, alone_group(row), id, metric, head + slope * list[i],
			  period(&m->vector, PIPE_V, i, ALONE, true) + measuring(m, row));
	}
}

/* One measurement of one instruction. */
static void vector_shot(struct micro *m, const json_t *row, const char *id)
{
	uint32_t repeat = (uint32_t)json_integer_value(json_object_get(row, "repeat"));
	char metric[32];
	if (!vector_run(m, id, text_of(row, "op"), &repeat, 1, true))
		return;
	snprintf(metric, sizeof metric, "R=%u", repeat);
	table_add(m->table, alone_group(row), id, metric, json_number_value(json_object_get(row, "cycles")),
		  period(&m->vector, PIPE_V, 0, ALONE, true) + measuring(m, row));
}

/* ---- moves and cube ---- */

struct path {
	const char *name;
	int which, pipe;
	bool vector, alone, cold;
	uint32_t most;           /* bytes that fit */
	const char *group;
};

static const struct path paths[] = {
	{ "GM_TO_UB_910b3", 0, PIPE_MTE2, true, true, false, 196608, "GM curves" },
	{ "GM_TO_UB_910b1", 0, PIPE_MTE2, true, true, false, 196608, "GM curves, sources disagree" },
	{ "UB_TO_GM_910b1", 1, PIPE_MTE3, true, true, false, 196608, "GM curves" },
	{ "UB_TO_UB", 2, PIPE_V, true, false, false, 98304, "UB to UB" },
	{ "GM_TO_L1_TRANS", 11, PIPE_MTE2, false, true, true, 524288, "GM curves" },
	{ "GM_TO_L1", 10, PIPE_MTE2, false, true, false, 524288, "GM curves" },
	{ "GM_TO_L0A_910b1", 12, PIPE_MTE2, false, false, false, 65536, "GM curves" },
	{ "GM_TO_L0B_910b1", 13, PIPE_MTE2, false, false, false, 65536, "GM curves" },
	{ "GM_TO_L0A_910b3", 12, PIPE_MTE2, false, true, false, 65536, "GM curves, sources disagree" },
	{ "GM_TO_L0B_910b3", 13, PIPE_MTE2, false, true, false, 65536, "GM curves, sources disagree" },
	{ "L1_TO_L0A", 14, PIPE_MTE1, false, false, false, 65536, "L1 to L0" },
	{ "L1_TO_L0B", 15, PIPE_MTE1, false, false, false, 65536, "L1 to L0" },
	{ "TRANSPOSED_TO_L0A", 21, PIPE_MTE1, false, false, false, 65536, "L1 to L0" },
	{ "TRANSPOSED_TO_L0B", 22, PIPE_MTE1, false, false, false, 65536, "L1 to L0" },
	{ "IMG2COL_TO_L0A", 23, PIPE_MTE1, false, false, false, 65536, "L1 to L0" },
	{ "IMG2COL_TO_L0B", 24, PIPE_MTE1, false, false, false, 65536, "L1 to L0" },
	{ "SPARSE_TO_L0B", 25, PIPE_MTE1, false, false, false, 65536, "L1 to L0" },
	{ "L1_TO_BT", 16, PIPE_MTE1, false, false, false, 1024, "L1 to BT and FB" },
	{ "L1_TO_FB", 17, PIPE_FIX, false, false, false, 2048, "L1 to BT and FB" },
	{ "L0C_TO_GM_TRANS", 19, PIPE_FIX, false, false, false, 131072, "fixpipe" },
	{ "L0C_TO_GM", 18, PIPE_FIX, false, false, false, 131072, "fixpipe" },
	{ "L0C_TO_L1", 20, PIPE_FIX, false, false, false, 131072, "fixpipe" },
	{ "L0C_S8_TO_L1", 26, PIPE_FIX, false, false, false, 32768, "fixpipe" },
};

static const struct path *path_find(const char *name)
{
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
		if (strncmp(paths[i].name, name, strlen(paths[i].name)) == 0)
			return &paths[i];
	return NULL;
}

/* Run a path at n sizes; results in out, cycles per instruction. */
static bool path_run(struct micro *m, const char *id, struct rig *r, const struct path *p, bool alone, const uint32_t *list,
		     int n, double *out)
{
	int shots = alone ? ALONE : STREAM;
	uint32_t step = p->cold ? 1 << 20 : 0;
	bool ok = begin(r, "moves", list, n) && rig_scalar(r, (uint64_t)p->which) && rig_scalar(r, (uint64_t)shots) &&
		  rig_scalar(r, alone) && rig_scalar(r, step) &&
		  rig_buffer(r, 2097152 + (uint64_t)step * (uint64_t)(n * shots), false, NULL) && rig_run(r);
	rig_end(r);
	if (!ok) {
		table_leave(m->table, id, "%.150s", r->fail.what);
		return false;
	}
	for (int i = 0; i < n; i++)
		out[i] = period(r, p->pipe, i, shots, alone);
	return true;
}

static struct rig *rig_of(struct micro *m, const struct path *p, bool b3)
{
	return p->vector ? (b3 ? &m->vector_moves_b3 : &m->vector_moves) : &m->cube_moves[b3];
}

static void move_row(struct micro *m, const json_t *row)
{
	/* mskpp-mov-PATH_CHIP, mskpp-mov_repeat-PATH_CHIP */
	const char *id = text_of(row, "id"), *name = strchr(id, '-') ? strchr(strchr(id, '-') + 1, '-') : NULL;
	name = name ? name + 1 : id;
	const struct path *p = path_find(name);
	bool b3 = strstr(name, "910b3") != NULL;
	uint32_t list[POINTS];
	double cycles[POINTS], out[POINTS];
	int n = 0;
	if (!p) {
		table_leave(m->table, id, "no such path");
		return;
	}
	struct rig *r = rig_of(m, p, b3);
	/* the table's cycles are of 1800 MHz on every chip; its GB/s (2^30) are time */
	double hz = (double)r->chip.clock.core_mhz * 1e6;
	const json_t *rows = json_object_get(row, "rows");
	for (size_t i = 0; i < json_array_size(rows) && n < POINTS; i++) {
		const json_t *q = json_array_get(rows, i);
		double bytes = json_number_value(json_array_get(q, 0)) * 1024, rate = json_number_value(json_array_get(q, 1));
		if (bytes > p->most || rate <= 0)
			continue;
		list[n] = (uint32_t)bytes;
		cycles[n++] = bytes / (rate * 1073741824.0) * hz;
	}
	if (n == 0 || !path_run(m, id, r, p, p->alone, list, n, out))
		return;
	for (int i = 0; i < n; i++) {
		char metric[32];
		snprintf(metric, sizeof metric, "%u B", list[i]);
		/* 1 KB: the table of bursts says 6.1, that of repeats 8.1 */
		bool two = strncmp(name, "L1_TO_L0A", 9) == 0 && list[i] == 1024;
		table_add(m->table, two ? "L1 to L0, sources disagree" : p->group, id, metric, cycles[i], out[i]);
	}
}

static void mad_row(struct micro *m, const json_t *row)
{
	const char *id = text_of(row, "id");
	bool b3 = strstr(id, "910b3") != NULL;
	const struct path p = { .which = b3 ? 31 : 30, .pipe = PIPE_M };
	uint32_t list[POINTS];
	double cycles[POINTS], out[POINTS];
	int n = 0;
	const json_t *rows = json_object_get(row, "rows");
	for (size_t i = 0; i < json_array_size(rows) && n < POINTS; i++) {
		const json_t *q = json_array_get(rows, i);
		list[n] = (uint32_t)json_number_value(json_array_get(q, 3));
		/* the product must fit in L0C: 128 KB of fp32 */
		if (json_number_value(json_array_get(q, 1)) * list[n] * 4 <= 131072)
			cycles[n++] = 2 * json_number_value(json_array_get(q, 5)) / json_number_value(json_array_get(q, 4));
	}
	if (n == 0 || !path_run(m, id, &m->cube_moves[b3], &p, b3, list, n, out))
		return;
	for (int i = 0; i < n; i++) {
		char metric[32];
		snprintf(metric, sizeof metric, "n=%u", list[i]);
		table_add(m->table, "cube", id, metric, cycles[i], out[i]);
	}
}

/* ---- closed forms ---- */

static void formula_row(struct micro *m, const json_t *row)
{
	const char *id = text_of(row, "id"), *kind = text_of(row, "kind");
	double head = json_number_value(json_object_get(row, "head")), out[POINTS];
	if (strcmp(kind, "vector_alone") == 0) {
		vector_alone(m, row, id);
		return;
	}
	if (strcmp(kind, "vector_shot") == 0) {
		vector_shot(m, row, id);
		return;
	}
	bool mad = strcmp(kind, "mad_alone") == 0;
	const struct path cube = { .which = 31, .pipe = PIPE_M }, *p = mad ? &cube : path_find(text_of(row, "path"));
	const json_t *sizes = json_object_get(row, mad ? "n" : "bytes");
	uint32_t list[POINTS];
	int n = 0;
	for (size_t i = 0; i < json_array_size(sizes) && n < POINTS; i++)
		if (mad || json_integer_value(json_array_get(sizes, i)) <= p->most)
			list[n++] = (uint32_t)json_integer_value(json_array_get(sizes, i));
	/* published from the start of the instruction to its result: the barrier behind it is ours */
	struct rig *r = &m->cube_moves[0];
	if (!path_run(m, id, r, p, true, list, n, out))
		return;
	for (int i = 0; i < n; i++) {
		char metric[32];
		double work = mad ? (list[i] + 15) / 16 : list[i] / json_number_value(json_object_get(row, "rate"));
		snprintf(metric, sizeof metric, mad ? "n=%u" : "%u B", list[i]);
		table_add(m->table, mad ? "cube" : p->group, id, metric, head + work,
			  out[i] - (double)r->chip.sync.barrier_cycles);
	}
}

static void row(struct micro *m, const json_t *r)
{
	const char *kind = text_of(r, "kind"), *id = text_of(r, "id");
	if (strcmp(kind, "mskpp_vec") == 0)
		vector_row(m, r);
	else if (strcmp(kind, "mskpp_mov") == 0 || strcmp(kind, "mskpp_mov_repeat") == 0)
		move_row(m, r);
	else if (strcmp(kind, "mskpp_mmad") == 0)
		mad_row(m, r);
	else if (strcmp(kind, "vector_alone") == 0 || strcmp(kind, "vector_shot") == 0 || strcmp(kind, "move_alone") == 0 ||
		 strcmp(kind, "mad_alone") == 0)
		formula_row(m, r);
	else if (strcmp(kind, "pto_instr_910b3") == 0)
		table_leave(m->table, id, "a tile operation of PTO, several instructions whose loop is not given in the row");
	else if (strcmp(kind, "camodel_pto_a2a3") == 0)
		table_leave(m->table, id, "ticks of a vendor model over a whole test kernel, start-up included");
	else
		table_leave(m->table, id, "coefficients of a fit, not a measurement; the lines that name one instruction are in "
			    "formulas.jsonl");
}

static bool each(struct micro *m, const char *file, char *text, size_t size)
{
	FILE *f = fopen(file, "r");
	char *line = NULL;
	size_t max = 0;
	if (!f)
		return snprintf(text, size, "cannot read %s", file), false;
	while (getline(&line, &max, f) > 0) {
		json_error_t e;
		json_t *r = json_loads(line, 0, &e);
		if (!r) {
			snprintf(text, size, "%s: %s", file, e.text);
			fclose(f);
			free(line);
			return false;
		}
		row(m, r);
		json_decref(r);
	}
	free(line);
	fclose(f);
	return true;
}

/* Rows of micro.jsonl that formulas.jsonl knows to be one instruction are compared after all. */
static void forget_compared(struct table *t)
{
	int n = 0;
	for (int i = 0; i < t->n_left; i++) {
		bool compared = false;
		for (int k = 0; k < t->n && !compared; k++)
			compared = strcmp(t->row[k].id, t->left[i].id) == 0;
		if (!compared)
			t->left[n++] = t->left[i];
	}
	t->n_left = n;
}

bool micro_run(struct table *t, char *text, size_t size)
{
	static struct micro m;
	m.table = t;
	struct { struct rig *rig; const char *chip, *name; unsigned core; } loads[] = {
		{ &m.vector, "ascend910b1", "vector_ops", CORE_VEC }, { &m.vector_moves, "ascend910b1", "moves", CORE_VEC },
		{ &m.vector_moves_b3, "ascend910b3", "moves", CORE_VEC }, { &m.cube_moves[0], "ascend910b1", "moves", CORE_CUBE },
		{ &m.cube_moves[1], "ascend910b3", "moves", CORE_CUBE },
	};
	bool ok = true;
	for (size_t i = 0; i < sizeof loads / sizeof loads[0] && ok; i++) {
		ok = rig_load(loads[i].rig, loads[i].chip, loads[i].name, loads[i].core);
		if (!ok)
			snprintf(text, size, "%s", loads[i].rig->fail.what);
	}
	ok = ok && each(&m, "test/accuracy/micro.jsonl", text, size) && each(&m, "test/accuracy/formulas.jsonl", text, size);
	forget_compared(t);
	for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++)
		rig_free(loads[i].rig);
	return ok;
}
