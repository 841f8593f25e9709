/*
 * tikicpulib.h - what sample programs for the vendor's CPU debugging include: GmAlloc and ICPU_RUN_KF, here over the
 * simulator.
 */
#ifndef VINCI_TIKICPULIB_H
#define VINCI_TIKICPULIB_H
#include "kernel_operator.h"
#ifndef __riscv
#include <cstring>
/* the bounded copies that such programs use; not 0 when the bytes do not fit */
inline int memcpy_s(void *to, size_t room, const void *from, size_t n)
{
	if (!to || !from || n > room)
		return 22;
	std::memcpy(to, from, n);
	return 0;
}
inline int memset_s(void *to, size_t room, int value, size_t n)
{
	if (!to || n > room)
		return 22;
	std::memset(to, value, n);
	return 0;
}
#endif
#endif
