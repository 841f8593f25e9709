/*
 * kernel_cube.h - LoadData, Mmad, Fixpipe and their registers.
 */
#ifndef VINCI_ASCENDC_CUBE_H
#define VINCI_ASCENDC_CUBE_H

namespace AscendC {
template <typename T> VINCI_A __ca__ T *vinci_l0a(const LocalTensor<T> &t) { return (__ca__ T *)(uint64_t)t.addr_; }
template <typename T> VINCI_A __cb__ T *vinci_l0b(const LocalTensor<T> &t) { return (__cb__ T *)(uint64_t)t.addr_; }

/* --- load 2D --- */
template <typename T> VINCI_A void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParams &p)
{
	vinci_move_call();
	if (dst.pos_ == TPosition::A2)
		load_cbuf_to_ca(vinci_l0a(dst), vinci_l1(src), p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, 0,
				p.ifTranspose, p.addrMode);
	else if (dst.pos_ == TPosition::B2)
		load_cbuf_to_cb(vinci_l0b(dst), vinci_l1(src), p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, 0,
				p.ifTranspose, p.addrMode);
	else
		vinci_fail("LoadData: from L1 the destination must be A2 or B2");
}
template <typename T> VINCI_A void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const LoadData2DParams &p)
{
	vinci_move_call();
	if (dst.pos_ == TPosition::A2)
		load_gm_to_ca(vinci_l0a(dst), (__gm__ T *)src.p_, p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, 0,
			      p.addrMode);
	else if (dst.pos_ == TPosition::B2)
		load_gm_to_cb(vinci_l0b(dst), (__gm__ T *)src.p_, p.startIndex, p.repeatTimes, p.srcStride, p.dstGap, 0,
			      p.addrMode);
	else
		load_gm_to_cbuf(vinci_l1(dst), (__gm__ T *)src.p_, p.startIndex, p.repeatTimes, p.srcStride, p.dstGap,
				0, p.addrMode);
}
template <typename T>
VINCI_220("LoadDataWithTranspose", "LoadData with ifTranspose")
VINCI_A void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
				   const LoadData2dTransposeParams &p)
{
#if VINCI_ARCH == 4
	vinci_move_call();
	if (dst.pos_ == TPosition::A2)
		load_cbuf_to_ca_transpose(vinci_l0a(dst), vinci_l1(src), p.startIndex, p.repeatTimes, p.srcStride,
					  p.dstGap, p.addrMode, p.dstFracGap);
	else
		load_cbuf_to_cb_transpose(vinci_l0b(dst), vinci_l1(src), p.startIndex, p.repeatTimes, p.srcStride,
					  p.dstGap, p.addrMode, p.dstFracGap);
#endif
}

/* --- load 3D --- */
VINCI_A void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4], const FmatrixMode &mode = FmatrixMode::FMATRIX_LEFT)
{
	uint64_t w = (uint64_t)l1W | (uint64_t)l1H << 16 | (uint64_t)padList[0] << 32 | (uint64_t)padList[1] << 40 |
		     (uint64_t)padList[2] << 48 | (uint64_t)padList[3] << 56;
#if VINCI_ARCH == 4
	if (mode == FmatrixMode::FMATRIX_RIGHT) {
		set_fmatrix_b(w);
		return;
	}
#endif
	(void)mode;
	set_fmatrix(w);
}
template <typename T> VINCI_A void SetLoadDataPaddingValue(const T value)
{
	uint64_t bits = 0;
	__builtin_memcpy(&bits, &value, sizeof(T));
	if (sizeof(T) == 1)
		bits |= bits << 8;
	set_padding(bits);
}
struct IsResetLoad3dConfig {
	VINCI_A constexpr IsResetLoad3dConfig(bool fm, bool pad) : isSetFMatrix(fm), isSetPadding(pad) {}
	bool isSetFMatrix = true, isSetPadding = true;
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = { true, true };
VINCI_200("SetLoadDataBoundary", "a feature map that lies whole in L1") VINCI_A void SetLoadDataBoundary(uint32_t value)
{
#if VINCI_ARCH != 1
	set_l1_3d_size(value);
#endif
}
template <typename T, const IsResetLoad3dConfig &config = IS_RESER_LOAD3D_DEFAULT_CONFIG>
VINCI_200("LoadData with LoadData3DParamsV2", "LoadData with LoadData3DParamsV1")
VINCI_A void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2<T> &p)
{
	vinci_move_call();
	if (config.isSetFMatrix)
		SetFmatrix(p.l1H, p.l1W, p.padList, p.fMatrixCtrl ? FmatrixMode::FMATRIX_RIGHT : FmatrixMode::FMATRIX_LEFT);
	if (config.isSetPadding)
		SetLoadDataPaddingValue<T>(p.padValue);
#define VINCI_LOAD3D(insn, to)                                                                                         \
	insn(to, vinci_l1(src), p.kExtension, p.mExtension, p.kStartPt, p.mStartPt, p.strideW, p.strideH, p.filterW, p.filterH,\
	     p.dilationFilterW, p.dilationFilterH, p.filterSizeW, p.filterSizeH, p.enTranspose, p.fMatrixCtrl, p.channelSize)
#if VINCI_ARCH != 1
	if (dst.pos_ == TPosition::A2) {
		VINCI_LOAD3D(img2colv2_cbuf_to_ca, vinci_l0a(dst));
	} else {
		VINCI_LOAD3D(img2colv2_cbuf_to_cb, vinci_l0b(dst));
	}
#endif
}
template <typename T, const IsResetLoad3dConfig &config = IS_RESER_LOAD3D_DEFAULT_CONFIG>
VINCI_FUSED("LoadData with LoadData3DParamsV1", "LoadData with LoadData3DParamsV2")
VINCI_A void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV1<T> &p)
{
#if VINCI_ARCH != 4
	vinci_move_call();
	if (config.isSetFMatrix)
		SetFmatrix(p.l1H, p.l1W, p.padList);
	if (config.isSetPadding)
		SetLoadDataPaddingValue<T>(p.padValue);
#define VINCI_LOAD3D1(insn, to)                                                                                        \
	insn(to, vinci_l1(src), p.fetchFilterW, p.fetchFilterH, p.leftTopW, p.leftTopH, p.c1Index, p.strideW, p.strideH,\
	     p.filterW, p.filterH, p.dilationFilterW, p.dilationFilterH, p.jumpStride, p.repeatMode, p.repeatTime,     \
	     (csize_t)p.cSize)
	if (dst.pos_ == TPosition::A2) {
		VINCI_LOAD3D1(img2col_cbuf_to_ca, vinci_l0a(dst));
	} else if constexpr (sizeof(T) == 2) {
		VINCI_LOAD3D1(img2col_cbuf_to_cb, vinci_l0b(dst));
	} else {
		vinci_fail("LoadData with LoadData3DParamsV1: Vinci models the way to B2 for 2-byte types");
	}
#endif
}
VINCI_220("SetLoadDataRepeat", "one LoadData per step") VINCI_A void SetLoadDataRepeat(const LoadDataRepeatParam &p)
{
#if VINCI_ARCH == 4
	set_l3d_rpt((uint64_t)p.repeatStride | (uint64_t)p.repeatTime << 16 | (uint64_t)p.repeatMode << 24);
#endif
}
template <typename T> VINCI_A void InitConstValue(const LocalTensor<T> &dst, const InitConstValueParams<T> &p)
{
	uint64_t config = (uint64_t)p.repeatTimes | (uint64_t)p.blockNum << 16 | (uint64_t)p.dstGap << 32;
	vinci_move_call();
#define VINCI_FILL(suffix, ptr)                                                                                        \
	if constexpr (std::is_same<T, bfloat16_t>::value)                                                              \
		create_##suffix##_matrix_bf16(ptr, config, p.initValue);                                               \
	else if constexpr (sizeof(T) == 2)                                                                             \
		create_##suffix##_matrix(ptr, config, __builtin_bit_cast(half, p.initValue));                          \
	else                                                                                                           \
		create_##suffix##_matrix_ui(ptr, config, __builtin_bit_cast(uint32_t, p.initValue));
	if (dst.pos_ == TPosition::A2) {
		VINCI_FILL(ca, vinci_l0a(dst))
	} else if (dst.pos_ == TPosition::B2) {
		VINCI_FILL(cb, vinci_l0b(dst))
	} else {
#if VINCI_ARCH != 1
		VINCI_FILL(cbuf, vinci_l1(dst))
#else
		vinci_fail("InitConstValue: on Ascend 910 the destination must be A2 or B2; copy constants to L1");
#endif
	}
}

/* --- Mmad --- */
#define VINCI_OPERANDS(dst, fm, filter)                                                                                \
	VINCI_MUST_BE((dst).pos_ == TPosition::CO1, dst, "Mmad: the result is in CO1");                                \
	VINCI_MUST_BE((fm).pos_ == TPosition::A2, fm, "Mmad: the left matrix is in A2");                               \
	VINCI_MUST_BE((filter).pos_ == TPosition::B2, filter, "Mmad: the right matrix is in B2")
VINCI_A bool vinci_from_zero(const MmadParams &p) { return p.cmatrixInitVal && !p.isBias; }
template <typename T, typename U, typename S>
VINCI_A void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter, const MmadParams &p)
{
	VINCI_OPERANDS(dst, fm, filter);
	vinci_move_call();
	mad((__cc__ T *)(uint64_t)dst.addr_, (__ca__ U *)(uint64_t)fm.addr_, (__cb__ S *)(uint64_t)filter.addr_, p.m,
	    p.k, p.n, p.unitFlag, p.kDirectionAlign, p.cmatrixSource, vinci_from_zero(p));
}
/* with a bias in C2: the bias table's address is in the upper half of the destination operand */
template <typename T, typename U, typename S, typename V>
VINCI_220("Mmad with a bias", "DataCopy of the bias to C2 (which is L0C there), then Mmad with isBias")
VINCI_A void Mmad(const LocalTensor<T> &dst, const LocalTensor<U> &fm, const LocalTensor<S> &filter,
		  const LocalTensor<V> &bias, const MmadParams &p)
{
	VINCI_OPERANDS(dst, fm, filter);
	vinci_move_call();
	bool table = bias.pos_ == TPosition::C2;
	uint64_t d = (uint64_t)dst.addr_ | (table ? (uint64_t)bias.addr_ << 32 : 0);
	mad((__cc__ T *)d, (__ca__ U *)(uint64_t)fm.addr_, (__cb__ S *)(uint64_t)filter.addr_, p.m, p.k, p.n,
	    p.unitFlag, p.kDirectionAlign, table, false);
}
#define VINCI_NO_MODE "the call as it is: the cube has no such mode"
VINCI_220("SetHF32Mode", VINCI_NO_MODE)
VINCI_A void SetHF32Mode(bool on) { set_ctrl(on ? sbitset1((uint64_t)get_ctrl(), 46) : sbitset0((uint64_t)get_ctrl(), 46)); }
VINCI_220("SetHF32TransMode", VINCI_NO_MODE)
VINCI_A void SetHF32TransMode(bool on) { set_ctrl(on ? sbitset1((uint64_t)get_ctrl(), 47) : sbitset0((uint64_t)get_ctrl(), 47)); }
VINCI_220("SetMMLayoutTransform", VINCI_NO_MODE)
VINCI_A void SetMMLayoutTransform(bool on)
{
	set_ctrl(on ? sbitset1((uint64_t)get_ctrl(), 51) : sbitset0((uint64_t)get_ctrl(), 51));
}
VINCI_220("SetMMRowMajor", VINCI_NO_MODE) VINCI_A void SetMMRowMajor() { SetMMLayoutTransform(true); }
VINCI_220("SetMMColumnMajor", VINCI_NO_MODE) VINCI_A void SetMMColumnMajor() { SetMMLayoutTransform(false); }

/* --- Fixpipe --- */
#define VINCI_NO_FIXPIPE "DataCopy from CO1 to UB with DataCopyEnhancedParams, then DataCopy to GM"
VINCI_220("SetFixpipeNz2ndFlag", VINCI_NO_FIXPIPE)
VINCI_A void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride)
{
#if VINCI_ARCH == 4
	set_nd_para((uint64_t)ndNum | (uint64_t)srcNdStride << 16 | (uint64_t)dstNdStride << 32);
#endif
}
VINCI_220("SetFixpipePreQuantFlag", VINCI_NO_FIXPIPE) VINCI_A void SetFixpipePreQuantFlag(uint64_t config)
{
#if VINCI_ARCH == 4
	set_quant_pre(config);
#endif
}
template <typename T>
VINCI_220("SetFixPipeConfig", VINCI_NO_FIXPIPE)
VINCI_A void SetFixPipeConfig(const LocalTensor<T> &relu, const LocalTensor<T> &quant, bool isUnitFlag = false)
{
#if VINCI_ARCH == 4
	set_fpc((uint64_t)(relu.addr_ >> 6 & 0xff) | (uint64_t)(quant.addr_ >> 7 & 0xff) << 8 | (uint64_t)isUnitFlag << 63);
#endif
}
template <typename T>
VINCI_220("SetFixPipeConfig", VINCI_NO_FIXPIPE) VINCI_A void SetFixPipeConfig(const LocalTensor<T> &pre, bool isUnitFlag = false)
{
#if VINCI_ARCH == 4
	set_fpc((uint64_t)(pre.addr_ >> 7 & 0xff) << 8 | (uint64_t)isUnitFlag << 63);
#endif
}
VINCI_A bool vinci_scalar_quant(QuantMode_t q)
{
	return q == QuantMode_t::REQ8 || q == QuantMode_t::DEQF16 || q == QuantMode_t::SHIFTS322S16 ||
	       q == QuantMode_t::QF322B8_PRE;
}
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
VINCI_220("Fixpipe", VINCI_NO_FIXPIPE)
VINCI_A void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const FixpipeParamsV220 &p)
{
#if VINCI_ARCH == 4
	constexpr bool nd = config.format == CO2Layout::ROW_MAJOR;
	vinci_move_call();
	if (nd)
		SetFixpipeNz2ndFlag(p.ndNum, p.srcNdStride, p.dstNdStride);
	if (vinci_scalar_quant(p.quantPre))
		set_quant_pre(p.deqScalar);
	copy_matrix_cc_to_gm((__gm__ T *)dst.p_, (__cc__ U *)(uint64_t)src.addr_, 0, p.nSize, p.mSize, p.dstStride,
			     p.srcStride, p.unitFlag, p.quantPre, (uint8_t)p.reluEn, p.isChannelSplit, nd);
#endif
}
template <typename T, typename U, const FixpipeConfig &config = CFG_NZ>
VINCI_220("Fixpipe", VINCI_NO_FIXPIPE)
VINCI_A void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src, const FixpipeParamsV220 &p)
{
#if VINCI_ARCH == 4
	constexpr bool nd = config.format == CO2Layout::ROW_MAJOR;
	vinci_move_call();
	if (nd)
		SetFixpipeNz2ndFlag(p.ndNum, p.srcNdStride, p.dstNdStride);
	if (vinci_scalar_quant(p.quantPre))
		set_quant_pre(p.deqScalar);
	copy_matrix_cc_to_cbuf((__cbuf__ T *)(uint64_t)dst.addr_, (__cc__ U *)(uint64_t)src.addr_, 0, p.nSize, p.mSize,
			       p.dstStride, p.srcStride, p.unitFlag, p.quantPre, (uint8_t)p.reluEn, p.isChannelSplit,
			       nd);
#endif
}
/* per-channel scales: L1 to the fixpipe buffer in pieces, then as above */
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
VINCI_220("Fixpipe", VINCI_NO_FIXPIPE)
VINCI_A void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const LocalTensor<uint64_t> &scales,
		     const FixpipeParamsV220 &p)
{
#if VINCI_ARCH == 4
	vinci_move_call();
	vinci_check(p.nSize <= 256, "Fixpipe with a tensor of scales: Vinci models up to 256 columns at a time");
	pipe_barrier(PIPE_FIX);
	copy_cbuf_to_fbuf((__fbuf__ void *)0, (__cbuf__ void *)vinci_l1(scales), 1,
			  (uint16_t)DivCeil((uint32_t)p.nSize * 8, 128u), 0, 0);
	set_fpc(0);
	pipe_barrier(PIPE_FIX);
	Fixpipe<T, U, config>(dst, src, p);
#endif
}
/* the older description: strips of 16 columns, burstLen in 32-byte units of a strip */
template <typename T, typename U>
VINCI_220("Fixpipe", VINCI_NO_FIXPIPE)
VINCI_A void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src, const FixpipeParams<U> &p)
{
#if VINCI_ARCH == 4
	uint16_t rows = (uint16_t)(p.burstLen * 32 / 16 / sizeof(U));
	QuantMode_t q = p.quantParams.quantPre;
	vinci_move_call();
	if (p.nz2ndParams.nz2ndEn)
		SetFixpipeNz2ndFlag(p.nz2ndParams.ndNum, p.nz2ndParams.srcNdStride, p.nz2ndParams.dstNdStride);
	if (vinci_scalar_quant(q))
		set_quant_pre(p.quantParams.deqScalar);
	uint16_t n = p.nz2ndParams.nz2ndEn ? p.nz2ndParams.originalNSize : (uint16_t)(p.cburstNum * 16);
	copy_matrix_cc_to_gm((__gm__ T *)dst.p_, (__cc__ U *)(uint64_t)src.addr_, 0, n, rows, p.dstStride,
			     (uint16_t)(rows + p.srcStride * 32 / 16 / sizeof(U)), p.unitFlag, q, (uint8_t)p.reluEn,
			     false, p.nz2ndParams.nz2ndEn);
#endif
}
} // namespace AscendC
#endif
