// the k largest values and their places: Sort32 and merges by the Sort call, then Extract
#include "kernel_operator.h"

using namespace AscendC;
extern "C" __global__ __aicore__ void top_k(GM_ADDR x, GM_ADDR value, GM_ADDR index, uint32_t n, uint32_t k)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> outV, outI;
    TBuf<TPosition::VECCALC> sorted, tmp, iota;
    GlobalTensor<float> xGm, vGm;
    GlobalTensor<uint32_t> iGm;
    xGm.SetGlobalBuffer((__gm__ float *)x, n);
    vGm.SetGlobalBuffer((__gm__ float *)value, k);
    iGm.SetGlobalBuffer((__gm__ uint32_t *)index, k);
    pipe.InitBuffer(in, 1, n * sizeof(float));
    pipe.InitBuffer(outV, 1, n * sizeof(float));
    pipe.InitBuffer(outI, 1, n * sizeof(uint32_t));
    pipe.InitBuffer(sorted, n * 8);
    pipe.InitBuffer(tmp, n * 8);
    pipe.InitBuffer(iota, n * sizeof(int32_t));
    LocalTensor<float> xl = in.AllocTensor<float>();
    DataCopy(xl, xGm, n);
    in.EnQue(xl);
    xl = in.DeQue<float>();
    LocalTensor<int32_t> places = iota.Get<int32_t>();
    CreateVecIndex(places, (int32_t)0, n);
    LocalTensor<float> sl = sorted.Get<float>(), tl = tmp.Get<float>(), cl;
    Concat(cl, xl, tl, n / 16);
    Sort<float, true>(sl, cl, places.ReinterpretCast<uint32_t>(), tl, n / 32);
    LocalTensor<float> vl = outV.AllocTensor<float>();
    LocalTensor<uint32_t> il = outI.AllocTensor<uint32_t>();
    Extract(vl, il, sl, n / 32);
    outV.EnQue(vl);
    outI.EnQue(il);
    in.FreeTensor(xl);
    vl = outV.DeQue<float>();
    il = outI.DeQue<uint32_t>();
    DataCopyPad(vGm, vl, {1, (uint32_t)(k * 4), 0, 0, 0});
    DataCopyPad(iGm, il, {1, (uint32_t)(k * 4), 0, 0, 0});
    outV.FreeTensor(vl);
    outI.FreeTensor(il);
}
