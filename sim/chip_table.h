/*
 * chip_table.h - the schema of a chip as a table, made from chip_keys.def and the vector classes of isa/timing.def.
 * Private to chip*.c.
 */
#ifndef CHIP_TABLE_H
#define CHIP_TABLE_H

#include "cfg.h"
#include "chip.h"

struct chip_key {
	const char *group, *name, *doc;
	int scale;
	int64_t min, max;  /* in whole units, not scaled */
	size_t offset;     /* of the int64_t in struct chip */
};

/* All keys in schema order; those of vector_time are named "v_binary.head". */
extern const struct chip_key chip_keys[];
extern const int chip_key_count;

/* False for the table rows of classes that are not vector classes: they are no keys. */
bool chip_key_used(const struct chip_key *k);

static inline int64_t *chip_value(struct chip *c, const struct chip_key *k)
{
	return (int64_t *)((char *)c + k->offset);
}

/* Group names in schema order, vector_time last; returns how many. */
int chip_groups(const char **names, int max);

/* Fill chip (and sources, chip_key_count long, when not NULL) from parsed text. */
bool chip_read(const struct cfg *c, struct chip *chip, struct chip_source *sources, struct fail *f) SIM_MUST_CHECK;

/* Relations between values. False: *key names the value at fault, text says what is wrong. */
bool chip_check(const struct chip *chip, const char **key, char *text, size_t size);

#endif
