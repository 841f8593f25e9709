/*
 * cc_host.c - `vinci cc --host`: kernels become ELF images inside the executable, launches become calls of the acl runtime
 * library. Everything temporary lies in a folder beside the output and goes away.
 */
#include "cc_host.h"

#include "cc.h"
#include "cc_source.h"
#include "home.h"
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4200, IMAGES = 64 };

struct build {
	const struct cc_host_options *o;
	char dir[PATH_SIZE];
	int n_image;
	char image[IMAGES][PATH_SIZE + 64], image_name[IMAGES][256];
	int n_object;
	char object[CC_HOST_SOURCES + 1][PATH_SIZE + 64];
	int n_junk;
	char *junk[512];
};

static const char *junk(struct build *b, const char *path)
{
	if (b->n_junk < 512)
		b->junk[b->n_junk++] = strdup(path);
	return path;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool write_text(struct build *b, const char *path, const char *text, struct fail *f)
{
	FILE *out = fopen(junk(b, path), "w");
	bool ok = out && fputs(text, out) >= 0;
	if (out && fclose(out) != 0)
		ok = false;
	return ok || fail_file(f, FAIL_USER, path, 0, "cannot write: %s", strerror(errno));
}

/* aclrtlaunch_NAME.h, which sample code includes for ACLRT_LAUNCH_KERNEL(NAME) */
static bool launch_headers(struct build *b, const struct source_info *info, struct fail *f)
{
	char path[PATH_SIZE + 200], text[1200];
	for (int i = 0; i < info->n_kernel; i++) {
		const char *k = info->kernel[i];
		snprintf(path, sizeof path, "%s/aclrtlaunch_%s.h", b->dir, k);
		snprintf(text, sizeof text,
			 "#pragma once\n#include \"vinci_launch.h\"\ntemplate <typename... A> inline uint32_t "
			 "aclrtlaunch_%s(uint32_t blocks, "
			 "void *stream, const A &...a) { return ::vinci_acl::Launch(\"%s\", blocks, nullptr, "
			 "stream)(a...); }\n",
			 k, k);
		if (!write_text(b, path, text, f))
			return false;
	}
	return true;
}

static bool kernels_of(struct build *b, int i, const struct source_info *info, struct fail *f)
{
	unsigned cores = b->o->arch == ARCH_C220 ? info->core : CORE_FUSED;
	for (unsigned core = CORE_CUBE; core <= CORE_FUSED; core <<= 1) {
		if (!(cores & core))
			continue;
		if (b->n_image == IMAGES)
			return fail_set(f, FAIL_USER, "more than %d kernel images", IMAGES);
		int k = b->n_image++;
		char dep[PATH_SIZE + 80];
		snprintf(b->image[k], sizeof b->image[k], "%s/%d.%u.elf", b->dir, i, core);
		snprintf(b->image_name[k], sizeof b->image_name[k], "%s", base_name(b->o->source[i]));
		struct cc_options cc = { .source = b->o->source[i], .output = b->image[k], .arch = b->o->arch, .core = core,
					 .extra = b->o->extra, .include = b->o->include };
		junk(b, b->image[k]);
		snprintf(dep, sizeof dep, "%s.dep", b->image[k]);
		junk(b, dep);
		if (!cc_compile(&cc, f))
			return false;
	}
	return true;
}

static bool run_tool(struct tool *c, const char *source, const char *what, struct fail *f)
{
	char line[600];
	int status = tool_run(c);
	tool_text(c, line, sizeof line);
	tool_free(c);
	if (status == 0)
		return true;
	if (status < 0) {
		fail_file(f, FAIL_USER, source, 0, "cannot run the host compiler clang++-19");
		return fail_hint(f, "apt-get install clang-19");
	}
	return fail_file(f, FAIL_USER, source, 0, "cannot %s (status %d); the command was: %s", what, status, line);
}

static const char *const host_flags[] = { "-O2", "-g", "-ffp-contract=off", "-Wno-attributes", NULL };

/* The compiler's part of a source that holds kernels takes the same branches as the kernels', as with the vendor's. */
static void host_tool(const struct build *b, const struct source_info *info, struct tool *c, bool is_c)
{
	static const char *const cpp[] = { "-x", "c++", "-std=c++17", "-include", "vinci_launch.h", "-include", "cstring", NULL };
	static const char *const plain[] = { "-x", "c", "-std=gnu11", NULL };
	tool_add(c, "clang++-19");
	tool_add_all(c, is_c ? plain : cpp);
	tool_add_all(c, host_flags);
	if (b->o->include) {
		tool_add(c, "-I");
		tool_add(c, b->o->include);
	}
	if (b->o->cpu_debug) {
		tool_add(c, "-DASCENDC_CPU_DEBUG=1");
		tool_add(c, "-D__CCE_KT_TEST__=1");
	}
	if (info->kernels) {
		tool_add(c, "-D__NPU_HOST__=1");
		tool_add(c, b->o->arch == ARCH_C220   ? "-D__CCE_AICORE__=220"
			    : b->o->arch == ARCH_M200 ? "-D__CCE_AICORE__=200"
						      : "-D__CCE_AICORE__=100");
	}
}

static bool host_object(struct build *b, int i, const struct source_info *info, struct fail *f)
{
	char whole[PATH_SIZE + 40], passed[PATH_SIZE + 40], folder[PATH_SIZE], acl[PATH_SIZE], ascendc[PATH_SIZE];
	const char *source = b->o->source[i], *dot = strrchr(source, '.'), *slash = strrchr(source, '/');
	bool is_c = dot && strcmp(dot, ".c") == 0;
	struct tool c = { 0 };
	snprintf(passed, sizeof passed, "%s/%d.host.cpp", b->dir, i);
	snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - source + (slash == source)) : 1, slash ? source : ".");
	snprintf(acl, sizeof acl, "%s/isa/include/acl_runtime", vinci_home());
	snprintf(ascendc, sizeof ascendc, "%s/isa/include/ascendc", vinci_home());
	int k = b->n_object++;
	snprintf(b->object[k], sizeof b->object[k], "%s/%d.host.o", b->dir, i);
	junk(b, b->object[k]);
	snprintf(whole, sizeof whole, "%s/%d.whole.cpp", b->dir, i);
	host_tool(b, info, &c, is_c);
	const char *const folders[] = { "-isystem", acl, "-isystem", ascendc, "-I", b->dir, "-iquote", folder, NULL };
	tool_add_all(&c, folders);
	if (b->o->extra)
		tool_add_split(&c, b->o->extra);
	if (is_c) {
		const char *const out[] = { "-c", source, "-o", b->object[k], NULL };
		tool_add_all(&c, out);
		return run_tool(&c, source, "compile the host code", f);
	}
	const char *const before[] = { "-DVINCI_SOURCE_PASS=1", "-Wno-macro-redefined", "-E", source, "-o",
				       junk(b, whole), NULL };
	tool_add_all(&c, before);
	if (!run_tool(&c, source, "preprocess the host code", f) || !source_host(whole, NULL, source, junk(b, passed), f))
		return false;
	struct tool second = { 0 };
	const char *const after[] = { "clang++-19", "-x", "c++", "-std=c++17", "-D__aicore__=", "-D__global__=",
				      "-Wno-pragma-system-header-outside-header", "-Wno-unused-command-line-argument", NULL };
	const char *const out[] = { "-c", passed, "-o", b->object[k], NULL };
	tool_add_all(&second, after);
	tool_add_all(&second, host_flags);
	if (b->o->extra)
		tool_add_compile_flags(&second, b->o->extra);
	tool_add_all(&second, out);
	return run_tool(&second, source, "compile the host code", f);
}

/* A C file that holds the images, the chip's name and Vinci's folder. */
static bool glue(struct build *b, struct fail *f)
{
	char path[PATH_SIZE + 40], *text = malloc(200000);
	size_t size = 200000, n = 0;
	if (!text)
		return fail_set(f, FAIL_INTERNAL, "no memory");
	n += (size_t)snprintf(text + n, size - n,
			      "typedef unsigned char u8;\nstruct image { const char *name; const u8 *from, *to; };\n");
	for (int i = 0; i < b->n_image; i++)
		n += (size_t)snprintf(text + n, size - n,
				      "__asm__(\".section .rodata\\n.balign 16\\nvinci_from_%d: .incbin "
				      "\\\"%s\\\"\\nvinci_to_%d: .byte 0\\n.text\");\n"
				      "extern const u8 vinci_from_%d[], vinci_to_%d[];\n",
				      i, b->image[i], i, i, i);
	n += (size_t)snprintf(text + n, size - n, "const struct image vinci_images[] = {\n");
	for (int i = 0; i < b->n_image; i++)
		n += (size_t)snprintf(text + n, size - n, "\t{ \"%s\", vinci_from_%d, vinci_to_%d },\n", b->image_name[i], i, i);
	n += (size_t)snprintf(
		text + n, size - n,
		"\t{ 0, 0, 0 } };\nconst char vinci_image_chip[] = \"%s\";\nconst char vinci_image_home[] = \"%s\";\n",
		b->o->chip, vinci_home());
	snprintf(path, sizeof path, "%s/glue.c", b->dir);
	bool ok = write_text(b, path, text, f);
	free(text);
	int k = b->n_object++;
	snprintf(b->object[k], sizeof b->object[k], "%s/glue.o", b->dir);
	junk(b, b->object[k]);
	struct tool c = { 0 };
	const char *const args[] = { "clang-19", "-x", "c", "-c", path, "-o", b->object[k], NULL };
	if (!ok)
		return false;
	tool_add_all(&c, args);
	return run_tool(&c, path, "compile the glue", f);
}

static bool link_program(struct build *b, struct fail *f)
{
	char lib[PATH_SIZE];
	struct tool c = { 0 };
	snprintf(lib, sizeof lib, "%s/build/libvinci_acl.a", vinci_home());
	if (access(lib, R_OK) != 0) {
		fail_set(f, FAIL_USER, "the acl runtime library is not there: %s", lib);
		return fail_hint(f, "make vinci builds it");
	}
	tool_add(&c, "clang++-19");
	for (int i = 0; i < b->n_object; i++)
		tool_add(&c, b->object[i]);
	const char *const rest[] = { lib,   "-lconfig",	 "-ldw", "-lelf",      "-ljansson", "-lzstd",
				     "-lm", "-lpthread", "-o",	 b->o->output, NULL };
	tool_add_all(&c, rest);
	return run_tool(&c, b->o->output, "link the host program", f);
}

bool cc_host_program(const struct cc_host_options *o, struct fail *f)
{
	struct build *b = calloc(1, sizeof *b);
	struct source_info *info = calloc((size_t)o->n_source, sizeof *info);
	bool ok = b && info ? true : fail_set(f, FAIL_INTERNAL, "no memory");
	if (ok) {
		b->o = o;
		snprintf(b->dir, sizeof b->dir, "%s.%ld.build", o->output, (long)getpid());
		ok = mkdir(b->dir, 0777) == 0 ||
		     fail_file(f, FAIL_USER, b->dir, 0, "cannot make the folder: %s", strerror(errno));
		char *real = ok ? realpath(b->dir, NULL) : NULL;
		if (real && strlen(real) < PATH_SIZE)
			strcpy(b->dir, real);
		free(real);
	}
	for (int i = 0; ok && i < o->n_source; i++)
		ok = source_scan(o->source[i], &info[i], f) && launch_headers(b, &info[i], f) &&
		     (!info[i].kernels || kernels_of(b, i, &info[i], f));
	for (int i = 0; ok && i < o->n_source; i++)
		ok = host_object(b, i, &info[i], f);
	ok = ok && glue(b, f) && link_program(b, f);
	for (int i = 0; b && i < b->n_junk; i++) {
		unlink(b->junk[i]);
		free(b->junk[i]);
	}
	if (b)
		rmdir(b->dir);
	free(b);
	free(info);
	return ok;
}
