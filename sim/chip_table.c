/*
 * chip_table.c - the schema of a chip as a table, and the relations that its values must keep.
 */
#include "chip_table.h"

#include <inttypes.h>
#include <string.h>

#define VECTOR_KEY(id, field, doc) \
	{ "vector_time", #id "." #field, doc, 1000, 0, 100000, offsetof(struct chip, vector_time[TIME_##id].field) },

const struct chip_key chip_keys[] = {
#define GROUP(group, doc)
#define GROUP_END(group)
#define KEY(group, name, scale, min, max, doc) \
	{ #group, #name, doc, scale, min, max, offsetof(struct chip, group.name) },
#include "chip_keys.def"
#undef KEY
#define TIME(id, doc) \
	VECTOR_KEY(id, head, doc ": start-up, hidden behind an instruction that still runs") \
	VECTOR_KEY(id, tail, doc ": drain, hidden unless something waits for the result") \
	VECTOR_KEY(id, slope16, doc ": cycles per repeat without bank conflict, 16-bit and narrower") \
	VECTOR_KEY(id, slope32, doc ": cycles per repeat without bank conflict, 32-bit and wider") \
	VECTOR_KEY(id, gap16, doc ": cycles beside the repeats in a stream, 16-bit and narrower") \
	VECTOR_KEY(id, gap32, doc ": cycles beside the repeats in a stream, 32-bit and wider")
#include "../isa/timing.def"
#undef TIME
};
const int chip_key_count = sizeof(chip_keys) / sizeof(chip_keys[0]);

bool chip_key_used(const struct chip_key *k)
{
	return strcmp(k->group, "vector_time") != 0 || strncmp(k->name, "v_", 2) == 0;
}

int chip_groups(const char **names, int max)
{
	int n = 0;
	for (int i = 0; i < chip_key_count && n < max; i++)
		if (n == 0 || strcmp(names[n - 1], chip_keys[i].group) != 0)
			names[n++] = chip_keys[i].group;
	return n;
}

static bool power_of_two(int64_t v)
{
	return v > 0 && (v & (v - 1)) == 0;
}

#define WRONG(name, ...) (*key = (name), snprintf(text, size, __VA_ARGS__), false)

static bool check_cores(const struct chip *c, const char **key, char *text, size_t size)
{
	if (c->split && (c->cores.cube == 0 || c->cores.vector == 0))
		return WRONG(c->cores.cube ? "cores.vector" : "cores.cube", "a split chip needs cube and vector cores");
	if (c->split && c->cores.fused != 0)
		return WRONG("cores.fused", "a split chip has no fused cores, this says %" PRId64, c->cores.fused);
	if (c->split && c->cores.vector % c->cores.cube != 0)
		return WRONG("cores.vector", "%" PRId64 " vector cores do not divide among %" PRId64 " cube cores",
			     c->cores.vector, c->cores.cube);
	if (!c->split && c->cores.fused == 0)
		return WRONG("cores.fused", "a fused chip needs fused cores");
	if (!c->split && (c->cores.cube != 0 || c->cores.vector != 0))
		return WRONG(c->cores.cube ? "cores.cube" : "cores.vector",
			     "a fused chip has no separate cube and vector cores");
	return true;
}

static bool check_buffers(const struct chip *c, const char **key, char *text, size_t size)
{
	static const struct { const char *name; enum isa_space space; int unit; bool needed; } buffers[] = {
		{ "buffers.ub", SPACE_UB, 32, true },     { "buffers.l1", SPACE_L1, 512, true },
		{ "buffers.l0a", SPACE_L0A, 512, true },  { "buffers.l0b", SPACE_L0B, 512, true },
		{ "buffers.l0c", SPACE_L0C, 1024, true }, { "buffers.bt", SPACE_BT, 64, false },
		{ "buffers.fb", SPACE_FB, 128, false },
	};
	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++) {
		int64_t bytes = chip_buffer_bytes(c, buffers[i].space);
		if (bytes % buffers[i].unit != 0)
			return WRONG(buffers[i].name, "%" PRId64 " bytes are no multiple of %d", bytes,
				buffers[i].unit);
		if (bytes == 0 && buffers[i].needed)
			return WRONG(buffers[i].name, "every core needs this memory");
	}
	int64_t banks = c->buffers.ub_banks_per_group * c->buffers.ub_bank_groups;
	if (banks > 64)
		return WRONG("buffers.ub_banks_per_group", "more than 64 banks, %" PRId64, banks);
	if (c->buffers.ub_bank_bytes % 32 != 0)
		return WRONG("buffers.ub_bank_bytes", "a bank holds rows of 32 bytes");
	if (c->buffers.ub_bank_bytes != 0 && banks * c->buffers.ub_bank_bytes != c->buffers.ub)
		return WRONG("buffers.ub_bank_bytes",
			     "%" PRId64 " banks of %" PRId64 " bytes do not cover the UB of %" PRId64 " bytes", banks,
			     c->buffers.ub_bank_bytes, c->buffers.ub);
	if (c->buffers.stack % 16 != 0)
		return WRONG("buffers.stack", "the stack is aligned to 16 bytes");
	if (c->vector.repeat_bytes % 32 != 0)
		return WRONG("vector.repeat_bytes", "a repeat consists of blocks of 32 bytes");
	return true;
}

static bool check_caches(const struct chip *c, const char **key, char *text, size_t size)
{
	const struct { const char *name, *line_name; int64_t bytes, line, ways; } caches[] = {
		{ "scalar.icache_bytes", "scalar.icache_line", c->scalar.icache_bytes, c->scalar.icache_line,
		  c->scalar.icache_ways },
		{ "scalar.icache_vector_bytes", "scalar.icache_line", c->scalar.icache_vector_bytes,
		  c->scalar.icache_line, c->scalar.icache_ways },
		{ "scalar.dcache_bytes", "scalar.dcache_line", c->scalar.dcache_bytes, c->scalar.dcache_line,
		  c->scalar.dcache_ways },
		{ "scalar.dcache_vector_bytes", "scalar.dcache_line", c->scalar.dcache_vector_bytes,
		  c->scalar.dcache_line, c->scalar.dcache_ways },
		{ "gm.l2_bytes", "gm.l2_line", c->gm.l2_bytes, c->gm.l2_line, c->gm.l2_ways },
	};
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		if (!power_of_two(caches[i].line))
			return WRONG(caches[i].line_name, "a cache line is a power of two, not %" PRId64,
				caches[i].line);
		if (caches[i].bytes % (caches[i].line * caches[i].ways) != 0)
			return WRONG(caches[i].name,
				     "%" PRId64 " bytes do not divide into %" PRId64 " ways of lines of %" PRId64 " bytes",
				     caches[i].bytes, caches[i].ways, caches[i].line);
	}
	if (!power_of_two(c->gm.request_least) || c->gm.request_least > c->gm.l2_line || c->gm.l2_line / c->gm.request_least > 16)
		return WRONG("gm.request_least",
			     "the smallest request is a power of two, a line has at most 16 of them, not %" PRId64,
			     c->gm.request_least);
	return true;
}

bool chip_check(const struct chip *c, const char **key, char *text, size_t size)
{
	return check_cores(c, key, text, size) && check_buffers(c, key, text, size) && check_caches(c, key, text, size);
}
