/*
 * trace_make.h - for tests of traces: files in memory, and a run made of seeded random instructions whose flags pair.
 */
#ifndef TRACE_MAKE_H
#define TRACE_MAKE_H

#include "../traces/export.h"

enum { MADE_SITES = 8 };

struct made {
	char *bytes;             /* the file */
	size_t size;
	uint32_t n_event, n_pair;
	struct vtr_event *event; /* what was written, in order */
	uint32_t n_hold;
	struct vtr_hold *hold;
};

/* Cores 0..n_core-1 with pipes S V MTE1 MTE2; per step of a core: copy on MTE2, set_flag MTE2 -> V, wait_flag and vadd
 * on V, now and then a barrier; the scalar unit is held now and then. The report has made_findings. */
void made_run(struct made *m, unsigned seed, uint32_t n_core, uint32_t n_step, uint32_t block_events);
extern const struct vtr_findings made_findings;
void made_free(struct made *m);

/* Write again what a reader sees. */
void made_copy(const struct vtr *t, char **bytes, size_t *size);

#endif
