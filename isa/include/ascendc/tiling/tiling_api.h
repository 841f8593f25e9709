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
/* Vinci's softmax and layer norm take what the TPipe has left: any size of temporary memory will do */
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
} // namespace AscendC
#endif
#endif
