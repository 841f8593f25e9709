/*
 * cc_scan.c - what an operator file says about itself: its kernels, and the cores that they need on a split chip.
 */
#include "cc_source.h"

#include "../isa/isa.h"
#include "cc_token.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct words { bool kernel, matmul, cube, both, only_cube, only_vector, mix; };

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
	seen->cube |= word_in(w, cube);
	seen->both |= word_in(w, both);
	seen->mix |= word_in(w, mix);
	seen->only_cube |= word_in(w, aic);
	seen->only_vector |= word_in(w, aiv);
	seen->matmul |= strcmp(w, "REGIST_MATMUL_OBJ") == 0;
}

static void beside(const char *path, const char *name, char *out, size_t size)
{
	const char *slash = strrchr(path, '/');
	snprintf(out, size, "%.*s%s", slash ? (int)(slash - path + 1) : 0, path, name);
}

/* Words of a #define, and whether it makes kernels. */
static void scan_define(const struct source *s, int t, struct words *seen, struct source_info *info)
{
	const char *p = s->text + s->tok[t].from, *end = s->text + s->tok[t].to;
	char word[256];
	bool global = false, body = false;
	while (p < end && (*p == '#' || isspace((unsigned char)*p)))
		p++;
	if (end - p < 7 || strncmp(p, "define", 6) != 0)
		return;
	while (p < end) {
		size_t n = 0;
		while (p + n < end && (isalnum((unsigned char)p[n]) || p[n] == '_'))
			n++;
		if (n && n < sizeof word) {
			memcpy(word, p, n);
			word[n] = 0;
			scan_word(word, seen);
			global |= strcmp(word, "__global__") == 0;
		}
		body |= *p == '{';
		p += n ? n : 1;
	}
	info->kernels |= global && body;
}

static void scan_kernels(const struct source *s, struct source_info *info)
{
	for (int i = 0; i < s->n_part; i++) {
		const struct part *p = &s->part[i];
		if (!p->global || p->name < 0)
			continue;
		info->kernels |= p->open >= 0;
		if (info->n_kernel < SOURCE_KERNELS && tok_text(s, p->name, info->kernel[info->n_kernel], SOURCE_NAME))
			info->n_kernel++;
	}
}

static void scan_file(const struct source *s, struct words *seen, struct source_info *info, int depth)
{
	struct source inner;
	struct fail ignored = { 0 };
	char word[256], other[2048];
	scan_kernels(s, info);
	for (int t = 0; t < s->n; t++) {
		if (s->tok[t].kind == TOK_NAME && tok_text(s, t, word, sizeof word))
			scan_word(word, seen);
		if (s->tok[t].kind != TOK_DIRECTIVE)
			continue;
		scan_define(s, t, seen, info);
		if (tok_include(s, t, true, word, sizeof word)) {
			seen->matmul |= strstr(word, "matmul_intf.h") != NULL || strstr(word, "matmul/matmul.h") != NULL;
			beside(s->path, word, other, sizeof other);
			if (depth < 6 && source_open(&inner, other, &ignored)) {
				scan_file(&inner, seen, info, depth + 1);
				source_close(&inner);
			}
		}
		const char *cube_only = strstr(s->text + s->tok[t].from, "ASCENDC_CUBE_ONLY");
		if (cube_only && cube_only < s->text + s->tok[t].to)
			seen->only_cube = true;
	}
}

bool source_scan(const char *path, struct source_info *info, struct fail *f)
{
	struct source s;
	struct words seen = { 0 };
	memset(info, 0, sizeof *info);
	if (!source_open(&s, path, f))
		return false;
	scan_file(&s, &seen, info, 0);
	source_close(&s);
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

