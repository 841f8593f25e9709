/*
 * Fuzz target: any bytes as a trace. Opened, walked, and exported in every format. Checksums are set right first, so that
 * what lies behind them is reached.
 */
#include "../../traces/export.h"
#include "../../traces/vtr_wire.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void repair(uint8_t *p, size_t size)
{
	for (size_t at = VTR_FILE_HEAD_BYTES; at + VTR_CHUNK_HEAD_BYTES <= size;) {
		uint8_t *head = p + at, *body = head + VTR_CHUNK_HEAD_BYTES;
		uint64_t n = (uint64_t)vtr_get32(head + 4) + vtr_get32(head + 8);
		if (n > size - at - VTR_CHUNK_HEAD_BYTES)
			return;
		vtr_put32(head + 16, vtr_crc32(0, body, (size_t)n));
		vtr_put32(head + 20, vtr_crc32(0, head, 20));
		at += VTR_CHUNK_HEAD_BYTES + (size_t)n;
	}
}

struct seen { uint64_t sum; };

static void see_hold(void *user, const struct vtr_hold *h)
{
	((struct seen *)user)->sum += h->core + h->pipe + h->cause + (uint64_t)h->from;
}

/* Everything that is promised to be there is read. */
static void see_findings(const struct vtr *t, struct seen *s)
{
	const struct vtr_findings *x = t->findings;
	for (uint32_t i = 0; x && i < x->n_finding; i++)
		s->sum += strlen(x->finding[i].what) + strlen(x->finding[i].attempt) + strlen(x->finding[i].place);
	for (uint32_t i = 0; x && i < x->n_part * t->head.n_pipe; i++)
		s->sum += (uint64_t)x->path[i] + strlen(x->part[i % x->n_part]);
	for (uint32_t i = 0; x && i < x->n_line; i++)
		s->sum += strlen(x->line[i].place);
	for (uint32_t i = 0; t->layout_of && i < t->n_site; i++)
		s->sum += t->layout_of[i] == UINT32_MAX ? 0 : t->layout[t->layout_of[i]].n;
	for (uint32_t i = 0; i < t->n_layout; i++)
		for (uint32_t k = 0; k < t->layout[i].n; k++)
			s->sum += vtr_operand_value(&t->layout[i].operand[k], (uint64_t[4]){ s->sum, 1, 2, 3 });
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct vtr t;
	struct vtr_event e;
	struct fail f = { 0 };
	uint32_t n = 0;
	FILE *null = fopen("/dev/null", "w");
	uint8_t *data = malloc(size + 1);
	if (data)
		repair(memcpy(data, bytes, size), size);
	/* a few packed bytes may unpack to millions of events: whole walks are for the others */
	if (null && data && vtr_open_memory(data, size, "fuzz", &t, &f)) {
		struct vtr_walk *w = vtr_walk_new(&t, (struct vtr_filter){ 0, 0, INT64_MAX }, &f);
		struct seen seen = { 0 };
		if (w)
			vtr_walk_words(w);
		if (t.n_hold_block < 10)
			vtr_each_hold(&t, see_hold, &seen);
		see_findings(&t, &seen);
		while (w && n < 20000 && vtr_next(w, &e))
			n++;
		vtr_walk_free(w);
		for (uint32_t c = 0; c < t.head.n_core; c++)
			(void)vtr_core_counter(&t, c, "blocks");
		struct export x = { .t = &t, .filter = VTR_ALL, .cycles = size % 2 };
		if (n < 20000 && t.n_event < 20000 && t.n_site < 20000 && t.head.n_core < 100) {
			(void)!export_chrome(&x, null, &f);
			(void)!export_csv(&x, null, &f);
			(void)!export_kanata(&x, null, &f);
			(void)!export_perfetto(&x, null, &f);
			export_summary(&x, null);
		}
		vtr_close(&t);
	}
	if (null)
		fclose(null);
	free(data);
	return 0;
}
