/*
 * export_text.c - times, strings and operand texts as the exporters write them.
 */
#include "export.h"

#include <string.h>

static int64_t times_thousand(int64_t v, int64_t rest)
{
	return v > (INT64_MAX - rest) / 1000 ? INT64_MAX : v * 1000 + rest;
}

int64_t export_ns(const struct export *x, int64_t cycle)
{
	int64_t mhz = (int64_t)x->t->head.clock_mhz;
	if (x->cycles)
		return times_thousand(cycle, 0);
	return times_thousand(cycle / mhz, cycle % mhz * 1000 / mhz);
}

void export_slice(const struct export *x, int64_t *lane_end, const struct vtr_event *e, int64_t from, int64_t *begin,
		  int64_t *end)
{
	int64_t *last = &lane_end[e->core * x->t->head.n_pipe + e->pipe];
	*begin = export_ns(x, from);
	*begin = *begin > *last ? *begin : *last;
	*end = export_ns(x, e->issue_end);
	*end = *end > *begin || *begin == INT64_MAX ? *end : *begin + 1;
	*last = *end;
}

void export_us(FILE *out, int64_t ns) { fprintf(out, "%lld.%03lld", (long long)(ns / 1000), (long long)(ns % 1000)); }

/* Bytes of the UTF-8 character at p, 0 when it is none. */
static int utf8(const uint8_t *p)
{
	int n = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 :
		p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;
	for (int i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* overlong forms, surrogates, beyond U+10FFFF */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

void export_string(FILE *out, const char *text)
{
	putc('"', out);
	for (const uint8_t *p = (const uint8_t *)text; *p;) {
		int n = utf8(p);
		if (n == 0 || *p < 0x20) {
			fprintf(out, "\\u%04x", n == 0 ? 0xfffd : *p);
			n = 1;
		} else {
			if (*p == '"' || *p == '\\')
				putc('\\', out);
			fwrite(p, 1, (size_t)n, out);
		}
		p += n;
	}
	putc('"', out);
}

void export_field(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

void export_accesses(const struct vtr *t, const struct vtr_event *e, char *text, size_t size)
{
	size_t n = 0;
	bool arrow = false;
	text[0] = 0;
	for (int write = 0; write < 2; write++)
		for (int i = 0; i < e->n_access; i++) {
			const struct vtr_access *a = &e->access[i];
			if (a->write != write || n >= size)
				continue;
			const char *between = write && !arrow ? (n ? " -> " : "-> ") : n ? ", " : "";
			arrow |= write;
			n += (size_t)snprintf(text + n, size - n, "%s%.16s 0x%llx+%llu", between,
					      t->head.space[a->space], (unsigned long long)a->addr,
					      (unsigned long long)a->extent);
		}
}

int64_t export_begin(const struct vtr *t, const struct vtr_event *e)
{
	enum vtr_role role = t->site[e->site].role;
	return role == VTR_WAIT_FLAG || role == VTR_BARRIER || role == VTR_CROSS_WAIT || role == VTR_CROSS_SET
		       ? vtr_ready(e)
		       : e->start;
}

int export_places(const char *line, struct place *place, int max)
{
	static const char next[] = ", inlined at ";
	int n = 0;
	if (strncmp(line, "near ", 5) == 0)
		line += 5;
	while (*line && n < max) {
		const char *stop = strstr(line, next), *in = strstr(line, " in ");
		const char *end = stop ? stop : line + strlen(line);
		if (in && in < end)
			end = in;
		place[n++] = (struct place){ line, (int)(end - line) };
		if (!stop)
			break;
		line = stop + sizeof next - 1;
	}
	return n;
}
