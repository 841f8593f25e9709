/*
 * chip.c - reads a chip from its config: every key present, known, in range and with its source (design D5).
 */
#include "chip_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = { "measured", "published", "fitted", "guessed", "structure" };
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static bool read_kind(const struct cfg *c, const config_setting_t *s, const char *path, char *out, size_t size,
		      struct fail *f)
{
	if (!cfg_text(c, s, path, out, size, f)) {
		cfg_suggest(f, "", kinds, KINDS);
		return false;
	}
	for (int i = 0; i < KINDS; i++)
		if (strcmp(out, kinds[i]) == 0)
			return true;
	cfg_fail(c, s, f, "%s: \"%s\" is no kind of source", path, out);
	return cfg_suggest(f, out, kinds, KINDS);
}

static bool read_number(const struct cfg *c, const config_setting_t *s, const struct chip_key *k, const char *path,
			int64_t *out, struct fail *f)
{
	double v;
	int64_t whole;
	if (k->scale == 1) {
		if (!cfg_int(c, s, path, &whole, f))
			return false;
		if (whole < k->min || whole > k->max)
			return cfg_fail(c, s, f, "%s = %" PRId64 " is out of range %" PRId64 " .. %" PRId64, path,
					whole, k->min, k->max);
		*out = whole;
		return true;
	}
	if (!cfg_number(c, s, path, &v, f))
		return false;
	if (!(v >= (double)k->min && v <= (double)k->max))
		return cfg_fail(c, s, f, "%s = %g is out of range %" PRId64 " .. %" PRId64, path, v, k->min, k->max);
	*out = (int64_t)(v * k->scale + 0.5);
	double rest = v * k->scale - (double)*out;
	if (rest > 1e-4 || rest < -1e-4)
		return cfg_fail(c, s, f, "%s = %.9g has more than three decimals", path, v);
	return true;
}

/* (value, "kind", "where it comes from") */
static bool read_value(const struct cfg *c, const config_setting_t *s, const struct chip_key *k, struct chip *chip,
		       struct chip_source *source, struct fail *f)
{
	struct chip_source unused;
	char path[96];
	snprintf(path, sizeof(path), "%s.%s", k->group, k->name);
	if (config_setting_type(s) != CONFIG_TYPE_LIST || config_setting_length(s) != 3) {
		cfg_fail(c, s, f, "%s: expected (value, \"kind\", \"source\"), got %s", path, cfg_type(s));
		return fail_hint(f, "for example %s = (%" PRId64 ", \"guessed\", \"my own chip\");", path, k->min);
	}
	if (!source)
		source = &unused;
	if (!read_number(c, config_setting_get_elem(s, 0), k, path, chip_value(chip, k), f) ||
	    !read_kind(c, config_setting_get_elem(s, 1), path, source->kind, sizeof(source->kind), f) ||
	    !cfg_text(c, config_setting_get_elem(s, 2), path, source->text, sizeof(source->text), f))
		return false;
	if (!source->text[0])
		return cfg_fail(c, s, f, "%s: the source is empty; say where the number comes from", path);
	return true;
}

/* Every member of a group must be one of `names`. */
static bool known_members(const struct cfg *c, const config_setting_t *group, const char *path,
			  const char *const *names, int n, struct fail *f)
{
	if (!config_setting_is_group(group))
		return cfg_fail(c, group, f, "%s: expected a group { ... }, got %s", path, cfg_type(group));
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *s = config_setting_get_elem(group, (unsigned)i);
		bool known = false;
		for (int j = 0; j < n && !known; j++)
			known = strcmp(names[j], s->name) == 0;
		if (!known) {
			cfg_fail(c, s, f, "unknown key %s%s%s", path, path[0] ? "." : "", s->name);
			return cfg_suggest(f, s->name, names, n);
		}
	}
	return true;
}

static bool missing(const struct cfg *c, const config_setting_t *where, const char *path, const char *doc,
		    struct fail *f)
{
	cfg_fail(c, where, f, "missing key %s (%s)", path, doc);
	return fail_hint(f, "every key of the schema must be given; configs/README.md lists them");
}

static bool read_group(const struct cfg *c, const config_setting_t *group, const char *name, struct chip *chip,
		       struct chip_source *sources, struct fail *f)
{
	const char *names[128];
	int n = 0;
	for (int i = 0; i < chip_key_count; i++)
		if (strcmp(chip_keys[i].group, name) == 0)
			names[n++] = chip_keys[i].name;
	if (!known_members(c, group, name, names, n, f))
		return false;
	for (int i = 0; i < chip_key_count; i++) {
		const struct chip_key *k = &chip_keys[i];
		if (strcmp(k->group, name) != 0)
			continue;
		const config_setting_t *s = config_setting_get_member(group, k->name);
		char path[96];
		snprintf(path, sizeof(path), "%s.%s", k->group, k->name);
		if (!s)
			return missing(c, group, path, k->doc, f);
		if (!read_value(c, s, k, chip, sources ? &sources[i] : NULL, f))
			return false;
	}
	return true;
}

/* vector_time: a group per vector class, six values each */
static bool read_vector_time(const struct cfg *c, const config_setting_t *group, struct chip *chip,
			     struct chip_source *sources, struct fail *f)
{
	static const char *const classes[] = {
#define TIME(id, doc) #id,
#include "../isa/timing.def"
#undef TIME
	};
	static const char *const fields[] = { "head", "tail", "slope16", "slope32", "gap16", "gap32" };
	const char *vector_classes[TIME_COUNT];
	int n = 0;
	for (int t = 0; t < TIME_COUNT; t++)
		if (strncmp(classes[t], "v_", 2) == 0)
			vector_classes[n++] = classes[t];
	if (!known_members(c, group, "vector_time", vector_classes, n, f))
		return false;
	for (int i = 0; i < chip_key_count; i++) {
		const struct chip_key *k = &chip_keys[i];
		if (strcmp(k->group, "vector_time") != 0 || !chip_key_used(k))
			continue;
		char path[96], class[48];
		const char *dot = strchr(k->name, '.');
		snprintf(class, sizeof(class), "%.*s", (int)(dot - k->name), k->name);
		snprintf(path, sizeof(path), "vector_time.%s", class);
		const config_setting_t *entry = config_setting_get_member(group, class);
		if (!entry)
			return missing(c, group, path, k->doc, f);
		if (!known_members(c, entry, path, fields, 6, f))
			return false;
		const config_setting_t *s = config_setting_get_member(entry, dot + 1);
		snprintf(path, sizeof(path), "vector_time.%s", k->name);
		if (!s)
			return missing(c, entry, path, k->doc, f);
		if (!read_value(c, s, k, chip, sources ? &sources[i] : NULL, f))
			return false;
	}
	return true;
}

static bool read_name(const struct cfg *c, const config_setting_t *root, const char *key, const char *const *choices,
		      int n, char *out, size_t size, struct fail *f)
{
	const config_setting_t *s = config_setting_get_member(root, key);
	if (!s)
		return missing(c, NULL, key, "a text", f);
	if (!cfg_text(c, s, key, out, size, f))
		return false;
	for (int i = 0; i < n; i++)
		if (strcmp(out, choices[i]) == 0)
			return true;
	if (n == 0 && out[0])
		return true;
	cfg_fail(c, s, f, "%s = \"%s\" is not known", key, out);
	return cfg_suggest(f, out, choices, n);
}

static bool read_names(const struct cfg *c, const config_setting_t *root, struct chip *chip, struct fail *f)
{
	static const char *const archs[] = { "c100", "m200", "c220" };
	static const unsigned bits[] = { ARCH_C100, ARCH_M200, ARCH_C220 };
	static const char *const organisations[] = { "split", "fused" };
	char organisation[16];
	if (!read_name(c, root, "name", NULL, 0, chip->name, sizeof(chip->name), f) ||
	    !read_name(c, root, "arch", archs, 3, chip->arch_name, sizeof(chip->arch_name), f) ||
	    !read_name(c, root, "organisation", organisations, 2, organisation, sizeof(organisation), f))
		return false;
	for (int i = 0; i < 3; i++)
		if (strcmp(chip->arch_name, archs[i]) == 0)
			chip->arch = bits[i];
	chip->split = strcmp(organisation, "split") == 0;
	snprintf(chip->file, sizeof(chip->file), "%s", c->file[0]);
	return true;
}

bool chip_read(const struct cfg *c, struct chip *chip, struct chip_source *sources, struct fail *f)
{
	const config_setting_t *root = config_root_setting(&c->config);
	const char *names[32] = { "name", "arch", "organisation" };
	int n = 3 + chip_groups(names + 3, 29);
	memset(chip, 0, sizeof(*chip));
	if (!known_members(c, root, "", names, n, f) || !read_names(c, root, chip, f))
		return false;
	for (int i = 3; i < n; i++) {
		const config_setting_t *group = config_setting_get_member(root, names[i]);
		if (!group)
			return missing(c, NULL, names[i], "a group", f);
		bool vector = strcmp(names[i], "vector_time") == 0;
		if (vector ? !read_vector_time(c, group, chip, sources, f) :
			     !read_group(c, group, names[i], chip, sources, f))
			return false;
	}
	const char *key = NULL;
	char text[256];
	if (!chip_check(chip, &key, text, sizeof(text)))
		return cfg_fail(c, config_lookup(&c->config, key), f, "%s: %s", key, text);
	return true;
}

bool chip_parse(const char *text, const char *file, struct chip *chip, struct fail *f)
{
	struct cfg c;
	if (!cfg_parse(&c, text, file, f))
		return false;
	bool ok = chip_read(&c, chip, NULL, f);
	cfg_free(&c);
	return ok;
}
