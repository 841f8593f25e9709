/*
 * check_loop.c - which instructions of a program poll: loads whose value decides whether a loop goes on that does nothing but
 * read and wait, and copies from GM to UB in such a loop.
 *
 * A loop is what a branch or jump back spans. Loads are followed through registers and stack slots to the loop's branches.
 * The look that compilers put before such a loop belongs to it.
 */
#include "check_priv.h"

#include <stdlib.h>
#include <string.h>

enum { LOOP_MOST = 256, GUARD_MOST = 24, LOADS = 63, SLOTS_KEPT = 32, STACK = 2, FRAME = 8 };

/* Loads of the loop (bits, in order of appearance) that a register or a stack slot depends on. */
struct flow_state {
	uint64_t reg[33];
	struct { int base; int32_t at; uint64_t from; } slot[SLOTS_KEPT];
	int n_slot;
};

static bool is_load(uint16_t id) { return id >= RV_lb && id <= RV_lwu; }
static bool is_store(uint16_t id) { return id >= RV_sb && id <= RV_sd; }
static bool is_branch(uint16_t id) { return id >= RV_beq && id <= RV_bgeu; }
static bool on_stack(const struct insn *i) { return i->rs1 == STACK || i->rs1 == FRAME; }

static uint64_t *slot_of(struct flow_state *s, const struct insn *i, bool make)
{
	for (int k = 0; k < s->n_slot; k++)
		if (s->slot[k].base == i->rs1 && s->slot[k].at == i->imm)
			return &s->slot[k].from;
	if (!make || s->n_slot == SLOTS_KEPT)
		return NULL;
	s->slot[s->n_slot].base = i->rs1;
	s->slot[s->n_slot].at = i->imm;
	return &s->slot[s->n_slot++].from;
}

/* May an instruction stand in a loop that only reads and waits? */
static bool harmless(const struct insn *i)
{
	if (i->id >= ISA_COUNT)
		return false;
	const struct isa_insn *row = &isa_table[i->id];
	if (row->rv)
		return !(is_store(i->id) && !on_stack(i)) && i->id != RV_jalr && i->id != RV_fsd && i->id != RV_fsw &&
		       i->id != RV_fsh && i->id != RV_ecall && i->id != RV_ebreak && (i->id != RV_jal || i->rd != 1);
	switch (row->form) {
	case FORM_SETFLAG:
	case FORM_WAITFLAG:
	case FORM_BARRIER:
	case FORM_DSB:
	case FORM_CACHE:
	case FORM_SPRGET:
	case FORM_SBIT:
	case FORM_SCONV: return true;
	case FORM_GMDEV: return i->id == INSN_ld_dev;
	case FORM_DMA:
	case FORM_DMAAL: return row->pipe == PIPE_MTE2 && strstr(row->args, ":ub*") != NULL;
	default: return false;
	}
}

static bool reads_gm_to_ub(const struct insn *i)
{
	return i->id < ISA_COUNT && !isa_table[i->id].rv && isa_table[i->id].pipe == PIPE_MTE2;
}

/* One instruction of the loop; load: its bit when it is a load. Returns the loads that a branch depends on. */
static uint64_t follow(struct flow_state *s, const struct insn *i, uint64_t load)
{
	const struct isa_insn *row = &isa_table[i->id];
	bool rs2 = !row->rv || strstr(row->args, "rs2") != NULL;
	uint64_t from = s->reg[i->rs1 & 31] | (rs2 ? s->reg[i->rs2 & 31] : 0), *slot;
	if (is_branch(i->id))
		return s->reg[i->rs1 & 31] | s->reg[i->rs2 & 31];
	if (is_store(i->id)) {
		slot = slot_of(s, i, true);
		if (slot)
			*slot = s->reg[i->rs2 & 31];
		return 0;
	}
	if (is_load(i->id) && on_stack(i)) {
		slot = slot_of(s, i, false);
		from = slot ? *slot : 0;
	} else if (load) {
		from = load;
	} else if (!row->rv && row->form != FORM_SBIT && row->form != FORM_SCONV) {
		if (row->form != FORM_SPRGET)
			return 0;
		from = 0;
	}
	if (i->rd != 0 && i->rd < 32)
		s->reg[i->rd] = from;
	return 0;
}

static bool polls(const struct insn *i) { return (is_load(i->id) && !on_stack(i)) || i->id == INSN_ld_dev; }

/* Mark what polls in the loop [first, last]. */
static bool mark_loop(const struct program *p, uint32_t first, uint32_t last, uint8_t *mark)
{
	struct flow_state s = { .n_slot = 0 };
	uint64_t decide = 0, bit;
	for (uint32_t i = first; i <= last; i++)
		if (!harmless(&p->insn[i]))
			return false;
	for (int round = 0; round < 2; round++) {
		int n = 0;
		for (uint32_t i = first; i <= last; i++) {
			bit = polls(&p->insn[i]) ? UINT64_C(1) << (n < LOADS ? n++ : LOADS) : 0;
			decide |= follow(&s, &p->insn[i], bit);
		}
	}
	int n = 0;
	for (uint32_t i = first; i <= last && decide; i++) {
		bit = polls(&p->insn[i]) ? UINT64_C(1) << (n < LOADS ? n++ : LOADS) : 0;
		mark[i] |= decide & bit ? POLL_LOAD : 0;
		mark[i] |= reads_gm_to_ub(&p->insn[i]) ? POLL_COPY : 0;
	}
	return decide != 0;
}

/* The same load as one that polls in the loop. */
static bool same_load(const struct program *p, uint32_t first, uint32_t last, const uint8_t *mark, const struct insn *load)
{
	for (uint32_t i = first; i <= last; i++)
		if (mark[i] & POLL_LOAD && p->insn[i].id == load->id && p->insn[i].imm == load->imm)
			return true;
	return false;
}

/* Compilers look once before the loop and jump over it: that look is the loop's. */
static void mark_guard(const struct program *p, uint32_t first, uint32_t last, uint8_t *mark)
{
	struct flow_state s = { .n_slot = 0 };
	uint32_t branch = first, from;
	for (uint32_t n = 0; n < GUARD_MOST && branch > 0; n++)
		if (is_branch(p->insn[--branch].id) || !harmless(&p->insn[branch]))
			break;
	if (!is_branch(p->insn[branch].id) || (int64_t)branch + p->insn[branch].imm <= (int64_t)last)
		return;
	from = branch > GUARD_MOST ? branch - GUARD_MOST : 0;
	uint64_t decide = 0, bit;
	int n = 0;
	for (uint32_t i = from; i <= branch; i++) {
		bit = i < branch && polls(&p->insn[i]) ? UINT64_C(1) << n++ : 0;
		decide = p->insn[i].id < ISA_COUNT ? follow(&s, &p->insn[i], bit) : 0;
	}
	n = 0;
	for (uint32_t i = from; i < branch; i++) {
		bit = polls(&p->insn[i]) ? UINT64_C(1) << n++ : 0;
		if (decide & bit && same_load(p, first, last, mark, &p->insn[i]))
			mark[i] |= POLL_LOAD;
	}
}

bool poll_find(const struct program *p, uint8_t **mark)
{
	bool any = false;
	*mark = NULL;
	if (!p)
		return true;
	*mark = calloc((size_t)p->n_insn + 1, 1);
	for (uint32_t i = 0; *mark && i < p->n_insn; i++) {
		const struct insn *b = &p->insn[i];
		/* of jumps, predecoding has made distances in instructions */
		bool back = (is_branch(b->id) || b->id == RV_jal) && b->imm < 0 && b->imm > -LOOP_MOST &&
			    (uint32_t)-b->imm <= i;
		if (!back || !mark_loop(p, i - (uint32_t)-b->imm, i, *mark))
			continue;
		mark_guard(p, i - (uint32_t)-b->imm, i, *mark);
		any = true;
	}
	if (!*mark)
		return false;
	if (!any) {
		free(*mark);
		*mark = NULL;
	}
	return true;
}
