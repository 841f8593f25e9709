/*
 * gm.c - global memory: regions sorted by address, each with its own host memory.
 *
 * Host memory comes from calloc, which takes large blocks fresh from the system: pages never touched cost nothing.
 */
#include "gm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Unmapped bytes at least between two arguments: a row too many of a usual tensor still falls between them. */
#define ARG_GAP UINT64_C(65536)
#define ARG_ALIGN UINT64_C(512)

void gm_init(struct gm *gm, int cores)
{
	memset(gm, 0, sizeof(*gm));
	gm->cores = cores;
	gm->next_arg = GM_ARGS;
}

void gm_free(struct gm *gm)
{
	for (int i = 0; i < gm->n_region; i++)
		free(gm->region[i].host);
	gm_init(gm, gm->cores);
}

/* How many regions start at or below addr. */
static int starts_below(const struct gm *gm, uint64_t addr)
{
	int low = 0, count = gm->n_region;
	while (count > 0) {
		int half = count / 2;
		if (gm->region[gm->by_addr[low + half]].addr <= addr) {
			low += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return low;
}

static bool overlap_check(const struct gm *gm, int at, const char *name, uint64_t addr, uint64_t size, struct fail *f)
{
	const struct gm_region *below = at > 0 ? &gm->region[gm->by_addr[at - 1]] : NULL;
	const struct gm_region *above = at < gm->n_region ? &gm->region[gm->by_addr[at]] : NULL;
	const struct gm_region *hit = NULL;
	if (below && addr - below->addr < below->size)
		hit = below;
	else if (above && above->addr - addr < size)
		hit = above;
	if (!hit)
		return true;
	return fail_set(f, FAIL_USER,
			"%s (0x%" PRIx64 ", %" PRIu64 " bytes) overlaps %s (0x%" PRIx64 ", %" PRIu64 " bytes) in global memory",
			name, addr, size, hit->name, hit->addr, hit->size);
}

static uint8_t *host_alloc(const struct gm *gm, const char *name, uint64_t size, bool per_core, struct fail *f)
{
	uint64_t copies = per_core ? (uint64_t)gm->cores : 1;
	uint8_t *host = NULL;
	if (size <= SIZE_MAX / (copies ? copies : 1))
		host = calloc(copies && size ? copies * size : 1, 1);
	if (!host)
		fail_set(f, FAIL_USER, "no memory on this machine for %s: %" PRIu64 " x %" PRIu64 " bytes", name, copies,
			 size);
	return host;
}

struct gm_region *gm_add(struct gm *gm, const char *name, uint64_t addr, uint64_t size, bool writable, bool per_core,
			 struct fail *f)
{
	if (gm->n_region == GM_REGIONS) {
		fail_set(f, FAIL_USER, "no place for %s: global memory has %d regions already", name, GM_REGIONS);
		return NULL;
	}
	if (addr < GM_BASE || size > UINT64_MAX - addr) {
		fail_set(f, FAIL_USER, "%s (0x%" PRIx64 ", %" PRIu64 " bytes) is outside of global memory", name, addr, size);
		return NULL;
	}
	int at = starts_below(gm, addr);
	if (!overlap_check(gm, at, name, addr, size, f))
		return NULL;
	uint8_t *host = host_alloc(gm, name, size, per_core, f);
	if (!host)
		return NULL;
	struct gm_region *r = &gm->region[gm->n_region];
	memset(r, 0, sizeof(*r));
	snprintf(r->name, sizeof(r->name), "%s", name);
	r->addr = addr;
	r->size = size;
	r->writable = writable;
	r->per_core = per_core;
	r->host = host;
	memmove(&gm->by_addr[at + 1], &gm->by_addr[at], (size_t)(gm->n_region - at));
	gm->by_addr[at] = (uint8_t)gm->n_region++;
	return r;
}

struct gm_region *gm_add_arg(struct gm *gm, const char *name, uint64_t size, bool writable, struct fail *f)
{
	char full[48];
	snprintf(full, sizeof(full), "argument %s", name);
	struct gm_region *r = gm_add(gm, full, gm->next_arg, size, writable, false, f);
	if (!r)
		return NULL;
	uint64_t end = r->addr + size;
	if (end > UINT64_MAX - ARG_GAP - ARG_ALIGN)
		end = UINT64_MAX - ARG_GAP - ARG_ALIGN;
	gm->next_arg = (end + ARG_GAP + ARG_ALIGN - 1) / ARG_ALIGN * ARG_ALIGN;
	return r;
}

const struct gm_region *gm_find(const struct gm *gm, uint64_t addr, uint64_t size)
{
	int at = starts_below(gm, addr);
	if (at == 0)
		return NULL;
	const struct gm_region *r = &gm->region[gm->by_addr[at - 1]];
	uint64_t offset = addr - r->addr;
	return offset <= r->size && size <= r->size - offset ? r : NULL;
}

uint8_t *gm_at(const struct gm *gm, int core, uint64_t addr, uint64_t size, bool write)
{
	const struct gm_region *r = gm_find(gm, addr, size);
	if (!r || (write && !r->writable))
		return NULL;
	uint8_t *at = r->host + (addr - r->addr);
	if (!r->per_core)
		return at;
	return core >= 0 && core < gm->cores ? at + (uint64_t)core * r->size : NULL;
}

/* Bytes between the access and the region, 0 when they touch or overlap. */
static uint64_t distance(const struct gm_region *r, uint64_t addr, uint64_t last)
{
	if (last < r->addr)
		return r->addr - last - 1;
	if (addr >= r->addr && addr - r->addr >= r->size)
		return addr - r->addr - r->size;
	return 0;
}

static const struct gm_region *nearest(const struct gm *gm, uint64_t addr, uint64_t last)
{
	const struct gm_region *best = NULL;
	for (int i = 0; i < gm->n_region; i++) {
		const struct gm_region *r = &gm->region[gm->by_addr[i]];
		if (!best || distance(r, addr, last) < distance(best, addr, last))
			best = r;
	}
	return best;
}

/* "64 bytes past the end of argument c (0x200001000, 4096 bytes)" */
static void describe_outside(const struct gm_region *r, uint64_t addr, uint64_t size, char *text, size_t text_size)
{
	uint64_t end = r->addr + r->size;
	char range[64], where[96];
	snprintf(range, sizeof(range), "(0x%" PRIx64 ", %" PRIu64 " bytes)", r->addr, r->size);
	if (addr < r->addr && addr + size <= r->addr)
		snprintf(where, sizeof(where), "starts %" PRIu64 " bytes before the start of", r->addr - addr);
	else if (addr < r->addr)
		snprintf(where, sizeof(where), "its first %" PRIu64 " of %" PRIu64 " bytes are before the start of",
			 r->addr - addr, size);
	else if (addr < end)
		snprintf(where, sizeof(where), "its last %" PRIu64 " of %" PRIu64 " bytes are past the end of",
			 addr + size - end, size);
	else if (addr == end)
		snprintf(where, sizeof(where), "starts right behind the end of");
	else
		snprintf(where, sizeof(where), "starts %" PRIu64 " bytes past the end of", addr - end);
	snprintf(text, text_size, "%s %s %s", where, r->name, range);
}

void gm_describe(const struct gm *gm, uint64_t addr, uint64_t size, bool write, char *text, size_t text_size)
{
	if (size > UINT64_MAX - addr) {
		snprintf(text, text_size, "0x%" PRIx64 " + %" PRIu64 " bytes runs past the end of the address space", addr,
			 size);
		return;
	}
	if (addr < GM_BASE) {
		snprintf(text, text_size, "0x%" PRIx64 " is below 4 GiB: a local buffer offset used as a GM address?", addr);
		return;
	}
	const struct gm_region *r = gm_find(gm, addr, size);
	if (r && write && !r->writable)
		snprintf(text, text_size, "%s is read-only", r->name);
	else if (r)
		snprintf(text, text_size, "inside %s", r->name);
	else if ((r = nearest(gm, addr, size ? addr + size - 1 : addr)))
		describe_outside(r, addr, size, text, text_size);
	else
		snprintf(text, text_size, "there is no global memory at 0x%" PRIx64, addr);
}
