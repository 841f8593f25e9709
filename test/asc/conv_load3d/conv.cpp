// a 3 x 3 convolution with padding 1: LoadData 3D makes the matrix of patches from NC1HWC0 in L1
#include "kernel_operator.h"

using namespace AscendC;
extern "C" __global__ __aicore__ void conv(GM_ADDR fm, GM_ADDR weight, GM_ADDR out)
{
    constexpr uint16_t h = 8, w = 8, c = 32, kh = 3, kw = 3, cout = 32, c0 = 16;
    constexpr uint16_t m = h * w, k = c * kh * kw;
    TPipe pipe;
    TQue<TPosition::A1, 1> qa1;
    TQue<TPosition::A2, 1> qa2;
    TQue<TPosition::B1, 1> qb1;
    TQue<TPosition::B2, 1> qb2;
    TQue<TPosition::CO1, 1> qc;
    GlobalTensor<half> fmGm, wGm;
    GlobalTensor<float> outGm;
    fmGm.SetGlobalBuffer((__gm__ half *)fm);
    wGm.SetGlobalBuffer((__gm__ half *)weight);
    outGm.SetGlobalBuffer((__gm__ float *)out);
    pipe.InitBuffer(qa1, 1, h * w * c * sizeof(half));
    pipe.InitBuffer(qa2, 1, m * k * sizeof(half));
    pipe.InitBuffer(qb1, 1, k * cout * sizeof(half));
    pipe.InitBuffer(qb2, 1, k * cout * sizeof(half));
    pipe.InitBuffer(qc, 1, m * cout * sizeof(float));
    LocalTensor<half> a1 = qa1.AllocTensor<half>(), b1 = qb1.AllocTensor<half>();
    DataCopy(a1, fmGm, h * w * c);
    DataCopy(b1, wGm, k * cout); // FRACTAL_Z: [C1 * Kh * Kw, N1, N0, C0], which is the order of L0B
    qa1.EnQue(a1);
    qb1.EnQue(b1);
    a1 = qa1.DeQue<half>();
    b1 = qb1.DeQue<half>();
    LocalTensor<half> a2 = qa2.AllocTensor<half>(), b2 = qb2.AllocTensor<half>();
    uint8_t pad[4] = {1, 1, 1, 1};
    LoadData3DParamsV2<half> p(pad, h, w, c, k, m, 0, 0, 1, 1, kw, kh, 1, 1, false, false, (half)0);
    LoadData(a2, a1, p);
    LoadData(b2, b1, LoadData2DParams(0, k / c0 * cout / 16, 1, 0, 0, false, 0));
    qa2.EnQue(a2);
    qb2.EnQue(b2);
    a2 = qa2.DeQue<half>();
    b2 = qb2.DeQue<half>();
    LocalTensor<float> cl = qc.AllocTensor<float>();
    MmadParams mp;
    mp.m = m;
    mp.n = cout;
    mp.k = k;
    Mmad(cl, a2, b2, mp);
    qc.EnQue(cl);
    qa1.FreeTensor(a1);
    qb1.FreeTensor(b1);
    qa2.FreeTensor(a2);
    qb2.FreeTensor(b2);
    cl = qc.DeQue<float>();
    FixpipeParamsV220 fp(cout, m, m, cout, false);
    Fixpipe<float, float, CFG_ROW_MAJOR>(outGm, cl, fp);
    qc.FreeTensor(cl);
}
