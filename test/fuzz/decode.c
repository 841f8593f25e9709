/*
 * Fuzz target: any words as instructions. What decodes must encode back to itself and have a text; half of the input goes
 * into the encoder as a decoded form; the rest becomes the encoding text of a row, which must be read or refused.
 */
#include "../../isa/isa.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void one_word(uint32_t raw)
{
	struct isa_word w;
	char text[64];
	uint32_t back;
	isa_disasm(raw, raw, text, raw % sizeof text + 1);
	if (isa_decode(raw, &w) && (!isa_encode(&w, &back) || back != raw))
		abort();
}

static void one_form(const uint8_t *b)
{
	struct isa_word w = { .id = (uint16_t)(b[0] | b[1] << 8), .variant = b[2], .rd = b[3], .rs1 = b[4], .rs2 = b[5],
			      .rs3 = b[6], .rm = b[7] }, back;
	uint32_t raw;
	memcpy(&w.imm, b + 8, 4);
	if (isa_encode(&w, &raw) && (!isa_decode(raw, &back) || back.id != w.id))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;
	char err[256], text[4][128] = { "" };
	if (!ready && !isa_init(err, sizeof err))
		abort();
	ready = true;
	for (size_t i = 0; i + 4 <= size; i += 4) {
		uint32_t raw;
		memcpy(&raw, data + i, 4);
		one_word(raw);
	}
	for (size_t i = 0; i + 12 <= size; i += 12)
		one_form(data + i);
	for (size_t i = 0; i < size && i < sizeof text; i++)
		text[i / 128][i % 128] = i % 128 == 127 ? 0 : (char)data[i];
	struct isa_insn row = { .name = "fuzz", .enc = text[0], .args = text[1], .regs = text[2], .types = text[3],
				.arch = "c220", .doc = "any", .form = FORM_VBIN, .file = "fuzz", .line = 1 };
	isa_check_rows(&row, 1, err, sizeof err);
	return 0;
}
