/*
 * tune_log.c - results of `vinci tune` in a file that survives a kill at any moment: one line per result, appended
 * with one write and synced before the result counts. Each line ends with a checksum; a torn last line is cut off
 * when the file is opened again. The first line names what was measured; results of something else are set aside.
 */
#include "tune.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 8192, FIELDS = 7 };

static uint32_t checksum(const char *p, size_t n)
{
	uint32_t h = 2166136261u;

	while (n--)
		h = (h ^ (uint8_t)*p++) * 16777619u;
	return h;
}

static uint64_t key_of(const char *shape, const char *point)
{
	return (uint64_t)checksum(shape, strlen(shape)) << 32 | checksum(point, strlen(point));
}

static void index_put(struct tune_log *g, int64_t i)
{
	uint64_t at = key_of(g->result[i].shape.text, g->result[i].point.text) % (uint64_t)g->n_index;

	while (g->index[at] >= 0)
		at = (at + 1) % (uint64_t)g->n_index;
	g->index[at] = i;
}

static bool grow(struct tune_log *g, struct fail *f)
{
	if (g->n < g->room)
		return true;
	int64_t room = g->room ? 2 * g->room : 1024;
	struct tune_result *r = realloc(g->result, (size_t)room * sizeof *r);
	if (r)
		g->result = r;
	int64_t *index = r ? malloc((size_t)room * 2 * sizeof *index) : NULL;
	if (!index)
		return fail_set(f, FAIL_INTERNAL, "no memory for %" PRId64 " results", room);
	free(g->index);
	g->index = index;
	g->room = room;
	g->n_index = 2 * room;
	memset(index, 0xff, (size_t)g->n_index * sizeof *index);
	for (int64_t i = 0; i < g->n; i++)
		index_put(g, i);
	return true;
}

static bool remember(struct tune_log *g, const struct tune_result *r, struct fail *f)
{
	if (!grow(g, f))
		return false;
	g->result[g->n] = *r;
	index_put(g, g->n++);
	return true;
}

const struct tune_result *tune_log_find(const struct tune_log *g, const char *shape, const char *point)
{
	if (!g->n_index)
		return NULL;
	uint64_t n = (uint64_t)g->n_index;
	for (uint64_t at = key_of(shape, point) % n; g->index[at] >= 0; at = (at + 1) % n) {
		const struct tune_result *r = &g->result[g->index[at]];
		if (strcmp(r->shape.text, shape) == 0 && strcmp(r->point.text, point) == 0)
			return r;
	}
	return NULL;
}

/* "1.0=455 1.5=3": pipe.cause=cycles */
static size_t print_causes(const struct tune_result *r, char *out, size_t size)
{
	size_t at = 0;

	out[0] = 0;
	for (int p = 0; p < PIPE_COUNT; p++)
		for (int k = 0; k < CAUSE_COUNT; k++)
			if (r->cause[p][k] && at + 40 < size)
				at += (size_t)snprintf(out + at, size - at, "%s%d.%d=%" PRId64, at ? " " : "", p, k,
						       r->cause[p][k]);
	return at;
}

static void parse_causes(struct tune_result *r, char *text)
{
	char *save = NULL;
	int p, k;
	int64_t v;

	for (char *t = strtok_r(text, " ", &save); t; t = strtok_r(NULL, " ", &save))
		if (sscanf(t, "%d.%d=%" SCNd64, &p, &k, &v) == 3 && p >= 0 && p < PIPE_COUNT && k >= 0 && k < CAUSE_COUNT)
			r->cause[p][k] = v;
}

/* A line without its newline; false when it is damaged. */
static bool parse_line(char *line, struct tune_result *r)
{
	char *field[FIELDS], *sum = strrchr(line, '\t');

	if (!sum || strtoul(sum + 1, NULL, 16) != checksum(line, (size_t)(sum - line)))
		return false;
	*sum = 0;
	for (int i = 0; i < FIELDS; i++) {
		field[i] = line;
		line = strchr(line, '\t');
		if (!line && i + 1 < FIELDS)
			return false;
		if (line)
			*line++ = 0;
	}
	memset(r, 0, sizeof *r);
	snprintf(r->shape.text, sizeof r->shape.text, "%s", field[0]);
	snprintf(r->point.text, sizeof r->point.text, "%s", field[1]);
	r->status = (enum tune_status)atoi(field[2]);
	r->cycles = strtoll(field[3], NULL, 10);
	r->missing = strtoll(field[4], NULL, 10);
	snprintf(r->why, sizeof r->why, "%s", field[5]);
	parse_causes(r, field[6]);
	return true;
}

static bool write_all(struct tune_log *g, const char *text, size_t n, struct fail *f)
{
	while (n) {
		ssize_t k = write(g->fd, text, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return fail_set(f, FAIL_USER, "%s cannot be written: %s", g->file, strerror(errno));
		text += k;
		n -= (size_t)k;
	}
	return fsync(g->fd) == 0 || errno == EINVAL || fail_set(f, FAIL_USER, "%s cannot be written: %s", g->file,
								strerror(errno));
}

bool tune_log_add(struct tune_log *g, const struct tune_result *r, struct fail *f)
{
	char line[LINE_MAX_BYTES], causes[4096];

	print_causes(r, causes, sizeof causes);
	int n = snprintf(line, sizeof line, "%s\t%s\t%d\t%" PRId64 "\t%" PRId64 "\t%s\t%s", r->shape.text, r->point.text,
			 (int)r->status, r->cycles, r->missing, r->why, causes);
	for (char *p = strchr(line, '\n'); p; p = strchr(p, '\n'))
		*p = ' ';
	n += snprintf(line + n, sizeof line - (size_t)n, "\t%08x\n", checksum(line, (size_t)n));
	return write_all(g, line, (size_t)n, f) && remember(g, r, f);
}

/* Read what is there; *good is where the sound lines end. False: another identity. */
static bool read_lines(struct tune_log *g, FILE *in, uint64_t identity, int64_t *good, struct fail *f)
{
	char line[LINE_MAX_BYTES];
	uint64_t id = 0;

	*good = 0;
	if (!fgets(line, sizeof line, in))
		return true;
	if (sscanf(line, "vinci tune 1 %" SCNx64, &id) != 1 || !strchr(line, '\n') || id != identity)
		return false;
	*good = ftell(in);
	while (fgets(line, sizeof line, in)) {
		struct tune_result r;
		char *end = strchr(line, '\n');
		if (!end)
			break;
		*end = 0;
		if (!parse_line(line, &r))
			break;
		if (!remember(g, &r, f))
			return true;
		*good = ftell(in);
	}
	return true;
}

/* Two searches at once would measure everything twice. The lock ends with the process, however that ends. */
static bool lock(struct tune_log *g, struct fail *f)
{
	g->fd = open(g->file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (g->fd < 0)
		return fail_set(f, FAIL_USER, "%s cannot be written: %s", g->file, strerror(errno));
	if (flock(g->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return true;
	fail_set(f, FAIL_USER, "%s is in use by another vinci tune", g->file);
	return fail_hint(f, "wait for it, or give this one its own with --results FILE");
}

bool tune_log_open(struct tune_log *g, const char *file, uint64_t identity, struct fail *f)
{
	char head[64], old[560];
	int64_t good = 0;

	memset(g, 0, sizeof *g);
	g->fd = -1;
	snprintf(g->file, sizeof g->file, "%s", file);
	if (!lock(g, f))
		return false;
	FILE *in = fopen(file, "r");
	if (in) {
		bool same = read_lines(g, in, identity, &good, f);
		fclose(in);
		if (f->class)
			return false;
		if (!same) {
			snprintf(old, sizeof old, "%s.old", file);
			if (rename(file, old) != 0)
				return fail_set(f, FAIL_USER, "%s cannot be renamed: %s", file, strerror(errno));
			close(g->fd);
			if (!lock(g, f))
				return false;
			fprintf(stderr, "%s holds results of another kernel, launch file or simulator: now %s\n", file, old);
			good = 0;
		}
	}
	if (ftruncate(g->fd, good) != 0)
		return fail_set(f, FAIL_USER, "%s cannot be shortened: %s", file, strerror(errno));
	if (good)
		return true;
	int n = snprintf(head, sizeof head, "vinci tune 1 %016" PRIx64 "\n", identity);
	return write_all(g, head, (size_t)n, f);
}

void tune_log_close(struct tune_log *g)
{
	if (g->file[0] && g->fd >= 0)
		close(g->fd);
	free(g->result);
	free(g->index);
	memset(g, 0, sizeof *g);
	g->fd = -1;
}
