/*
 * check.c - reads rows and refuses bad ones: unknown field, gap, overlap, operand without field. Every message begins with
 * the place of the row.
 */
#include "row.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *name; uint8_t width; } fields[FIELD_COUNT] = {
#define FIELD(name, width, to, shift, doc) [FIELD_##name] = { #name, width },
#include "fields.def"
#undef FIELD
};

const char *field_name(enum field_id f) { return f < FIELD_COUNT ? fields[f].name : "?"; }

bool row_fail(const struct isa_insn *in, char *err, size_t err_size, const char *fmt, ...)
{
	char what[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	snprintf(err, err_size, "%s:%d: %s: %s", in->file ? in->file : "?", in->line, in->name ? in->name : "?", what);
	return false;
}

/* Reading position in one row. */
struct reader {
	const struct isa_insn *in;
	struct row *row;
	int at;            /* bits still to be filled, from the msb down */
	uint64_t seen[FIELD_COUNT];
	char *err;
	size_t err_size;
};

static bool add_piece(struct reader *r, enum field_id f, unsigned hi, unsigned lo)
{
	unsigned width = hi - lo + 1;
	uint64_t bits = ((UINT64_C(1) << width) - 1) << lo;
	if (hi >= fields[f].width)
		return row_fail(r->in, r->err, r->err_size, "field '%s' has no bit %u", fields[f].name, hi);
	if (r->seen[f] & bits)
		return row_fail(r->in, r->err, r->err_size, "field '%s': a bit stands there twice", fields[f].name);
	if (r->row->n_piece == ROW_PIECES)
		return row_fail(r->in, r->err, r->err_size, "more than %d field pieces", ROW_PIECES);
	r->seen[f] |= bits;
	r->at -= (int)width;
	if (r->at < 0)
		return row_fail(r->in, r->err, r->err_size, "%d bits too many", -r->at);
	r->row->piece[r->row->n_piece++] = (struct row_piece){ (uint8_t)f, (uint8_t)hi, (uint8_t)lo, (uint8_t)r->at };
	r->row->fields |= UINT32_C(1) << f;
	return true;
}

static bool read_number(const char **s, unsigned *out)
{
	if (!isdigit((unsigned char)**s))
		return false;
	*out = 0;
	while (isdigit((unsigned char)**s) && *out < 100)
		*out = *out * 10 + (unsigned)(*(*s)++ - '0');
	return *out < 64;
}

/* "12|10:5]" */
static bool read_slices(struct reader *r, enum field_id f, const char *s)
{
	for (;;) {
		unsigned hi, lo;
		if (!read_number(&s, &hi))
			break;
		lo = hi;
		if (*s == ':') {
			s++;
			if (!read_number(&s, &lo))
				break;
		}
		if (lo > hi)
			break;
		if (!add_piece(r, f, hi, lo))
			return false;
		if (*s == ']' && !s[1])
			return true;
		if (*s++ != '|')
			break;
	}
	return row_fail(r->in, r->err, r->err_size, "field '%s': the slice is not of the form [hi:lo|bit]", fields[f].name);
}

static bool read_field(struct reader *r, char *word)
{
	char *slice = strchr(word, '[');
	if (slice)
		*slice++ = 0;
	unsigned f = 0;
	while (f < FIELD_COUNT && strcmp(fields[f].name, word) != 0)
		f++;
	if (f == FIELD_COUNT)
		return row_fail(r->in, r->err, r->err_size, "unknown field '%s'", word);
	if (slice)
		return read_slices(r, f, slice);
	/* "type" alone is funct3 */
	return add_piece(r, f, f == FIELD_type ? 2u : fields[f].width - 1u, 0);
}

static bool read_literal(struct reader *r, const char *word)
{
	for (; *word; word++) {
		if (--r->at < 0)
			return row_fail(r->in, r->err, r->err_size, "%zu bits too many", strlen(word));
		r->row->mask |= UINT32_C(1) << r->at;
		r->row->match |= (uint32_t)(*word - '0') << r->at;
	}
	return true;
}

/* No holes between the bits of a field; holes below the lowest are zeros (lui). */
static bool check_fields(struct reader *r)
{
	for (unsigned f = 0; f < FIELD_COUNT; f++) {
		uint64_t seen = r->seen[f];
		if (!seen)
			continue;
		unsigned lo = 0, hi = 63;
		while (!(seen >> lo & 1))
			lo++;
		while (!(seen >> hi & 1))
			hi--;
		for (unsigned i = lo; i <= hi; i++)
			if (!(seen >> i & 1))
				return row_fail(r->in, r->err, r->err_size, "bit %u of field '%s' is missing", i,
						fields[f].name);
		if (f == FIELD_imm)
			r->row->imm_bits = (uint8_t)(hi + 1);
	}
	return true;
}

static bool parse_enc(struct reader *r)
{
	char text[256];
	if (!r->in->enc)
		return row_fail(r->in, r->err, r->err_size, "no encoding");
	if (strlen(r->in->enc) >= sizeof text)
		return row_fail(r->in, r->err, r->err_size, "the encoding is longer than %zu characters", sizeof text - 1);
	strcpy(text, r->in->enc);
	char *save = NULL;
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		bool literal = strspn(word, "01") == strlen(word);
		if (!(literal ? read_literal(r, word) : read_field(r, word)))
			return false;
	}
	if (r->at > 0)
		return row_fail(r->in, r->err, r->err_size, "%d bits unaccounted for", r->at);
	return check_fields(r);
}

static enum isa_type type_named(const char *s, size_t n)
{
	for (unsigned t = TYPE_NONE + 1; t < TYPE_COUNT; t++) {
		const char *name = isa_type_name((enum isa_type)t);
		if (strlen(name) == n && memcmp(name, s, n) == 0)
			return (enum isa_type)t;
	}
	return TYPE_NONE;
}

/* "f32:f16:f16" into t[]; a type that is not given repeats the one before. */
static bool read_variant(const char *s, size_t n, uint8_t t[ROW_OPERANDS])
{
	unsigned k = 0;
	for (size_t i = 0; i < n; k++) {
		size_t len = 0;
		while (i + len < n && s[i + len] != ':')
			len++;
		if (k == ROW_OPERANDS || !(t[k] = (uint8_t)type_named(s + i, len)))
			return false;
		i += len + (i + len < n);
	}
	for (unsigned i = k; k && i < ROW_OPERANDS; i++)
		t[i] = t[k - 1];
	return k > 0;
}

static bool parse_types(const struct isa_insn *in, struct row *row, char *err, size_t err_size)
{
	const char *s = in->types;
	row->n_variant = 0;
	while (s && *s) {
		size_t n = strcspn(s, " ");
		if (row->n_variant == ROW_VARIANTS)
			return row_fail(in, err, err_size, "more than %d type variants", ROW_VARIANTS);
		if (!read_variant(s, n, row->type[row->n_variant]))
			return row_fail(in, err, err_size, "unknown type in '%.*s'", (int)n, s);
		row->n_variant++;
		s += n + strspn(s + n, " ");
	}
	row->has_types = row->n_variant > 0;
	unsigned room = 0;
	for (unsigned i = 0; i < row->n_piece; i++)
		if (row->piece[i].field == FIELD_type)
			room += row->piece[i].hi - row->piece[i].lo + 1u;
	if (!row->has_types)
		row->n_variant = 1;
	if (row->n_variant > 1u << room)
		return row_fail(in, err, err_size, "%u type variants in a type field of %u bits", row->n_variant, room);
	if (!row->has_types && room)
		return row_fail(in, err, err_size, "a type field, but no types");
	return true;
}

/* One level of .arch: "c100" or "c100:f16,f32". */
static bool parse_level(const struct isa_insn *in, struct row *row, const char *s, size_t n, char *err, size_t err_size)
{
	static const struct { const char *name; unsigned bit; } level[] = {
		{ "c100", ARCH_C100 }, { "m200", ARCH_M200 }, { "c220", ARCH_C220 } };
	size_t len = 0;
	while (len < n && s[len] != ':')
		len++;
	unsigned bit = 0;
	for (unsigned i = 0; i < 3; i++)
		if (strlen(level[i].name) == len && memcmp(level[i].name, s, len) == 0)
			bit = level[i].bit;
	if (!bit)
		return row_fail(in, err, err_size, "unknown level '%.*s'", (int)len, s);
	if (len == n) {
		for (unsigned v = 0; v < row->n_variant; v++)
			row->arch[v] |= (uint8_t)bit;
		return true;
	}
	for (size_t i = len + 1; i < n; i++) {
		uint8_t t[ROW_OPERANDS] = { 0 };
		size_t k = 0;
		while (i + k < n && s[i + k] != ',')
			k++;
		bool found = false;
		if (read_variant(s + i, k, t))
			for (unsigned v = 0; v < row->n_variant; v++)
				if (row->has_types && memcmp(t, row->type[v], sizeof t) == 0) {
					row->arch[v] |= (uint8_t)bit;
					found = true;
				}
		if (!found)
			return row_fail(in, err, err_size, "level names a type that the row lacks: '%.*s'", (int)k, s + i);
		i += k;
	}
	return true;
}

static bool parse_arch(const struct isa_insn *in, struct row *row, char *err, size_t err_size)
{
	if (in->rv) {
		row->arch[0] = ARCH_ALL;
		return true;
	}
	const char *s = in->arch ? in->arch : "";
	if (!*s)
		return row_fail(in, err, err_size, "no level");
	while (*s) {
		size_t n = strcspn(s, " ");
		if (!parse_level(in, row, s, n, err, err_size))
			return false;
		s += n + strspn(s + n, " ");
	}
	return true;
}

bool row_parse(const struct isa_insn *in, struct row *out, char *err, size_t err_size)
{
	struct reader r = { .in = in, .row = out, .at = 32, .err = err, .err_size = err_size };
	memset(out, 0, sizeof *out);
	if (in->state == ISA_PLAIN) {
		if (in->enc && *in->enc)
			return row_fail(in, err, err_size, "plain C, but it has an encoding");
	} else if (!parse_enc(&r)) {
		return false;
	}
	return parse_types(in, out, err, err_size) && parse_arch(in, out, err, err_size);
}

static bool check_row(const struct isa_insn *in, const struct row *row, char *err, size_t err_size)
{
	if (!in->name || !*in->name)
		return row_fail(in, err, err_size, "no name");
	if (!in->doc || !*in->doc)
		return row_fail(in, err, err_size, "no sentence about it");
	if (in->form >= FORM_COUNT || in->time >= TIME_COUNT || in->pipe >= PIPE_COUNT)
		return row_fail(in, err, err_size, "form, time or pipe out of range");
	bool reason = in->why && *in->why;
	bool modelled = in->state == ISA_DONE || in->state == ISA_PLAIN;
	if (modelled && reason)
		return row_fail(in, err, err_size, "modelled, but with a reason why not");
	if (!modelled && !reason)
		return row_fail(in, err, err_size, "not modelled, but no reason is given");
	if ((in->form == FORM_NONE) == modelled)
		return row_fail(in, err, err_size, "the form must be NONE exactly when the row is not modelled");
	if (in->state == ISA_DONE)
		return in->rv ? syntax_check(in, row, err, err_size) : args_check(in, row, err, err_size);
	return true;
}

static bool check_pair(const struct isa_insn *a, const struct row *ra, const struct isa_insn *b, const struct row *rb,
		       char *err, size_t err_size)
{
	if (strcmp(a->name, b->name) == 0)
		return row_fail(b, err, err_size, "the name stands at %s:%d too", a->file, a->line);
	if (a->state == ISA_PLAIN || b->state == ISA_PLAIN)
		return true;
	if (((ra->match ^ rb->match) & ra->mask & rb->mask) == 0)
		return row_fail(b, err, err_size, "overlaps %s (%s:%d)", a->name, a->file, a->line);
	return true;
}

static bool check_layout(char *err, size_t err_size)
{
	for (size_t i = 0; i < cfg_count; i++) {
		const struct cfg *c = &cfg_table[i];
		bool bad = !c->width || c->lsb + c->width > 64 || c->lsb2 + c->width2 > 64;
		uint64_t bits = bad ? 0 : ((UINT64_C(1) << c->width) - 1) << c->lsb |
					  ((UINT64_C(1) << c->width2) - 1) << c->lsb2;
		for (size_t k = 0; k < i && !bad; k++) {
			const struct cfg *d = &cfg_table[k];
			uint64_t other = ((UINT64_C(1) << d->width) - 1) << d->lsb | ((UINT64_C(1) << d->width2) - 1) << d->lsb2;
			if (strcmp(c->word, d->word) == 0 && (bits & other || strcmp(c->field, d->field) == 0))
				bad = true;
		}
		if (bad) {
			snprintf(err, err_size, "isa/layout.def: %s.%s: leaves the word or overlaps a field before it", c->word,
				 c->field);
			return false;
		}
	}
	return true;
}

bool isa_check_rows(const struct isa_insn *in, size_t n, char *err, size_t err_size)
{
	if (!check_layout(err, err_size))
		return false;
	struct row *row = calloc(n ? n : 1, sizeof *row);
	bool ok = row != NULL;
	if (!ok)
		snprintf(err, err_size, "out of memory");
	for (size_t i = 0; i < n && ok; i++) {
		ok = row_parse(&in[i], &row[i], err, err_size) && check_row(&in[i], &row[i], err, err_size);
		for (size_t k = 0; k < i && ok; k++)
			ok = check_pair(&in[k], &row[k], &in[i], &row[i], err, err_size);
	}
	free(row);
	return ok;
}
