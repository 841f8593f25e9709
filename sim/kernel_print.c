/*
 * kernel_print.c - formats the records that kernels left in the system region of GM: counts of bytes first, then records of
 * kind and words, block, words.
 */
#include "kernel_print.h"

#include "npy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PRINT_TEXT = 1, PRINT_TENSOR = 2, SPEC = 32 };

/* A text of the kernel's constants, or NULL. */
static const char *text_at(const struct sim *s, int core, uint64_t addr)
{
	for (uint64_t n = 1; n < 4096; n++) {
		const uint8_t *p = gm_at(&s->gm, core, addr, n, false);
		if (!p)
			return NULL;
		if (p[n - 1] == 0)
			return (const char *)p;
	}
	return NULL;
}

/* One conversion with its value; only complete specifications of numbers and texts come here. */
static void convert(const struct sim *s, int core, FILE *out, const char *flags, char conv, uint64_t type, uint64_t v)
{
	char spec[SPEC + 8];
	double d;
	memcpy(&d, &v, 8);
	if (conv == 's') {
		const char *text = type == 2 ? text_at(s, core, v) : NULL;
		fputs(text ? text : "(no text)", out);
	} else if (strchr("fFeEgG", conv)) {
		snprintf(spec, sizeof spec, "%%%s%c", flags, conv);
		fprintf(out, spec, type == 1 ? d : (double)(int64_t)v);
	} else if (conv == 'c') {
		fputc((int)v, out);
	} else if (conv == 'p') {
		fprintf(out, "0x%" PRIx64, v);
	} else {
		int64_t n = type == 1 ? (int64_t)d : (int64_t)v;
		snprintf(spec, sizeof spec, "%%%sll%c", flags, conv);
		fprintf(out, spec, (long long)n);
	}
}

static void print_text(const struct sim *s, int core, const uint64_t *w, uint64_t n, FILE *out)
{
	const char *p = n ? text_at(s, core, w[0]) : NULL;
	uint64_t at = 1;
	if (!p) {
		fputs("(a kernel's printf whose format cannot be read)\n", out);
		return;
	}
	while (*p) {
		char flags[SPEC];
		size_t k = 0;
		if (*p != '%') {
			fputc(*p++, out);
			continue;
		}
		if (*++p == '%') {
			fputc(*p++, out);
			continue;
		}
		int longs = 0, shorts = 0;
		for (; *p && strchr("-+ #0123456789.lhzjt", *p); p++) {
			longs += *p == 'l' || *p == 'z' || *p == 'j' || *p == 't';
			shorts += *p == 'h';
			if (!strchr("lhzjt", *p) && k + 1 < sizeof flags)
				flags[k++] = *p;
		}
		flags[k] = 0;
		if (!*p)
			break;
		char conv = *p++;
		if (!strchr("diouxXfFeEgGcsp", conv) || at + 2 > n) {
			fputs(at + 2 > n ? "(no value)" : "(unknown conversion)", out);
			continue;
		}
		uint64_t v = w[at + 1];
		if (strchr("ouxX", conv) && !longs)
			v = shorts == 2 ? (uint8_t)v : shorts ? (uint16_t)v : (uint32_t)v;
		convert(s, core, out, flags, conv, w[at], v);
		at += 2;
	}
}

static void print_tensor(const uint64_t *w, uint64_t n, FILE *out)
{
	static const enum dtype types[] = { DT_NONE, DT_F16, DT_F32, DT_BF16, DT_S8,  DT_U8,
					    DT_S16,  DT_U16, DT_S32, DT_U32,  DT_S64, DT_U64 };
	uint64_t type = n >= 3 ? w[0] >> 32 : 0, count = n >= 3 ? w[2] : 0;
	if (type == 0 || type >= sizeof types / sizeof types[0] || count * dtype_bytes(types[type]) > (n - 3) * 8) {
		fputs("(a dump of a kernel that cannot be read)\n", out);
		return;
	}
	fprintf(out, "DumpTensor: desc=%u, addr=0x%" PRIx64 ", data_type=%s, position=%s, dump_size=%" PRIu64 "\n[",
		(unsigned)w[0], w[1] & 0xffffffffffffff, dtype_name(types[type]), w[1] >> 56 ? "UB" : "GM", count);
	for (uint64_t i = 0; i < count; i++) {
		double v = dtype_get(types[type], (const uint8_t *)(w + 3), i);
		fprintf(out, "%s%.6g", i ? ", " : "", v);
	}
	fputs("]\n", out);
}

static void print_core(const struct sim *s, int core, FILE *out)
{
	const uint64_t *w = (const uint64_t *)(const void *)gm_at(
		&s->gm, 0, GM_SYSTEM + (uint64_t)core * GM_SYSTEM_SLOT, GM_SYSTEM_SLOT, false);
	if (!w || w[0] == 0 || w[0] > GM_SYSTEM_SLOT - 8)
		return;
	uint64_t end = 1 + w[0] / 8, lost = w[GM_SYSTEM_SLOT / 8 - 1];
	for (uint64_t at = 1; at + 2 <= end;) {
		uint64_t kind = w[at] & 0xffffffff, n = w[at] >> 32;
		if (at + 2 + n > end)
			break;
		if (kind == PRINT_TEXT)
			print_text(s, core, w + at + 2, n, out);
		else if (kind == PRINT_TENSOR)
			print_tensor(w + at + 2, n, out);
		at += 2 + n;
	}
	if (lost)
		fprintf(out, "(core %d: %" PRIu64 " further texts did not fit into its 16 KiB)\n", core, lost);
}

void kernel_print(const struct sim *s, FILE *out)
{
	for (int i = 0; i < s->n_core; i++)
		print_core(s, i, out);
	fflush(out);
}
