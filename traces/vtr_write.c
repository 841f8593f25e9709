/*
 * vtr_write.c - writing .vtr: events go into a block as differences to the same pipe's last event, full blocks are
 * packed and written, what the index needs is kept until the end.
 */
#include "vtr_wire.h"

#include <stdlib.h>
#include <zstd.h>

enum { PACK_LEVEL = 1 };

struct core_row { uint32_t n_event; int64_t min, max; };

struct vtr_writer {
	FILE *out;
	uint64_t offset;
	uint32_t n_core, n_pipe, n_cause, n_space, block_events;
	uint32_t n_site;
	struct vtr_lane *lane;          /* n_core * n_pipe, cleared when a block begins */
	struct core_row *row;           /* n_core */
	uint8_t *raw, *at, *raw_end;    /* the block being filled */
	uint8_t *packed;
	size_t packed_max;
	ZSTD_CCtx *zstd;
	uint32_t core;                  /* of the last event */
	uint32_t n_event;
	uint64_t first_event;
	struct vtr_bytes text, index, summary;
	struct vtr_holds holds;
	struct vtr_bytes words;         /* operand words of the block's events */
	bool has_words;                 /* of one of them at least */
	uint64_t n_chunk, last_offset;
};

uint8_t *vtr_bytes_room(struct vtr_bytes *b, size_t n)
{
	if (b->n + n > b->max) {
		size_t max = (b->n + n) * 2;
		uint8_t *at = realloc(b->at, max);
		if (!at) {
			b->failed = true;
			return NULL;
		}
		b->at = at;
		b->max = max;
	}
	return b->at + b->n;
}

void vtr_bytes_number(struct vtr_bytes *b, uint64_t v)
{
	uint8_t *p = vtr_bytes_room(b, 10);
	if (p)
		b->n = (size_t)(vtr_put(p, v) - b->at);
}

void vtr_bytes_put(struct vtr_bytes *b, const void *from, size_t n)
{
	uint8_t *p = n ? vtr_bytes_room(b, n) : NULL;
	if (p) {
		memcpy(p, from, n);
		b->n += n;
	}
}

void vtr_bytes_text(struct vtr_bytes *b, vtr_text s)
{
	size_t n = s ? strlen(s) : 0;
	n = n < VTR_MAX_TEXT ? n : VTR_MAX_TEXT;
	vtr_bytes_number(b, n);
	vtr_bytes_put(b, s ? s : "", n);
}

static bool out_bytes(struct vtr_writer *w, const void *p, size_t n, struct fail *f)
{
	w->offset += n;
	return n == 0 || fwrite(p, 1, n, w->out) == n ||
	       fail_set(f, FAIL_USER, "the trace cannot be written: the disk may be full");
}

/* Pack, write, note in the index. */
static bool chunk(struct vtr_writer *w, uint32_t tag, const struct vtr_bytes *summary, const uint8_t *raw, size_t n,
		  struct fail *f)
{
	uint8_t head[VTR_CHUNK_HEAD_BYTES];
	const uint8_t *body = raw;
	size_t packed = n;
	if (n > VTR_MAX_CHUNK_BYTES)
		return fail_set(f, FAIL_INTERNAL, "trace: a chunk of %zu bytes", n);
	if (n > VTR_STORE_BELOW) {
		if (w->packed_max < ZSTD_compressBound(n)) {
			free(w->packed);
			w->packed_max = ZSTD_compressBound(n);
			w->packed = malloc(w->packed_max);
			if (!w->packed)
				return fail_set(f, FAIL_INTERNAL, "no memory for the trace");
		}
		size_t got = ZSTD_compressCCtx(w->zstd, w->packed, w->packed_max, raw, n, PACK_LEVEL);
		if (!ZSTD_isError(got) && got < n) {
			body = w->packed;
			packed = got;
		}
	}
	struct vtr_chunk c = { tag, (uint32_t)summary->n, (uint32_t)packed, (uint32_t)n, 0 };
	c.body_crc = vtr_crc32(vtr_crc32(0, summary->at, summary->n), body, packed);
	vtr_chunk_put(&c, head);
	if (tag != VTR_INDX) {
		vtr_bytes_put(&w->index, head, 4);
		vtr_bytes_number(&w->index, w->offset - w->last_offset);
		vtr_bytes_number(&w->index, summary->n);
		vtr_bytes_put(&w->index, summary->at, summary->n);
		w->last_offset = w->offset;
		w->n_chunk++;
	}
	return out_bytes(w, head, sizeof head, f) && out_bytes(w, summary->at, summary->n, f) &&
	       out_bytes(w, body, packed, f);
}

static bool text_chunk(struct vtr_writer *w, uint32_t tag, struct fail *f)
{
	static const struct vtr_bytes none;
	if (w->text.failed || w->index.failed)
		return fail_set(f, FAIL_INTERNAL, "no memory for the trace");
	bool ok = chunk(w, tag, &none, w->text.at, w->text.n, f);
	w->text.n = 0;
	return ok;
}

struct vtr_limits vtr_writer_limits(const struct vtr_writer *w)
{
	return (struct vtr_limits){ w->n_core, w->n_pipe, w->n_cause, w->n_site };
}

struct vtr_holds *vtr_writer_holds(struct vtr_writer *w) { return &w->holds; }

bool vtr_write_chunk(struct vtr_writer *w, uint32_t tag, const struct vtr_bytes *summary, const struct vtr_bytes *payload,
		     struct fail *f)
{
	if (summary->failed || payload->failed || w->index.failed)
		return fail_set(f, FAIL_INTERNAL, "no memory for the trace");
	return chunk(w, tag, summary, payload->at, payload->n, f);
}

static bool write_head(struct vtr_writer *w, const struct vtr_head *h, struct fail *f)
{
	uint8_t file_head[VTR_FILE_HEAD_BYTES] = { 0 };
	struct vtr_bytes *b = &w->text;
	memcpy(file_head, VTR_MAGIC, 8);
	vtr_put32(file_head + 8, VTR_VERSION);
	if (!out_bytes(w, file_head, sizeof file_head, f))
		return false;
	vtr_bytes_text(b, h->producer);
	vtr_bytes_text(b, h->chip);
	vtr_bytes_text(b, h->kernel);
	vtr_bytes_text(b, h->entry);
	vtr_bytes_number(b, h->clock_mhz);
	vtr_bytes_number(b, h->blocks);
	vtr_bytes_number(b, w->block_events);
	vtr_bytes_number(b, h->n_pipe);
	for (uint32_t i = 0; i < h->n_pipe; i++)
		vtr_bytes_text(b, h->pipe[i]);
	vtr_bytes_number(b, h->n_cause);
	for (uint32_t i = 0; i < h->n_cause; i++)
		vtr_bytes_text(b, h->cause[i]);
	vtr_bytes_number(b, h->n_space);
	for (uint32_t i = 0; i < h->n_space; i++)
		vtr_bytes_text(b, h->space[i]);
	vtr_bytes_number(b, h->n_core);
	for (uint32_t i = 0; i < h->n_core; i++) {
		vtr_bytes_text(b, h->core[i].name);
		vtr_bytes_text(b, h->core[i].kind);
		vtr_bytes_number(b, h->core[i].group);
		vtr_bytes_number(b, h->core[i].sub);
	}
	return text_chunk(w, VTR_HEAD, f);
}

static void begin_block(struct vtr_writer *w)
{
	memset(w->lane, 0, (size_t)w->n_core * w->n_pipe * sizeof *w->lane);
	for (uint32_t i = 0; i < w->n_core; i++)
		w->row[i] = (struct core_row){ 0, INT64_MAX, 0 };
	w->at = w->raw;
	w->core = 0;
	w->n_event = 0;
	w->words.n = 0;
	w->has_words = false;
}

struct vtr_writer *vtr_writer_open(FILE *out, const struct vtr_head *h, struct fail *f)
{
	if (h->n_core < 1 || h->n_core > VTR_CORES || h->n_pipe < 1 || h->n_pipe > VTR_PIPES ||
	    h->n_cause > VTR_CAUSES || h->n_space > VTR_SPACES || h->block_events > VTR_MAX_BLOCK_EVENTS) {
		fail_set(f, FAIL_INTERNAL,
			 "trace: %u cores, %u pipes, %u causes, %u memories: beyond the format's limits", h->n_core,
			 h->n_pipe, h->n_cause, h->n_space);
		return NULL;
	}
	struct vtr_writer *w = calloc(1, sizeof *w);
	if (!w) {
		fail_set(f, FAIL_INTERNAL, "no memory for the trace");
		return NULL;
	}
	w->out = out;
	w->n_core = h->n_core;
	w->n_pipe = h->n_pipe;
	w->n_cause = h->n_cause;
	w->n_space = h->n_space;
	w->block_events = h->block_events ? (uint32_t)h->block_events : VTR_BLOCK_EVENTS;
	/* an ordinary record takes 20 to 40 bytes; a block that is full by bytes ends early */
	size_t raw = (size_t)w->block_events * 64 + VTR_RECORD_MAX;
	raw = raw < VTR_MAX_CHUNK_BYTES ? raw : VTR_MAX_CHUNK_BYTES;
	w->raw = malloc(raw);
	w->raw_end = w->raw ? w->raw + raw - VTR_RECORD_MAX : NULL;
	w->lane = calloc((size_t)w->n_core * w->n_pipe, sizeof *w->lane);
	w->row = calloc(w->n_core, sizeof *w->row);
	w->zstd = ZSTD_createCCtx();
	if (!w->raw || !w->lane || !w->row || !w->zstd)
		fail_set(f, FAIL_INTERNAL, "no memory for the trace");
	else if (write_head(w, h, f)) {
		begin_block(w);
		return w;
	}
	vtr_writer_free(w);
	return NULL;
}

void vtr_writer_free(struct vtr_writer *w)
{
	if (!w)
		return;
	free(w->lane);
	free(w->row);
	free(w->raw);
	free(w->packed);
	free(w->text.at);
	free(w->index.at);
	free(w->summary.at);
	free(w->holds.payload.at);
	free(w->words.at);
	ZSTD_freeCCtx(w->zstd);
	free(w);
}

bool vtr_write_sites(struct vtr_writer *w, const struct vtr_site *site, uint32_t n, struct fail *f)
{
	struct vtr_bytes *b = &w->text;
	uint64_t pc = 0;
	if (n > VTR_SITES - w->n_site)
		return fail_set(f, FAIL_INTERNAL, "trace: more than %d static instructions", VTR_SITES);
	vtr_bytes_number(b, n);
	for (uint32_t i = 0; i < n; i++) {
		/* neighbours often share their text: a length of 0 behind a 1 says "the same" */
		bool same_line = i > 0 && strcmp(site[i].line, site[i - 1].line) == 0;
		vtr_bytes_number(b, site[i].program);
		vtr_bytes_number(b, vtr_zig(site[i].pc - pc));
		vtr_bytes_number(b, site[i].role);
		vtr_bytes_text(b, site[i].name);
		vtr_bytes_number(b, same_line);
		if (!same_line)
			vtr_bytes_text(b, site[i].line);
		pc = site[i].pc;
	}
	w->n_site += n;
	return text_chunk(w, VTR_SITE, f);
}

/* Cycle range, number of events, and the same per core: what a reader needs to skip a block. */
static void summarize(struct vtr_writer *w)
{
	struct vtr_bytes *b = &w->summary;
	int64_t min = INT64_MAX, max = 0;
	uint32_t n = 0, last = 0;
	for (uint32_t i = 0; i < w->n_core; i++) {
		if (w->row[i].n_event == 0)
			continue;
		n++;
		min = w->row[i].min < min ? w->row[i].min : min;
		max = w->row[i].max > max ? w->row[i].max : max;
	}
	b->n = 0;
	vtr_bytes_number(b, w->first_event);
	vtr_bytes_number(b, w->n_event);
	vtr_bytes_number(b, (uint64_t)min);
	vtr_bytes_number(b, (uint64_t)(max - min));
	vtr_bytes_number(b, n);
	for (uint32_t i = 0; i < w->n_core; i++) {
		if (w->row[i].n_event == 0)
			continue;
		vtr_bytes_number(b, i - last);
		vtr_bytes_number(b, w->row[i].n_event);
		vtr_bytes_number(b, (uint64_t)(w->row[i].min - min));
		vtr_bytes_number(b, (uint64_t)(w->row[i].max - w->row[i].min));
		last = i;
	}
}

static bool end_block(struct vtr_writer *w, struct fail *f)
{
	if (w->n_event == 0)
		return true;
	summarize(w);
	if (w->summary.failed || w->index.failed)
		return fail_set(f, FAIL_INTERNAL, "no memory for the trace");
	if (!chunk(w, VTR_EVTS, &w->summary, w->raw, (size_t)(w->at - w->raw), f))
		return false;
	if (w->has_words) {
		w->summary.n = 0;
		vtr_bytes_number(&w->summary, w->first_event);
		if (!vtr_write_chunk(w, VTR_WORD, &w->summary, &w->words, f))
			return false;
	}
	w->first_event += w->n_event;
	begin_block(w);
	return true;
}

bool vtr_flush(struct vtr_writer *w, struct fail *f) { return end_block(w, f) && vtr_flush_holds(w, f); }

static bool valid(const struct vtr_writer *w, const struct vtr_event *e)
{
	bool ok = e->core < w->n_core && e->pipe < w->n_pipe && e->site < w->n_site && e->cause < w->n_cause &&
		  e->releaser_pipe < w->n_pipe && e->n_access <= VTR_ACCESSES && e->block >= -1 && e->dispatched >= 0 &&
		  e->dispatched <= e->arrived && e->arrived <= e->start && e->stall_begin >= 0 &&
		  e->stall_begin <= e->start && e->start <= e->issue_end && e->issue_end <= e->end &&
		  e->extra_bank >= 0 && e->extra_bandwidth >= 0;
	if (e->has_flag)
		ok &= e->flag_src < w->n_pipe && e->flag_dst < w->n_pipe;
	for (unsigned i = 0; i < e->n_access && ok; i++)
		ok &= e->access[i].space < w->n_space;
	return ok;
}

static uint8_t *put_accesses(uint8_t *p, struct vtr_lane *l, const struct vtr_event *e)
{
	*p++ = e->n_access;
	for (unsigned i = 0; i < e->n_access; i++) {
		const struct vtr_access *a = &e->access[i];
		bool extent = a->extent != l->extent[i];
		*p++ = (uint8_t)(a->space | (a->write ? ACC_WRITE : 0) | (extent ? ACC_EXTENT : 0));
		p = vtr_put(p, vtr_zig(a->addr - l->addr[i]));
		if (extent)
			p = vtr_put(p, a->extent);
		l->addr[i] = a->addr;
		l->extent[i] = a->extent;
	}
	return p;
}

static unsigned record_bits(const struct vtr_writer *w, const struct vtr_lane *l, const struct vtr_event *e)
{
	unsigned bits = e->pipe;
	bits |= e->core != w->core ? REC_CORE : 0;
	bits |= (uint64_t)(int64_t)e->block != l->block ? REC_BLOCK : 0;
	bits |= e->end != e->issue_end ? REC_LATENCY : 0;
	bits |= e->repeats || e->bytes || e->macs ? REC_WORK : 0;
	bits |= e->n_access ? REC_ACCESS : 0;
	bits |= (uint64_t)e->stall_begin != l->issue_end ? REC_BEGIN : 0;
	bits |= e->cause != l->cause ? REC_CAUSE : 0;
	bits |= e->releaser || e->releaser_pipe ? REC_RELEASER : 0;
	bits |= e->has_flag ? REC_FLAG : 0;
	bits |= e->extra_bank || e->extra_bandwidth ? REC_EXTRA : 0;
	bits |= (uint64_t)(e->arrived - e->dispatched) != l->arrive ? REC_ARRIVE : 0;
	return bits;
}

/* The record; all differences modulo 2^64. */
static uint8_t *put_record(uint8_t *p, struct vtr_writer *w, struct vtr_lane *l, const struct vtr_event *e)
{
	unsigned bits = record_bits(w, l, e);
	p = vtr_put(p, bits);
	if (bits & REC_CORE)
		p = vtr_put(p, vtr_zig((uint64_t)e->core - w->core));
	if (bits & REC_BLOCK)
		p = vtr_put(p, vtr_zig((uint64_t)(int64_t)e->block - l->block));
	p = vtr_put(p, vtr_zig((uint64_t)e->site - l->site));
	p = vtr_put(p, vtr_zig(e->seq - l->seq));
	p = vtr_put(p, vtr_zig((uint64_t)e->start - l->issue_end));
	p = vtr_put(p, (uint64_t)(e->issue_end - e->start));
	p = vtr_put(p, vtr_zig((uint64_t)e->dispatched - l->dispatched));
	if (bits & REC_ARRIVE)
		p = vtr_put(p, (uint64_t)(e->arrived - e->dispatched));
	if (bits & REC_BEGIN)
		p = vtr_put(p, (uint64_t)(e->start - e->stall_begin));
	if (bits & REC_LATENCY)
		p = vtr_put(p, (uint64_t)(e->end - e->issue_end));
	if (bits & REC_CAUSE)
		*p++ = e->cause;
	if (bits & REC_RELEASER) {
		*p++ = e->releaser_pipe;
		p = vtr_put(p, vtr_zig(e->seq - e->releaser));
	}
	if (bits & REC_FLAG) {
		*p++ = e->flag_src;
		*p++ = e->flag_dst;
		p = vtr_put(p, e->event_id);
	}
	if (bits & REC_EXTRA) {
		p = vtr_put(p, (uint64_t)e->extra_bank);
		p = vtr_put(p, (uint64_t)e->extra_bandwidth);
	}
	if (bits & REC_WORK) {
		p = vtr_put(p, e->repeats);
		p = vtr_put(p, e->bytes);
		p = vtr_put(p, e->macs);
	}
	return bits & REC_ACCESS ? put_accesses(p, l, e) : p;
}

bool vtr_write_event(struct vtr_writer *w, const struct vtr_event *e, struct fail *f)
{
	if (!valid(w, e))
		return fail_set(f, FAIL_INTERNAL,
				"trace: instruction %llu of core %u (pipe %u, cycles %lld %lld %lld %lld %lld %lld) is"
				" out of order or range",
				(unsigned long long)e->seq, e->core, e->pipe, (long long)e->dispatched,
				(long long)e->arrived, (long long)e->stall_begin, (long long)e->start,
				(long long)e->issue_end, (long long)e->end);
	struct vtr_lane *l = &w->lane[(size_t)e->core * w->n_pipe + e->pipe];
	w->at = put_record(w->at, w, l, e);
	w->has_words |= e->has_words;
	if (!vtr_put_words(&w->words, l, e))
		return fail_set(f, FAIL_INTERNAL, "no memory for the trace");
	w->core = e->core;
	l->block = (uint64_t)(int64_t)e->block;
	l->site = e->site;
	l->seq = e->seq;
	l->dispatched = (uint64_t)e->dispatched;
	l->arrive = (uint64_t)(e->arrived - e->dispatched);
	l->issue_end = (uint64_t)e->issue_end;
	l->cause = e->cause;
	struct core_row *row = &w->row[e->core];
	int64_t min = e->stall_begin < e->dispatched ? e->stall_begin : e->dispatched;
	row->n_event++;
	row->min = min < row->min ? min : row->min;
	row->max = e->end > row->max ? e->end : row->max;
	if (++w->n_event == w->block_events || w->at > w->raw_end)
		return end_block(w, f);
	return true;
}

static void put_totals(struct vtr_writer *w, const int64_t *totals)
{
	struct vtr_bytes *b = &w->text;
	for (uint32_t lane = 0; lane < w->n_core * w->n_pipe; lane++) {
		const int64_t *t = totals ? totals + (size_t)lane * w->n_cause : NULL;
		uint32_t n = 0;
		for (uint32_t k = 0; t && k < w->n_cause; k++)
			n += t[k] > 0;
		vtr_bytes_number(b, n);
		for (uint32_t k = 0; n && k < w->n_cause; k++)
			if (t[k] > 0) {
				vtr_bytes_number(b, k);
				vtr_bytes_number(b, (uint64_t)t[k]);
			}
	}
}

bool vtr_write_done(struct vtr_writer *w, const struct vtr_done *done, struct fail *f)
{
	uint8_t footer[VTR_FOOTER_BYTES];
	if (!vtr_flush(w, f))
		return false;
	vtr_bytes_number(&w->text, w->first_event);
	vtr_bytes_number(&w->text, (uint64_t)(done->end > 0 ? done->end : 0));
	vtr_bytes_number(&w->text, done->failed);
	vtr_bytes_text(&w->text, done->message);
	put_totals(w, done->totals);
	if (!text_chunk(w, VTR_DONE, f))
		return false;
	uint64_t index_at = w->offset;
	vtr_bytes_number(&w->text, w->n_chunk);
	vtr_bytes_put(&w->text, w->index.at, w->index.n);
	if (!text_chunk(w, VTR_INDX, f))
		return false;
	vtr_put64(footer, index_at);
	vtr_put64(footer + 8, w->offset + VTR_FOOTER_BYTES);
	memcpy(footer + 16, VTR_END_MAGIC, 8);
	return out_bytes(w, footer, sizeof footer, f);
}
