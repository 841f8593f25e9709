/*
 * tuning.h - the table of `vinci tune` in the window: cycles over two parameters as a picture, the ranking, and of the
 * candidate that is pointed at or selected its parameters, cycles and bottleneck.
 */
#ifndef VIZ_TUNING_H
#define VIZ_TUNING_H

#include "../sim/fail.h"

#include <stdint.h>

enum { TUNING_PARAMS = 16, TUNING_SHAPES = 64, TUNING_NAME = 48, TUNING_TEXT = 384, TUNING_VALUES = 64 };

enum tuning_status { TUNED_TIMED, TUNED_REJECTED, TUNED_REFUSED, TUNED_WRONG, TUNED_FAILED, TUNED_STATUS };

struct tuning_row {
	int shape;
	enum tuning_status status;
	int64_t cycles, lacks;          /* lacks: by how much a rejected one breaks its constraint */
	int64_t value[TUNING_PARAMS];
	char *reason;                   /* bottleneck, or what is wrong with it */
};

struct tuning {
	char file[256];
	int n_param, n_shape;
	char param[TUNING_PARAMS][TUNING_NAME];
	char shape[TUNING_SHAPES][TUNING_TEXT];
	struct tuning_row *row;
	int64_t n_row, max_row;
	/* what is looked at */
	int at_shape, x, y;             /* parameters right and down */
	int64_t *rank, n_rank;          /* timed rows of the shape, best first */
	int64_t pick, hover, scroll;    /* rows, -1 none; first row of the ranking that is shown */
};

/* The CSV or JSON that `vinci tune` wrote. NULL and FAIL_USER with the line when it is something else or damaged. */
struct tuning *tuning_open(const char *path, struct fail *f);
/* The same from memory; text ends with a 0 behind its n bytes. */
struct tuning *tuning_parse(const char *text, size_t n, const char *path, struct fail *f);
void tuning_free(struct tuning *t);
/* Look at a shape: its ranking. False: no memory. */
bool tuning_look(struct tuning *t, int shape);

struct ui;
void tuning_draw(struct ui *u);
void tuning_key(struct ui *u, int key, int mods);
void tuning_point(struct ui *u);        /* the mouse is somewhere else */
void tuning_click(struct ui *u);
void tuning_wheel(struct ui *u, double dy);

#endif
