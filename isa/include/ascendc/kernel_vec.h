/*
 * kernel_vec.h - vector arithmetic in its three forms, from one table per shape of call:
 *   z = x + y;   Add(z, x, y, count);   Add(z, x, y, mask, repeat, params), the mask as a number or as bits.
 */
#ifndef VINCI_ASCENDC_VEC_H
#define VINCI_ASCENDC_VEC_H

namespace AscendC {

/* the first n lanes, or n elements in counter mode */
VINCI_A void vinci_mask_count(uint64_t n)
{
	if (vinci_state.counter_mode)
		set_vector_mask(0, n);
	else if (n >= 128)
		set_vector_mask(~0ull, ~0ull);
	else if (n > 64)
		set_vector_mask((1ull << (n - 64)) - 1, ~0ull);
	else
		set_vector_mask(0, n == 64 ? ~0ull : (1ull << n) - 1);
}
template <typename T, MaskMode mode = MaskMode::NORMAL> VINCI_A void SetVectorMask(uint64_t high, uint64_t low)
{
	set_vector_mask(high, low);
}
template <typename T, MaskMode mode = MaskMode::NORMAL> VINCI_A void SetVectorMask(int32_t count)
{
	if constexpr (mode == MaskMode::COUNTER)
		set_vector_mask(0, (uint64_t)count);
	else
		vinci_mask_count((uint64_t)count);
}
VINCI_A void SetMaskCount()
{
	vinci_state.counter_mode = true;
	set_mask_count();
}
VINCI_A void SetMaskNorm()
{
	vinci_state.counter_mode = false;
	set_mask_norm();
}
VINCI_A void ResetMask() { set_vector_mask(~0ull, ~0ull); }
struct AscendCUtils {
	template <typename T, bool on = true> static VINCI_A void SetMask(uint64_t high, uint64_t low)
	{
		if constexpr (on)
			set_vector_mask(high, low);
	}
	template <typename T, bool on = true> static VINCI_A void SetMask(int32_t n)
	{
		if constexpr (on)
			vinci_mask_count((uint64_t)n);
	}
	static VINCI_A void ResetMask() { set_vector_mask(~0ull, ~0ull); }
	static VINCI_A int32_t GetC0Count(int32_t bytes) { return 32 / bytes; }
	static VINCI_A int32_t GetC0Size() { return 32; }
};

/* The mask of one call: a number of lanes, bits, or as the kernel left it. */
template <typename T, bool on> VINCI_A void vinci_set_mask(uint64_t n) { if constexpr (on) vinci_mask_count(n); }
template <typename T, bool on> VINCI_A void vinci_set_mask(const uint64_t *bits)
{
	if constexpr (on)
		set_vector_mask(sizeof(T) >= 4 ? 0 : bits[1], bits[0]);
}

/*
 * `count` elements of `bytes` each with default strides: counter mode where the chip has it, else whole repeats and the
 * rest under a mask. f(byte offset of the repeat, repeats).
 */
template <uint32_t bytes, typename F> VINCI_A void vinci_for_count(uint32_t count, F f)
{
	vinci_vector_call();
#if VINCI_ARCH != 1
	set_mask_count();
	set_vector_mask(0, count);
	f(0u, (uint8_t)1);
	if (!vinci_state.counter_mode)
		set_mask_norm();
	set_vector_mask(~0ull, ~0ull);
#else
	constexpr uint32_t lanes = 256 / bytes;
	uint32_t done = 0;
	set_vector_mask(~0ull, ~0ull);
	for (; count - done >= lanes * 252; done += lanes * 252)
		f(done, (uint8_t)252);
	if (count - done >= lanes) {
		uint32_t n = (count - done) / lanes;
		f(done, (uint8_t)n);
		done += n * lanes;
	}
	if (done < count) {
		vinci_mask_count(count - done);
		f(done, (uint8_t)1);
		set_vector_mask(~0ull, ~0ull);
	}
#endif
}

#define VINCI_ONLY(name, text, T, ...)                                                                                 \
	static_assert(vinci_one_of<T, __VA_ARGS__>, "AscendC::" name " takes " text " on this chip")
#define VINCI_U(T, t, off) vinci_ub<T>(t, (uint32_t)vinci_bytes_of<T>(off))

/* --- two sources --- */
template <typename T> using vinci_same = T;
#define VINCI_SAME vinci_same
template <typename T> using vinci_logic = std::conditional_t<std::is_signed<T>::value, int16_t, uint16_t>;

/* name, intrinsic, how T reads as the intrinsic's type, bytes of a lane, allowed types as text and list */
#define VINCI_BINARY(X)                                                                                                \
	X(Add, vadd, VINCI_SAME, "half, float, int16_t and int32_t", half, float, int16_t, int32_t)                    \
	X(Sub, vsub, VINCI_SAME, "half, float, int16_t and int32_t", half, float, int16_t, int32_t)                    \
	X(Mul, vmul, VINCI_SAME, "half, float, int16_t and int32_t", half, float, int16_t, int32_t)                    \
	X(Div, vdiv, VINCI_SAME, "half and float", half, float)                                                        \
	X(Max, vmax, VINCI_SAME, "half, float, int16_t and int32_t", half, float, int16_t, int32_t)                    \
	X(Min, vmin, VINCI_SAME, "half, float, int16_t and int32_t", half, float, int16_t, int32_t)                    \
	X(And, vand, vinci_logic, "int16_t and uint16_t", int16_t, uint16_t)                                           \
	X(Or, vor, vinci_logic, "int16_t and uint16_t", int16_t, uint16_t)                                             \
	X(AddRelu, vaddrelu, VINCI_SAME, "half, float and int16_t", half, float, int16_t)                              \
	X(SubRelu, vsubrelu, VINCI_SAME, "half, float and int16_t", half, float, int16_t)                              \
	X(FusedMulAdd, vmadd, VINCI_SAME, "half and float", half, float)                                               \
	X(FusedMulAddRelu, vmaddrelu, VINCI_SAME, "half and float", half, float)
#define VINCI_BINARY_CALLS(name, insn, as, text, ...)                                                                  \
	template <typename T, typename M>                                                                              \
	VINCI_A void vinci_##name(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b,           \
				  uint8_t repeat, const BinaryRepeatParams &p)                                         \
	{                                                                                                              \
		VINCI_ONLY(#name, text, T, __VA_ARGS__);                                                               \
		insn(vinci_ub<M>(d), vinci_ub<M>(a), vinci_ub<M>(b), repeat, p.dstBlkStride, p.src0BlkStride,          \
		     p.src1BlkStride, p.dstRepStride, p.src0RepStride, p.src1RepStride);                               \
	}                                                                                                              \
	template <typename T>                                                                                          \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,           \
			  const int32_t &count)                                                                        \
	{                                                                                                              \
		VINCI_ONLY(#name, text, T, __VA_ARGS__);                                                               \
		vinci_for_count<sizeof(T)>(                                                                            \
			(uint32_t)count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {                  \
				vinci_##name<T, as<T>>(dst[at], src0[at], src1[at], n, BinaryRepeatParams());          \
			});                                                                                            \
	}                                                                                                              \
	template <typename T, bool isSetMask = true>                                                                   \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,           \
			  uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams &p)                        \
	{                                                                                                              \
		vinci_vector_call();                                                                                   \
		vinci_set_mask<T, isSetMask>(mask);                                                                    \
		vinci_##name<T, as<T>>(dst, src0, src1, repeatTime, p);                                                \
	}                                                                                                              \
	template <typename T, bool isSetMask = true>                                                                   \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,           \
			  uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams &p)                      \
	{                                                                                                              \
		vinci_vector_call();                                                                                   \
		vinci_set_mask<T, isSetMask>((const uint64_t *)mask);                                                  \
		vinci_##name<T, as<T>>(dst, src0, src1, repeatTime, p);                                                \
	}
VINCI_BINARY(VINCI_BINARY_CALLS)

/* MulAddDst also takes half sources for a float destination */
template <typename T, typename U>
VINCI_A void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, const int32_t &count)
{
	constexpr uint8_t sr = 8 * sizeof(U) / sizeof(T);
	vinci_for_count<sizeof(T)>((uint32_t)count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {
		vmla(VINCI_U(T, dst, at), VINCI_U(U, src0, at), VINCI_U(U, src1, at), n, 1, 1, 1, 8, sr, sr);
	});
}
template <typename T, typename U, bool isSetMask = true, typename M>
VINCI_A auto MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, M mask,
		       const uint8_t repeat, const BinaryRepeatParams &p)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	vinci_vector_call();
	vinci_set_mask<T, isSetMask>(mask);
	vmla(vinci_ub<T>(dst), vinci_ub<U>(src0), vinci_ub<U>(src1), repeat, p.dstBlkStride, p.src0BlkStride, p.src1BlkStride,
	     p.dstRepStride, p.src0RepStride, p.src1RepStride);
}
template <typename T>
VINCI_A void MulAddRelu(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b, const int32_t &n)
{
	FusedMulAddRelu(d, a, b, n);
}

/* --- one source --- */
#define VINCI_UNARY(X)                                                                                                 \
	X(Exp, vexp, VINCI_SAME, "half and float", half, float)                                                        \
	X(Ln, vln, VINCI_SAME, "half and float", half, float)                                                          \
	X(Abs, vabs, VINCI_SAME, "half, float and int16_t", half, float, int16_t)                                      \
	X(Reciprocal, vrec, VINCI_SAME, "half and float", half, float)                                                 \
	X(Sqrt, vsqrt, VINCI_SAME, "half and float", half, float)                                                      \
	X(Rsqrt, vrsqrt, VINCI_SAME, "half and float", half, float)                                                    \
	X(Relu, vrelu, VINCI_SAME, "half, float and int32_t", half, float, int32_t)                                    \
	X(Not, vnot, vinci_logic, "int16_t and uint16_t", int16_t, uint16_t)
#define VINCI_UNARY_CALLS(name, insn, as, text, ...)                                                                   \
	template <typename T, typename M>                                                                              \
	VINCI_A void vinci_##name(const LocalTensor<T> &d, const LocalTensor<T> &a, uint8_t repeat, const UnaryRepeatParams &p)\
	{                                                                                                              \
		VINCI_ONLY(#name, text, T, __VA_ARGS__);                                                               \
		insn(vinci_ub<M>(d), vinci_ub<M>(a), repeat, p.dstBlkStride, p.srcBlkStride, p.dstRepStride, p.srcRepStride);\
	}                                                                                                              \
	template <typename T> VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count)\
	{                                                                                                              \
		VINCI_ONLY(#name, text, T, __VA_ARGS__);                                                               \
		vinci_for_count<sizeof(T)>((uint32_t)count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {\
			vinci_##name<T, as<T>>(dst[at], src[at], n, UnaryRepeatParams());                              \
		});                                                                                                    \
	}                                                                                                              \
	template <typename T, bool isSetMask = true>                                                                   \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask, const uint8_t repeatTime,\
			  const UnaryRepeatParams &p)                                                                  \
	{                                                                                                              \
		vinci_vector_call();                                                                                   \
		vinci_set_mask<T, isSetMask>(mask);                                                                    \
		vinci_##name<T, as<T>>(dst, src, repeatTime, p);                                                       \
	}                                                                                                              \
	template <typename T, bool isSetMask = true>                                                                   \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask[], const uint8_t repeatTime,\
			  const UnaryRepeatParams &p)                                                                  \
	{                                                                                                              \
		vinci_vector_call();                                                                                   \
		vinci_set_mask<T, isSetMask>((const uint64_t *)mask);                                                  \
		vinci_##name<T, as<T>>(dst, src, repeatTime, p);                                                       \
	}
VINCI_UNARY(VINCI_UNARY_CALLS)

/* --- one source and a scalar --- */
template <typename T> struct vinci_id { using type = T; };
template <typename T> using vinci_plain = typename vinci_id<T>::type; /* takes no part in deduction */
#define VINCI_SCALAR(X)                                                                                                \
	X(Adds, vadds, "half, float, int16_t and int32_t", half, float, int16_t, int32_t)                              \
	X(Muls, vmuls, "half, float, int16_t and int32_t", half, float, int16_t, int32_t)                              \
	X(Maxs, vmaxs, "half, float, int16_t and int32_t", half, float, int16_t, int32_t)                              \
	X(Mins, vmins, "half, float, int16_t and int32_t", half, float, int16_t, int32_t)                              \
	X(LeakyRelu, vlrelu, "half and float", half, float)
#define VINCI_SCALAR_CALLS(name, insn, text, ...)                                                                      \
	template <typename T, bool isSetMask = true>                                                                   \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const vinci_plain<T> &scalar,          \
			  const int32_t &count)                                                                        \
	{                                                                                                              \
		VINCI_ONLY(#name, text, T, __VA_ARGS__);                                                               \
		T s = scalar;                                                                                          \
		vinci_for_count<sizeof(T)>(                                                                            \
			(uint32_t)count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {                  \
				insn(VINCI_U(T, dst, at), VINCI_U(T, src, at), s, n, 1, 1, 8, 8);                      \
			});                                                                                            \
	}                                                                                                              \
	template <typename T, bool isSetMask = true>                                                                   \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const vinci_plain<T> &scalar,          \
			  uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams &p)                         \
	{                                                                                                              \
		VINCI_ONLY(#name, text, T, __VA_ARGS__);                                                               \
		vinci_vector_call();                                                                                   \
		vinci_set_mask<T, isSetMask>(mask);                                                                    \
		insn(vinci_ub<T>(dst), vinci_ub<T>(src), (T)scalar, repeatTime, p.dstBlkStride, p.srcBlkStride,        \
		     p.dstRepStride, p.srcRepStride);                                                                  \
	}                                                                                                              \
	template <typename T, bool isSetMask = true>                                                                   \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const vinci_plain<T> &scalar,          \
			  uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams &p)                       \
	{                                                                                                              \
		VINCI_ONLY(#name, text, T, __VA_ARGS__);                                                               \
		vinci_vector_call();                                                                                   \
		vinci_set_mask<T, isSetMask>((const uint64_t *)mask);                                                  \
		insn(vinci_ub<T>(dst), vinci_ub<T>(src), (T)scalar, repeatTime, p.dstBlkStride, p.srcBlkStride,        \
		     p.dstRepStride, p.srcRepStride);                                                                  \
	}
VINCI_SCALAR(VINCI_SCALAR_CALLS)

template <typename T, typename U>
VINCI_A void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const vinci_plain<U> &scalar, const int32_t &count)
{
	U s = scalar;
	constexpr uint16_t sr = 8 * sizeof(U) / sizeof(T);
	vinci_for_count<sizeof(T)>((uint32_t)count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {
		vaxpy(VINCI_U(T, dst, at), VINCI_U(U, src, at), s, n, 1, 1, 8, sr);
	});
}
template <typename T, typename U, bool isSetMask = true, typename M>
VINCI_A auto Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const vinci_plain<U> &scalar, M mask,
		  const uint8_t repeat, const UnaryRepeatParams &p)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	vinci_vector_call();
	vinci_set_mask<T, isSetMask>(mask);
	vaxpy(vinci_ub<T>(dst), vinci_ub<U>(src), (U)scalar, repeat, p.dstBlkStride, p.srcBlkStride, p.dstRepStride,
	      p.srcRepStride);
}

template <typename T>
VINCI_A void ShiftLeft(const LocalTensor<T> &dst, const LocalTensor<T> &src, const vinci_plain<T> &scalar, const int32_t &count)
{
	VINCI_ONLY("ShiftLeft", "uint16_t, int16_t, uint32_t and int32_t", T, uint16_t, int16_t, uint32_t, int32_t);
	uint32_t s = (uint32_t)scalar;
	vinci_for_count<sizeof(T)>((uint32_t)count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {
		vshl(VINCI_U(T, dst, at), VINCI_U(T, src, at), s, n, 1, 1, 8, 8);
	});
}
template <typename T, bool isSetMask = true, typename M>
VINCI_A auto ShiftLeft(const LocalTensor<T> &dst, const LocalTensor<T> &src, const vinci_plain<T> &scalar, M mask,
		       const uint8_t repeat, const UnaryRepeatParams &p)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	vinci_vector_call();
	vinci_set_mask<T, isSetMask>(mask);
	vshl(vinci_ub<T>(dst), vinci_ub<T>(src), (uint32_t)scalar, repeat, p.dstBlkStride, p.srcBlkStride,
	     p.dstRepStride, p.srcRepStride);
}
template <typename T>
VINCI_A void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const vinci_plain<T> &scalar, const int32_t &count)
{
	VINCI_ONLY("ShiftRight", "uint16_t, int16_t, uint32_t and int32_t", T, uint16_t, int16_t, uint32_t, int32_t);
	int32_t s = (int32_t)scalar;
	vinci_for_count<sizeof(T)>((uint32_t)count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {
		vshr(VINCI_U(T, dst, at), VINCI_U(T, src, at), s, n, 1, 1, 8, 8, false);
	});
}
template <typename T, bool isSetMask = true, typename M>
VINCI_A auto ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const vinci_plain<T> &scalar, M mask,
			const uint8_t repeat, const UnaryRepeatParams &p, bool roundEn = false)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	vinci_vector_call();
	vinci_set_mask<T, isSetMask>(mask);
	vshr(vinci_ub<T>(dst), vinci_ub<T>(src), (int32_t)scalar, repeat, p.dstBlkStride, p.srcBlkStride,
	     p.dstRepStride, p.srcRepStride, roundEn);
}

/* a ^ b = (a | b) & ~(a & b); the temporary buffer of the longer form is not needed for its own sake */
template <typename T>
VINCI_A void Xor(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
		 const LocalTensor<uint8_t> &tmp, uint32_t count)
{
	LocalTensor<T> t = tmp.template ReinterpretCast<T>();
	And(t, src0, src1, (int32_t)count);
	vinci_step();
	Not(t, t, (int32_t)count);
	Or(dst, src0, src1, (int32_t)count);
	vinci_step();
	And(dst, dst, t, (int32_t)count);
}

/* --- Duplicate --- */
template <typename T> VINCI_A void vinci_dup(__ubuf__ T *d, T v, uint8_t repeat, uint16_t blk, uint16_t rep)
{
	if constexpr (sizeof(T) == 4 || sizeof(T) == 2)
		vector_dup(d, v, repeat, blk, 1, rep, 0);
	else
		static_assert(vinci_no<T>, "AscendC::Duplicate takes 2-byte and 4-byte types on this chip");
}
template <typename T> VINCI_A void Duplicate(const LocalTensor<T> &dst, const vinci_plain<T> &value, const int32_t &count)
{
	T v = value;
	vinci_for_count<sizeof(T)>((uint32_t)count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {
		vinci_dup<T>(VINCI_U(T, dst, at), v, n, 1, 8);
	});
}
template <typename T, bool isSetMask = true>
VINCI_A void Duplicate(const LocalTensor<T> &dst, const vinci_plain<T> &value, uint64_t mask, const uint8_t repeat,
		       const uint16_t blk, const uint8_t rep)
{
	vinci_vector_call();
	vinci_set_mask<T, isSetMask>(mask);
	vinci_dup<T>(vinci_ub<T>(dst), (T)value, repeat, blk, rep);
}
template <typename T, bool isSetMask = true>
VINCI_A void Duplicate(const LocalTensor<T> &dst, const vinci_plain<T> &value, uint64_t mask[], const uint8_t repeat,
		       const uint16_t blk, const uint8_t rep)
{
	vinci_vector_call();
	vinci_set_mask<T, isSetMask>((const uint64_t *)mask);
	vinci_dup<T>(vinci_ub<T>(dst), (T)value, repeat, blk, rep);
}

/* first, first + step, ...: the first block by the scalar unit, then doubling */
template <typename T> VINCI_A void CreateVecIndex(const LocalTensor<T> &dst, const vinci_plain<T> &first, uint32_t count)
{
	constexpr uint32_t block = 32 / sizeof(T);
	for (uint32_t i = 0; i < block && i < count; i++)
		dst.SetValue(i, (T)(first + (T)i));
	for (uint32_t have = block; have < count; have *= 2)
		Adds(dst[have], dst, (T)have, (int32_t)(count - have < have ? count - have : have));
}
template <typename T>
VINCI_A void ArithProgression(const LocalTensor<T> &dst, const vinci_plain<T> first, const vinci_plain<T> diff,
			      const int32_t count)
{
	constexpr uint32_t block = 32 / sizeof(T);
	for (uint32_t i = 0; i < block && i < (uint32_t)count; i++)
		dst.SetValue(i, (T)(first + (T)i * diff));
	for (uint32_t have = block; have < (uint32_t)count; have *= 2)
		Adds(dst[have], dst, (T)((T)have * diff),
		     (int32_t)((uint32_t)count - have < have ? (uint32_t)count - have : have));
}
template <typename T>
VINCI_A void Arange(const LocalTensor<T> &d, const vinci_plain<T> first, const vinci_plain<T> diff, const int32_t n)
{
	ArithProgression<T>(d, first, diff, n);
}

/* --- the operator form: as many elements as the destination holds --- */
#define VINCI_OPERATOR(sign, name)                                                                                     \
	template <typename T> struct vinci_expr_##name {                                                               \
		LocalTensor<T> a, b;                                                                                   \
		VINCI_A void vinci_assign(const LocalTensor<T> &d) const { name(d, a, b, (int32_t)d.GetSize()); }      \
	};                                                                                                             \
	template <typename T>                                                                                          \
	VINCI_A vinci_expr_##name<T> operator sign(const LocalTensor<T> &a, const LocalTensor<T> &b)                   \
	{                                                                                                              \
		return { a, b };                                                                                       \
	}
VINCI_OPERATOR(+, Add)
VINCI_OPERATOR(-, Sub)
VINCI_OPERATOR(*, Mul)
VINCI_OPERATOR(/, Div)
VINCI_OPERATOR(|, Or)
VINCI_OPERATOR(&, And)

} // namespace AscendC
#endif
