/*
 * tune_png.c - cycles over two parameters as a picture: a cell per pair of values, coloured by its best candidate,
 * with the cycles relative to the winner written in. Needs libpng; without it the option says so.
 */
#include "tune.h"

#ifdef HAVE_PNG
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { CELL_W = 64, CELL_H = 36, LEFT = 96, TOP = 48, GLYPH_W = 4, GLYPH_H = 6, SCALE = 2 };

struct image { int w, h; uint8_t *rgb; };

/* 3 x 5 dots per character, rows from the top, three bits each. */
static uint16_t glyph(char c)
{
	static const uint16_t digit[] = { 075557, 026227, 071747, 071717, 055711, 074717, 074757, 071111, 075757, 075717 };
	static const uint16_t letter[] = { 025755, 065656, 034443, 065556, 074747, 074744, 034553, 055755, 072227, 011152,
					   055655,
					   044447, 057755, 065555, 025552, 065644, 025531, 065655, 034216, 072222, 055557,
					   	055522,
					   055775, 055255, 055222, 071247 };

	if (c >= '0' && c <= '9')
		return digit[c - '0'];
	if (c >= 'a' && c <= 'z')
		return letter[c - 'a'];
	if (c >= 'A' && c <= 'Z')
		return letter[c - 'A'];
	return c == '.' ? 000002 : c == '_' ? 000007 : c == '%' ? 051245 : c == '=' ? 007070 : c == '+' ? 002720 : 0;
}

static void dot(struct image *m, int x, int y, const uint8_t rgb[3])
{
	if (x >= 0 && y >= 0 && x < m->w && y < m->h)
		memcpy(m->rgb + 3 * ((size_t)y * (size_t)m->w + (size_t)x), rgb, 3);
}

static void box(struct image *m, int x, int y, int w, int h, const uint8_t rgb[3])
{
	for (int j = 0; j < h; j++)
		for (int i = 0; i < w; i++)
			dot(m, x + i, y + j, rgb);
}

static void words(struct image *m, int x, int y, const char *text, const uint8_t rgb[3])
{
	for (; *text; text++, x += GLYPH_W * SCALE) {
		unsigned g = glyph(*text);
		for (int i = 0; i < 15; i++)
			if (g >> (14 - i) & 1)
				box(m, x + i % 3 * SCALE, y + i / 3 * SCALE, SCALE, SCALE, rgb);
	}
}

/* Blue is best, over white to red at twice the cycles and more. */
static void colour(double ratio, uint8_t rgb[3])
{
	double v = ratio >= 2 ? 1 : ratio - 1;
	double low = v < 0.5 ? v * 2 : 1, high = v < 0.5 ? 0 : v * 2 - 1;

	rgb[0] = (uint8_t)(70 + 185 * low);
	rgb[1] = (uint8_t)(130 + 115 * low - 175 * high);
	rgb[2] = (uint8_t)(220 + 10 * low - 170 * high);
}

static const struct tune_param *param_of(const struct tune *t, const char *name, struct fail *f)
{
	for (int i = 0; i < t->space.n_param; i++)
		if (strcmp(t->space.param[i].name, name) == 0)
			return &t->space.param[i];
	fail_set(f, FAIL_USER, "--axes: %s is not varied by the group tune", name);
	return NULL;
}

/* Fewest cycles with these two values; 0: none was timed. */
static int64_t best_at(const struct tune *t, const char *shape, const char *x, int64_t vx, const char *y, int64_t vy)
{
	int64_t best = 0, a, b;

	for (int64_t i = 0; i < t->log.n; i++) {
		const struct tune_result *r = &t->log.result[i];
		if (r->status == TUNE_TIMED && strcmp(r->shape.text, shape) == 0 && tune_value(&r->point, x, &a) && a == vx &&
		    tune_value(&r->point, y, &b) && b == vy && (!best || r->cycles < best))
			best = r->cycles;
	}
	return best;
}

static void draw(struct image *m, const struct tune *t, const char *shape, const struct tune_param *px,
		 const struct tune_param *py)
{
	static const uint8_t black[3] = { 0 }, grey[3] = { 225, 225, 225 };
	int64_t n;
	const struct tune_result **list = tune_ranked(t, shape, &n);
	double winner = list && n ? (double)list[0]->cycles : 1;
	char text[64];

	snprintf(text, sizeof text, "%.24s right, %.24s down", px->name, py->name);
	words(m, 8, 8, text, black);
	for (int i = 0; i < px->n; i++) {
		snprintf(text, sizeof text, "%lld", (long long)px->value[i]);
		words(m, LEFT + i * CELL_W + 8, TOP - 16, text, black);
	}
	for (int j = 0; j < py->n; j++) {
		snprintf(text, sizeof text, "%lld", (long long)py->value[j]);
		words(m, 8, TOP + j * CELL_H + 12, text, black);
		for (int i = 0; i < px->n; i++) {
			int64_t c = best_at(t, shape, px->name, px->value[i], py->name, py->value[j]);
			uint8_t rgb[3];
			if (c)
				colour((double)c / winner, rgb);
			box(m, LEFT + i * CELL_W, TOP + j * CELL_H, CELL_W - 2, CELL_H - 2, c ? rgb : grey);
			snprintf(text, sizeof text, "%.3f", (double)c / winner);
			words(m, LEFT + i * CELL_W + 8, TOP + j * CELL_H + 12, c ? text : "", black);
		}
	}
	free(list);
}

static bool write_png(const struct image *m, const char *file, struct fail *f)
{
	struct cli_file out;
	png_image head = { .version = PNG_IMAGE_VERSION, .width = (png_uint_32)m->w, .height = (png_uint_32)m->h,
			   .format = PNG_FORMAT_RGB };

	if (!cli_file_open(&out, file, f))
		return false;
	bool ok = png_image_write_to_stdio(&head, out.stream, 0, m->rgb, 0, NULL) != 0;
	if (!ok)
		fail_set(f, FAIL_USER, "%s: %s", file, head.message);
	return cli_file_close(&out, ok, f);
}

bool tune_png(const struct tune *t, const struct tune_sets *shape, const char *x, const char *y, const char *file,
	      struct fail *f)
{
	const struct tune_param *px = param_of(t, x, f), *py = px ? param_of(t, y, f) : NULL;

	if (!py)
		return false;
	struct image m = { .w = LEFT + px->n * CELL_W + 8, .h = TOP + py->n * CELL_H + 8 };
	if (m.w < 420)
		m.w = 420;
	m.rgb = malloc((size_t)m.w * (size_t)m.h * 3);
	if (!m.rgb)
		return fail_set(f, FAIL_INTERNAL, "no memory for the picture");
	memset(m.rgb, 255, (size_t)m.w * (size_t)m.h * 3);
	draw(&m, t, shape->text, px, py);
	bool ok = write_png(&m, file, f);
	free(m.rgb);
	return ok;
}

#else

bool tune_png(const struct tune *t, const struct tune_sets *shape, const char *x, const char *y, const char *file,
	      struct fail *f)
{
	(void)t;
	(void)shape;
	(void)x;
	(void)y;
	return fail_set(f, FAIL_USER, "%s: Vinci was built without libpng (Debian: libpng-dev)", file);
}

#endif
