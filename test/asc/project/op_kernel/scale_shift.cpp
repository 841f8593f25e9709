// y = alpha x + beta in the shape of an operator project: the tiling struct is defined by the host side alone, the
// tiling key says the element type, the kernel template lies in a header of its own
#include "scale_shift.h"

extern "C" __global__ __aicore__ void scale_shift(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(tilingData, tiling);
    GM_ADDR usrWorkspace = GetUserWorkspace(workspace);
    if (usrWorkspace == nullptr) {
        return;
    }
    if (TILING_KEY_IS(1)) {
        ScaleShift::Kernel<float> op(x, y, &tilingData);
        op.Process();
    } else if (TILING_KEY_IS(2)) {
        ScaleShift::Kernel<float16_t> op(x, y, &tilingData);
        op.Process();
    } else if (TILING_KEY_IS(3)) {
        static_assert(sizeof(DTYPE_X) == sizeof(DTYPE_Y), "as the operator's definition says");
        ScaleShift::Kernel<DTYPE_X> op(x, y, &tilingData);
        op.Process();
    }
}
