/*
 * kernel_vec_cmp.h - Compare, CompareScalar, Select.
 */
#ifndef VINCI_ASCENDC_VEC_CMP_H
#define VINCI_ASCENDC_VEC_CMP_H

namespace AscendC {
#if VINCI_ARCH == 4
#define VINCI_LIST_compare half, float, int32_t
#define VINCI_SAYS_compare "half, float and int32_t"
#else
#define VINCI_LIST_compare half, float
#define VINCI_SAYS_compare "half and float"
#endif

#define VINCI_CMP_SWITCH(insn, ...)                                                                                    \
	switch (mode) {                                                                                                \
	case CMPMODE::LT: insn##_lt(__VA_ARGS__); break;                                                               \
	case CMPMODE::GT: insn##_gt(__VA_ARGS__); break;                                                               \
	case CMPMODE::EQ: insn##_eq(__VA_ARGS__); break;                                                               \
	case CMPMODE::LE: insn##_le(__VA_ARGS__); break;                                                               \
	case CMPMODE::GE: insn##_ge(__VA_ARGS__); break;                                                               \
	default: insn##_ne(__VA_ARGS__); break;                                                                        \
	}
template <typename T>
VINCI_A void vinci_compare(__ubuf__ uint8_t *d, __ubuf__ T *a, __ubuf__ T *b, CMPMODE mode, uint8_t n,
			   const BinaryRepeatParams &p)
{
	if constexpr (std::is_same<T, int32_t>::value) {
		vinci_check(mode == CMPMODE::EQ, "Compare: int32_t can only be compared with CMPMODE::EQ on this chip");
		vcmpv_eq(d, a, b, n, p.dstBlkStride, p.src0BlkStride, p.src1BlkStride, p.dstRepStride, p.src0RepStride,
			 p.src1RepStride);
	} else {
		VINCI_CMP_SWITCH(vcmpv, d, a, b, n, p.dstBlkStride, p.src0BlkStride, p.src1BlkStride, p.dstRepStride,
				 p.src0RepStride, p.src1RepStride)
	}
}
template <typename T, typename U>
VINCI_A void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode,
		     uint32_t count)
{
	VINCI_TAKES("Compare", T, compare);
	vinci_for_count<sizeof(T)>(
		count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {
			vinci_compare<T>((__ubuf__ uint8_t *)(uint64_t)(dst.addr_ + at / 8), VINCI_U(T, src0, at),
					 VINCI_U(T, src1, at), mode, n, BinaryRepeatParams());
		});
}
template <typename T, typename U, bool isSetMask = true, typename M>
VINCI_A auto Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode,
		     M mask, uint8_t repeat, const BinaryRepeatParams &p)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	VINCI_TAKES("Compare", T, compare);
	vinci_vector_call();
	vinci_set_mask<T, isSetMask>(mask);
	vinci_compare<T>(vinci_ub<uint8_t>(dst), vinci_ub<T>(src0), vinci_ub<T>(src1), mode, repeat, p);
}
/* to the compare mask register */
template <typename T, bool isSetMask = true, typename M>
VINCI_200("Compare without a destination", "Compare to a tensor, then SetCmpMask")
VINCI_A auto Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode, M mask, const BinaryRepeatParams &p)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	VINCI_TAKES("Compare without a destination", T, floats);
	vinci_vector_call();
	vinci_set_mask<T, isSetMask>(mask);
	VINCI_CMP_SWITCH(vcmp, vinci_ub<T>(src0), vinci_ub<T>(src1), 1, p.dstBlkStride, p.src0BlkStride,
			 p.src1BlkStride, p.dstRepStride, p.src0RepStride, p.src1RepStride)
}
template <typename T>
VINCI_A void vinci_compare_scalar(__ubuf__ uint8_t *d, __ubuf__ T *a, T s, CMPMODE mode, uint8_t n, const UnaryRepeatParams &p)
{
#if VINCI_ARCH == 1
	__ubuf__ T *b = vinci_scalar_repeat(s);
	VINCI_CMP_SWITCH(vcmpv, d, a, b, n, 1, (uint8_t)p.srcBlkStride, 1, p.dstRepStride, p.srcRepStride, 0)
#else
	if constexpr (std::is_same<T, int32_t>::value) {
		vinci_check(mode == CMPMODE::EQ, "CompareScalar: int32_t can only be compared with CMPMODE::EQ on this chip");
		vcmpvs_eq(d, a, s, n, p.dstBlkStride, p.srcBlkStride, p.dstRepStride, p.srcRepStride);
	} else {
		VINCI_CMP_SWITCH(vcmpvs, d, a, s, n, p.dstBlkStride, p.srcBlkStride, p.dstRepStride, p.srcRepStride)
	}
#endif
}
template <typename T, typename U, bool isSetMask = true>
VINCI_A void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const vinci_plain<T> &scalar,
			   CMPMODE mode, uint32_t count)
{
	VINCI_TAKES("CompareScalar", T, compare);
	T s = scalar;
	vinci_for_count<sizeof(T)>(
		count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {
			vinci_compare_scalar<T>((__ubuf__ uint8_t *)(uint64_t)(dst.addr_ + at / 8),
						VINCI_U(T, src0, at), s, mode, n, UnaryRepeatParams());
		});
}
template <typename T, typename U, bool isSetMask = true, typename M>
VINCI_A auto CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const vinci_plain<T> &scalar,
			   CMPMODE mode, M mask, uint8_t repeat, const UnaryRepeatParams &p)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	VINCI_TAKES("CompareScalar", T, compare);
	vinci_vector_call();
	vinci_set_mask<T, isSetMask>(mask);
	vinci_compare_scalar<T>(vinci_ub<uint8_t>(dst), vinci_ub<T>(src0), (T)scalar, mode, repeat, p);
}
template <typename T>
VINCI_200("GetCmpMask", "Compare to a tensor: its bits are the mask") VINCI_A void GetCmpMask(const LocalTensor<T> &dst)
{
#if VINCI_ARCH != 1
	vinci_vector_call();
	get_cmpmask(vinci_ub<void>(dst));
#endif
}
template <typename T> VINCI_A void SetCmpMask(const LocalTensor<T> &src)
{
	vinci_vector_call();
	set_cmpmask(vinci_ub<void>(src));
}

/* CMPMASK = a word repeated, by the vector pipe itself through the reserved end of UB; the vector mask is changed */
VINCI_A void vinci_cmpmask_word(uint32_t word)
{
	set_mask_norm();
	set_vector_mask(0, 0xff);
	vector_dup((__ubuf__ uint32_t *)(uint64_t)TMP_UB_OFFSET, word, 1, 1, 1, 8, 0);
	pipe_barrier(PIPE_V);
	set_cmpmask((__ubuf__ void *)(uint64_t)TMP_UB_OFFSET);
	pipe_barrier(PIPE_V);
	if (vinci_state.counter_mode)
		set_mask_count();
}
template <typename T> VINCI_A uint32_t vinci_word_of(T v)
{
	if constexpr (sizeof(T) == 2) {
		uint16_t bits;
		__builtin_memcpy(&bits, &v, 2);
		return bits | (uint32_t)bits << 16;
	} else {
		uint32_t bits;
		__builtin_memcpy(&bits, &v, 4);
		return bits;
	}
}
template <typename T, typename U>
VINCI_A void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
		    const LocalTensor<T> &src1, SELMODE mode, uint32_t count)
{
	VINCI_TAKES("Select", T, floats);
	vinci_vector_call();
	if (mode == SELMODE::VSEL_CMPMASK_SPR)
		set_cmpmask(vinci_ub<void>(selMask));
	else
		vinci_cmpmask_word(selMask.addr_);
	vinci_step();
	vinci_for_count<sizeof(T)>(count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {
		vsel(VINCI_U(T, dst, at), VINCI_U(T, src0, at), VINCI_U(T, src1, at), n, 1, 1, 1, 8, 8, 8, (uint8_t)mode);
	});
}
template <typename T, typename U>
VINCI_A void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
		    vinci_plain<T> src1, SELMODE mode, uint32_t count)
{
	VINCI_TAKES("Select", T, floats);
	vinci_check(mode == SELMODE::VSEL_TENSOR_SCALAR_MODE, "Select: a scalar goes with SELMODE::VSEL_TENSOR_SCALAR_MODE");
	vinci_vector_call();
	vinci_cmpmask_word(vinci_word_of<T>(src1));
	vinci_for_count<sizeof(T)>(
		count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {
			vsel(VINCI_U(T, dst, at), VINCI_U(T, src0, at),
			     (__ubuf__ void *)(uint64_t)(selMask.addr_ + at / 8), n, 1, 1, 1, 8, 8, 8, 1);
		});
}
template <typename T, typename U, bool isSetMask = true, typename M>
VINCI_A auto Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
		    const LocalTensor<T> &src1, SELMODE mode, M mask, uint8_t repeat, const BinaryRepeatParams &p)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	vinci_vector_call();
	if (mode == SELMODE::VSEL_CMPMASK_SPR)
		set_cmpmask(vinci_ub<void>(selMask));
	else
		vinci_cmpmask_word(selMask.addr_);
	vinci_step();
	vinci_set_mask<T, isSetMask>(mask);
	vsel(vinci_ub<T>(dst), vinci_ub<T>(src0), vinci_ub<T>(src1), repeat, p.dstBlkStride, p.src0BlkStride,
	     p.src1BlkStride, p.dstRepStride, p.src0RepStride, p.src1RepStride, (uint8_t)mode);
}
template <typename T, typename U, bool isSetMask = true, typename M>
VINCI_A auto Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask, const LocalTensor<T> &src0,
		    vinci_plain<T> src1, SELMODE mode, M mask, uint8_t repeat, const BinaryRepeatParams &p)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	vinci_check(mode == SELMODE::VSEL_TENSOR_SCALAR_MODE, "Select: a scalar goes with SELMODE::VSEL_TENSOR_SCALAR_MODE");
	vinci_vector_call();
	vinci_cmpmask_word(vinci_word_of<T>(src1));
	vinci_set_mask<T, isSetMask>(mask);
	vsel(vinci_ub<T>(dst), vinci_ub<T>(src0), vinci_ub<void>(selMask), repeat, p.dstBlkStride, p.src0BlkStride,
	     p.src1BlkStride, p.dstRepStride, p.src0RepStride, p.src1RepStride, 1);
}
template <typename T, SELMODE mode>
VINCI_A void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, uint8_t repeat,
		    const BinaryRepeatParams &p)
{
	vinci_vector_call();
	vsel(vinci_ub<T>(dst), vinci_ub<T>(src0), vinci_ub<T>(src1), repeat, p.dstBlkStride, p.src0BlkStride,
	     p.src1BlkStride, p.dstRepStride, p.src0RepStride, p.src1RepStride, (uint8_t)mode);
}

/* --- the operator form: bits = x < y --- */
template <typename T> struct vinci_compared {
	LocalTensor<T> a, b;
	CMPMODE mode;
	template <typename U> VINCI_A void vinci_assign(const LocalTensor<U> &d) const { Compare(d, a, b, mode, a.GetSize()); }
};
#define VINCI_COMPARED(sign, how)                                                                                      \
	template <typename T> VINCI_A vinci_compared<T> operator sign(const LocalTensor<T> &a, const LocalTensor<T> &b)\
	{                                                                                                              \
		return { a, b, CMPMODE::how };                                                                         \
	}
VINCI_COMPARED(<, LT)
VINCI_COMPARED(>, GT)
VINCI_COMPARED(==, EQ)
VINCI_COMPARED(<=, LE)
VINCI_COMPARED(>=, GE)
VINCI_COMPARED(!=, NE)
} // namespace AscendC
#endif
