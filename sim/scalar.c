/*
 * scalar.c - the scalar unit's life: caches sized from the chip, start of a block, the hand-over of Da Vinci words.
 */
#include "scalar_priv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum scalar_stop scalar_fault(struct scalar *s, struct fail *f, uint64_t pc, int64_t cycle, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (!f || f->class != FAIL_NONE)
		return SCALAR_FAULT;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fail_set(f, FAIL_KERNEL, "%s", text);
	f->where = (struct fail_where){ .pc = pc, .cycle = cycle, .core = s->mem->core, .block = -1, .pipe = PIPE_S };
	f->has_where = true;
	return SCALAR_FAULT;
}

static bool power_of_two(int64_t v) { return v > 0 && (v & (v - 1)) == 0; }

/* Sets of a cache; false when the numbers do not make one. */
static bool geometry(const char *name, int64_t bytes, int64_t line, int64_t ways, int64_t max_line, uint32_t *sets,
		     struct fail *f)
{
	if (!power_of_two(line) || line < 16 || line > max_line)
		return fail_set(f, FAIL_USER, "chip: %s line of %" PRId64 " bytes: must be a power of two, 16 to %" PRId64,
				name, line, max_line);
	if (ways < 1 || ways > 255 || bytes < line * ways || bytes % (line * ways))
		return fail_set(f, FAIL_USER,
				"chip: %s of %" PRId64 " bytes is not a whole number of sets of %" PRId64 " ways x %" PRId64
				" bytes", name, bytes, ways, line);
	*sets = (uint32_t)(bytes / (line * ways));
	return true;
}

/* The sentinel behind the text included. */
uint64_t scalar_text_lines(const struct scalar *s)
{
	const struct program *p = s->program;
	return (p->text_addr % s->i_line + 4 * ((uint64_t)p->n_insn + 1) + s->i_line - 1) / s->i_line;
}

bool scalar_init(struct scalar *s, const struct chip *chip, unsigned core_kind, const struct program *p,
		 struct core_mem *mem, struct fail *f)
{
	bool vector = core_kind == CORE_VEC;
	int64_t d_bytes = vector ? chip->scalar.dcache_vector_bytes : chip->scalar.dcache_bytes;
	int64_t i_bytes = vector ? chip->scalar.icache_vector_bytes : chip->scalar.icache_bytes;
	const int64_t d_max = sizeof(((struct cache_line *)0)->data);

	memset(s, 0, sizeof(*s));
	s->chip = chip;
	s->program = p;
	s->mem = mem;
	s->d_line = (uint32_t)chip->scalar.dcache_line;
	s->d_ways = (uint32_t)chip->scalar.dcache_ways;
	s->i_line = (uint32_t)chip->scalar.icache_line;
	s->i_ways = (uint32_t)chip->scalar.icache_ways;
	if (!geometry("data cache", d_bytes, s->d_line, s->d_ways, d_max, &s->d_sets, f) ||
	    !geometry("instruction cache", i_bytes, s->i_line, s->i_ways, 1024, &s->i_sets, f))
		return false;
	s->d = calloc((size_t)s->d_sets * s->d_ways, sizeof(*s->d));
	s->d_next = calloc(s->d_sets, 1);
	s->i_present = calloc(scalar_text_lines(s), 1);
	s->i_slot = calloc((size_t)s->i_sets * s->i_ways, sizeof(*s->i_slot));
	s->i_next = calloc(s->i_sets, 1);
	if (!s->d || !s->d_next || !s->i_present || !s->i_slot || !s->i_next || !p->insn) {
		scalar_free(s);
		return fail_set(f, FAIL_INTERNAL, "scalar unit: out of memory");
	}
	scalar_cache_drop(s);
	return true;
}

void scalar_free(struct scalar *s)
{
	free(s->d);
	free(s->d_next);
	free(s->i_present);
	free(s->i_slot);
	free(s->i_next);
	s->d = NULL;
	s->d_next = s->i_present = s->i_next = NULL;
	s->i_slot = NULL;
}

/* Places of the lp64d convention: a0-a7, fa0-fa7, then 8-byte stack slots. Floats that find no fa register take an integer
 * one. Without a stack in GM the slots are lost; the kernel's first stack access then says so. */
static void place_arguments(struct scalar *s, const uint64_t *args, int n, const bool *is_float)
{
	enum { A0 = 10, FA0 = 10, IN_REGISTERS = 8, MOST = 32 };
	uint64_t stack[MOST];
	int n_x = 0, n_f = 0, n_stack = 0;

	for (int i = 0; i < n && i < MOST; i++) {
		if (is_float && is_float[i] && n_f < IN_REGISTERS)
			s->f[FA0 + n_f++] = args[i];
		else if (n_x < IN_REGISTERS)
			s->x[A0 + n_x++] = args[i];
		else
			stack[n_stack++] = args[i];
	}
	uint64_t bytes = 8 * (uint64_t)n_stack;
	uint64_t sp = (GM_STACK_TOP - bytes) & ~UINT64_C(15);
	uint8_t *to = bytes ? gm_at(s->mem->gm, s->mem->core, sp, bytes, true) : NULL;
	if (to)
		memcpy(to, stack, bytes);
	s->x[2] = sp;
}

void scalar_start(struct scalar *s, int64_t cycle, const uint64_t *args, int n_args, const bool *is_float)
{
	memset(s->x, 0, sizeof(s->x));
	memset(s->f, 0, sizeof(s->f));
	s->fcsr = 0;
	s->pc = s->program->entry;
	s->cycle = cycle;
	s->x[1] = SCALAR_RETURN_PC;
	place_arguments(s, args, n_args, is_float);
	scalar_cache_drop(s);
}

static const struct insn *insn_at(const struct scalar *s)
{
	return &s->program->insn[(s->pc - s->program->text_addr) / 4];
}

const struct insn *scalar_dv(const struct scalar *s, uint64_t x[4])
{
	const struct insn *ip = insn_at(s);

	x[0] = s->x[ip->rd];
	x[1] = s->x[ip->rs1];
	x[2] = s->x[ip->rs2];
	x[3] = s->x[31];
	return ip;
}

void scalar_skip(struct scalar *s, bool has_value, uint64_t value)
{
	const struct insn *ip = insn_at(s);

	if (has_value && ip->rd != 0)
		s->x[ip->rd] = value;
	s->cycle += (int64_t)ip[1].cost - ip[0].cost;
	s->pc += 4;
	s->instret++;
}
