/*
 * vendor_bin.c - visualize_data.bin: blocks with a 12-byte head each, JSON inside, that the vendor's viewer shows as
 * its source, details and timeline pages. Block numbers and members are interface facts of that viewer.
 *
 *   u64 size of content and padding | u8 type | u8 padding | u8 version | u8 0x5a | [4096-byte path: type 1] content,
 * padding
 */
#include "vendor.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	BLOCK_CODE = 1,
	BLOCK_TRACE = 2,
	BLOCK_FILES = 3,
	BLOCK_INSTRUCTIONS = 4,
	BLOCK_BASIC = 5,
	BLOCK_LOADS = 6,
	BLOCK_OCCUPANCY = 12,
	BLOCK_ROOFLINE = 13,
	MARK = 0x5a,
	PATH_BYTES = 4096,
	SOURCE_MAX = 1 << 20
};

static void block_head(FILE *out, uint64_t size, int type)
{
	uint64_t padded = (size + 3) & ~UINT64_C(3);
	for (int i = 0; i < 8; i++)
		putc((int)(padded >> 8 * i & 255), out);
	putc(type, out);
	putc((int)(padded - size), out);
	putc(type == BLOCK_INSTRUCTIONS ? 0 : MARK, out);
	putc(MARK, out);
}

static void pad(FILE *out, uint64_t size)
{
	for (; size % 4; size++)
		putc(0, out);
}

static void block(FILE *out, int type, const char *content, size_t size)
{
	block_head(out, size, type);
	fwrite(content, 1, size, out);
	pad(out, size);
}

/* A copy of an open file; the head goes before it, so its size is taken first. */
static bool block_file(FILE *out, int type, FILE *in)
{
	char buffer[65536];
	if (fflush(in) != 0 || fseeko(in, 0, SEEK_END) != 0)
		return false;
	uint64_t size = (uint64_t)ftello(in), left = size;
	rewind(in);
	block_head(out, size, type);
	while (left) {
		size_t n = fread(buffer, 1, left < sizeof buffer ? (size_t)left : sizeof buffer, in);
		if (n == 0)
			return false;
		fwrite(buffer, 1, n, out);
		left -= n;
	}
	pad(out, size);
	return true;
}

/* "add.c" of "add.c:41"; the number goes to *line. */
static int split(const struct place *p, unsigned long *line)
{
	int n = p->length;
	while (n > 0 && p->at[n - 1] != ':')
		n--;
	*line = n > 0 ? strtoul(p->at + n, NULL, 10) : 0;
	return n > 0 ? n - 1 : p->length;
}

/* Source text beside the kernel, when it is still there. Only files of that folder are read, whatever the trace says.
 */
static void source_block(const struct vendor *v, FILE *out, const char *name, int length)
{
	const char *kernel = v->x->t->head.kernel, *slash = strrchr(kernel, '/');
	char path[PATH_BYTES], shown[PATH_BYTES] = { 0 };
	const char *base = name;
	for (int i = 0; i < length; i++)
		if (name[i] == '/')
			base = name + i + 1;
	snprintf(path, sizeof path, "%.*s%.*s", slash ? (int)(slash + 1 - kernel) : 0, kernel,
		 (int)(name + length - base), base);
	FILE *in = fopen(path, "r");
	char *text = in ? malloc(SOURCE_MAX) : NULL;
	size_t n = text ? fread(text, 1, SOURCE_MAX, in) : 0;
	if (n > 0 && n < SOURCE_MAX) {
		snprintf(shown, sizeof shown, "%.*s", length, name);
		block_head(out, n, BLOCK_CODE);
		fwrite(shown, 1, sizeof shown, out);
		fwrite(text, 1, n, out);
		pad(out, n);
	}
	free(text);
	if (in)
		fclose(in);
}

static void cores(const struct vtr *t, FILE *m)
{
	fputs("\"Cores\":[", m);
	for (uint32_t c = 0; c < t->head.n_core; c++) {
		fputs(c ? "," : "", m);
		export_string(m, t->head.core[c].name);
	}
	putc(']', m);
}

enum column { COLUMN_CALLS, COLUMN_CYCLES, COLUMN_BYTES, COLUMN_CONFLICT, COLUMN_NA };

/* One value per core, summed over the sites of lines[0 .. n). */
static void per_core(const struct vendor *v, FILE *m, const char *name, enum column column,
		     const struct vendor_line *lines, uint32_t n)
{
	fprintf(m, ",\"%s\":[", name);
	for (uint32_t c = 0; c < v->x->t->head.n_core; c++) {
		int64_t sum = column == COLUMN_NA ? -1 : 0;
		for (uint32_t i = 0; v->sum[c] && i < n; i++) {
			const struct vendor_site *s = &v->sum[c][lines[i].site];
			sum += column == COLUMN_CALLS      ? (int64_t)s->calls
			       : column == COLUMN_CYCLES   ? s->cycles
			       : column == COLUMN_BYTES    ? (int64_t)s->bytes
			       : column == COLUMN_CONFLICT ? (int64_t)s->conflict
							   : 0;
		}
		fprintf(m, "%s%" PRId64, c ? "," : "", sum);
	}
	putc(']', m);
}

static void one_line(const struct vendor *v, FILE *m, unsigned long number, const struct vendor_line *lines, uint32_t n)
{
	const struct vtr *t = v->x->t;
	fprintf(m, "{\"Line\":%lu,\"Address Range\":[", number);
	for (uint32_t i = 0; i < n; i++)
		fprintf(m, "%s[\"0x%" PRIx64 "\",\"0x%" PRIx64 "\"]", i ? "," : "", t->site[lines[i].site].pc,
			t->site[lines[i].site].pc);
	putc(']', m);
	per_core(v, m, "Cycles", COLUMN_CYCLES, lines, n);
	per_core(v, m, "Instructions Executed", COLUMN_CALLS, lines, n);
	per_core(v, m, "GPR Count", COLUMN_NA, lines, n);
	per_core(v, m, "Process Bytes", COLUMN_BYTES, lines, n);
	putc('}', m);
}

static void files(const struct vendor *v, FILE *m, const struct vendor_line *lines, uint32_t n)
{
	const char *file = NULL;
	int file_length = 0;
	putc('{', m);
	cores(v->x->t, m);
	fputs(",\"Files Dtype\":{\"Lines\":{\"Address Range\":0,\"Cycles\":1,\"Instructions Executed\":1,\"Line\":1,"
	      "\"GPR Count\":1,\"Process Bytes\":1}},\"Files\":[",
	      m);
	for (uint32_t i = 0, next; i < n; i = next) {
		unsigned long number;
		char text[VTR_MAX_PLACE];
		int length = split(&lines[i].place, &number);
		for (next = i; next < n && vendor_same_line(&lines[i], &lines[next]);)
			next++;
		bool same = file && length == file_length && memcmp(file, lines[i].place.at, (size_t)length) == 0;
		if (!same) {
			snprintf(text, sizeof text, "%.*s", length, lines[i].place.at);
			fputs(file ? "]},{\"Source\":" : "{\"Source\":", m);
			export_string(m, text);
			fputs(",\"Lines\":[", m);
			file = lines[i].place.at;
			file_length = length;
		} else {
			putc(',', m);
		}
		one_line(v, m, number, lines + i, next - i);
	}
	fputs(file ? "]}]}" : "]}", m);
}

static unsigned pipe_of(const struct vendor *v, uint32_t site)
{
	for (uint32_t c = 0; c < v->x->t->head.n_core; c++)
		if (v->sum[c] && v->sum[c][site].calls)
			return v->sum[c][site].pipe;
	return 0;
}

static void instructions(const struct vendor *v, FILE *m)
{
	const struct vtr *t = v->x->t;
	putc('{', m);
	cores(t, m);
	fputs(",\"Instructions Dtype\":{\"Instructions\":{\"Address\":3,\"AscendC Inner Code\":3,\"Source\":3,\"Pipe\":3,"
	      "\"Instructions Executed\":1,\"Cycles\":1,\"GPR Count\":1,\"Process Bytes\":1,\"UB Read Conflict\":1,"
	      "\"UB Write Conflict\":1}},\"Instructions\":[",
	      m);
	for (uint32_t i = 0; i < t->n_site; i++) {
		struct vendor_line line = { { "", 0 }, i };
		char text[VTR_MAX_PLACE];
		export_places(t->site[i].line, &line.place, 1);
		fprintf(m, "%s{\"Address\":\"0x%" PRIx64 "\",\"AscendC Inner Code\":", i ? "," : "", t->site[i].pc);
		snprintf(text, sizeof text, "%.*s", line.place.length, line.place.at);
		export_string(m, text);
		fputs(",\"Source\":", m);
		snprintf(text, sizeof text, "%.64s %.500s", t->site[i].name, v->detail[i] ? v->detail[i] : "");
		export_string(m, text);
		fputs(",\"Pipe\":", m);
		export_string(m, vendor_pipe(t->head.pipe[pipe_of(v, i)]));
		per_core(v, m, "Instructions Executed", COLUMN_CALLS, &line, 1);
		per_core(v, m, "Cycles", COLUMN_CYCLES, &line, 1);
		per_core(v, m, "GPR Count", COLUMN_NA, &line, 1);
		per_core(v, m, "Process Bytes", COLUMN_BYTES, &line, 1);
		/* which side met is not told apart: all of it is shown as read conflicts */
		per_core(v, m, "UB Read Conflict", COLUMN_CONFLICT, &line, 1);
		per_core(v, m, "UB Write Conflict", COLUMN_NA, &line, 1);
		putc('}', m);
	}
	fputs("]}", m);
}

const char *vendor_op_type(const struct vtr *t)
{
	bool cube = false, vector = false;
	for (uint32_t c = 0; c < t->head.n_core; c++) {
		cube |= strcmp(t->head.core[c].kind, "cube") == 0;
		vector |= strcmp(t->head.core[c].kind, "vector") == 0;
	}
	return cube && vector ? "mix" : cube ? "cube" : vector ? "vector" : "AiCore";
}

void vendor_soc(const struct vtr *t, FILE *m)
{
	char soc[80];
	snprintf(soc, sizeof soc, "%s", t->head.chip);
	bool known = strncmp(soc, "ascend", 6) == 0;
	soc[0] = (char)(known ? 'A' : soc[0]);
	for (char *p = soc + (known ? 6 : strlen(soc)); *p; p++)
		*p = (char)toupper((unsigned char)*p);
	export_string(m, soc);
}

static void microseconds(const struct vtr *t, FILE *m, int64_t cycles)
{
	int64_t mhz = (int64_t)t->head.clock_mhz;
	fprintf(m, "%" PRId64 ".%03" PRId64, cycles / mhz, cycles % mhz * 1000 / mhz);
}

/* A table of how long each core took; cores of one block in one row. */
static void durations(const struct vtr *t, FILE *m, bool mix)
{
	const struct vtr_head *h = &t->head;
	uint32_t rows = 0, columns = mix ? 4 : 2;
	fprintf(m, ",\"%sblock_detail\":{\"head_name\":[\"Block ID\",", mix ? "mix_" : "");
	fputs(mix ? "\"Cube0 Duration (\xce\xbcs)\",\"Vector0 Duration (\xce\xbcs)\",\"Vector1 Duration (\xce\xbcs)\"]"
		  : "\"Duration (\xce\xbcs)\"]",
	      m);
	fputs(",\"row\":[", m);
	for (uint32_t c = 0; c < h->n_core; c++) {
		int64_t cycles = vtr_core_counter(t, c, "cycles");
		bool more = mix && c > 0 && h->core[c].group == h->core[c - 1].group;
		if (!more)
			fprintf(m, "%s{\"value\":[\"%" PRIu32 "\"", rows++ ? "]}," : "", h->core[c].group);
		fputs(",\"", m);
		microseconds(t, m, cycles > 0 ? cycles : 0);
		putc('"', m);
	}
	fprintf(m, "]}],\"size\":[%" PRIu32 ",%" PRIu32 "]}", rows + 1, columns);
}

static void basic(const struct vendor *v, FILE *m)
{
	const struct vtr *t = v->x->t;
	const struct vtr_head *h = &t->head;
	bool mix = strcmp(vendor_op_type(t), "mix") == 0;
	fprintf(m, "{\"advice\":[],\"block_dim\":\"%" PRIu64 "\",\"device_id\":\"0\",\"duration\":", h->blocks);
	microseconds(t, m, t->has_done ? t->done.end : t->max_cycle);
	if (mix)
		fprintf(m, ",\"mix_block_dim\":\"%" PRIu64 "\",\"name\":", 2 * h->blocks);
	else
		fputs(",\"mix_block_dim\":\"\",\"name\":", m);
	export_string(m, h->entry);
	fprintf(m, ",\"op_type\":\"%s\",\"pid\":\"0\",\"soc\":", vendor_op_type(t));
	vendor_soc(t, m);
	if (t->counters.n_core)
		durations(t, m, mix);
	putc('}', m);
}

typedef void (*writer)(const struct vendor *v, FILE *m);

static bool json_block(const struct vendor *v, FILE *out, int type, writer write, const struct vendor_line *lines,
		       uint32_t n)
{
	char *text = NULL;
	size_t size = 0;
	FILE *m = open_memstream(&text, &size);
	if (!m)
		return false;
	if (write)
		write(v, m);
	else
		files(v, m, lines, n);
	bool ok = fclose(m) == 0;
	if (ok)
		block(out, type, text, size);
	free(text);
	return ok;
}

bool vendor_bin(const struct vendor *v, FILE *trace, FILE *out, struct fail *f)
{
	uint32_t n, last = UINT32_MAX;
	struct vendor_line *lines = vendor_lines(v->x->t, &n);
	unsigned long number;
	for (uint32_t i = 0; lines && i < n; i++) {
		int length = split(&lines[i].place, &number);
		bool same = last != UINT32_MAX && split(&lines[last].place, &number) == length &&
			    memcmp(lines[last].place.at, lines[i].place.at, (size_t)length) == 0;
		if (!same)
			source_block(v, out, lines[i].place.at, length);
		last = i;
	}
	bool ok = lines && json_block(v, out, BLOCK_FILES, NULL, lines, n) &&
		  json_block(v, out, BLOCK_INSTRUCTIONS, instructions, NULL, 0) &&
		  json_block(v, out, BLOCK_BASIC, basic, NULL, 0) && block_file(out, BLOCK_TRACE, trace);
	if (ok && v->x->no_counters == EXPORT_COUNTERS)
		ok = json_block(v, out, BLOCK_LOADS, vendor_loads, NULL, 0) &&
		     json_block(v, out, BLOCK_OCCUPANCY, vendor_occupancy, NULL, 0) &&
		     json_block(v, out, BLOCK_ROOFLINE, vendor_roofline, NULL, 0);
	free(lines);
	return ok || fail_set(f, FAIL_USER, "visualize_data.bin cannot be written");
}
