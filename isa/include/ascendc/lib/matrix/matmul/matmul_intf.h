/* matmul.h - see matmul_intf.h. */
#include "lib/matmul_intf.h"
