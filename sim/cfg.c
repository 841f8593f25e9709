/*
 * cfg.c - libconfig text with includes: reads files into one text, remembers where each line came from, and turns
 * libconfig's complaints into errors with file and line.
 */
#include "cfg.h"
#include "input.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool cfg_beside(const char *file, const char *name, char *out, size_t size)
{
	const char *slash = strrchr(file, '/');
	int n;
	if (name[0] == '/' || !slash)
		n = snprintf(out, size, "%s", name);
	else
		n = snprintf(out, size, "%.*s/%s", (int)(slash - file), file, name);
	return n >= 0 && (size_t)n < size;
}

static bool read_text(const char *file, char **text, struct fail *f)
{
	struct stat st;
	FILE *in = input_open(file);
	if (!in)
		return fail_file(f, FAIL_USER, file, 0, "cannot read %s: %s", file, strerror(errno));
	if (fstat(fileno(in), &st) != 0 || !S_ISREG(st.st_mode)) {
		fclose(in);
		return fail_file(f, FAIL_USER, file, 0, "%s is not a regular file", file);
	}
	if (st.st_size > CFG_BYTES) {
		fclose(in);
		return fail_file(f, FAIL_USER, file, 0, "%s has %lld bytes; a config has at most %d", file,
				 (long long)st.st_size, CFG_BYTES);
	}
	char *buf = malloc((size_t)st.st_size + 1);
	size_t n = buf ? fread(buf, 1, (size_t)st.st_size, in) : 0;
	fclose(in);
	if (!buf)
		return fail_set(f, FAIL_INTERNAL, "out of memory");
	buf[n] = 0;
	if (strlen(buf) != n) {
		free(buf);
		return fail_file(f, FAIL_USER, file, 0, "%s is not a text file", file);
	}
	*text = buf;
	return true;
}

static bool add_line(struct cfg *c, const char *text, size_t n, int file, int line, struct fail *f)
{
	if (c->size + n + 2 > CFG_BYTES)
		return fail_file(f, FAIL_USER, c->file[0], 0, "config and its includes exceed %d bytes", CFG_BYTES);
	if ((c->n_line & (c->n_line - 1)) == 0) { /* grow at powers of two */
		size_t room = c->n_line ? (size_t)c->n_line * 2 : 1;
		struct cfg_line *lines = realloc(c->line, room * sizeof(*lines));
		if (!lines)
			return fail_set(f, FAIL_INTERNAL, "out of memory");
		c->line = lines;
	}
	c->line[c->n_line++] = (struct cfg_line){ file, line };
	memcpy(c->text + c->size, text, n);
	c->size += n;
	c->text[c->size++] = '\n';
	c->text[c->size] = 0;
	return true;
}

/* The quoted name of an include line; 0 = no include, 1 = include, -1 = malformed. */
static int include_name(const char *line, size_t n, char *name, size_t size)
{
	const char *end = line + n, *p = line;
	static const char word[] = "@include";
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if ((size_t)(end - p) < sizeof(word) - 1 || memcmp(p, word, sizeof(word) - 1) != 0)
		return 0;
	p += sizeof(word) - 1;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p == end || *p++ != '"')
		return -1;
	const char *close = memchr(p, '"', (size_t)(end - p));
	if (!close || close == p || (size_t)(close - p) >= size)
		return -1;
	memcpy(name, p, (size_t)(close - p));
	name[close - p] = 0;
	for (p = close + 1; p < end; p++)
		if (*p != ' ' && *p != '\t' && *p != '\r' && *p != ';')
			return -1;
	return 1;
}

static bool expand(struct cfg *c, const char *text, int file, int depth, bool includes, struct fail *f);

static bool include(struct cfg *c, const char *name, int from, int line, int depth, struct fail *f)
{
	char path[512], *text = NULL;
	if (depth + 1 >= CFG_DEPTH || c->n_file == CFG_FILES)
		return fail_file(f, FAIL_USER, c->file[from], line,
				 "@include \"%s\": at most %d files deep and %d files", name, CFG_DEPTH, CFG_FILES);
	if (!cfg_beside(c->file[from], name, path, sizeof(path)))
		return fail_file(f, FAIL_USER, c->file[from], line, "@include: path too long");
	struct fail inner = { 0 };
	if (!read_text(path, &text, &inner))
		return fail_file(f, inner.class, c->file[from], line, "@include: %s", inner.what);
	int number = c->n_file++;
	snprintf(c->file[number], sizeof(c->file[number]), "%s", path);
	bool ok = expand(c, text, number, depth + 1, true, f);
	free(text);
	return ok;
}

static bool expand(struct cfg *c, const char *text, int file, int depth, bool includes, struct fail *f)
{
	for (int line = 1; *text; line++) {
		size_t n = strcspn(text, "\n");
		char name[256];
		int found = include_name(text, n, name, sizeof(name));
		if (found < 0)
			return fail_file(f, FAIL_USER, c->file[file], line,
					 "expected @include \"file\" alone on its line");
		if (found && !includes)
			return fail_file(f, FAIL_USER, c->file[file], line, "@include needs a file to be relative to");
		if (found && !include(c, name, file, line, depth, f))
			return false;
		if (!found && !add_line(c, text, n, file, line, f))
			return false;
		text += n;
		if (*text == '\n')
			text++;
	}
	return true;
}

static struct cfg_line place(const struct cfg *c, int line)
{
	if (line > c->n_line) /* behind the end: something is not closed */
		line = c->n_line;
	if (line >= 1)
		return c->line[line - 1];
	return (struct cfg_line){ 0, 0 };
}

static bool start(struct cfg *c, const char *file, struct fail *f)
{
	memset(c, 0, sizeof(*c));
	config_init(&c->config);
	c->n_file = 1;
	snprintf(c->file[0], sizeof(c->file[0]), "%s", file);
	c->text = malloc(CFG_BYTES + 1);
	if (!c->text)
		return fail_set(f, FAIL_INTERNAL, "out of memory");
	c->text[0] = 0;
	return true;
}

static bool finish(struct cfg *c, bool expanded, struct fail *f)
{
	if (expanded && config_read_string(&c->config, c->text) == CONFIG_TRUE)
		return true;
	if (expanded) {
		struct cfg_line at = place(c, config_error_line(&c->config));
		const char *text = config_error_text(&c->config);
		fail_file(f, FAIL_USER, c->file[at.file], at.line, "%s", text ? text : "syntax error");
		fail_hint(f, "entries are written: name = value;   groups: name = { ... };   comments: // or #");
	}
	cfg_free(c);
	return false;
}

bool cfg_load(struct cfg *c, const char *file, struct fail *f)
{
	char *text = NULL;
	if (!read_text(file, &text, f))
		return false;
	bool ok = finish(c, start(c, file, f) && expand(c, text, 0, 0, true, f), f);
	free(text);
	return ok;
}

bool cfg_parse(struct cfg *c, const char *text, const char *file, struct fail *f)
{
	return finish(c, start(c, file, f) && expand(c, text, 0, 0, false, f), f);
}

void cfg_free(struct cfg *c)
{
	config_destroy(&c->config);
	free(c->text);
	free(c->line);
	c->text = NULL;
	c->line = NULL;
}

int cfg_line(const struct cfg *c, const config_setting_t *s)
{
	return s ? place(c, (int)config_setting_source_line(s)).line : 0;
}

bool cfg_fail(const struct cfg *c, const config_setting_t *s, struct fail *f, const char *fmt, ...)
{
	char text[700];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	struct cfg_line at = { 0, 0 };
	if (s && s->parent)
		at = place(c, (int)config_setting_source_line(s));
	return fail_file(f, FAIL_USER, c->file[at.file], at.line, "%s", text);
}

const char *cfg_type(const config_setting_t *s)
{
	switch (config_setting_type(s)) {
	case CONFIG_TYPE_GROUP: return "a group { }";
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64: return "a whole number";
	case CONFIG_TYPE_FLOAT: return "a fraction";
	case CONFIG_TYPE_STRING: return "a text";
	case CONFIG_TYPE_BOOL: return "true or false";
	case CONFIG_TYPE_ARRAY: return "an array [ ]";
	case CONFIG_TYPE_LIST: return "a list ( )";
	default: return "nothing";
	}
}

bool cfg_text(const struct cfg *c, const config_setting_t *s, const char *key, char *out, size_t size, struct fail *f)
{
	const char *text = config_setting_get_string(s);
	if (config_setting_type(s) != CONFIG_TYPE_STRING || !text)
		return cfg_fail(c, s, f, "%s: expected a text in quotes, got %s", key, cfg_type(s));
	if (strlen(text) >= size)
		return cfg_fail(c, s, f, "%s: text of %zu characters, at most %zu fit", key, strlen(text), size - 1);
	strcpy(out, text);
	return true;
}

bool cfg_int(const struct cfg *c, const config_setting_t *s, const char *key, int64_t *out, struct fail *f)
{
	int type = config_setting_type(s);
	if (type != CONFIG_TYPE_INT && type != CONFIG_TYPE_INT64)
		return cfg_fail(c, s, f, "%s: expected a whole number, got %s", key, cfg_type(s));
	*out = type == CONFIG_TYPE_INT ? config_setting_get_int(s) : config_setting_get_int64(s);
	return true;
}

bool cfg_number(const struct cfg *c, const config_setting_t *s, const char *key, double *out, struct fail *f)
{
	int64_t whole;
	if (config_setting_type(s) == CONFIG_TYPE_FLOAT) {
		*out = config_setting_get_float(s);
		return true;
	}
	if (!config_setting_is_number(s))
		return cfg_fail(c, s, f, "%s: expected a number, got %s", key, cfg_type(s));
	if (!cfg_int(c, s, key, &whole, f))
		return false;
	*out = (double)whole;
	return true;
}

int cfg_distance(const char *a, const char *b)
{
	enum { MAX = 63 };
	int na = (int)strnlen(a, MAX), nb = (int)strnlen(b, MAX);
	int row[3][MAX + 1]; /* two rows back, one row back, this row */
	for (int j = 0; j <= nb; j++)
		row[1][j] = j;
	for (int i = 1; i <= na; i++) {
		row[2][0] = i;
		for (int j = 1; j <= nb; j++) {
			int best = row[1][j - 1] + (a[i - 1] != b[j - 1]);
			if (row[1][j] + 1 < best)
				best = row[1][j] + 1;
			if (row[2][j - 1] + 1 < best)
				best = row[2][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && row[0][j - 2] + 1 < best)
				best = row[0][j - 2] + 1;
			row[2][j] = best;
		}
		memcpy(row[0], row[1], sizeof(row[0]));
		memcpy(row[1], row[2], sizeof(row[1]));
	}
	return row[1][nb];
}

/* Upper and lower case count as the same letter. */
static int likeness(const char *a, const char *b)
{
	char x[64], y[64];
	snprintf(x, sizeof(x), "%s", a);
	snprintf(y, sizeof(y), "%s", b);
	for (char *p = x; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	for (char *p = y; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return cfg_distance(x, y);
}

bool cfg_suggest(struct fail *f, const char *word, const char *const *names, int n)
{
	int best = -1, edits = 1 << 20;
	for (int i = 0; i < n; i++) {
		int d = likeness(word, names[i]);
		if (d < edits) {
			edits = d;
			best = i;
		}
	}
	if (best >= 0 && edits <= 1 + (int)strlen(word) / 4)
		return fail_hint(f, "did you mean \"%s\"?", names[best]);
	char all[360] = "";
	size_t used = 0;
	for (int i = 0; i < n && used + strlen(names[i]) + 8 < sizeof(all); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? ", " : "", names[i]);
	return fail_hint(f, "known: %s", all);
}
