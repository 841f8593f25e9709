/*
 * live.h - a run that is stepped instead of run: for the window, and for whoever wants to look at a core at a cycle.
 *
 *   live_open -> live_to / live_step_op / live_back ... -> live_sim: the whole state at live_cycle
 *
 * Every instruction's event is handed out as it happens, in the words of a trace. Going back means running again to an earlier
 * cycle, from the last snapshot before it or from the start; the same launch gives the same run.
 */
#ifndef LIVE_H
#define LIVE_H

#include "run.h"

struct live;

/* What ends live_to early. Unset: cycle INT64_MAX, op 0, line NULL, flag false, write false. */
struct live_until {
	int64_t cycle;          /* stop before anything later than this happens */
	uint64_t ops;           /* stop when so many instructions have happened from here */
	const char *line;       /* an instruction whose source line begins with this, "matmul.c:88" */
	bool flag;              /* set_flag or wait_flag of these */
	uint8_t flag_src, flag_dst;
	int flag_event;         /* -1 = any */
	bool write;             /* an instruction that writes this address */
	uint8_t space;
	uint64_t addr;
	int core;               /* only of this core; -1 = any */
};
#define LIVE_FOREVER ((struct live_until){ .cycle = INT64_MAX, .core = -1, .flag_event = -1 })

enum live_state { LIVE_PAUSED, LIVE_MET, LIVE_ENDED, LIVE_FAILED };

/* Prepare a launch (a folder, a launch file, an .elf; settings as --set takes them, NULL-terminated or NULL). on_event gets
 * every instruction, in order of happening. FAIL_* as `vinci run`. */
struct live *live_open(const char *target, const char *const *set, void (*on_event)(void *user, const struct vtr_event *e),
		       void *user, struct fail *f) SIM_MUST_CHECK;
void live_free(struct live *l);
/* Who gets what held the scalar unit up, from now on, with the user of on_event. */
void live_on_hold(struct live *l, void (*on_hold)(void *user, const struct vtr_hold *h));

/* Go on until a condition is met, the kernel has ended, or `slice` events of the engine have passed (0: no limit). */
enum live_state live_to(struct live *l, const struct live_until *u, uint64_t slice);
/* Go back to the end of `cycle`. restarted() is called before the first event comes again: of all events and holds that were
 * handed out, the first `kept` are still true, the others come again. False: *f. */
bool live_back(struct live *l, int64_t cycle, void (*restarted)(void *user, uint64_t kept), struct fail *f) SIM_MUST_CHECK;
/* Keep a snapshot every so many instructions, all of them in so many bytes; 0, 0 keeps none. Without a call: by the size of the
 * state, in 512 MiB. */
void live_snapshots(struct live *l, uint64_t interval_ops, size_t bytes);
int live_snapshots_kept(const struct live *l);

/* The clock: everything up to this cycle has happened. */
int64_t live_cycle(const struct live *l);
enum live_state live_state(const struct live *l);
const struct fail *live_failure(const struct live *l);
/* What the report of a run that has ended says; NULL before. Its gains are estimates: no run is repeated for them. */
const struct vtr_findings *live_findings(const struct live *l);
const struct sim *live_sim(const struct live *l);
/* Names and sites of the run, as a trace without events. */
const struct vtr *live_head(const struct live *l);
/* Of the last event that met a condition, or of the last event at all. */
const struct vtr_event *live_last(const struct live *l);

#endif
