/*
 * trace_format.c - .vtr: the worked example of traces/FORMAT.md byte for byte, what is written is what is read, files
 * cut off and damaged.
 */
#include "trace_make.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The bytes between "```hex" and "```" in FORMAT.md: "offset: bytes | comment" per line. */
static size_t documented(uint8_t *bytes, size_t max)
{
	char line[300];
	bool in = false;
	size_t n = 0;
	FILE *f = fopen("traces/FORMAT.md", "r");
	cr_assert(f);
	while (fgets(line, sizeof line, f)) {
		if (strncmp(line, "```", 3) == 0) {
			in = strncmp(line, "```hex", 6) == 0;
			continue;
		}
		if (!in)
			continue;
		cr_assert_eq(strtoul(line, NULL, 16), n, "offset in \"%s\"", line);
		char *p = strchr(line, ':') + 1, *end;
		for (unsigned long v; n < max && *p != '|' && (v = strtoul(p, &end, 16), end != p); p = end)
			bytes[n++] = (uint8_t)v;
	}
	fclose(f);
	return n;
}

static void write_example(char **bytes, size_t *size)
{
	const vtr_text pipe[] = { "V", "MTE2" }, cause[] = { "busy", "wait" }, space[] = { "GM", "UB" };
	const struct vtr_core core = { "core0", "fused", 0, 0 };
	const struct vtr_site site[] = { { 0, 0x1000, VTR_WORK, "copy", "k.c:4 in k" },
					 { 0, 0x1004, VTR_SET_FLAG, "set_flag", "k.c:5 in k" },
					 { 0, 0x1008, VTR_WAIT_FLAG, "wait_flag", "k.c:5 in k" } };
	const struct vtr_head head = { .producer = "hand",
				       .chip = "toy",
				       .kernel = "k.c",
				       .entry = "k",
				       .clock_mhz = 1000,
				       .blocks = 1,
				       .block_events = 4,
				       .n_core = 1,
				       .n_pipe = 2,
				       .n_cause = 2,
				       .n_space = 2,
				       .core = &core,
				       .pipe = pipe,
				       .cause = cause,
				       .space = space };
	const struct vtr_event event[] = {
		{ .site = 0,
		  .pipe = 1,
		  .seq = 1,
		  .dispatched = 10,
		  .arrived = 12,
		  .stall_begin = 5,
		  .start = 12,
		  .issue_end = 44,
		  .end = 144,
		  .bytes = 1024,
		  .n_access = 2,
		  .access = { { 0, false, 0x200000000, 1024 }, { 1, true, 0x40, 1024 } } },
		{ .site = 1,
		  .pipe = 1,
		  .seq = 2,
		  .dispatched = 11,
		  .arrived = 13,
		  .stall_begin = 44,
		  .start = 44,
		  .issue_end = 45,
		  .end = 45,
		  .has_flag = true,
		  .flag_src = 1 },
		{ .site = 2,
		  .pipe = 0,
		  .seq = 3,
		  .dispatched = 12,
		  .arrived = 14,
		  .start = 146,
		  .issue_end = 147,
		  .end = 147,
		  .cause = 1,
		  .releaser_pipe = 1,
		  .releaser = 2,
		  .has_flag = true,
		  .flag_src = 1 },
	};
	const int64_t totals[] = { 0, 150, 0, 0 };
	const struct vtr_done done = { .end = 150, .totals = totals };
	struct fail f = { 0 };
	FILE *out = open_memstream(bytes, size);
	struct vtr_writer *w = vtr_writer_open(out, &head, &f);
	cr_assert(w && vtr_write_sites(w, site, 3, &f), "%s", f.what);
	for (int i = 0; i < 3; i++)
		cr_assert(vtr_write_event(w, &event[i], &f), "%s", f.what);
	cr_assert(vtr_write_done(w, &done, &f), "%s", f.what);
	vtr_writer_free(w);
	fclose(out);
}

Test(trace, worked_example_of_the_format)
{
	uint8_t want[1024];
	char *got;
	size_t n = documented(want, sizeof want), size;
	write_example(&got, &size);
	cr_assert_eq(size, n, "%zu bytes, documented %zu", size, n);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq((uint8_t)got[i], want[i], "byte %zx: got %02x, documented %02x", i, (uint8_t)got[i],
			     want[i]);
	free(got);
}

static void same_event(const struct vtr_event *a, const struct vtr_event *b)
{
	cr_assert_eq(a->core, b->core);
	cr_assert_eq(a->site, b->site);
	cr_assert_eq(a->block, b->block);
	cr_assert(a->pipe == b->pipe && a->cause == b->cause && a->releaser_pipe == b->releaser_pipe &&
		  a->releaser == b->releaser);
	cr_assert(a->has_flag == b->has_flag && a->flag_src == b->flag_src && a->flag_dst == b->flag_dst &&
		  a->event_id == b->event_id);
	cr_assert_eq(a->seq, b->seq);
	cr_assert(a->dispatched == b->dispatched && a->arrived == b->arrived && a->stall_begin == b->stall_begin);
	cr_assert(a->start == b->start && a->issue_end == b->issue_end && a->end == b->end);
	cr_assert(a->extra_bank == b->extra_bank && a->extra_bandwidth == b->extra_bandwidth);
	cr_assert(a->repeats == b->repeats && a->bytes == b->bytes && a->macs == b->macs && a->n_access == b->n_access);
	for (int i = 0; i < a->n_access; i++)
		cr_assert(a->access[i].space == b->access[i].space && a->access[i].write == b->access[i].write &&
			  a->access[i].addr == b->access[i].addr && a->access[i].extent == b->access[i].extent);
}

static void same_words(const struct vtr_event *a, const struct vtr_event *b)
{
	cr_assert_eq(a->has_words, b->has_words);
	for (int i = 0; i < 4 && a->has_words; i++)
		cr_assert_eq(a->word[i], b->word[i], "word %d of instruction %llu", i, (unsigned long long)a->seq);
}

/* Events [first, first + n) of the file are those that were written, whatever blocks are missing behind them. */
static uint32_t check_events(const struct vtr *t, const struct made *m, uint32_t at_least)
{
	struct vtr_walk *w = vtr_walk_new(t, VTR_ALL, NULL);
	struct vtr_event e;
	uint32_t n = 0;
	while (vtr_next(w, &e)) {
		cr_assert_lt(n, m->n_event);
		same_event(&e, &m->event[n++]);
	}
	cr_assert_geq(n, at_least);
	vtr_walk_free(w);
	return n;
}

Test(trace, what_is_written_is_read_and_written_again)
{
	static const uint32_t block_events[] = { 1, 7, 100, 1000, 0 };
	for (unsigned seed = 1; seed <= 10; seed++) {
		struct made m;
		struct vtr t;
		struct fail f = { 0 };
		char *again, *third;
		size_t size, third_size;
		made_run(&m, seed, 1 + seed % 5, 30 * seed, block_events[seed % 5]);
		cr_assert(vtr_open_memory(m.bytes, m.size, "made", &t, &f), "%s", f.what);
		cr_assert(!t.cut && t.has_done && t.n_bad == 0);
		cr_assert_eq(t.n_event, m.n_event);
		cr_assert_eq(t.n_site, MADE_SITES);
		cr_assert_eq(t.site[7].pc, 0xffffffffffffff00);
		cr_assert_str_eq(t.site[1].line, "k.c:11 in load, inlined at k.c:31 in k");
		cr_assert_str_eq(t.head.core[t.head.n_core - 1].kind, t.head.n_core % 3 == 1 ? "cube" : "vector");
		cr_assert_eq(t.done.end, 123456);
		cr_assert_eq(t.done.failed, seed % 2);
		cr_assert_str_eq(t.done.message, seed % 2 ? "it went wrong" : "");
		for (uint32_t i = 0; i < t.head.n_core * 16; i++)
			cr_assert_eq(t.done.totals[i], i % 3 ? i * 1000 : 0);
		check_events(&t, &m, m.n_event);
		/* the sites came in two chunks: the copy puts them in one, and from there on nothing changes */
		made_copy(&t, &again, &size);
		vtr_close(&t);
		cr_assert(vtr_open_memory(again, size, "again", &t, &f), "%s", f.what);
		made_copy(&t, &third, &third_size);
		cr_assert_eq(size, third_size);
		cr_assert_eq(memcmp(again, third, size), 0);
		check_events(&t, &m, m.n_event);
		vtr_close(&t);
		free(again);
		free(third);
		made_free(&m);
	}
}

struct seen { const struct made *m; uint32_t n; };

static void see_hold(void *user, const struct vtr_hold *h)
{
	struct seen *s = user;
	cr_assert_lt(s->n, s->m->n_hold);
	const struct vtr_hold *w = &s->m->hold[s->n++];
	cr_assert(h->core == w->core && h->pipe == w->pipe && h->cause == w->cause && h->site == w->site &&
		  h->from == w->from && h->to == w->to && h->releaser_pipe == w->releaser_pipe &&
		  h->releaser == w->releaser, "hold %u", s->n - 1);
}

static void same_findings(const struct vtr_findings *a, const struct vtr_findings *b)
{
	cr_assert_str_eq(a->headline, b->headline);
	cr_assert(a->n_finding == b->n_finding && a->n_part == b->n_part && a->n_line == b->n_line &&
		  a->path_core == b->path_core && a->path_cycles == b->path_cycles && a->path_links == b->path_links);
	for (uint32_t i = 0; i < a->n_finding; i++) {
		const struct vtr_finding *x = &a->finding[i], *y = &b->finding[i];
		cr_assert_str_eq(x->id, y->id);
		cr_assert_str_eq(x->what, y->what);
		cr_assert_str_eq(x->attempt, y->attempt);
		cr_assert_str_eq(x->place, y->place);
		cr_assert_str_eq(x->what_if, y->what_if);
		cr_assert(x->gain == y->gain && x->measured == y->measured && x->site == y->site && x->cause == y->cause);
	}
	for (uint32_t i = 0; i < a->n_part; i++)
		cr_assert_str_eq(a->part[i], b->part[i]);
	for (uint32_t i = 0; i < 4 * a->n_part; i++)
		cr_assert_eq(a->path[i], b->path[i]);
	for (uint32_t i = 0; i < a->n_line; i++) {
		cr_assert_str_eq(a->line[i].place, b->line[i].place);
		cr_assert(a->line[i].site == b->line[i].site && a->line[i].cycles == b->line[i].cycles);
	}
}

Test(trace, operand_words_come_back)
{
	static const uint32_t block_events[] = { 1, 7, 100, 0 };
	for (unsigned seed = 0; seed < 4; seed++) {
		struct made m;
		struct vtr t;
		struct vtr_event e;
		struct fail f = { 0 };
		uint32_t n = 0;
		made_run(&m, 20 + seed, 3, 100, block_events[seed]);
		cr_assert(vtr_open_memory(m.bytes, m.size, "made", &t, &f), "%s", f.what);
		struct vtr_walk *w = vtr_walk_new(&t, VTR_ALL, &f), *without = vtr_walk_new(&t, VTR_ALL, &f);
		vtr_walk_words(w);
		while (vtr_next(w, &e)) {
			same_event(&e, &m.event[n]);
			same_words(&e, &m.event[n++]);
		}
		cr_assert_eq(n, m.n_event);
		while (vtr_next(without, &e))
			cr_assert_not(e.has_words);
		/* of one core, out of the middle: the words of the others pass by */
		vtr_walk_free(w);
		w = vtr_walk_new(&t, (struct vtr_filter){ 1, t.max_cycle / 2, t.max_cycle }, &f);
		vtr_walk_words(w);
		for (n = 0; vtr_next(w, &e); n++) {
			uint32_t i = 0;
			while (m.event[i].core != e.core || m.event[i].seq != e.seq)
				i++;
			same_words(&e, &m.event[i]);
		}
		cr_assert_gt(n, 0);
		cr_assert(t.n_layout == 2 && t.layout_of[0] == 0 && t.layout_of[1] == UINT32_MAX && t.layout_of[5] == 1);
		const struct vtr_operand *o = t.layout[0].operand;
		cr_assert(t.layout[0].n == 3 && o[0].address && !o[1].address);
		cr_assert_str_eq(o[1].name, "len");
		const uint64_t word[4] = { 0x1234567890, 7, 0, UINT64_C(0x00a00000000bcd00) };
		cr_assert_eq(vtr_operand_value(&o[0], word), 0x1234567890);
		cr_assert_eq(vtr_operand_value(&o[1], word), 0xabcd, "12 low bits from bit 8, 4 high bits from bit 52");
		cr_assert_eq(vtr_operand_value(&o[2], word), 7);
		vtr_walk_free(w);
		vtr_walk_free(without);
		vtr_close(&t);
		made_free(&m);
	}
}

Test(trace, holds_and_findings_come_back)
{
	for (unsigned seed = 1; seed <= 3; seed++) {
		struct made m;
		struct vtr t;
		struct fail f = { 0 };
		/* the third run has more holds than one chunk takes */
		made_run(&m, seed, seed == 3 ? 4 : seed, seed == 3 ? 5000 : 40, 0);
		cr_assert(vtr_open_memory(m.bytes, m.size, "made", &t, &f), "%s", f.what);
		struct seen s = { &m, 0 };
		cr_assert_eq(vtr_each_hold(&t, see_hold, &s), 0);
		cr_assert_eq(s.n, m.n_hold);
		cr_assert_eq(t.n_hold_block, (m.n_hold + 16383) / 16384);
		cr_assert_not_null(t.findings);
		same_findings(t.findings, &made_findings);
		vtr_close(&t);
		made_free(&m);
	}
}

/* Files of before: no HOLD, FIND, OPND, WORD. The worked example is one. */
Test(trace, a_file_without_holds_and_findings_opens)
{
	char *bytes;
	size_t size;
	struct vtr t;
	struct fail f = { 0 };
	write_example(&bytes, &size);
	cr_assert(vtr_open_memory(bytes, size, "old", &t, &f), "%s", f.what);
	cr_assert(t.n_event == 3 && t.findings == NULL && t.layout_of == NULL && t.n_hold_block == 0 && t.n_bad == 0);
	vtr_close(&t);
	free(bytes);
}

Test(trace, random_access_returns_what_a_full_walk_would)
{
	struct made m;
	struct vtr t;
	struct fail f = { 0 };
	made_run(&m, 4, 5, 300, 64);
	cr_assert(vtr_open_memory(m.bytes, m.size, "made", &t, &f), "%s", f.what);
	cr_assert_gt(t.n_block, 50);
	for (int core = -1; core < 5; core++)
		for (int64_t from = 0; from < t.max_cycle; from += t.max_cycle / 9) {
			struct vtr_filter filter = { core, from, from + t.max_cycle / 50 };
			struct vtr_walk *w = vtr_walk_new(&t, filter, &f);
			struct vtr_event e;
			uint32_t n = 0, expected = 0;
			while (vtr_next(w, &e)) {
				cr_assert(core < 0 || e.core == (uint32_t)core);
				n++;
			}
			for (uint32_t i = 0; i < m.n_event; i++) {
				const struct vtr_event *x = &m.event[i];
				int64_t min = x->dispatched < x->stall_begin ? x->dispatched : x->stall_begin;
				expected += (core < 0 || x->core == (uint32_t)core) && min <= filter.to &&
					    x->end >= filter.from;
			}
			cr_assert_eq(n, expected);
			vtr_walk_free(w);
		}
	vtr_close(&t);
	made_free(&m);
}

/* Cut off anywhere: what is read is the beginning, up to the last whole block. */
Test(trace, cut_off_files_are_read_to_their_last_whole_block)
{
	struct made m;
	struct vtr whole;
	struct fail f = { 0 };
	made_run(&m, 2, 3, 40, 50);
	cr_assert(vtr_open_memory(m.bytes, m.size, "made", &whole, &f), "%s", f.what);
	for (size_t size = 0; size < m.size; size += 1 + size % 7) {
		struct vtr t;
		struct fail g = { 0 };
		uint32_t expected = 0;
		char *bytes = malloc(size + 1); /* of its own, so that a read too far is seen */
		memcpy(bytes, m.bytes, size);
		for (uint32_t b = 0; b + 1 < whole.n_block; b++)
			if (whole.block[b + 1].offset <= size)
				expected += whole.block[b].n_event;
		if (vtr_open_memory(bytes, size, "cut", &t, &g)) {
			cr_assert(t.cut);
			cr_assert_eq(t.n_bad, 0);
			check_events(&t, &m, expected);
			vtr_close(&t);
		} else {
			cr_assert_eq(g.class, FAIL_USER);
			cr_assert_eq(expected, 0);
		}
		free(bytes);
	}
	vtr_close(&whole);
	made_free(&m);
}

/* One byte changed anywhere: damage is either harmless, refused, or counted; the events that come are right ones. */
Test(trace, damaged_bytes_are_noticed)
{
	struct made m;
	made_run(&m, 6, 2, 60, 32);
	for (size_t at = 0; at < m.size; at += 3) {
		struct vtr t;
		struct fail f = { 0 };
		struct vtr_event e;
		uint32_t n = 0;
		m.bytes[at] ^= (char)(1 << at % 8);
		if (vtr_open_memory(m.bytes, m.size, "damaged", &t, &f)) {
			struct vtr_walk *w = vtr_walk_new(&t, VTR_ALL, &f);
			uint32_t next = 0;
			while (vtr_next(w, &e)) {
				while (next < m.n_event && (m.event[next].seq != e.seq || m.event[next].core != e.core))
					next++;
				cr_assert_lt(next, m.n_event, "byte %zu", at);
				same_event(&e, &m.event[next]);
				n++;
			}
			cr_assert(n == m.n_event || t.n_bad + vtr_walk_bad(w) > 0,
				  "byte %zu: %u events of %u, nothing said", at, n, m.n_event);
			vtr_walk_free(w);
			vtr_close(&t);
		} else {
			cr_assert_eq(f.class, FAIL_USER);
			cr_assert_lt(at, 700, "a damaged byte %zu shuts the whole file", at);
		}
		m.bytes[at] ^= (char)(1 << at % 8);
	}
	made_free(&m);
}

Test(trace, what_is_no_trace_is_refused)
{
	struct vtr t;
	struct fail f = { 0 };
	uint8_t bytes[64] = "\x89VTR\r\n\x1a\n\2";
	cr_assert_not(vtr_open("traces", &t, &f));
	cr_assert_eq(f.class, FAIL_USER);
	f = (struct fail){ 0 };
	cr_assert_not(vtr_open("no/such/file.vtr", &t, &f));
	cr_assert_eq(f.class, FAIL_USER);
	f = (struct fail){ 0 };
	cr_assert_not(vtr_open("traces/FORMAT.md", &t, &f));
	cr_assert(strstr(f.what, "not a Vinci trace"));
	f = (struct fail){ 0 };
	cr_assert_not(vtr_open_memory(bytes, sizeof bytes, "newer", &t, &f));
	cr_assert(strstr(f.what, "version 2"), "%s", f.what);
	bytes[8] = 1;
	f = (struct fail){ 0 };
	cr_assert_not(vtr_open_memory(bytes, sizeof bytes, "headless", &t, &f));
	cr_assert(strstr(f.what, "head"), "%s", f.what);
}

/* Layouts have a number for each site: sites behind them would have none, and are damage. */
Test(trace, sites_behind_the_layouts_are_left_out)
{
	struct made m;
	struct vtr t, u;
	struct fail f = { 0 };
	char *bytes;
	size_t size;
	made_run(&m, 1, 1, 3, 0);
	cr_assert(vtr_open_memory(m.bytes, m.size, "made", &t, &f), "%s", f.what);
	FILE *out = open_memstream(&bytes, &size);
	struct vtr_writer *w = vtr_writer_open(out, &t.head, &f);
	cr_assert(w && vtr_write_sites(w, t.site, 4, &f), "%s", f.what);
	cr_assert(vtr_write_layouts(w, t.layout, t.n_layout, t.layout_of, &f), "%s", f.what);
	cr_assert(vtr_write_sites(w, t.site + 4, t.n_site - 4, &f) && vtr_write_done(w, &t.done, &f), "%s", f.what);
	vtr_writer_free(w);
	fclose(out);
	cr_assert(vtr_open_memory(bytes, size, "behind", &u, &f), "%s", f.what);
	cr_assert_eq(u.n_site, 4);
	cr_assert_gt(u.n_bad, 0);
	vtr_close(&u);
	vtr_close(&t);
	free(bytes);
	made_free(&m);
}

Test(trace, holds_out_of_range_are_refused)
{
	const struct vtr_hold good = { .core = 1, .cause = 3, .site = 7, .from = 5, .to = 9 };
	struct vtr_hold bad[6] = { good, good, good, good, good, good };
	struct made m;
	struct vtr t;
	struct fail f = { 0 };
	char *bytes;
	size_t size;
	made_run(&m, 1, 2, 3, 0);
	cr_assert(vtr_open_memory(m.bytes, m.size, "made", &t, &f), "%s", f.what);
	FILE *out = open_memstream(&bytes, &size);
	struct vtr_writer *w = vtr_writer_open(out, &t.head, &f);
	cr_assert(w && vtr_write_sites(w, t.site, t.n_site, &f) && vtr_write_hold(w, &good, &f), "%s", f.what);
	bad[0].core = 2;
	bad[1].pipe = 4;
	bad[2].cause = 4;
	bad[3].site = MADE_SITES;
	bad[4].to = 4;
	bad[5].from = -1;
	for (int i = 0; i < 6; i++) {
		f = (struct fail){ 0 };
		cr_assert_not(vtr_write_hold(w, &bad[i], &f), "%d", i);
		cr_assert_eq(f.class, FAIL_INTERNAL);
	}
	vtr_writer_free(w);
	fclose(out);
	free(bytes);
	vtr_close(&t);
	made_free(&m);
}

Test(trace, events_out_of_order_are_refused)
{
	char *bytes;
	size_t size;
	const vtr_text name[] = { "a", "b" };
	const struct vtr_core core = { "core0", "fused", 0, 0 };
	const struct vtr_site site = { 0, 0, VTR_WORK, "nop", "" };
	const struct vtr_head head = { .clock_mhz = 1,
				       .n_core = 1,
				       .n_pipe = 2,
				       .n_cause = 2,
				       .n_space = 2,
				       .core = &core,
				       .pipe = name,
				       .cause = name,
				       .space = name };
	const struct vtr_event good = { .pipe = 1,
					.seq = 1,
					.dispatched = 1,
					.arrived = 2,
					.stall_begin = 1,
					.start = 3,
					.issue_end = 4,
					.end = 5,
					.n_access = 1,
					.access = { { 1, false, 0, 1 } } };
	struct vtr_event bad[] = { good, good, good, good, good, good, good, good, good, good, good };
	bad[0].core = 1, bad[1].site = 1, bad[2].pipe = 2, bad[3].cause = 2, bad[4].arrived = 0, bad[5].start = 1,
	bad[6].issue_end = 2;
	bad[7].end = 3, bad[8].stall_begin = -1, bad[9].access[0].space = 2, bad[10].n_access = 9;
	FILE *out = open_memstream(&bytes, &size);
	struct fail f = { 0 };
	struct vtr_writer *w = vtr_writer_open(out, &head, &f);
	cr_assert(w && vtr_write_sites(w, &site, 1, &f) && vtr_write_event(w, &good, &f), "%s", f.what);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct fail g = { 0 };
		cr_assert_not(vtr_write_event(w, &bad[i], &g), "event %zu", i);
		cr_assert_eq(g.class, FAIL_INTERNAL);
	}
	vtr_writer_free(w);
	fclose(out);
	free(bytes);
}
