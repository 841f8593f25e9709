/*
 * kernel_vec_reduce.h - reductions of repeats, blocks, pairs, and of a whole tensor.
 */
#ifndef VINCI_ASCENDC_VEC_REDUCE_H
#define VINCI_ASCENDC_VEC_REDUCE_H

namespace AscendC {

template <typename T, bool isSetMask = true, typename M>
VINCI_A auto WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, M mask, const int32_t repeat,
			    const int32_t dstRep, const int32_t srcBlk, const int32_t srcRep)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	VINCI_TAKES("WholeReduceSum", T, floats);
	vinci_vector_call();
	vinci_set_mask<T, isSetMask>(mask);
	vcadd(vinci_ub<T>(dst), vinci_ub<T>(src), (uint8_t)repeat, (uint16_t)dstRep, (uint16_t)srcBlk, (uint16_t)srcRep);
}
#if VINCI_ARCH == 1
#define VINCI_VCM(insn, d, s, n, dr, sb, sr, order) insn(d, s, n, dr, sb, sr)
#else
#define VINCI_VCM(insn, d, s, n, dr, sb, sr, order) insn(d, s, n, dr, sb, sr, (Order_t)(order))
#endif
/* 910 finds the maximum of a repeat with its index for half alone */
#if VINCI_ARCH == 1
#define VINCI_LIST_whole half
#define VINCI_SAYS_whole "half"
#else
#define VINCI_LIST_whole half, float
#define VINCI_SAYS_whole "half and float"
#endif
#define VINCI_WHOLE(name, insn)                                                                                        \
	template <typename T, bool isSetMask = true, typename M>                                                       \
	VINCI_A auto name(const LocalTensor<T> &dst, const LocalTensor<T> &src, M mask, const int32_t repeat,          \
			  const int32_t dstRep, const int32_t srcBlk, const int32_t srcRep,                            \
			  ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX)                                          \
		->std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>                            \
	{                                                                                                              \
		VINCI_TAKES(#name, T, whole);                                                                          \
		vinci_check(VINCI_ARCH != 1 || order == ReduceOrder::ORDER_VALUE_INDEX,                                \
			    #name ": " VINCI_CHIP " only knows ReduceOrder::ORDER_VALUE_INDEX");                       \
		vinci_vector_call();                                                                                   \
		vinci_set_mask<T, isSetMask>(mask);                                                                    \
		VINCI_VCM(insn, vinci_ub<T>(dst), vinci_ub<T>(src), (uint8_t)repeat, (uint16_t)dstRep,                 \
			  (uint16_t)srcBlk, (uint16_t)srcRep, order);                                                  \
	}
VINCI_WHOLE(WholeReduceMax, vcmax)
VINCI_WHOLE(WholeReduceMin, vcmin)
#define VINCI_GROUPS(name, insn)                                                                                       \
	template <typename T, bool isSetMask = true, typename M>                                                       \
	VINCI_A auto name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeat, M mask,          \
			  const int32_t dstRep, const int32_t srcBlk, const int32_t srcRep)                            \
		->std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>                            \
	{                                                                                                              \
		VINCI_TAKES(#name, T, floats);                                                                         \
		vinci_vector_call();                                                                                   \
		vinci_set_mask<T, isSetMask>(mask);                                                                    \
		insn(vinci_ub<T>(dst), vinci_ub<T>(src), (uint8_t)repeat, (uint16_t)dstRep, (uint16_t)srcBlk,          \
		     (uint16_t)srcRep);                                                                                \
	}
VINCI_GROUPS(BlockReduceSum, vcgadd)
VINCI_GROUPS(BlockReduceMax, vcgmax)
VINCI_GROUPS(BlockReduceMin, vcgmin)
VINCI_GROUPS(PairReduceSum, vcpadd)
template <typename T, bool isSetMask = true, typename M>
VINCI_A auto RepeatReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeat, M mask,
			     const int32_t dstBlk, const int32_t srcBlk, const int32_t dstRep, const int32_t srcRep)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	(void)dstBlk;
	WholeReduceSum<T, isSetMask>(dst, src, mask, repeat, dstRep, srcBlk, srcRep);
}

/* One value per repeat of `count` elements, to dst. */
template <typename T, typename F>
VINCI_A void vinci_level(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, F f)
{
	constexpr uint32_t lanes = 256 / sizeof(T);
	vinci_for_count<sizeof(T)>(count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {
		f(VINCI_U(T, dst, at / lanes), VINCI_U(T, src, at), n);
	});
}
/* Level by level until one value is left. */
template <typename T, typename F>
VINCI_A void vinci_reduce(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &tmp, uint32_t count, F f)
{
	constexpr uint32_t lanes = 256 / sizeof(T);
	if (count <= lanes) {
		vinci_level<T>(dst, src, count, f);
		return;
	}
	vinci_level<T>(tmp, src, count, f);
	for (uint32_t n = (count + lanes - 1) / lanes; n > 1; n = (n + lanes - 1) / lanes) {
		if (n <= lanes)
			vinci_level<T>(dst, tmp, n, f);
		else
			vinci_level<T>(tmp, tmp, n, f);
	}
}
template <typename T, bool isSetMask = true>
VINCI_A void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &tmp, const int32_t count)
{
	VINCI_TAKES("ReduceSum", T, floats);
	vinci_reduce<T>(
		dst, src, tmp, (uint32_t)count,
		[](__ubuf__ T * d, __ubuf__ T * s, uint8_t n)
			__attribute__((always_inline)) { vcadd(d, s, n, 1, 1, 8); });
}
/* mask + repeat: the repeats' values, then those together */
template <typename T, bool isSetMask = true, typename M>
VINCI_A auto ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &tmp, M mask,
		       const int32_t repeat, const int32_t srcRep)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	WholeReduceSum<T, isSetMask>(tmp, src, mask, repeat, 1, 1, srcRep);
	ReduceSum<T>(dst, tmp, tmp, repeat);
}

/* the best of n (value, index in its repeat) pairs, by the scalar unit; the lowest index of equal ones */
template <typename T, bool max>
VINCI_A void vinci_best_pair(const LocalTensor<T> &dst, const LocalTensor<T> &pairs, uint32_t n, uint32_t step)
{
	using I = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
	LocalTensor<I> index = pairs.template ReinterpretCast<I>();
	float best = (float)pairs.GetValue(0);
	uint32_t at = index.GetValue(1);
	for (uint32_t i = 1; i < n; i++) {
		float v = (float)pairs.GetValue(2 * i);
		if (max ? v > best : v < best) {
			best = v;
			at = i * step + index.GetValue(2 * i + 1);
		}
	}
	dst.SetValue(0, (T)best);
	dst.template ReinterpretCast<I>().SetValue(1, (I)at);
}
#if VINCI_ARCH == 1
/*
 * Float on 910, which finds extremes with their index for half alone: repeats are folded onto one in the reserved end of
 * UB, that to one value per block, those to one; the scalar unit looks for its place when it is wanted.
 */
template <bool max> VINCI_A void vinci_fold(__ubuf__ float *d, __ubuf__ float *a, __ubuf__ float *b, uint8_t n, uint8_t rep)
{
	if (max)
		vmax(d, a, b, n, 1, 1, 1, 0, 0, rep);
	else
		vmin(d, a, b, n, 1, 1, 1, 0, 0, rep);
	pipe_barrier(PIPE_V);
}
template <bool max> VINCI_A void vinci_per_block(__ubuf__ float *d, __ubuf__ float *s, uint32_t count)
{
	vinci_mask_count(count);
	if (max)
		vcgmax(d, s, 1, 1, 1, 8);
	else
		vcgmin(d, s, 1, 1, 1, 8);
	pipe_barrier(PIPE_V);
}
template <bool max>
VINCI_A void vinci_extreme(const LocalTensor<float> &dst, const LocalTensor<float> &src, uint32_t count, bool index)
{
	__ubuf__ float *t = (__ubuf__ float *)(uint64_t)TMP_UB_OFFSET, *s = vinci_ub<float>(src);
	uint32_t whole = count / 64, rest = count % 64;
	vinci_vector_call();
	if (whole) {
		set_vector_mask(0, ~0ull);
		vinci_fold<max>(t, s, s, 1, 8);
		for (uint32_t r = 1; r < whole; r += 255)
			vinci_fold<max>(t, t, s + r * 64, (uint8_t)(whole - r < 255 ? whole - r : 255), 8);
		vinci_mask_count(rest);
		if (rest)
			vinci_fold<max>(t, t, s + whole * 64, 1, 8);
	}
	vinci_per_block<max>(t, whole ? t : s, whole ? 64 : rest);
	vinci_per_block<max>(vinci_ub<float>(dst), t, whole ? 8 : (rest + 7) / 8);
	set_vector_mask(~0ull, ~0ull);
	if (!index)
		return;
	float best = dst.GetValue(0);
	uint32_t at = 0;
	while (at + 1 < count && src.GetValue(at) != best)
		at++;
	dst.template ReinterpretCast<uint32_t>().SetValue(1, at);
}
#else
template <bool max> VINCI_A void vinci_extreme(const LocalTensor<float> &, const LocalTensor<float> &, uint32_t, bool) {}
#endif
#define VINCI_EXTREME(name, whole, insn, is_max)                                                                       \
	template <typename T>                                                                                          \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &tmp,             \
			  const int32_t count, bool calIndex = false)                                                  \
	{                                                                                                              \
		VINCI_TAKES(#name, T, floats);                                                                         \
		constexpr uint32_t lanes = 256 / sizeof(T);                                                            \
		uint32_t n = ((uint32_t)count + lanes - 1) / lanes;                                                    \
		if constexpr (VINCI_ARCH == 1 && std::is_same<T, float>::value) {                                      \
			vinci_extreme<is_max>(dst, src, (uint32_t)count, calIndex);                                    \
		} else if (!calIndex && VINCI_ARCH != 1) {                                                             \
			vinci_reduce<T>(                                                                               \
				dst, src, tmp, (uint32_t)count,                                                        \
				[](__ubuf__ T * d, __ubuf__ T * s, uint8_t r) __attribute__((always_inline)) {         \
					VINCI_VCM(insn, d, s, r, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);              \
				});                                                                                    \
		} else {                                                                                               \
			vinci_for_count<sizeof(T)>(                                                                    \
				(uint32_t)count, [&](uint32_t at, uint8_t r) __attribute__((always_inline)) {          \
					VINCI_VCM(insn, VINCI_U(T, (n == 1 ? dst : tmp), at / lanes * 2),              \
						  VINCI_U(T, src, at), r, 1, 1, 8, ReduceOrder::ORDER_VALUE_INDEX);    \
				});                                                                                    \
			if (n > 1)                                                                                     \
				vinci_best_pair<T, is_max>(dst, tmp, n, lanes);                                        \
		}                                                                                                      \
	}                                                                                                              \
	template <typename T, typename M>                                                                              \
	VINCI_A auto name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &tmp, M mask,     \
			  const int32_t repeat, const int32_t srcRep, bool calIndex = false)                           \
		->std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>                            \
	{                                                                                                              \
		(void)calIndex;                                                                                        \
		whole<T>(tmp, src, mask, repeat, 1, 1, srcRep);                                                        \
		vinci_best_pair<T, is_max>(dst, tmp, (uint32_t)repeat, (uint32_t)srcRep * 32 / sizeof(T));             \
	}
VINCI_EXTREME(ReduceMax, WholeReduceMax, vcmax, true)
VINCI_EXTREME(ReduceMin, WholeReduceMin, vcmin, false)

template <typename T>
VINCI_200("GetReduceMaxMinCount", "the value and index that ReduceMax and WholeReduceMax write")
VINCI_A void GetReduceMaxMinCount(T &value, T &index)
{
#if VINCI_ARCH != 1
	pipe_barrier(PIPE_ALL);
	uint64_t v = (uint64_t)get_max_min_cnt();
	__builtin_memcpy(&value, &v, sizeof(T));
	v >>= 32;
	__builtin_memcpy(&index, &v, sizeof(T));
#endif
}
template <typename T>
VINCI_220("GetAccVal", "the sum that ReduceSum writes") VINCI_A T GetAccVal()
{
	T out = 0;
#if VINCI_ARCH == 4
	pipe_barrier(PIPE_ALL);
	uint64_t v = (uint64_t)get_acc_val();
	__builtin_memcpy(&out, &v, sizeof(T));
#endif
	return out;
}
} // namespace AscendC
#endif
