/*
 * view.c - fuzz target: a trace file of any bytes, opened in the window, looked at in every panel and zoom.
 */
#include "../../viz/ui.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model *m = malloc(sizeof *m);
	struct fail f = { 0 };
	struct ui u;
	if (!m || !model_open_memory(m, data, size, "fuzz", &f)) {
		free(m);
		return 0;
	}
	ui_init(&u);
	if (ui_add_run(&u, m)) {
		for (int tab = 0; tab < TAB_COUNT; tab++) {
			u.tab = (enum ui_tab)tab;
			ui_key(&u, 'l', 0);
			ui_key(&u, '[', 0);
			ui_key(&u, 'c', 0);
			ui_finding(&u, (uint32_t)tab);
			ui_frame(&u);
			ui_zoom(&u, 0.3, (double)m->end / 3);
		}
		ui_search_set(&u, "UB:0x40");
		ui_search_next(&u, true);
		ui_search_set(&u, "v");
		ui_search_next(&u, false);
		ui_mouse_down(&u, 700, 150, 1, 0, 1);
		ui_mouse_move(&u, 400, 150);
		ui_mouse_up(&u, 400, 150, 1);
		ui_key(&u, 'x', 0);
		ui_fit(&u);
		ui_frame(&u);
	}
	ui_free(&u);
	return 0;
}
