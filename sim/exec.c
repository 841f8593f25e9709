/*
 * exec.c - the door to the function model: from the form of an op's table row to the unit that executes it; bounds of
 * what it touches; words for messages.
 */
#include "exec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum unit { UNIT_NONE, UNIT_VECTOR, UNIT_MTE, UNIT_CUBE, UNIT_FIX, UNIT_CONTROL };

static const uint8_t unit_of_form[FORM_COUNT] = {
	[FORM_VBIN] = UNIT_VECTOR,     [FORM_VUN] = UNIT_VECTOR,      [FORM_VUNS] = UNIT_VECTOR,
	[FORM_VDUP] = UNIT_VECTOR,     [FORM_VCOPY] = UNIT_VECTOR,    [FORM_VBRCB] = UNIT_VECTOR,
	[FORM_VRED] = UNIT_VECTOR,     [FORM_VCG] = UNIT_VECTOR,      [FORM_VCPADD] = UNIT_VECTOR,
	[FORM_VCMP] = UNIT_VECTOR,     [FORM_VCMPV] = UNIT_VECTOR,    [FORM_VCMPVS] = UNIT_VECTOR,
	[FORM_VSEL] = UNIT_VECTOR,     [FORM_VGATHER] = UNIT_VECTOR,  [FORM_VGATHERB] = UNIT_VECTOR,
	[FORM_VRV2] = UNIT_VECTOR,     [FORM_VNCHW] = UNIT_VECTOR,    [FORM_VTRANS] = UNIT_VECTOR,
	[FORM_VSORT] = UNIT_VECTOR,    [FORM_VMRG] = UNIT_VECTOR,     [FORM_CMPMASK] = UNIT_VECTOR,
	[FORM_VPROP] = UNIT_VECTOR,    [FORM_DMA] = UNIT_MTE,	      [FORM_DMAAL] = UNIT_MTE,
	[FORM_ND2NZ] = UNIT_MTE,       [FORM_LOAD2D] = UNIT_MTE,      [FORM_LOADTR] = UNIT_MTE,
	[FORM_LOAD3D] = UNIT_MTE,      [FORM_LOADSP] = UNIT_MTE,      [FORM_LOAD3D1] = UNIT_MTE,
	[FORM_FILL] = UNIT_MTE,	       [FORM_TOBT] = UNIT_MTE,	      [FORM_TOFB] = UNIT_MTE,
	[FORM_CCUB] = UNIT_MTE,	       [FORM_BCAST] = UNIT_MTE,	      [FORM_MAD] = UNIT_CUBE,
	[FORM_FIX] = UNIT_FIX,	       [FORM_SETFLAG] = UNIT_CONTROL, [FORM_WAITFLAG] = UNIT_CONTROL,
	[FORM_BARRIER] = UNIT_CONTROL, [FORM_XSET] = UNIT_CONTROL,    [FORM_XWAIT] = UNIT_CONTROL,
	[FORM_DSB] = UNIT_CONTROL,
};

const char *cause_text(enum cause c)
{
	static const char *const text[CAUSE_COUNT] = {
#define CAUSE(id, words, doc) [CAUSE_##id] = words,
#include "causes.def"
#undef CAUSE
	};
	return (unsigned)c < CAUSE_COUNT ? text[c] : "?";
}

const char *op_name(const struct op *op, char *text, size_t size)
{
	const char *type = "";

	if (op->insn >= ISA_COUNT) {
		snprintf(text, size, "insn%u", op->insn);
		return text;
	}
	if (isa_table[op->insn].types && isa_table[op->insn].types[0] && op->variant < isa_variants(op->insn))
		type = isa_type_name(isa_operand_type(op->insn, op->variant, 0));
	snprintf(text, size, "%s%s%s", isa_table[op->insn].name, type[0] ? "." : "", type);
	return text;
}

bool op_fail(struct fail *f, enum fail_class class, const struct op *op, const char *fmt, ...)
{
	char name[64], what[640];
	va_list args;

	if (!f || f->class != FAIL_NONE)
		return false;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	fail_set(f, class, "%s: %s", op_name(op, name, sizeof(name)), what);
	f->has_where = true;
	f->where = (struct fail_where){ .pc = op->pc, .cycle = -1, .core = -1, .block = -1, .pipe = op->pipe };
	return false;
}

struct access *effect_add(struct effect *e, enum isa_space space, bool write, uint64_t addr, uint32_t unit_bytes,
			  uint32_t n0, int64_t s0, uint32_t n1, int64_t s1, uint32_t n2, int64_t s2)
{
	static _Thread_local struct access none;
	struct access *a = &none;

	if (unit_bytes && n0 && n1 && n2 && e->n_access < EFFECT_ACCESSES)
		a = &e->access[e->n_access++];
	*a = (struct access){ .space = (uint8_t)space, .write = write, .unit_bytes = unit_bytes, .addr = addr,
			      .n = { n0, n1, n2 }, .stride = { s0, s1, s2 } };
	return a;
}

static uint64_t unit_addr(const struct access *a, const uint32_t i[3])
{
	return a->addr + (uint64_t)(i[0] * a->stride[0] + i[1] * a->stride[1] + i[2] * a->stride[2]);
}

static void cursor_step(const struct access *a, struct access_cursor *c)
{
	c->lane = 0;
	for (int d = 0; d < 3; d++) {
		if (++c->i[d] < a->n[d])
			return;
		c->i[d] = 0;
	}
	c->done = true;
}

static bool lane_on(const struct access *a, const struct access_cursor *c, uint32_t lane)
{
	if (a->tail_lanes && c->i[1] == a->n[1] - 1 && lane >= a->tail_lanes)
		return false;
	return !a->masked || (lane < 128 && (a->mask[lane >> 6] >> (lane & 63) & 1));
}

bool access_next(const struct access *a, struct access_cursor *c, uint64_t *addr, uint32_t *bytes)
{
	while (!c->done) {
		uint64_t base = unit_addr(a, c->i);

		c->repeat = c->i[1];
		if (!a->masked && !a->tail_lanes) {
			*addr = base;
			*bytes = a->unit_bytes;
			cursor_step(a, c);
			return true;
		}
		uint32_t lanes = a->unit_bytes / a->elem_bytes, first = c->i[0] * lanes, from = c->lane;
		while (from < lanes && !lane_on(a, c, first + from))
			from++;
		uint32_t to = from;
		while (to < lanes && lane_on(a, c, first + to))
			to++;
		if (to < lanes)
			c->lane = to;
		else
			cursor_step(a, c);
		if (to > from) {
			*addr = base + from * a->elem_bytes;
			*bytes = (to - from) * a->elem_bytes;
			return true;
		}
	}
	return false;
}

/* Smallest range that holds every unit; false when it wraps around. */
static bool bounding_box(const struct access *a, uint64_t *low, uint64_t *high)
{
	__int128 lo = a->addr, hi = (__int128)a->addr + a->unit_bytes;

	for (int d = 0; d < 3; d++) {
		__int128 reach = (__int128)a->stride[d] * (a->n[d] - 1);
		if (reach < 0)
			lo += reach;
		else
			hi += reach;
	}
	*low = (uint64_t)lo;
	*high = (uint64_t)hi;
	return lo >= 0 && hi <= INT64_MAX;
}

static bool access_inside(const struct core_mem *mem, const struct access *a, uint64_t addr, uint64_t bytes)
{
	if (a->space == SPACE_GM)
		return gm_at(mem->gm, mem->core, addr, bytes, a->write) != NULL;
	return bytes <= (uint64_t)mem->size[a->space] && addr <= (uint64_t)mem->size[a->space] - bytes;
}

static bool access_outside(const struct core_mem *mem, const struct op *op, const struct access *a, uint32_t repeat,
			   uint64_t addr, uint64_t bytes, struct fail *f)
{
	const char *verb = a->write ? "writes" : "reads";
	char where[48] = "", text[256];

	if (a->n[1] > 1)
		snprintf(where, sizeof(where), " (repeat %" PRIu32 " of %" PRIu32 ")", repeat, a->n[1]);
	if (a->space == SPACE_GM) {
		gm_describe(mem->gm, addr, bytes, a->write, text, sizeof(text));
		return op_fail(f, FAIL_KERNEL, op, "%s GM bytes 0x%" PRIx64 "..0x%" PRIx64 "%s: %s", verb, addr,
			       addr + bytes, where, text);
	}
	if (!mem->size[a->space])
		return op_fail(f, FAIL_KERNEL, op, "%s %s, which this core does not have", verb,
			       isa_space_name(a->space));
	return op_fail(f, FAIL_KERNEL, op, "%s %s bytes 0x%" PRIx64 "..0x%" PRIx64 " but %s has %" PRId64 " bytes%s",
		       verb, isa_space_name(a->space), addr, addr + bytes, isa_space_name(a->space),
		       mem->size[a->space], where);
}

static bool access_check(const struct core_mem *mem, const struct op *op, const struct access *a, struct fail *f)
{
	struct access_cursor c = { 0 };
	uint64_t low, high, addr;
	uint32_t bytes;

	if (bounding_box(a, &low, &high) && access_inside(mem, a, low, high - low))
		return true;
	while (access_next(a, &c, &addr, &bytes))
		if (!access_inside(mem, a, addr, bytes))
			return access_outside(mem, op, a, c.repeat, addr, bytes, f);
	return true;
}

bool effect_check(const struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	for (unsigned k = 0; k < e->n_access; k++)
		if (!access_check(mem, op, &e->access[k], f))
			return false;
	return true;
}

enum isa_core exec_core_kind(const struct chip *chip, const struct core_mem *mem)
{
	if (!chip->split)
		return CORE_FUSED;
	return mem->size[SPACE_UB] ? CORE_VEC : CORE_CUBE;
}

static const char *core_name(enum isa_core kind)
{
	return kind == CORE_CUBE ? "a cube core" : kind == CORE_VEC ? "a vector core" : "a fused core";
}

/* May this op run at all: row modelled, on the chip's level, on this kind of core. */
static bool op_allowed(const struct chip *chip, const struct core_mem *mem, const struct op *op, struct fail *f)
{
	const struct isa_insn *row = &isa_table[op->insn];
	enum isa_core kind = exec_core_kind(chip, mem);

	if (!isa_available(op->insn, op->variant, chip->arch)) {
		op_fail(f, FAIL_KERNEL, op, "does not exist on %s (%s)", chip->name, chip->arch_name);
		return fail_hint(f, "compile the kernel for this chip's level, or choose another chip");
	}
	if (row->cores && !(row->cores & kind)) {
		op_fail(f, FAIL_KERNEL, op, "cannot run on %s of %s", core_name(kind), chip->name);
		return fail_hint(f, "the other half of the mixed kernel must issue it");
	}
	if (row->state == ISA_NOT_YET || (row->form == FORM_NONE && row->state == ISA_DONE))
		return op_fail(f, FAIL_MODEL, op, "not modelled%s%s", row->why ? ": " : "", row->why ? row->why : "");
	if (row->state == ISA_UNSPEC)
		return op_fail(f, FAIL_MODEL, op, "not specified by public sources%s%s", row->why ? ": " : "",
			       row->why ? row->why : "");
	return true;
}

bool unit_effect(const struct chip *chip, const struct core_mem *mem, const struct op *op, struct effect *e,
		 struct fail *f)
{
	e->n_access = 0;
	memset((char *)e + offsetof(struct effect, gm), 0, sizeof(*e) - offsetof(struct effect, gm));
	if (!op_allowed(chip, mem, op, f))
		return false;
	switch (unit_of_form[isa_table[op->insn].form]) {
	case UNIT_VECTOR: return vector_effect(chip, mem, op, e, f);
	case UNIT_MTE: return mte_effect(chip, mem, op, e, f);
	case UNIT_CUBE: return cube_effect(chip, mem, op, e, f);
	case UNIT_FIX: return fix_effect(chip, mem, op, e, f);
	case UNIT_CONTROL: return true;
	default:
		return op_fail(f, FAIL_INTERNAL, op, "form %s has no unit", isa_form_name(isa_table[op->insn].form));
	}
}

bool unit_value(const struct chip *chip, struct core_mem *mem, const struct op *op, const struct effect *e,
		struct fail *f)
{
	(void)chip;
	if (e->nop)
		return true;
	switch (unit_of_form[isa_table[op->insn].form]) {
	case UNIT_VECTOR: return vector_value(mem, op, e, f);
	case UNIT_MTE: return mte_value(mem, op, e, f);
	case UNIT_CUBE: return cube_value(mem, op, e, f);
	case UNIT_FIX: return fix_value(mem, op, e, f);
	case UNIT_CONTROL: return true;
	default:
		return op_fail(f, FAIL_INTERNAL, op, "form %s has no unit", isa_form_name(isa_table[op->insn].form));
	}
}
