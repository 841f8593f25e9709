// three ways to a sum: ReduceSum of all, WholeReduceSum per repeat, BlockReduceSum per block; and the place of the maximum
#include "kernel_operator.h"

using namespace AscendC;
extern "C" __global__ __aicore__ void reduce_sum(GM_ADDR x, GM_ADDR all, GM_ADDR whole, GM_ADDR block, GM_ADDR best, uint32_t n)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> outAll, outWhole, outBlock, outBest;
    TBuf<> tmp;
    GlobalTensor<float> xGm, aGm, wGm, bGm, mGm;
    uint32_t repeats = n / 64;
    xGm.SetGlobalBuffer((__gm__ float *)x, n);
    aGm.SetGlobalBuffer((__gm__ float *)all);
    wGm.SetGlobalBuffer((__gm__ float *)whole);
    bGm.SetGlobalBuffer((__gm__ float *)block);
    mGm.SetGlobalBuffer((__gm__ float *)best);
    pipe.InitBuffer(in, 1, n * sizeof(float));
    pipe.InitBuffer(outAll, 1, 32);
    pipe.InitBuffer(outWhole, 1, repeats * sizeof(float));
    pipe.InitBuffer(outBlock, 1, repeats * 8 * sizeof(float));
    pipe.InitBuffer(outBest, 1, 32);
    pipe.InitBuffer(tmp, n * sizeof(float));
    LocalTensor<float> xl = in.AllocTensor<float>();
    DataCopy(xl, xGm, n);
    in.EnQue(xl);
    xl = in.DeQue<float>();
    LocalTensor<float> al = outAll.AllocTensor<float>(), wl = outWhole.AllocTensor<float>(), bl = outBlock.AllocTensor<float>(),
                       ml = outBest.AllocTensor<float>(), tl = tmp.Get<float>();
    Duplicate(al, 0.0f, 8);
    Duplicate(ml, 0.0f, 8);
    ReduceSum<float>(al, xl, tl, n);
    WholeReduceSum<float>(wl, xl, 64, repeats, 1, 1, 8);
    uint64_t mask[2] = {UINT64_MAX, 0};
    BlockReduceSum<float>(bl, xl, repeats, mask, 1, 1, 8);
    ReduceMax<float>(ml, xl, tl, n, true);
    uint32_t index = ml.ReinterpretCast<uint32_t>().GetValue(1);
    ml.SetValue(1, (float)index);
    outAll.EnQue(al);
    outWhole.EnQue(wl);
    outBlock.EnQue(bl);
    outBest.EnQue(ml);
    in.FreeTensor(xl);
    al = outAll.DeQue<float>();
    wl = outWhole.DeQue<float>();
    bl = outBlock.DeQue<float>();
    ml = outBest.DeQue<float>();
    DataCopy(aGm, al, 8);
    DataCopy(wGm, wl, repeats);
    DataCopy(bGm, bl, repeats * 8);
    DataCopy(mGm, ml, 8);
    outAll.FreeTensor(al);
    outWhole.FreeTensor(wl);
    outBlock.FreeTensor(bl);
    outBest.FreeTensor(ml);
}
