/* kernel_type.h - named by public sources; everything is in kernel_operator.h. */
#ifndef VINCI_FORWARD_INTERFACE_KERNEL_TYPE_H
#define VINCI_FORWARD_INTERFACE_KERNEL_TYPE_H
#include "kernel_operator.h"
#endif
