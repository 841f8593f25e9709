/*
 * scalar_random.c - the generator behind scalar_random.h. Encodings are written out from the RISC-V specification, apart
 * from isa/, so that a wrong row of the table shows up as a difference to qemu.
 */
#include "scalar_random.h"

/* Operands of a word: d 1 2: x registers, D A B C: f registers, m: rounding mode, i: immediate, s w: shift amounts of 6
 * and 5 bits, u: upper immediate. */
struct form { uint32_t match; const char *operands; };

static const struct form int_forms[] = {
	{ 0x00000033, "d12" }, { 0x40000033, "d12" }, { 0x00001033, "d12" }, { 0x00002033, "d12" }, { 0x00003033, "d12" },
	{ 0x00004033, "d12" }, { 0x00005033, "d12" }, { 0x40005033, "d12" }, { 0x00006033, "d12" }, { 0x00007033, "d12" },
	{ 0x0000003b, "d12" }, { 0x4000003b, "d12" }, { 0x0000103b, "d12" }, { 0x0000503b, "d12" }, { 0x4000503b, "d12" },
	{ 0x00000013, "d1i" }, { 0x00002013, "d1i" }, { 0x00003013, "d1i" }, { 0x00004013, "d1i" }, { 0x00006013, "d1i" },
	{ 0x00007013, "d1i" }, { 0x0000001b, "d1i" }, { 0x00001013, "d1s" }, { 0x00005013, "d1s" }, { 0x40005013, "d1s" },
	{ 0x0000101b, "d1w" }, { 0x0000501b, "d1w" }, { 0x4000501b, "d1w" }, { 0x00000037, "du" }, { 0x00000017, "du" },
};

static const struct form mul_forms[] = {
	{ 0x02000033, "d12" }, { 0x02001033, "d12" }, { 0x02002033, "d12" }, { 0x02003033, "d12" }, { 0x02004033, "d12" },
	{ 0x02005033, "d12" }, { 0x02006033, "d12" }, { 0x02007033, "d12" }, { 0x0200003b, "d12" }, { 0x0200403b, "d12" },
	{ 0x0200503b, "d12" }, { 0x0200603b, "d12" }, { 0x0200703b, "d12" },
};

/* Single; double is the same with bit 25 set. */
static const struct form float_forms[] = {
	{ 0x00000053, "DABm" }, { 0x08000053, "DABm" }, { 0x10000053, "DABm" }, { 0x18000053, "DABm" }, { 0x58000053, "DAm" },
	{ 0x00000043, "DABCm" }, { 0x00000047, "DABCm" }, { 0x0000004b, "DABCm" }, { 0x0000004f, "DABCm" },
	{ 0x20000053, "DAB" }, { 0x20001053, "DAB" }, { 0x20002053, "DAB" }, { 0x28000053, "DAB" }, { 0x28001053, "DAB" },
	{ 0xa0000053, "dAB" }, { 0xa0001053, "dAB" }, { 0xa0002053, "dAB" }, { 0xe0001053, "dA" },
	{ 0xc0000053, "dAm" }, { 0xc0100053, "dAm" }, { 0xc0200053, "dAm" }, { 0xc0300053, "dAm" },
	{ 0xd0000053, "D1m" }, { 0xd0100053, "D1m" }, { 0xd0200053, "D1m" }, { 0xd0300053, "D1m" },
	{ 0xe0000053, "dA" }, { 0xf0000053, "D1" },
};

static const struct form convert_forms[] = {
	{ 0x40100053, "DAm" }, { 0x42000053, "DAm" }, { 0x40200053, "DAm" }, { 0x44000053, "DAm" }, { 0x42200053, "DAm" },
	{ 0x44100053, "DAm" }, { 0xe4000053, "dA" }, { 0xf4000053, "D1" },
};

struct memory_form { uint32_t match; uint8_t size; bool is_float; };
static const struct memory_form loads[] = {
	{ 0x0003, 1, false }, { 0x1003, 2, false }, { 0x2003, 4, false }, { 0x3003, 8, false }, { 0x4003, 1, false },
	{ 0x5003, 2, false }, { 0x6003, 4, false }, { 0x1007, 2, true }, { 0x2007, 4, true }, { 0x3007, 8, true },
};
static const struct memory_form stores[] = {
	{ 0x0023, 1, false }, { 0x1023, 2, false }, { 0x2023, 4, false }, { 0x3023, 8, false }, { 0x1027, 2, true },
	{ 0x2027, 4, true }, { 0x3027, 8, true },
};

#define COUNT(a) (int)(sizeof(a) / sizeof((a)[0]))
#define PICK(p, a) (&(a)[below(p, COUNT(a))])

/* Reserved: the middle of the first 4 KiB of data, the loop counter, the end of the log. */
enum { BASE = SP, LOOP = GP, LOG = TP };

static uint64_t next(struct random_program *p)
{
	uint64_t z = p->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static int below(struct random_program *p, int n) { return (int)(next(p) % (uint64_t)n); }

static void emit(struct random_program *p, uint32_t word)
{
	if (p->n < RANDOM_WORDS)
		p->word[p->n++] = word;
}

static int any_x(struct random_program *p) { return below(p, 32); }

static int free_x(struct random_program *p)
{
	int r = any_x(p);
	return r == BASE || r == LOOP || r == LOG ? A0 : r;
}

static void log_x(struct random_program *p, int reg)
{
	emit(p, SD(reg, LOG, 0));
	emit(p, ADDI(LOG, LOG, 8));
}

static void log_f(struct random_program *p, int reg)
{
	emit(p, FSD(reg, LOG, 0));
	emit(p, ADDI(LOG, LOG, 8));
}

/* Fill in random operands; the log gets the result. */
static void operation(struct random_program *p, const struct form *f, uint32_t extra)
{
	uint32_t w = f->match | extra;
	int rd = free_x(p), fd = below(p, 32);

	for (const char *c = f->operands; *c; c++) {
		switch (*c) {
		case 'd': w |= (uint32_t)rd << 7; break;
		case 'D': w |= (uint32_t)fd << 7; break;
		case '1': w |= (uint32_t)any_x(p) << 15; break;
		case 'A': w |= (uint32_t)below(p, 32) << 15; break;
		case '2': w |= (uint32_t)any_x(p) << 20; break;
		case 'B': w |= (uint32_t)below(p, 32) << 20; break;
		case 'C': w |= (uint32_t)below(p, 32) << 27; break;
		case 'm': w |= (uint32_t)(below(p, 3) ? 7 : below(p, 5)) << 12; break;
		case 'i': w |= (uint32_t)below(p, 4096) << 20; break;
		case 's': w |= (uint32_t)below(p, 64) << 20; break;
		case 'w': w |= (uint32_t)below(p, 32) << 20; break;
		default: w |= (uint32_t)next(p) << 12; break;
		}
	}
	emit(p, w);
	if (f->operands[0] == 'd')
		log_x(p, rd);
	else
		log_f(p, fd);
}

/* Offset from BASE of `size` bytes in [from, to). */
static int offset(struct random_program *p, int from, int to, int size)
{
	return from + below(p, (to - from) / size) * size - 2048;
}

static void load(struct random_program *p, const struct memory_form *f, int base, int at)
{
	int rd = f->is_float ? below(p, 32) : free_x(p);

	emit(p, as_i(f->match, 0, rd, base, at));
	if (f->is_float)
		log_f(p, rd);
	else
		log_x(p, rd);
}

/* A float operation on fresh values, with fflags clear or inexact before, and read behind. */
static void float_case(struct random_program *p)
{
	const struct form *f = below(p, 3) ? PICK(p, float_forms) : PICK(p, convert_forms);
	const uint32_t is_double = f >= float_forms && f < float_forms + COUNT(float_forms) ? (uint32_t)below(p, 2) : 0;
	uint32_t w = f->match | is_double << 25;
	const bool to_x = f->operands[0] == 'd', from_x = f->operands[1] == '1';
	const int rd = to_x ? A0 : below(p, 4);

	for (int i = 0; i < 3; i++)
		emit(p, as_i(0x07, below(p, 4) ? 3 : 2, i, BASE, offset(p, RANDOM_POOL, RANDOM_SCRATCH, 8)));
	emit(p, LD(A1, BASE, offset(p, RANDOM_POOL, RANDOM_SCRATCH, 8)));
	w |= (uint32_t)rd << 7 | (uint32_t)(from_x ? A1 : 0) << 15;
	for (const char *c = f->operands; *c; c++) {
		if (*c == 'B')
			w |= 1u << 20;
		else if (*c == 'C')
			w |= 2u << 27;
		else if (*c == 'm')
			w |= (uint32_t)below(p, 5) << 12;
	}
	emit(p, as_i(0x73, 5, ZERO, below(p, 2), 1));
	emit(p, w);
	if (to_x)
		log_x(p, rd);
	else
		log_f(p, rd);
	emit(p, CSRRS(A2, 1, ZERO));
	log_x(p, A2);
}

static void memory(struct random_program *p)
{
	const struct memory_form *f;
	int base = BASE, at;

	switch (below(p, 4)) {
	case 0:
		f = PICK(p, loads);
		load(p, f, BASE, offset(p, RANDOM_POOL, RANDOM_SCRATCH, f->size));
		return;
	case 1: /* a computed address: 1024 bytes from SCRATCH on */
		base = T1;
		at = RANDOM_SCRATCH - 2048 + 8 * below(p, 64);
		emit(p, as_i(0x13, 7, T1, any_x(p), 0x3f8));
		emit(p, ADD(T1, T1, BASE));
		f = NULL;
		break;
	default:
		f = PICK(p, stores);
		at = offset(p, RANDOM_SCRATCH, RANDOM_LOG, f->size);
	}
	if (!f || below(p, 2) == 0) {
		f = PICK(p, loads);
		if (base == BASE)
			at = offset(p, RANDOM_SCRATCH, RANDOM_LOG, f->size);
		load(p, f, base, at);
	} else {
		emit(p, as_s(f->match, 0, f->is_float ? below(p, 32) : any_x(p), base, at));
	}
}

static void flags(struct random_program *p)
{
	int rd = free_x(p);

	switch (below(p, 8)) {
	case 0: emit(p, as_i(0x73, 5, rd, below(p, 5), 2)); break;            /* csrrwi frm */
	case 1: emit(p, as_i(0x73, 5, rd, below(p, 32), 3)); break;           /* csrrwi fcsr, mode 0 */
	case 2: emit(p, as_i(0x73, 2 + (uint32_t)below(p, 2), rd, any_x(p), 1)); break; /* csrrs, csrrc fflags */
	case 3: emit(p, as_i(0x73, 6 + (uint32_t)below(p, 2), rd, below(p, 32), 1)); break;
	case 4: emit(p, as_i(0x73, 2, rd, ZERO, 3)); break;                   /* read fcsr */
	default: emit(p, as_i(0x73, 5, rd, 0, 1)); break;                     /* take fflags */
	}
	log_x(p, rd);
}

static void straight(struct random_program *p)
{
	const struct memory_form *f;

	switch (below(p, 15)) {
	case 9: case 10: case 11:
		float_case(p);
		break;
	case 0: case 1: case 2:
		operation(p, PICK(p, int_forms), 0);
		break;
	case 3:
		operation(p, PICK(p, mul_forms), 0);
		break;
	case 4: case 5:
		memory(p);
		break;
	case 6: /* fresh values */
		f = below(p, 2) ? &loads[3] : &loads[7 + below(p, 3)];
		load(p, f, BASE, offset(p, RANDOM_POOL, RANDOM_SCRATCH, 8));
		break;
	case 7:
		operation(p, PICK(p, convert_forms), 0);
		break;
	case 8:
		flags(p);
		break;
	default:
		load(p, &loads[8 + below(p, 2)], BASE, offset(p, RANDOM_POOL, RANDOM_SCRATCH, 8));
		operation(p, PICK(p, float_forms), (uint32_t)below(p, 2) << 25);
		if (below(p, 2))
			flags(p);
	}
}

static void block(struct random_program *p)
{
	static const uint32_t conditions[] = { 0, 1, 4, 5, 6, 7 };
	uint32_t at;

	switch (below(p, 8)) {
	case 0: /* a branch over some operations */
		at = p->n;
		emit(p, 0);
		for (int i = below(p, 3); i >= 0; i--)
			straight(p);
		p->word[at] = as_b(*PICK(p, conditions), any_x(p), below(p, 3) ? any_x(p) : ZERO, 4 * (int)(p->n - at));
		break;
	case 1: /* jumps over an illegal word; jalr ignores the lowest bit of the sum */
		emit(p, JAL(free_x(p), 8));
		emit(p, 0);
		emit(p, AUIPC(T0, 0));
		emit(p, JALR(below(p, 2) ? T0 : RA, T0, 12 + below(p, 2)));
		emit(p, 0);
		log_x(p, T0);
		break;
	case 2: /* a loop of one to four turns */
		emit(p, ADDI(LOOP, ZERO, 1 + below(p, 4)));
		at = p->n;
		for (int i = below(p, 4); i >= 0; i--)
			straight(p);
		emit(p, ADDI(LOOP, LOOP, -1));
		emit(p, BNE(LOOP, ZERO, 4 * (int)(at - p->n)));
		break;
	default:
		straight(p);
	}
}

/* Values at the corners of integers and of the three float formats. */
static uint64_t value(struct random_program *p)
{
	static const uint64_t corners[] = {
		0, 1, 2, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN, INT32_MAX, (uint64_t)INT32_MIN, UINT32_MAX, 0x80000000,
		0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
		0x7ff0000000000001, 0xfff8000000000123, 0x8000000000000000, 0x0010000000000000, 0x000fffffffffffff,
		0x0000000000000001, 0x7fefffffffffffff, 0x43e0000000000000, 0xc3e0000000000000, 0x43dfffffffffffff,
		0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000200000, 0x3fe0000000000000, 0x3ff8000000000000,
		0x3810000000000000, 0x380fffffe0000000, 0x380ffffff0000000, 0x380fffffffffffff, 0xb80fffffe8000000,
		0x47efffffefffffff, 0x47effffff0000000, 0x40effdffffffffff, 0x40effe0000000000, 0x3f0fffc000000000,
	};
	static const uint32_t singles[] = {
		0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x00800000,
		0x007fffff, 0x00000001, 0x80000001, 0x7f7fffff, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000, 0x5f000000,
		0x3f000000, 0x3fc00000, 0xbf000000, 0x477fe000, 0x477ff000, 0x33000000, 0x33000001, 0x387fc000, 0x38800000,
	};
	static const uint16_t halves[] = { 0, 0x8000, 0x3c00, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 1, 0x3ff, 0x400, 0x7bff };

	switch (below(p, 10)) {
	case 0: case 1: return *PICK(p, corners);
	case 8: /* singles and doubles whose products and quotients lie around the ends of the range */
		return UINT64_C(0xffffffff00000000) | (next(p) & 0x807fffff) | (uint32_t)(60 + below(p, 8)) << 23;
	case 9:
		return (next(p) & UINT64_C(0x800fffffffffffff)) | (uint64_t)(506 + below(p, 10)) << 52;
	case 2: case 3: return *PICK(p, singles) | UINT64_C(0xffffffff00000000);
	case 4: return *PICK(p, halves) | UINT64_C(0xffffffffffff0000);
	case 5: /* a single of moderate size, so that sums meet */
		return UINT64_C(0xffffffff00000000) | (next(p) & 0x807fffff) | (uint32_t)(120 + below(p, 16)) << 23;
	case 6:
		return (next(p) & UINT64_C(0x800fffffffffffff)) | (uint64_t)(1016 + below(p, 16)) << 52;
	default: return next(p);
	}
}

void random_make(struct random_program *p, uint64_t seed, int operations)
{
	memset(p, 0, sizeof(*p));
	p->state = seed;
	for (int i = 0; i < 64; i++) {
		uint64_t v = i == BASE ? GM_DATA + 2048 : i == LOG ? GM_DATA + RANDOM_LOG : value(p);
		memcpy(p->data + 8 * i, &v, 8);
	}
	for (int i = RANDOM_POOL; i < RANDOM_LOG; i += 8) {
		uint64_t v = value(p);
		memcpy(p->data + i, &v, 8);
	}
	emit(p, ADDI(T6, ZERO, 5));
	emit(p, SLLI(T6, T6, 30));
	for (int i = 0; i < 32; i++)
		emit(p, FLD(i, T6, 256 + 8 * i));
	for (int i = 1; i < 32; i++)
		emit(p, LD(i, T6, 8 * i));
	for (int i = 0; i < operations; i++)
		block(p);
	for (int i = 0; i < 32; i++) {
		emit(p, SD(i, BASE, 512 - 2048 + 8 * i));
		emit(p, FSD(i, BASE, 768 - 2048 + 8 * i));
	}
	emit(p, CSRRS(T0, 3, ZERO));
	emit(p, SD(T0, BASE, 1024 - 2048));
	emit(p, ADDI(A0, ZERO, 1));
	emit(p, ADDI(A1, BASE, -2048));
	emit(p, LUI(A2, RIG_DATA_BYTES >> 12));
	emit(p, ADDI(A7, ZERO, 64));
	emit(p, ECALL);
	emit(p, ADDI(A0, ZERO, 0));
	emit(p, ADDI(A7, ZERO, 93));
	emit(p, ECALL);
}
