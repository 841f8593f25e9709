/*
 * cc_source.c - splits an operator file into its kernel half and its host half. It reads tokens, not C++: declarations at the
 * outer level (namespaces and extern "C" blocks are looked into), which are kernel code when they say __aicore__ or
 * __global__, else host code when they are functions. What is taken out becomes blanks, so that lines stay.
 */
#include "cc_source.h"

#include "../isa/isa.h"
#include "input.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOK_NAME, TOK_OTHER, TOK_TEXT, TOK_DIRECTIVE };

struct token { size_t from, to; int kind; };

/* One declaration: tokens [from, to), its body's braces when it has one. */
struct part {
	int from, to, open, close;
	bool function, kernel_code, global;
	int name; /* token, or -1 */
};

struct source {
	char *text;
	size_t size;
	struct token *tok;
	int n, max;
	struct part *part;
	int n_part, max_part;
	const char *path;
};

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
		line_start = false;
		if (!add_token(s, i, to, kind, f))
			return false;
		i = to;
	}
	return true;
}

static bool is(const struct source *s, int t, const char *text)
{
	size_t n = strlen(text);
	return t >= 0 && t < s->n && s->tok[t].to - s->tok[t].from == n && memcmp(s->text + s->tok[t].from, text, n) == 0;
}

static bool same(const struct source *s, int a, int b)
{
	size_t n = s->tok[a].to - s->tok[a].from;
	return s->tok[b].to - s->tok[b].from == n && memcmp(s->text + s->tok[a].from, s->text + s->tok[b].from, n) == 0;
}

/* The token behind the bracket that closes the one at t. */
static int close_of(const struct source *s, int t, const char *open, const char *close)
{
	int depth = 0;
	for (; t < s->n; t++) {
		depth += is(s, t, open) ? 1 : is(s, t, close) ? -1 : 0;
		if (depth == 0)
			return t;
	}
	return s->n - 1;
}

static bool marks_kernel(const struct source *s, int t)
{
	return is(s, t, "__aicore__") || is(s, t, "__global__") || is(s, t, "aicore") || is(s, t, "__simd_vf__") ||
	       is(s, t, "AICORE");
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
		if (is(s, t, "template") && is(s, t + 1, "<")) {
			for (t++; t < head; t++) {
				angle += is(s, t, "<") ? 1 : is(s, t, ">") ? -1 : 0;
				if (angle == 0)
					break;
			}
			continue;
		}
		type |= !paren && (is(s, t, "class") || is(s, t, "struct") || is(s, t, "union") || is(s, t, "enum") ||
				   is(s, t, "typedef") || is(s, t, "using"));
		constant |= is(s, t, "constexpr") || (!paren && is(s, t, "="));
		p->global |= is(s, t, "__global__");
		if (is(s, t, "(") && !paren && t > p->from && s->tok[t - 1].kind == TOK_NAME && !is(s, t - 1, "__attribute__") &&
		    !is(s, t - 1, "__mix__") && !is(s, t - 1, "alignas")) {
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
static bool split(struct source *s, int t, int end, struct fail *f)
{
	int from = t;
	for (; t < end; t++) {
		if (s->tok[t].kind == TOK_DIRECTIVE) {
			if (from == t)
				from = t + 1;
			continue;
		}
		if (is(s, t, "(")) {
			t = close_of(s, t, "(", ")");
			continue;
		}
		if (is(s, t, ";")) {
			struct part p = { .from = from, .to = t + 1, .open = -1, .close = -1 };
			if (!add_part(s, &p, f))
				return false;
			from = t + 1;
			continue;
		}
		if (!is(s, t, "{"))
			continue;
		int close = close_of(s, t, "{", "}");
		bool outer = false, list = false, type = false;
		for (int k = from; k < t; k++) {
			outer |= is(s, k, "namespace") || (is(s, k, "extern") && k + 2 == t && s->tok[k + 1].kind == TOK_TEXT);
			list |= is(s, k, "=");
			type |= is(s, k, "class") || is(s, k, "struct") || is(s, k, "union") || is(s, k, "enum");
			if (is(s, k, "("))
				k = close_of(s, k, "(", ")"), list = false, type = false;
		}
		if (outer) {
			if (!split(s, t + 1, close, f))
				return false;
			t = close;
			from = t + 1;
			continue;
		}
		struct part p = { .from = from, .to = close + 1, .open = t, .close = close };
		if (list || type) /* goes on to its semicolon */
			while (p.to < end && !is(s, p.to - 1, ";"))
				p.to++;
		if (!add_part(s, &p, f))
			return false;
		t = p.to - 1;
		from = p.to;
	}
	return true;
}

static void source_close(struct source *s)
{
	free(s->text);
	free(s->tok);
	free(s->part);
}

static bool source_open(struct source *s, const char *path, struct fail *f)
{
	memset(s, 0, sizeof *s);
	s->path = path;
	FILE *in = input_regular(path);
	if (!in)
		return fail_file(f, FAIL_USER, path, 0, "cannot read the source");
	fseek(in, 0, SEEK_END);
	long size = ftell(in);
	rewind(in);
	s->text = size >= 0 ? calloc((size_t)size + 3, 1) : NULL;
	s->size = s->text ? fread(s->text, 1, (size_t)size, in) : 0;
	fclose(in);
	bool ok = s->text ? tokenize(s, f) && split(s, 0, s->n, f) : fail_set(f, FAIL_INTERNAL, "no memory for %s", path);
	if (!ok)
		source_close(s);
	return ok;
}

/* --- scan --- */

struct words { bool kernel, matmul, cube, both, only_cube, only_vector, mix; };

static bool text_of(const struct source *s, int t, char *out, size_t size)
{
	size_t n = s->tok[t].to - s->tok[t].from;
	if (n >= size)
		return false;
	memcpy(out, s->text + s->tok[t].from, n);
	out[n] = 0;
	return true;
}

static bool one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(word, *list) == 0)
			return true;
	return false;
}

static void scan_word(const char *w, struct words *seen)
{
	static const char *const cube[] = { "Mmad", "LoadData",	       "Fixpipe", "LoadDataWithTranspose",
					    "mad",  "load_cbuf_to_ca", NULL };
	static const char *const both[] = {
		"ASCEND_IS_AIV",     "ASCEND_IS_AIC", "CrossCoreSetFlag", "CrossCoreWaitFlag", "__DAV_C220_VEC__",
		"__DAV_C220_CUBE__", "__DAV_VEC__",   "__DAV_CUBE__",	  "g_coreType",	       NULL
	};
	static const char *const mix[] = { "KERNEL_TYPE_MIX_AIC_1_1", "KERNEL_TYPE_MIX_AIC_1_2", "__mix__", NULL };
	static const char *const aic[] = { "KERNEL_TYPE_AIC_ONLY", "KERNEL_TYPE_MIX_AIC_1_0", "ASCENDC_CUBE_ONLY",
					   "__cube__", NULL };
	static const char *const aiv[] = { "KERNEL_TYPE_AIV_ONLY", "KERNEL_TYPE_MIX_AIV_1_0", "__vector__", NULL };
	seen->cube |= one_of(w, cube);
	seen->both |= one_of(w, both);
	seen->mix |= one_of(w, mix);
	seen->only_cube |= one_of(w, aic);
	seen->only_vector |= one_of(w, aiv);
	seen->matmul |= strcmp(w, "REGIST_MATMUL_OBJ") == 0;
}

/* "name" of an #include "name" into out. */
static bool include_name(const struct source *s, int t, bool quoted_only, char *out, size_t size)
{
	const char *p = s->text + s->tok[t].from + 1, *end = s->text + s->tok[t].to;
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

static void beside(const char *path, const char *name, char *out, size_t size)
{
	const char *slash = strrchr(path, '/');
	snprintf(out, size, "%.*s%s", slash ? (int)(slash - path + 1) : 0, path, name);
}

static void scan_file(const char *path, struct words *seen, int depth)
{
	struct source s;
	struct fail ignored = { 0 };
	char word[256], other[2048];
	if (depth > 6 || !source_open(&s, path, &ignored))
		return;
	for (int t = 0; t < s.n; t++) {
		if (s.tok[t].kind == TOK_NAME && text_of(&s, t, word, sizeof word))
			scan_word(word, seen);
		if (s.tok[t].kind == TOK_DIRECTIVE) {
			if (include_name(&s, t, true, word, sizeof word)) {
				seen->matmul |= strstr(word, "matmul_intf.h") != NULL || strstr(word, "matmul/matmul.h") != NULL;
				beside(path, word, other, sizeof other);
				scan_file(other, seen, depth + 1);
			}
			const char *cube_only = strstr(s.text + s.tok[t].from, "ASCENDC_CUBE_ONLY");
			if (cube_only && cube_only < s.text + s.tok[t].to)
				seen->only_cube = true;
		}
	}
	source_close(&s);
}

bool source_scan(const char *path, struct source_info *info, struct fail *f)
{
	struct source s;
	struct words seen = { 0 };
	memset(info, 0, sizeof *info);
	if (!source_open(&s, path, f))
		return false;
	for (int i = 0; i < s.n_part; i++) {
		const struct part *p = &s.part[i];
		if (!p->global || p->name < 0)
			continue;
		info->kernels |= p->open >= 0;
		if (info->n_kernel < SOURCE_KERNELS && text_of(&s, p->name, info->kernel[info->n_kernel], SOURCE_NAME))
			info->n_kernel++;
	}
	source_close(&s);
	scan_file(path, &seen, 0);
	if (seen.mix)
		info->core = CORE_CUBE | CORE_VEC;
	else if (seen.only_cube)
		info->core = CORE_CUBE;
	else if (seen.only_vector)
		info->core = CORE_VEC;
	else if (seen.matmul || (seen.cube && seen.both))
		info->core = CORE_CUBE | CORE_VEC;
	else
		info->core = seen.cube ? CORE_CUBE : CORE_VEC;
	return true;
}

/* --- the halves --- */

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
			if (s->tok[t].kind == TOK_NAME && same(s, t, p->name))
				return true;
	}
	return false;
}

/* A launch NAME<<<: token of the first '<', first token of NAME. */
static bool is_launch(const struct source *s, int t, int *name)
{
	if (!is(s, t, "<") || !is(s, t + 1, "<") || !is(s, t + 2, "<") || t == 0 || s->tok[t].from + 2 != s->tok[t + 2].from)
		return false;
	int n = t - 1;
	if (is(s, n, ">"))
		for (int depth = 0; n > 0; n--) {
			depth += is(s, n, ">") ? 1 : is(s, n, "<") ? -1 : 0;
			if (depth == 0) {
				n--;
				break;
			}
		}
	if (n < 0 || s->tok[n].kind != TOK_NAME)
		return false;
	while (n >= 3 && is(s, n - 1, ":") && is(s, n - 2, ":") && s->tok[n - 3].kind == TOK_NAME)
		n -= 3;
	*name = n;
	return true;
}

/* The number of a template kernel's launch among the distinct ones; -1 for a plain name. */
static int instance(const struct source *s, int first, int launch)
{
	int count = 0, name;
	size_t from = s->tok[first].from, n = s->tok[launch - 1].to - from;
	if (!is(s, launch - 1, ">"))
		return -1;
	for (int t = 0; t < s->n; t++) {
		if (!is_launch(s, t, &name) || !is(s, t - 1, ">"))
			continue;
		if (s->tok[t - 1].to - s->tok[name].from == n && memcmp(s->text + s->tok[name].from, s->text + from, n) == 0)
			return count;
		bool seen = false; /* count a text at its first launch only */
		for (int u = 0, other; u < t && !seen; u++)
			seen = is_launch(s, u, &other) &&
			       s->tok[u - 1].to - s->tok[other].from == s->tok[t - 1].to - s->tok[name].from &&
			       memcmp(s->text + s->tok[other].from, s->text + s->tok[name].from,
				      s->tok[t - 1].to - s->tok[name].from) == 0;
		count += !seen;
	}
	return count;
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
	return one_of(name, names);
}

struct writer { FILE *out; const struct source *s; size_t at; };

/* What comes up to `to`, as it is. */
static void copy_to(struct writer *w, size_t to)
{
	if (to > w->at)
		fwrite(w->s->text + w->at, 1, to - w->at, w->out);
	w->at = to > w->at ? to : w->at;
}

/* `__ubuf__ T name[n];`: a static reference to an array that the runtime places. Returns the token behind, or t. */
static int local_array(struct writer *w, int t)
{
	static const char *const spaces[] = { "__ubuf__", "__cbuf__", "__ca__", "__cb__", "__cc__", NULL };
	const struct source *s = w->s;
	char space[16];
	if (s->tok[t].kind != TOK_NAME || !text_of(s, t, space, sizeof space) || !one_of(space, spaces))
		return t;
	int name = t + 1;
	while (name < s->n && (s->tok[name].kind == TOK_NAME || is(s, name, ":")) && !is(s, name + 1, "["))
		name++;
	if (name <= t + 1 || name + 1 >= s->n || s->tok[name].kind != TOK_NAME || !is(s, name + 1, "["))
		return t;
	int end = name + 1;
	while (end < s->n && is(s, end, "["))
		end = close_of(s, end, "[", "]") + 1;
	if (!is(s, end, ";"))
		return t;
	int type = t + 1;
	bool is_static = t > 0 && is(s, t - 1, "static");
	const char *from = s->text + s->tok[type].from, *dims = s->text + s->tok[name + 1].from;
	int type_n = (int)(s->tok[name].from - s->tok[type].from), dims_n = (int)(s->tok[end - 1].to - s->tok[name + 1].from);
	copy_to(w, s->tok[t].from);
	fprintf(w->out, "%s%s %.*s(&%.*s)%.*s = *(%s %.*s(*)%.*s)vinci_local_array<sizeof(%.*s%.*s)>()",
		is_static ? "" : "static ", space, type_n, from, (int)(s->tok[name].to - s->tok[name].from),
		s->text + s->tok[name].from, dims_n, dims, space, type_n, from, dims_n, dims, type_n, from, dims_n,
		dims);
	w->at = s->tok[end].from;
	return end;
}

static bool open_out(struct writer *w, const char *out, const struct source *s, struct fail *f)
{
	w->out = fopen(out, "wb");
	w->s = s;
	w->at = 0;
	if (!w->out)
		return fail_file(f, FAIL_USER, out, 0, "cannot write");
	fprintf(w->out, "#line 1 \"%s\"\n", s->path);
	return true;
}

static bool close_out(struct writer *w, const char *out, struct fail *f)
{
	copy_to(w, w->s->size);
	bool bad = ferror(w->out);
	return (fclose(w->out) == 0 && !bad) || fail_file(f, FAIL_USER, out, 0, "cannot write");
}

/* The text of the file before anything is blanked: launches are looked for there. */
static void write_instances(struct writer *w, const struct source *whole)
{
	int done = 0;
	fputc('\n', w->out);
	for (int t = 0, name; t < whole->n; t++)
		if (is_launch(whole, t, &name) && instance(whole, name, t) == done)
			fprintf(w->out,
				"extern \"C\" __attribute__((naked)) __global__ void vinci_instance_%d() { __asm__ "
				"volatile(\"tail %%0\" : : \"i\"(&%.*s)); }\n",
				done++, (int)(whole->tok[t - 1].to - whole->tok[name].from),
				whole->text + whole->tok[name].from);
}

bool source_device(const char *path, const char *out, struct fail *f)
{
	struct source s, whole;
	struct writer w;
	char name[256];
	if (!source_open(&s, path, f))
		return false;
	if (!source_open(&whole, path, f)) {
		source_close(&s);
		return false;
	}
	for (int i = 0; i < s.n_part; i++) {
		const struct part *p = &s.part[i];
		if (p->function && !p->kernel_code && !used_by(&whole, p, true))
			blank_part(&s, p);
	}
	bool ok = open_out(&w, out, &s, f);
	for (int t = 0; ok && t < s.n; t++) {
		if (s.tok[t].kind == TOK_DIRECTIVE && include_name(&s, t, false, name, sizeof name) && host_include(name)) {
			copy_to(&w, s.tok[t].from);
			w.at = s.tok[t].to;
		} else if (is(&s, t, "[") && is(&s, t + 1, "aicore") && is(&s, t + 2, "]")) {
			copy_to(&w, s.tok[t].from);
			w.at = s.tok[t + 2].to;
		} else {
			t = local_array(&w, t);
		}
	}
	if (ok) {
		copy_to(&w, s.size);
		write_instances(&w, &whole);
		ok = close_out(&w, out, f);
	}
	source_close(&s);
	source_close(&whole);
	return ok;
}

bool source_host(const char *path, const char *out, struct fail *f)
{
	struct source s, whole;
	struct writer w;
	int name;
	if (!source_open(&s, path, f))
		return false;
	if (!source_open(&whole, path, f)) {
		source_close(&s);
		return false;
	}
	for (int i = 0; i < s.n_part; i++) {
		const struct part *p = &s.part[i];
		if (p->kernel_code && (p->global || p->name < 0 || !p->function || !used_by(&whole, p, false)))
			blank_part(&s, p);
	}
	bool ok = open_out(&w, out, &s, f);
	for (int t = 0; ok && t < whole.n; t++) {
		if (is(&whole, t, "[") && is(&whole, t + 1, "aicore") && is(&whole, t + 2, "]")) {
			copy_to(&w, whole.tok[t].from);
			w.at = whole.tok[t + 2].to;
		}
		if (!is_launch(&whole, t, &name) || s.text[whole.tok[t].from] != '<')
			continue;
		int inst = instance(&whole, name, t), close = t + 3;
		while (close + 2 < whole.n &&
		       !(is(&whole, close, ">") && is(&whole, close + 1, ">") && is(&whole, close + 2, ">") &&
			 whole.tok[close].from + 2 == whole.tok[close + 2].from))
			close++;
		int last = t - 1; /* the plain name is the last one: ns::k */
		copy_to(&w, whole.tok[name].from);
		if (inst >= 0)
			fprintf(w.out, "::vinci_acl::Launch(\"vinci_instance_%d %.*s\", ", inst,
				(int)(whole.tok[last].to - whole.tok[name].from), whole.text + whole.tok[name].from);
		else
			fprintf(w.out, "::vinci_acl::Launch(\"%.*s\", ",
				(int)(whole.tok[last].to - whole.tok[last].from), whole.text + whole.tok[last].from);
		w.at = whole.tok[t + 2].to;
		copy_to(&w, whole.tok[close].from);
		fputs(")", w.out);
		w.at = whole.tok[close + 2].to;
	}
	ok = ok && close_out(&w, out, f);
	source_close(&s);
	source_close(&whole);
	return ok;
}
