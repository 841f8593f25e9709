/*
 * acl.h - inside of the acl runtime library: what its files share. The public faces are isa/include/acl_runtime/acl/acl.h
 * and vinci_launch.h.
 */
#ifndef SIM_ACL_H
#define SIM_ACL_H

#include "fail.h"
#include "gm.h"
#include "program.h"

enum { ACL_BLOCKS = 160, ACL_IMAGES = 32 };

/* Memory that the host program asked for; its address is the device's. */
struct acl_block {
	uint64_t addr, size, room; /* room: what a kernel may touch, a little more than was asked for */
	uint8_t *host;  /* its bytes; for GmAlloc they lie at addr itself */
	bool mapped;    /* GmAlloc */
};

/* An ELF linked into the program (the driver's glue), or read from a file. */
struct vinci_image { const char *name; const uint8_t *from, *to; };
extern const struct vinci_image vinci_images[] __attribute__((weak));
extern const char vinci_image_chip[] __attribute__((weak));

/* The one device of the process: a runtime library has state. */
struct acl_state {
	bool ready, loaded;
	int n_block;
	struct acl_block block[ACL_BLOCKS];
	uint64_t next;          /* free address */
	int n_program;
	struct program program[ACL_IMAGES];
	const char *program_name[ACL_IMAGES];
	uint64_t tiling_key;
	int error;              /* of a launch, until the stream is synchronised */
	double time_ms;         /* simulated */
	char message[1200];
};
extern struct acl_state acl_device;

/* Say it on stderr and remember it; returns code. */
int acl_error(int code, const char *fmt, ...) SIM_PRINTF(2, 3);
/* The block that holds [addr, addr + size), or NULL. */
struct acl_block *acl_find(const void *addr, uint64_t size);
/* New memory, zeroed; NULL without room. */
struct acl_block *acl_new(uint64_t size, bool mapped);
void acl_delete(struct acl_block *b);
const char *acl_chip_name(void);

#endif
