/*
 * export.h - traces in other programs' formats; each exporter reads an open .vtr and writes one file or folder.
 */
#ifndef EXPORT_H
#define EXPORT_H

#include "vtr.h"

struct export {
	const struct vtr *t;
	struct vtr_filter filter;
	bool cycles;             /* time axis: 1 cycle shown as 1 us; else real time at the chip's clock */
	uint64_t n_event;        /* out: events exported */
	uint32_t n_bad;          /* out: damaged blocks left out */
	enum export_tables { EXPORT_COUNTERS, EXPORT_RANGE, EXPORT_NONE } no_counters; /* out: why tables were left out */
};

bool export_chrome(struct export *x, FILE *out,
		   struct fail *f) SIM_MUST_CHECK; /* Chrome JSON: Perfetto, chrome://tracing */
bool export_csv(struct export *x, FILE *out, struct fail *f) SIM_MUST_CHECK;    /* one row per instruction, in cycles */
bool export_kanata(struct export *x, FILE *out, struct fail *f) SIM_MUST_CHECK; /* Konata's log, version 4, in cycles */
bool export_perfetto(struct export *x, FILE *out, struct fail *f) SIM_MUST_CHECK; /* Perfetto TrackEvent protobuf */
/* The vendor profiler's simulator folder: folder/simulator/{trace.json,visualize_data.bin,coreN.../...}, and the metric
 * tables of its on-board profiler (folder/PipeUtilization.csv ...) when the trace has counters and no range of cycles is
 * asked for. The folder must be new or empty. */
bool export_vendor(struct export *x, const char *folder, struct fail *f) SIM_MUST_CHECK;
void export_summary(struct export *x, FILE *out);

/* ---- shared by the exporters ---- */

/* Nanoseconds on the time axis, rounded down, so that slices that meet in cycles meet in nanoseconds. */
int64_t export_ns(const struct export *x, int64_t cycle);
/* The slice of e on its pipe's track, [*begin, *end) in nanoseconds, from cycle `from`. Viewers keep whole nanoseconds,
 * a cycle may be less: every slice gets one at least, and begins where the last one ended at the earliest. lane_end has
 * n_core * n_pipe zeros in the beginning. */
void export_slice(const struct export *x, int64_t *lane_end, const struct vtr_event *e, int64_t from, int64_t *begin,
		  int64_t *end);
/* As microseconds with three decimals. */
void export_us(FILE *out, int64_t ns);
/* A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD. */
void export_string(FILE *out, const char *text);
/* One CSV field, quoted when it must be. */
void export_field(FILE *out, const char *text);
/* "GM 0x..+512 -> UB 0x0+512" - sources, then destinations. */
void export_accesses(const struct vtr *t, const struct vtr_event *e, char *text, size_t size);
/* Where an instruction's slice begins: waits and barriers are shown from when they began to wait. */
int64_t export_begin(const struct vtr *t, const struct vtr_event *e);
/* "file:line" pieces of a site's line text, innermost first; returns how many of at most max; each points into text. */
struct place { const char *at; int length; };
int export_places(const char *line, struct place *place, int max);

/* ---- arrows: which set a wait belongs to, where a releaser lies ---- */

struct link_end { uint64_t seq, id; int64_t at; uint8_t pipe, src, dst; uint16_t event_id; };
struct links;
struct links *links_new(const struct vtr *t, struct fail *f) SIM_MUST_CHECK;
void links_free(struct links *l);
/* Note every event in order; `id` and `at` (a time on its slice) are returned by later finds. */
void links_note(struct links *l, const struct vtr_event *e, uint64_t id, int64_t at);
/* The set that e, a wait_flag, consumed: the oldest one of its pipes and event not yet taken. */
bool links_set_of(struct links *l, const struct vtr_event *e, struct link_end *set);
/* The releaser of e, when it is recent enough to be known. */
bool links_releaser(const struct links *l, const struct vtr_event *e, struct link_end *from);

#endif
