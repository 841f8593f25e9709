/*
 * reasons_json.c - findings and critical path as JSON.
 */
#include "reasons_json.h"

/* Names of findings as keys: blanks stay in text, not in ids. */
static json_t *slug(const char *text)
{
	char id[64];
	size_t n = 0;
	for (; text[n] && n + 1 < sizeof id; n++)
		id[n] = text[n] == ' ' ? '-' : text[n];
	id[n] = 0;
	return json_string(id);
}

json_t *reasons_findings_json(const struct vtr_findings *x)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < x->n_finding; i++) {
		const struct vtr_finding *f = &x->finding[i];
		json_array_append_new(list, json_pack("{s:o,s:s,s:s,s:s,s:s,s:I,s:b}", "id", slug(f->id), "what", f->what,
						      "try", f->attempt, "place", f->place, "what_if", f->what_if,
						      "saves_at_most_cycles", (json_int_t)f->gain, "measured",
						      f->measured));
	}
	return list;
}

json_t *reasons_path_json(const struct vtr_findings *x, const vtr_text *pipe, uint32_t n_pipe)
{
	json_t *pipes = json_object();
	for (uint32_t q = 0; q < n_pipe; q++) {
		const int64_t *part = x->path + q * x->n_part;
		json_t *parts = json_object();
		for (uint32_t k = 0; k < x->n_part; k++)
			if (part[k])
				json_object_set_new(parts, x->part[k], json_integer((json_int_t)part[k]));
		if (json_object_size(parts))
			json_object_set(pipes, pipe[q], parts);
		json_decref(parts);
	}
	return json_pack("{s:I,s:I,s:o}", "instructions", (json_int_t)x->path_links, "known_cycles",
			 (json_int_t)x->path_cycles, "cycles", pipes);
}
