// larger of two by Compare and Select; a clamp by CompareScalar; z = x * y + x by operators; casts to s32 and back
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void compare_select(GM_ADDR x, GM_ADDR y, GM_ADDR big, GM_ADDR clamp, GM_ADDR poly, GM_ADDR round, uint32_t n)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    TBuf<> bits, ints;
    GlobalTensor<float> xGm, yGm, g[4];
    xGm.SetGlobalBuffer((__gm__ float *)x, n);
    yGm.SetGlobalBuffer((__gm__ float *)y, n);
    g[0].SetGlobalBuffer((__gm__ float *)big, n);
    g[1].SetGlobalBuffer((__gm__ float *)clamp, n);
    g[2].SetGlobalBuffer((__gm__ float *)poly, n);
    g[3].SetGlobalBuffer((__gm__ float *)round, n);
    pipe.InitBuffer(in, 1, 2 * n * sizeof(float));
    pipe.InitBuffer(out, 1, 4 * n * sizeof(float));
    pipe.InitBuffer(bits, n / 8);
    pipe.InitBuffer(ints, n * sizeof(int32_t));
    LocalTensor<float> xy = in.AllocTensor<float>();
    DataCopy(xy, xGm, n);
    DataCopy(xy[n], yGm, n);
    in.EnQue(xy);
    xy = in.DeQue<float>();
    LocalTensor<float> xl = xy, yl = xy[n], o = out.AllocTensor<float>();
    xl.SetSize(n);
    LocalTensor<uint8_t> b = bits.Get<uint8_t>();
    LocalTensor<int32_t> i32 = ints.Get<int32_t>();
    Compare(b, xl, yl, CMPMODE::GT, n);
    Select(o, b, xl, yl, SELMODE::VSEL_TENSOR_TENSOR_MODE, n);
    CompareScalar(b, xl, 0.5f, CMPMODE::LE, n);
    Select(o[n], b, xl, 0.5f, SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
    LocalTensor<float> p = o[2 * n];
    p.SetSize(n);
    p = xl * yl;
    p = p + xl;
    Cast(i32, xl, RoundMode::CAST_FLOOR, n);
    Cast(o[3 * n], i32, RoundMode::CAST_NONE, n);
    out.EnQue(o);
    in.FreeTensor(xy);
    o = out.DeQue<float>();
    for (int i = 0; i < 4; i++)
        DataCopy(g[i], o[i * n], n);
    out.FreeTensor(o);
}
