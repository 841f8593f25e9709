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
