/*
 * cc_token.c - splits a source into tokens and into declarations at the outer level (namespaces and extern "C" blocks are
 * looked into). A declaration is kernel code when it says __aicore__ or __global__.
 */
#include "cc_token.h"
#include "input.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_name(int c) { return isalnum(c) || c == '_'; }

static size_t skip_comment(const struct source *s, size_t i)
{
	if (s->text[i + 1] == '/')
		while (i < s->size && s->text[i] != '\n')
			i += s->text[i] == '\\' && s->text[i + 1] ? 2 : 1;
	else
		for (i += 2; i < s->size; i++)
			if (s->text[i] == '*' && s->text[i + 1] == '/')
				return i + 2;
	return i < s->size ? i : s->size;
}

static size_t skip_text(const struct source *s, size_t i)
{
	char quote = s->text[i++];
	for (; i < s->size && s->text[i] != quote && s->text[i] != '\n'; i++)
		if (s->text[i] == '\\')
			i++;
	return i < s->size ? i + 1 : s->size;
}

static size_t skip_raw(const struct source *s, size_t i)
{
	char end[32] = ")";
	size_t n = 1;
	for (i += 2; i < s->size && s->text[i] != '(' && n < 20; i++)
		end[n++] = s->text[i];
	end[n++] = '"';
	end[n] = 0;
	const char *at = strstr(s->text + i, end);
	return at ? (size_t)(at - s->text) + n : s->size;
}

static size_t skip_directive(const struct source *s, size_t i)
{
	while (i < s->size && s->text[i] != '\n') {
		if (s->text[i] == '/' && (s->text[i + 1] == '*' || s->text[i + 1] == '/'))
			i = skip_comment(s, i);
		else
			i += s->text[i] == '\\' && s->text[i + 1] ? 2 : 1;
	}
	return i < s->size ? i : s->size;
}

/* Flags of a line marker `# 12 "file" 1 3` at text[i]: 1 system header, 0 not, -1 no line marker. */
static int marker(const struct source *s, size_t i, size_t to)
{
	const char *p = s->text + i + 1, *end = s->text + to;
	while (p < end && *p == ' ')
		p++;
	if (p >= end || !isdigit((unsigned char)*p))
		return -1;
	while (p < end && isdigit((unsigned char)*p))
		p++;
	while (p < end && *p == ' ')
		p++;
	if (p >= end || *p != '"')
		return -1;
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\';
	for (; p + 1 < end; p++)
		if (p[0] == ' ' && p[1] == '3' && (p + 2 == end || p[2] == ' '))
			return 1;
	return 0;
}

/* The end of text of system headers that begins behind a marker at i: the next marker that is not of one. */
static size_t skip_system(const struct source *s, size_t i)
{
	while (i < s->size) {
		const char *line_end = memchr(s->text + i, '\n', s->size - i);
		size_t to = line_end ? (size_t)(line_end - s->text) : s->size;
		if (s->text[i] == '#' && marker(s, i, to) == 0)
			return i;
		i = to + 1;
	}
	return s->size;
}

static bool add_token(struct source *s, size_t from, size_t to, int kind, struct fail *f)
{
	if (s->n == s->max) {
		int more = s->max ? s->max * 2 : 4096;
		struct token *t = realloc(s->tok, (size_t)more * sizeof *t);
		if (!t)
			return fail_set(f, FAIL_INTERNAL, "no memory for the tokens of %s", s->path);
		s->tok = t;
		s->max = more;
	}
	s->tok[s->n++] = (struct token){ from, to, kind };
	return true;
}

static bool tokenize(struct source *s, struct fail *f)
{
	bool line_start = true;
	for (size_t i = 0; i < s->size;) {
		char c = s->text[i], next = s->text[i + 1];
		size_t to = i + 1;
		int kind = TOK_OTHER;
		if (c == '\n' || isspace((unsigned char)c)) {
			line_start |= c == '\n';
			i++;
			continue;
		}
		if (c == '/' && (next == '/' || next == '*')) {
			i = skip_comment(s, i);
			continue;
		}
		if (c == '#' && line_start) {
			to = skip_directive(s, i);
			if (marker(s, i, to) == 1)
				to = skip_system(s, to);
			kind = TOK_DIRECTIVE;
		} else if (c == 'R' && next == '"') {
			to = skip_raw(s, i);
			kind = TOK_TEXT;
		} else if (c == '"' || (c == '\'' && !(i && is_name((unsigned char)s->text[i - 1])))) {
			to = skip_text(s, i);
			kind = TOK_TEXT;
		} else if (is_name((unsigned char)c)) {
			while (to < s->size && is_name((unsigned char)s->text[to]))
				to++;
			kind = isdigit((unsigned char)c) ? TOK_OTHER : TOK_NAME;
		}
		line_start = kind == TOK_DIRECTIVE; /* text of system headers ends at a line's beginning */
		if (!add_token(s, i, to, kind, f))
			return false;
		i = to;
	}
	return true;
}

bool tok_is(const struct source *s, int t, const char *text)
{
	size_t n = strlen(text);
	return t >= 0 && t < s->n && s->tok[t].to - s->tok[t].from == n && memcmp(s->text + s->tok[t].from, text, n) == 0;
}

bool tok_same(const struct source *s, int a, int b)
{
	size_t n = s->tok[a].to - s->tok[a].from;
	return s->tok[b].to - s->tok[b].from == n && memcmp(s->text + s->tok[a].from, s->text + s->tok[b].from, n) == 0;
}

int tok_close(const struct source *s, int t, const char *open, const char *close)
{
	int depth = 0;
	for (; t < s->n; t++) {
		depth += tok_is(s, t, open) ? 1 : tok_is(s, t, close) ? -1 : 0;
		if (depth == 0)
			return t;
	}
	return s->n - 1;
}

static bool marks_kernel(const struct source *s, int t)
{
	static const char *const marks[] = { "__aicore__", "__global__", "aicore", "__simd_vf__", "AICORE", NULL };
	char word[16];
	return s->tok[t].kind == TOK_NAME && tok_text(s, t, word, sizeof word) && word_in(word, marks);
}

static bool makes_type(const struct source *s, int t)
{
	return tok_is(s, t, "class") || tok_is(s, t, "struct") || tok_is(s, t, "union") || tok_is(s, t, "enum");
}

static bool add_part(struct source *s, struct part *p, struct fail *f)
{
	if (s->n_part == s->max_part) {
		int more = s->max_part ? s->max_part * 2 : 256;
		struct part *a = realloc(s->part, (size_t)more * sizeof *a);
		if (!a)
			return fail_set(f, FAIL_INTERNAL, "no memory for the declarations of %s", s->path);
		s->part = a;
		s->max_part = more;
	}
	int head = p->open >= 0 ? p->open : p->to;
	bool type = false, paren = false, constant = false;
	p->name = -1;
	p->kernel_code = p->global = false;
	for (int t = p->from, angle = 0; t < head; t++) {
		if (tok_is(s, t, "template") && tok_is(s, t + 1, "<")) {
			for (t++; t < head; t++) {
				angle += tok_is(s, t, "<") ? 1 : tok_is(s, t, ">") ? -1 : 0;
				if (angle == 0)
					break;
			}
			continue;
		}
		type |= !paren && (makes_type(s, t) || tok_is(s, t, "typedef") || tok_is(s, t, "using"));
		constant |= tok_is(s, t, "constexpr") || (!paren && tok_is(s, t, "="));
		p->global |= tok_is(s, t, "__global__");
		if (tok_is(s, t, "(") && !paren && t > p->from && s->tok[t - 1].kind == TOK_NAME &&
		    !tok_is(s, t - 1, "__attribute__") && !tok_is(s, t - 1, "__mix__") && !tok_is(s, t - 1, "alignas")) {
			paren = true;
			p->name = t - 1;
		}
	}
	for (int t = p->from; t < p->to; t++)
		p->kernel_code |= marks_kernel(s, t);
	p->function = p->open >= 0 && paren && !type && !constant;
	s->part[s->n_part++] = *p;
	return true;
}

/* Declarations of tokens [t, end). */
static bool split(struct source *s, int t, int end, int depth, struct fail *f)
{
	int from = t;
	if (depth > 100)
		return fail_set(f, FAIL_USER, "%s: namespaces are nested too deeply", s->path);
	for (; t < end; t++) {
		if (s->tok[t].kind == TOK_DIRECTIVE) {
			if (from == t)
				from = t + 1;
			continue;
		}
		if (tok_is(s, t, "(")) {
			t = tok_close(s, t, "(", ")");
			continue;
		}
		if (tok_is(s, t, ";")) {
			struct part p = { .from = from, .to = t + 1, .open = -1, .close = -1 };
			if (!add_part(s, &p, f))
				return false;
			from = t + 1;
			continue;
		}
		if (!tok_is(s, t, "{"))
			continue;
		int close = tok_close(s, t, "{", "}");
		bool outer = false, list = false, type = false;
		for (int k = from; k < t; k++) {
			outer |= tok_is(s, k, "namespace") ||
				 (tok_is(s, k, "extern") && k + 2 == t && s->tok[k + 1].kind == TOK_TEXT);
			list |= tok_is(s, k, "=");
			type |= makes_type(s, k);
			if (tok_is(s, k, "("))
				k = tok_close(s, k, "(", ")"), list = false, type = false;
		}
		if (outer) {
			if (!split(s, t + 1, close, depth + 1, f))
				return false;
			t = close;
			from = t + 1;
			continue;
		}
		struct part p = { .from = from, .to = close + 1, .open = t, .close = close };
		if (list || type) /* goes on to its semicolon */
			while (p.to < end && !tok_is(s, p.to - 1, ";"))
				p.to++;
		if (!add_part(s, &p, f))
			return false;
		t = p.to - 1;
		from = p.to;
	}
	return true;
}

void source_close(struct source *s)
{
	free(s->text);
	free(s->tok);
	free(s->part);
}

bool source_parse(struct source *s, const char *text, size_t size, const char *path, struct fail *f)
{
	memset(s, 0, sizeof *s);
	s->path = path;
	s->text = calloc(size + 3, 1);
	s->size = size;
	if (!s->text)
		return fail_set(f, FAIL_INTERNAL, "no memory for %s", path);
	memcpy(s->text, text, size);
	if (tokenize(s, f) && split(s, 0, s->n, 0, f))
		return true;
	source_close(s);
	return false;
}

bool source_open(struct source *s, const char *path, struct fail *f)
{
	FILE *in = input_regular(path);
	if (!in)
		return fail_file(f, FAIL_USER, path, 0, "cannot read the source");
	fseek(in, 0, SEEK_END);
	long size = ftell(in);
	rewind(in);
	char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
	size_t n = text ? fread(text, 1, (size_t)size, in) : 0;
	fclose(in);
	bool ok = text ? source_parse(s, text, n, path, f) : fail_set(f, FAIL_INTERNAL, "no memory for %s", path);
	free(text);
	return ok;
}

bool tok_text(const struct source *s, int t, char *out, size_t size)
{
	size_t n = s->tok[t].to - s->tok[t].from;
	if (n >= size)
		return false;
	memcpy(out, s->text + s->tok[t].from, n);
	out[n] = 0;
	return true;
}

bool word_in(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(word, *list) == 0)
			return true;
	return false;
}

bool tok_include(const struct source *s, int t, bool quoted_only, char *out, size_t size)
{
	const char *p = s->text + s->tok[t].from + 1, *end = s->text + s->tok[t].to;
	if (s->tok[t].kind != TOK_DIRECTIVE)
		return false;
	while (p < end && isspace((unsigned char)*p))
		p++;
	if (end - p < 8 || strncmp(p, "include", 7) != 0)
		return false;
	for (p += 7; p < end && isspace((unsigned char)*p); p++)
		;
	if (p >= end || (*p != '"' && (quoted_only || *p != '<')))
		return false;
	char stop = *p == '"' ? '"' : '>';
	size_t n = 0;
	for (p++; p < end && *p != stop && n + 1 < size; p++)
		out[n++] = *p;
	out[n] = 0;
	return n > 0;
}

