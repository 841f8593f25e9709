/*
 * tune.h - `vinci tune`: a launch file's parameters varied, every candidate's values checked, its cycles counted.
 *
 * In the launch file:
 *   tune = {
 *     base_m = [ 64, 128, 256 ];                  // values of a parameter, or { from = 16; to = 256; step = 16; }
 *     constraint = [ "(base_m + step_n) * step_k * 2 <= 262144", "step_n % base_n == 0" ];
 *     check = { M = 300; N = 270; K = 200; };     // the shape at which values are checked
 *     rungs = ( { K = 512; }, { K = 1024; } );    // cheaper shapes for the guided search, cheapest first
 *   };
 *
 * tune_space.c: the candidates. tune_log.c: results that survive a kill. tune_work.c: processes that run candidates,
 * tune_net.c: those that mpirun started on other hosts.
 * tune_search.c: which candidates. tune_report.c, tune_png.c: what came out. tune_cli.c: the command.
 */
#ifndef TUNE_H
#define TUNE_H

#include "run.h"

enum { TUNE_PARAMS = 12, TUNE_VALUES = 64, TUNE_CONSTRAINTS = 24, TUNE_SETS = 32, TUNE_RUNGS = 8, TUNE_SHAPES = 64,
       TUNE_TEXT = 384, TUNE_REMOTE = 256, TUNE_TOKEN = 40 };
enum { TUNE_SPACE_MAX = 1000000 };

struct tune_param { char name[48]; int n; int64_t value[TUNE_VALUES]; };

/* Assignments "M=2048,N=512": a shape, a rung, a candidate. */
struct tune_sets { char text[TUNE_TEXT]; };

struct tune_space {
	int n_param;
	struct tune_param param[TUNE_PARAMS];
	int n_constraint;
	char constraint[TUNE_CONSTRAINTS][128];
	struct tune_sets check;
	int n_rung;
	struct tune_sets rung[TUNE_RUNGS];
	int64_t n_all;      /* points of the grid */
};

/* Read the group `tune` of a launch file. FAIL_USER: no such group, a name that is no parameter, no values. */
bool tune_space_load(const char *file, const struct launch *l, struct tune_space *s, struct fail *f) SIM_MUST_CHECK;
/* Point i of the grid as assignments; and into a launch. */
void tune_point(const struct tune_space *s, int64_t i, struct tune_sets *out);
bool tune_apply(struct launch *l, const struct tune_sets *sets, struct fail *f) SIM_MUST_CHECK;
/* The value of a parameter in assignments; false when it is not there. */
bool tune_value(const struct tune_sets *sets, const char *name, int64_t *value);
/* First constraint that the launch breaks, -1 none; *missing is by how much. */
bool tune_fits(const struct tune_space *s, const struct launch *l, int *broken, int64_t *missing,
	       struct fail *f) SIM_MUST_CHECK;

enum tune_status {
	TUNE_NONE, TUNE_TIMED, TUNE_REJECTED /* by a constraint */, TUNE_REFUSED /* by the kernel's own require */,
	TUNE_WRONG /* values */, TUNE_FAILED /* anything else */, TUNE_RIGHT /* of a value check */
};

/* What is known of one candidate at one shape. */
struct tune_result {
	struct tune_sets shape, point;
	enum tune_status status;
	int64_t cycles, missing;
	char why[TUNE_TEXT];                           /* bottleneck, or what is wrong */
	int64_t cause[PIPE_COUNT][CAUSE_COUNT];        /* of the core that finished last */
};

/* Results in memory and in a file: one line each, with a checksum, appended and synced before it counts. */
struct tune_log {
	int fd;
	char file[512];
	int64_t n, room;
	struct tune_result *result;
	int64_t *index;    /* hash table over shape and point, -1 empty */
	int64_t n_index;
};

/* Open or make; lines of another identity (kernel, launch file, simulator) are set aside as FILE.old. A torn last line is
 * cut off. */
bool tune_log_open(struct tune_log *g, const char *file, uint64_t identity, struct fail *f) SIM_MUST_CHECK;
bool tune_log_add(struct tune_log *g, const struct tune_result *r, struct fail *f) SIM_MUST_CHECK;
const struct tune_result *tune_log_find(const struct tune_log *g, const char *shape, const char *point);
void tune_log_close(struct tune_log *g);

struct tune {
	char target[512];
	int n_set;
	const char *set[TUNE_SETS];                    /* --set */
	struct launch launch;                          /* with them */
	struct tune_space space;
	struct tune_log log;
	int jobs;
	int64_t budget, top;
	uint64_t seed;
	bool progress, quiet;
	char search[16];
	int n_shape;
	struct tune_sets shape[TUNE_SHAPES];
	int rank, ranks;                               /* under mpirun; 0 of 1 otherwise */
	char token[TUNE_TOKEN];                           /* of this search, which ranks show */
	int n_remote, remote[TUNE_REMOTE];             /* sockets of the other ranks, -1 lost */
	int64_t n_fit;
	int64_t *fit;                                  /* points that break no constraint */
	int64_t rejected[TUNE_CONSTRAINTS], nearest[TUNE_CONSTRAINTS];
};

struct tune_job { struct tune_sets shape, point; bool check; };

/* Run n jobs that the log does not hold yet on t->jobs processes, results into the log as they come. */
bool tune_work(struct tune *t, const struct tune_job *job, int64_t n, const char *what, struct fail *f) SIM_MUST_CHECK;

/* Answer jobs that come from fd until it ends: what ranks other than 0 do. */
bool tune_serve(const struct tune *t, int fd, struct fail *f) SIM_MUST_CHECK;

/* Rank and number of ranks that mpirun has put into the environment. */
void tune_ranks(struct tune *t);
/* All ranks, at the same time: get the line (1024 bytes) that says where rank 0 listens, there on *fd. The others join, and
 * when rank 0 is ready to gather them send its identity (tune_log_open), which must be theirs. FAIL_USER: built without MPI,
 * another kernel there, no way to rank 0. */
bool tune_meet(struct tune *t, char *line, int *fd, struct fail *f) SIM_MUST_CHECK;
bool tune_join(struct tune *t, const char *line, int *fd, struct fail *f) SIM_MUST_CHECK;
bool tune_gather(struct tune *t, int fd, uint64_t identity, struct fail *f) SIM_MUST_CHECK;

/* The launch file's own values at a shape, as a point. */
void tune_standard(const struct tune *t, const struct tune_sets *shape, struct tune_sets *point);

/* Everything for one shape; the best result (NULL: nothing fits) and the standard one. */
bool tune_search(struct tune *t, const struct tune_sets *shape, struct fail *f) SIM_MUST_CHECK;
/* Timed results of a shape, best first; free() the list. Equal cycles: by point. */
const struct tune_result **tune_ranked(const struct tune *t, const char *shape, int64_t *n);

void tune_text(const struct tune *t, const struct tune_sets *shape, FILE *out);
/* One row per shape. */
void tune_table(const struct tune *t, FILE *out);
void tune_csv(const struct tune *t, FILE *out);
void tune_json(const struct tune *t, FILE *out);
/* Cycles of the best candidate for each pair of values of two parameters, as a picture. FAIL_USER: built without libpng. */
bool tune_png(const struct tune *t, const struct tune_sets *shape, const char *x, const char *y, const char *file,
	      struct fail *f) SIM_MUST_CHECK;

int cli_tune(int argc, char **argv);

#endif
