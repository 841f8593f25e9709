/* tilingdata_base.h - tiling structs by macros; kernels get theirs from kernel_tiling.h. */
#ifndef VINCI_TILINGDATA_BASE_H
#define VINCI_TILINGDATA_BASE_H
#ifndef __riscv
#include "../host/tiling_data.h"
#endif
#endif
