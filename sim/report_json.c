/*
 * report_json.c - the report as JSON, schema_version REPORT_SCHEMA.
 */
#include "report_json.h"

#include "check_json.h"

#include <jansson.h>

static json_t *share3(double min, double mean, double max)
{
	return json_pack("{s:f,s:f,s:f}", "min", min, "mean", mean, "max", max);
}

/* JSON has no inf or nan: those become null. */
static json_t *real(double v)
{
	json_t *j = json_real(v);
	return j ? j : json_null();
}

static json_t *kind_json(const struct report_kind *k)
{
	json_t *pipes = json_object();
	for (int p = 0; p < PIPE_COUNT; p++) {
		const struct report_pipe *rp = &k->pipe[p];
		json_t *causes = json_object();
		if (!rp->present) {
			json_decref(causes);
			continue;
		}
		for (int c = 0; c < CAUSE_COUNT; c++)
			if (rp->cause[c])
				json_object_set_new(causes, cause_text(c), json_integer(rp->cause[c]));
		json_object_set_new(pipes, isa_pipe_name(p),
				    json_pack("{s:o,s:I,s:o}", "busy_ratio", share3(rp->min, rp->mean, rp->max),
					      "instructions",
					      (json_int_t)rp->ops, "cycles_of_last_core", causes));
	}
	const char *name = k->kind == CORE_CUBE ? "cube" : k->kind == CORE_VEC ? "vector" : "fused";
	return json_pack("{s:s,s:i,s:i,s:o}", "kind", name, "cores", k->cores, "last_core", k->last_core, "pipes",
			 pipes);
}

static json_t *output_json(const struct report_output *o)
{
	json_t *shape = json_array(), *first = json_array();
	const struct compare *c = &o->compare;
	for (int i = 0; i < o->array.n_dim; i++)
		json_array_append_new(shape, json_integer((json_int_t)o->array.dim[i]));
	json_t *j = json_pack("{s:s,s:s,s:o,s:b}", "name", o->name, "dtype", dtype_name(o->array.dtype), "shape", shape,
			      "compared", o->compared);
	if (!o->compared) {
		json_decref(first);
		return j;
	}
	for (int i = 0; i < c->n_first; i++)
		json_array_append_new(first, json_pack("{s:I,s:o,s:o}", "index", (json_int_t)c->first[i].index,
						       "expected",
						       real(c->first[i].expected),
						       "got", real(c->first[i].got)));
	json_object_set_new(j, "pass", json_boolean(c->pass));
	json_object_set_new(j, "golden", json_string(o->golden));
	json_object_set_new(j, "elements", json_integer((json_int_t)c->count));
	json_object_set_new(j, "outside_tolerance", json_integer((json_int_t)c->wrong));
	json_object_set_new(j, "max_abs", real(c->max_abs));
	json_object_set_new(j, "max_rel", real(c->max_rel));
	json_object_set_new(j, "rtol", json_real(o->tolerance.rtol));
	json_object_set_new(j, "atol", json_real(o->tolerance.atol));
	json_object_set_new(j, "error_bound", json_boolean(c->bound));
	json_object_set_new(j, "allowed_fraction", json_real(o->tolerance.fraction));
	json_object_set_new(j, "first_mismatches", first);
	return j;
}

static void lists(const struct report *r, json_t *root)
{
	json_t *paths = json_array(), *insns = json_object(), *notes = json_array(), *outputs = json_array(), *kinds =
	json_array();
	for (int i = 0; i < r->n_path; i++)
		json_array_append_new(paths, json_pack("{s:s,s:s,s:I}", "from", isa_space_name(r->path[i].from), "to",
						       isa_space_name(r->path[i].to), "bytes",
						       (json_int_t)r->path[i].bytes));
	for (int i = 0; i < r->n_insn; i++)
		json_object_set_new(insns, isa_table[r->insn[i].id].name, json_integer((json_int_t)r->insn[i].count));
	for (int i = 0; i < r->n_note; i++)
		json_array_append_new(notes, json_string(r->note[i]));
	for (int i = 0; i < r->n_output; i++)
		json_array_append_new(outputs, output_json(&r->output[i]));
	for (int i = 0; i < r->n_kind; i++)
		json_array_append_new(kinds, kind_json(&r->kind[i]));
	json_object_set_new(root, "outputs", outputs);
	json_object_set_new(root, "core_kinds", kinds);
	json_object_set_new(root, "paths", paths);
	json_object_set_new(root, "instructions", insns);
	json_object_set_new(root, "notes", notes);
	if (r->check)
		json_object_set_new(root, "checks", check_json(r->check));
}

json_t *report_json_base(const struct report *r)
{
	json_t *root = json_object();
	json_object_set_new(root, "schema_version", json_integer(REPORT_SCHEMA));
	json_object_set_new(root, "kernel", json_string(r->kernel));
	json_object_set_new(root, "entry", json_string(r->entry));
	json_object_set_new(root, "chip", json_string(r->chip));
	json_object_set_new(root, "blocks", json_integer(r->blocks));
	json_object_set_new(root, "cores", json_integer(r->cores));
	json_object_set_new(root, "timing_only", json_boolean(r->timing_only));
	json_object_set_new(root, "passed", json_boolean(report_passed(r)));
	json_object_set_new(root, "cycles", json_integer(r->cycles));
	json_object_set_new(root, "clock_mhz", json_integer(r->clock_mhz));
	json_object_set_new(root, "microseconds", json_real((double)r->cycles / (double)r->clock_mhz));
	json_object_set_new(root, "bottleneck", json_string(r->bottleneck));
	json_object_set_new(root, "macs", json_integer((json_int_t)r->macs));
	json_object_set_new(root, "mac_peak_share", json_real(r->mac_share));
	json_object_set_new(root, "memory", json_pack("{s:I,s:I,s:I,s:I,s:f,s:f}", "gm_bytes", (json_int_t)r->gm_bytes,
						      "hbm_bytes",
			    (json_int_t)r->hbm_bytes, "l2_hit_bytes", (json_int_t)r->l2_hit_bytes, "l2_miss_bytes",
			    (json_int_t)r->l2_miss_bytes, "hbm_bandwidth_share", r->hbm_share, "l2_bandwidth_share",
			    r->l2_share));
	json_object_set_new(root, "scalar_instructions", json_integer((json_int_t)r->rv_insns));
	json_object_set_new(root, "davinci_instructions", json_integer((json_int_t)r->ops));
	json_object_set_new(root, "icache_misses", json_integer((json_int_t)r->icache_misses));
	json_object_set_new(root, "dcache_misses", json_integer((json_int_t)r->dcache_misses));
	lists(r, root);
	return root;
}
