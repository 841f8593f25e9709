/*
 * cfg.h - what chips and launch files share: libconfig text with includes, errors that name file and line, typed
 * values, and the nearest known name for a misspelt one.
 *
 * A line `@include "file"` is replaced by that file, relative to the file it stands in; it must be alone on its line.
 * Vinci expands it itself, so that every line knows where it came from.
 */
#ifndef CFG_H
#define CFG_H

#include "fail.h"

#include <libconfig.h>
#include <stddef.h>

enum { CFG_FILES = 16, CFG_DEPTH = 4, CFG_BYTES = 1 << 20 };

struct cfg_line { int file, line; };

struct cfg {
	config_t config;
	char *text;                /* all files as one */
	size_t size;
	struct cfg_line *line;     /* line i of text, from 0 */
	int n_line;
	int n_file;
	char file[CFG_FILES][512]; /* 0 is the main file */
};

/* Read and parse; the text variant has no includes. FAIL_USER: unreadable, binary, too large, include that is missing
 * or too deep, syntax. On failure c needs no cfg_free. */
bool cfg_load(struct cfg *c, const char *file, struct fail *f) SIM_MUST_CHECK;
bool cfg_parse(struct cfg *c, const char *text, const char *file, struct fail *f) SIM_MUST_CHECK;
void cfg_free(struct cfg *c);

/* FAIL_USER at the place of a setting. NULL: at the main file. */
bool cfg_fail(const struct cfg *c, const config_setting_t *s, struct fail *f, const char *fmt, ...) SIM_PRINTF(4, 5);
int cfg_line(const struct cfg *c, const config_setting_t *s);

/* "group", "list", "text" ... for messages. */
const char *cfg_type(const config_setting_t *s);

/* Copy a text setting; FAIL_USER when it is no text or does not fit in size. key is for the message. */
bool cfg_text(const struct cfg *c, const config_setting_t *s, const char *key, char *out, size_t size, struct fail *f)
	SIM_MUST_CHECK;
/* Whole number, float with a whole value not accepted. */
bool cfg_int(const struct cfg *c, const config_setting_t *s, const char *key, int64_t *out, struct fail *f)
	SIM_MUST_CHECK;
/* Any number. */
bool cfg_number(const struct cfg *c, const config_setting_t *s, const char *key, double *out, struct fail *f)
	SIM_MUST_CHECK;

/* Add "did you mean X?" for the nearest of n names, or the list of all when nothing is near. */
bool cfg_suggest(struct fail *f, const char *word, const char *const *names, int n);

/* Number of edits (insert, delete, replace, swap of neighbours) between two words; words are cut at 63 characters. */
int cfg_distance(const char *a, const char *b);

/* Join folder of `file` and `name` (absolute names stay); false when it does not fit. */
bool cfg_beside(const char *file, const char *name, char *out, size_t size);

#endif
