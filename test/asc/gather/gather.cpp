// y[i] = x[index[i]], then the even elements of y by GatherMask
#include "kernel_operator.h"

using namespace AscendC;
extern "C" __global__ __aicore__ void gather(GM_ADDR x, GM_ADDR index, GM_ADDR y, GM_ADDR even, uint32_t n)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> inX, inI;
    TQue<TPosition::VECOUT, 1> outY, outE;
    GlobalTensor<half> xGm, yGm, eGm;
    GlobalTensor<int32_t> iGm;
    xGm.SetGlobalBuffer((__gm__ half *)x, n);
    yGm.SetGlobalBuffer((__gm__ half *)y, n);
    eGm.SetGlobalBuffer((__gm__ half *)even, n / 2);
    iGm.SetGlobalBuffer((__gm__ int32_t *)index, n);
    pipe.InitBuffer(inX, 1, n * sizeof(half));
    pipe.InitBuffer(inI, 1, n * sizeof(int32_t));
    pipe.InitBuffer(outY, 1, n * sizeof(half));
    pipe.InitBuffer(outE, 1, n * sizeof(half));
    LocalTensor<half> xl = inX.AllocTensor<half>();
    LocalTensor<int32_t> il = inI.AllocTensor<int32_t>();
    DataCopy(xl, xGm, n);
    DataCopy(il, iGm, n);
    inX.EnQue(xl);
    inI.EnQue(il);
    xl = inX.DeQue<half>();
    il = inI.DeQue<int32_t>();
    LocalTensor<half> yl = outY.AllocTensor<half>(), el = outE.AllocTensor<half>();
    Muls(il, il, (int32_t)sizeof(half), n);
    Gather(yl, xl, il.ReinterpretCast<uint32_t>(), (uint32_t)0, n);
    GatherMaskParams params;
    params.src0BlockStride = 1;
    params.repeatTimes = n / 128;
    params.src0RepeatStride = 8;
    params.src1RepeatStride = 0;
    uint64_t kept = 0;
    GatherMask(el, yl, (uint8_t)1, false, 0, params, kept);
    ASSERT(kept == n / 2);
    outY.EnQue(yl);
    outE.EnQue(el);
    inX.FreeTensor(xl);
    inI.FreeTensor(il);
    yl = outY.DeQue<half>();
    el = outE.DeQue<half>();
    DataCopy(yGm, yl, n);
    DataCopy(eGm, el, n / 2);
    outY.FreeTensor(yl);
    outE.FreeTensor(el);
}
