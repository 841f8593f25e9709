/*
 * theme.h - colours: light and dark, and for causes the Okabe-Ito palette, which people with the common kinds of colour
 * blindness tell apart; waits are hatched besides, so that work and waiting differ without any colour.
 */
#ifndef VIZ_THEME_H
#define VIZ_THEME_H

#include "model.h"

struct theme {
	uint32_t back, panel, lane, lane_other, line, text, faint, accent, select, cursor;
	uint32_t work, work_text, work_edge, critical, match, match_text, good, bad;
	uint32_t group[GROUP_COUNT];
};

const struct theme *theme_get(bool dark);
/* A colour between two, part in 1/256. */
uint32_t theme_mix(uint32_t a, uint32_t b, int part);

#endif
