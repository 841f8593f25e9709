/*
 * report_json_why.c - the reasons in JSON: findings, critical path, cores, source lines, instructions, what-if runs,
 * roofline. The whole report is one object, described by sim/schema/report.schema.json.
 */
#include "report_json.h"
#include "reasons_json.h"
#include "report_views.h"

#include <inttypes.h>
#include <string.h>

static json_t *integer(int64_t v) { return json_integer((json_int_t)v); }

static json_t *flag_hops(const struct report *r)
{
	json_t *hops = json_object();
	for (int a = 0; a < PIPE_COUNT; a++)
		for (int b = 0; b < PIPE_COUNT; b++) {
			char name[32];
			snprintf(name, sizeof name, "%s -> %s", isa_pipe_name(a), isa_pipe_name(b));
			if (r->path_hop[a][b])
				json_object_set_new(hops, name, integer((int64_t)r->path_hop[a][b]));
		}
	return hops;
}

/* Findings and critical path, in the form that a trace has them in too. */
static void set_reasons(const struct report *r, json_t *root)
{
	struct reasons why;
	vtr_text pipe[PIPE_COUNT];
	for (int i = 0; i < PIPE_COUNT; i++)
		pipe[i] = isa_pipe_name(i);
	reasons_of(r, NULL, &why);
	json_object_set_new(root, "findings", reasons_findings_json(&why.all));
	json_t *path = reasons_path_json(&why.all, pipe, PIPE_COUNT);
	json_object_set_new(path, "flags", flag_hops(r));
	json_object_set_new(root, "critical_path", path);
}

static json_t *causes(const int64_t cause[CAUSE_COUNT])
{
	json_t *j = json_object();
	for (int k = 0; k < CAUSE_COUNT; k++)
		if (cause[k])
			json_object_set_new(j, cause_text(k), integer(cause[k]));
	return j;
}

static json_t *cores(const struct sim *s)
{
	json_t *list = json_array();
	for (int i = 0; i < s->n_core; i++) {
		const struct core *c = &s->core[i];
		json_t *pipes = json_object();
		for (int q = 0; q < PIPE_COUNT; q++)
			if (q == PIPE_S || c->stats.pipe[q].ops)
				json_object_set_new(pipes, isa_pipe_name(q), causes(c->stats.pipe[q].cause));
		const char *kind = c->kind == CORE_CUBE ? "cube" : c->kind == CORE_VEC ? "vector" : "fused";
		json_array_append_new(list, json_pack("{s:i,s:s,s:i,s:I,s:I,s:o}", "core", i, "kind", kind, "blocks",
						      c->stats.blocks,
				      "first_cycle", (json_int_t)c->stats.first_cycle, "last_cycle",
				      (json_int_t)c->stats.last_cycle,
				      "cycles", pipes));
	}
	return list;
}

static json_t *lines(const struct report *r)
{
	json_t *list = json_array();
	for (int i = 0; i < r->n_line; i++) {
		const struct report_line *l = &r->line[i];
		json_array_append_new(list, json_pack("{s:s,s:i,s:I,s:I,s:I,s:I,s:I,s:I,s:o}", "file", l->file, "line",
						      l->line, "calls",
				      (json_int_t)l->calls, "path_cycles", (json_int_t)l->path, "busy_cycles",
				      (json_int_t)(l->busy + l->bank +
						   l->bandwidth), "waited_cycles", (json_int_t)(l->stall + l->held),
				      "idle_cycles", (json_int_t)l->empty, "issue_cycles", (json_int_t)l->issue,
				      "waited_for",
				      causes(l->cause)));
	}
	return list;
}

static json_t *site_json(const struct run *r, const struct why_path *p, int program, uint32_t word)
{
	const struct program *text = &r->program[program];
	const struct why_site *s = &r->why.site[program][word];
	char pc[32], place[400], name[64], by[32] = "";
	snprintf(pc, sizeof pc, "0x%" PRIx64, text->text_addr + 4 * (uint64_t)word);
	program_line(text, text->text_addr + 4 * (uint64_t)word, place, sizeof place);
	if (s->stall + s->held > 0 && s->releaser != UINT32_MAX)
		snprintf(by, sizeof by, "0x%" PRIx64, text->text_addr + 4 * (uint64_t)s->releaser);
	struct op op = { .insn = text->insn[word].id, .variant = text->insn[word].rs3 };
	op_name(&op, name, sizeof name);
	int cause = s->stall >= s->held ? s->cause : s->hold_cause;
	return json_pack("{s:i,s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:s,s:s}", "program", program, "pc", pc,
			 "instruction",
			 name, "pipe", isa_pipe_name(s->calls ? s->pipe : PIPE_S), "place", place,
			 "calls", (json_int_t)s->calls, "path_cycles", (json_int_t)p->site[program][word],
			 "busy_cycles",
			 (json_int_t)(s->busy + s->bank +
				      s->bandwidth), "bank_cycles", (json_int_t)s->bank, "shared_cycles",
			 (json_int_t)s->bandwidth, "waited_cycles", (json_int_t)(s->stall + s->held), "idle_cycles",
			 (json_int_t)s->empty, "issue_cycles", (json_int_t)s->issue, "waited_for",
			 s->stall + s->held > 0 ? cause_text(cause) : "", "ended_by", by);
}

static json_t *sites(const struct run *r, const struct why_path *p)
{
	json_t *list = json_array();
	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; r->has_program[k] && i < r->program[k].n_insn; i++)
			if (r->why.site[k][i].calls || r->why.site[k][i].held || p->site[k][i])
				json_array_append_new(list, site_json(r, p, k, i));
	return list;
}

static json_t *what_if(const struct run *r, const struct whatif_result *w, int n)
{
	json_t *list = json_array();
	for (int i = 0; i < n; i++)
		json_array_append_new(list, json_pack("{s:s,s:s,s:I,s:I,s:I}", "change", w[i].text, "meaning", w[i].doc,
						      "cycles",
				      (json_int_t)w[i].cycles, "cycles_now", (json_int_t)r->sim.end, "saves_cycles",
				      (json_int_t)(r->sim.end - w[i].cycles)));
	return list;
}

static json_t *roofline(const struct run *r)
{
	struct roofline f = roofline_of(r);
	return json_pack("{s:s,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:s,s:I}", "work_unit", f.cube ? "MAC" :
			 "byte of vector work", "work", f.work,
			 "hbm_bytes", f.bytes, "l2_bytes", f.l2_bytes, "peak_per_cycle", f.peak_chip,
			 "peak_per_cycle_core", f.peak_core,
			 "hbm_bytes_per_cycle", f.hbm_rate, "roof_per_cycle", f.roof, "reached_per_cycle", f.reached,
			 "limit",
			 f.memory ? "memory" : "compute", "least_bytes", (json_int_t)r->report.least_bytes);
}

bool report_json(const struct run *r, const struct whatif_result *w, int n, FILE *out, struct fail *f)
{
	struct why_path p;
	if (!why_path(&r->why, &p, f))
		return false;
	json_t *root = report_json_base(&r->report);
	set_reasons(&r->report, root);
	json_object_set_new(root, "per_core", cores(&r->sim));
	json_object_set_new(root, "lines", lines(&r->report));
	json_object_set_new(root, "sites", sites(r, &p));
	json_object_set_new(root, "what_if", what_if(r, w, n));
	json_object_set_new(root, "roofline", roofline(r));
	why_path_free(&p);
	bool ok = json_dumpf(root, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;
	json_decref(root);
	return ok || fail_set(f, FAIL_USER, "the JSON report could not be written");
}
