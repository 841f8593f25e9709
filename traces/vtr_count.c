/*
 * vtr_count.c - counters of a run by name: how they are written into a .vtr, read again, and looked up.
 */
#include "vtr_store.h"

#include <stdlib.h>

enum { NAME_MAX_BYTES = 63 };

static void put_names(struct vtr_bytes *b, const vtr_text *name, uint32_t n)
{
	vtr_bytes_number(b, n);
	for (uint32_t i = 0; i < n; i++)
		vtr_bytes_text(b, name[i]);
}

static void put_values(struct vtr_bytes *b, const int64_t *value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vtr_bytes_number(b, (uint64_t)value[i]);
}

static bool names_fit(const vtr_text *name, uint32_t n)
{
	bool ok = n <= VTR_COUNTERS;
	for (uint32_t i = 0; i < n && ok; i++)
		ok = strlen(name[i]) <= NAME_MAX_BYTES;
	return ok;
}

bool vtr_write_counters(struct vtr_writer *w, const struct vtr_counters *c, uint32_t n_core, struct fail *f)
{
	if (!names_fit(c->run_name, c->n_run) || !names_fit(c->core_name, c->n_core))
		return fail_set(f, FAIL_INTERNAL, "trace: too many counters, or a name of more than %d bytes", NAME_MAX_BYTES);
	struct vtr_bytes payload = { 0 };
	static const struct vtr_bytes none;
	put_names(&payload, c->run_name, c->n_run);
	put_values(&payload, c->run_value, c->n_run);
	put_names(&payload, c->core_name, c->n_core);
	put_values(&payload, c->core_value, (size_t)c->n_core * n_core);
	bool ok = vtr_write_chunk(w, VTR_CNTR, &none, &payload, f);
	free(payload.at);
	return ok;
}

static const vtr_text *take_names(struct vtr_store *s, struct vtr_in *in, uint32_t *n)
{
	*n = (uint32_t)vtr_take_max(in, VTR_COUNTERS);
	vtr_text *name = vtr_arena(s, (*n + 1) * sizeof *name);
	for (uint32_t i = 0; name && i < *n; i++)
		name[i] = vtr_take_text(s, in);
	return name;
}

static const int64_t *take_values(struct vtr_store *s, struct vtr_in *in, size_t n)
{
	/* each takes a byte at least */
	int64_t *value = n <= (size_t)(in->end - in->p) ? vtr_arena(s, (n + 1) * sizeof *value) : NULL;
	in->bad |= !value;
	for (size_t i = 0; value && i < n; i++)
		value[i] = (int64_t)vtr_take_max(in, INT64_MAX);
	return value;
}

bool vtr_read_counters(struct vtr *t, struct vtr_in *in)
{
	struct vtr_store *s = t->store;
	struct vtr_counters c;
	c.run_name = take_names(s, in, &c.n_run);
	c.run_value = take_values(s, in, c.n_run);
	c.core_name = take_names(s, in, &c.n_core);
	c.core_value = take_values(s, in, (size_t)c.n_core * t->head.n_core);
	if (in->bad || s->arena_failed || in->p != in->end)
		return false;
	t->counters = c;
	return true;
}

static int find(const vtr_text *name, uint32_t n, const char *wanted)
{
	for (uint32_t i = 0; i < n; i++)
		if (strcmp(name[i], wanted) == 0)
			return (int)i;
	return -1;
}

int64_t vtr_run_counter(const struct vtr *t, const char *name)
{
	int i = find(t->counters.run_name, t->counters.n_run, name);
	return i < 0 ? -1 : t->counters.run_value[i];
}

int64_t vtr_core_counter(const struct vtr *t, uint32_t core, const char *name)
{
	const struct vtr_counters *c = &t->counters;
	int i = find(c->core_name, c->n_core, name);
	if (i >= 0)
		return c->core_value[(size_t)core * c->n_core + (uint32_t)i];
	bool bytes = strncmp(name, "read.", 5) == 0 || strncmp(name, "written.", 8) == 0 || strncmp(name, "moved.", 6) == 0;
	return c->n_core > 0 && bytes ? 0 : -1;
}
