/*
 * core.c (fuzz) - a whole core fed with any instructions of the table on any operands: every outcome but a clean end or a
 * named kernel error is a bug. Input: one byte chip and core, 8 arguments of 8 bytes (two become GM buffers, two local
 * offsets), then 8 bytes per instruction: row (2), variant, rd, rs1, rs2, x31, a spare byte.
 */
#include "../../sim/sim.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 1 + 64, RECORD = 8, MOST = 200, BUFFER = 65536 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct chip chips[2];

static void init(void)
{
	static bool done;
	char err[512];
	struct fail f = { 0 };
	if (done)
		return;
	done = true;
	if (!isa_init(err, sizeof err) || !chip_load("ascend910b1", &chips[0], &f) || !chip_load("ascend910", &chips[1], &f)) {
		fail_print(&f);
		abort();
	}
}

static uint32_t encode(enum isa_id id, unsigned variant, unsigned rd, unsigned rs1, unsigned rs2, int32_t imm)
{
	struct isa_word w = { .id = (uint16_t)id, .variant = (uint8_t)variant, .rd = (uint8_t)rd, .rs1 = (uint8_t)rs1,
			      .rs2 = (uint8_t)rs2, .imm = imm };
	uint32_t raw;
	return isa_encode(&w, &raw) ? raw : 0x13; /* what does not encode is a nop */
}

static uint32_t write_text(const uint8_t *data, size_t size, uint32_t *text)
{
	uint32_t n = 0;
	for (size_t at = HEAD, i = 0; at + RECORD <= size && i < MOST; at += RECORD, i++) {
		const uint8_t *r = data + at;
		enum isa_id id = (enum isa_id)((r[0] | r[1] << 8) % ISA_COUNT);
		if (isa_table[id].rv)
			continue; /* the scalar unit has its own tests; here it only feeds operands */
		unsigned variants = isa_variants(id);
		/* x31 from one of the arguments, then the instruction on three others */
		text[n++] = encode(RV_addi, 0, 31, 10 + r[6] % 8, 0, 0);
		text[n++] = encode(id, variants ? r[2] % variants : 0, 10 + r[3] % 8, 10 + r[4] % 8, 10 + r[5] % 8, r[7] & 63);
	}
	text[n++] = encode(RV_jalr, 0, 0, 1, 0, 0);
	return n;
}

static void run(struct program *p, const struct chip *chip, const uint8_t *data)
{
	struct sim s;
	struct fail f = { 0 };
	struct sim_options o = { .max_cycles = 300000 };
	bool cube = p->core != CORE_VEC;
	bool ok = sim_init(&s, chip, cube ? p : NULL, cube ? NULL : p, 1, &o, &f);
	for (int i = 0; ok && i < 8; i++) {
		uint64_t v;
		memcpy(&v, data + 1 + 8 * i, 8);
		struct gm_region *g = i < 2 ? gm_add_arg(&s.gm, i ? "out" : "in", BUFFER, i, &f) : NULL;
		if (i < 2)
			v = g ? g->addr + v % BUFFER : 0;
		else if (i < 4)
			v = (v & 0xfff) * 32;
		ok = sim_arg(&s, v, false, &f);
	}
	ok = ok && sim_run(&s, &f);
	if (!ok && (f.class == FAIL_INTERNAL || f.class == FAIL_NONE || !f.what[0])) {
		fail_print(&f);
		abort();
	}
	sim_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint32_t text[2 * MOST + 1];
	static const unsigned kinds[3] = { CORE_CUBE, CORE_VEC, CORE_FUSED };
	if (size < HEAD)
		return 0;
	init();
	struct program p;
	memset(&p, 0, sizeof p);
	p.core = kinds[data[0] % 3];
	const struct chip *chip = &chips[p.core == CORE_FUSED];
	p.arch = chip->arch;
	p.text_addr = p.entry = GM_BASE;
	p.n_insn = write_text(data, size, text);
	p.text_size = 4 * (uint64_t)p.n_insn;
	p.text = (const uint8_t *)text;
	p.n_param = -1;
	run(&p, chip, data);
	free(p.insn);
	return 0;
}
