/*
 * unit_rig.c - see unit_rig.h.
 */
#include "coverage.h"
#include "unit_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GM_BYTES = 256 * 1024 };

uint64_t unit_random(struct unit_rig *r)
{
	uint64_t z = r->rng += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint64_t unit_between(struct unit_rig *r, uint64_t low,
	uint64_t high) { return low + unit_random(r) % (high - low + 1); }

static uint64_t space_size(const struct unit_rig *r,
	int s) { return s == SPACE_GM ? r->gm_size : (uint64_t)r->mem.size[s]; }
static uint8_t *space_bytes(const struct unit_rig *r, int s) { return s == SPACE_GM ? r->gm_host : r->mem.buf[s]; }

static bool core_has(enum isa_core kind, int s)
{
	if (kind == CORE_VEC)
		return s == SPACE_UB;
	return kind == CORE_FUSED || s != SPACE_UB;
}

void unit_open(struct unit_rig *r, const char *chip, enum isa_core kind, uint64_t seed)
{
	char err[256];

	memset(r, 0, sizeof(*r));
	r->rng = r->seed = seed;
	cr_assert(isa_init(err, sizeof(err)), "%s", err);
	cr_assert(chip_load(chip, &r->chip, &r->f), "%s", r->f.what);
	gm_init(&r->gm, 1);
	struct gm_region *g = gm_add_arg(&r->gm, "buffer", GM_BYTES, true, &r->f);
	cr_assert_not_null(g, "%s", r->f.what);
	r->gm_host = g->host;
	r->gm_addr = g->addr;
	r->gm_size = g->size;
	r->mem.gm = &r->gm;
	for (int s = SPACE_GM; s < SPACE_COUNT; s++) {
		if (s != SPACE_GM && core_has(kind, s))
			r->mem.size[s] = chip_buffer_bytes(&r->chip, (enum isa_space)s);
		uint64_t size = space_size(r, s);
		if (!size)
			continue;
		if (s != SPACE_GM)
			r->mem.buf[s] = aligned_alloc(64, (size + 63) & ~UINT64_C(63));
		r->before[s] = malloc(size);
		r->touched[s] = malloc(size);
		r->after[s] = malloc(size);
		for (uint64_t i = 0; i < size; i++)
			space_bytes(r, s)[i] = (uint8_t)(i % 8 ? unit_random(r) >> 8 : unit_random(r));
	}
	if (r->mem.size[SPACE_L0B])
		r->mem.index0b = calloc(1, (size_t)r->mem.size[SPACE_L0B] / 4);
	r->op.spr.ctrl = CTRL_RESET;
}

void unit_close(struct unit_rig *r)
{
	for (int s = SPACE_GM; s < SPACE_COUNT; s++) {
		free(r->mem.buf[s]);
		free(r->before[s]);
		free(r->touched[s]);
		free(r->after[s]);
	}
	free(r->mem.index0b);
	gm_free(&r->gm);
}

uint8_t *unit_at(struct unit_rig *r, enum isa_space s, uint64_t addr)
{
	return s == SPACE_GM ? r->gm_host + (addr - r->gm_addr) : r->mem.buf[s] + addr;
}

const uint8_t *unit_before(const struct unit_rig *r, enum isa_space s, uint64_t addr)
{
	return r->before[s] + (s == SPACE_GM ? addr - r->gm_addr : addr);
}

unsigned unit_variant(enum isa_id id, enum isa_type t0, enum isa_type t1, enum isa_type t2)
{
	enum isa_type want[3] = { t0, t1, t2 };

	for (unsigned v = 0; v < isa_variants(id); v++) {
		bool same = true;
		for (unsigned i = 0; i < 3; i++)
			same &= want[i] == TYPE_NONE || isa_operand_type(id, v, i) == want[i];
		if (same)
			return v;
	}
	cr_assert(false, "%s has no variant %s:%s:%s", isa_table[id].name, isa_type_name(t0), isa_type_name(t1),
		  isa_type_name(t2));
	return 0;
}

/* Remember what is there, so that changes can be found. */
static void snapshot(struct unit_rig *r)
{
	for (int s = SPACE_GM; s < SPACE_COUNT; s++)
		if (r->before[s])
			memcpy(r->before[s], space_bytes(r, s), space_size(r, s));
}

static void mark_writes(struct unit_rig *r)
{
	for (unsigned k = 0; k < r->e.n_access; k++) {
		const struct access *a = &r->e.access[k];
		struct access_cursor c = { 0 };
		uint64_t addr;
		uint32_t bytes;
		while (a->write && access_next(a, &c, &addr, &bytes))
			memset(r->touched[a->space] + (a->space == SPACE_GM ? addr - r->gm_addr : addr), 1, bytes);
	}
}

static void check_writes(struct unit_rig *r)
{
	for (int s = SPACE_GM; s < SPACE_COUNT; s++) {
		uint64_t size = r->before[s] ? space_size(r, s) : 0;
		const uint8_t *now = space_bytes(r, s);
		if (!size || memcmp(now, r->before[s], size) == 0)
			continue;
		memset(r->touched[s], 0, size);
	}
	mark_writes(r);
	for (int s = SPACE_GM; s < SPACE_COUNT; s++) {
		uint64_t size = r->before[s] ? space_size(r, s) : 0;
		const uint8_t *now = space_bytes(r, s);
		if (!size || memcmp(now, r->before[s], size) == 0)
			continue;
		for (uint64_t i = 0; i < size; i++)
			cr_assert(now[i] == r->before[s][i] || r->touched[s][i],
				  "%s: byte 0x%" PRIx64 " of %s was written outside the effect, seed %" PRIu64,
				  isa_table[r->op.insn].name, i, isa_space_name((enum isa_space)s), r->seed);
	}
}

static void mark_reads(struct unit_rig *r, const struct effect *e)
{
	for (unsigned k = 0; k < e->n_access; k++) {
		const struct access *a = &e->access[k];
		struct access_cursor c = { 0 };
		uint64_t addr;
		uint32_t bytes;
		while ((!a->write || a->atomic) && access_next(a, &c, &addr, &bytes))
			memset(r->touched[a->space] + (a->space == SPACE_GM ? addr - r->gm_addr : addr), 1, bytes);
	}
}

static uint8_t noise(uint64_t i) { return (uint8_t)(1 + (i * 37 & 0xfe)); }

/* Everything that the op does not say it reads becomes something else. */
static void disturb(struct unit_rig *r)
{
	struct effect pointed = { 0 };
	for (int s = SPACE_GM; s < SPACE_COUNT; s++)
		if (r->before[s])
			memset(r->touched[s], 0, space_size(r, s));
	mark_reads(r, &r->e);
	if (unit_pointed(&r->mem, &r->op, &pointed))
		mark_reads(r, &pointed);
	for (int s = SPACE_GM; s < SPACE_COUNT; s++)
		for (uint64_t i = 0; r->before[s] && i < space_size(r, s); i++)
			space_bytes(r, s)[i] = r->before[s][i] ^ (r->touched[s][i] ? 0 : noise(i));
}

/* Is this byte what it was after the first run? One that neither run changed was not written. */
static bool same_byte(const struct unit_rig *r, unsigned space, uint64_t off)
{
	uint8_t before = r->before[space][off], now = space_bytes(r, (int)space)[off];
	uint8_t put = r->touched[space][off] ? before : before ^ noise(off);
	return now == r->after[space][off] || (now == put && r->after[space][off] == before);
}

static bool wrote_the_same(struct unit_rig *r, unsigned *space, uint64_t *addr)
{
	for (unsigned k = 0; k < r->e.n_access; k++) {
		const struct access *a = &r->e.access[k];
		struct access_cursor c = { 0 };
		uint64_t at;
		uint32_t bytes;
		while (a->write && access_next(a, &c, &at, &bytes))
			for (uint32_t i = 0; i < bytes; i++) {
				*space = a->space;
				*addr = (a->space == SPACE_GM ? at - r->gm_addr : at) + i;
				if (!same_byte(r, *space, *addr))
					return false;
			}
	}
	return true;
}

/* The op again, on other bytes wherever it reads nothing. regs: CMPMASK and the like as they were before it. */
static void check_reads(struct unit_rig *r, const struct core_mem *regs)
{
	struct core_mem after = r->mem;
	unsigned space = 0;
	uint64_t addr = 0;
	unsigned form = isa_table[r->op.insn].form;
	/* gathers fetch from where values say; indices of sparse weights are a memory of their own */
	if (form == FORM_VGATHER || form == FORM_VGATHERB || form == FORM_LOADSP || r->reads_checked[r->op.insn] >= 8)
		return;
	r->reads_checked[r->op.insn]++;
	for (int s = SPACE_GM; s < SPACE_COUNT; s++)
		if (r->before[s])
			memcpy(r->after[s], space_bytes(r, s), space_size(r, s));
	r->mem = *regs;
	disturb(r);
	cr_assert(unit_value(&r->chip, &r->mem, &r->op, &r->e, &r->f), "%s", r->f.what);
	cr_assert(wrote_the_same(r, &space, &addr),
		  "%s: reads something that its effect does not name: byte 0x%" PRIx64 " of %s, seed %" PRIu64,
		  isa_table[r->op.insn].name, addr, isa_space_name((enum isa_space)space), r->seed);
	r->mem = after;
	for (int s = SPACE_GM; s < SPACE_COUNT; s++)
		if (r->before[s])
			memcpy(space_bytes(r, s), r->after[s], space_size(r, s));
}

bool unit_try(struct unit_rig *r, enum isa_id id, unsigned variant, uint64_t rd, uint64_t rs1, uint64_t rs2,
	uint64_t x31)
{
	r->op.insn = (uint16_t)id;
	r->op.variant = (uint8_t)variant;
	r->op.x[0] = rd;
	r->op.x[1] = rs1;
	r->op.x[2] = rs2;
	r->op.x[3] = x31;
	memset(&r->f, 0, sizeof(r->f));
	memset(&r->e, 0xa5, sizeof(r->e));
	snapshot(r);
	struct core_mem regs = r->mem;
	if (!unit_effect(&r->chip, &r->mem, &r->op, &r->e, &r->f))
		return false;
	if (!unit_value(&r->chip, &r->mem, &r->op, &r->e, &r->f))
		return false;
	check_writes(r);
	check_reads(r, &regs);
	return true;
}

void unit_run(struct unit_rig *r, enum isa_id id, unsigned variant, uint64_t rd, uint64_t rs1, uint64_t rs2,
	uint64_t x31)
{
	bool ok = unit_try(r, id, variant, rd, rs1, rs2, x31);

	cr_assert(ok, "%s, seed %" PRIu64, r->f.what, r->seed);
	coverage_ran(&r->op, &r->e);
	coverage_edge(&r->mem, &r->op, &r->e);
}

void unit_refuse(struct unit_rig *r, enum fail_class class, const char *text, enum isa_id id, unsigned variant,
	uint64_t rd,
		uint64_t rs1, uint64_t rs2, uint64_t x31)
{
	bool ok = unit_try(r, id, variant, rd, rs1, rs2, x31);

	cr_assert(!ok, "%s must be refused: %s", isa_table[id].name, text);
	coverage_refused(&r->op, &r->f);
	cr_assert_eq(r->f.class, class, "%s", r->f.what);
	cr_assert_not_null(strstr(r->f.what, text), "\"%s\" does not say \"%s\"", r->f.what, text);
}
