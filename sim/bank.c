/*
 * bank.c - what the banks of UB make of a vector instruction (source: asc-devkit, bank conflict pages and sample).
 *
 * A row is 32 bytes. Group = row mod groups; bank = group and the high address bits. Per cycle a group moves one row of
 * each direction, and a bank is either read or written. So a repeat takes as many cycles as its fullest group has rows
 * to read (or to write); and a write, which follows its read by rw_delay_cycles, may meet the reads of a later repeat.
 */
#include "sim.h"

enum { BANK_ROWS = 64, BANK_REPEATS = 256, IN_FLIGHT = 32 };

/* One operand's part in a repeat: its rows, and what they are as sets. */
struct rows {
	bool write, run;         /* run: consecutive rows */
	int n;
	uint64_t group, bank;    /* bit sets */
	uint32_t row[BANK_ROWS];
};

/* What a repeat asks of the ports. */
struct need { uint64_t read, write; int cycles; };

static int bank_of(const struct chip *c, uint32_t row)
{
	int64_t groups = c->buffers.ub_bank_groups, span = groups * c->buffers.ub_bank_bytes;
	int64_t high = span > 0 ? (int64_t)row * 32 / span : 0;
	return (int)((high * groups + row % groups) & 63);
}

static void repeat_rows(const struct chip *c, const struct access *a, uint32_t repeat, struct rows *r)
{
	uint64_t base = a->addr + (uint64_t)((int64_t)repeat * a->stride[1]);
	r->write = a->write;
	r->run = a->stride[0] == 32 || a->n[0] == 1;
	r->n = 0;
	r->group = r->bank = 0;
	for (uint32_t b = 0; b < a->n[0] && r->n < BANK_ROWS; b++) {
		uint32_t row = (uint32_t)((base + (uint64_t)((int64_t)b * a->stride[0])) / 32);
		r->row[r->n++] = row;
		r->group |= UINT64_C(1) << (row % (uint32_t)c->buffers.ub_bank_groups);
		r->bank |= UINT64_C(1) << bank_of(c, row);
	}
}

/* Rows of r that an earlier operand of the same direction fetches too: they are fetched once. Runs only. */
static uint64_t shared_groups(const struct chip *c, const struct rows *a, const struct rows *r)
{
	uint64_t set = 0;
	for (int i = 0; i < r->n; i++)
		if (r->row[i] - a->row[0] < (uint32_t)a->n)
			set |= UINT64_C(1) << (r->row[i] % (uint32_t)c->buffers.ub_bank_groups);
	return set;
}

/* Runs no longer than the groups: a group holds at most one row of each, so that counting operands per group is enough. */
static int run_cycles(const struct chip *c, const struct rows *r, int n, bool write)
{
	uint64_t once = 0, twice = 0, more = 0;
	for (int i = 0; i < n; i++) {
		if (r[i].write != write)
			continue;
		uint64_t g = r[i].group;
		for (int k = 0; k < i; k++)
			if (r[k].write == write)
				g &= ~shared_groups(c, &r[k], &r[i]);
		more |= twice & g;
		twice |= once & g;
		once |= g;
	}
	return more ? 3 : twice ? 2 : 1;
}

/* Any rows: count the distinct ones per group. */
static int any_cycles(const struct chip *c, const struct rows *r, int n, bool write)
{
	uint8_t count[64] = { 0 };
	int most = 1;
	for (int i = 0; i < n; i++) {
		if (r[i].write != write)
			continue;
		for (int k = 0; k < r[i].n; k++) {
			bool seen = false;
			for (int j = 0; j <= i && !seen; j++)
				for (int l = 0; l < (j == i ? k : r[j].n) && !seen; l++)
					seen = r[j].write == write && r[j].row[l] == r[i].row[k];
			int g = (int)(r[i].row[k] % (uint32_t)c->buffers.ub_bank_groups);
			if (!seen && ++count[g] > most)
				most = count[g];
		}
	}
	return most;
}

static void repeat_need(const struct chip *c, const struct access *const *ub, int n, uint32_t repeat, struct need *need)
{
	struct rows r[EFFECT_ACCESSES];
	bool runs = n <= 4;
	need->read = need->write = 0;
	for (int i = 0; i < n; i++) {
		repeat_rows(c, ub[i], repeat, &r[i]);
		runs = runs && r[i].run && r[i].n <= c->buffers.ub_bank_groups;
		*(r[i].write ? &need->write : &need->read) |= r[i].bank;
	}
	int (*cycles)(const struct chip *, const struct rows *, int, bool) = runs ? run_cycles : any_cycles;
	int rd = cycles(c, r, n, false), wr = cycles(c, r, n, true);
	need->cycles = rd > wr ? rd : wr;
}

/* Cycles of reads and writes that share banks: repeats are read in order; a write is due rw_delay_cycles after its read.
 * When the due write and the next read want the same bank they take turns. This reproduces the measured cases of reads
 * and writes in one bank (asc-devkit bank_conflict_ub 4 to 7) without a number of their own. */
static int64_t ports_cycles(const struct chip *c, const struct need *need, uint32_t repeats)
{
	int64_t delay = c->vector.rw_delay_cycles, due[IN_FLIGHT], t = 0;
	uint32_t reads = 0, writes = 0;
	int left = need[0].cycles;
	bool read_turn = false;
	while (writes < repeats) {
		bool read = reads < repeats && reads - writes < IN_FLIGHT, write = writes < reads && due[writes % IN_FLIGHT] <= t;
		if (read && write && (need[reads].read & need[writes].write)) {
			read = read_turn;
			write = !read_turn;
			read_turn = !read_turn;
		}
		writes += write;
		if (read && --left == 0) {
			due[reads % IN_FLIGHT] = t + delay;
			reads++;
			left = reads < repeats ? need[reads].cycles : 0;
		}
		t++;
	}
	return t - delay;
}

/* Could a write ever meet a read? Only when they share one of the stretches that the high address bits tell apart. */
static bool may_meet(const struct chip *c, const struct access *const *ub, int n)
{
	int64_t span = c->buffers.ub_bank_groups * c->buffers.ub_bank_bytes;
	uint64_t read = 0, write = 0;
	for (int i = 0; i < n && span > 0; i++) {
		const struct access *a = ub[i];
		int64_t low = (int64_t)a->addr, high = low, s0 = a->stride[0] * (a->n[0] - 1), s1 = a->stride[1] * (a->n[1] - 1);
		*(s0 < 0 ? &low : &high) += s0;
		*(s1 < 0 ? &low : &high) += s1;
		for (int64_t k = low / span; k <= high / span; k++)
			*(a->write ? &write : &read) |= UINT64_C(1) << (k & 63);
	}
	return (read & write) != 0;
}

int64_t bank_work_milli(const struct chip *chip, const struct effect *e, int64_t slope_milli)
{
	const struct access *ub[EFFECT_ACCESSES];
	struct need need[BANK_REPEATS];
	uint32_t groups = (uint32_t)chip->buffers.ub_bank_groups, repeats = e->repeats < BANK_REPEATS ? e->repeats : BANK_REPEATS;
	int64_t work = 0;
	int n = 0;
	bool steady = true;
	for (int i = 0; i < e->n_access; i++)
		if (e->access[i].space == SPACE_UB && e->access[i].unit_bytes <= 32 && e->access[i].n[2] == 1)
			ub[n++] = &e->access[i];
	if (n == 0 || repeats == 0)
		return slope_milli * e->repeats;
	for (int i = 1; i < n; i++)
		steady &= (ub[i]->stride[1] - ub[0]->stride[1]) % (32 * groups) == 0;
	/* a slower unit leaves the ports idle often enough for the writes to pass */
	bool meet = slope_milli < 2000 && may_meet(chip, ub, n);
	/* operands that move alike keep their pattern; others repeat it after as many repeats as there are groups */
	uint32_t period = meet ? repeats : steady ? 1 : repeats < groups ? repeats : groups;
	for (uint32_t r = 0; r < period; r++)
		repeat_need(chip, ub, n, r, &need[r]);
	for (uint32_t r = 0; r < e->repeats; r++) {
		int64_t ports = (int64_t)need[r % period].cycles * 1000;
		work += ports > slope_milli ? ports : slope_milli;
	}
	if (meet) {
		int64_t ports = ports_cycles(chip, need, repeats) * 1000;
		work = ports > work ? ports : work;
	}
	return work;
}
