/*
 * cc_tiling.c - the tiling struct of an operator whose kernel says only GET_TILING_DATA(name, tiling): in an operator project
 * the struct is defined by macros in a header of the host side, and the vendor's build hands it to the kernel. Here the
 * driver looks for that header beside the kernel and in ../op_host.
 */
#include "cc_tiling.h"

#include "cc_token.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4200, DEPTH = 6, NAME = 128 };

/* What the kernel and the files that it includes say about tiling. */
struct wants { bool data, own; };

static void folder_of(const char *path, char *out, size_t size)
{
	const char *slash = strrchr(path, '/');
	snprintf(out, size, "%.*s", slash ? (int)(slash - path + 1) : 0, path);
}

static void look(const char *path, struct wants *w, int depth)
{
	struct source s;
	struct fail ignored = { 0 };
	char name[NAME], folder[PATH_SIZE], other[2 * PATH_SIZE];
	if (depth > DEPTH || !source_open(&s, path, &ignored))
		return;
	folder_of(path, folder, sizeof folder);
	for (int t = 0; t < s.n; t++) {
		w->data |= tok_is(&s, t, "GET_TILING_DATA");
		w->own |= tok_is(&s, t, "REGISTER_TILING_DEFAULT") || tok_is(&s, t, "BEGIN_TILING_DATA_DEF");
		if (tok_include(&s, t, true, name, sizeof name)) {
			snprintf(other, sizeof other, "%s%s", folder, name);
			look(other, w, depth + 1);
		}
	}
	source_close(&s);
}

/* The namespaces around token t, as "a::b::". */
static void scope_of(const struct source *s, int t, char *out, size_t size)
{
	out[0] = 0;
	for (int i = 0; i < t; i++) {
		if (!tok_is(s, i, "namespace") || !tok_is(s, i + 2, "{") || tok_close(s, i + 2, "{", "}") < t)
			continue;
		size_t n = strlen(out);
		if (tok_text(s, i + 1, out + n, size > n ? size - n : 0) && strlen(out) + 3 < size)
			strcat(out, "::");
		else
			out[n] = 0;
	}
}

/* "#include" of the header, its structs by their plain names, and the one that is registered last as the kernel's. */
static bool write_prelude(FILE *out, const char *header)
{
	struct source s;
	struct fail ignored = { 0 };
	char name[NAME], scope[2 * NAME];
	int registered = -1;
	if (!source_open(&s, header, &ignored))
		return false;
	fprintf(out, "#include \"kernel_operator.h\"\n#include \"%s\"\n", header);
	for (int t = 0; t + 2 < s.n; t++) {
		if (tok_is(&s, t, "REGISTER_TILING_DATA_CLASS"))
			registered = t;
		if (!tok_is(&s, t, "BEGIN_TILING_DATA_DEF") || !tok_text(&s, t + 2, name, sizeof name))
			continue;
		scope_of(&s, t, scope, sizeof scope);
		if (scope[0])
			fprintf(out, "using %s%s;\n", scope, name);
	}
	if (registered >= 0 && tok_text(&s, registered + 4, name, sizeof name)) {
		scope_of(&s, registered, scope, sizeof scope);
		fprintf(out, "using vinci_default_tiling = %s%s;\n", scope, name);
	}
	source_close(&s);
	return true;
}

static bool defines_tiling(const char *path)
{
	struct source s;
	struct fail ignored = { 0 };
	bool begin = false, registered = false;
	if (!source_open(&s, path, &ignored))
		return false;
	for (int t = 0; t < s.n; t++) {
		begin |= tok_is(&s, t, "BEGIN_TILING_DATA_DEF");
		registered |= tok_is(&s, t, "REGISTER_TILING_DATA_CLASS");
	}
	source_close(&s);
	return begin && registered;
}

/* The header of `folder` that belongs to the kernel `stem`: by its name, else the only one that defines a tiling struct. */
static bool header_in(const char *folder, const char *stem, char *out, size_t size)
{
	static const char *const endings[] = { "_tiling.h", ".h", "_tiling_data.h", "_tilingdata.h" };
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		snprintf(out, size, "%s%s%s", folder, stem, endings[i]);
		if (defines_tiling(out))
			return true;
	}
	DIR *d = opendir(folder[0] ? folder : ".");
	if (!d)
		return false;
	char path[2 * PATH_SIZE];
	int found = 0;
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		size_t n = strlen(e->d_name);
		if (n < 3 || strcmp(e->d_name + n - 2, ".h") != 0)
			continue;
		snprintf(path, sizeof path, "%s%s", folder, e->d_name);
		if (defines_tiling(path) && ++found == 1)
			snprintf(out, size, "%s", path);
	}
	closedir(d);
	return found == 1;
}

enum tiling_found tiling_prelude(const char *path, FILE *out)
{
	struct wants w = { 0 };
	char folder[PATH_SIZE], host[PATH_SIZE + 16], stem[PATH_SIZE], header[3 * PATH_SIZE];
	look(path, &w, 0);
	if (!w.data || w.own)
		return TILING_NOT_NEEDED;
	folder_of(path, folder, sizeof folder);
	const char *base = path + strlen(folder);
	snprintf(stem, sizeof stem, "%.*s", (int)strcspn(base, "."), base);
	snprintf(host, sizeof host, "%s../op_host/", folder);
	if (!header_in(folder, stem, header, sizeof header) && !header_in(host, stem, header, sizeof header))
		return TILING_MISSING;
	char *full = realpath(header, NULL);
	bool ok = write_prelude(out, full ? full : header);
	free(full);
	return ok ? TILING_FOUND : TILING_MISSING;
}
