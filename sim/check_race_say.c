/*
 * check_race_say.c - a race as a finding: which side comes later in the program, what the two do to which bytes, what would
 * order them.
 */
#include "check_priv.h"

#include <inttypes.h>
#include <string.h>

const char *race_verb(bool write) { return write ? "writes" : "reads"; }

void race_range(const struct shadow *sh, unsigned space, uint64_t addr, uint64_t bytes, char *text, size_t size)
{
	if (space == SPACE_CMPMASK)
		check_say(text, size, "CMPMASK");
	else if (space == SPACE_GM)
		check_say(text, size, "bytes 0x%" PRIx64 "..0x%" PRIx64 " of %s", addr - sh->base,
			  addr - sh->base + bytes, sh->region->name);
	else
		check_say(text, size, "%s 0x%" PRIx64 "..0x%" PRIx64, isa_space_name(space), addr, addr + bytes);
}

const char *race_pipe(epoch e)
{
	unsigned s = epoch_slot(e);
	return isa_pipe_name(s == SLOT_STORE ? PIPE_S : (enum isa_pipe)s);
}

static void race_hint(struct check_finding *f)
{
	const char *first = isa_pipe_name((enum isa_pipe)f->other.pipe),
		   *second = isa_pipe_name((enum isa_pipe)f->at.pipe);
	if (f->other.core != f->at.core)
		check_say(f->hint, sizeof f->hint,
			  "give each core bytes of its own, use atomics, or order the cores (ffts_cross_core_sync"
			  " behind the first, wait_flag_dev before the second)");
	else if (f->other.pipe == f->at.pipe)
		check_say(f->hint, sizeof f->hint,
			  "put pipe_barrier(PIPE_%s) between the two: a pipe starts in order, it does not end in"
			  " order",
			  first);
	else
		check_say(f->hint, sizeof f->hint,
			  "set_flag(PIPE_%s, PIPE_%s, id) behind the first and wait_flag(PIPE_%s, PIPE_%s, id)"
			  " before the second",
			  first, second, first, second);
}

/* Did the op behind `old` come later in the kernel's program than this access, though it started earlier? */
static bool comes_later(const struct race *r, epoch old)
{
	if (epoch_core(old) != (unsigned)r->c->id || epoch_slot(old) == SLOT_S || epoch_slot(old) == SLOT_STORE)
		return false;
	const struct fate *f = &r->kc->fate[epoch_slot(old)][epoch_number(old) % FATES];
	return f->number == epoch_number(old) && f->seq > r->seq;
}

/* What would have ordered the two. */
static void race_root(const struct race *r, const struct check_finding *f, epoch old, bool swap)
{
	unsigned slot = epoch_slot(old);
	struct root_pair p = { .from = (int)slot, .to = r->pipe, .high = r->seq };
	bool own = epoch_core(old) == (unsigned)r->c->id && slot != SLOT_S && slot != SLOT_STORE && !r->scalar;
	const struct fate *t = own ? &r->kc->fate[slot][epoch_number(old) % FATES] : NULL;
	if (t && t->number == epoch_number(old))
		p.low = t->seq;
	if (swap)
		p = (struct root_pair){ .from = r->pipe, .to = (int)slot, .low = r->seq, .high = p.low };
	root_pair(r->k, f, r->c, &p);
	if (strcmp(f->code, "read-after-write") == 0)
		root_early(r->k, f, swap ? (p.high ? &r->kc->fate[slot][epoch_number(old) % FATES] : NULL) : r->fate);
}

void race_report(struct race *r, const struct shadow *sh, epoch old, enum race_relation rel, uint64_t addr,
			uint64_t bytes)
{
	static const char *const code[] = { "read-after-write", "write-after-read", "write-after-write" };
	static const char *const role[] = { "the write before it", "the read before it", "the write before it" };
	struct checker *k = r->k;
	bool fresh, stale = false, sharing = epoch_slot(old) == SLOT_S && epoch_unit(old);
	const char *name = code[rel];
	char range[160];
	if (r->scalar && r->clock != &r->kc->clock[SLOT_S]) {
		stale = clock_knows(k, (unsigned)r->c->id, &r->kc->clock[SLOT_S], old);
		sharing = epoch_unit(r->me);
		name = sharing ? "false-sharing" : stale ? "stale-cache-line" : name;
	} else if (sharing)
		name = "false-sharing";
	const struct core *oc = &k->sim->core[epoch_core(old)];
	uint64_t old_pc = check_site_pc(oc, epoch_site(old));
	bool swap = name == code[rel] && comes_later(r, old);
	if (swap && rel != WRITE_AFTER_WRITE) {
		rel = rel == READ_AFTER_WRITE ? WRITE_AFTER_READ : READ_AFTER_WRITE;
		name = code[rel];
	}
	struct check_finding *f = check_find(k, CHECK_RACES, name, swap ? oc : r->c, swap ? old_pc : r->pc,
					     swap ? r->c : oc, swap ? r->pc : old_pc, &fresh);
	if (!f)
		return;
	if (fresh) {
		struct check_place mine, theirs;
		check_place_at(k, r->c, r->pipe, r->pc, r->cycle, &mine);
		check_place_of(k, old, &theirs);
		f->at = swap ? theirs : mine;
		f->other = swap ? mine : theirs;
	}
	root_bytes(k, f, r->space, addr, bytes);
	race_root(r, f, old, swap);
	if (!fresh)
		return;
	check_say(f->other_role, sizeof f->other_role, "%s", role[rel]);
	race_range(sh, r->space, addr, bytes, range, sizeof range);
	if (sharing) {
		check_say(
			f->what, sizeof f->what,
			"a data cache line that is written back as a whole holds %s, which another unit writes: one of"
			" the two is lost",
			range);
		check_say(f->hint, sizeof f->hint,
			  "keep what different cores or pipes write in cache lines of their own");
		return;
	}
	if (stale) {
		check_say(f->what, sizeof f->what,
			  "a load of %s hits a data cache line that was fetched before %s (pipe %s of core %u) wrote"
			  " it: the old value is read",
			  range, f->other.insn, race_pipe(old), epoch_core(old));
		check_say(f->hint, sizeof f->hint, "dcci the line before the load: the data cache is not coherent");
		return;
	}
	race_hint(f);
	check_say(f->what, sizeof f->what,
		  "%s (pipe %s) %s %s, nothing makes it wait for %s (pipe %s of core %d), which %s there", f->at.insn,
		  isa_pipe_name((enum isa_pipe)f->at.pipe), race_verb(rel != READ_AFTER_WRITE), range, f->other.insn,
		  isa_pipe_name((enum isa_pipe)f->other.pipe), f->other.core, race_verb(rel != WRITE_AFTER_READ));
}
