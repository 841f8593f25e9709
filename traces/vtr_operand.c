/*
 * vtr_operand.c - operands in a .vtr: how words are read (OPND), and the words of each block's events (WORD), apart from the
 * events so that who does not look at them does not pay for them. Both sides of them.
 */
#include "vtr_store.h"

#include <stdlib.h>

/* ---- writing ---- */

bool vtr_write_layouts(struct vtr_writer *w, const struct vtr_layout *layout, uint32_t n, const uint32_t *layout_of,
		       struct fail *f)
{
	static const struct vtr_bytes none;
	struct vtr_bytes b = { 0 };
	uint32_t n_site = vtr_writer_limits(w).n_site;
	if (n > VTR_LAYOUTS)
		return fail_set(f, FAIL_INTERNAL, "trace: %u layouts of operands", n);
	vtr_bytes_number(&b, n);
	for (uint32_t i = 0; i < n; i++) {
		vtr_bytes_number(&b, layout[i].n);
		for (uint32_t k = 0; k < layout[i].n; k++) {
			const struct vtr_operand *o = &layout[i].operand[k];
			vtr_bytes_text(&b, o->name);
			vtr_bytes_number(&b, (uint64_t)o->word | (uint64_t)o->address << 2);
			vtr_bytes_number(&b, o->lsb);
			vtr_bytes_number(&b, o->width);
			vtr_bytes_number(&b, o->lsb2);
			vtr_bytes_number(&b, o->width2);
		}
	}
	vtr_bytes_number(&b, n_site);
	for (uint32_t i = 0; i < n_site; i++)
		vtr_bytes_number(&b, layout_of[i] < n ? (uint64_t)layout_of[i] + 1 : 0);
	bool ok = vtr_write_chunk(w, VTR_OPND, &none, &b, f);
	free(b.at);
	return ok;
}

bool vtr_put_words(struct vtr_bytes *b, struct vtr_lane *l, const struct vtr_event *e)
{
	enum { MOST = 1 + 4 * 10 };
	uint8_t *p = vtr_bytes_room(b, MOST), *mark = p;
	if (!p)
		return false;
	*p++ = 0;
	if (!e->has_words)
		*mark = WORD_NONE;
	for (unsigned i = 0; e->has_words && i < 4; i++)
		if (e->word[i] != l->word[i]) {
			*mark |= (uint8_t)(1 << i);
			p = vtr_put(p, vtr_zig(e->word[i] - l->word[i]));
			l->word[i] = e->word[i];
		}
	b->n = (size_t)(p - b->at);
	return true;
}

/* ---- reading ---- */

static bool take_layout(struct vtr_store *s, struct vtr_in *in, struct vtr_layout *l)
{
	l->n = (uint32_t)vtr_take_max(in, VTR_OPERANDS);
	struct vtr_operand *o = vtr_arena(s, (l->n + 1) * sizeof *o);
	for (uint32_t k = 0; o && k < l->n; k++) {
		o[k].name = vtr_take_text(s, in);
		uint64_t word = vtr_take_max(in, 7);
		o[k].word = word & 3;
		o[k].address = word >> 2;
		o[k].lsb = (uint8_t)vtr_take_max(in, 63);
		o[k].width = (uint8_t)vtr_take_max(in, 64u - o[k].lsb);
		o[k].lsb2 = (uint8_t)vtr_take_max(in, 63);
		o[k].width2 = (uint8_t)vtr_take_max(in, o[k].width < 64 ? 63u - o[k].lsb2 : 0);
		in->bad |= o[k].width == 0 || o[k].width + o[k].width2 > 64;
	}
	l->operand = o;
	return o && !in->bad;
}

bool vtr_read_layouts(struct vtr *t, struct vtr_in *in)
{
	struct vtr_store *s = t->store;
	uint32_t n = (uint32_t)vtr_take_max(in, VTR_LAYOUTS);
	struct vtr_layout *layout = in->bad ? NULL : vtr_arena(s, (n + 1) * sizeof *layout);
	for (uint32_t i = 0; layout && i < n; i++)
		if (!take_layout(s, in, &layout[i]))
			return false;
	uint32_t n_site = (uint32_t)vtr_take_max(in, VTR_SITES);
	uint32_t *of = layout && !in->bad && n_site == t->n_site ? vtr_arena(s, (n_site + 1) * sizeof *of) : NULL;
	if (!of)
		return false;
	for (uint32_t i = 0; i < n_site; i++) {
		uint64_t v = vtr_take_max(in, n);
		of[i] = v ? (uint32_t)(v - 1) : UINT32_MAX;
	}
	if (in->bad || s->arena_failed || in->p != in->end)
		return false;
	t->layout = layout;
	t->n_layout = n;
	t->layout_of = of;
	return true;
}

bool vtr_take_words(struct vtr_in *in, struct vtr_lane *l, struct vtr_event *e)
{
	uint8_t mark = vtr_take_byte(in);
	if (in->bad || mark > WORD_NONE)
		return false;
	for (unsigned i = 0; i < 4; i++)
		if (mark >> i & 1)
			l->word[i] += vtr_zag(vtr_take(in));
	e->has_words = mark != WORD_NONE;
	memcpy(e->word, l->word, sizeof e->word);
	return !in->bad;
}
