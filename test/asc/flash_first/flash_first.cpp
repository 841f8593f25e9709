// SoftmaxFlash of rows in two pieces: the second updates the maxima and sums, and says what the first is to be multiplied by
#include "kernel_operator.h"
using namespace AscendC;
using T = DTYPE_X;

extern "C" __global__ __aicore__ void flash_first(GM_ADDR xGm, GM_ADDR outGm, uint32_t m, uint32_t k)
{
    TPipe pipe;
    TBuf<> buf;
    GlobalTensor<T> x, out;
    uint32_t n = m * k, block = 32 / sizeof(T);
    x.SetGlobalBuffer((__gm__ T *)xGm, 2 * n);
    out.SetGlobalBuffer((__gm__ T *)outGm, 2 * n);
    pipe.InitBuffer(buf, 2 * n * sizeof(T) + 3 * m * 32);
    LocalTensor<T> t = buf.Get<T>(), expMax = t[2 * n];
    LocalTensor<float> sum = expMax[m * block].ReinterpretCast<float>(), max = sum[m * 8];
    DataCopy(t, x, 2 * n);
    PipeBarrier<PIPE_ALL>();
    SoftMaxTiling tiling = {};
    SoftMaxShapeInfo shape = {m, k, m, k};
    SoftmaxFlash<T>(t, sum, max, t, expMax, sum, max, tiling, false, shape);
    SoftmaxFlash<T>(t[n], sum, max, t[n], expMax, sum, max, tiling, true, shape);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t r = 0; r < m; r++)
        Muls(t[r * k], t[r * k], expMax.GetValue((r + 1) * block - 1), k);
    PipeBarrier<PIPE_ALL>();
    DataCopy(out, t, 2 * n);
    PipeBarrier<PIPE_ALL>();
}
