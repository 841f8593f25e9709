/*
 * gm.h - global memory: the address space of scalar code and MTE, from 4 GiB up.
 *
 *   0x0_0000_0000  UB window of the scalar unit (0 .. UB size)
 *   0x1_0000_0000  text and read-only data, shared by all cores
 *   0x1_4000_0000  data, bss: same address on every core, private copy per core
 *   0x1_8000_0000  stack: the same, growing down from here
 *                  (the cube half of a mixed kernel: text from 0x1_2000_0000, data from 0x1_6000_0000)
 *   0x1_C000_0000  system region: texts that kernels print (16 KiB per core), from 8 MiB on the tiling key and the
 *                  workspace of the Ascend C library
 *   0x1_D000_0000  the arguments as words, for kernels that ask (get_para_base)
 *   0x2_0000_0000  kernel arguments and workspaces, each on a 512-byte boundary with an unmapped gap behind it
 */
#ifndef GM_H
#define GM_H

#include "fail.h"

#include <stddef.h>
#include <stdint.h>

#define GM_BASE UINT64_C(0x100000000)
#define GM_DATA UINT64_C(0x140000000)
#define GM_STACK_TOP UINT64_C(0x180000000)
#define GM_SYSTEM UINT64_C(0x1C0000000)
#define GM_SYSTEM_SLOT UINT64_C(0x4000)
#define GM_SYSTEM_KEY UINT64_C(0x1C0800000)
#define GM_SYSTEM_SIZE UINT64_C(0x4000000)
#define GM_PARA UINT64_C(0x1D0000000)
#define GM_ARGS UINT64_C(0x200000000)

enum { GM_REGIONS = 192 };

struct gm_region {
	char name[48];     /* "argument a", "text", "data", "stack" */
	uint64_t addr, size;
	bool writable;
	bool bypass;       /* MTE reads leave nothing in L2: the argument's cache = "bypass" */
	bool undefined;    /* an output or workspace that nobody filled: reading it before a write is a mistake */
	bool per_core;     /* private copy per core: bytes of core c at host + c * size */
	uint8_t *host;     /* pages never touched cost nothing */
};

struct gm {
	int n_region;
	int cores;
	struct gm_region region[GM_REGIONS]; /* in the order of adding: pointers to them stay valid */
	uint8_t by_addr[GM_REGIONS];         /* indices of region[], sorted by address */
	uint64_t next_arg;
};

void gm_init(struct gm *gm, int cores);
void gm_free(struct gm *gm);

/* Add memory at a fixed address, zeroed; per_core regions get `cores` copies. NULL with FAIL_USER on overlap or
 * exhaustion. */
struct gm_region *gm_add(struct gm *gm, const char *name, uint64_t addr, uint64_t size, bool writable, bool per_core,
			 struct fail *f);
/* Add an argument buffer at the next free place; the region is called "argument NAME". 0 bytes are allowed. */
struct gm_region *gm_add_arg(struct gm *gm, const char *name, uint64_t size, bool writable, struct fail *f);

/* Region that holds [addr, addr+size) entirely, or NULL. */
const struct gm_region *gm_find(const struct gm *gm, uint64_t addr, uint64_t size);

/* Host address of [addr, addr+size) as core sees it; NULL when it is not inside one region (or not writable). The one
 * way that units reach GM bytes. */
uint8_t *gm_at(const struct gm *gm, int core, uint64_t addr, uint64_t size, bool write);

/* Text for an error, to follow the access's own words: "starts 64 bytes past the end of argument c (0x200001000, 4096
 * bytes)", "argument x is read-only", "0x40 is below 4 GiB: a local buffer offset used as a GM address?". */
void gm_describe(const struct gm *gm, uint64_t addr, uint64_t size, bool write, char *text, size_t text_size);

#endif
