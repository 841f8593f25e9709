/*
 * kernel_vec_cast.h - Cast: every conversion of the chip, with the round modes it has.
 */
#ifndef VINCI_ASCENDC_VEC_CAST_H
#define VINCI_ASCENDC_VEC_CAST_H

namespace AscendC {

#define VINCI_CAST_ARGS d, s, n, db, sb, dr, sr
#define VINCI_CAST_IF(D, S) if constexpr (std::is_same<T, D>::value && std::is_same<U, S>::value)
/* the five modes of a lossy conversion; NONE where the chip has a form of its own (n), else none */
#define VINCI_CAST5(base, none, odd)                                                                                   \
	switch (mode) {                                                                                                \
	case RoundMode::CAST_RINT: base##r(VINCI_CAST_ARGS); break;                                                    \
	case RoundMode::CAST_FLOOR: base##f(VINCI_CAST_ARGS); break;                                                   \
	case RoundMode::CAST_CEIL: base##c(VINCI_CAST_ARGS); break;                                                    \
	case RoundMode::CAST_ROUND: base##a(VINCI_CAST_ARGS); break;                                                   \
	case RoundMode::CAST_TRUNC: base##z(VINCI_CAST_ARGS); break;                                                   \
	case RoundMode::CAST_NONE: none; break;                                                                        \
	case RoundMode::CAST_ODD: odd; break;                                                                          \
	default: VINCI_CAST_NO; break;                                                                                 \
	}
/* to the nearest by default, and the three directed modes */
#define VINCI_CAST4(base)                                                                                              \
	switch (mode) {                                                                                                \
	case RoundMode::CAST_FLOOR: base##f(VINCI_CAST_ARGS); break;                                                   \
	case RoundMode::CAST_CEIL: base##c(VINCI_CAST_ARGS); break;                                                    \
	case RoundMode::CAST_ROUND: base##a(VINCI_CAST_ARGS); break;                                                   \
	case RoundMode::CAST_TRUNC: base##z(VINCI_CAST_ARGS); break;                                                   \
	case RoundMode::CAST_NONE: base(VINCI_CAST_ARGS); break;                                                       \
	default: VINCI_CAST_NO; break;                                                                                 \
	}
#define VINCI_CAST_NO vinci_fail("Cast: these types have no conversion with this round mode on this chip")
#define VINCI_CAST1(insn)                                                                                              \
	if (mode == RoundMode::CAST_NONE)                                                                              \
		insn(VINCI_CAST_ARGS);                                                                                 \
	else                                                                                                           \
		VINCI_CAST_NO;

template <typename T, typename U>
VINCI_A void vinci_cast(__ubuf__ T *d, __ubuf__ U *s, RoundMode mode, uint8_t n, uint16_t db, uint16_t sb, uint16_t dr,
			uint16_t sr)
{
	VINCI_CAST_IF(float, half) { VINCI_CAST1(vconv_f162f32) }
	else VINCI_CAST_IF(half, int8_t) { VINCI_CAST1(vconv_s82f16) }
	else VINCI_CAST_IF(half, uint8_t) { VINCI_CAST1(vconv_u82f16) }
#if VINCI_ARCH == 4
	else VINCI_CAST_IF(half, float)
	{
		VINCI_CAST5(vconv_f322f16, vconv_f322f16(VINCI_CAST_ARGS), vconv_f322f16o(VINCI_CAST_ARGS))
	}
	else VINCI_CAST_IF(float, float) { VINCI_CAST5(vconv_f322f32, VINCI_CAST_NO, VINCI_CAST_NO) }
	else VINCI_CAST_IF(int32_t, float) { VINCI_CAST5(vconv_f322s32, VINCI_CAST_NO, VINCI_CAST_NO) }
	else VINCI_CAST_IF(int16_t, float) { VINCI_CAST5(vconv_f322s16, VINCI_CAST_NO, VINCI_CAST_NO) }
	else VINCI_CAST_IF(int64_t, float) { VINCI_CAST5(vconv_f322s64, VINCI_CAST_NO, VINCI_CAST_NO) }
	else VINCI_CAST_IF(bfloat16_t, float) { VINCI_CAST5(vconv_f322bf16, VINCI_CAST_NO, VINCI_CAST_NO) }
	else VINCI_CAST_IF(float, bfloat16_t) { VINCI_CAST1(vconv_bf162f32) }
	else VINCI_CAST_IF(int32_t, bfloat16_t) { VINCI_CAST5(vconv_bf162s32, VINCI_CAST_NO, VINCI_CAST_NO) }
	else VINCI_CAST_IF(int8_t, half) { VINCI_CAST5(vconv_f162s8, vconv_f162s8(VINCI_CAST_ARGS), VINCI_CAST_NO) }
	else VINCI_CAST_IF(uint8_t, half) { VINCI_CAST5(vconv_f162u8, vconv_f162u8(VINCI_CAST_ARGS), VINCI_CAST_NO) }
	else VINCI_CAST_IF(int16_t, half) { VINCI_CAST5(vconv_f162s16, VINCI_CAST_NO, VINCI_CAST_NO) }
	else VINCI_CAST_IF(int32_t, half) { VINCI_CAST5(vconv_f162s32, VINCI_CAST_NO, VINCI_CAST_NO) }
	else VINCI_CAST_IF(half, int16_t) { VINCI_CAST5(vconv_s162f16, vconv_s162f16(VINCI_CAST_ARGS), VINCI_CAST_NO) }
	else VINCI_CAST_IF(float, int16_t) { VINCI_CAST1(vconv_s162f32) }
	else VINCI_CAST_IF(float, int32_t) { VINCI_CAST5(vconv_s322f32, vconv_s322f32(VINCI_CAST_ARGS), VINCI_CAST_NO) }
	else VINCI_CAST_IF(int16_t, int32_t) { VINCI_CAST1(vconv_s322s16) }
	else VINCI_CAST_IF(int64_t, int32_t) { VINCI_CAST1(vconv_s322s64) }
	else VINCI_CAST_IF(half, int32_t) { VINCI_CAST1(vconv_deq) }
	else VINCI_CAST_IF(float, int64_t) { VINCI_CAST5(vconv_s642f32, VINCI_CAST_NO, VINCI_CAST_NO) }
	else VINCI_CAST_IF(int32_t, int64_t) { VINCI_CAST1(vconv_s642s32) }
	else VINCI_CAST_IF(half, int4b_t) { VINCI_CAST1(vconv_s42f16) }
	else VINCI_CAST_IF(int4b_t, half) { VINCI_CAST5(vconv_f162s4, vconv_f162s4(VINCI_CAST_ARGS), VINCI_CAST_NO) }
#else
	else VINCI_CAST_IF(half, float) {
		if (mode == RoundMode::CAST_NONE || mode == RoundMode::CAST_RINT)
			vconv_f322f16(VINCI_CAST_ARGS);
		else if (mode == RoundMode::CAST_ODD)
			vconv_f322f16o(VINCI_CAST_ARGS);
		else
			VINCI_CAST_NO;
	}
	else VINCI_CAST_IF(int32_t, half) { VINCI_CAST5(vconv_f162s32, VINCI_CAST_NO, VINCI_CAST_NO) }
	else VINCI_CAST_IF(int32_t, float) { VINCI_CAST5(vconv_f322s32, VINCI_CAST_NO, VINCI_CAST_NO) }
	else VINCI_CAST_IF(int8_t, half) { VINCI_CAST4(vconv_f162s8) }
	else VINCI_CAST_IF(uint8_t, half) { VINCI_CAST4(vconv_f162u8) }
	else VINCI_CAST_IF(float, int32_t) { VINCI_CAST1(vconv_s322f32) }
	else VINCI_CAST_IF(half, int32_t) { VINCI_CAST1(vconv_deq) }
#if VINCI_ARCH == 2
	else VINCI_CAST_IF(half, int16_t) { VINCI_CAST1(vconv_s162f16) }
	else VINCI_CAST_IF(int4b_t, half) { VINCI_CAST1(vconv_f162s4) }
	else VINCI_CAST_IF(int16_t, half)
	{
		if (mode == RoundMode::CAST_RINT)
			vconv_f162s16r(VINCI_CAST_ARGS);
		else
			VINCI_CAST_NO;
	}
#endif
#endif
	else
		static_assert(vinci_no<T>, "AscendC::Cast: " VINCI_CHIP " has no conversion between these types");
}
template <typename T, typename U>
constexpr uint32_t vinci_wide_bits = vinci_bits_of<T> > vinci_bits_of<U> ? vinci_bits_of<T> : vinci_bits_of<U>;
/* blocks that a repeat covers on the side of type S, when the wider type has 256 bytes */
template <typename S, typename T, typename U>
constexpr uint16_t vinci_cast_rep = (uint16_t)(8 * vinci_bits_of<S> / vinci_wide_bits<T, U>);

template <typename T, typename U>
VINCI_A void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode, const uint32_t count)
{
	vinci_for_count<vinci_wide_bits<T, U> / 8>(
		count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {
			vinci_cast<T, U>(VINCI_U(T, dst, at), VINCI_U(U, src, at), mode, n, 1, 1,
					 vinci_cast_rep<T, T, U>, vinci_cast_rep<U, T, U>);
		});
}
template <typename T, typename U, bool isSetMask = true, typename M>
VINCI_A auto Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode, M mask, const uint8_t repeat,
		  const UnaryRepeatParams &p) -> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	vinci_vector_call();
	if constexpr (vinci_wide_bits<T, U> == 32)
		vinci_set_mask<uint32_t, isSetMask>(mask);
	else
		vinci_set_mask<uint16_t, isSetMask>(mask);
	vinci_cast<T, U>(vinci_ub<T>(dst), vinci_ub<U>(src), mode, repeat, p.dstBlkStride, p.srcBlkStride,
			 p.dstRepStride, p.srcRepStride);
}
/* --- an operation on two sources and a conversion in one --- */
#define VINCI_FUSED_CAST(name, text, instead, ...)                                                                     \
	template <typename T, typename U>                                                                              \
	VINCI_A void vinci_##name(__ubuf__ T *d, __ubuf__ U *a, __ubuf__ U *b, uint8_t n, const BinaryRepeatParams &p) \
	{                                                                                                              \
		__VA_ARGS__                                                                                            \
		else static_assert(vinci_no<T>, "AscendC::" #name " takes " text " (destination, sources)");           \
	}                                                                                                              \
	template <typename T, typename U>                                                                              \
	VINCI_200(#name, instead)                                                                                      \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,           \
			  const uint32_t count)                                                                        \
	{                                                                                                              \
		vinci_for_count<sizeof(U)>(                                                                            \
			count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {                            \
				vinci_##name<T, U>(VINCI_U(T, dst, at), VINCI_U(U, src0, at), VINCI_U(U, src1, at), n, \
						   BinaryRepeatParams(1, 1, 1, 8 * sizeof(T) / sizeof(U), 8, 8));      \
			});                                                                                            \
	}                                                                                                              \
	template <typename T, typename U, bool isSetMask = true, typename M>                                           \
	VINCI_200(#name, instead)                                                                                      \
	VINCI_A auto name(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, M mask,   \
			  const uint8_t repeatTime, const BinaryRepeatParams &p)                                       \
		->std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>                            \
	{                                                                                                              \
		vinci_vector_call();                                                                                   \
		vinci_set_mask<U, isSetMask>(mask);                                                                    \
		vinci_##name<T, U>(vinci_ub<T>(dst), vinci_ub<U>(src0), vinci_ub<U>(src1), repeatTime, p);             \
	}
#define VINCI_CAST_P                                                                                                   \
	d, a, b, n, p.dstBlkStride, p.src0BlkStride, p.src1BlkStride, p.dstRepStride, p.src0RepStride, p.src1RepStride
VINCI_FUSED_CAST(AddReluCast, "int8_t of half, half of float and int8_t of int16_t", "Add, Relu, then Cast",
		 VINCI_CAST_IF(int8_t, half) vaddreluconv_f162s8(VINCI_CAST_P, false);
		 else VINCI_CAST_IF(half, float) vaddreluconv_f322f16(VINCI_CAST_P, false);
		 else VINCI_CAST_IF(int8_t, int16_t) vaddreluconv_s162s8(VINCI_CAST_P, false);)
VINCI_FUSED_CAST(SubReluCast, "int8_t of half, half of float and int8_t of int16_t", "Sub, Relu, then Cast",
		 VINCI_CAST_IF(int8_t, half) vsubreluconv_f162s8(VINCI_CAST_P, false);
		 else VINCI_CAST_IF(half, float) vsubreluconv_f322f16(VINCI_CAST_P, false);
		 else VINCI_CAST_IF(int8_t, int16_t) vsubreluconv_s162s8(VINCI_CAST_P, false);)
VINCI_FUSED_CAST(MulCast, "int8_t of half and uint8_t of half", "Mul, then Cast",
		 VINCI_CAST_IF(int8_t, half) vmulconv_f162s8(VINCI_CAST_P);
		 else VINCI_CAST_IF(uint8_t, half) vmulconv_f162u8(VINCI_CAST_P);)
VINCI_A void SetDeqScale(half scale) { set_deqscale(scale); }
VINCI_A void SetDeqScale(float scale, int16_t offset, bool signMode)
{
	uint32_t bits;
	__builtin_memcpy(&bits, &scale, 4);
	set_deqscale((uint64_t)bits | (uint64_t)(offset & 0x1ff) << 37 | (uint64_t)signMode << 46);
}

/* scalar conversions */
template <typename T, typename U, RoundMode mode> VINCI_A U Cast(T value)
{
	if constexpr (std::is_same<U, half>::value && mode == RoundMode::CAST_ODD)
		return conv_f322f16o((float)value);
	else if constexpr (std::is_same<U, int32_t>::value) {
		if constexpr (mode == RoundMode::CAST_ROUND)
			return (U)conv_f322s32a((float)value);
		else if constexpr (mode == RoundMode::CAST_CEIL)
			return (U)conv_f322s32c((float)value);
		else if constexpr (mode == RoundMode::CAST_FLOOR)
			return (U)conv_f322s32f((float)value);
		else
			return (U)conv_f322s32r((float)value);
	} else
		return (U)value;
}
template <typename T, typename U, RoundMode mode> VINCI_A U ScalarCast(T value) { return Cast<T, U, mode>(value); }
VINCI_A float ToFloat(bfloat16_t v) { return (float)v; }
VINCI_A bfloat16_t ToBfloat16(float v) { return (bfloat16_t)v; }
VINCI_A int64_t ScalarCountLeadingZero(uint64_t v) { return clz(v); }
VINCI_A int64_t CountBitsCntSameAsSignBit(int64_t v) { return sflbits(v); }
template <int bit> VINCI_A int64_t ScalarGetCountOfValue(uint64_t v) { return bit ? bcnt1(v) : bcnt0(v); }
template <int bit> VINCI_A int64_t ScalarGetSFFValue(uint64_t v) { return bit ? sff1(v) : sff0(v); }
} // namespace AscendC
#endif
