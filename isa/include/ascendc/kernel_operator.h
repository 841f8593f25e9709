/*
 * kernel_operator.h - Ascend C for Vinci: the classes and calls that operators are written with, over the intrinsics of
 * cce.h. Names, argument orders and meanings are those of the public API documentation; README.md lists what is there.
 * The host half of an operator file includes the same header and gets what host code names (host/kernel_host.h).
 */
#ifndef VINCI_KERNEL_OPERATOR_H
#define VINCI_KERNEL_OPERATOR_H
#ifdef __riscv
#pragma clang system_header
#include "kernel_types.h"
#include "kernel_core.h"
#include "kernel_tensor.h"
#include "kernel_event.h"
#include "kernel_tpipe.h"
#include "kernel_bufpool.h"
#include "kernel_vec.h"
#include "kernel_vec_cmp.h"
#include "kernel_vec_reduce.h"
#include "kernel_vec_cast.h"
#include "kernel_vec_move.h"
#include "kernel_sort.h"
#include "kernel_data_copy.h"
#include "kernel_cube.h"
#include "kernel_sync.h"
#include "kernel_print.h"
#include "kernel_tiling.h"
#include "kernel_lib.h"
#include "kernel_norm.h"
#include "kernel_missing.h"
#else
#include "host/kernel_host.h"
#endif
#endif
