/*
 * cc_source.c - splits a preprocessed operator file into its kernel half and its host half. It reads tokens, not C++. What
 * is taken out becomes blanks, so that lines stay; text of system headers is left alone.
 */
#include "cc_source.h"

#include "cc_tiling.h"
#include "cc_token.h"

#include <stdio.h>
#include <string.h>

static void blank(struct source *s, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (s->text[i] != '\n')
			s->text[i] = ' ';
}

/* Blank a declaration but not the directives inside it. */
static void blank_part(struct source *s, const struct part *p)
{
	size_t from = s->tok[p->from].from;
	for (int t = p->from; t < p->to; t++)
		if (s->tok[t].kind == TOK_DIRECTIVE) {
			blank(s, from, s->tok[t].from);
			from = s->tok[t].to;
		}
	blank(s, from, s->tok[p->to - 1].to);
}

/* Is the function's name used in declarations of the wanted kind? */
static bool used_by(const struct source *s, const struct part *p, bool kernel_code)
{
	for (int i = 0; i < s->n_part; i++) {
		const struct part *q = &s->part[i];
		if (q == p || q->kernel_code != kernel_code)
			continue;
		for (int t = q->from; t < q->to; t++)
			if (s->tok[t].kind == TOK_NAME && tok_same(s, t, p->name))
				return true;
	}
	return false;
}

/* A launch NAME<<<: token of the first '<', first token of NAME. */
static bool is_launch(const struct source *s, int t, int *name)
{
	if (!tok_is(s, t, "<") || !tok_is(s, t + 1, "<") || !tok_is(s, t + 2, "<") || t == 0 ||
	    s->tok[t].from + 2 != s->tok[t + 2].from)
		return false;
	int n = t - 1;
	if (tok_is(s, n, ">")) {
		int depth = 0;
		do
			depth += tok_is(s, n, ">") ? 1 : tok_is(s, n, "<") ? -1 : 0;
		while (n-- > 0 && depth > 0);
		if (depth > 0)
			return false;
	}
	if (n < 0 || s->tok[n].kind != TOK_NAME)
		return false;
	while (n >= 3 && tok_is(s, n - 1, ":") && tok_is(s, n - 2, ":") && s->tok[n - 3].kind == TOK_NAME)
		n -= 3;
	*name = n;
	return true;
}

/* A name for the instance of a template kernel that is launched: a hash of its tokens, so that both halves find the same.
 * 0 for a plain kernel. */
static uint32_t instance(const struct source *s, int first, int launch)
{
	uint32_t hash = 2166136261u;
	if (!tok_is(s, launch - 1, ">"))
		return 0;
	for (int t = first; t < launch; t++) {
		for (size_t i = s->tok[t].from; i < s->tok[t].to; i++)
			hash = (hash ^ (uint8_t)s->text[i]) * 16777619u;
		hash = (hash ^ ' ') * 16777619u;
	}
	return hash ? hash : 1;
}

static bool host_include(const char *name)
{
	static const char *const names[] = {
		"iostream",   "fstream", "sstream", "iomanip",	     "thread",	     "chrono",	 "mutex",
		"filesystem", "future",	 "random",  "data_utils.h",  "tikicpulib.h", "unistd.h", "sys/stat.h",
		"fcntl.h",    "map",	 "set",	    "unordered_map", "functional",   "memory",	 "regex",
		"numeric",    NULL
	};
	static const char *const folders[] = { "tiling/", "register/",	  "graph/",	   "platform/", "exe_graph/",
					       "aclnn",	  "aclrtlaunch_", "../data_utils", NULL };
	for (int i = 0; folders[i]; i++)
		if (strncmp(name, folders[i], strlen(folders[i])) == 0)
			return true;
	return word_in(name, names);
}

struct writer { FILE *out; const struct source *s; size_t at; };

/* What comes up to `to`, as it is. */
static void copy_to(struct writer *w, size_t to)
{
	if (to > w->at)
		fwrite(w->s->text + w->at, 1, to - w->at, w->out);
	w->at = to > w->at ? to : w->at;
}

/* What comes up to `to` is left out, but for the ends of its lines. */
static void skip_to(struct writer *w, size_t to)
{
	for (; w->at < to; w->at++)
		if (w->s->text[w->at] == '\n')
			fputc('\n', w->out);
}

/* `__ubuf__ T name[n];`: a static reference to an array that the runtime places. Returns the token behind, or t. */
static int local_array(struct writer *w, int t)
{
	static const char *const spaces[] = { "__ubuf__", "__cbuf__", "__ca__", "__cb__", "__cc__", NULL };
	const struct source *s = w->s;
	char space[16];
	if (s->tok[t].kind != TOK_NAME || !tok_text(s, t, space, sizeof space) || !word_in(space, spaces))
		return t;
	int name = t + 1;
	while (name < s->n && (s->tok[name].kind == TOK_NAME || tok_is(s, name, ":")) && !tok_is(s, name + 1, "["))
		name++;
	if (name <= t + 1 || name + 1 >= s->n || s->tok[name].kind != TOK_NAME || !tok_is(s, name + 1, "["))
		return t;
	int end = name + 1;
	while (end < s->n && tok_is(s, end, "["))
		end = tok_close(s, end, "[", "]") + 1;
	if (!tok_is(s, end, ";"))
		return t;
	int type = t + 1;
	bool is_static = t > 0 && tok_is(s, t - 1, "static");
	const char *from = s->text + s->tok[type].from, *dims = s->text + s->tok[name + 1].from;
	int type_n = (int)(s->tok[name].from - s->tok[type].from), dims_n = (int)(s->tok[end - 1].to - s->tok[name + 1].from);
	copy_to(w, s->tok[t].from);
	fprintf(w->out, "%s%s %.*s(&%.*s)%.*s = *(%s %.*s(*)%.*s)vinci_local_array<sizeof(%.*s%.*s)>()",
		is_static ? "" : "static ", space, type_n, from, (int)(s->tok[name].to - s->tok[name].from),
		s->text + s->tok[name].from, dims_n, dims, space, type_n, from, dims_n, dims, type_n, from, dims_n,
		dims);
	skip_to(w, s->tok[end].from);
	return end;
}

/* Launches of template kernels become entries of their own. They are looked for in the text before anything is blanked. */
static void write_instances(struct writer *w, const struct source *whole)
{
	fputc('\n', w->out);
	for (int t = 0, name; t < whole->n; t++) {
		if (!is_launch(whole, t, &name) || !instance(whole, name, t))
			continue;
		uint32_t hash = instance(whole, name, t);
		bool done = false;
		for (int u = 0, other; u < t && !done; u++)
			done = is_launch(whole, u, &other) && instance(whole, other, u) == hash;
		if (!done)
			fprintf(w->out,
				"extern \"C\" __attribute__((naked)) __global__ void vinci_instance_%08x() { __asm__ "
				"volatile(\"tail %%0\" : : \"i\"(&%.*s)); }\n",
				(unsigned)hash, (int)(whole->tok[t - 1].to - whole->tok[name].from),
				whole->text + whole->tok[name].from);
	}
}

/* [aicore] goes; a line marker of the temporary file gets the user's name. True when the token is dealt with. */
static bool common_token(struct writer *w, int *t, const char *hidden)
{
	const struct source *s = w->s;
	if (tok_is(s, *t, "[") && tok_is(s, *t + 1, "aicore") && tok_is(s, *t + 2, "]")) {
		copy_to(w, s->tok[*t].from);
		*t += 2;
		skip_to(w, s->tok[*t].to);
		return true;
	}
	if (s->tok[*t].kind != TOK_DIRECTIVE || !hidden)
		return false;
	size_t from = s->tok[*t].from, n = strlen(hidden);
	const char *quote = memchr(s->text + from, '"', s->tok[*t].to - from);
	const char *line_end = memchr(s->text + from, '\n', s->tok[*t].to - from);
	if (!quote || (line_end && quote > line_end) || strncmp(quote + 1, hidden, n) != 0 || quote[n + 1] != '"')
		return false;
	copy_to(w, (size_t)(quote + 1 - s->text));
	fputs(s->path, w->out);
	w->at = (size_t)(quote + 1 - s->text) + n;
	return true;
}

static void write_device(struct source *s, const struct source *whole, const char *hidden, FILE *out)
{
	struct writer w = { .out = out, .s = s };
	for (int i = 0; i < s->n_part; i++) {
		const struct part *p = &s->part[i];
		if (p->function && !p->kernel_code && !used_by(whole, p, true))
			blank_part(s, p);
	}
	for (int t = 0; t < s->n; t++)
		if (s->tok[t].from >= w.at && !common_token(&w, &t, hidden))
			t = local_array(&w, t);
	copy_to(&w, s->size);
	write_instances(&w, whole);
}

/* The launch at t, whose name begins at token `name`, as a call. */
static void write_launch(struct writer *w, int t, int name)
{
	const struct source *s = w->s;
	uint32_t inst = instance(s, name, t);
	int close = t + 3, last = t - 1; /* the plain name is the last one: ns::k */
	while (close + 2 < s->n && !(tok_is(s, close, ">") && tok_is(s, close + 1, ">") && tok_is(s, close + 2, ">") &&
				     s->tok[close].from + 2 == s->tok[close + 2].from))
		close++;
	if (close + 2 >= s->n)
		return;
	copy_to(w, s->tok[name].from);
	fputs("::vinci_acl::Launch(\"", w->out);
	if (inst)
		fprintf(w->out, "vinci_instance_%08x ", (unsigned)inst);
	/* the name may lie on several lines; a string does not */
	for (size_t i = s->tok[inst ? name : last].from; i < s->tok[last].to; i++)
		fputc(s->text[i] == '\n' || s->text[i] == '"' ? ' ' : s->text[i], w->out);
	fputs("\", ", w->out);
	skip_to(w, s->tok[t + 2].to);
	copy_to(w, s->tok[close].from);
	fputs(")", w->out);
	skip_to(w, s->tok[close + 2].to);
}

static void write_host(struct source *s, const struct source *whole, const char *hidden, FILE *out)
{
	struct writer w = { .out = out, .s = s };
	int name;
	for (int i = 0; i < s->n_part; i++) {
		const struct part *p = &s->part[i];
		if (p->kernel_code && (p->global || p->name < 0 || !p->function || !used_by(whole, p, false)))
			blank_part(s, p);
	}
	for (int t = 0; t < s->n; t++)
		if (s->tok[t].from >= w.at && !common_token(&w, &t, hidden) && s->text[s->tok[t].from] == '<' &&
		    is_launch(s, t, &name))
			write_launch(&w, t, name);
	copy_to(&w, s->size);
}

bool source_halves(const char *text, size_t size, const char *hidden, const char *shown, FILE *device, FILE *host,
		   struct fail *f)
{
	struct source s, whole;
	if (!source_parse(&whole, text, size, shown, f))
		return false;
	bool ok = true;
	if (device) {
		ok = source_parse(&s, text, size, shown, f);
		if (ok) {
			write_device(&s, &whole, hidden, device);
			source_close(&s);
		}
	}
	if (ok && host) {
		ok = source_parse(&s, text, size, shown, f);
		if (ok) {
			write_host(&s, &whole, hidden, host);
			source_close(&s);
		}
	}
	source_close(&whole);
	return ok;
}

static bool half(const char *path, const char *hidden, const char *shown, const char *out, bool host, struct fail *f)
{
	struct source s;
	if (!source_open(&s, path, f))
		return false;
	FILE *to = fopen(out, "wb");
	bool ok = to ? source_halves(s.text, s.size, hidden, shown, host ? NULL : to, host ? to : NULL, f)
		     : fail_file(f, FAIL_USER, out, 0, "cannot write");
	source_close(&s);
	bool bad = to && ferror(to);
	if (to && (fclose(to) != 0 || bad) && ok)
		return fail_file(f, FAIL_USER, out, 0, "cannot write");
	return ok;
}

bool source_device(const char *path, const char *hidden, const char *shown, const char *out, struct fail *f)
{
	return half(path, hidden, shown, out, false, f);
}

bool source_host(const char *path, const char *hidden, const char *shown, const char *out, struct fail *f)
{
	return half(path, hidden, shown, out, true, f);
}

bool source_for_preprocessor(const char *path, const char *out, bool *no_tiling, struct fail *f)
{
	struct source s;
	char name[256];
	enum tiling_found tiling = TILING_NOT_NEEDED;
	if (!source_open(&s, path, f))
		return false;
	struct writer w = { .out = fopen(out, "wb"), .s = &s };
	bool ok = w.out != NULL;
	if (ok) {
		tiling = tiling_prelude(path, w.out);
		fprintf(w.out, "#line 1 \"%s\"\n", path);
	}
	for (int t = 0; ok && t < s.n; t++)
		if (tok_include(&s, t, false, name, sizeof name) && host_include(name)) {
			copy_to(&w, s.tok[t].from);
			w.at = s.tok[t].to;
		}
	if (ok)
		copy_to(&w, s.size);
	source_close(&s);
	*no_tiling = tiling == TILING_MISSING;
	ok = ok && !ferror(w.out);
	if (w.out && fclose(w.out) != 0)
		ok = false;
	return ok || fail_file(f, FAIL_USER, out, 0, "cannot write");
}
