/*
 * coverage.c - see coverage.h. The gate fails on a modelled row x type that no test compared with a reference, on a row that
 * no test drove to a buffer's last byte, past it, and into another mistake, and on vector rows without mask edges.
 */
#include "coverage.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char variable[] = "VINCI_COVERAGE";
static char path[64];

static struct coverage *shared(void)
{
	static struct coverage *map;
	const char *name = getenv(variable);
	if (map || !name)
		return map;
	int fd = open(name, O_RDWR);
	if (fd < 0)
		return NULL;
	void *p = mmap(NULL, sizeof *map, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	map = p == MAP_FAILED ? NULL : p;
	return map;
}

static void count(uint32_t *n) { __atomic_fetch_add(n, 1, __ATOMIC_RELAXED); }

void coverage_ran(const struct op *op, const struct effect *e)
{
	struct coverage *c = shared();
	if (!c)
		return;
	if (e->nop) {
		count(&c->nop[isa_table[op->insn].form]);
		return;
	}
	count(&c->ran[op->insn][op->variant]);
	for (unsigned i = 0; i < e->n_access; i++) {
		if (e->access[i].tail_lanes)
			count(&c->tail[op->insn]);
		else if (e->access[i].masked)
			count(&c->partial[op->insn]);
	}
}

/* End of the last unit; strides forward only matter here. */
static uint64_t end_of(const struct access *a)
{
	uint64_t end = a->addr + a->unit_bytes;
	for (int d = 0; d < 3; d++)
		if (a->stride[d] > 0)
			end += (uint64_t)a->stride[d] * (a->n[d] - 1);
	return end;
}

void coverage_edge(const struct core_mem *mem, const struct op *op, const struct effect *e)
{
	struct coverage *c = shared();
	for (unsigned i = 0; c && i < e->n_access; i++)
		if (e->access[i].space != SPACE_GM && end_of(&e->access[i]) == (uint64_t)mem->size[e->access[i].space])
			count(&c->edge[op->insn]);
}

void coverage_refused(const struct op *op, const struct fail *f)
{
	struct coverage *c = shared();
	if (c && f->class == FAIL_KERNEL)
		count(strstr(f->what, " bytes 0x") ? &c->outside[op->insn] : &c->refused[op->insn]);
}

void coverage_sim(const struct sim *s)
{
	struct coverage *c = shared();
	for (unsigned i = 0; c && i < ISA_COUNT; i++)
		for (unsigned v = 0; s->insn_count[i] && v < COVERAGE_VARIANTS; v++)
			if (!isa_table[i].rv && (isa_table[i].pipe == PIPE_S || isa_table[i].pipe == PIPE_ALL))
				count(&c->ran[i][v]);
}

bool coverage_open(void)
{
	snprintf(path, sizeof path, "/tmp/vinci-coverage-%d", (int)getpid());
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	bool ok = fd >= 0 && ftruncate(fd, sizeof(struct coverage)) == 0 && setenv(variable, path, 1) == 0;
	if (fd >= 0)
		close(fd);
	return ok && shared();
}

void coverage_close(void) { unlink(path); }

static bool lane_form(unsigned form)
{
	return form == FORM_VBIN || form == FORM_VUN || form == FORM_VUNS || form == FORM_VDUP || form == FORM_VCOPY ||
	       form == FORM_VRED || form == FORM_VCG || form == FORM_VCPADD || form == FORM_VSEL || form == FORM_VCMP ||
	       form == FORM_VGATHER;
}

/* Rows whose operands the sweep cannot place: block addresses in VA registers, packed addresses, no operand at all. */
static bool no_place(unsigned form) { return form == FORM_VNCHW; }

static int gap(FILE *out, const char *what, const char *name, const char *type)
{
	fprintf(out, "coverage: %s%s%s: %s\n", name, *type ? "." : "", type, what);
	return 1;
}

static int row_gaps(FILE *out, const struct coverage *c, enum isa_id id)
{
	const struct isa_insn *row = &isa_table[id];
	int n = 0;
	if (row->form == FORM_TRAP)
		return 0; /* it ends the run: isa_system.mistakes */
	for (unsigned v = 0; v < isa_variants(id); v++)
		if (!c->ran[id][v])
			n += gap(out, "no test compares it with a reference", row->name, row->types ?
				isa_type_name(isa_operand_type(id, v, 0)) : "");
	if (row->pipe == PIPE_S || row->pipe == PIPE_ALL)
		return n;
	if (!no_place(row->form)) {
		if (!c->edge[id])
			n += gap(out, "never at the last byte of a buffer", row->name, "");
		if (!c->outside[id])
			n += gap(out, "never outside a buffer", row->name, "");
	}
	if (!c->refused[id])
		n += gap(out, "never refused", row->name, "");
	if (lane_form(row->form) && !c->partial[id])
		n += gap(out, "never under a mask with holes", row->name, "");
	if (lane_form(row->form) && !c->tail[id])
		n += gap(out, "never in counter mode with a tail", row->name, "");
	return n;
}

int coverage_report(FILE *out)
{
	const struct coverage *c = shared();
	char err[256];
	int n = 0;
	if (!c || !isa_init(err, sizeof err))
		return 1;
	for (unsigned id = 0; id < ISA_COUNT; id++)
		if (!isa_table[id].rv && isa_table[id].state == ISA_DONE)
			n += row_gaps(out, c, (enum isa_id)id);
	for (unsigned form = 0; form < FORM_COUNT; form++) {
		bool used = false;
		for (unsigned id = 0; id < ISA_COUNT; id++)
			used |= isa_table[id].form == form && isa_table[id].state == ISA_DONE && !isa_table[id].rv &&
				isa_table[id].pipe != PIPE_S && isa_table[id].pipe != PIPE_ALL;
		if (used && form != FORM_CMPMASK && form != FORM_VTRANS && !c->nop[form])
			n += gap(out, "never with nothing to do", isa_form_name((enum isa_form)form), "");
	}
	return n;
}
