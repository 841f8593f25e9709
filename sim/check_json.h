/*
 * check_json.h - findings as JSON.
 */
#ifndef CHECK_JSON_H
#define CHECK_JSON_H

#include "check.h"

#include <jansson.h>

/* {"enabled": [...], "findings": [...], "over_sync": [...], "not_modelled": [...]}; the caller owns it. */
json_t *check_json(const struct check_result *r);
/* Document of a run that did not come to its end: what the report would begin with, the error, the checks. */
bool check_json_failed(const char *kernel, const struct check_result *r, const struct fail *why, FILE *out,
		       struct fail *f) SIM_MUST_CHECK;

#endif
