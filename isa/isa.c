/*
 * isa.c - the table, its parsed form, decoder, encoder and lookups.
 *
 * Rows draw their encoding as text. isa_init parses every row once, checks all against all (check.c) and sorts them into
 * buckets by opcode and funct7, so that a decode looks at a handful of rows.
 */
#include "row.h"

#include <stdio.h>
#include <string.h>

const struct isa_insn isa_table[ISA_COUNT] = {
#define RV(id, mnemonic, ...)                                                                                          \
	[RV_##id] = { .name = mnemonic, .rv = true, .time = TIME_scalar, .file = __FILE__, .line = __LINE__, __VA_ARGS__ },
#define INSN(id, ...) [INSN_##id] = { .name = #id, .file = __FILE__, .line = __LINE__, __VA_ARGS__ },
#include "isa.def"
#undef RV
#undef INSN
};

enum { KEYS = 32 * 128, SLOTS = 24 * 1024 };

/* Written by isa_init alone, constant afterwards. */
static struct row rows[ISA_COUNT];
static uint16_t bucket_start[KEYS + 1], bucket[SLOTS];
static uint32_t fingerprint;

const struct row *row_of(enum isa_id id) { return &rows[id]; }

static unsigned key(uint32_t raw) { return (raw >> 2 & 31) << 7 | raw >> 25; }

static bool key_may_match(const struct row *r, unsigned k)
{
	uint32_t word = (uint32_t)(k >> 7) << 2 | (uint32_t)(k & 127) << 25 | 3;
	return ((word ^ r->match) & r->mask & 0xfe00007fu) == 0;
}

static bool fill_buckets(char *err, size_t err_size)
{
	unsigned n = 0;
	for (unsigned k = 0; k < KEYS; k++) {
		bucket_start[k] = (uint16_t)n;
		for (unsigned i = 0; i < ISA_COUNT; i++) {
			if (isa_table[i].state == ISA_PLAIN || !key_may_match(&rows[i], k))
				continue;
			if (n == SLOTS) {
				snprintf(err, err_size, "isa.c: raise SLOTS, the buckets are full");
				return false;
			}
			bucket[n++] = (uint16_t)i;
		}
	}
	bucket_start[KEYS] = (uint16_t)n;
	return true;
}

static uint32_t hash(uint32_t h, const char *text)
{
	for (; text && *text; text++)
		h = (h ^ (uint8_t)*text) * 16777619u;
	return (h ^ 0xff) * 16777619u;
}

/* Everything a compiled kernel depends on: encodings, type orders, operand registers, word layouts. */
static uint32_t make_fingerprint(void)
{
	uint32_t h = 2166136261u;
	for (unsigned i = 0; i < ISA_COUNT; i++) {
		h = hash(h, isa_table[i].name);
		h = hash(h, isa_table[i].enc);
		h = hash(h, isa_table[i].types);
		h = hash(h, isa_table[i].regs);
	}
	for (size_t i = 0; i < cfg_count; i++) {
		const struct cfg *c = &cfg_table[i];
		h = hash(hash(h, c->word), c->field);
		h = (h ^ (uint32_t)(c->lsb | c->width << 8 | c->lsb2 << 16 | c->width2 << 24)) * 16777619u;
	}
	return h;
}

bool isa_init(char *err, size_t err_size)
{
	if (!isa_check_rows(isa_table, ISA_COUNT, err, err_size))
		return false;
	for (unsigned i = 0; i < ISA_COUNT; i++)
		if (!row_parse(&isa_table[i], &rows[i], err, err_size))
			return false;
	if (!fill_buckets(err, err_size))
		return false;
	fingerprint = make_fingerprint();
	return true;
}

uint32_t isa_fingerprint(void) { return fingerprint; }

static uint32_t ones(unsigned n) { return n >= 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1; }

static const uint8_t field_shift[FIELD_COUNT] = {
#define FIELD(name, width, to, shift, doc) [FIELD_##name] = shift,
#include "fields.def"
#undef FIELD
};

#define MEMBER_imm(v) w->imm = (int32_t)((uint32_t)w->imm | (v))
#define MEMBER_rd(v) w->rd = (uint8_t)(w->rd | (v))
#define MEMBER_rs1(v) w->rs1 = (uint8_t)(w->rs1 | (v))
#define MEMBER_rs2(v) w->rs2 = (uint8_t)(w->rs2 | (v))
#define MEMBER_rs3(v) w->rs3 = (uint8_t)(w->rs3 | (v))
#define MEMBER_rm(v) w->rm = (uint8_t)(w->rm | (v))
#define MEMBER_variant(v) w->variant = (uint8_t)(w->variant | (v))

/* Add bits that a piece contributes to the member its field is decoded into. */
static void put(struct isa_word *w, enum field_id f, uint32_t value)
{
	value <<= field_shift[f];
	switch (f) {
#define FIELD(name, width, to, shift, doc)                                                                             \
	case FIELD_##name: MEMBER_##to(value); break;
#include "fields.def"
#undef FIELD
	case FIELD_COUNT: break;
	}
}

static uint32_t get(const struct isa_word *w, enum field_id f)
{
	switch (f) {
#define FIELD(name, width, to, shift, doc)                                                                             \
	case FIELD_##name: return (uint32_t)w->to >> (shift);
#include "fields.def"
#undef FIELD
	case FIELD_COUNT: break;
	}
	return 0;
}

static bool unpack(unsigned id, uint32_t raw, struct isa_word *out)
{
	const struct row *r = &rows[id];
	*out = (struct isa_word){ .raw = raw, .id = (uint16_t)id };
	for (unsigned i = 0; i < r->n_piece; i++) {
		const struct row_piece *p = &r->piece[i];
		put(out, p->field, (raw >> p->at & ones(p->hi - p->lo + 1u)) << p->lo);
	}
	if (r->imm_bits && r->imm_bits < 32 && ((uint32_t)out->imm >> (r->imm_bits - 1) & 1))
		out->imm = (int32_t)((uint32_t)out->imm | ~ones(r->imm_bits));
	/* rounding modes 5 and 6 are reserved */
	bool reserved_rm = r->fields >> FIELD_rm & 1 && (out->rm == 5 || out->rm == 6);
	return out->variant < r->n_variant && !reserved_rm;
}

bool isa_decode(uint32_t raw, struct isa_word *out)
{
	*out = (struct isa_word){ .raw = raw };
	if ((raw & 3) != 3)
		return false;
	unsigned k = key(raw);
	for (unsigned i = bucket_start[k]; i < bucket_start[k + 1]; i++) {
		const struct row *r = &rows[bucket[i]];
		if (((raw ^ r->match) & r->mask) == 0)
			return unpack(bucket[i], raw, out);
	}
	return false;
}

bool isa_encode(const struct isa_word *w, uint32_t *raw)
{
	if (w->id >= ISA_COUNT || isa_table[w->id].state == ISA_PLAIN)
		return false;
	const struct row *r = &rows[w->id];
	uint32_t bits = r->match;
	for (unsigned i = 0; i < r->n_piece; i++) {
		const struct row_piece *p = &r->piece[i];
		bits |= (get(w, p->field) >> p->lo & ones(p->hi - p->lo + 1u)) << p->at;
	}
	/* a value that does not fit its field does not survive the way back */
	struct isa_word back;
	if (!unpack(w->id, bits, &back))
		return false;
	for (unsigned f = 0; f < FIELD_COUNT; f++)
		if (r->fields >> f & 1 && get(w, f) != get(&back, f))
			return false;
	*raw = bits;
	return true;
}

unsigned isa_variants(enum isa_id id) { return rows[id].n_variant; }

enum isa_type isa_operand_type(enum isa_id id, unsigned variant, unsigned operand)
{
	if (id >= ISA_COUNT || variant >= ROW_VARIANTS || operand >= ROW_OPERANDS)
		return TYPE_NONE;
	return (enum isa_type)rows[id].type[variant][operand];
}

bool isa_available(enum isa_id id, unsigned variant, unsigned arch)
{
	return id < ISA_COUNT && variant < rows[id].n_variant && (rows[id].arch[variant] & arch);
}

enum isa_id isa_find(const char *name)
{
	for (unsigned i = 0; i < ISA_COUNT; i++)
		if (strcmp(isa_table[i].name, name) == 0)
			return (enum isa_id)i;
	return ISA_COUNT;
}

static const struct { const char *name; uint8_t bits; } types[TYPE_COUNT] = {
	[TYPE_NONE] = { "none", 0 }, [TYPE_S4] = { "s4", 4 },     [TYPE_S8] = { "s8", 8 },     [TYPE_U8] = { "u8", 8 },
	[TYPE_S16] = { "s16", 16 },  [TYPE_U16] = { "u16", 16 },  [TYPE_F16] = { "f16", 16 },  [TYPE_BF16] = { "bf16", 16 },
	[TYPE_S32] = { "s32", 32 },  [TYPE_U32] = { "u32", 32 },  [TYPE_F32] = { "f32", 32 },  [TYPE_S64] = { "s64", 64 },
	[TYPE_U64] = { "u64", 64 },  [TYPE_B8] = { "b8", 8 },     [TYPE_B16] = { "b16", 16 },  [TYPE_B32] = { "b32", 32 },
};

unsigned isa_type_bits(enum isa_type t) { return t < TYPE_COUNT ? types[t].bits : 0; }
const char *isa_type_name(enum isa_type t) { return t < TYPE_COUNT ? types[t].name : "?"; }

const char *isa_pipe_name(enum isa_pipe p)
{
	static const char *const name[PIPE_COUNT] = { "S", "V", "MTE1", "MTE2", "MTE3", "M", "ALL", "FIX" };
	return p < PIPE_COUNT ? name[p] : "?";
}

const char *isa_space_name(enum isa_space s)
{
	static const char *const name[SPACE_COUNT] = { "none", "GM", "UB", "L1", "L0A", "L0B", "L0C", "FB", "BT" };
	return s < SPACE_COUNT ? name[s] : "?";
}

const char *isa_form_name(enum isa_form f)
{
	static const char *const name[FORM_COUNT] = {
#define FORM(id, doc) #id,
#include "forms.def"
#undef FORM
	};
	return f < FORM_COUNT ? name[f] : "?";
}

const char *isa_time_name(enum isa_time t)
{
	static const char *const name[TIME_COUNT] = {
#define TIME(id, doc) #id,
#include "timing.def"
#undef TIME
	};
	return t < TIME_COUNT ? name[t] : "?";
}
