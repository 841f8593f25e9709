/*
 * why_find_data.c - findings about data: bank conflicts with their addresses, transfers in short or crooked pieces, more
 * traffic than needed, cube tiles too small.
 */
#include "why_find.h"

#include <stdarg.h>
#include <string.h>

#define NO_WORD UINT32_MAX

static void add_text(char *text, size_t size, const char *fmt, ...) SIM_PRINTF(3, 4);
static void add_text(char *text, size_t size, const char *fmt, ...)
{
	size_t at = strlen(text);
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text + at, size - at, fmt, ap);
	va_end(ap);
}

static const char *insn_name(const struct find *k, uint32_t word)
{
	return isa_table[k->text->insn[word].id].name;
}

void find_banks(struct find *k)
{
	const struct chip *c = k->sim->chip;
	int64_t sum = 0, groups = c->buffers.ub_bank_groups, path = k->path->part[PIPE_V][PART_BANK];
	uint32_t worst = NO_WORD;
	for (uint32_t i = 0; i < k->text->n_insn; i++) {
		sum += k->site[i].bank;
		if (k->site[i].bank && (worst == NO_WORD || k->site[i].bank > k->site[worst].bank))
			worst = i;
	}
	sum /= k->cores;
	if (worst == NO_WORD || sum * 100 < k->cycles)
		return;
	struct finding *f = find_add(k, "bank conflicts", path, worst);
	f->cause = CAUSE_BANK;
	f->cost = sum;
	const struct why_site *s = &k->site[worst];
	snprintf(f->what, sizeof f->what, "operands meet in the same banks of UB: %lld cycles (%.1f %%) per core, %lld "
		 "%% of them in %s:", (long long)sum, find_percent(k, sum),
		 (long long)(s->bank * 100 / (sum * k->cores)), insn_name(k, worst));
	for (int i = 0; i < s->n_operand; i++)
		add_text(f->what, sizeof f->what, "%s %s 0x%x (bank group %lld, bank %lld)", i ? "," : "",
			 s->operand[i].write ? "writes" : "reads", s->operand[i].addr,
			 (long long)(s->operand[i].addr / 32 % groups),
			 (long long)(c->buffers.ub_bank_bytes ? s->operand[i].addr / (groups * c->buffers.ub_bank_bytes) : 0));
	snprintf(f->attempt, sizeof f->attempt, "shift one source by %lld bytes (half a row of the %lld bank groups), "
		 "and put the result into another %lld KB bank than the sources", (long long)(groups * 16),
		 (long long)groups, (long long)(groups * c->buffers.ub_bank_bytes / 1024));
	snprintf(f->what_if, sizeof f->what_if, "no-bank-conflicts");
}

/* Transfers of one pipe, all cores. */
struct moved { int64_t busy, ideal; uint64_t calls, bursts, bytes, odd, by_block; uint32_t worst; int64_t most; };

static struct moved moved_by(const struct find *k, int pipe)
{
	struct moved m = { .worst = NO_WORD };
	for (uint32_t i = 0; i < k->text->n_insn; i++) {
		const struct why_site *s = &k->site[i];
		if (s->pipe != pipe || s->bursts == 0)
			continue;
		m.busy += s->busy;
		m.ideal += s->ideal;
		m.calls += s->calls;
		m.bursts += s->bursts;
		m.bytes += s->burst_bytes;
		m.odd += s->odd;
		m.by_block += s->by_block;
		if (s->busy - s->ideal > m.most) {
			m.most = s->busy - s->ideal;
			m.worst = i;
		}
	}
	return m;
}

static void find_pieces(struct find *k, int pipe)
{
	struct moved m = moved_by(k, pipe);
	int64_t path = k->path->part[pipe][PART_WORK] + k->path->part[pipe][PART_LATENCY], loss = m.busy - m.ideal;
	if (m.worst == NO_WORD || m.busy == 0 || loss * 6 < m.busy)
		return;
	int64_t gain = k->path->part[pipe][PART_WORK] * loss / m.busy;
	uint64_t piece = m.bytes / m.bursts;
	if (gain * 50 < k->cycles || path == 0)
		return;
	bool by_block = m.by_block * 2 > m.calls, crooked = m.odd * 2 > m.calls && piece >= 2048;
	struct finding *f = find_add(k, by_block || crooked ? "misaligned transfers" : "short bursts", gain, m.worst);
	unsigned long long calls = (unsigned long long)m.calls;
	long long lost = (long long)(loss / k->cores), all = (long long)(m.busy / k->cores);
	long long line = (long long)k->sim->chip->gm.l2_line;
	if (by_block) {
		snprintf(f->what, sizeof f->what, "%s moves rows that begin within a block of 32 bytes in %llu of %llu "
			 "transfers; such rows go block by block: %lld of its %lld cycles per core", isa_pipe_name(pipe),
			 (unsigned long long)m.by_block, calls, lost, all);
		snprintf(f->attempt, sizeof f->attempt, "begin rows at multiples of 32 bytes, better of %lld: pad them in "
			 "GM, or let the vector cores copy the matrix to such a pitch first", line);
	} else if (crooked) {
		snprintf(f->what, sizeof f->what, "%s moves %llu of %llu transfers from addresses or with pitches off "
			 "the %lld-byte L2 line: %lld of its %lld cycles per core carry bytes that nobody asked for",
			 isa_pipe_name(pipe), (unsigned long long)m.odd, calls, line, lost, all);
		snprintf(f->attempt, sizeof f->attempt, "align addresses and row pitches in GM to %lld bytes (pad the "
			 "rows)", line);
	} else {
		snprintf(f->what, sizeof f->what, "%s moves its data in pieces of %llu bytes on average (%llu per "
			 "transfer): %lld of its %lld cycles per core go to the pieces' own cost", isa_pipe_name(pipe),
			 (unsigned long long)piece, (unsigned long long)(m.bursts / m.calls), lost, all);
		snprintf(f->attempt, sizeof f->attempt, "longer contiguous pieces: wider tiles along the contiguous "
			 "axis, or one transfer of whole rows");
	}
}

/* The transfers' own cost is their number: many small ones, each paying its start-up. */
static void find_small(struct find *k, int pipe)
{
	struct moved m = moved_by(k, pipe);
	int64_t latency = k->path->part[pipe][PART_LATENCY];
	if (m.calls == 0 || latency * 14 < k->cycles)
		return;
	uint64_t each = m.bytes / m.calls;
	if (each >= 65536 || m.calls < (uint64_t)k->cores * 4)
		return;
	struct finding *f = find_add(k, "small transfers", latency, m.worst);
	snprintf(f->what, sizeof f->what, "%s moves %llu bytes per transfer and the critical path waits %lld cycles "
		 "(%.0f %%) for their start-up latency", isa_pipe_name(pipe), (unsigned long long)each,
		 (long long)latency, find_percent(k, latency));
	snprintf(f->attempt, sizeof f->attempt, "larger tiles (16 KB and more per transfer), or more of them under way "
		 "at once");
}

static void find_traffic(struct find *k)
{
	const struct memsys *m = &k->sim->memsys;
	uint64_t hbm = m->hbm_read_bytes + m->hbm_write_bytes;
	int64_t shared = 0, l2 = 0;
	for (int q = 0; q < PIPE_COUNT; q++)
		shared += k->path->part[q][PART_SHARED];
	for (int q = 0; q < PIPE_COUNT; q++)
		l2 += k->last->stats.pipe[q].cause[CAUSE_BANDWIDTH] - k->last->stats.pipe[q].cause[CAUSE_L2MISS];
	if (shared * 10 < k->cycles)
		return;
	uint64_t moved = l2 > 0 ? m->l2_bytes : hbm, least = k->least_bytes;
	bool wasteful = least > 0 && moved > least + least / 3;
	int64_t gain = wasteful ? (int64_t)((double)shared * (1 - (double)least / (double)moved)) : shared / 4;
	struct finding *f = find_add(k, l2 > 0 ? "L2 bandwidth" : wasteful ? "L2 thrash" : "memory bound", gain,
				     NO_WORD);
	f->cause = l2 > 0 ? CAUSE_BANDWIDTH : CAUSE_L2MISS;
	const char *where = l2 > 0 ? "L2" : "HBM";
	snprintf(f->what, sizeof f->what, "the cores share %s's bandwidth: %lld cycles (%.0f %%) of the critical path; "
		 "%s moves %llu bytes", where, (long long)shared, find_percent(k, shared), where,
		 (unsigned long long)moved);
	if (least > 0)
		add_text(f->what, sizeof f->what, ", %.1f times the %llu that inputs and outputs have",
			 (double)moved / (double)least, (unsigned long long)least);
	if (wasteful && l2 <= 0)
		snprintf(f->attempt, sizeof f->attempt, "the same bytes are fetched again after L2 lost them: let "
			 "cores that run at once work on neighbouring tiles (swizzle), and keep the working set below "
			 "%lld MB", (long long)(k->sim->chip->gm.l2_bytes >> 20));
	else if (wasteful)
		snprintf(f->attempt, sizeof f->attempt, "keep what is used again on the core: larger tiles in L1 or "
			 "UB");
	else
		snprintf(f->attempt, sizeof f->attempt, "this is the chip's limit for this much data: fuse with the "
			 "kernels before and after, use a narrower type, and keep data that is used once from pushing "
			 "other data out of L2");
	snprintf(f->what_if, sizeof f->what_if, l2 > 0 ? "l2=2x" : "hbm=2x");
}

void find_transfers(struct find *k)
{
	static const int pipes[] = { PIPE_MTE2, PIPE_MTE3, PIPE_FIX };
	for (int i = 0; i < 3; i++) {
		find_pieces(k, pipes[i]);
		find_small(k, pipes[i]);
	}
	find_traffic(k);
}

/* A base tile of m x n gives m * n * k MACs for (m + n) * k loaded elements: below 128 x 128 the loads outlast the cube. */
void find_tile(struct find *k)
{
	uint32_t worst = NO_WORD;
	int64_t busy = 0;
	uint64_t macs = 0, calls = 0;
	for (uint32_t i = 0; i < k->text->n_insn; i++) {
		const struct why_site *s = &k->site[i];
		if (s->pipe != PIPE_M || s->macs == 0)
			continue;
		macs += s->macs;
		calls += s->calls;
		busy += s->busy;
		if (worst == NO_WORD || s->macs > k->site[worst].macs)
			worst = i;
	}
	if (worst == NO_WORD)
		return;
	const uint32_t *t = k->site[worst].tile;
	uint64_t area = (uint64_t)t[0] * t[1];
	if (area == 0 || area >= 96 * 96)
		return;
	int64_t ideal = (int64_t)(macs / (16 * 16 * 16)) / k->cores, m = why_path_pipe(k->path, PIPE_M);
	int64_t rest = k->cycles - k->launch - (ideal < m ? ideal : m) - k->path->part[PIPE_S][PART_DCACHE];
	/* a tile of 128 x 128 needs this share of the loads, issues and starts */
	double keep = (double)(t[0] + t[1]) / 256 * 128 * 128 / (double)area;
	if (keep <= 1 || rest * 10 < k->cycles)
		return;
	struct finding *f = find_add(k, "cube tile too small", (int64_t)((double)rest * (1 - 1 / keep)), worst);
	snprintf(f->what, sizeof f->what, "the cube gets tiles of %u x %u x %u (m x n x k): %.0f MACs per mad, %llu "
		 "mads and %.1f cycles of the cube for each, while every element that is loaded is used only", t[0],
		 t[1], t[2], (double)macs / (double)calls, (unsigned long long)calls, (double)busy / (double)calls);
	if (t[0] == t[1])
		add_text(f->what, sizeof f->what, " %u times", t[0]);
	else
		add_text(f->what, sizeof f->what, " %u to %u times", t[0] < t[1] ? t[0] : t[1], t[0] < t[1] ? t[1] : t[0]);
	snprintf(f->attempt, sizeof f->attempt, "a base tile of 128 x 128 or 128 x 256, k as deep as L0A and L0B "
		 "allow: loads from L1 and GM shrink with the tile's edge");
}
