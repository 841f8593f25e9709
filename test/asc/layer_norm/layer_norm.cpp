// the LayerNorm library call on half data, rows of 128
#include "kernel_operator.h"

using namespace AscendC;
extern "C" __global__ __aicore__ void layer_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR mean, uint32_t rows)
{
    constexpr uint32_t h = 128, rowsPerBlock = 16;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> inX, inW;
    TQue<TPosition::VECOUT, 1> outY, outMean;
    TBuf<TPosition::VECCALC> var;
    GlobalTensor<half> xGm, gGm, bGm, yGm, mGm;
    uint32_t first = GetBlockIdx() * rowsPerBlock;
    xGm.SetGlobalBuffer((__gm__ half *)x + first * h);
    yGm.SetGlobalBuffer((__gm__ half *)y + first * h);
    mGm.SetGlobalBuffer((__gm__ half *)mean + first);
    gGm.SetGlobalBuffer((__gm__ half *)gamma);
    bGm.SetGlobalBuffer((__gm__ half *)beta);
    pipe.InitBuffer(inX, 1, rowsPerBlock * h * sizeof(half));
    pipe.InitBuffer(inW, 1, 2 * h * sizeof(half));
    pipe.InitBuffer(outY, 1, rowsPerBlock * h * sizeof(half));
    pipe.InitBuffer(outMean, 1, rowsPerBlock * sizeof(half));
    pipe.InitBuffer(var, rowsPerBlock * sizeof(half));
    LocalTensor<half> xl = inX.AllocTensor<half>(), wl = inW.AllocTensor<half>();
    DataCopy(xl, xGm, rowsPerBlock * h);
    DataCopy(wl, gGm, h);
    DataCopy(wl[h], bGm, h);
    inX.EnQue(xl);
    inW.EnQue(wl);
    xl = inX.DeQue<half>();
    wl = inW.DeQue<half>();
    LocalTensor<half> yl = outY.AllocTensor<half>(), ml = outMean.AllocTensor<half>(), vl = var.Get<half>();
    LayerNormTiling tiling = {};
    tiling.bLength = 1;
    tiling.sLength = rowsPerBlock;
    tiling.hLength = tiling.originalHLength = h;
    LayerNorm<half, false>(yl, ml, vl, xl, wl, wl[h], (half)1e-3, tiling);
    outY.EnQue(yl);
    outMean.EnQue(ml);
    inX.FreeTensor(xl);
    inW.FreeTensor(wl);
    yl = outY.DeQue<half>();
    ml = outMean.DeQue<half>();
    DataCopy(yGm, yl, rowsPerBlock * h);
    DataCopy(mGm, ml, rowsPerBlock);
    outY.FreeTensor(yl);
    outMean.FreeTensor(ml);
}
