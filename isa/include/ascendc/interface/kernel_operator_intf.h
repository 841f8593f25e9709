/* kernel_operator_intf.h - named by public sources; everything is in kernel_operator.h. */
#ifndef VINCI_FORWARD_INTERFACE_KERNEL_OPERATOR_INTF_H
#define VINCI_FORWARD_INTERFACE_KERNEL_OPERATOR_INTF_H
#include "kernel_operator.h"
#endif
