/*
 * check_json.c - findings as JSON; part of the report's document.
 */
#include "check_json.h"

#include "report.h"

#include <stdlib.h>
#include <string.h>

/* "matmul.c:88 in matmul" apart: file, line, function. */
static void line_json(json_t *j, const char *text)
{
	const char *in = strstr(text, " in "), *end = in ? in : text + strlen(text), *colon = NULL;
	for (const char *p = text; p < end; p++)
		if (*p == ':')
			colon = p;
	if (!colon)
		return;
	json_object_set_new(j, "file", json_stringn(text, (size_t)(colon - text)));
	json_object_set_new(j, "line", json_integer(strtol(colon + 1, NULL, 10)));
	if (in)
		json_object_set_new(j, "function", json_string(in + 4));
}

static json_t *place_json(const struct check_place *p)
{
	json_t *j = json_object();
	line_json(j, p->line);
	json_object_set_new(j, "instruction", json_string(p->insn));
	json_object_set_new(j, "pc", json_integer((json_int_t)p->pc));
	if (p->core >= 0) {
		json_object_set_new(j, "core", json_integer(p->core));
		if (p->block >= 0)
			json_object_set_new(j, "block", json_integer(p->block));
		if (p->pipe >= 0)
			json_object_set_new(j, "pipe", json_string(isa_pipe_name((enum isa_pipe)p->pipe)));
	}
	if (p->cycle >= 0)
		json_object_set_new(j, "cycle", json_integer(p->cycle));
	return j;
}

json_t *check_json(const struct check_result *r)
{
	static const char *const name[] = { "mem", "init", "race", "sync", "oversync" };
	json_t *enabled = json_array(), *findings = json_array(), *over = json_array(), *gaps = json_array();
	for (unsigned i = 0; i < sizeof name / sizeof name[0]; i++)
		if (r->bits >> i & 1)
			json_array_append_new(enabled, json_string(name[i]));
	for (int i = 0; i < r->n_finding; i++) {
		const struct check_finding *f = &r->finding[i];
		json_t *j = json_pack("{s:s,s:s,s:s,s:s,s:I,s:i,s:o}", "check", check_kind_name(f->kind), "code", f->code,
				      "what", f->what, "hint", f->hint, "count", (json_int_t)f->count, "cause",
				      f->cause, "at", place_json(&f->at));
		if (f->cores)
			json_object_set_new(j, "cores", json_integer(f->cores));
		if (f->other.core >= 0) {
			json_object_set_new(j, "other_is", json_string(f->other_role));
			json_object_set_new(j, "other", place_json(&f->other));
		}
		json_array_append_new(findings, j);
	}
	for (int i = 0; i < r->n_over; i++)
		json_array_append_new(over, json_pack("{s:I,s:I,s:o}", "cycles", (json_int_t)r->over[i].cycles, "times",
						      (json_int_t)r->over[i].times, "at", place_json(&r->over[i].at)));
	for (int i = 0; i < r->n_gap; i++)
		json_array_append_new(gaps, json_pack("{s:s,s:I,s:o}", "what", r->gap[i].what, "times",
						      (json_int_t)r->gap[i].count, "at", place_json(&r->gap[i].at)));
	return json_pack("{s:o,s:o,s:I,s:o,s:o}", "enabled", enabled, "findings", findings, "findings_not_listed",
			 (json_int_t)r->more, "over_sync", over, "not_modelled", gaps);
}

bool check_json_failed(const char *kernel, const struct check_result *r, const struct fail *why, FILE *out,
		       struct fail *f)
{
	json_t *root = json_pack("{s:i,s:s,s:b,s:s,s:o}", "schema_version", REPORT_SCHEMA, "kernel", kernel, "passed",
				 0, "error", why->what, "checks", check_json(r));
	bool ok = json_dumpf(root, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;
	json_decref(root);
	return ok || fail_set(f, FAIL_USER, "the JSON report could not be written");
}
