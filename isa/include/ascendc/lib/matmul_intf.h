/* matmul_intf.h - the Matmul object; see kernel_matmul.h. */
#ifndef VINCI_MATMUL_INTF_H
#define VINCI_MATMUL_INTF_H
#include "kernel_operator.h"
#ifdef __riscv
#include "kernel_matmul.h"
#else
namespace matmul { }
#endif
#endif
