/* tiling_api.h - host side of the library calls: see host/matmul_tiling.h. */
#ifndef VINCI_TILING_API_H
#define VINCI_TILING_API_H
#ifndef __riscv
#include "../host/matmul_tiling.h"
#include <vector>

namespace ge {
class Shape {
public:
	Shape() = default;
	explicit Shape(const std::vector<int64_t> &d) : d_(d) {}
	int64_t GetDim(size_t i) const { return d_[i]; }
	size_t GetDimNum() const { return d_.size(); }

private:
	std::vector<int64_t> d_;
};
} // namespace ge
namespace AscendC {
/* Vinci's softmax and norms take what the TPipe has left: any size of temporary memory will do */
inline uint32_t GetSoftMaxMinTmpSize(const ge::Shape &, uint32_t, bool) { return 32; }
inline uint32_t GetSoftMaxMaxTmpSize(const ge::Shape &, uint32_t, bool) { return 32; }
template <typename T> void SoftMaxTilingFunc(const ge::Shape &s, uint32_t, uint32_t, T &t)
{
	t.srcK = (uint32_t)s.GetDim(s.GetDimNum() - 1);
	t.srcM = 1;
	for (size_t i = 0; i + 1 < s.GetDimNum(); i++)
		t.srcM *= (uint32_t)s.GetDim(i);
	t.srcSize = t.srcM * t.srcK;
}
inline uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape &, uint32_t, uint32_t, bool, bool = false) { return 32; }
inline uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape &, uint32_t, uint32_t, bool, bool = false) { return 32; }
template <typename T>
void SoftMaxFlashV2TilingFunc(const ge::Shape &s, uint32_t, uint32_t, uint32_t size, T &t, bool, bool = false)
{
	SoftMaxTilingFunc(s, 0, size, t);
}
inline bool GetLayerNormMaxMinTmpSize(const ge::Shape &, uint32_t, bool, uint32_t &max, uint32_t &min)
{
	return max = min = 32, true;
}
template <typename T> void GetLayerNormNDTilingInfo(const ge::Shape &s, uint32_t, uint32_t, bool, T &t)
{
	t.bLength = (uint32_t)s.GetDim(0);
	t.sLength = (uint32_t)s.GetDim(1);
	t.hLength = (uint32_t)s.GetDim(2);
	t.originalHLength = s.GetDimNum() > 3 ? (uint32_t)s.GetDim(3) : t.hLength;
}
inline bool GetRmsNormMaxMinTmpSize(const ge::Shape &, uint32_t, uint32_t &max, uint32_t &min, bool = false)
{
	return max = min = 32, true;
}
inline bool GetBatchNormMaxMinTmpSize(const ge::Shape &, const ge::Shape &, uint32_t, bool, uint32_t &max, uint32_t &min,
				      bool = false)
{
	return max = min = 32, true;
}
inline bool GetDeepNormMaxMinTmpSize(const ge::Shape &, uint32_t, bool, bool, uint32_t &max, uint32_t &min)
{
	return max = min = 32, true;
}
inline void GetGroupNormMaxMinTmpSize(const ge::Shape &, uint32_t, bool, uint32_t, uint32_t &max, uint32_t &min)
{
	max = min = 32;
}
inline void GetLayerNormGradMaxMinTmpSize(const ge::Shape &, uint32_t, bool, uint32_t &max, uint32_t &min) { max = min = 32; }
inline void GetLayerNormGradBetaMaxMinTmpSize(const ge::Shape &, uint32_t, bool, uint32_t &max, uint32_t &min)
{
	max = min = 32;
}
/* B x S x H; `origin` has the row's length without its padding */
template <typename T> bool vinci_bsh(const ge::Shape &s, const ge::Shape &origin, T &t)
{
	if (s.GetDimNum() < 3 || origin.GetDimNum() < 3)
		return false;
	t.bLength = (uint32_t)s.GetDim(0);
	t.sLength = (uint32_t)s.GetDim(1);
	t.hLength = (uint32_t)s.GetDim(2);
	t.originalHLength = (uint32_t)origin.GetDim(2);
	return true;
}
template <typename T>
bool GetRmsNormTilingInfo(const ge::Shape &s, const ge::Shape &origin, uint32_t, uint32_t, T &t, bool = false)
{
	return vinci_bsh(s, origin, t);
}
template <typename T>
bool GetDeepNormTilingInfo(const ge::Shape &s, const ge::Shape &origin, uint32_t, uint32_t, bool, bool, T &t)
{
	return vinci_bsh(s, origin, t);
}
template <typename T> void GetLayerNormGradNDTilingInfo(const ge::Shape s, uint32_t size, uint32_t type, bool reuse, T &t)
{
	GetLayerNormNDTilingInfo(s, size, type, reuse, t);
}
template <typename T>
void GetLayerNormGradBetaNDTilingInfo(const ge::Shape s, uint32_t size, uint32_t type, bool reuse, T &t)
{
	GetLayerNormNDTilingInfo(s, size, type, reuse, t);
}
template <typename T>
bool GetBatchNormNDTilingInfo(const ge::Shape &s, const ge::Shape &origin, uint32_t, uint32_t, bool, T &t, bool = false)
{
	if (s.GetDimNum() < 3 || origin.GetDimNum() < 3)
		return false;
	t.originalBLength = (uint32_t)origin.GetDim(0);
	t.meanVarSize = (uint32_t)(s.GetDim(1) * s.GetDim(2));
	return true;
}
template <typename T>
void GetGroupNormNDTilingInfo(const ge::Shape &s, uint32_t, uint32_t, bool, uint32_t groups, T &t)
{
	t.n = (uint32_t)s.GetDim(0);
	t.c = (uint32_t)s.GetDim(1);
	t.hw = (uint32_t)(s.GetDim(2) * s.GetDim(3));
	t.g = groups;
	t.d = t.c / groups;
}
} // namespace AscendC
#endif
#endif
