/*
 * chip_find.c - chips by name: the config folder, what is in it, parameters with their sources, and overrides for
 * experiments.
 */
#include "chip_table.h"
#include "home.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *chip_folder(void)
{
	static char folder[4200];
	char path[sizeof(folder)];
	snprintf(path, sizeof(path), "%s/configs", vinci_home());
	if (strcmp(folder, path) != 0)
		strcpy(folder, path);
	return folder;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

int chip_list(char names[][64], int max)
{
	int n = 0;
	DIR *d = opendir(chip_folder());
	if (!d)
		return 0;
	for (struct dirent *e = readdir(d); e && n < max; e = readdir(d)) {
		size_t length = strlen(e->d_name);
		if (length <= 4 || length - 4 >= 64 || e->d_name[0] == '.' ||
		    strcmp(e->d_name + length - 4, ".cfg") != 0)
			continue;
		snprintf(names[n++], 64, "%.*s", (int)length - 4, e->d_name);
	}
	closedir(d);
	qsort(names, (size_t)n, sizeof(names[0]), by_text);
	return n;
}

static bool chip_path(const char *name, char *path, size_t size, struct fail *f)
{
	size_t length = strlen(name);
	bool is_path = strchr(name, '/') || (length > 4 && strcmp(name + length - 4, ".cfg") == 0);
	int n = is_path ? snprintf(path, size, "%s", name) : snprintf(path, size, "%s/%s.cfg", chip_folder(), name);
	if (n < 0 || (size_t)n >= size)
		return fail_set(f, FAIL_USER, "name of a chip config too long");
	if (is_path || access(path, R_OK) == 0)
		return true;
	char found[64][64];
	const char *names[64];
	int count = chip_list(found, 64);
	for (int i = 0; i < count; i++)
		names[i] = found[i];
	fail_set(f, FAIL_USER, "no chip \"%s\" in %s", name, chip_folder());
	return cfg_suggest(f, name, names, count);
}

static bool load(const char *name, struct chip *chip, struct chip_source *sources, struct fail *f)
{
	char path[512];
	struct cfg c;
	if (!chip_path(name, path, sizeof(path), f) || !cfg_load(&c, path, f))
		return false;
	bool ok = chip_read(&c, chip, sources, f);
	cfg_free(&c);
	return ok;
}

bool chip_load(const char *name, struct chip *chip, struct fail *f)
{
	return load(name, chip, NULL, f);
}

int chip_params(const char *name, struct chip_param *out, int max, struct fail *f)
{
	struct chip *chip = malloc(sizeof(*chip));
	struct chip_source *sources = calloc((size_t)chip_key_count, sizeof(*sources));
	int n = 0;
	if (!chip || !sources)
		fail_set(f, FAIL_INTERNAL, "out of memory");
	else if (load(name, chip, sources, f)) {
		for (int i = 0; i < chip_key_count; i++) {
			const struct chip_key *k = &chip_keys[i];
			if (!chip_key_used(k))
				continue;
			if (n < max)
				out[n] = (struct chip_param){ k->group, k->name, k->doc, *chip_value(chip, k), k->scale,
							      sources[i] };
			n++;
		}
	}
	free(chip);
	free(sources);
	return n;
}

/* Decimal number in thousandths: "2", "1.5", "0.125". */
static bool parse_milli(const char *text, size_t n, int64_t *milli)
{
	int64_t v = 0;
	int decimals = -1, digits = 0;
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '.' && decimals < 0) {
			decimals = 0;
			continue;
		}
		if (!isdigit((unsigned char)text[i]) || decimals == 3 || v > INT64_C(100000000000000))
			return false;
		v = v * 10 + (text[i] - '0');
		digits++;
		if (decimals >= 0)
			decimals++;
	}
	for (int i = decimals < 0 ? 0 : decimals; i < 3; i++)
		v *= 10;
	*milli = v;
	return digits > 0;
}

static bool unknown_key(const char *path, struct fail *f)
{
	char all[512][80];
	const char *names[512];
	int n = 0;
	for (int i = 0; i < chip_key_count && n < 512; i++) {
		if (!chip_key_used(&chip_keys[i]))
			continue;
		snprintf(all[n], sizeof(all[n]), "%s.%s", chip_keys[i].group, chip_keys[i].name);
		names[n] = all[n];
		n++;
	}
	fail_set(f, FAIL_USER, "no chip parameter \"%s\"", path);
	return cfg_suggest(f, path, names, n);
}

static const struct chip_key *find_key(const char *path)
{
	for (int i = 0; i < chip_key_count; i++) {
		size_t n = strlen(chip_keys[i].group);
		if (chip_key_used(&chip_keys[i]) && strncmp(path, chip_keys[i].group, n) == 0 && path[n] == '.' &&
		    strcmp(path + n + 1, chip_keys[i].name) == 0)
			return &chip_keys[i];
	}
	return NULL;
}

bool chip_override(struct chip *chip, const char *assignment, struct fail *f)
{
	char path[96];
	const char *equals = strchr(assignment, '=');
	if (!equals || equals == assignment || (size_t)(equals - assignment) >= sizeof(path)) {
		fail_set(f, FAIL_USER, "\"%s\" is no assignment", assignment);
		return fail_hint(f, "write group.name=value or group.name=2x");
	}
	snprintf(path, sizeof(path), "%.*s", (int)(equals - assignment), assignment);
	const struct chip_key *k = find_key(path);
	if (!k)
		return unknown_key(path, f);
	const char *text = equals + 1;
	size_t n = strlen(text);
	bool factor = n > 0 && text[n - 1] == 'x';
	int64_t milli, v;
	if (!parse_milli(text, factor ? n - 1 : n, &milli) || (factor && milli > 1000000)) {
		fail_set(f, FAIL_USER, "%s: \"%s\" is no number", path, text);
		return fail_hint(f, "write a number with at most three decimals, or a factor up to 1000 such as 0.5x");
	}
	if (factor)
		v = (*chip_value(chip, k) * milli + 500) / 1000;
	else if (k->scale == 1000)
		v = milli;
	else if (milli % 1000 == 0)
		v = milli / 1000;
	else
		return fail_set(f, FAIL_USER, "%s: expected a whole number, got %s", path, text);
	if (v < k->min * k->scale || v > k->max * k->scale)
		return fail_set(f, FAIL_USER, "%s = %s is out of range %" PRId64 " .. %" PRId64, path, text, k->min,
			k->max);
	int64_t before = *chip_value(chip, k);
	const char *key = NULL;
	char why[256];
	*chip_value(chip, k) = v;
	if (chip_check(chip, &key, why, sizeof(why)))
		return true;
	*chip_value(chip, k) = before;
	return fail_set(f, FAIL_USER, "%s: %s: %s", assignment, key, why);
}
