/*
 * tikicpulib.h - what sample programs for the vendor's CPU debugging include: GmAlloc and ICPU_RUN_KF, here over the
 * simulator.
 */
#ifndef VINCI_TIKICPULIB_H
#define VINCI_TIKICPULIB_H
#include "kernel_operator.h"
#endif
