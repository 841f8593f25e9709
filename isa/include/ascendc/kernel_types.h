/*
 * kernel_types.h - enums and parameter structs of Ascend C. Orders of struct members and constructor arguments are public
 * (API documentation); units stand beside them.
 */
#ifndef VINCI_ASCENDC_TYPES_H
#define VINCI_ASCENDC_TYPES_H

#include <stdint.h>
#include <stddef.h>
#include <limits>
#include <type_traits>
#include <utility>

#define GM_ADDR uint8_t *
#define __force_inline__ inline __attribute__((always_inline))
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
#ifndef __inline__
#define __inline__ inline
#endif
#define __BLOCK_LOCAL__
#define __WORKGROUP_LOCAL__
#define __kfc_workspace__
#define __mix__(...)
#define __cube__
#define __vector__
#define __simd_callee__
#define __simd_vf__
#define __ssbuf__
#define __tiling_data_ptr__
#define __no_simd_vf_fusion__
/* every call of these headers is inlined, so that an error is told at the line that made the call */
#define VINCI_A inline __attribute__((always_inline))

#if VINCI_ARCH == 4
#define __DAV_C220__ 1
#if VINCI_CORE == 1
#define ASCEND_IS_AIC constexpr(true)
#define ASCEND_IS_AIV constexpr(false)
#define ASCEND_IS_NOT_AIC constexpr(false)
#define ASCEND_IS_NOT_AIV constexpr(true)
#else
#define ASCEND_IS_AIC constexpr(false)
#define ASCEND_IS_AIV constexpr(true)
#define ASCEND_IS_NOT_AIC constexpr(true)
#define ASCEND_IS_NOT_AIV constexpr(false)
#endif
#else
#define ASCEND_IS_AIC constexpr(true)
#define ASCEND_IS_AIV constexpr(true)
#define ASCEND_IS_NOT_AIC constexpr(false)
#define ASCEND_IS_NOT_AIV constexpr(false)
#endif

constexpr int8_t INVALID_TEVENTID = -1;

enum class CubeFormat : uint8_t { ND, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, ROW_MAJOR, COLUMN_MAJOR };

namespace AscendC {
using ::half;
using ::bfloat16_t;
using ::int4b_t;
using ::pipe_t;
using ::QuantMode_t;

enum class TPosition : uint8_t {
	GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, TSCM, C2PIPE2GM,
	C2PIPE2LOCAL, MAX
};
using QuePosition = TPosition;
enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

enum class HardEvent : uint8_t {
	MTE2_MTE1, MTE1_MTE2, MTE1_M, M_MTE1, MTE2_V, V_MTE2, MTE3_V, V_MTE3, M_V, V_M, V_V, MTE3_MTE1, MTE1_MTE3, MTE1_V,
	MTE2_M, M_MTE2, V_MTE1, M_FIX, FIX_M, MTE3_MTE2, MTE2_MTE3, S_V, V_S, S_MTE2, MTE2_S, S_MTE3, MTE3_S, MTE2_FIX,
	FIX_MTE2, FIX_S, S_FIX, M_S, FIX_MTE3, MTE1_FIX, FIX_MTE1, FIX_FIX, FIX_V, V_FIX, MTE1_S, S_M, MAX
};

enum class RoundMode : uint8_t {
	CAST_NONE, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD, CAST_HYBRID
};
enum class CMPMODE : uint8_t { LT, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class ReduceOrder : uint8_t { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class MaskMode : uint8_t { NORMAL, COUNTER };
enum class BlockMode : uint8_t { BLOCK_MODE_NORMAL, BLOCK_MODE_MATRIX, BLOCK_MODE_VECTOR, BLOCK_MODE_SMALL_CHANNEL,
				 BLOCK_MODE_DEPTHWISE };
enum class DeqScale : uint8_t { DEQ_NONE, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
enum class CacheMode : uint8_t { CACHE_MODE_DISABLE, CACHE_MODE_NORMAL, CACHE_MODE_LAST, CACHE_MODE_PERSISTENT };
enum class CacheRwMode : uint8_t { READ = 1, WRITE = 2, RW = 3 };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class MemDsbT : uint64_t { ALL, DDR, UB, SEQ };
enum class AtomicDtype : uint8_t { ATOMIC_NONE, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16 };
enum class AtomicOp : uint8_t { ATOMIC_SUM, ATOMIC_MAX, ATOMIC_MIN };
enum class TransposeType : uint8_t {
	TRANSPOSE_TYPE_NONE, TRANSPOSE_NZ2ND_0213, TRANSPOSE_NZ2NZ_0213, TRANSPOSE_NZ2NZ_012_WITH_N, TRANSPOSE_NZ2ND_012_WITH_N,
	TRANSPOSE_NZ2ND_012_WITHOUT_N, TRANSPOSE_NZ2NZ_012_WITHOUT_N, TRANSPOSE_ND2ND_ONLY, TRANSPOSE_ND_UB_GM,
	TRANSPOSE_GRAD_ND_UB_GM, TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC, TRANSPOSE_NHWC2NCHW
};
using ::CubeFormat;
enum class FmatrixMode : uint8_t { FMATRIX_LEFT, FMATRIX_RIGHT };
enum class KernelMode : uint8_t { MIX_MODE, AIC_MODE, AIV_MODE, MIX_AIC_1_1 };
enum class DumpType : uint8_t { DUMP_DEFAULT, DUMP_SCALAR, DUMP_TENSOR, DUMP_SHAPE, DUMP_ASSERT };
enum class engine_t : uint8_t { CUBE_ENGINE, VECTOR_ENGINE };

constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint32_t DEFAULT_BLK_NUM = 8;
constexpr uint32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint32_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint32_t HALF_DEFAULT_REPEAT_STRIDE = 4;
constexpr uint32_t ONE_BLK_SIZE = 32;
constexpr uint32_t DEFAULT_C0_SIZE = 32;
constexpr uint32_t ONE_BLK_FLOAT_NUM = 8;
constexpr uint32_t DEFAULT_BLOCK_SIZE = 256;
constexpr uint32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr uint32_t MAX_REPEAT_TIMES = 255;
constexpr uint32_t BLOCK_CUBE = 16;
constexpr uint32_t CUBE_MAX_SIZE = 256;
constexpr uint32_t BYTE_PER_FRACTAL = 512;
constexpr uint32_t MIN_REPEAT_TIMES = 0;
constexpr uint64_t FULL_MASK = 0xffffffffffffffffull;
constexpr uint32_t TOTAL_UB_SIZE = VINCI_ARCH == 4 ? 192 * 1024 : 256 * 1024;
constexpr uint32_t TOTAL_VEC_LOCAL_SIZE = TOTAL_UB_SIZE - 8 * 1024;
constexpr uint32_t TOTAL_L1_SIZE = VINCI_ARCH == 4 ? 512 * 1024 : 1024 * 1024;
constexpr uint32_t TOTAL_L0A_SIZE = 64 * 1024;
constexpr uint32_t TOTAL_L0B_SIZE = 64 * 1024;
constexpr uint32_t TOTAL_L0C_SIZE = VINCI_ARCH == 4 ? 128 * 1024 : 256 * 1024;
/* the last bytes of UB hold scalars for select and the like */
constexpr uint32_t VINCI_UB_RESERVED = 256;
constexpr uint32_t TMP_UB_OFFSET = TOTAL_UB_SIZE - VINCI_UB_RESERVED;

/* strides in 32-byte blocks */
struct BinaryRepeatParams {
	VINCI_A BinaryRepeatParams() {}
	VINCI_A BinaryRepeatParams(uint8_t dst_blk, uint8_t src0_blk, uint8_t src1_blk, uint8_t dst_rep, uint8_t src0_rep,
				   uint8_t src1_rep)
	    : dstBlkStride(dst_blk), src0BlkStride(src0_blk), src1BlkStride(src1_blk), dstRepStride(dst_rep),
	      src0RepStride(src0_rep), src1RepStride(src1_rep)
	{
	}
	uint32_t blockNumber = 8;
	uint8_t dstBlkStride = 1, src0BlkStride = 1, src1BlkStride = 1;
	uint8_t dstRepStride = 8, src0RepStride = 8, src1RepStride = 8;
	bool repeatStrideMode = false, strideSizeMode = false;
};
struct UnaryRepeatParams {
	VINCI_A UnaryRepeatParams() {}
	VINCI_A UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint8_t dst_rep, uint8_t src_rep)
	    : dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep), srcRepStride(src_rep)
	{
	}
	VINCI_A UnaryRepeatParams(uint16_t dst_blk, uint16_t src_blk, uint8_t dst_rep, uint8_t src_rep, bool half_block)
	    : dstBlkStride(dst_blk), srcBlkStride(src_blk), dstRepStride(dst_rep), srcRepStride(src_rep), halfBlock(half_block)
	{
	}
	uint32_t blockNumber = 8;
	uint16_t dstBlkStride = 1, srcBlkStride = 1;
	uint8_t dstRepStride = 8, srcRepStride = 8;
	bool repeatStrideMode = false, strideSizeMode = false, halfBlock = false;
};
struct CopyRepeatParams {
	VINCI_A CopyRepeatParams() {}
	VINCI_A CopyRepeatParams(uint16_t dst, uint16_t src, uint16_t dst_rep, uint16_t src_rep)
	    : dstStride(dst), srcStride(src), dstRepeatSize(dst_rep), srcRepeatSize(src_rep)
	{
	}
	uint16_t dstStride = 1, srcStride = 1, dstRepeatSize = 8, srcRepeatSize = 8;
};
struct BrcbRepeatParams {
	VINCI_A BrcbRepeatParams() {}
	VINCI_A BrcbRepeatParams(uint16_t dst_blk, uint16_t dst_rep) : dstBlkStride(dst_blk), dstRepStride(dst_rep) {}
	uint16_t dstBlkStride = 1, dstRepStride = 8;
};
struct GatherRepeatParams {
	VINCI_A GatherRepeatParams() {}
	VINCI_A GatherRepeatParams(uint8_t dst_blk, uint8_t dst_rep) : dstBlkStride(dst_blk), dstRepStride(dst_rep) {}
	uint8_t dstBlkStride = 1, dstRepStride = 8;
};
struct GatherMaskParams {
	VINCI_A GatherMaskParams() {}
	VINCI_A GatherMaskParams(uint8_t src0_blk, uint16_t repeat, uint16_t src0_rep, uint8_t src1_rep)
	    : src0BlockStride(src0_blk), repeatTimes(repeat), src0RepeatStride(src0_rep), src1RepeatStride(src1_rep)
	{
	}
	uint8_t src0BlockStride = 1;
	uint16_t repeatTimes = 0, src0RepeatStride = 0;
	uint8_t src1RepeatStride = 0;
};

/* blockLen and the gaps in 32-byte blocks; gaps from the end of a block to the start of the next */
struct DataCopyParams {
	VINCI_A DataCopyParams() {}
	VINCI_A DataCopyParams(uint16_t count, uint16_t len, uint16_t src, uint16_t dst)
	    : blockCount(count), blockLen(len), srcStride(src), dstStride(dst)
	{
	}
	uint16_t blockCount = 1, blockLen = 0;
	union { uint16_t srcStride = 0; uint16_t srcGap; };
	union { uint16_t dstStride = 0; uint16_t dstGap; };
};
/* DataCopyPad: blockLen in bytes; stride of the GM side in bytes, of the local side in 32-byte blocks */
struct DataCopyExtParams {
	VINCI_A DataCopyExtParams() {}
	VINCI_A DataCopyExtParams(uint16_t count, uint32_t len, uint32_t src, uint32_t dst, uint32_t rsv_in)
	    : blockCount(count), blockLen(len), srcStride(src), dstStride(dst), rsv(rsv_in)
	{
	}
	uint16_t blockCount = 1;
	uint32_t blockLen = 0;
	int64_t srcStride = 0, dstStride = 0;
	uint32_t rsv = 0;
};
struct DataCopyPadParams {
	VINCI_A DataCopyPadParams() {}
	VINCI_A DataCopyPadParams(bool is_pad, uint8_t left, uint8_t right, uint64_t value)
	    : isPad(is_pad), leftPadding(left), rightPadding(right), paddingValue(value)
	{
	}
	bool isPad = false;
	uint8_t leftPadding = 0, rightPadding = 0; /* elements */
	uint64_t paddingValue = 0;
};
template <typename T> struct DataCopyPadExtParams {
	VINCI_A DataCopyPadExtParams() {}
	VINCI_A DataCopyPadExtParams(bool is_pad, uint8_t left, uint8_t right, T value)
	    : isPad(is_pad), leftPadding(left), rightPadding(right), paddingValue(value)
	{
	}
	bool isPad = false;
	uint8_t leftPadding = 0, rightPadding = 0; /* elements */
	T paddingValue = 0;
};
struct DataCopyEnhancedParams {
	VINCI_A DataCopyEnhancedParams() {}
	VINCI_A DataCopyEnhancedParams(BlockMode mode, DeqScale deq, uint64_t deq_value, uint8_t sid_in, bool relu)
	    : blockMode(mode), deqScale(deq), deqValue(deq_value), sidStoreMode(sid_in), isRelu(relu)
	{
	}
	BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
	DeqScale deqScale = DeqScale::DEQ_NONE;
	uint64_t deqValue = 0;
	uint8_t sidStoreMode = 0;
	bool isRelu = false;
};
/* strides of matrices in elements, C0 and N strides of the destination in 32-byte blocks */
struct Nd2NzParams {
	VINCI_A Nd2NzParams() {}
	VINCI_A Nd2NzParams(uint16_t nd_num, uint16_t n_value, uint16_t d_value, uint16_t src_nd, uint16_t src_d, uint16_t dst_c0,
			    uint16_t dst_n, uint16_t dst_matrix)
	    : ndNum(nd_num), nValue(n_value), dValue(d_value), srcNdMatrixStride(src_nd), srcDValue(src_d),
	      dstNzC0Stride(dst_c0), dstNzNStride(dst_n), dstNzMatrixStride(dst_matrix)
	{
	}
	uint16_t ndNum = 0, nValue = 0, dValue = 0, srcNdMatrixStride = 0, srcDValue = 0, dstNzC0Stride = 0, dstNzNStride = 0,
		 dstNzMatrixStride = 0;
};
struct Nz2NdParamsFull {
	VINCI_A Nz2NdParamsFull() {}
	VINCI_A Nz2NdParamsFull(uint16_t nd_num, uint16_t n_value, uint16_t d_value, uint16_t src_nd, uint16_t src_n,
				uint16_t dst_d, uint16_t dst_nd)
	    : ndNum(nd_num), nValue(n_value), dValue(d_value), srcNdMatrixStride(src_nd), srcNStride(src_n), dstDStride(dst_d),
	      dstNdMatrixStride(dst_nd)
	{
	}
	uint16_t ndNum = 1, nValue = 16, dValue = 16, srcNdMatrixStride = 0, srcNStride = 16, dstDStride = 16,
		 dstNdMatrixStride = 0;
};
struct SliceInfo {
	VINCI_A SliceInfo() {}
	VINCI_A SliceInfo(uint32_t start, uint32_t end, uint32_t stride, uint32_t burst, uint32_t shape = 0)
	    : startIndex(start), endIndex(end), stride(stride), burstLen(burst), shapeValue(shape)
	{
	}
	uint32_t startIndex = 0, endIndex = 0, stride = 0, burstLen = 0, shapeValue = 0;
};

/* cube */
struct LoadData2DParams {
	VINCI_A LoadData2DParams() {}
	VINCI_A LoadData2DParams(uint16_t start, uint8_t repeat, uint16_t src_stride, uint8_t sid_in, uint16_t dst_gap,
				 bool transpose, uint8_t addr_mode)
	    : startIndex(start), dstGap(dst_gap), srcStride(src_stride), ifTranspose(transpose), repeatTimes(repeat),
	      sid(sid_in), addrMode(addr_mode)
	{
	}
	uint16_t startIndex = 0, dstGap = 0, srcStride = 0;
	bool ifTranspose = false;
	uint8_t repeatTimes = 0, sid = 0, addrMode = 0;
};
struct LoadData2dTransposeParams {
	VINCI_A LoadData2dTransposeParams() {}
	VINCI_A LoadData2dTransposeParams(uint16_t start, uint8_t repeat, uint16_t src_stride, uint16_t dst_gap,
					  uint16_t dst_frac_gap)
	    : startIndex(start), repeatTimes(repeat), srcStride(src_stride), dstGap(dst_gap), dstFracGap(dst_frac_gap)
	{
	}
	VINCI_A LoadData2dTransposeParams(uint16_t start, uint8_t repeat, uint16_t src_stride, uint16_t dst_gap,
					  uint16_t dst_frac_gap, uint8_t addr_mode)
	    : startIndex(start), repeatTimes(repeat), srcStride(src_stride), dstGap(dst_gap), dstFracGap(dst_frac_gap),
	      addrMode(addr_mode)
	{
	}
	uint16_t startIndex = 0;
	uint8_t repeatTimes = 0;
	uint16_t srcStride = 0, dstGap = 0, dstFracGap = 0;
	uint8_t addrMode = 0;
};
template <typename T> struct LoadData3DParamsV1 {
	VINCI_A LoadData3DParamsV1() {}
	VINCI_A LoadData3DParamsV1(const uint8_t pads[4], uint16_t h, uint16_t w, uint16_t c1, uint8_t fetch_w, uint8_t fetch_h,
				   int16_t left_top_w, int16_t left_top_h, uint8_t stride_w, uint8_t stride_h,
				   uint8_t filter_w, uint8_t filter_h, uint8_t dil_w, uint8_t dil_h, uint8_t jump,
				   uint8_t mode, uint8_t times, uint8_t c_size, T pad_value)
	    : strideW(stride_w), strideH(stride_h), filterW(filter_w), filterH(filter_h), dilationFilterW(dil_w),
	      dilationFilterH(dil_h), jumpStride(jump), repeatMode(mode), repeatTime(times), cSize(c_size),
	      padValue(pad_value), fetchFilterW(fetch_w), fetchFilterH(fetch_h), l1H(h), l1W(w), c1Index(c1),
	      leftTopW(left_top_w), leftTopH(left_top_h)
	{
		for (int i = 0; i < 4; i++)
			padList[i] = pads[i];
	}
	uint8_t padList[4] = { 0, 0, 0, 0 }; /* left, right, top, bottom */
	uint8_t strideW = 0, strideH = 0, filterW = 0, filterH = 0, dilationFilterW = 0, dilationFilterH = 0;
	uint8_t jumpStride = 0, repeatMode = 0, repeatTime = 0, cSize = 0;
	T padValue = 0;
	uint8_t fetchFilterW = 0, fetchFilterH = 0;
	uint16_t l1H = 0, l1W = 0, c1Index = 0;
	int16_t leftTopW = 0, leftTopH = 0;
};
template <typename T> struct LoadData3DParamsV2 {
	VINCI_A LoadData3DParamsV2() {}
	VINCI_A LoadData3DParamsV2(const uint8_t pads[4], uint16_t h, uint16_t w, uint16_t channels, uint16_t k_ext,
				   uint16_t m_ext, uint16_t k_start, uint16_t m_start, uint8_t stride_w,
				   uint8_t stride_h, uint8_t filter_w, uint8_t filter_h, uint8_t dil_w, uint8_t dil_h,
				   bool transpose, bool small_k, T pad_value)
	    : l1H(h), l1W(w), channelSize(channels), kExtension(k_ext), mExtension(m_ext), kStartPt(k_start),
	      mStartPt(m_start), strideW(stride_w), strideH(stride_h), filterW(filter_w), filterH(filter_h),
	      dilationFilterW(dil_w), dilationFilterH(dil_h), enTranspose(transpose), enSmallK(small_k),
	      padValue(pad_value)
	{
		for (int i = 0; i < 4; i++)
			padList[i] = pads[i];
	}
	VINCI_A LoadData3DParamsV2(const uint8_t pads[4], uint16_t h, uint16_t w, uint16_t channels, uint16_t k_ext,
				   uint16_t m_ext, uint16_t k_start, uint16_t m_start, uint8_t stride_w,
				   uint8_t stride_h, uint8_t filter_w, uint8_t filter_h, uint8_t dil_w, uint8_t dil_h,
				   bool transpose, bool small_k, T pad_value, bool size_w, bool size_h,
				   bool matrix_ctrl)
	    : LoadData3DParamsV2(pads, h, w, channels, k_ext, m_ext, k_start, m_start, stride_w, stride_h, filter_w,
				 filter_h, dil_w, dil_h, transpose, small_k, pad_value)
	{
		filterSizeW = size_w;
		filterSizeH = size_h;
		fMatrixCtrl = matrix_ctrl;
	}
	uint8_t padList[4] = { 0, 0, 0, 0 }; /* left, right, top, bottom */
	uint16_t l1H = 0, l1W = 0, channelSize = 0, kExtension = 0, mExtension = 0, kStartPt = 0, mStartPt = 0;
	uint8_t strideW = 1, strideH = 1, filterW = 1, filterH = 1, dilationFilterW = 1, dilationFilterH = 1;
	bool enTranspose = false, enSmallK = false;
	T padValue = 0;
	bool filterSizeW = false, filterSizeH = false, fMatrixCtrl = false;
};
struct LoadDataRepeatParam {
	VINCI_A LoadDataRepeatParam() {}
	VINCI_A LoadDataRepeatParam(uint16_t stride, uint8_t time, uint8_t mode)
	    : repeatStride(stride), repeatTime(time), repeatMode(mode)
	{
	}
	uint16_t repeatStride = 0;
	uint8_t repeatTime = 1, repeatMode = 0;
};
template <typename T> struct InitConstValueParams {
	VINCI_A InitConstValueParams() {}
	VINCI_A InitConstValueParams(uint16_t repeat, uint16_t blocks, uint16_t gap, T value)
	    : repeatTimes(repeat), blockNum(blocks), dstGap(gap), initValue(value)
	{
	}
	VINCI_A InitConstValueParams(uint16_t repeat, T value) : repeatTimes(repeat), initValue(value) {}
	uint16_t repeatTimes = 0, blockNum = 0, dstGap = 0;
	T initValue = 0;
};
struct MmadParams {
	VINCI_A MmadParams() {}
	VINCI_A MmadParams(uint16_t m_in, uint16_t n_in, uint16_t k_in, bool is_bias, int32_t fm_offset, bool ss, bool winograd_a,
			   bool winograd_b, bool en_weight, bool sc)
	    : m(m_in), n(n_in), k(k_in), isBias(is_bias), fmOffset(fm_offset), enSsparse(ss), enWinogradA(winograd_a),
	      enWinogradB(winograd_b)
	{
		(void)en_weight;
		(void)sc;
	}
	VINCI_A MmadParams(uint16_t m_in, uint16_t n_in, uint16_t k_in, uint8_t unit_flag, bool source, bool init)
	    : m(m_in), n(n_in), k(k_in), unitFlag(unit_flag), cmatrixSource(source), cmatrixInitVal(init)
	{
	}
	uint16_t m = 0, n = 0, k = 0;
	bool isBias = false; /* the older name: accumulate onto what is in L0C */
	int32_t fmOffset = 0;
	bool enSsparse = false, enWinogradA = false, enWinogradB = false;
	uint8_t unitFlag = 0;
	bool kDirectionAlign = false;
	bool cmatrixSource = false; /* false: CO1, true: C2 (bias table) */
	bool cmatrixInitVal = true; /* start from 0 */
};
struct QuantParams {
	VINCI_A QuantParams() {}
	VINCI_A QuantParams(QuantMode_t mode) : quantPre(mode) {}
	VINCI_A QuantParams(QuantMode_t mode, uint64_t scalar) : quantPre(mode), deqScalar(scalar) {}
	QuantMode_t quantPre = QuantMode_t::NoQuant;
	uint64_t deqScalar = 0;
};
enum class CO2Layout : uint8_t { NZ, ROW_MAJOR, COLUMN_MAJOR };
struct FixpipeConfig {
	CO2Layout format;
	bool isToUB = false;
};
constexpr FixpipeConfig CFG_NZ = { CO2Layout::NZ };
constexpr FixpipeConfig CFG_ROW_MAJOR = { CO2Layout::ROW_MAJOR };
constexpr FixpipeConfig CFG_COLUMN_MAJOR = { CO2Layout::COLUMN_MAJOR };
struct FixpipeParamsV220 {
	VINCI_A FixpipeParamsV220() {}
	VINCI_A FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src, uint32_t dst, bool relu)
	    : nSize(n), mSize(m), srcStride(src), dstStride(dst), reluEn(relu)
	{
	}
	VINCI_A FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src, uint32_t dst, bool relu, QuantMode_t quant,
				  int64_t scalar, uint16_t nd_num, uint16_t src_nd, uint16_t dst_nd, uint8_t unit_flag)
	    : nSize(n), mSize(m), srcStride(src), dstStride(dst), quantPre(quant), deqScalar((uint64_t)scalar),
	      ndNum(nd_num), srcNdStride(src_nd), dstNdStride(dst_nd), reluEn(relu), unitFlag(unit_flag)
	{
	}
	uint16_t nSize = 0, mSize = 0, srcStride = 0;
	uint32_t dstStride = 0;
	QuantMode_t quantPre = QuantMode_t::NoQuant;
	uint64_t deqScalar = 0;
	uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0;
	bool reluEn = false;
	uint8_t unitFlag = 0;
	bool isChannelSplit = false;
};
struct Nz2NdParams {
	VINCI_A Nz2NdParams() {}
	VINCI_A Nz2NdParams(bool on, uint16_t nd_num, uint16_t src_nd, uint16_t dst_nd, uint16_t n)
	    : nz2ndEn(on), ndNum(nd_num), srcNdStride(src_nd), dstNdStride(dst_nd), originalNSize(n)
	{
	}
	bool nz2ndEn = false;
	uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0, originalNSize = 0;
};
/* the older description: burstLen in 32-byte units of a strip, strides in 32-byte units */
template <typename T> struct FixpipeParams {
	VINCI_A FixpipeParams() {}
	VINCI_A FixpipeParams(uint16_t count, uint16_t len, uint16_t src, uint32_t dst)
	    : cburstNum(count), burstLen(len), srcStride(src), dstStride(dst)
	{
	}
	uint16_t cburstNum = 1, burstLen = 1, srcStride = 0;
	uint32_t dstStride = 0;
	QuantParams quantParams;
	bool reluEn = false;
	Nz2NdParams nz2ndParams;
	uint8_t unitFlag = 0;
};

/* sort */
struct MrgSort4Info {
	VINCI_A MrgSort4Info() {}
	VINCI_A MrgSort4Info(const uint16_t lengths[4], bool suspension, uint16_t valid, uint16_t repeat)
	    : ifExhaustedSuspension(suspension), validBit(valid), repeatTimes(repeat)
	{
		for (int i = 0; i < 4; i++)
			elementLengths[i] = lengths[i];
	}
	uint16_t elementLengths[4] = { 0 };
	bool ifExhaustedSuspension = false;
	uint16_t validBit = 0;
	uint16_t repeatTimes = 1;
};
struct TransDataTo5HDParams {
	VINCI_A TransDataTo5HDParams() {}
	VINCI_A TransDataTo5HDParams(bool dst_high, bool src_high, uint8_t repeat, uint16_t dst_rep, uint16_t src_rep)
	    : dstHighHalf(dst_high), srcHighHalf(src_high), repeatTimes(repeat), dstRepStride(dst_rep), srcRepStride(src_rep)
	{
	}
	bool dstHighHalf = false, srcHighHalf = false;
	uint8_t repeatTimes = 1;
	uint16_t dstRepStride = 0, srcRepStride = 0;
};
struct TransposeParamsExt {
	uint16_t nSize = 0, cSize = 0, hSize = 0, wSize = 0;
	TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

struct ShapeInfo {
	uint8_t shapeDim = 0, originalShapeDim = 0;
	uint32_t shape[8] = { 0 }, originalShape[8] = { 0 };
	CubeFormat dataFormat = CubeFormat::ND;
};

template <typename T, typename U> struct IsSameType { static constexpr bool value = std::is_same<T, U>::value; };
/* element bits: int4b_t is half a byte */
template <typename T> constexpr uint32_t vinci_bits_of = std::is_same<T, int4b_t>::value ? 4 : sizeof(T) * 8;
template <typename T> constexpr uint64_t vinci_bytes_of(uint64_t n) { return n * vinci_bits_of<T> / 8; }
template <typename T, typename... Ts> constexpr bool vinci_one_of = (std::is_same<T, Ts>::value || ...);
template <typename T> using PrimT = T;
template <typename T> constexpr bool vinci_no = false;

template <typename T> constexpr T AlignUp(T v, T to) { return (v + to - 1) / to * to; }
template <typename T, typename U> constexpr T DivCeil(T a, U b) { return (a + b - 1) / b; }
template <typename T, typename U> constexpr T CeilDivision(T a, U b) { return b == 0 ? 0 : (a + b - 1) / b; }
template <typename T, typename U> VINCI_A auto ScalarMin(T a, U b) { return a < b ? a : b; }

namespace Std {
using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::declval;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::index_sequence;
using std::integral_constant;
using std::is_base_of;
using std::is_const;
using std::is_convertible;
using std::is_floating_point;
using std::is_integral;
using std::is_pointer;
using std::is_same;
using std::is_same_v;
using std::make_index_sequence;
using std::remove_const;
using std::remove_cv;
using std::remove_reference;
using std::remove_reference_t;
using std::true_type;
template <typename T> constexpr T max(T a, T b) { return a > b ? a : b; }
template <typename T> constexpr T min(T a, T b) { return a < b ? a : b; }
} // namespace Std
} // namespace AscendC

using AscendC::HardEvent;
template <typename T> constexpr T max(T a, T b) { return a > b ? a : b; }
template <typename T> constexpr T min(T a, T b) { return a < b ? a : b; }
#endif
