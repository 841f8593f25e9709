/*
 * fail.c - errors: set once, printed once.
 *
 * Texts may quote names from kernels and input files; control characters in them are replaced when printing.
 */
#include "fail.h"

#include "../isa/isa.h"

#include <inttypes.h>
#include <stdarg.h>

static bool set_once(struct fail *f, enum fail_class class, const char *file, int line, const char *fmt, va_list ap)
{
	if (!f || f->class != FAIL_NONE)
		return false;
	f->class = class;
	f->line = line;
	snprintf(f->file, sizeof(f->file), "%s", file ? file : "");
	vsnprintf(f->what, sizeof(f->what), fmt, ap);
	f->hint[0] = 0;
	return false;
}

bool fail_set(struct fail *f, enum fail_class class, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	set_once(f, class, NULL, 0, fmt, ap);
	va_end(ap);
	return false;
}

bool fail_file(struct fail *f, enum fail_class class, const char *file, int line, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	set_once(f, class, file, line, fmt, ap);
	va_end(ap);
	return false;
}

bool fail_hint(struct fail *f, const char *fmt, ...)
{
	/* a hint belongs to the first cause, as the text does */
	if (!f || f->class == FAIL_NONE || f->hint[0])
		return false;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(f->hint, sizeof(f->hint), fmt, ap);
	va_end(ap);
	return false;
}

static const char *class_words(enum fail_class class)
{
	switch (class) {
	case FAIL_KERNEL: return "kernel error";
	case FAIL_USER: return "input error";
	case FAIL_MODEL: return "not modelled";
	case FAIL_INTERNAL: return "internal error";
	case FAIL_NONE: break;
	}
	return "no error";
}

static void put_clean(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		fputc(c < 0x20 || c == 0x7f ? '?' : c, out);
	}
}

static void put_where(FILE *out, const struct fail_where *w)
{
	const char *sep = "  at ";
	if (w->kernel_line[0]) {
		fputs(sep, out);
		put_clean(out, w->kernel_line);
		sep = ", ";
	}
	if (w->pc) {
		fprintf(out, "%spc 0x%" PRIx64, sep, w->pc);
		sep = ", ";
	}
	if (w->core >= 0) {
		fprintf(out, "%score %d", sep, w->core);
		if (w->block >= 0)
			fprintf(out, " (block %d)", w->block);
		sep = ", ";
	}
	if (w->pipe >= 0 && w->pipe < PIPE_COUNT) {
		fprintf(out, "%spipe %s", sep, isa_pipe_name((enum isa_pipe)w->pipe));
		sep = ", ";
	}
	if (w->cycle >= 0) {
		fprintf(out, "%scycle %" PRId64, sep, w->cycle);
		sep = ", ";
	}
	if (sep[0] == ',')
		fputc('\n', out);
}

void fail_write(const struct fail *f, FILE *out)
{
	fprintf(out, "vinci: %s: ", class_words(f->class));
	put_clean(out, f->what);
	fputc('\n', out);
	if (f->has_where)
		put_where(out, &f->where);
	if (f->file[0]) {
		fputs("  in ", out);
		put_clean(out, f->file);
		if (f->line > 0)
			fprintf(out, ":%d", f->line);
		fputc('\n', out);
	}
	if (f->hint[0]) {
		fputs("  hint: ", out);
		put_clean(out, f->hint);
		fputc('\n', out);
	}
}

void fail_print(const struct fail *f)
{
	fail_write(f, stderr);
}
