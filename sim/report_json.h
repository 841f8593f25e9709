/*
 * report_json.h - the parts of the JSON report; for report_json*.c only.
 */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "report.h"

#include <jansson.h>

/* What struct report holds: result, time, pipes, memory, instructions. A new object. */
json_t *report_json_base(const struct report *r);

#endif
