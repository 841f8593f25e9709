/*
 * kernel_data_copy.h - DataCopy and DataCopyPad: GM, L1, UB, L0C and the small tables of the cube core.
 */
#ifndef VINCI_ASCENDC_DATA_COPY_H
#define VINCI_ASCENDC_DATA_COPY_H

namespace AscendC {
#define VINCI_WITH_GM(t)                                                                                               \
	VINCI_MUST_BE(vinci_is_ub((t).pos_) || vinci_is_l1((t).pos_), t,                                               \
		      "DataCopy: with GM the other side is in the unified buffer (VECIN, VECOUT, VECCALC) or in L1 (A1, B1, "\
		      "C1); L0A and L0B are filled by LoadData, L0C is read by Fixpipe or a copy to UB")
template <typename T> VINCI_A __cbuf__ T *vinci_l1(const LocalTensor<T> &t) { return (__cbuf__ T *)(uint64_t)t.addr_; }
template <typename T> VINCI_A void vinci_in_bounds(const LocalTensor<T> &t, uint64_t bytes, const char *sentence)
{
	vinci_check(t.size_ == 0 || bytes <= t.size_, sentence);
}
/* a count is rounded down to whole blocks, as documented; nothing at all is left of less than one */
VINCI_A DataCopyParams vinci_whole_blocks(uint64_t bytes)
{
#if VINCI_ARCH == 4
#define VINCI_ODD_BYTES "DataCopyPad moves single bytes"
#else
#define VINCI_ODD_BYTES "round up to whole blocks"
#endif
	vinci_check(bytes >= 32 || bytes == 0, "DataCopy: less than 32 bytes, of which nothing is copied; " VINCI_ODD_BYTES);
	return DataCopyParams(1, (uint16_t)(bytes / 32), 0, 0);
}

/* GM to local */
template <typename T> VINCI_A void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p)
{
	VINCI_WITH_GM(dst);
	vinci_move_call();
	if (vinci_is_l1(dst.pos_)) {
		copy_gm_to_cbuf((__cbuf__ void *)vinci_l1(dst), (__gm__ void *)src.p_, 0, p.blockCount, p.blockLen,
				p.srcStride, p.dstStride, 0);
	} else {
		vinci_in_bounds(dst, (uint64_t)p.blockCount * p.blockLen * 32 + (uint64_t)(p.blockCount - 1) * p.dstStride * 32,
				"DataCopy: more data than the destination tensor holds");
		copy_gm_to_ubuf(vinci_ub<void>(dst), (__gm__ void *)src.p_, 0, p.blockCount, p.blockLen, p.srcStride,
				p.dstStride);
	}
}
template <typename T> VINCI_A void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const uint32_t count)
{
	DataCopy<T>(dst, src, vinci_whole_blocks(vinci_bytes_of<T>(count)));
}
template <typename T>
VINCI_A void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p,
		      const DataCopyEnhancedParams &)
{
	DataCopy<T>(dst, src, p);
}
#if VINCI_ARCH == 4
template <typename T> VINCI_A void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &p)
{
	vinci_move_call();
	vinci_check(vinci_is_l1(dst.pos_), "DataCopy with Nd2NzParams: the destination must be in L1 (A1, B1, C1)");
#define VINCI_ND2NZ(insn, W)                                                                                           \
	insn((__cbuf__ W *)(uint64_t)dst.addr_, (__gm__ W *)src.p_, 0, p.ndNum, p.nValue, p.dValue,                    \
	     p.srcNdMatrixStride, p.srcDValue, p.dstNzC0Stride, p.dstNzNStride, p.dstNzMatrixStride)
	if constexpr (sizeof(T) == 1)
		VINCI_ND2NZ(copy_gm_to_cbuf_multi_nd2nz_b8, int8_t);
	else if constexpr (sizeof(T) == 2)
		VINCI_ND2NZ(copy_gm_to_cbuf_multi_nd2nz_b16, half);
	else
		VINCI_ND2NZ(copy_gm_to_cbuf_multi_nd2nz_b32s, float);
}
#else
/* without an instruction for it: columns of one C0 block, row by row in strided bursts */
template <typename T> VINCI_A void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &p)
{
	constexpr uint32_t c0 = 32 / sizeof(T);
	vinci_move_call();
	vinci_check(p.dValue % c0 == 0 && p.srcDValue % c0 == 0,
		    "DataCopy with Nd2NzParams: on this chip rows must be whole blocks of 32 bytes");
	for (uint32_t nd = 0; nd < p.ndNum; nd++)
		for (uint32_t c = 0; c < p.dValue / c0; c++)
			copy_gm_to_cbuf((__cbuf__ void *)(uint64_t)(dst.addr_ + (nd * p.dstNzMatrixStride) * sizeof(T) +
								    c * p.dstNzC0Stride * 32),
					(__gm__ void *)(src.p_ + nd * p.srcNdMatrixStride + c * c0), 0, p.nValue, 1,
					(uint16_t)(p.srcDValue / c0 - 1), (uint16_t)(p.dstNzNStride - 1), 0);
}
#endif
/* a slice per dimension: burstLen blocks of 32 bytes from every row of the last dimension */
template <typename T>
VINCI_A void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const SliceInfo d[], const SliceInfo s[],
		      const uint32_t dim)
{
	uint32_t rows = 1, src_pitch = s[0].shapeValue, dst_pitch = d[0].shapeValue;
	if (dim > 1)
		rows = (s[1].endIndex - s[1].startIndex) / (1 + s[1].stride) + 1;
	for (uint32_t r = 0; r < rows; r++) {
		uint32_t row = dim > 1 ? s[1].startIndex + r * (1 + s[1].stride) : 0,
			 to = dim > 1 ? d[1].startIndex + r * (1 + d[1].stride) : 0;
		DataCopy<T>(dst[to * dst_pitch + d[0].startIndex], src[row * src_pitch + s[0].startIndex],
			    DataCopyParams(1, (uint16_t)s[0].burstLen, 0, 0));
	}
}

/* local to GM */
template <typename T> VINCI_A void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p)
{
	VINCI_WITH_GM(src);
	vinci_move_call();
#if VINCI_ARCH == 4
	if (vinci_is_l1(src.pos_))
		copy_cbuf_to_gm((__gm__ void *)dst.p_, (__cbuf__ void *)vinci_l1(src), 0, p.blockCount, p.blockLen,
				p.srcStride, p.dstStride);
	else
#endif
	{
		vinci_in_bounds(src, (uint64_t)p.blockCount * p.blockLen * 32 + (uint64_t)(p.blockCount - 1) * p.srcStride * 32,
				"DataCopy: more data than the source tensor holds");
		copy_ubuf_to_gm((__gm__ void *)dst.p_, vinci_ub<void>(src), 0, p.blockCount, p.blockLen, p.srcStride,
				p.dstStride);
	}
}
template <typename T> VINCI_A void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
	DataCopy<T>(dst, src, vinci_whole_blocks(vinci_bytes_of<T>(count)));
}
template <typename T>
VINCI_A void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p,
		      const DataCopyEnhancedParams &)
{
	DataCopy<T>(dst, src, p);
}
/* NZ in UB to rows in GM */
template <typename T> VINCI_A void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const Nz2NdParamsFull &p)
{
	constexpr uint32_t c0 = 32 / sizeof(T) < 16 ? 16 : 32 / sizeof(T), units = c0 * sizeof(T) / 32, per_unit = 32 / sizeof(T);
	vinci_move_call();
	vinci_check(p.dValue % per_unit == 0 && p.dstDStride % per_unit == 0,
		    "DataCopy with Nz2NdParamsFull: rows must be whole blocks of 32 bytes");
	for (uint32_t nd = 0; nd < p.ndNum; nd++)
		for (uint32_t c = 0; c < p.dValue; c += c0)
			copy_ubuf_to_gm((__gm__ void *)(dst.p_ + (uint64_t)nd * p.dstNdMatrixStride + c),
					(__ubuf__ void *)vinci_ub<T>(src, (uint32_t)((nd * p.srcNdMatrixStride * 256 +
										      c / c0 * p.srcNStride * c0) *
										     sizeof(T))),
					0, p.nValue, (uint16_t)units, 0, (uint16_t)(p.dstDStride / per_unit - units));
}

/* local to local */
template <typename T, typename U>
VINCI_A void vinci_local_copy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyParams &p)
{
	if (dst.pos_ == TPosition::C2) {
#if VINCI_ARCH == 4
		vinci_move_call();
		copy_cbuf_to_bt((uint64_t)dst.addr_, (__cbuf__ void *)(uint64_t)src.addr_,
				(uint16_t)(sizeof(T) != sizeof(U)), p.blockCount, p.blockLen, p.srcStride, p.dstStride);
#else
		vinci_move_call();
		broadcast_ub_to_cc((__cc__ float *)(uint64_t)dst.addr_, (__ubuf__ float *)(uint64_t)src.addr_,
				   (uint8_t)p.blockCount, (uint8_t)p.blockLen, (uint8_t)p.srcStride,
				   (uint8_t)p.dstStride);
#endif
	} else if (dst.pos_ == TPosition::C2PIPE2GM) {
#if VINCI_ARCH == 4
		vinci_move_call();
		copy_cbuf_to_fbuf((__fbuf__ void *)(uint64_t)dst.addr_, (__cbuf__ void *)(uint64_t)src.addr_,
				  p.blockCount, p.blockLen, p.srcStride, p.dstStride);
#endif
#if VINCI_ARCH != 4
	} else if (vinci_is_l1(dst.pos_)) {
		vinci_move_call();
		copy_ubuf_to_cbuf((__cbuf__ void *)(uint64_t)dst.addr_, vinci_ub<void>(src), 0, p.blockCount,
				  p.blockLen, p.srcStride, p.dstStride);
	} else if (vinci_is_l1(src.pos_)) {
		vinci_move_call();
		copy_cbuf_to_ubuf(vinci_ub<void>(dst), (__cbuf__ void *)(uint64_t)src.addr_, 0, p.blockCount,
				  p.blockLen, p.srcStride, p.dstStride);
#else
	} else if (vinci_is_l1(dst.pos_) || vinci_is_l1(src.pos_)) {
		vinci_fail("DataCopy: on 910B there is no path between UB and L1; go through GM");
#endif
	} else {
		vinci_vector_call();
		copy_ubuf_to_ubuf(vinci_ub<void>(dst), vinci_ub<void>(src), 0, p.blockCount, p.blockLen, p.srcStride,
				  p.dstStride);
	}
}
template <typename T> VINCI_A void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p)
{
#if VINCI_ARCH != 4
	if (src.pos_ == TPosition::CO1) {
		vinci_vector_call();
		if constexpr (vinci_one_of<T, float, half, int32_t, uint32_t>)
			copy_matrix_cc_to_ubuf(vinci_ub<T>(dst), (__cc__ T *)(uint64_t)src.addr_, 0, p.blockCount,
					       p.blockLen, p.srcStride, p.dstStride, CRMODE_NONE);
		return;
	}
#endif
	vinci_local_copy(dst, src, p);
}
template <typename T> VINCI_A void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)
{
	DataCopy<T>(dst, src, vinci_whole_blocks(vinci_bytes_of<T>(count)));
}
template <typename T, typename U>
VINCI_A std::enable_if_t<!std::is_same<T, U>::value> DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
							      const DataCopyParams &p)
{
	vinci_local_copy(dst, src, p);
}
template <typename T, typename U>
VINCI_A void DataCopy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const DataCopyParams &p,
		      const DataCopyEnhancedParams &e)
{
	vinci_vector_call();
#if VINCI_ARCH != 4
	if (src.pos_ == TPosition::CO1) {
		if constexpr (std::is_same<T, half>::value && std::is_same<U, float>::value)
			copy_matrix_cc_to_ubuf(vinci_ub<T>(dst), (__cc__ U *)(uint64_t)src.addr_, 0, p.blockCount,
					       p.blockLen, p.srcStride, p.dstStride,
					       e.isRelu ? CRMODE_F32toF16_RELU : CRMODE_F32toF16_NONE);
		else if constexpr (std::is_same<T, U>::value && vinci_one_of<T, float, half, int32_t, uint32_t>)
			copy_matrix_cc_to_ubuf(vinci_ub<T>(dst), (__cc__ U *)(uint64_t)src.addr_, 0, p.blockCount,
					       p.blockLen, p.srcStride, p.dstStride,
					       e.isRelu ? CRMODE_NONE_RELU : CRMODE_NONE);
		else
			vinci_fail("DataCopy from CO1: this pair of types is not modelled");
	} else if (dst.pos_ == TPosition::CO1) {
		if constexpr (std::is_same<T, U>::value && vinci_one_of<T, float, half, int32_t>)
			copy_matrix_ubuf_to_cc((__cc__ T *)(uint64_t)dst.addr_, vinci_ub<U>(src), 0, p.blockCount,
					       p.blockLen, p.srcStride, p.dstStride, CRMODE_NONE);
		else
			vinci_fail("DataCopy to CO1: this pair of types is not modelled");
	} else
#endif
	{
		(void)e;
		vinci_local_copy(dst, src, p);
	}
}

/* --- DataCopyPad: single bytes --- */
#define VINCI_NO_PAD "DataCopy of whole 32-byte blocks, the count rounded up"
template <typename T> VINCI_A void vinci_pad_value(T value)
{
#if VINCI_ARCH == 4
	uint64_t bits = 0;
	__builtin_memcpy(&bits, &value, sizeof(T) < 8 ? sizeof(T) : 8);
	if (sizeof(T) == 1)
		bits |= bits << 8;
	set_mov_pad_val(bits);
#endif
}
template <typename T>
VINCI_220("DataCopyPad", VINCI_NO_PAD)
VINCI_A void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &p,
			 const DataCopyPadExtParams<T> &pad)
{
	constexpr uint32_t times = sizeof(T) == 8 ? 2 : 1;
	uint8_t left = pad.isPad ? (uint8_t)(pad.leftPadding * times) : (uint8_t)0,
		right = pad.isPad ? (uint8_t)(pad.rightPadding * times) : (uint8_t)0;
	vinci_move_call();
	if (pad.isPad)
		vinci_pad_value<T>(pad.paddingValue);
	vinci_in_bounds(dst, (uint64_t)p.blockCount * AlignUp((uint32_t)(p.blockLen + (left + right) * sizeof(T) / times), 32u) +
				     (uint64_t)(p.blockCount - 1) * (uint64_t)p.dstStride * 32,
			"DataCopyPad: more data than the destination tensor holds");
#if VINCI_ARCH == 4
	if constexpr (sizeof(T) == 1)
		copy_gm_to_ubuf_align_b8(vinci_ub<void>(dst), (__gm__ void *)src.p_, 0, p.blockCount, p.blockLen, left,
					 right, (uint32_t)p.srcStride, (uint32_t)p.dstStride);
	else if constexpr (sizeof(T) == 2)
		copy_gm_to_ubuf_align_b16(vinci_ub<void>(dst), (__gm__ void *)src.p_, 0, p.blockCount, p.blockLen, left,
					  right, (uint32_t)p.srcStride, (uint32_t)p.dstStride);
	else
		copy_gm_to_ubuf_align_b32(vinci_ub<void>(dst), (__gm__ void *)src.p_, 0, p.blockCount, p.blockLen, left,
					  right, (uint32_t)p.srcStride, (uint32_t)p.dstStride);
#endif
}
template <typename T>
VINCI_220("DataCopyPad", VINCI_NO_PAD)
VINCI_A void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &p)
{
	vinci_move_call();
	vinci_in_bounds(src, (uint64_t)(p.blockCount - 1) * (AlignUp(p.blockLen, 32u) + (uint64_t)p.srcStride * 32) + p.blockLen,
			"DataCopyPad: more data than the source tensor holds");
#if VINCI_ARCH == 4
	if constexpr (sizeof(T) == 1)
		copy_ubuf_to_gm_align_b8((__gm__ void *)dst.p_, vinci_ub<void>(src), 0, p.blockCount, p.blockLen, 0, 0,
					 (uint32_t)p.srcStride, (uint32_t)p.dstStride);
	else if constexpr (sizeof(T) == 2)
		copy_ubuf_to_gm_align_b16((__gm__ void *)dst.p_, vinci_ub<void>(src), 0, p.blockCount, p.blockLen, 0, 0,
					  (uint32_t)p.srcStride, (uint32_t)p.dstStride);
	else
		copy_ubuf_to_gm_align_b32((__gm__ void *)dst.p_, vinci_ub<void>(src), 0, p.blockCount, p.blockLen, 0, 0,
					  (uint32_t)p.srcStride, (uint32_t)p.dstStride);
#endif
}
/* the older form with 16-bit lengths */
template <typename T>
VINCI_220("DataCopyPad", VINCI_NO_PAD)
VINCI_A void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &p,
			 const DataCopyPadParams &pad)
{
	DataCopyPadExtParams<T> e;
	e.isPad = pad.isPad;
	e.leftPadding = pad.leftPadding;
	e.rightPadding = pad.rightPadding;
	__builtin_memcpy(&e.paddingValue, &pad.paddingValue, sizeof(T));
	DataCopyPad<T>(dst, src, DataCopyExtParams(p.blockCount, p.blockLen, p.srcStride, p.dstStride, 0), e);
}
template <typename T>
VINCI_220("DataCopyPad", VINCI_NO_PAD)
VINCI_A void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &p)
{
	DataCopyPad<T>(dst, src, DataCopyExtParams(p.blockCount, p.blockLen, p.srcStride, p.dstStride, 0));
}
template <typename T> VINCI_220("SetPadValue", "Duplicate before the copy")
VINCI_A void SetPadValue(T value) { vinci_pad_value<T>(value); }
} // namespace AscendC
#endif
