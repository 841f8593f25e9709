/* kernel_basic_intf.h - named by public sources; everything is in kernel_operator.h. */
#ifndef VINCI_FORWARD_KERNEL_BASIC_INTF_H
#define VINCI_FORWARD_KERNEL_BASIC_INTF_H
#include "kernel_operator.h"
#endif
