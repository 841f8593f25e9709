/*
 * vector_sort.c - vbitsort (Sort32, and RpSort16 of older levels) and vmrgsort4.
 *
 * Records: c220 8 bytes, score first, index in the upper word; older levels proposals of eight elements, score in
 * element 4. Order is descending by score, equal scores keep their order (of lists: the lower list first); NaN counts
 * as highest.
 */
#include "vector.h"

#include <inttypes.h>
#include <string.h>

enum { SCORES = 32, PROPOSALS = 16, LIST_MAX = 4095 };

/* A key that grows with the score; +0 and -0 are one. */
static int64_t score_key(enum isa_type t, const uint8_t *p)
{
	uint32_t u = num_bits(vec_float_of(t, vec_element(p, isa_type_bits(t))));

	if ((u & 0x7fffffff) > 0x7f800000)
		return INT64_MAX;
	return u & 0x80000000u ? -(int64_t)(u & 0x7fffffff) : (int64_t)u;
}

static enum isa_type score_type(const struct op *op)
{
	return isa_operand_type(op->insn, op->variant, 0);
}

static bool sort_effect(const struct op *op, struct effect *e, struct fail *f)
{
	uint32_t n = (uint32_t)vsort_repeat(op->x[3]), bytes = isa_type_bits(score_type(op)) / 8;

	e->repeats = n;
	e->elem_bytes = bytes;
	if (!n)
		return true;
	if (!vec_align(op, "dst", op->x[0], 32, f) || !vec_align(op, "src0", op->x[1], 32, f))
		return false;
	if (vsort_proposals(op->x[3])) {
		uint32_t part = PROPOSALS * 8 * bytes;
		effect_add(e, SPACE_UB, false, op->x[1], part, 1, 0, n, part, 1, 0);
		effect_add(e, SPACE_UB, true, op->x[0], part, 1, 0, n, part, 1, 0);
		return true;
	}
	if (!vec_align(op, "src1", op->x[2], 32, f))
		return false;
	effect_add(e, SPACE_UB, false, op->x[1], SCORES * bytes, 1, 0, n, SCORES * bytes, 1, 0);
	effect_add(e, SPACE_UB, false, op->x[2], SCORES * 4, 1, 0, n, SCORES * 4, 1, 0);
	effect_add(e, SPACE_UB, true, op->x[0], SCORES * 8, 1, 0, n, SCORES * 8, 1, 0);
	return true;
}

/* Sort n records of `size` bytes at in (score at byte `at`) to out: insertion, since n is 16 or 32 and must be
 * stable. */
static void sort_records(enum isa_type t, const uint8_t *in, uint8_t *out, uint32_t n, uint32_t size, uint32_t at)
{
	int64_t key[SCORES];
	uint32_t order[SCORES];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = i;
		int64_t k = score_key(t, in + i * size + at);
		for (; j > 0 && key[j - 1] < k; j--) {
			key[j] = key[j - 1];
			order[j] = order[j - 1];
		}
		key[j] = k;
		order[j] = i;
	}
	for (uint32_t i = 0; i < n; i++)
		memcpy(out + i * size, in + order[i] * size, size);
}

static void sort_value(const struct op *op, uint8_t *ub)
{
	enum isa_type t = score_type(op);
	uint32_t bytes = isa_type_bits(t) / 8;
	uint8_t in[PROPOSALS * 8 * 4];

	for (uint32_t r = 0; r < vsort_repeat(op->x[3]); r++) {
		if (vsort_proposals(op->x[3])) {
			uint32_t part = PROPOSALS * 8 * bytes;
			memcpy(in, ub + op->x[1] + r * part, part);
			sort_records(t, in, ub + op->x[0] + r * part, PROPOSALS, 8 * bytes, 4 * bytes);
			continue;
		}
		memset(in, 0, SCORES * 8);
		for (uint32_t i = 0; i < SCORES; i++) {
			memcpy(in + i * 8, ub + op->x[1] + (r * SCORES + i) * bytes, bytes);
			memcpy(in + i * 8 + 4, ub + op->x[2] + (r * SCORES + i) * 4, 4);
		}
		sort_records(t, in, ub + op->x[0] + r * SCORES * 8, SCORES, 8, 0);
	}
}

/* --- vmrgsort4 */

struct merge {
	uint64_t addr[4];
	uint32_t len[4];    /* records; 0 for lists that are not in use */
	uint32_t repeats, record_bytes, score_at, total;
	uint32_t valid;     /* lists in use */
	bool exhausted;     /* stop when one list is used up */
};

static struct merge merge_decode(const struct op *op, uint32_t record_bytes)
{
	uint64_t c = op->x[3];
	struct merge m = { .repeats = (uint32_t)vmrg_repeat(c), .record_bytes = record_bytes,
			   .score_at = record_bytes == 8 ? 0 : record_bytes / 2, .valid = (uint32_t)vmrg_valid(c),
			   .exhausted = vmrg_exhausted(c) };

	for (int i = 0; i < 4; i++) {
		m.addr[i] = (op->x[1] >> (16 * i) & 0xffff) * 8;
		m.len[i] = m.valid >> i & 1 ? (uint32_t)(op->x[2] >> (16 * i) & 0xffff) : 0;
		m.total += m.len[i];
	}
	return m;
}

/* Several repeats merge groups of four lists that lie behind each other, all of one length. */
static bool merge_repeats_check(const struct op *op, const struct merge *m, struct fail *f)
{
	if (m->repeats <= 1)
		return true;
	if (m->valid != 15 || m->exhausted)
		return op_fail(f, FAIL_KERNEL, op,
			       "repeat %" PRIu32 " needs all four lists and no stop at the first used up",
			       m->repeats);
	for (int i = 1; i < 4; i++)
		if (m->len[i] != m->len[0] || m->addr[i] != m->addr[0] + (uint64_t)i * m->len[0] * m->record_bytes)
			return op_fail(f, FAIL_KERNEL, op,
				       "repeat %" PRIu32
				       " needs four lists of equal length behind each other; list %d is not",
				       m->repeats, i);
	return true;
}

static bool merge_effect(const struct chip *chip, const struct core_mem *mem, const struct op *op, struct effect *e,
			 struct fail *f)
{
	uint32_t elem = isa_type_bits(score_type(op)) / 8;
	struct merge m = merge_decode(op, chip->arch == ARCH_C220 ? 8 : 8 * elem);
	uint64_t bytes = (uint64_t)m.total * m.record_bytes, room = (uint64_t)mem->size[SPACE_UB];

	e->repeats = m.repeats;
	e->elem_bytes = elem;
	e->bytes = bytes * m.repeats;
	if (!m.valid)
		return op_fail(f, FAIL_KERNEL, op, "no list is in use (valid = 0)");
	if (!m.repeats || !m.total) {
		e->repeats = 0;
		return true;
	}
	if (!vec_align(op, "dst", op->x[0], 32, f) || !merge_repeats_check(op, &m, f))
		return false;
	for (int i = 0; i < 4; i++) {
		uint32_t part = m.len[i] * m.record_bytes;
		if (m.len[i] > LIST_MAX)
			return op_fail(f, FAIL_KERNEL, op, "list %d has %" PRIu32 " records, more than %d", i, m.len[i],
				       LIST_MAX);
		if (part && op->x[0] < m.addr[i] + part && m.addr[i] < op->x[0] + bytes)
			return op_fail(f, FAIL_KERNEL, op, "dst (0x%" PRIx64 ") overlaps list %d (0x%" PRIx64 ")",
				       op->x[0], i, m.addr[i]);
		effect_add(e, SPACE_UB, false, m.addr[i], part, 1, 0, m.repeats, (int64_t)bytes, 1, 0);
	}
	if (m.exhausted && op->x[0] < room && bytes > room - op->x[0])
		bytes = room - op->x[0]; /* how much it writes depends on values; checked when known */
	struct access *a =
		effect_add(e, SPACE_UB, true, op->x[0], (uint32_t)bytes, 1, 0, m.repeats, (int64_t)bytes, 1, 0);
	a->elem_bytes = (uint8_t)m.record_bytes;
	return true;
}

/* Merge one group; returns records written, and per list how many were used. */
static uint32_t merge_group(const struct merge *m, enum isa_type t, const uint8_t *ub, uint64_t shift, uint8_t *out,
			    uint32_t room, uint32_t used[4])
{
	uint32_t n = 0;

	memset(used, 0, 4 * sizeof(used[0]));
	for (; n < m->total; n++) {
		int best = -1;
		int64_t best_key = 0;
		for (int i = 0; i < 4; i++) {
			if (m->exhausted && (m->valid >> i & 1) && used[i] == m->len[i])
				return n;
			if (used[i] == m->len[i])
				continue;
			int64_t k = score_key(t, ub + m->addr[i] + shift + used[i] * m->record_bytes + m->score_at);
			if (best < 0 || k > best_key) {
				best = i;
				best_key = k;
			}
		}
		if (n == room)
			return room + 1;
		memcpy(out + (uint64_t)n * m->record_bytes, ub + m->addr[best] + shift + used[best] * m->record_bytes,
		       m->record_bytes);
		used[best]++;
	}
	return n;
}

/* VMS4_SR: records used of list 0..3, 16 bits each (public C API of c220). */
static bool merge_value(const struct op *op, const struct effect *e, struct core_mem *mem, struct fail *f)
{
	struct merge m = merge_decode(op, e->access[e->n_access - 1].elem_bytes);
	uint8_t *ub = mem->buf[SPACE_UB];
	uint64_t group = (uint64_t)m.total * m.record_bytes;
	uint32_t used[4] = { 0 };

	for (uint32_t r = 0; r < m.repeats; r++) {
		uint64_t to = op->x[0] + r * group;
		uint32_t room = (uint32_t)(((uint64_t)mem->size[SPACE_UB] - to) / m.record_bytes);
		if (merge_group(&m, score_type(op), ub, r * group, ub + to, room, used) > room)
			return op_fail(f, FAIL_KERNEL, op, "the merged list does not fit into UB behind 0x%" PRIx64,
				       to);
	}
	mem->vms4_sr = 0;
	for (int i = 0; i < 4; i++)
		mem->vms4_sr |= (uint64_t)used[i] << (16 * i);
	return true;
}

bool vec_sort_effect(const struct vec *v, const struct chip *chip, const struct core_mem *mem, const struct op *op,
		     struct effect *e, struct fail *f)
{
	if (v->form == FORM_VMRG)
		return merge_effect(chip, mem, op, e, f);
	return sort_effect(op, e, f);
}

bool vec_sort_value(const struct vec *v, const struct op *op, const struct effect *e, struct core_mem *mem,
		    struct fail *f)
{
	if (v->form == FORM_VMRG)
		return merge_value(op, e, mem, f);
	sort_value(op, mem->buf[SPACE_UB]);
	return true;
}
