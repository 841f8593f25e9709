/*
 * export_perfetto.c - Perfetto's TrackEvent protobuf, written by hand: a track per core below one for the chip, below
 * it a track per pipe in the pipes' order, names and source lines interned, arrows as flow ids. Field numbers are those
 * of the public perfetto_trace.proto.
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>

/* A message being written; room for the four texts of 4 KiB that a packet can have at most, and numbers. */
struct message { size_t n; uint8_t at[24576]; };

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };
enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60,
	FLAG_STATE_CLEARED = 1,
	FLAG_NEEDS_STATE = 2,
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PARENT = 5,
	TRACK_ORDERING = 11,
	TRACK_RANK = 12,
	TRACK_DESCRIPTION = 14,
	ORDERING_EXPLICIT = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_LOCATION = 34,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,
	TYPE_BEGIN = 1,
	TYPE_END = 2,
	INTERNED_EVENT_NAME = 2,
	INTERNED_ANNOTATION_NAME = 3,
	INTERNED_LOCATION = 4,
	INTERNED_ID = 1,
	INTERNED_TEXT = 2,
	LOCATION_FUNCTION = 3,
	LOCATION_LINE = 4,
	ANNOTATION_NAME = 1,
	ANNOTATION_UINT = 3,
	ANNOTATION_TEXT = 6
};

enum note {
	NOTE_PC,
	NOTE_SEQ,
	NOTE_BLOCK,
	NOTE_START,
	NOTE_ISSUE_END,
	NOTE_END,
	NOTE_DISPATCHED,
	NOTE_STALL,
	NOTE_CAUSE,
	NOTE_FLAG,
	NOTE_REPEATS,
	NOTE_BYTES,
	NOTE_MACS,
	NOTE_BANK,
	NOTE_BANDWIDTH,
	NOTE_OPERANDS,
	NOTES
};
static const char *const note_name[NOTES] = {
	"pc",
	"seq",
	"block",
	"start cycle",
	"issue end cycle",
	"end cycle",
	"dispatched cycle",
	"stall cycles",
	"stall cause",
	"flag",
	"repeats",
	"bytes",
	"macs",
	"bank conflict cycles",
	"shared bandwidth cycles",
	"operands",
};

static void raw(struct message *m, const void *p, size_t n)
{
	if (n <= sizeof m->at - m->n) {
		memcpy(m->at + m->n, p, n);
		m->n += n;
	}
}

static void varint(struct message *m, uint64_t v)
{
	uint8_t b[10];
	size_t n = 0;
	do {
		b[n++] = (uint8_t)(v | (v > 127 ? 128 : 0));
		v >>= 7;
	} while (v);
	raw(m, b, n);
}

static void put_uint(struct message *m, unsigned field, uint64_t v)
{
	varint(m, (uint64_t)field << 3 | WIRE_VARINT);
	varint(m, v);
}

static void put_fixed64(struct message *m, unsigned field, uint64_t v)
{
	uint8_t b[8];
	for (int i = 0; i < 8; i++)
		b[i] = (uint8_t)(v >> 8 * i);
	varint(m, (uint64_t)field << 3 | WIRE_FIXED64);
	raw(m, b, sizeof b);
}

static void put_bytes(struct message *m, unsigned field, const void *p, size_t n)
{
	varint(m, (uint64_t)field << 3 | WIRE_BYTES);
	varint(m, n);
	raw(m, p, n);
}

static void put_text(struct message *m, unsigned field, const char *s) { put_bytes(m, field, s, strlen(s)); }

static void put_message(struct message *m, unsigned field, const struct message *sub)
{
	put_bytes(m, field, sub->at, sub->n);
}

static void write_packet(FILE *out, const struct message *packet)
{
	putc(TRACE_PACKET << 3 | WIRE_BYTES, out);
	size_t n = packet->n;
	for (; n > 127; n >>= 7)
		putc((int)(n & 127) | 128, out);
	putc((int)n, out);
	fwrite(packet->at, 1, packet->n, out);
}

static uint64_t core_uuid(uint32_t core) { return 2 + (uint64_t)core * (VTR_PIPES + 1); }
static uint64_t pipe_uuid(uint32_t core, unsigned pipe) { return core_uuid(core) + 1 + pipe; }

static void write_track(FILE *out, uint64_t uuid, uint64_t parent, unsigned rank, const char *name,
			const char *description)
{
	struct message track, packet;
	track.n = packet.n = 0;
	put_uint(&track, TRACK_UUID, uuid);
	put_text(&track, TRACK_NAME, name);
	if (parent) {
		put_uint(&track, TRACK_PARENT, parent);
		put_uint(&track, TRACK_RANK, rank);
	}
	put_uint(&track, TRACK_ORDERING, ORDERING_EXPLICIT);
	if (description)
		put_text(&track, TRACK_DESCRIPTION, description);
	put_uint(&packet, PACKET_SEQUENCE, 1);
	put_message(&packet, PACKET_TRACK, &track);
	write_packet(out, &packet);
}

static void write_head(const struct export *x, FILE *out)
{
	const struct vtr_head *h = &x->t->head;
	struct message packet, interned, entry;
	char name[300], description[600];
	packet.n = interned.n = 0;
	for (unsigned i = 0; i < NOTES; i++) {
		entry.n = 0;
		put_uint(&entry, INTERNED_ID, i + 1);
		put_text(&entry, INTERNED_TEXT, note_name[i]);
		put_message(&interned, INTERNED_ANNOTATION_NAME, &entry);
	}
	put_uint(&packet, PACKET_SEQUENCE, 1);
	put_uint(&packet, PACKET_FLAGS, FLAG_STATE_CLEARED);
	put_message(&packet, PACKET_INTERNED, &interned);
	write_packet(out, &packet);
	snprintf(name, sizeof name, "%.60s, %s", h->chip,
		 x->cycles ? "time axis: 1 us = 1 cycle" : "time axis: real time");
	snprintf(description, sizeof description, "kernel %.200s, entry %.100s, clock %llu MHz, written by %.60s",
		 h->kernel, h->entry, (unsigned long long)h->clock_mhz, h->producer);
	write_track(out, 1, 0, 0, name, description);
	for (uint32_t c = 0; c < h->n_core; c++) {
		write_track(out, core_uuid(c), 1, c, h->core[c].name, h->core[c].kind);
		for (uint32_t p = 0; p < h->n_pipe; p++)
			write_track(out, pipe_uuid(c, p), core_uuid(c), p, h->pipe[p], NULL);
	}
}

static void note_uint(struct message *event, enum note note, uint64_t v)
{
	struct message a;
	a.n = 0;
	put_uint(&a, ANNOTATION_NAME, note + 1u);
	put_uint(&a, ANNOTATION_UINT, v);
	put_message(event, EVENT_ANNOTATION, &a);
}

static void note_text(struct message *event, enum note note, const char *s)
{
	struct message a;
	a.n = 0;
	put_uint(&a, ANNOTATION_NAME, note + 1u);
	put_text(&a, ANNOTATION_TEXT, s);
	put_message(event, EVENT_ANNOTATION, &a);
}

static void note_nonzero(struct message *event, enum note note, uint64_t v)
{
	if (v)
		note_uint(event, note, v);
}

static void annotate(const struct vtr *t, const struct vtr_event *e, struct message *event)
{
	char text[512];
	int64_t ready = vtr_ready(e);
	snprintf(text, sizeof text, "0x%llx", (unsigned long long)t->site[e->site].pc);
	note_text(event, NOTE_PC, text);
	note_uint(event, NOTE_SEQ, e->seq);
	if (e->block >= 0)
		note_uint(event, NOTE_BLOCK, (uint64_t)e->block);
	note_uint(event, NOTE_START, (uint64_t)e->start);
	note_uint(event, NOTE_ISSUE_END, (uint64_t)e->issue_end);
	note_uint(event, NOTE_END, (uint64_t)e->end);
	note_uint(event, NOTE_DISPATCHED, (uint64_t)e->dispatched);
	if (e->start > ready) {
		note_uint(event, NOTE_STALL, (uint64_t)(e->start - ready));
		note_text(event, NOTE_CAUSE, t->head.cause[e->cause]);
	}
	if (e->has_flag) {
		snprintf(text, sizeof text, "%.32s -> %.32s, event %u", t->head.pipe[e->flag_src],
			 t->head.pipe[e->flag_dst], e->event_id);
		note_text(event, NOTE_FLAG, text);
	}
	note_nonzero(event, NOTE_REPEATS, e->repeats);
	note_nonzero(event, NOTE_BYTES, e->bytes);
	note_nonzero(event, NOTE_MACS, e->macs);
	note_nonzero(event, NOTE_BANK, (uint64_t)e->extra_bank);
	note_nonzero(event, NOTE_BANDWIDTH, (uint64_t)e->extra_bandwidth);
	if (e->n_access) {
		export_accesses(t, e, text, sizeof text);
		note_text(event, NOTE_OPERANDS, text);
	}
}

/* Name and source line of a site, sent once; both have the site's number + 1 as their id. */
static void intern(const struct vtr_site *s, uint32_t number, struct message *packet)
{
	struct message interned, entry;
	struct place place;
	interned.n = entry.n = 0;
	put_uint(&entry, INTERNED_ID, number + 1);
	put_text(&entry, INTERNED_TEXT, s->name);
	put_message(&interned, INTERNED_EVENT_NAME, &entry);
	if (export_places(s->line, &place, 1) == 1) {
		int colon = place.length;
		while (colon > 0 && place.at[colon - 1] != ':')
			colon--;
		const char *function = place.at + place.length;
		entry.n = 0;
		put_uint(&entry, INTERNED_ID, number + 1);
		put_bytes(&entry, INTERNED_TEXT, place.at, (size_t)(colon > 0 ? colon - 1 : place.length));
		if (strncmp(function, " in ", 4) == 0)
			put_bytes(&entry, LOCATION_FUNCTION, function + 4, strcspn(function + 4, ","));
		if (colon > 0)
			put_uint(&entry, LOCATION_LINE, strtoul(place.at + colon, NULL, 10));
		put_message(&interned, INTERNED_LOCATION, &entry);
	}
	put_message(packet, PACKET_INTERNED, &interned);
}

static void slice(struct export *x, FILE *out, const struct vtr_event *e, bool *sent, uint64_t flow, uint64_t flow_end)
{
	const struct vtr_site *s = &x->t->site[e->site];
	struct message event, packet;
	event.n = packet.n = 0;
	put_uint(&event, EVENT_TYPE, TYPE_BEGIN);
	put_uint(&event, EVENT_TRACK, pipe_uuid(e->core, e->pipe));
	put_uint(&event, EVENT_NAME, e->site + 1u);
	if (s->line[0])
		put_uint(&event, EVENT_LOCATION, e->site + 1u);
	annotate(x->t, e, &event);
	if (flow)
		put_fixed64(&event, EVENT_FLOW, flow);
	if (flow_end)
		put_fixed64(&event, EVENT_FLOW_END, flow_end);
	put_uint(&packet, PACKET_TIMESTAMP, (uint64_t)export_ns(x, export_begin(x->t, e)));
	put_uint(&packet, PACKET_SEQUENCE, 1);
	put_uint(&packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
	if (!sent[e->site])
		intern(s, e->site, &packet);
	sent[e->site] = true;
	put_message(&packet, PACKET_TRACK_EVENT, &event);
	write_packet(out, &packet);
	event.n = packet.n = 0;
	put_uint(&event, EVENT_TYPE, TYPE_END);
	put_uint(&event, EVENT_TRACK, pipe_uuid(e->core, e->pipe));
	put_uint(&packet, PACKET_TIMESTAMP, (uint64_t)export_ns(x, e->issue_end));
	put_uint(&packet, PACKET_SEQUENCE, 1);
	put_message(&packet, PACKET_TRACK_EVENT, &event);
	write_packet(out, &packet);
}

bool export_perfetto(struct export *x, FILE *out, struct fail *f)
{
	const struct vtr *t = x->t;
	struct vtr_walk *w = vtr_walk_new(t, x->filter, f);
	struct links *links = w ? links_new(t, f) : NULL;
	bool *sent = calloc(t->n_site + 1, sizeof *sent);
	struct vtr_event e;
	struct link_end set;
	bool ok = w && links && sent;
	if (ok)
		write_head(x, out);
	while (ok && vtr_next(w, &e)) {
		enum vtr_role role = t->site[e.site].role;
		bool paired = role == VTR_WAIT_FLAG && links_set_of(links, &e, &set);
		x->n_event++;
		links_note(links, &e, x->n_event, 0);
		slice(x, out, &e, sent, role == VTR_SET_FLAG ? x->n_event : 0, paired ? set.id : 0);
	}
	if (!ok)
		fail_set(f, FAIL_INTERNAL, "no memory for the Perfetto trace");
	x->n_bad = w ? vtr_walk_bad(w) : 0;
	free(sent);
	links_free(links);
	vtr_walk_free(w);
	return ok;
}
