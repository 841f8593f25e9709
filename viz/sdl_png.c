/*
 * sdl_png.c - screenshots as PNG, by libpng.
 */
#include "view.h"

#include "../sim/cli.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

bool png_write(const char *path, const struct image *i, struct fail *f)
{
	struct cli_file file;
	png_image png = { .version = PNG_IMAGE_VERSION,
			  .width = (png_uint_32)i->w,
			  .height = (png_uint_32)i->h,
			  .format = PNG_FORMAT_BGR };
	uint8_t *bytes = malloc((size_t)i->w * (size_t)i->h * 3);
	if (!bytes)
		return fail_set(f, FAIL_INTERNAL, "no memory for a screenshot");
	for (size_t k = 0; k < (size_t)i->w * (size_t)i->h; k++) {
		uint32_t p = i->pixel[k];
		bytes[3 * k] = (uint8_t)p;
		bytes[3 * k + 1] = (uint8_t)(p >> 8);
		bytes[3 * k + 2] = (uint8_t)(p >> 16);
	}
	if (!cli_file_open(&file, path, f)) {
		free(bytes);
		return false;
	}
	bool ok = png_image_write_to_stdio(&png, file.stream, 0, bytes, 0, NULL) != 0;
	if (!ok)
		fail_file(f, FAIL_USER, path, 0, "the screenshot cannot be written: %s", png.message);
	free(bytes);
	return cli_file_close(&file, ok, f);
}
