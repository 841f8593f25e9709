/*
 * tuning.c - fuzz target: tables of vinci tune from memory, then a frame of the window on what was read.
 */
#include "../../viz/tuning.h"
#include "../../viz/ui.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fail f = { 0 };
	struct tuning *t = tuning_parse((const char *)data, size, "fuzz.csv", &f);
	struct ui u;

	if (!t) {
		if (f.class != FAIL_USER)
			__builtin_trap();
		return 0;
	}
	ui_init(&u);
	u.tuning = t;
	ui_size(&u, 800, 500, 7, 15);
	static const int keys[] = { 'x', 'y', 'n', KEY_DOWN, KEY_END, KEY_PAGE_UP, 'p' };
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		ui_key(&u, keys[i], 0);
		ui_mouse_move(&u, 100 + 40 * (int)i, 90);
		ui_frame(&u);
	}
	ui_mouse_down(&u, 200, 90, 1, 0, 1);
	ui_wheel(&u, 600, 400, 0, -1, 0);
	ui_frame(&u);
	ui_free(&u);
	return 0;
}
