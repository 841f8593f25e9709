/*
 * report_trace.c - `vinci report FILE.vtr`: the reasons that a trace carries, as the run's own report said them, and where
 * the cycles of its last core went. As text, and as JSON with the names of the report's schema.
 */
#include "report_trace.h"

#include "cli.h"
#include "reasons_json.h"

#include <stdlib.h>
#include <string.h>

static bool is_used(const struct vtr *t, uint32_t core, uint32_t pipe)
{
	const int64_t *v = t->done.totals + ((size_t)core * t->head.n_pipe + pipe) * t->head.n_cause;
	for (uint32_t k = 0; k < t->head.n_cause; k++)
		if (v[k] > 0 && (strcmp(t->head.cause[k], "busy") == 0 || strcmp(t->head.cause[k], "sync issue") == 0))
			return true;
	return false;
}

static void causes_text(const struct vtr *t, uint32_t core, FILE *out)
{
	const struct vtr_head *h = &t->head;
	const int64_t *total = t->done.totals + (size_t)core * h->n_pipe * h->n_cause;
	bool used[VTR_PIPES];
	char num[32];
	fprintf(out, "\nWhere the cycles of %s (%s, the last to finish) went\n  %-20s", h->core[core].name,
		h->core[core].kind, "");
	for (uint32_t p = 0; p < h->n_pipe; p++)
		if ((used[p] = is_used(t, core, p)))
			fprintf(out, " %11s", h->pipe[p]);
	fputc('\n', out);
	for (uint32_t k = 0; k < h->n_cause; k++) {
		bool any = false;
		for (uint32_t p = 0; p < h->n_pipe; p++)
			any |= used[p] && total[p * h->n_cause + k] > 0;
		if (!any)
			continue;
		fprintf(out, "  %-20s", h->cause[k]);
		for (uint32_t p = 0; p < h->n_pipe; p++) {
			int64_t v = total[p * h->n_cause + k];
			if (used[p])
				fprintf(out, " %11s", v ? report_number(v, num) : "-");
		}
		fputc('\n', out);
	}
}

static void trace_text(const struct vtr *t, FILE *out)
{
	const struct vtr_head *h = &t->head;
	char num[32];
	fprintf(out, "%s, entry %s, on %s: %llu block%s on %u core%s\n\nTime     %s cycles = %.2f us at %llu MHz\n",
		h->kernel, h->entry, h->chip, (unsigned long long)h->blocks, h->blocks == 1 ? "" : "s", h->n_core,
		h->n_core == 1 ? "" : "s", report_number(t->done.end, num), (double)t->done.end / (double)h->clock_mhz,
		(unsigned long long)h->clock_mhz);
	reasons_text(t->findings, t->done.end, out);
	reasons_path_text(t->findings, h->pipe, h->n_pipe, t->done.end, out);
	if (t->done.totals)
		causes_text(t, t->findings->path_core, out);
}

static bool trace_json(const struct vtr *t, FILE *out)
{
	const struct vtr_findings *x = t->findings;
	json_t *root = json_pack("{s:i,s:s,s:s,s:s,s:I,s:s,s:o,s:o}", "schema_version", REPORT_SCHEMA, "kernel",
				 t->head.kernel, "entry", t->head.entry, "chip", t->head.chip, "cycles",
				 (json_int_t)t->done.end, "bottleneck", x->headline, "findings", reasons_findings_json(x),
				 "critical_path", reasons_path_json(x, t->head.pipe, t->head.n_pipe));
	bool ok = root && json_dumpf(root, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;
	json_decref(root);
	return ok;
}

bool report_trace(const char *path, bool json, FILE *out, struct fail *f)
{
	struct vtr t;
	bool ok = true;
	if (!vtr_open(path, &t, f))
		return false;
	if (!t.has_done || t.done.failed || !t.findings) {
		fail_file(f, FAIL_USER, path, 0, "the trace holds no report: %s", t.has_done && t.done.failed ?
			  "its run failed" : !t.has_done ? "its run did not end" : "it is older than reports in traces");
		fail_hint(f, "vinci report KERNEL simulates and reports; vinci trace %s sums the instructions it holds", path);
		ok = false;
	} else if (!json) {
		trace_text(&t, out);
	} else {
		ok = trace_json(&t, out) || fail_set(f, FAIL_USER, "the JSON could not be written");
	}
	vtr_close(&t);
	return ok;
}

bool report_trace_is(const char *path)
{
	size_t n = strlen(path);
	return n > 4 && strcmp(path + n - 4, ".vtr") == 0;
}

int cli_report_trace(int argc, char **argv)
{
	struct cli_file file = { .stream = stdout };
	struct fail f = { 0 };
	bool json = false, ok = true, to_file = false;
	for (int i = 2; i < argc && ok; i++) {
		if (strncmp(argv[i], "--json", 6) == 0 && (argv[i][6] == 0 || argv[i][6] == '=') && !json) {
			json = true;
			to_file = argv[i][6] == '=';
			ok = !to_file || cli_file_open(&file, argv[i] + 7, &f);
		} else if (strcmp(argv[i], "--quiet") != 0) {
			ok = fail_set(&f, FAIL_USER, "%s: of a trace there is the report, as text or with --json; other"
				      " views need the kernel", argv[i]);
		}
	}
	ok = ok && report_trace(argv[1], json, file.stream, &f);
	if (to_file && file.stream)
		ok = cli_file_close(&file, ok, &f);
	if (!ok)
		fail_print(&f);
	return ok ? 0 : (int)f.class;
}
