/*
 * cc_errors.c - a compiler's pages about templates and macros become the few lines that the author of an Ascend C operator
 * can use. Works on clang's text: "file:line:column: kind: message", then lines of source that begin with a blank or end
 * in a number and a bar; notes belong to the error or warning before them.
 */
#include "cc_errors.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CANDIDATES = 4, TEXT_SIZE = 600 };
enum kind { KIND_ERROR, KIND_WARNING, KIND_NOTE };

struct span { const char *at; size_t size; };
struct message {
	enum kind kind;
	struct span file, place, text, source; /* place: file:line:column */
	long line, column;
	bool ours;
};
struct list {
	struct message *at;
	size_t count, room;
	bool no_memory;
};

static bool starts(struct span s, const char *word) { return s.size >= strlen(word) && memcmp(s.at, word, strlen(word)) == 0; }

static struct span find(struct span s, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= s.size; i++)
		if (memcmp(s.at + i, word, n) == 0)
			return (struct span){ s.at + i, s.size - i };
	return (struct span){ 0 };
}

/* Everything behind the first `word`, or the whole when it is not there. */
static struct span behind(struct span s, const char *word)
{
	struct span f = find(s, word);
	return f.at ? (struct span){ f.at + strlen(word), f.size - strlen(word) } : s;
}

static struct span line_of(const char *p) { return (struct span){ p, strcspn(p, "\n") }; }

/* --- reading --- */

/* ":number" at the end of s is cut off; -1 when there is none */
static long cut_number(struct span *s)
{
	size_t n = s->size;
	while (n > 0 && isdigit((unsigned char)s->at[n - 1]))
		n--;
	if (n == 0 || n == s->size || s->size - n > 9 || s->at[n - 1] != ':')
		return -1;
	long value = strtol(s->at + n, NULL, 10);
	s->size = n - 1;
	return value;
}

static bool read_head(struct span line, const char *const *ours, struct message *m)
{
	static const struct { const char *word; enum kind kind; } kinds[] = { { ": error: ", KIND_ERROR },
									      { ": fatal error: ", KIND_ERROR },
									      { ": warning: ", KIND_WARNING },
									      { ": note: ", KIND_NOTE } };
	struct span first = { 0 };
	if (line.size == 0 || isspace((unsigned char)line.at[0]))
		return false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct span f = find(line, kinds[i].word);
		if (f.at && (!first.at || f.at < first.at)) {
			first = f;
			m->kind = kinds[i].kind;
			m->text = behind(f, kinds[i].word);
		}
	}
	if (!first.at)
		return false;
	m->place = m->file = (struct span){ line.at, (size_t)(first.at - line.at) };
	m->source = (struct span){ 0 };
	m->ours = false;
	if ((m->column = cut_number(&m->file)) < 0 || (m->line = cut_number(&m->file)) < 0)
		return false;
	for (; *ours; ours++)
		m->ours |= starts(m->file, *ours);
	return true;
}

static struct message *append(struct list *l)
{
	if (l->count == l->room) {
		size_t room = l->room ? 2 * l->room : 64;
		struct message *more = realloc(l->at, room * sizeof(*more));
		if (!more) {
			l->no_memory = true;
			return NULL;
		}
		l->at = more;
		l->room = room;
	}
	return &l->at[l->count++];
}

/* a line of source, or of marks under one: "  12 | code", "     | ^~~" */
static bool is_source(struct span line)
{
	size_t i = 0;
	while (i < line.size && (line.at[i] == ' ' || isdigit((unsigned char)line.at[i])))
		i++;
	return i > 0 && i < line.size && line.at[i] == '|';
}

static struct list read_messages(const char *text, const char *const *ours)
{
	struct list l = { 0 };
	for (const char *p = text; *p && !l.no_memory;) {
		struct span line = line_of(p);
		struct message m;
		if (read_head(line, ours, &m)) {
			struct message *to = append(&l);
			if (to)
				*to = m;
		} else if (l.count && is_source(line)) {
			struct span *s = &l.at[l.count - 1].source;
			if (!s->at)
				s->at = p;
			s->size = (size_t)(line.at + line.size - s->at);
		}
		p += line.size + (p[line.size] == '\n');
	}
	return l;
}

/* --- writing --- */

/* The names that kernels are written with, not those of the compiler. */
static void put(FILE *out, struct span s)
{
	static const struct { const char *from, *to; } names[] = { { "_Float16", "half" }, { "__bf16", "bfloat16_t" },
								  { " (aka 'LocalTensor<half>')", "" } };
	for (size_t i = 0; i < s.size;) {
		struct span rest = { s.at + i, s.size - i };
		size_t k = 0, n = sizeof(names) / sizeof(names[0]);
		while (k < n && !starts(rest, names[k].from))
			k++;
		if (k < n) {
			fputs(names[k].to, out);
			i += strlen(names[k].from);
		} else {
			fputc(s.at[i++], out);
		}
	}
}

static void put_message(FILE *out, const struct message *where, const char *kind, struct span text, struct span source)
{
	put(out, where->place);
	fprintf(out, ": %s: ", kind);
	put(out, text);
	fputc('\n', out);
	if (source.at) {
		put(out, source);
		fputc('\n', out);
	}
}

/* The sentence of a static_assert or an unavailable function, else all of it. */
static struct span sentence(struct span text)
{
	if (starts(text, "static assertion failed"))
		return behind(text, "': ");
	return find(text, "is unavailable: ").at ? behind(text, "is unavailable: ") : text;
}

/* The code at the place of a message, without numbers and marks, blanks folded, to the end of the first parentheses. */
static void code_of(const struct message *m, char *to, size_t size)
{
	size_t n = 0;
	int depth = 0;
	bool end = false, first = true;
	for (const char *p = m->source.at; p && p < m->source.at + m->source.size && !end;) {
		struct span line = line_of(p);
		p += line.size + 1;
		const char *bar = memchr(line.at, '|', line.size), *stop = line.at + line.size;
		bool code = false;
		for (const char *q = line.at; bar && q < bar; q++)
			code |= isdigit((unsigned char)*q) != 0;
		if (!code)
			continue;
		const char *q = bar + 1;
		if (first)
			q = stop - bar > m->column + 1 ? bar + 1 + m->column : stop;
		first = false;
		for (; q < stop && !end && n + 2 < size; q++) {
			bool blank = isspace((unsigned char)*q) || *q == '\\';
			if (!blank || (n && to[n - 1] != ' '))
				to[n++] = blank ? ' ' : *q;
			depth += (*q == '(') - (*q == ')');
			end = *q == ')' && depth == 0;
		}
	}
	to[n] = 0;
	if (!end)
		to[0] = 0;
}

/* "Add(const LocalTensor<T> &dst, ...)": the place of a candidate is its name, or what stands for it in a macro */
static void put_signature(FILE *out, const struct message *m, struct span called)
{
	char code[TEXT_SIZE];
	code_of(m, code, sizeof(code));
	size_t name = 0;
	while (isalnum((unsigned char)code[name]) || code[name] == '_')
		name++;
	put(out, called);
	if (name && code[name] == '(')
		put(out, (struct span){ code + name, strlen(code + name) });
}

/* 'Add' out of "no matching function for call to 'Add'" */
static struct span called_name(struct span text)
{
	struct span f = behind(text, "for call to '");
	const char *end = f.at != text.at ? memchr(f.at, '\'', f.size) : NULL;
	return end ? (struct span){ f.at, (size_t)(end - f.at) } : (struct span){ 0 };
}

/* Why each overload of ours does not fit, one line each. */
static void put_candidates(FILE *out, const struct message *head, const struct message *end)
{
	struct span name = called_name(head->text), last = { 0 };
	int shown = 0, more = 0;
	for (const struct message *m = head + 1; name.at && m < end; m++) {
		if (!m->ours || !starts(m->text, "candidate "))
			continue;
		struct span why = behind(m->text, ": ");
		const struct message *body = m;
		while (body + 1 < end && starts(body[1].text, "expanded from macro"))
			body++;
		if (shown == MAX_CANDIDATES || (last.at && last.size == why.size && memcmp(last.at, why.at, why.size) == 0)) {
			more += shown == MAX_CANDIDATES;
			continue;
		}
		fputs("  ", out);
		put_signature(out, body, name);
		fputs(": ", out);
		put(out, why);
		fputc('\n', out);
		last = why;
		shown++;
	}
	if (more)
		fprintf(out, "  and %d more forms that do not fit\n", more);
}

/* The kernel's line that led into a header. */
static const struct message *users_line(const struct message *head, const struct message *end)
{
	if (!head->ours)
		return head;
	for (const struct message *m = head + 1; m < end; m++)
		if (!m->ours && !starts(m->text, "candidate "))
			return m;
	return NULL;
}

static bool same_line(const struct message *a, const struct message *b)
{
	return a->line == b->line && a->file.size == b->file.size && memcmp(a->file.at, b->file.at, a->file.size) == 0;
}

/* A consequence of an error that was told at that line already. */
static bool told(const struct message *const *lines, int n, const struct message *where)
{
	for (int i = 0; i < n; i++)
		if (same_line(lines[i], where))
			return true;
	return false;
}

static void put_group(FILE *out, const struct message *head, const struct message *end, const struct message *where)
{
	const char *kind = head->kind == KIND_ERROR ? "error" : "warning";
	put_message(out, where, kind, sentence(head->text), where->source.at ? where->source : head->source);
	if (head == where)
		put_candidates(out, head, end);
	for (const struct message *m = head + 1; m < end; m++)
		if (!m->ours && m != where && head == where)
			put_message(out, m, "note", m->text, m->source);
}

static bool unknown_name(struct span text)
{
	return find(text, "undeclared identifier").at || find(text, "no member named").at || find(text, "no template named").at ||
	       find(text, "no type named").at || find(text, "unknown type name").at;
}

char *cc_errors(const char *text, const char *const *ours, int *errors)
{
	struct list l = read_messages(text, ours);
	char *result = NULL;
	size_t size;
	int n = 0;
	bool unknown = false;
	const struct message **lines = l.count ? calloc(l.count, sizeof(const struct message *)) : NULL;
	FILE *out = open_memstream(&result, &size);
	*errors = 0;
	if (!out || l.no_memory || !lines) {
		if (out)
			fputs(text, out);
		goto done;
	}
	for (size_t i = 0; i < l.count;) {
		const struct message *head = &l.at[i], *end = head + 1;
		while (end < l.at + l.count && end->kind == KIND_NOTE)
			end++;
		i += (size_t)(end - head);
		const struct message *where = users_line(head, end);
		/* an error of ours without a line of the kernel follows from one that has been told */
		if (!where && n && head->kind == KIND_ERROR)
			continue;
		if (!where)
			put_message(out, head, head->kind == KIND_ERROR ? "error" : "warning", head->text, head->source);
		else if (head->kind == KIND_ERROR && head->ours && told(lines, n, where))
			continue;
		else
			put_group(out, head, end, where);
		if (head->kind == KIND_ERROR) {
			unknown |= unknown_name(head->text);
			(*errors)++;
			if (where)
				lines[n++] = where;
		}
	}
	if (unknown)
		fputs("The public names that Vinci has are listed in isa/include/ascendc/NAMES.md.\n", out);
done:
	if (out)
		fclose(out);
	free(lines);
	free(l.at);
	return result;
}
