/*
 * kernel_vec.h - vector arithmetic in its three forms, from one table per shape of call:
 *   z = x + y;   Add(z, x, y, count);   Add(z, x, y, mask, repeat, params), the mask as a number or as bits.
 */
#ifndef VINCI_ASCENDC_VEC_H
#define VINCI_ASCENDC_VEC_H

namespace AscendC {

VINCI_A void vinci_counted(uint64_t n)
{
	vinci_state.counted = n;
	set_vector_mask(0, n);
}
/* the first n lanes, or n elements in counter mode */
VINCI_A void vinci_mask_count(uint64_t n)
{
	if (vinci_state.counter_mode)
		vinci_counted(n);
	else if (n >= 128)
		set_vector_mask(~0ull, ~0ull);
	else if (n > 64)
		set_vector_mask((1ull << (n - 64)) - 1, ~0ull);
	else
		set_vector_mask(0, n == 64 ? ~0ull : (1ull << n) - 1);
}
template <typename T, MaskMode mode = MaskMode::NORMAL> VINCI_A void SetVectorMask(uint64_t high, uint64_t low)
{
	vinci_state.counted = low;
	set_vector_mask(high, low);
}
template <typename T, MaskMode mode = MaskMode::NORMAL> VINCI_A void SetVectorMask(int32_t count)
{
	if constexpr (mode == MaskMode::COUNTER)
		vinci_counted((uint64_t)count);
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
	static_assert(vinci_one_of<T, __VA_ARGS__>, "AscendC::" name " takes " text " on " VINCI_CHIP)
/* Sets of types that calls take on this chip, as list and as text. */
#define VINCI_TAKES(name, T, set) VINCI_ONLY(name, VINCI_SAYS_##set, T, VINCI_LIST_##set)
#define VINCI_LIST_floats half, float
#define VINCI_SAYS_floats "half and float"
#define VINCI_LIST_logic int16_t, uint16_t
#define VINCI_SAYS_logic "int16_t and uint16_t"
#define VINCI_LIST_shift uint16_t, int16_t, uint32_t, int32_t
#define VINCI_SAYS_shift "uint16_t, int16_t, uint32_t and int32_t"
#define VINCI_LIST_relu half, float, int32_t
#define VINCI_SAYS_relu "half, float and int32_t"
#if VINCI_ARCH == 4
#define VINCI_LIST_arith half, float, int16_t, int32_t
#define VINCI_SAYS_arith "half, float, int16_t and int32_t"
#define VINCI_LIST_abs half, float, int16_t
#define VINCI_SAYS_abs "half, float and int16_t"
#else
#define VINCI_LIST_arith half, float, int32_t
#define VINCI_SAYS_arith "half, float and int32_t"
#define VINCI_LIST_abs half, float
#define VINCI_SAYS_abs "half and float"
#endif
#if VINCI_ARCH != 1
#define VINCI_LIST_addrelu half, float, int16_t
#define VINCI_SAYS_addrelu "half, float and int16_t"
#else
#define VINCI_LIST_addrelu half, float
#define VINCI_SAYS_addrelu "half and float"
#endif
#define VINCI_U(T, t, off) vinci_ub<T>(t, (uint32_t)vinci_bytes_of<T>(off))

#if VINCI_ARCH == 1
/*
 * What Ascend 910 has no instruction for, made of those it has: a scalar operand is one repeat of it in the reserved end
 * of UB, read again for every repeat of the source. Written and read under the caller's mask.
 */
using ::vadds;
using ::vmuls;
using ::vrelu;
template <typename T> VINCI_A __ubuf__ T *vinci_scalar_repeat(T v)
{
	__ubuf__ T *at = (__ubuf__ T *)(uint64_t)TMP_UB_OFFSET;
	pipe_barrier(PIPE_V);
	if (vinci_state.counter_mode) {
		set_mask_norm();
		set_vector_mask(~0ull, ~0ull);
	}
	vector_dup(at, v, 1, 1, 1, 8, 0);
	if (vinci_state.counter_mode) {
		set_mask_count();
		set_vector_mask(0, vinci_state.counted);
	}
	pipe_barrier(PIPE_V);
	return at;
}
#define VINCI_BY_REPEAT(name, two, T)                                                                                  \
	VINCI_A void name(__ubuf__ T *d, __ubuf__ T *s, T v, uint8_t n, uint16_t db, uint16_t sb, uint16_t dr, uint16_t sr)\
	{                                                                                                              \
		two(d, s, vinci_scalar_repeat(v), n, (uint8_t)db, (uint8_t)sb, 1, (uint8_t)dr, (uint8_t)sr, 0);        \
	}
VINCI_BY_REPEAT(vadds, vadd, int32_t)
VINCI_BY_REPEAT(vmuls, vmul, int32_t)
VINCI_BY_REPEAT(vmaxs, vmax, half)
VINCI_BY_REPEAT(vmaxs, vmax, float)
VINCI_BY_REPEAT(vmaxs, vmax, int32_t)
VINCI_BY_REPEAT(vmins, vmin, half)
VINCI_BY_REPEAT(vmins, vmin, float)
VINCI_BY_REPEAT(vmins, vmin, int32_t)
template <typename T>
VINCI_A void vrelu(__ubuf__ T *d, __ubuf__ T *s, uint8_t n, uint16_t db, uint16_t sb, uint16_t dr, uint16_t sr)
{
	vmaxs(d, s, (T)0, n, db, sb, dr, sr);
}
#define VINCI_THEN_RELU(name, two)                                                                                     \
	template <typename T>                                                                                          \
	VINCI_A void name(__ubuf__ T *d, __ubuf__ T *a, __ubuf__ T *b, uint8_t n, uint8_t db, uint8_t ab, uint8_t bb,  \
			  uint8_t dr, uint8_t ar, uint8_t br)                                                          \
	{                                                                                                              \
		two(d, a, b, n, db, ab, bb, dr, ar, br);                                                               \
		pipe_barrier(PIPE_V);                                                                                  \
		vrelu(d, d, n, db, db, dr, dr);                                                                        \
	}
VINCI_THEN_RELU(vaddrelu, vadd)
VINCI_THEN_RELU(vsubrelu, vsub)
/* the larger of x and v x, or the smaller when v > 1; in place repeat by repeat through the reserved end */
template <typename T>
VINCI_A void vlrelu(__ubuf__ T *d, __ubuf__ T *s, T v, uint8_t n, uint16_t db, uint16_t sb, uint16_t dr, uint16_t sr)
{
	bool in_place = (uint64_t)d == (uint64_t)s;
	__ubuf__ T *t = in_place ? (__ubuf__ T *)(uint64_t)TMP_UB_OFFSET : d;
	uint16_t tb = in_place ? 1 : db, tr = in_place ? 8 : dr;
	uint8_t step = in_place ? 1 : n;
	for (uint32_t r = 0; r < n; r += step) {
		__ubuf__ T *from = s + r * sr * (32 / sizeof(T)), *to = d + r * dr * (32 / sizeof(T));
		pipe_barrier(PIPE_V);
		vmuls(t, from, v, step, tb, sb, tr, sr);
		pipe_barrier(PIPE_V);
		if ((float)v <= 1.0f)
			vmax(to, t, from, step, (uint8_t)db, (uint8_t)tb, (uint8_t)sb, (uint8_t)dr, (uint8_t)tr, (uint8_t)sr);
		else
			vmin(to, t, from, step, (uint8_t)db, (uint8_t)tb, (uint8_t)sb, (uint8_t)dr, (uint8_t)tr, (uint8_t)sr);
	}
}
#endif

/* --- two sources --- */
template <typename T> using vinci_same = T;
#define VINCI_SAME vinci_same
template <typename T> using vinci_logic = std::conditional_t<std::is_signed<T>::value, int16_t, uint16_t>;

/* name, intrinsic, how T reads as the intrinsic's type, set of types, chips */
#define VINCI_BINARY(X)                                                                                                \
	X(Add, vadd, VINCI_SAME, arith, )                                                                              \
	X(Sub, vsub, VINCI_SAME, arith, )                                                                              \
	X(Mul, vmul, VINCI_SAME, arith, )                                                                              \
	X(Div, vdiv, VINCI_SAME, floats, )                                                                             \
	X(Max, vmax, VINCI_SAME, arith, )                                                                              \
	X(Min, vmin, VINCI_SAME, arith, )                                                                              \
	X(And, vand, vinci_logic, logic, )                                                                             \
	X(Or, vor, vinci_logic, logic, )                                                                               \
	X(AddRelu, vaddrelu, VINCI_SAME, addrelu, )                                                                    \
	X(SubRelu, vsubrelu, VINCI_SAME, addrelu, )                                                                    \
	X(FusedMulAdd, vmadd, VINCI_SAME, floats, VINCI_200("FusedMulAdd", "Mul, then Add"))                           \
	X(FusedMulAddRelu, vmaddrelu, VINCI_SAME, floats, VINCI_200("FusedMulAddRelu", "Mul, Add, then Relu"))
#define VINCI_BINARY_CALLS(name, insn, as, set, chips)                                                                 \
	template <typename T, typename M>                                                                              \
	VINCI_A void vinci_##name(const LocalTensor<T> &d, const LocalTensor<T> &a, const LocalTensor<T> &b,           \
				  uint8_t repeat, const BinaryRepeatParams &p)                                         \
	{                                                                                                              \
		VINCI_TAKES(#name, T, set);                                                                            \
		insn(vinci_ub<M>(d), vinci_ub<M>(a), vinci_ub<M>(b), repeat, p.dstBlkStride, p.src0BlkStride,          \
		     p.src1BlkStride, p.dstRepStride, p.src0RepStride, p.src1RepStride);                               \
	}                                                                                                              \
	template <typename T> chips                                                                                    \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,           \
			  const int32_t &count)                                                                        \
	{                                                                                                              \
		VINCI_TAKES(#name, T, set);                                                                            \
		vinci_for_count<sizeof(T)>(                                                                            \
			(uint32_t)count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {                  \
				vinci_##name<T, as<T>>(dst[at], src0[at], src1[at], n, BinaryRepeatParams());          \
			});                                                                                            \
	}                                                                                                              \
	template <typename T, bool isSetMask = true> chips                                                             \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,           \
			  uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams &p)                        \
	{                                                                                                              \
		vinci_vector_call();                                                                                   \
		vinci_set_mask<T, isSetMask>(mask);                                                                    \
		vinci_##name<T, as<T>>(dst, src0, src1, repeatTime, p);                                                \
	}                                                                                                              \
	template <typename T, bool isSetMask = true> chips                                                             \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,           \
			  uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams &p)                      \
	{                                                                                                              \
		vinci_vector_call();                                                                                   \
		vinci_set_mask<T, isSetMask>((const uint64_t *)mask);                                                  \
		vinci_##name<T, as<T>>(dst, src0, src1, repeatTime, p);                                                \
	}
VINCI_BINARY(VINCI_BINARY_CALLS)

/* MulAddDst and Axpy also take half sources for a float destination */
template <typename T, typename U>
constexpr bool vinci_mixed = vinci_one_of<T, half, float> && (std::is_same<T, U>::value ||
							      (std::is_same<T, float>::value && std::is_same<U, half>::value));
#define VINCI_MIXED(name) \
	static_assert(vinci_mixed<T, U>, "AscendC::" name " takes half and float, or half sources for a float destination")
template <typename T, typename U> VINCI_200("MulAddDst", "Mul, then Add")
VINCI_A void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, const int32_t &count)
{
	VINCI_MIXED("MulAddDst");
	constexpr uint8_t sr = 8 * sizeof(U) / sizeof(T);
	vinci_for_count<sizeof(T)>((uint32_t)count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {
		vmla(VINCI_U(T, dst, at), VINCI_U(U, src0, at), VINCI_U(U, src1, at), n, 1, 1, 1, 8, sr, sr);
	});
}
template <typename T, typename U, bool isSetMask = true, typename M> VINCI_200("MulAddDst", "Mul, then Add")
VINCI_A auto MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1, M mask,
		       const uint8_t repeat, const BinaryRepeatParams &p)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	VINCI_MIXED("MulAddDst");
	vinci_vector_call();
	vinci_set_mask<T, isSetMask>(mask);
	vmla(vinci_ub<T>(dst), vinci_ub<U>(src0), vinci_ub<U>(src1), repeat, p.dstBlkStride, p.src0BlkStride, p.src1BlkStride,
	     p.dstRepStride, p.src0RepStride, p.src1RepStride);
}

/* --- one source --- */
#define VINCI_UNARY(X)                                                                                                 \
	X(Exp, vexp, VINCI_SAME, floats)                                                                               \
	X(Ln, vln, VINCI_SAME, floats)                                                                                 \
	X(Abs, vabs, VINCI_SAME, abs)                                                                                  \
	X(Reciprocal, vrec, VINCI_SAME, floats)                                                                        \
	X(Sqrt, vsqrt, VINCI_SAME, floats)                                                                             \
	X(Rsqrt, vrsqrt, VINCI_SAME, floats)                                                                           \
	X(Relu, vrelu, VINCI_SAME, relu)                                                                               \
	X(Not, vnot, vinci_logic, logic)
#define VINCI_UNARY_CALLS(name, insn, as, set)                                                                         \
	template <typename T, typename M>                                                                              \
	VINCI_A void vinci_##name(const LocalTensor<T> &d, const LocalTensor<T> &a, uint8_t repeat, const UnaryRepeatParams &p)\
	{                                                                                                              \
		VINCI_TAKES(#name, T, set);                                                                            \
		insn(vinci_ub<M>(d), vinci_ub<M>(a), repeat, p.dstBlkStride, p.srcBlkStride, p.dstRepStride, p.srcRepStride);\
	}                                                                                                              \
	template <typename T> VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count)\
	{                                                                                                              \
		VINCI_TAKES(#name, T, set);                                                                            \
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
	X(Adds, vadds, arith)                                                                                          \
	X(Muls, vmuls, arith)                                                                                          \
	X(Maxs, vmaxs, arith)                                                                                          \
	X(Mins, vmins, arith)                                                                                          \
	X(LeakyRelu, vlrelu, floats)
#define VINCI_SCALAR_CALLS(name, insn, set)                                                                            \
	template <typename T, bool isSetMask = true>                                                                   \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const vinci_plain<T> &scalar,          \
			  const int32_t &count)                                                                        \
	{                                                                                                              \
		VINCI_TAKES(#name, T, set);                                                                            \
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
		VINCI_TAKES(#name, T, set);                                                                            \
		vinci_vector_call();                                                                                   \
		vinci_set_mask<T, isSetMask>(mask);                                                                    \
		insn(vinci_ub<T>(dst), vinci_ub<T>(src), (T)scalar, repeatTime, p.dstBlkStride, p.srcBlkStride,        \
		     p.dstRepStride, p.srcRepStride);                                                                  \
	}                                                                                                              \
	template <typename T, bool isSetMask = true>                                                                   \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const vinci_plain<T> &scalar,          \
			  uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams &p)                       \
	{                                                                                                              \
		VINCI_TAKES(#name, T, set);                                                                            \
		vinci_vector_call();                                                                                   \
		vinci_set_mask<T, isSetMask>((const uint64_t *)mask);                                                  \
		insn(vinci_ub<T>(dst), vinci_ub<T>(src), (T)scalar, repeatTime, p.dstBlkStride, p.srcBlkStride,        \
		     p.dstRepStride, p.srcRepStride);                                                                  \
	}
VINCI_SCALAR(VINCI_SCALAR_CALLS)

template <typename T, typename U>
VINCI_A void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const vinci_plain<U> &scalar, const int32_t &count)
{
	VINCI_MIXED("Axpy");
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
	VINCI_MIXED("Axpy");
	vinci_vector_call();
	vinci_set_mask<T, isSetMask>(mask);
	vaxpy(vinci_ub<T>(dst), vinci_ub<U>(src), (U)scalar, repeat, p.dstBlkStride, p.srcBlkStride, p.dstRepStride,
	      p.srcRepStride);
}

template <typename T> VINCI_220("ShiftLeft", "Muls by a power of two")
VINCI_A void ShiftLeft(const LocalTensor<T> &dst, const LocalTensor<T> &src, const vinci_plain<T> &scalar, const int32_t &count)
{
	VINCI_TAKES("ShiftLeft", T, shift);
	uint32_t s = (uint32_t)scalar;
	vinci_for_count<sizeof(T)>((uint32_t)count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {
		vshl(VINCI_U(T, dst, at), VINCI_U(T, src, at), s, n, 1, 1, 8, 8);
	});
}
template <typename T, bool isSetMask = true, typename M> VINCI_220("ShiftLeft", "Muls by a power of two")
VINCI_A auto ShiftLeft(const LocalTensor<T> &dst, const LocalTensor<T> &src, const vinci_plain<T> &scalar, M mask,
		       const uint8_t repeat, const UnaryRepeatParams &p)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	VINCI_TAKES("ShiftLeft", T, shift);
	vinci_vector_call();
	vinci_set_mask<T, isSetMask>(mask);
	vshl(vinci_ub<T>(dst), vinci_ub<T>(src), (uint32_t)scalar, repeat, p.dstBlkStride, p.srcBlkStride,
	     p.dstRepStride, p.srcRepStride);
}
template <typename T> VINCI_220("ShiftRight", "Cast to float, Muls, and Cast back")
VINCI_A void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const vinci_plain<T> &scalar, const int32_t &count)
{
	VINCI_TAKES("ShiftRight", T, shift);
	int32_t s = (int32_t)scalar;
	vinci_for_count<sizeof(T)>((uint32_t)count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {
		vshr(VINCI_U(T, dst, at), VINCI_U(T, src, at), s, n, 1, 1, 8, 8, false);
	});
}
template <typename T, bool isSetMask = true, typename M> VINCI_220("ShiftRight", "Cast to float, Muls, and Cast back")
VINCI_A auto ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const vinci_plain<T> &scalar, M mask,
			const uint8_t repeat, const UnaryRepeatParams &p, bool roundEn = false)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	VINCI_TAKES("ShiftRight", T, shift);
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
#if VINCI_ARCH == 4
	VINCI_ONLY("Duplicate", "half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t and float", T, half, bfloat16_t, int16_t,
		   uint16_t, int32_t, uint32_t, float);
#else
	VINCI_ONLY("Duplicate", "half, int16_t, uint16_t, int32_t, uint32_t and float", T, half, int16_t, uint16_t, int32_t,
		   uint32_t, float);
#endif
	vector_dup(d, v, repeat, blk, 1, rep, 0);
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
