/*
 * vtr_store.h - memory behind an open trace; internal to the reader's files.
 */
#ifndef VTR_STORE_H
#define VTR_STORE_H

#include "vtr_wire.h"

enum { VTR_ARENA_MAX = 256 << 20, VTR_MAX_ROWS = 8 << 20, VTR_MAX_BLOCKS = 1 << 22 };

struct vtr_store {
	const uint8_t *bytes;
	size_t size;
	bool mapped;
	struct arena_part *arena;
	size_t arena_bytes;
	bool arena_failed;
	struct vtr_block *block;
	struct vtr_block_core *row;
	uint64_t *words;           /* per block: offset of its operand words, 0 = none */
	uint32_t words_max, n_words;
	struct vtr_site *site;
	uint32_t block_max, row_max, hold_max;
	struct vtr_hold_block { uint64_t offset; uint32_t n; } *hold; /* vtr.n_hold_block */
	bool sites_lost;           /* a table of sites was damaged: the numbering behind it is unknown */
	uint8_t *raw;              /* of text chunks while opening */
	size_t raw_max;
};

/* Find the chunk at offset, check it whole, unpack its payload into *buffer (grown as needed). False when damaged. */
bool vtr_chunk_load(const struct vtr_store *s, uint64_t offset, uint32_t tag, uint8_t **buffer, size_t *buffer_max,
		    struct vtr_in *raw);

/* Memory that lives as long as the open trace; NULL when there is none, or too much is asked for. */
void *vtr_arena(struct vtr_store *s, size_t n);
/* A text of the file; "" and in->bad when it does not fit what is left. */
vtr_text vtr_take_text(struct vtr_store *s, struct vtr_in *in);
/* vtr_operand.c: the payload of OPND; one event's words out of a block's. False when damaged. */
bool vtr_read_layouts(struct vtr *t, struct vtr_in *in);
bool vtr_take_words(struct vtr_in *in, struct vtr_lane *l, struct vtr_event *e);
/* vtr_why.c: the payload of FIND. False when damaged. */
bool vtr_read_findings(struct vtr *t, struct vtr_in *in);
/* vtr_count.c: the payload of CNTR. */
bool vtr_read_counters(struct vtr *t, struct vtr_in *in);

#endif
