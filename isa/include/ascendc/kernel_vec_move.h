/*
 * kernel_vec_move.h - movement inside UB: Copy, Brcb, Broadcast, Gather, GatherMask, transposes.
 */
#ifndef VINCI_ASCENDC_VEC_MOVE_H
#define VINCI_ASCENDC_VEC_MOVE_H

namespace AscendC {
template <typename T> using vinci_word = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;

template <typename T, bool isSetMask = true, typename M>
VINCI_220("Copy", "DataCopy from UB to UB, or Adds of 0")
VINCI_A auto Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, M mask, const uint8_t repeat, const CopyRepeatParams &p)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	static_assert(sizeof(T) == 2 || sizeof(T) == 4, "AscendC::Copy takes 2-byte and 4-byte types");
#if VINCI_ARCH == 4
	vinci_vector_call();
	vinci_set_mask<T, isSetMask>(mask);
	vcopy(vinci_ub<vinci_word<T>>(dst), vinci_ub<vinci_word<T>>(src), repeat, p.dstStride, p.srcStride,
	      p.dstRepeatSize, p.srcRepeatSize);
#endif
}
template <typename T>
VINCI_220("Brcb", "Broadcast, or a Duplicate per block")
VINCI_A void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t repeat, const BrcbRepeatParams &p)
{
	static_assert(sizeof(T) == 2 || sizeof(T) == 4, "AscendC::Brcb takes 2-byte and 4-byte types");
#if VINCI_ARCH == 4
	vinci_vector_call();
	vbrcb(vinci_ub<vinci_word<T>>(dst), vinci_ub<vinci_word<T>>(src), p.dstBlkStride, p.dstRepStride, repeat);
#endif
}
template <typename T>
VINCI_220("Gatherb", "a DataCopy from UB to UB per block")
VINCI_A void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
		     const uint8_t repeat, const GatherRepeatParams &p)
{
	static_assert(sizeof(T) == 2 || sizeof(T) == 4, "AscendC::Gatherb takes 2-byte and 4-byte types");
#if VINCI_ARCH == 4
	vinci_vector_call();
	vgatherb(vinci_ub<vinci_word<T>>(dst), vinci_ub<uint32_t>(offset), (uint64_t)src.addr_, p.dstRepStride,
		 p.dstBlkStride, repeat);
#endif
}
#define VINCI_NO_GATHER "GetValue and SetValue, or a DataCopy per block"
/* offsets in bytes from src + srcBase bytes */
template <typename T>
VINCI_200("Gather", VINCI_NO_GATHER)
VINCI_A void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &srcOffset,
		    const uint32_t srcBase, const uint32_t count)
{
	static_assert(sizeof(T) == 2 || sizeof(T) == 4, "AscendC::Gather takes 2-byte and 4-byte types");
#if VINCI_ARCH != 1
	vinci_for_count<sizeof(T)>(count, [&](uint32_t at, uint8_t n) __attribute__((always_inline)) {
		vgather(VINCI_U(vinci_word<T>, dst, at), VINCI_U(uint32_t, srcOffset, at), (uint64_t)src.addr_ + srcBase, 8, n);
	});
#endif
}
template <typename T, typename M>
VINCI_200("Gather", VINCI_NO_GATHER)
VINCI_A auto Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &srcOffset,
		    const uint32_t srcBase, M mask, const uint8_t repeat, const uint16_t dstRepStride)
	-> std::enable_if_t<std::is_integral<M>::value || std::is_pointer<M>::value>
{
	static_assert(sizeof(T) == 2 || sizeof(T) == 4, "AscendC::Gather takes 2-byte and 4-byte types");
#if VINCI_ARCH != 1
	vinci_vector_call();
	vinci_set_mask<T, true>(mask);
	vgather(vinci_ub<vinci_word<T>>(dst), vinci_ub<uint32_t>(srcOffset), (uint64_t)src.addr_ + srcBase, dstRepStride, repeat);
#endif
}

enum class GatherMaskMode : uint8_t { VERSION_V1, VERSION_V2 };
#define VINCI_NO_GATHER_MASK "Select, or GetValue and SetValue"
template <typename T>
VINCI_A void vinci_gather_mask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, uint64_t bits, uint8_t pattern,
			       bool reduceMode, uint32_t mask, const GatherMaskParams &p, uint64_t &rsvdCnt)
{
	static_assert(sizeof(T) == 2 || sizeof(T) == 4, "AscendC::GatherMask takes 2-byte and 4-byte types");
#if VINCI_ARCH != 1
	using W = vinci_word<T>;
	vinci_vector_call();
	if (reduceMode) {
		set_mask_count();
		set_vector_mask(0, mask);
	}
#if VINCI_ARCH == 4
	vreducev2(vinci_ub<W>(dst), vinci_ub<W>(src0), (__ubuf__ W *)bits, p.repeatTimes, p.src0BlockStride, pattern,
		  p.src0RepeatStride, p.src1RepeatStride);
#else
	vinci_check(p.repeatTimes <= 255 && p.src0RepeatStride <= 255, "GatherMask: repeats and strides go to 255 on 310P");
	vreduce(vinci_ub<W>(dst), vinci_ub<W>(src0), (__ubuf__ W *)bits, (uint8_t)p.repeatTimes, 1, p.src0BlockStride,
		pattern, 8, (uint8_t)p.src0RepeatStride, p.src1RepeatStride);
#endif
	if (reduceMode) {
		if (!vinci_state.counter_mode)
			set_mask_norm();
		set_vector_mask(~0ull, ~0ull);
	}
	set_flag(PIPE_V, PIPE_S, EVENT_ID7);
	wait_flag(PIPE_V, PIPE_S, EVENT_ID7);
	rsvdCnt = (uint64_t)get_rsvd_cnt();
#endif
}
template <typename T, GatherMaskMode mode = GatherMaskMode::VERSION_V2>
VINCI_200("GatherMask", VINCI_NO_GATHER_MASK)
VINCI_A void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const uint8_t src1Pattern, const bool reduceMode,
			const uint32_t mask, const GatherMaskParams &p, uint64_t &rsvdCnt)
{
	vinci_gather_mask<T>(dst, src0, 0, src1Pattern, reduceMode, mask, p, rsvdCnt);
}
template <typename T, typename U, GatherMaskMode mode = GatherMaskMode::VERSION_V2>
VINCI_200("GatherMask", VINCI_NO_GATHER_MASK)
VINCI_A void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<U> &src1Pattern,
			const bool reduceMode, const uint32_t mask, const GatherMaskParams &p, uint64_t &rsvdCnt)
{
	vinci_gather_mask<T>(dst, src0, (uint64_t)src1Pattern.addr_, 0, reduceMode, mask, p, rsvdCnt);
}

/* --- transposes --- */
template <typename T> VINCI_A void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src)
{
	static_assert(sizeof(T) == 2, "AscendC::Transpose of one 16 x 16 block takes 2-byte types");
	vinci_vector_call();
	vtranspose(vinci_ub<uint16_t>(dst), vinci_ub<uint16_t>(src));
}
template <typename T> VINCI_A void vinci_5hd(const uint64_t d[16], const uint64_t s[16], const TransDataTo5HDParams &p)
{
	vinci_vector_call();
	/* a register holds eight addresses; the wrapper packs them in units of 32 bytes */
	set_va_reg_sb(VA0, d);
	set_va_reg_sb(VA1, d + 8);
	set_va_reg_sb(VA2, s);
	set_va_reg_sb(VA3, s + 8);
	if constexpr (sizeof(T) == 1)
		scatter_vnchwconv_b8(VA0, VA2, p.repeatTimes, p.dstRepStride, p.srcRepStride, p.dstHighHalf, p.srcHighHalf);
	else if constexpr (sizeof(T) == 2)
		scatter_vnchwconv_b16(VA0, VA2, p.repeatTimes, p.dstRepStride, p.srcRepStride);
	else {
#if VINCI_ARCH != 1
		scatter_vnchwconv_b32(VA0, VA2, p.repeatTimes, p.dstRepStride, p.srcRepStride);
#else
		static_assert(vinci_no<T>, "AscendC::TransDataTo5HD takes 1-byte and 2-byte types on " VINCI_CHIP);
#endif
	}
}
template <typename T>
VINCI_A void TransDataTo5HD(const LocalTensor<T> (&dst)[16], const LocalTensor<T> (&src)[16],
			    const TransDataTo5HDParams &p)
{
	uint64_t d[16], s[16];
	for (int i = 0; i < 16; i++) {
		d[i] = dst[i].addr_;
		s[i] = src[i].addr_;
	}
	vinci_5hd<T>(d, s, p);
}
template <typename T> VINCI_A void TransDataTo5HD(uint64_t dst[16], uint64_t src[16], const TransDataTo5HDParams &p)
{
	vinci_5hd<T>(dst, src, p);
}

/* dst[i][j] = src[i][0] (axis 1) or src[0][j] (axis 0); dim 1: one value to all */
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
VINCI_A void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
		       const uint32_t srcShape[dim])
{
	static_assert(dim == 1 || dim == 2, "AscendC::Broadcast has 1 or 2 dimensions");
	static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Vinci models AscendC::Broadcast for 2-byte and 4-byte types");
	using W = vinci_word<T>;
	LocalTensor<W> d = dst.template ReinterpretCast<W>(), s = src.template ReinterpretCast<W>();
	constexpr uint32_t block = 32 / sizeof(T);
	uint32_t rows = dim == 2 ? dstShape[0] : 1, cols = dstShape[dim - 1];
	if (dim == 1 || (axis == 1 && srcShape[dim - 1] == 1)) {
		for (uint32_t r = 0; r < rows; r++) {
			uint32_t at = r * cols;
			if (at % block == 0) {
				Duplicate<W>(d[at], s.GetValue(r), (int32_t)cols);
			} else {
				W v = s.GetValue(r);
				for (uint32_t c = 0; c < cols; c++)
					d.SetValue(at + c, v);
			}
		}
	} else if (axis == 0 && cols % block == 0) {
		vinci_vector_call();
		for (uint32_t r = 0; r < rows; r++)
			copy_ubuf_to_ubuf((__ubuf__ void *)vinci_ub<W>(d[r * cols]), (__ubuf__ void *)vinci_ub<W>(s), 0,
					  1, (uint16_t)(cols / block), 0, 0);
	} else {
		for (uint32_t r = 0; r < rows; r++)
			for (uint32_t c = 0; c < cols; c++)
				d.SetValue(r * cols + c, s.GetValue(c));
	}
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
VINCI_A void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
		       const uint32_t srcShape[dim], LocalTensor<uint8_t> &)
{
	Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
VINCI_A void BroadCast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
		       const uint32_t srcShape[dim])
{
	Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
VINCI_A void BroadCast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t dstShape[dim],
		       const uint32_t srcShape[dim], LocalTensor<uint8_t> &)
{
	Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape);
}
} // namespace AscendC
#endif
