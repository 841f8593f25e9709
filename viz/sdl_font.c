/*
 * sdl_font.c - DejaVu Sans Mono into alpha masks, once per size, by SDL2_ttf.
 */
#include "view.h"

#include <SDL2/SDL_ttf.h>
#include <stdlib.h>
#include <string.h>

static const char *const places[] = {
	"/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf",
	"/usr/share/fonts/TTF/DejaVuSansMono.ttf",
	"/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono.ttf",
	"/usr/share/fonts/dejavu/DejaVuSansMono.ttf",
	"/usr/local/share/fonts/DejaVuSansMono.ttf",
};

static const uint32_t extra[] = { 0x2192, 0x2190, 0x2191, 0x2193, 0x2026, 0xb5,   0xd7,
				  0xb7,   0x25be, 0x25b8, 0x25b6, 0xb1,   0x2013, 0xfffd };

static TTF_Font *open_ttf(int pixels)
{
	const char *own = getenv("VINCI_FONT");
	TTF_Font *t = own ? TTF_OpenFont(own, pixels) : NULL;
	for (size_t i = 0; !t && i < sizeof places / sizeof places[0]; i++)
		t = TTF_OpenFont(places[i], pixels);
	return t;
}

/* A glyph's mask into its cell, at its bearing. */
static void put_glyph(TTF_Font *t, uint32_t code, struct font *f, uint8_t *cell)
{
	int min_x = 0, max_x, min_y, max_y = 0, advance;
	SDL_Color white = { 255, 255, 255, 255 };
	if (code == ' ' || !TTF_GlyphIsProvided32(t, code) ||
	    TTF_GlyphMetrics32(t, code, &min_x, &max_x, &min_y, &max_y, &advance) != 0)
		return;
	SDL_Surface *s = TTF_RenderGlyph32_Blended(t, code, white);
	if (!s)
		return;
	SDL_Surface *a = SDL_ConvertSurfaceFormat(s, SDL_PIXELFORMAT_ARGB8888, 0);
	SDL_FreeSurface(s);
	for (int y = 0; a && y < a->h && y < f->cell_h; y++)
		for (int x = 0; x < a->w && x < f->cell_w; x++) {
			const uint8_t *row = (const uint8_t *)a->pixels + (size_t)y * (size_t)a->pitch;
			uint32_t p;
			memcpy(&p, row + 4 * x, 4);
			cell[y * f->cell_w + x] = (uint8_t)(p >> 24);
		}
	SDL_FreeSurface(a);
}

/* SDL_ttf's own figure cuts descenders and underscores at some sizes: measure what it draws. */
static int line_height(TTF_Font *t)
{
	int h = TTF_FontHeight(t), w, text_h;
	SDL_Color white = { 255, 255, 255, 255 };
	SDL_Surface *s = TTF_RenderGlyph32_Blended(t, '_', white);
	if (s && s->h > h)
		h = s->h;
	SDL_FreeSurface(s);
	if (TTF_SizeUTF8(t, "g_|", &w, &text_h) == 0 && text_h > h)
		h = text_h;
	return h > TTF_FontLineSkip(t) ? h : TTF_FontLineSkip(t);
}

bool font_open(struct font *f, int pixels, struct fail *fail)
{
	int advance = 0;
	memset(f, 0, sizeof *f);
	if (!TTF_WasInit() && TTF_Init() != 0)
		return fail_set(fail, FAIL_INTERNAL, "SDL_ttf: %s", TTF_GetError());
	TTF_Font *t = open_ttf(pixels);
	if (!t) {
		fail_set(fail, FAIL_USER, "the font DejaVu Sans Mono is not installed");
		return fail_hint(fail, "apt-get install fonts-dejavu-core, or name a monospaced .ttf in VINCI_FONT");
	}
	TTF_GlyphMetrics32(t, 'M', NULL, NULL, NULL, NULL, &advance);
	f->cell_w = advance > 0 ? advance : pixels / 2;
	f->cell_h = line_height(t);
	size_t cell = (size_t)f->cell_w * (size_t)f->cell_h;
	f->alpha = calloc(FONT_GLYPHS, cell);
	if (!f->alpha) {
		TTF_CloseFont(t);
		return fail_set(fail, FAIL_INTERNAL, "no memory for a font");
	}
	for (int i = 0; i < FONT_ASCII; i++)
		put_glyph(t, (uint32_t)(FONT_FIRST + i), f, f->alpha + (size_t)i * cell);
	for (size_t i = 0; i < sizeof extra / sizeof extra[0]; i++) {
		f->extra[i] = extra[i];
		put_glyph(t, extra[i], f, f->alpha + (FONT_ASCII + i) * cell);
	}
	TTF_CloseFont(t);
	return true;
}
