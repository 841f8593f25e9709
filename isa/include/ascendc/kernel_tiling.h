/*
 * kernel_tiling.h - tiling structs in kernels: reading them from GM, keys, and the macros of the host side that give the
 * kernel the same struct.
 */
#ifndef VINCI_ASCENDC_TILING_H
#define VINCI_ASCENDC_TILING_H
#include "kernel_tiling/kernel_tiling.h"

namespace AscendC {
using ::TCubeTiling;
using ::SoftMaxTiling;
using ::LayerNormTiling;
struct vinci_default_tiling_none {};
template <typename T> VINCI_A void vinci_read_tiling(T *to, const uint8_t *from)
{
	/* a struct in GM has at least the alignment of its words */
	const uint32_t *s = (const uint32_t *)from;
	uint32_t *d = (uint32_t *)to;
	for (uint32_t i = 0; i < sizeof(T) / 4; i++)
		d[i] = s[i];
	for (uint32_t i = sizeof(T) / 4 * 4; i < sizeof(T); i++)
		((uint8_t *)to)[i] = from[i];
}
constexpr uint64_t vinci_key_addr = 0x1C0800000;
VINCI_A uint64_t vinci_tiling_key() { return *(__gm__ uint64_t *)vinci_key_addr; }
VINCI_A uint8_t *GetSysWorkSpacePtr() { return (uint8_t *)(vinci_key_addr + 4096); }
VINCI_A void SetSysWorkspace(GM_ADDR) {}
VINCI_A void SetSysWorkspaceForce(GM_ADDR) {}
VINCI_A void SetSysWorkSpace(GM_ADDR) {}
VINCI_A GM_ADDR GetUserWorkspace(GM_ADDR workspace) { return workspace; }
} // namespace AscendC
using AscendC::GetSysWorkSpacePtr;
using AscendC::SetSysWorkspace;
using AscendC::SetSysWorkspaceForce;
using AscendC::GetUserWorkspace;

#define REGISTER_TILING_DEFAULT(type) using vinci_default_tiling = type
#define REGISTER_TILING_FOR_TILINGKEY(expression, type)
/* the debug information says by this name what a launch file's tiling values are members of */
#define GET_TILING_DATA_WITH_STRUCT(type, name, ptr)                                                                   \
	type name;                                                                                                     \
	{                                                                                                              \
		using vinci_default_tiling = type;                                                                     \
		vinci_default_tiling *vinci_tiling_place = &name;                                                      \
		AscendC::vinci_read_tiling(vinci_tiling_place, (const uint8_t *)(ptr));                                \
	}
#define GET_TILING_DATA_MEMBER(type, member, name, ptr)                                                                \
	decltype(((type *)0)->member) name;                                                                            \
	AscendC::vinci_read_tiling(&name, (const uint8_t *)&((__gm__ type *)(ptr))->member)
#define GET_TILING_DATA(name, ptr)                                                                                     \
	vinci_default_tiling name;                                                                                     \
	AscendC::vinci_read_tiling(&name, (const uint8_t *)(ptr))
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, name, ptr) const __gm__ type *name = (const __gm__ type *)(ptr)
#define COPY_TILING_WITH_STRUCT(type, from, to)                                                                        \
	type vinci_tiling_copy;                                                                                        \
	AscendC::vinci_read_tiling(&vinci_tiling_copy, (const uint8_t *)(from));                                       \
	type *to = &vinci_tiling_copy
#define TILING_KEY_IS(k) (AscendC::vinci_tiling_key() == (uint64_t)(k))
#define TILING_KEY_VAR (AscendC::vinci_tiling_key())
#define KERNEL_TASK_TYPE_DEFAULT(type)
#define KERNEL_TASK_TYPE(key, type)
#define ENABLE_DETERMINISTIC()
#define ENABLE_PRINTF()
#define ENABLE_PRINTF_DUMP()

#define BEGIN_TILING_DATA_DEF(name) struct name {
#define TILING_DATA_FIELD_DEF(type, name) type name;
#define TILING_DATA_FIELD_DEF_ARR(type, n, name) type name[n];
#define TILING_DATA_FIELD_DEF_STRUCT(type, name) type name;
#define END_TILING_DATA_DEF }
#define REGISTER_TILING_DATA_CLASS(op, name)
#endif
