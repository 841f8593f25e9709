/*
 * tiling_data.h - tiling structs of the host: members with set_ and get_, and the bytes that the kernel reads, laid out as the
 * kernel's compiler lays out a struct of the same members.
 */
#ifndef VINCI_TILING_DATA_H
#define VINCI_TILING_DATA_H
#include <cstddef>
#include <cstdint>
#include <cstring>
#include "../kernel_tiling/kernel_tiling.h"

#define BEGIN_TILING_DATA_DEF(cls)                                                                                     \
	class cls {                                                                                                    \
	public:                                                                                                        \
		using VinciSelf = cls;                                                                                 \
		size_t GetDataSize() const { return sizeof(*this); }                                                   \
		void SaveToBuffer(void *to, size_t n) const { std::memcpy(to, this, n < sizeof(*this) ? n : sizeof(*this)); }\
		void SetDataPtr(void *from) { std::memcpy((void *)this, from, sizeof(*this)); }
#define TILING_DATA_FIELD_DEF(type, name)                                                                              \
		type name = {};                                                                                        \
		void set_##name(type v) { name = v; }                                                                  \
		type get_##name() const { return name; }
#define TILING_DATA_FIELD_DEF_ARR(type, n, name)                                                                       \
		type name[n] = {};                                                                                     \
		void set_##name(const type *v) { std::memcpy(name, v, sizeof(name)); }                                 \
		type *get_##name() { return name; }
#define TILING_DATA_FIELD_DEF_STRUCT(type, name) type name;
#define END_TILING_DATA_DEF }
#define REGISTER_TILING_DATA_CLASS(op, cls)

#define VINCI_HOST_MEMBER(name) TILING_DATA_FIELD_DEF(int32_t, name)
#define VINCI_HOST_UMEMBER(name) TILING_DATA_FIELD_DEF(uint32_t, name)
namespace optiling {
BEGIN_TILING_DATA_DEF(TCubeTiling)
VINCI_CUBE_TILING(VINCI_HOST_MEMBER)
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(SoftMaxTiling)
VINCI_SOFTMAX_TILING(VINCI_HOST_UMEMBER)
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(LayerNormTiling)
VINCI_LAYERNORM_TILING(VINCI_HOST_UMEMBER)
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(RmsNormTiling)
VINCI_RMSNORM_TILING(VINCI_HOST_UMEMBER)
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(BatchNormTiling)
VINCI_BATCHNORM_TILING(VINCI_HOST_UMEMBER)
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(GroupNormTiling)
VINCI_GROUPNORM_TILING(VINCI_HOST_UMEMBER)
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(DeepNormTiling)
VINCI_BSH_TILING(VINCI_HOST_UMEMBER)
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(LayerNormGradTiling)
VINCI_BSH_TILING(VINCI_HOST_UMEMBER)
END_TILING_DATA_DEF;
BEGIN_TILING_DATA_DEF(LayerNormGradBetaTiling)
VINCI_BSH_TILING(VINCI_HOST_UMEMBER)
END_TILING_DATA_DEF;
} // namespace optiling
using optiling::TCubeTiling;
using optiling::SoftMaxTiling;
using optiling::LayerNormTiling;
using optiling::RmsNormTiling;
using optiling::BatchNormTiling;
using optiling::GroupNormTiling;
using optiling::DeepNormTiling;
using optiling::LayerNormGradTiling;
using optiling::LayerNormGradBetaTiling;
namespace AscendC
{
namespace tiling
{
using namespace optiling;
} // namespace tiling
} // namespace AscendC
#endif
