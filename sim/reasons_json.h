/*
 * reasons_json.h - findings and critical path as JSON, named as sim/schema/report.schema.json says; of a run or of a trace.
 */
#ifndef REASONS_JSON_H
#define REASONS_JSON_H

#include "reasons.h"

#include <jansson.h>

json_t *reasons_findings_json(const struct vtr_findings *x);
json_t *reasons_path_json(const struct vtr_findings *x, const vtr_text *pipe, uint32_t n_pipe);

#endif
