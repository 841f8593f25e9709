/*
 * vtr_read.c - opening a .vtr: through its index, or by walking its chunks when it was cut off. Every size read is
 * bounded before it is used; what is damaged is counted and left out.
 */
#include "vtr_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { ARENA_PART = 64 << 10 };
struct arena_part { struct arena_part *next; size_t n, max; uint8_t at[]; };

void *vtr_arena(struct vtr_store *s, size_t n)
{
	struct arena_part *a = s->arena;
	n = (n + 15) & ~(size_t)15;
	if (!a || a->n + n > a->max) {
		size_t max = n > ARENA_PART ? n : ARENA_PART;
		if (s->arena_bytes + max > VTR_ARENA_MAX || !(a = malloc(sizeof *a + max))) {
			s->arena_failed = true;
			return NULL;
		}
		a->next = s->arena;
		a->n = 0;
		a->max = max;
		s->arena = a;
		s->arena_bytes += max;
	}
	a->n += n;
	return a->at + a->n - n;
}

bool vtr_chunk_load(const struct vtr_store *s, uint64_t offset, uint32_t tag, uint8_t **buffer, size_t *buffer_max,
		    struct vtr_in *raw)
{
	struct vtr_chunk c;
	if (offset > s->size || !vtr_chunk_get(s->bytes + offset, s->size - offset, &c) || c.tag != tag)
		return false;
	const uint8_t *body = s->bytes + offset + VTR_CHUNK_HEAD_BYTES;
	if (vtr_crc32(0, body, (size_t)c.summary_bytes + c.packed_bytes) != c.body_crc)
		return false;
	body += c.summary_bytes;
	if (c.packed_bytes == c.raw_bytes) {
		*raw = (struct vtr_in){ body, body + c.raw_bytes, false };
		return true;
	}
	if (*buffer_max < c.raw_bytes) {
		free(*buffer);
		*buffer_max = 0;
		*buffer = malloc(c.raw_bytes);
		if (!*buffer)
			return false;
		*buffer_max = c.raw_bytes;
	}
	size_t got = ZSTD_decompress(*buffer, c.raw_bytes, body, c.packed_bytes);
	*raw = (struct vtr_in){ *buffer, *buffer + c.raw_bytes, false };
	return !ZSTD_isError(got) && got == c.raw_bytes;
}

vtr_text vtr_take_text(struct vtr_store *s, struct vtr_in *in)
{
	size_t n = (size_t)vtr_take_max(in, VTR_MAX_TEXT);
	if (in->bad || n > (size_t)(in->end - in->p)) {
		in->bad = true;
		return "";
	}
	char *text = vtr_arena(s, n + 1);
	if (!text)
		return "";
	memcpy(text, in->p, n);
	text[n] = 0;
	in->p += n;
	return text;
}

static const vtr_text *take_texts(struct vtr_store *s, struct vtr_in *in, uint32_t max, uint32_t *n)
{
	*n = (uint32_t)vtr_take_max(in, max);
	vtr_text *t = vtr_arena(s, (*n + 1) * sizeof *t);
	for (uint32_t i = 0; t && i < *n; i++)
		t[i] = vtr_take_text(s, in);
	return t;
}

static bool read_head(struct vtr *t, struct vtr_in *in)
{
	struct vtr_store *s = t->store;
	struct vtr_head *h = &t->head;
	h->producer = vtr_take_text(s, in);
	h->chip = vtr_take_text(s, in);
	h->kernel = vtr_take_text(s, in);
	h->entry = vtr_take_text(s, in);
	h->clock_mhz = vtr_take_max(in, 1000000);
	h->blocks = vtr_take(in);
	h->block_events = vtr_take_max(in, VTR_MAX_BLOCK_EVENTS);
	h->pipe = take_texts(s, in, VTR_PIPES, &h->n_pipe);
	h->cause = take_texts(s, in, VTR_CAUSES, &h->n_cause);
	h->space = take_texts(s, in, VTR_SPACES, &h->n_space);
	h->n_core = (uint32_t)vtr_take_max(in, VTR_CORES);
	struct vtr_core *core = vtr_arena(s, (h->n_core + 1) * sizeof *core);
	for (uint32_t i = 0; core && i < h->n_core; i++) {
		core[i].name = vtr_take_text(s, in);
		core[i].kind = vtr_take_text(s, in);
		core[i].group = (uint32_t)vtr_take_max(in, UINT32_MAX);
		core[i].sub = (uint32_t)vtr_take_max(in, UINT32_MAX);
	}
	h->core = core;
	return !in->bad && !s->arena_failed && in->p == in->end && h->n_core && h->n_pipe && h->clock_mhz;
}

static bool read_sites(struct vtr *t, struct vtr_in *in)
{
	struct vtr_store *s = t->store;
	uint32_t n = (uint32_t)vtr_take_max(in, VTR_SITES - t->n_site);
	uint64_t pc = 0;
	vtr_text line = "";
	/* the shortest row has 5 bytes; behind OPND, which has a number for each, there are none */
	if (in->bad || t->layout_of || n > (size_t)(in->end - in->p) / 5)
		return false;
	struct vtr_site *site = realloc(s->site, (t->n_site + n + 1) * sizeof *site);
	if (!site)
		return false;
	t->site = s->site = site;
	for (uint32_t i = 0; i < n; i++) {
		struct vtr_site *r = &site[t->n_site + i];
		r->program = (uint32_t)vtr_take_max(in, UINT32_MAX);
		r->pc = pc += vtr_zag(vtr_take(in));
		r->role = (enum vtr_role)vtr_take_max(in, VTR_ROLES - 1);
		r->name = vtr_take_text(s, in);
		if (!vtr_take_max(in, 1))
			line = vtr_take_text(s, in);
		r->line = line;
	}
	if (in->bad || s->arena_failed || in->p != in->end)
		return false;
	t->n_site += n;
	return true;
}

static bool read_done(struct vtr *t, struct vtr_in *in)
{
	struct vtr_store *s = t->store;
	const struct vtr_head *h = &t->head;
	size_t lanes = (size_t)h->n_core * h->n_pipe;
	int64_t *totals = vtr_arena(s, (lanes * h->n_cause + 1) * sizeof *totals);
	if (!totals)
		return false;
	memset(totals, 0, lanes * h->n_cause * sizeof *totals);
	vtr_take(in); /* events; the blocks say it themselves */
	t->done.end = (int64_t)vtr_take_max(in, INT64_MAX);
	t->done.failed = vtr_take_max(in, 1);
	t->done.message = vtr_take_text(s, in);
	for (size_t lane = 0; lane < lanes && !in->bad; lane++)
		for (uint64_t n = vtr_take_max(in, h->n_cause); n && !in->bad; n--) {
			uint64_t k = vtr_take_max(in, h->n_cause - 1);
			totals[lane * h->n_cause + k] = (int64_t)vtr_take_max(in, INT64_MAX);
		}
	t->done.totals = totals;
	return !in->bad && !s->arena_failed && in->p == in->end;
}

/* ---- the table of blocks ---- */

static void *grow(void *at, uint32_t need, uint32_t *max, size_t size, uint32_t limit)
{
	if (need <= *max)
		return at;
	if (need > limit)
		return NULL;
	uint32_t more = need < 512 ? 1024 : need * 2;
	void *p = realloc(at, more * size);
	if (p)
		*max = more;
	return p;
}

static bool add_rows(struct vtr *t, struct vtr_block *b, struct vtr_in *in)
{
	struct vtr_store *s = t->store;
	uint64_t core = 0, sum = 0;
	for (uint32_t i = 0; i < b->n_core && !in->bad; i++) {
		struct vtr_block_core *rows =
			grow(s->row, t->n_block_core + i + 1, &s->row_max, sizeof *rows, VTR_MAX_ROWS);
		if (!rows)
			return false;
		t->block_core = s->row = rows;
		struct vtr_block_core *r = &rows[t->n_block_core + i];
		uint64_t step = vtr_take_max(in, VTR_CORES);
		in->bad |= i > 0 && step == 0;
		core += step;
		in->bad |= core >= t->head.n_core;
		r->core = (uint32_t)core;
		r->n_event = (uint32_t)vtr_take_max(in, b->n_event);
		r->min_cycle = b->min_cycle + (int64_t)vtr_take_max(in, (uint64_t)(b->max_cycle - b->min_cycle));
		r->max_cycle = r->min_cycle + (int64_t)vtr_take_max(in, (uint64_t)(b->max_cycle - r->min_cycle));
		sum += r->n_event;
	}
	return !in->bad && sum == b->n_event && in->p == in->end;
}

static bool add_block(struct vtr *t, uint64_t offset, struct vtr_in in)
{
	struct vtr_store *s = t->store;
	struct vtr_block b = { .offset = offset, .core_at = t->n_block_core };
	b.first_event = vtr_take(&in);
	b.n_event = (uint32_t)vtr_take_max(&in, VTR_MAX_BLOCK_EVENTS);
	b.min_cycle = (int64_t)vtr_take_max(&in, INT64_MAX);
	b.max_cycle = b.min_cycle + (int64_t)vtr_take_max(&in, (uint64_t)(INT64_MAX - b.min_cycle));
	b.n_core = (uint32_t)vtr_take_max(&in, t->head.n_core);
	if (in.bad || b.n_event == 0 || !add_rows(t, &b, &in))
		return false;
	struct vtr_block *blocks = grow(s->block, t->n_block + 1, &s->block_max, sizeof *blocks, VTR_MAX_BLOCKS);
	if (!blocks)
		return false;
	t->block = s->block = blocks;
	blocks[t->n_block++] = b;
	t->n_block_core += b.n_core;
	t->n_event += b.n_event;
	if (b.max_cycle > t->max_cycle)
		t->max_cycle = b.max_cycle;
	return true;
}

static bool add_holds(struct vtr *t, uint64_t offset, struct vtr_in in)
{
	struct vtr_store *s = t->store;
	uint32_t n = (uint32_t)vtr_take_max(&in, VTR_MAX_BLOCK_EVENTS);
	int64_t first = (int64_t)vtr_take_max(&in, INT64_MAX);
	vtr_take_max(&in, (uint64_t)(INT64_MAX - first));
	if (in.bad || n == 0 || in.p != in.end)
		return false;
	struct vtr_hold_block *b = grow(s->hold, t->n_hold_block + 1, &s->hold_max, sizeof *b, VTR_MAX_BLOCKS);
	if (!b)
		return false;
	s->hold = b;
	b[t->n_hold_block++] = (struct vtr_hold_block){ offset, n };
	return true;
}

/* Of the block before it; of a damaged block they are of no use. */
static bool add_words(struct vtr *t, uint64_t offset, struct vtr_in in)
{
	struct vtr_store *s = t->store;
	uint64_t first = vtr_take(&in);
	if (in.bad || in.p != in.end)
		return false;
	if (t->n_block == 0 || t->block[t->n_block - 1].first_event != first)
		return true;
	uint64_t *words = grow(s->words, s->block_max, &s->words_max, sizeof *words, VTR_MAX_BLOCKS * 2);
	if (!words)
		return false;
	s->words = words;
	for (; s->n_words < t->n_block; s->n_words++)
		words[s->n_words] = 0;
	words[t->n_block - 1] = offset;
	return true;
}

static bool take_chunk(struct vtr *t, uint64_t offset, uint32_t tag, struct vtr_in summary)
{
	struct vtr_store *s = t->store;
	struct vtr_in raw;
	switch (tag) {
	case VTR_EVTS: return add_block(t, offset, summary);
	case VTR_SITE:
		if (s->sites_lost || !vtr_chunk_load(s, offset, tag, &s->raw, &s->raw_max, &raw) ||
		    !read_sites(t, &raw)) {
			s->sites_lost = true;
			return false;
		}
		return true;
	case VTR_DONE:
		t->has_done = vtr_chunk_load(s, offset, tag, &s->raw, &s->raw_max, &raw) && read_done(t, &raw);
		return t->has_done;
	case VTR_WORD: return add_words(t, offset, summary);
	case VTR_OPND: return vtr_chunk_load(s, offset, tag, &s->raw, &s->raw_max, &raw) && vtr_read_layouts(t, &raw);
	case VTR_CNTR:
		return vtr_chunk_load(s, offset, tag, &s->raw, &s->raw_max, &raw) && vtr_read_counters(t, &raw);
	case VTR_HOLD: return add_holds(t, offset, summary);
	case VTR_FIND:
		return vtr_chunk_load(s, offset, tag, &s->raw, &s->raw_max, &raw) && vtr_read_findings(t, &raw);
	default: return true; /* the head was read before; other tags are for later minor additions */
	}
}

/* The index lists every chunk. False, with nothing taken, when there is none or it is damaged. */
static bool open_index(struct vtr *t)
{
	struct vtr_store *s = t->store;
	const uint8_t *footer = s->bytes + s->size - VTR_FOOTER_BYTES;
	struct vtr_in in;
	uint8_t *raw = NULL;
	size_t raw_max = 0;
	if (s->size < VTR_FILE_HEAD_BYTES + VTR_FOOTER_BYTES || memcmp(footer + 16, VTR_END_MAGIC, 8) != 0 ||
	    vtr_get64(footer + 8) != s->size || !vtr_chunk_load(s, vtr_get64(footer), VTR_INDX, &raw, &raw_max, &in)) {
		free(raw);
		return false;
	}
	uint64_t offset = 0, n = vtr_take(&in);
	for (; n && !in.bad; n--) {
		uint32_t tag = in.end - in.p >= 4 ? vtr_get32(in.p) : 0;
		in.p += tag ? 4 : 0;
		offset += vtr_take_max(&in, s->size - offset);
		size_t bytes = (size_t)vtr_take_max(&in, (uint64_t)(in.end - in.p));
		if (!tag || in.bad || bytes > (size_t)(in.end - in.p)) {
			in.bad = true;
			break;
		}
		t->n_bad += !take_chunk(t, offset, tag, (struct vtr_in){ in.p, in.p + bytes, false });
		in.p += bytes;
	}
	free(raw);
	if (in.bad)
		t->n_bad++;
	return true;
}

static bool known(uint32_t tag)
{
	static const uint32_t tags[] = { VTR_HEAD, VTR_SITE, VTR_EVTS, VTR_CNTR, VTR_DONE, VTR_INDX, VTR_HOLD, VTR_FIND, VTR_OPND,
					 VTR_WORD };
	for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
		if (tag == tags[i])
			return true;
	return false;
}

/* A killed run left no index: walk from chunk to chunk, and over damage to the next whole chunk header. */
static void open_walk(struct vtr *t)
{
	struct vtr_store *s = t->store;
	size_t at = VTR_FILE_HEAD_BYTES;
	bool gap = false;
	t->cut = true;
	while (at + VTR_CHUNK_HEAD_BYTES <= s->size) {
		struct vtr_chunk c;
		if (!known(vtr_get32(s->bytes + at)) || !vtr_chunk_get(s->bytes + at, s->size - at, &c)) {
			gap = true;
			at++;
			continue;
		}
		t->n_bad += gap;
		gap = false;
		const uint8_t *summary = s->bytes + at + VTR_CHUNK_HEAD_BYTES;
		t->n_bad += !take_chunk(t, at, c.tag, (struct vtr_in){ summary, summary + c.summary_bytes, false });
		at += VTR_CHUNK_HEAD_BYTES + (size_t)c.summary_bytes + c.packed_bytes;
	}
}

bool vtr_open_memory(const void *bytes, size_t size, const char *name, struct vtr *t, struct fail *f)
{
	struct vtr_in in;
	memset(t, 0, sizeof *t);
	if (size < VTR_FILE_HEAD_BYTES || memcmp(bytes, VTR_MAGIC, 8) != 0) {
		fail_file(f, FAIL_USER, name, 0, "this is not a Vinci trace (.vtr)");
		return fail_hint(f, "traces are written by: vinci run KERNEL --trace FILE.vtr");
	}
	uint32_t version = vtr_get32((const uint8_t *)bytes + 8);
	if (version != VTR_VERSION)
		return fail_file(f, FAIL_USER, name, 0, "trace format version %u; this vinci reads version %d", version,
				 VTR_VERSION);
	struct vtr_store *s = t->store = calloc(1, sizeof *s);
	if (!s)
		return fail_set(f, FAIL_INTERNAL, "no memory for the trace");
	s->bytes = bytes;
	s->size = size;
	if (!vtr_chunk_load(s, VTR_FILE_HEAD_BYTES, VTR_HEAD, &s->raw, &s->raw_max, &in) || !read_head(t, &in)) {
		vtr_close(t);
		return fail_file(f, FAIL_USER, name, 0, "the trace's head is damaged or cut off");
	}
	if (!open_index(t))
		open_walk(t);
	free(s->raw);
	s->raw = NULL;
	s->raw_max = 0;
	return true;
}

bool vtr_open(const char *path, struct vtr *t, struct fail *f)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	memset(t, 0, sizeof *t);
	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		fail_file(f, FAIL_USER, path, 0, "cannot be read: %s", fd < 0 ? strerror(errno) : "not a plain file");
		if (fd >= 0)
			close(fd);
		return false;
	}
	size_t size = (size_t)st.st_size;
	void *bytes = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	close(fd);
	if (bytes == MAP_FAILED)
		return fail_file(f, FAIL_USER, path, 0, "cannot be read: %s", strerror(errno));
	if (!vtr_open_memory(bytes, size, path, t, f)) {
		if (bytes)
			munmap(bytes, size);
		return false;
	}
	t->store->mapped = true;
	return true;
}

void vtr_close(struct vtr *t)
{
	struct vtr_store *s = t->store;
	if (!s)
		return;
	if (s->mapped)
		munmap((void *)(uintptr_t)s->bytes, s->size);
	while (s->arena) {
		struct arena_part *next = s->arena->next;
		free(s->arena);
		s->arena = next;
	}
	free(s->block);
	free(s->row);
	free(s->hold);
	free(s->words);
	free(s->site);
	free(s->raw);
	free(s);
	t->store = NULL;
}
