// a kernel that takes a struct by value
#include "kernel_operator.h"
#include "shape.h"

extern "C" __global__ __aicore__ void negate(GM_ADDR x, GM_ADDR y, Shape shape)
{
    AscendC::GlobalTensor<float> in, out;
    uint32_t count = RowsPerBlock(shape, AscendC::GetBlockNum()) * shape.columns;
    in.SetGlobalBuffer((__gm__ float *)x + count * AscendC::GetBlockIdx());
    out.SetGlobalBuffer((__gm__ float *)y + count * AscendC::GetBlockIdx());
    for (uint32_t i = 0; i < count; i++)
        out.SetValue(i, -in.GetValue(i));
    dcci((__gm__ void *)out.GetPhyAddr(), 1, 2);
}
