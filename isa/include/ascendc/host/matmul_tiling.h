/*
 * matmul_tiling.h - TCubeTiling on the host. The sizes chosen are Vinci's own: tiles as large as the buffers of the chip take
 * with two stages, an even share of the result for every core.
 */
#ifndef VINCI_MATMUL_TILING_H
#define VINCI_MATMUL_TILING_H
#include "kernel_host.h"
#include "platform.h"
#include "tiling_data.h"

namespace matmul_tiling {
using AscendC::CubeFormat;
using AscendC::TPosition;
enum class DataType : int32_t {
	DT_FLOAT = 0,
	DT_FLOAT16 = 1,
	DT_INT8 = 2,
	DT_INT32 = 3,
	DT_UINT8 = 4,
	DT_INT16 = 6,
	DT_BFLOAT16 = 27,
	DT_BF16 = 27,
	DT_INT4 = 29
};
enum class MatrixTraverse { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class DequantType { SCALAR = 0, TENSOR = 1 };
enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT, N_BUFFER_33 };
struct PlatformInfo { };

class MatmulApiTilingBase {
public:
	MatmulApiTilingBase() = default;
	explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC &) {}
	int32_t SetAType(TPosition, CubeFormat, DataType type, bool trans = false)
	{
		return a_bytes_ = bytes(type), trans_a_ = trans, 0;
	}
	int32_t SetBType(TPosition, CubeFormat, DataType, bool trans = false) { return trans_b_ = trans, 0; }
	int32_t SetCType(TPosition, CubeFormat, DataType) { return 0; }
	int32_t SetBiasType(TPosition, CubeFormat, DataType) { return 0; }
	int32_t SetDequantType(DequantType) { return 0; }
	int32_t SetMadType(int) { return 0; }
	int32_t SetSplitRange(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1) { return 0; }
	int32_t SetDoubleBuffer(bool, bool, bool, bool, bool = true, bool = true) { return 0; }
	int32_t SetMatmulConfigParams(int32_t = 1, bool = false, ScheduleType = ScheduleType::INNER_PRODUCT,
				      MatrixTraverse t = MatrixTraverse::NOSET, bool = false)
	{
		return traverse_ = t, 0;
	}
	int32_t SetShape(int32_t m, int32_t n, int32_t k)
	{
		m_ = m;
		n_ = n;
		k_ = k;
		if (!org_m_)
			return SetOrgShape(m, n, k);
		return 0;
	}
	int32_t SetOrgShape(int32_t m, int32_t n, int32_t k) { return SetOrgShape(m, n, k, k); }
	int32_t SetOrgShape(int32_t m, int32_t n, int32_t ka, int32_t kb)
	{
		org_m_ = m;
		org_n_ = n;
		org_ka_ = ka;
		org_kb_ = kb;
		return 0;
	}
	int32_t SetBias(bool on = false) { return bias_ = on, 0; }
	int32_t EnableBias(bool on = false) { return bias_ = on, 0; }
	int32_t SetFixSplit(int32_t m = -1, int32_t n = -1, int32_t k = -1)
	{
		fix_m_ = m;
		fix_n_ = n;
		fix_k_ = k;
		return 0;
	}
	int32_t SetBufferSpace(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1) { return 0; }
	int32_t SetTraverse(MatrixTraverse t) { return traverse_ = t, 0; }
	int32_t GetBaseM() const { return base_m_; }
	int32_t GetBaseN() const { return base_n_; }
	int32_t GetBaseK() const { return base_k_; }
	template <typename T> int64_t GetTiling(T &t)
	{
		split();
		t = T();
		t.usedCoreNum = cores_;
		t.M = org_m_;
		t.N = org_n_;
		t.Ka = org_ka_;
		t.Kb = org_kb_;
		t.singleCoreM = single_m_;
		t.singleCoreN = single_n_;
		t.singleCoreK = single_k_;
		t.baseM = base_m_;
		t.baseN = base_n_;
		t.baseK = base_k_;
		t.stepM = t.stepN = t.stepKa = t.stepKb = t.depthA1 = t.depthB1 = t.BatchNum = 1;
		t.dbL0A = t.dbL0B = 2;
		t.dbL0C = 1;
		t.isBias = bias_;
		t.iterateOrder = traverse_ == MatrixTraverse::FIRSTN;
		return m_ > 0 && n_ > 0 && k_ > 0 ? 0 : -1;
	}

protected:
  static int32_t bytes(DataType t)
  {
	  return t == DataType::DT_FLOAT || t == DataType::DT_INT32  ? 4
		 : t == DataType::DT_INT8 || t == DataType::DT_UINT8 ? 1
								     : 2;
  }
	static int32_t up(int32_t v, int32_t to) { return (v + to - 1) / to * to; }
	static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
	virtual void cores() { cores_ = 1, single_m_ = m_, single_n_ = n_, single_k_ = k_; }
	void split()
	{
		cores();
		base_m_ = fix_m_ > 0 ? fix_m_ : least(128, up(single_m_, 16));
		base_n_ = fix_n_ > 0 ? fix_n_ : least(a_bytes_ == 4 ? 128 : 256, up(single_n_, a_bytes_ == 1 ? 32 : 16));
		int32_t wide = base_m_ > base_n_ ? base_m_ : base_n_, unit = a_bytes_ == 4 ? 16 : 32 / a_bytes_;
		int32_t fit = 32768 / (up(wide, 32) * a_bytes_) / unit * unit;
		base_k_ = fix_k_ > 0 ? fix_k_ : least(fit < unit ? unit : fit, up(single_k_, unit));
	}
	int32_t a_bytes_ = 2, m_ = 0, n_ = 0, k_ = 0, org_m_ = 0, org_n_ = 0, org_ka_ = 0, org_kb_ = 0, fix_m_ = -1,
		fix_n_ = -1, fix_k_ = -1;
	int32_t base_m_ = 0, base_n_ = 0, base_k_ = 0, single_m_ = 0, single_n_ = 0, single_k_ = 0, cores_ = 1;
	bool trans_a_ = false, trans_b_ = false, bias_ = false;
	MatrixTraverse traverse_ = MatrixTraverse::NOSET;
};
class MatmulApiTiling : public MatmulApiTilingBase {
public:
	using MatmulApiTilingBase::MatmulApiTilingBase;
};
class MultiCoreMatmulTiling : public MatmulApiTilingBase {
public:
	using MatmulApiTilingBase::MatmulApiTilingBase;
	int32_t SetDim(int32_t dim) { return dim_ = dim, 0; }
	int32_t SetSingleRange(int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1, int32_t = -1) { return 0; }
	int32_t SetSingleShape(int32_t m = -1, int32_t n = -1, int32_t k = -1)
	{
		want_m_ = m;
		want_n_ = n;
		want_k_ = k;
		return 0;
	}
	int32_t SetAlignSplit(int32_t m, int32_t n, int32_t) { return align_m_ = m > 0 ? m : 16, align_n_ = n > 0 ? n : 16, 0; }
	int32_t EnableMultiCoreSplitK(bool) { return 0; }
	int32_t GetSingleShape(int32_t &m, int32_t &n, int32_t &k)
	{
		split();
		m = single_m_;
		n = single_n_;
		k = single_k_;
		return 0;
	}
	int32_t GetCoreNum(int32_t &dim, int32_t &m, int32_t &n)
	{
		split();
		m = parts_m_;
		n = parts_n_;
		dim = cores_;
		return 0;
	}

private:
	/* the split of M and N over at most dim cores whose largest part is smallest */
	void cores() override
	{
		int64_t best = -1;
		for (int32_t pm = 1; pm <= dim_; pm++) {
			int32_t pn = dim_ / pm, sm = want_m_ > 0 ? want_m_ : up((m_ + pm - 1) / pm, align_m_),
				sn = want_n_ > 0 ? want_n_ : up((n_ + pn - 1) / pn, align_n_);
			sm = least(sm, m_);
			sn = least(sn, n_);
			int64_t cost = (int64_t)sm * sn * 1000 + sm + sn;
			if (best >= 0 && cost >= best)
				continue;
			best = cost;
			single_m_ = sm;
			single_n_ = sn;
		}
		single_k_ = want_k_ > 0 ? want_k_ : k_;
		parts_m_ = (m_ + single_m_ - 1) / single_m_;
		parts_n_ = (n_ + single_n_ - 1) / single_n_;
		cores_ = parts_m_ * parts_n_;
	}
	int32_t dim_ = 1, want_m_ = -1, want_n_ = -1, want_k_ = -1, align_m_ = 16, align_n_ = 16, parts_m_ = 1, parts_n_ = 1;
};
} // namespace matmul_tiling
#endif
