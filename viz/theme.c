/*
 * theme.c - the two themes.
 */
#include "theme.h"

/* Okabe and Ito's eight colours, lighter or darker where the ground asks for it. */
static const struct theme dark = {
	.back = 0xff14171c, .panel = 0xff1b1f26, .lane = 0xff20252d, .lane_other = 0xff241f2b,
	.line = 0xff3a414d, .text = 0xffe4e7ec, .faint = 0xff98a2b1,
	.accent = 0xff56b4e9, .select = 0xffffffff, .cursor = 0xffffe08a,
	.work = 0xff3f78a8, .work_text = 0xffffffff, .work_edge = 0xff16324a, .critical = 0xffff5c8a, .match = 0xffe3d27a,
	.match_text = 0xff10151b, .good = 0xff3ccf91, .bad = 0xffff6b5e,
	.group = {
		[GROUP_BUSY] = 0xff3f78a8, [GROUP_SYNC] = 0xff8fb7d6, [GROUP_BANK] = 0xffcc79a7,
		[GROUP_BANDWIDTH] = 0xffd55e00,
		[GROUP_FLAG] = 0xffe69f00, [GROUP_BARRIER] = 0xff009e73, [GROUP_CROSS] = 0xff9d7ad6,
		[GROUP_QUEUE] = 0xfff0e442,
		[GROUP_CACHE] = 0xffb5835a, [GROUP_EMPTY] = 0xff5b6470, [GROUP_OUTSIDE] = 0xff353b45,
	},
};

static const struct theme light = {
	.back = 0xfff4f5f7, .panel = 0xffffffff, .lane = 0xffe9ecf0, .lane_other = 0xfff0e9f4,
	.line = 0xffc3c9d2, .text = 0xff1a1e24, .faint = 0xff5d6673,
	.accent = 0xff0067a5, .select = 0xff000000, .cursor = 0xff7a4e00,
	.work = 0xff6fa8d6, .work_text = 0xff0b1a27, .work_edge = 0xff2f6590, .critical = 0xffd0104c, .match = 0xffffe27a,
	.match_text = 0xff1a1e24, .good = 0xff00784f, .bad = 0xffb3261e,
	.group = {
		[GROUP_BUSY] = 0xff6fa8d6, [GROUP_SYNC] = 0xff2f6590, [GROUP_BANK] = 0xffcc79a7,
		[GROUP_BANDWIDTH] = 0xffd55e00,
		[GROUP_FLAG] = 0xffe69f00, [GROUP_BARRIER] = 0xff009e73, [GROUP_CROSS] = 0xff7d55c0,
		[GROUP_QUEUE] = 0xffd4c400,
		[GROUP_CACHE] = 0xff8a5a33, [GROUP_EMPTY] = 0xffb4bac3, [GROUP_OUTSIDE] = 0xffd9dde3,
	},
};

const struct theme *theme_get(bool is_dark) { return is_dark ? &dark : &light; }

uint32_t theme_mix(uint32_t a, uint32_t b, int part)
{
	uint32_t out = 0xff000000;
	for (int shift = 0; shift < 24; shift += 8) {
		int x = (int)(a >> shift & 255), y = (int)(b >> shift & 255);
		out |= (uint32_t)(x + (y - x) * part / 256) << shift;
	}
	return out;
}
