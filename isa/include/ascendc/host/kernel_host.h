/*
 * kernel_host.h - kernel_operator.h for the host compiler: qualifiers, types and constants that host code shares with
 * kernels. Kernel code itself has been blanked out by the driver.
 */
#ifndef VINCI_KERNEL_HOST_H
#define VINCI_KERNEL_HOST_H

#include <cstdint>
#include <cstddef>
#include <cstdio>
#include "vinci_launch.h"

#ifdef VINCI_SOURCE_PASS /* the driver's source pass looks for these words */
#define __aicore__ __aicore__
#define __global__ __global__
#else
#define __aicore__
#define __global__
#endif
#define __gm__
#define __ubuf__
#define __cbuf__
#define __cube__
#define __vector__
#define __mix__(...)
#define __inline__ inline
#define GM_ADDR uint8_t *
typedef _Float16 half;
typedef _Float16 float16_t;
typedef float float32_t;
/* storage of a bfloat16 with conversions */
struct bfloat16_t {
	uint16_t bits = 0;
	bfloat16_t() = default;
	bfloat16_t(float v)
	{
		uint32_t u;
		__builtin_memcpy(&u, &v, 4);
		bits = (u & 0x7fffffff) > 0x7f800000 ? (uint16_t)(u >> 16 | 0x40)
						     : (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
	}
	operator float() const
	{
		uint32_t u = (uint32_t)bits << 16;
		float v;
		__builtin_memcpy(&v, &u, 4);
		return v;
	}
};
struct int4b_t { int8_t pair; };
enum class CubeFormat : uint8_t { ND, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, ROW_MAJOR, COLUMN_MAJOR };
enum class KernelMode { MIX_MODE, AIC_MODE, AIV_MODE, MIX_AIC_1_1 };

namespace AscendC {
using ::half;
using ::bfloat16_t;
using ::int4b_t;
using ::KernelMode;
enum class TPosition : uint8_t {
	GM,
	A1,
	A2,
	B1,
	B2,
	C1,
	C2,
	CO1,
	CO2,
	VECIN,
	VECOUT,
	VECCALC,
	LCM = VECCALC,
	SPM,
	SHM = SPM,
	TSCM,
	C2PIPE2GM,
	C2PIPE2LOCAL,
	MAX
};
using QuePosition = TPosition;
using ::CubeFormat;
constexpr uint32_t DEFAULT_C0_SIZE = 32, ONE_BLK_SIZE = 32, BLOCK_CUBE = 16;
inline void *GmAlloc(size_t size) { return vinci_acl_gm_alloc(size); }
inline void GmFree(void *p) { vinci_acl_gm_free(p); }
inline void SetKernelMode(KernelMode) {}
template <typename T> constexpr T AlignUp(T v, T to) { return (v + to - 1) / to * to; }
template <typename T, typename U> constexpr T DivCeil(T a, U b) { return (a + b - 1) / b; }
template <typename T, typename U> constexpr T CeilDivision(T a, U b) { return b == 0 ? 0 : (a + b - 1) / b; }
} // namespace AscendC
namespace optiling { }
#define KERNEL_TASK_TYPE_DEFAULT(type)
#define KERNEL_TASK_TYPE(key, type)
#define REGISTER_TILING_DEFAULT(type)
#endif
