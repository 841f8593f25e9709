/*
 * scalar_float.c - the F, D and Zfhmin instructions: register boxing, rounding modes, flags; arithmetic is scalar_fp.c's.
 *
 * Shortcut: nearest-even + - * / of normal numbers with a normal result can raise the inexact flag only. Once that flag is
 * set (it stays set), the host's IEEE operation gives the same bits.
 */
#include "scalar_fp.h"
#include "scalar_priv.h"

#include <string.h>

#define BOX_S UINT64_C(0xffffffff00000000)
#define BOX_H UINT64_C(0xffffffffffff0000)
#define SIGN_S UINT64_C(0x80000000)
#define SIGN_D UINT64_C(0x8000000000000000)

static uint64_t box_s(uint64_t v) { return BOX_S | (v & 0xffffffffu); }
static uint64_t box_h(uint64_t v) { return BOX_H | (v & 0xffffu); }
static uint64_t unbox_s(uint64_t v) { return (v & BOX_S) == BOX_S ? v & 0xffffffffu : fp_nan(FP_S); }
static uint64_t unbox_h(uint64_t v) { return (v & BOX_H) == BOX_H ? v & 0xffffu : fp_nan(FP_H); }
static uint64_t sext32(uint64_t v) { return (uint64_t)(int64_t)(int32_t)(uint32_t)v; }
static uint64_t sext16(uint64_t v) { return (uint64_t)(int64_t)(int16_t)(uint16_t)v; }

static bool normal_s(uint32_t v) { return (((v >> 23) + 1) & 0xff) > 1; }
static bool normal_d(uint64_t v) { return (((v >> 52) + 1) & 0x7ff) > 1; }

static bool host_s(char op, uint64_t a, uint64_t b, uint64_t *result)
{
	uint32_t ua = (uint32_t)a, ub = (uint32_t)b, ur;
	float x, y, r;

	if (!normal_s(ua) || !normal_s(ub))
		return false;
	memcpy(&x, &ua, 4);
	memcpy(&y, &ub, 4);
	r = op == '+' ? x + y : op == '-' ? x - y : op == '*' ? x * y : x / y;
	memcpy(&ur, &r, 4);
	*result = ur;
	return normal_s(ur);
}

static bool host_d(char op, uint64_t a, uint64_t b, uint64_t *result)
{
	double x, y, r;

	if (!normal_d(a) || !normal_d(b))
		return false;
	memcpy(&x, &a, 8);
	memcpy(&y, &b, 8);
	r = op == '+' ? x + y : op == '-' ? x - y : op == '*' ? x * y : x / y;
	memcpy(result, &r, 8);
	return normal_d(*result);
}

static uint64_t arith(enum fp_format fmt, char op, uint64_t a, uint64_t b, enum fp_round rm, unsigned *flags, bool quick)
{
	uint64_t r;

	if (quick && (fmt == FP_S ? host_s(op, a, b, &r) : host_d(op, a, b, &r)))
		return r;
	switch (op) {
	case '+': return fp_add(fmt, a, b, rm, flags);
	case '-': return fp_sub(fmt, a, b, rm, flags);
	case '*': return fp_mul(fmt, a, b, rm, flags);
	default: return fp_div(fmt, a, b, rm, flags);
	}
}

static uint64_t sgnj(uint64_t a, uint64_t b, uint64_t sign, int how)
{
	uint64_t s = how == 0 ? b : how == 1 ? ~b : a ^ b;

	return (a & ~sign) | (s & sign);
}

bool scalar_float(struct scalar *s, const struct insn *ip)
{
	const uint64_t *f = s->f;
	uint64_t *fd = &s->f[ip->rd % 32], *xd = &s->x[ip->rd];
	const uint64_t x1 = s->x[ip->rs1];
	const uint64_t d1 = f[ip->rs1], d2 = f[ip->rs2], d3 = f[ip->rs3 % 32];
	const uint64_t s1 = unbox_s(d1), s2 = unbox_s(d2), s3 = unbox_s(d3);
	enum fp_round rm = ip->imm == FP_DYN ? (s->fcsr >> 5) & 7 : (uint32_t)ip->imm;
	unsigned flags = 0;
	bool quick = rm == FP_RNE && (s->fcsr & FP_NX);

	/* instructions without a rounding mode decode with rm = 0 */
	if (rm > FP_RMM)
		return false;
	switch (ip->id) {
	case RV_fadd_s: *fd = box_s(arith(FP_S, '+', s1, s2, rm, &flags, quick)); break;
	case RV_fsub_s: *fd = box_s(arith(FP_S, '-', s1, s2, rm, &flags, quick)); break;
	case RV_fmul_s: *fd = box_s(arith(FP_S, '*', s1, s2, rm, &flags, quick)); break;
	case RV_fdiv_s: *fd = box_s(arith(FP_S, '/', s1, s2, rm, &flags, quick)); break;
	case RV_fadd_d: *fd = arith(FP_D, '+', d1, d2, rm, &flags, quick); break;
	case RV_fsub_d: *fd = arith(FP_D, '-', d1, d2, rm, &flags, quick); break;
	case RV_fmul_d: *fd = arith(FP_D, '*', d1, d2, rm, &flags, quick); break;
	case RV_fdiv_d: *fd = arith(FP_D, '/', d1, d2, rm, &flags, quick); break;
	case RV_fsqrt_s: *fd = box_s(fp_sqrt(FP_S, s1, rm, &flags)); break;
	case RV_fsqrt_d: *fd = fp_sqrt(FP_D, d1, rm, &flags); break;

	case RV_fmadd_s: *fd = box_s(fp_fma(FP_S, s1, s2, s3, rm, &flags)); break;
	case RV_fmsub_s: *fd = box_s(fp_fma(FP_S, s1, s2, s3 ^ SIGN_S, rm, &flags)); break;
	case RV_fnmsub_s: *fd = box_s(fp_fma(FP_S, s1 ^ SIGN_S, s2, s3, rm, &flags)); break;
	case RV_fnmadd_s: *fd = box_s(fp_fma(FP_S, s1 ^ SIGN_S, s2, s3 ^ SIGN_S, rm, &flags)); break;
	case RV_fmadd_d: *fd = fp_fma(FP_D, d1, d2, d3, rm, &flags); break;
	case RV_fmsub_d: *fd = fp_fma(FP_D, d1, d2, d3 ^ SIGN_D, rm, &flags); break;
	case RV_fnmsub_d: *fd = fp_fma(FP_D, d1 ^ SIGN_D, d2, d3, rm, &flags); break;
	case RV_fnmadd_d: *fd = fp_fma(FP_D, d1 ^ SIGN_D, d2, d3 ^ SIGN_D, rm, &flags); break;

	case RV_fsgnj_s: *fd = box_s(sgnj(s1, s2, SIGN_S, 0)); break;
	case RV_fsgnjn_s: *fd = box_s(sgnj(s1, s2, SIGN_S, 1)); break;
	case RV_fsgnjx_s: *fd = box_s(sgnj(s1, s2, SIGN_S, 2)); break;
	case RV_fsgnj_d: *fd = sgnj(d1, d2, SIGN_D, 0); break;
	case RV_fsgnjn_d: *fd = sgnj(d1, d2, SIGN_D, 1); break;
	case RV_fsgnjx_d: *fd = sgnj(d1, d2, SIGN_D, 2); break;
	case RV_fmin_s: *fd = box_s(fp_min(FP_S, s1, s2, &flags)); break;
	case RV_fmax_s: *fd = box_s(fp_max(FP_S, s1, s2, &flags)); break;
	case RV_fmin_d: *fd = fp_min(FP_D, d1, d2, &flags); break;
	case RV_fmax_d: *fd = fp_max(FP_D, d1, d2, &flags); break;

	case RV_feq_s: *xd = fp_eq(FP_S, s1, s2, &flags); break;
	case RV_flt_s: *xd = fp_lt(FP_S, s1, s2, &flags); break;
	case RV_fle_s: *xd = fp_le(FP_S, s1, s2, &flags); break;
	case RV_feq_d: *xd = fp_eq(FP_D, d1, d2, &flags); break;
	case RV_flt_d: *xd = fp_lt(FP_D, d1, d2, &flags); break;
	case RV_fle_d: *xd = fp_le(FP_D, d1, d2, &flags); break;
	case RV_fclass_s: *xd = fp_class(FP_S, s1); break;
	case RV_fclass_d: *xd = fp_class(FP_D, d1); break;

	case RV_fcvt_w_s: *xd = fp_to_int(FP_S, s1, 32, true, rm, &flags); break;
	case RV_fcvt_wu_s: *xd = fp_to_int(FP_S, s1, 32, false, rm, &flags); break;
	case RV_fcvt_l_s: *xd = fp_to_int(FP_S, s1, 64, true, rm, &flags); break;
	case RV_fcvt_lu_s: *xd = fp_to_int(FP_S, s1, 64, false, rm, &flags); break;
	case RV_fcvt_w_d: *xd = fp_to_int(FP_D, d1, 32, true, rm, &flags); break;
	case RV_fcvt_wu_d: *xd = fp_to_int(FP_D, d1, 32, false, rm, &flags); break;
	case RV_fcvt_l_d: *xd = fp_to_int(FP_D, d1, 64, true, rm, &flags); break;
	case RV_fcvt_lu_d: *xd = fp_to_int(FP_D, d1, 64, false, rm, &flags); break;
	case RV_fcvt_s_w: *fd = box_s(fp_from_int(FP_S, sext32(x1), true, rm, &flags)); break;
	case RV_fcvt_s_wu: *fd = box_s(fp_from_int(FP_S, (uint32_t)x1, false, rm, &flags)); break;
	case RV_fcvt_s_l: *fd = box_s(fp_from_int(FP_S, x1, true, rm, &flags)); break;
	case RV_fcvt_s_lu: *fd = box_s(fp_from_int(FP_S, x1, false, rm, &flags)); break;
	case RV_fcvt_d_w: *fd = fp_from_int(FP_D, sext32(x1), true, rm, &flags); break;
	case RV_fcvt_d_wu: *fd = fp_from_int(FP_D, (uint32_t)x1, false, rm, &flags); break;
	case RV_fcvt_d_l: *fd = fp_from_int(FP_D, x1, true, rm, &flags); break;
	case RV_fcvt_d_lu: *fd = fp_from_int(FP_D, x1, false, rm, &flags); break;

	case RV_fcvt_s_d: *fd = box_s(fp_convert(FP_D, FP_S, d1, rm, &flags)); break;
	case RV_fcvt_d_s: *fd = fp_convert(FP_S, FP_D, s1, rm, &flags); break;
	case RV_fcvt_s_h: *fd = box_s(fp_convert(FP_H, FP_S, unbox_h(d1), rm, &flags)); break;
	case RV_fcvt_h_s: *fd = box_h(fp_convert(FP_S, FP_H, s1, rm, &flags)); break;
	case RV_fcvt_d_h: *fd = fp_convert(FP_H, FP_D, unbox_h(d1), rm, &flags); break;
	case RV_fcvt_h_d: *fd = box_h(fp_convert(FP_D, FP_H, d1, rm, &flags)); break;

	case RV_fmv_x_h: *xd = sext16(d1); break;
	case RV_fmv_x_w: *xd = sext32(d1); break;
	case RV_fmv_x_d: *xd = d1; break;
	case RV_fmv_h_x: *fd = box_h(x1); break;
	case RV_fmv_w_x: *fd = box_s(x1); break;
	case RV_fmv_d_x: *fd = x1; break;
	default: return false;
	}
	s->fcsr |= flags;
	return true;
}

bool scalar_csr(struct scalar *s, const struct insn *ip, int64_t now, uint64_t instret)
{
	enum { FFLAGS = 1, FRM = 2, FCSR = 3, CYCLE = 0xc00, TIME = 0xc01, INSTRET = 0xc02 };
	const unsigned csr = (uint32_t)ip->imm & 0xfff;
	const bool immediate = ip->id == RV_csrrwi || ip->id == RV_csrrsi || ip->id == RV_csrrci;
	const bool swap = ip->id == RV_csrrw || ip->id == RV_csrrwi;
	const bool clear = ip->id == RV_csrrc || ip->id == RV_csrrci;
	const uint64_t operand = immediate ? ip->rs1 : s->x[ip->rs1];
	uint64_t old;

	switch (csr) {
	case FFLAGS: old = s->fcsr & 0x1f; break;
	case FRM: old = s->fcsr >> 5; break;
	case FCSR: old = s->fcsr; break;
	case CYCLE: old = (uint64_t)now; break;
	case TIME: old = (uint64_t)(now * s->chip->clock.sys_cnt_mhz / s->chip->clock.core_mhz); break;
	case INSTRET: old = instret; break;
	default: return false;
	}
	if (swap || ip->rs1 != 0) {
		uint64_t v = swap ? operand : clear ? old & ~operand : old | operand;
		if (csr >= CYCLE)
			return false;
		if (csr == FFLAGS)
			s->fcsr = (s->fcsr & 0xe0) | (v & 0x1f);
		else if (csr == FRM)
			s->fcsr = (s->fcsr & 0x1f) | (v & 7) << 5;
		else
			s->fcsr = v & 0xff;
	}
	s->x[ip->rd] = old;
	return true;
}
