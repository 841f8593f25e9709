/*
 * vtr_wire.h - what writer and reader of .vtr share: chunk headers, variable-length numbers, the state that events are
 * differences to. Internal to traces/; FORMAT.md describes the bytes.
 */
#ifndef VTR_WIRE_H
#define VTR_WIRE_H

#include "vtr.h"

#include <string.h>

#define VTR_MAGIC "\x89VTR\r\n\x1a\n"
#define VTR_END_MAGIC "VTR.end\n"
enum {
	VTR_FILE_HEAD_BYTES = 16, VTR_CHUNK_HEAD_BYTES = 24, VTR_FOOTER_BYTES = 24,
	VTR_STORE_BELOW = 512,     /* payloads up to here are stored as they are */
	VTR_RECORD_MAX = 512,      /* an event is never longer */
	VTR_MAX_BLOCK_EVENTS = 1 << 20,
	VTR_MAX_TEXT = 4096
};

/* Tags, as the four bytes read little-endian. */
#define VTR_TAG(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define VTR_HEAD VTR_TAG('H', 'E', 'A', 'D')
#define VTR_SITE VTR_TAG('S', 'I', 'T', 'E')
#define VTR_EVTS VTR_TAG('E', 'V', 'T', 'S')
#define VTR_DONE VTR_TAG('D', 'O', 'N', 'E')
#define VTR_CNTR VTR_TAG('C', 'N', 'T', 'R')
#define VTR_HOLD VTR_TAG('H', 'O', 'L', 'D')
#define VTR_FIND VTR_TAG('F', 'I', 'N', 'D')
#define VTR_OPND VTR_TAG('O', 'P', 'N', 'D')
#define VTR_WORD VTR_TAG('W', 'O', 'R', 'D')
#define VTR_INDX VTR_TAG('I', 'N', 'D', 'X')

/* Bits of a record's first number, above the pipe's four. */
enum {
	REC_CORE = 1 << 4, REC_BLOCK = 1 << 5, REC_LATENCY = 1 << 6, REC_WORK = 1 << 7, REC_ACCESS = 1 << 8,
	REC_BEGIN = 1 << 9, REC_CAUSE = 1 << 10, REC_RELEASER = 1 << 11, REC_FLAG = 1 << 12, REC_EXTRA = 1 << 13,
	REC_ARRIVE = 1 << 14, REC_KNOWN = (1 << 15) - 1
};
/* Bits of an access's first byte, above the memory's four. */
/* Of an event in WORD: bits 0-3, words that differ from the lane's last. */
enum { WORD_NONE = 1 << 4 };
enum { ACC_WRITE = 1 << 4, ACC_EXTENT = 1 << 5, ACC_KNOWN = (1 << 6) - 1 };

/* What the last event of a core's pipe in this block was. */
struct vtr_lane {
	uint64_t site, seq, block, dispatched, arrive, issue_end, addr[VTR_ACCESSES], extent[VTR_ACCESSES];
	uint64_t word[4];
	uint8_t cause;
};

struct vtr_chunk { uint32_t tag, summary_bytes, packed_bytes, raw_bytes, body_crc; };

/* Bytes that grow. */
struct vtr_bytes { uint8_t *at; size_t n, max; bool failed; };
uint8_t *vtr_bytes_room(struct vtr_bytes *b, size_t n); /* NULL without memory */
void vtr_bytes_number(struct vtr_bytes *b, uint64_t v);
void vtr_bytes_put(struct vtr_bytes *b, const void *from, size_t n);
void vtr_bytes_text(struct vtr_bytes *b, vtr_text s);

/* What vtr_why.c needs of a writer: its limits, and a chunk with its entry in the index. */
struct vtr_limits { uint32_t n_core, n_pipe, n_cause, n_site; };
struct vtr_limits vtr_writer_limits(const struct vtr_writer *w);
struct vtr_holds { struct vtr_bytes payload; uint32_t n; int64_t last, min, max; };
struct vtr_holds *vtr_writer_holds(struct vtr_writer *w);
/* The operand words of the block that is being filled: vtr_operand.c puts one event's there, against its lane's last. */
bool vtr_put_words(struct vtr_bytes *b, struct vtr_lane *l, const struct vtr_event *e);
bool vtr_write_chunk(struct vtr_writer *w, uint32_t tag, const struct vtr_bytes *summary, const struct vtr_bytes *payload,
		     struct fail *f) SIM_MUST_CHECK;
/* The events and holds that wait to be written; the holds alone. */
bool vtr_flush(struct vtr_writer *w, struct fail *f) SIM_MUST_CHECK;
bool vtr_flush_holds(struct vtr_writer *w, struct fail *f) SIM_MUST_CHECK;

uint32_t vtr_crc32(uint32_t crc, const void *bytes, size_t n); /* of zlib and PNG; start with 0 */
void vtr_put32(uint8_t *p, uint32_t v);
void vtr_put64(uint8_t *p, uint64_t v);
uint32_t vtr_get32(const uint8_t *p);
uint64_t vtr_get64(const uint8_t *p);
void vtr_chunk_put(const struct vtr_chunk *c, uint8_t head[VTR_CHUNK_HEAD_BYTES]);
/* False when the header is damaged or its sizes exceed what is left. */
bool vtr_chunk_get(const uint8_t *p, size_t left, struct vtr_chunk *c);

static inline uint64_t vtr_zig(uint64_t v) { return v << 1 ^ (0 - (v >> 63)); }
static inline uint64_t vtr_zag(uint64_t v) { return v >> 1 ^ (0 - (v & 1)); }

static inline uint8_t *vtr_put(uint8_t *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	return p;
}

/* A place in bytes being read; bad is set by the first read past the end or number beyond 64 bits. */
struct vtr_in { const uint8_t *p, *end; bool bad; };

static inline uint64_t vtr_take(struct vtr_in *in)
{
	uint64_t v = 0;
	if (in->p < in->end && *in->p < 0x80) /* most differences are small */
		return *in->p++;
	for (unsigned shift = 0; shift < 64 && in->p < in->end; shift += 7) {
		uint8_t b = *in->p++;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (b < 0x80) {
			in->bad |= shift == 63 && b > 1;
			return v;
		}
	}
	in->bad = true;
	return 0;
}

static inline uint8_t vtr_take_byte(struct vtr_in *in)
{
	if (in->p < in->end)
		return *in->p++;
	in->bad = true;
	return 0;
}

/* A number that must be at most max. */
static inline uint64_t vtr_take_max(struct vtr_in *in, uint64_t max)
{
	uint64_t v = vtr_take(in);
	in->bad |= v > max;
	return v <= max ? v : 0;
}

#endif
