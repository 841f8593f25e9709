/*
 * fixpipe_quant.c - quantisation, casts and relu of the fixpipe, element by element; see fixpipe.h for the formulas.
 */
#include "fixpipe.h"
#include "num.h"

#include <string.h>

enum { CHUNK = 512 };

struct quant_row { uint8_t quant; uint8_t src, dst; bool vector; };

/* c220: L0C f32 to s8, u8, f16, bf16, f32; s32 to s8, u8, f16, s32. */
static const struct quant_row quant_rows[] = {
	{ FIX_NONE, TYPE_F32, TYPE_F32, false }, { FIX_NONE, TYPE_S32, TYPE_S32, false },
	{ FIX_F322F16, TYPE_F32, TYPE_F16, false }, { FIX_F322BF16, TYPE_F32, TYPE_BF16, false },
	{ FIX_REQ8, TYPE_S32, TYPE_S8, false }, { FIX_REQ8, TYPE_S32, TYPE_U8, false },
	{ FIX_VREQ8, TYPE_S32, TYPE_S8, true }, { FIX_VREQ8, TYPE_S32, TYPE_U8, true },
	{ FIX_DEQF16, TYPE_S32, TYPE_F16, false }, { FIX_VDEQF16, TYPE_S32, TYPE_F16, true },
	{ FIX_SHIFTS16, TYPE_S32, TYPE_S16, false }, { FIX_VSHIFTS16, TYPE_S32, TYPE_S16, true },
	{ FIX_QF322B8, TYPE_F32, TYPE_S8, false }, { FIX_QF322B8, TYPE_F32, TYPE_U8, false },
	{ FIX_VQF322B8, TYPE_F32, TYPE_S8, true }, { FIX_VQF322B8, TYPE_F32, TYPE_U8, true },
};

static const char *quant_unspecified(unsigned quant)
{
	switch (quant) {
	case 25: case 26: case 28: case 37: return "8-bit floats exist on later chips only";
	case 27: case 32: case 33: case 34: case 35: case 36: case 38: case 39:
		return "the type matrix of this level has no such pair";
	default: return NULL;
	}
}

static bool quant_find(const struct op *op, unsigned quant, struct fix_mode *m, struct fail *f)
{
	bool known = false;

	for (unsigned i = 0; i < sizeof(quant_rows) / sizeof(quant_rows[0]); i++) {
		const struct quant_row *r = &quant_rows[i];
		known |= r->quant == quant;
		if (r->quant == quant && r->src == m->src && r->dst == m->dst) {
			m->quant = (enum fix_quant)quant;
			m->vector = r->vector;
			return true;
		}
	}
	if (quant_unspecified(quant))
		return op_fail(f, FAIL_MODEL, op, "quantisation mode %u is not modelled: %s", quant,
			quant_unspecified(quant));
	if (!known)
		return op_fail(f, FAIL_KERNEL, op, "%u is no quantisation mode", quant);
	return op_fail(f, FAIL_KERNEL, op, "quantisation mode %u does not turn %s into %s", quant,
		isa_type_name(m->src),
		       isa_type_name(m->dst));
}

static bool scaled(enum fix_quant q) { return q != FIX_NONE && q != FIX_F322F16 && q != FIX_F322BF16; }

/* A 32-bit pattern without its sign of type stands for the accumulator: u32 stores like s32. */
static enum isa_type plain(enum isa_type t)
{
	switch (t) {
	case TYPE_U32: return TYPE_S32;
	case TYPE_NONE: return TYPE_F32;
	default: return t;
	}
}

bool fix_mode_of(const struct op *op, struct fix_mode *m, struct fail *f)
{
	uint64_t t = op->x[3];
	unsigned relu = (unsigned)fixt_relu_pre(t);

	*m = (struct fix_mode){ .dst = plain(isa_operand_type(op->insn, op->variant, 0)),
				.src = plain(isa_operand_type(op->insn, op->variant, 1)),
				.relu = (enum fix_relu)relu, .keep = ctrl_bit(op, CTRL_INF_NAN),
				.alpha = num_float((uint32_t)op->spr.lrelu_alpha), .scale = op->spr.quant_pre };
	if (relu > FIX_LEAKY_VECTOR)
		return op_fail(f, FAIL_KERNEL, op, "%u is no relu mode (0 none, 1 relu, 2 leaky, 3 leaky per channel)",
			relu);
	if (!quant_find(op, (unsigned)fixt_quant_pre(t), m, f))
		return false;
	if (relu > FIX_RELU && (scaled(m->quant) || m->src == TYPE_S32))
		return op_fail(f, FAIL_MODEL, op,
			"leaky relu together with a scale or on integers is not specified by public "
			       "sources");
	return true;
}

static float scale_m1(uint64_t q) { return num_float((uint32_t)q & 0xffffe000u); }

static int quant_offset(uint64_t q)
{
	int v = (int)(q >> 37 & 511);

	return v < 256 ? v : v - 512;
}

static uint64_t scale_at(const struct fix_mode *m, uint32_t channel)
{
	uint64_t q = m->scale;

	if (m->vector)
		memcpy(&q, m->scales + 8 * (uint64_t)channel, 8);
	return q;
}

/* acc * M; relu makes M zero for negative accumulators. */
static float scale_acc(const struct fix_mode *m, uint64_t q, float acc)
{
	return m->relu == FIX_RELU && acc < 0 ? 0.0f : acc * scale_m1(q);
}

static uint8_t quant8(const struct fix_mode *m, uint64_t q, float acc)
{
	int64_t r = num_to_int(scale_acc(m, q, acc), NUM_RINT, 32, true, false);

	r = num_saturate(r < -256 ? -256 : r > 255 ? 255 : r, 16, true) + quant_offset(q);
	return (uint8_t)num_saturate(r, 8, q >> 46 & 1);
}

static float relu_f32(const struct fix_mode *m, uint32_t channel, float v)
{
	float alpha = m->alpha;

	if (m->relu == FIX_RELU_NONE || v != v || v > 0)
		return v;
	if (m->relu == FIX_RELU)
		return 0;
	if (m->relu == FIX_LEAKY_VECTOR)
		memcpy(&alpha, m->alphas + 4 * (uint64_t)channel, 4);
	return v * alpha;
}

static void load_f32(const struct fix_mode *m, const void *acc, float *v, uint32_t n)
{
	int32_t s;

	if (m->src == TYPE_F32) {
		memcpy(v, acc, 4 * (uint64_t)n);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		memcpy(&s, (const uint8_t *)acc + 4 * (uint64_t)i, 4);
		v[i] = (float)s;
	}
}

static void convert_int(const struct fix_mode *m, const void *acc, uint8_t *out, uint32_t n)
{
	int32_t s;

	memcpy(out, acc, 4 * (uint64_t)n);
	for (uint32_t i = 0; m->relu == FIX_RELU && i < n; i++) {
		memcpy(&s, out + 4 * (uint64_t)i, 4);
		if (s < 0)
			memset(out + 4 * (uint64_t)i, 0, 4);
	}
}

static void convert_chunk(const struct fix_mode *m, uint32_t channel, float *v, uint8_t *out, uint32_t n)
{
	uint16_t h[CHUNK];

	switch (m->quant) {
	case FIX_REQ8: case FIX_VREQ8: case FIX_QF322B8: case FIX_VQF322B8:
		for (uint32_t i = 0; i < n; i++)
			out[i] = quant8(m, scale_at(m, channel + i), v[i]);
		return;
	case FIX_DEQF16: case FIX_VDEQF16:
		for (uint32_t i = 0; i < n; i++)
			v[i] = scale_acc(m, scale_at(m, channel + i), v[i]);
		break;
	default:
		for (uint32_t i = 0; m->relu != FIX_RELU_NONE && i < n; i++)
			v[i] = relu_f32(m, channel + i, v[i]);
		break;
	}
	if (m->dst == TYPE_F32) {
		memcpy(out, v, 4 * (uint64_t)n);
		return;
	}
	if (m->dst == TYPE_F16)
		num_f32_to_f16_n(v, h, n, m->keep);
	for (uint32_t i = 0; m->dst == TYPE_BF16 && i < n; i++)
		h[i] = num_to_bf16(v[i], NUM_RINT, m->keep);
	memcpy(out, h, 2 * (uint64_t)n);
}

static void shift_int(const struct fix_mode *m, uint32_t channel, const void *acc, uint8_t *out, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		int32_t s;
		memcpy(&s, (const uint8_t *)acc + 4 * (uint64_t)i, 4);
		unsigned shift = scale_at(m, channel + i) >> 32 & 15;
		int64_t v = m->relu == FIX_RELU && s < 0 ? 0 : s, half = shift ? INT64_C(1) << (shift - 1) : 0;
		int16_t r = (int16_t)num_saturate((v + half) >> shift, 16, true);
		memcpy(out + 2 * (uint64_t)i, &r, 2);
	}
}

void fix_convert(const struct fix_mode *m, uint32_t channel, const void *acc, uint8_t *out, uint32_t n)
{
	float v[CHUNK];

	if (m->dst == TYPE_S32) {
		convert_int(m, acc, out, n);
		return;
	}
	if (m->dst == TYPE_S16) {
		shift_int(m, channel, acc, out, n);
		return;
	}
	for (uint32_t done = 0, part; done < n; done += part) {
		part = n - done < CHUNK ? n - done : CHUNK;
		load_f32(m, (const uint8_t *)acc + 4 * (uint64_t)done, v, part);
		convert_chunk(m, channel + done, v, out + (uint64_t)done * (isa_type_bits(m->dst) / 8), part);
	}
}
