// library calls on half data: sigmoid, tanh, gelu, sin, erf
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void activations(GM_ADDR x, GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR d, GM_ADDR e, uint32_t n)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 2> out;
    GlobalTensor<float> xGm, g[5];
    xGm.SetGlobalBuffer((__gm__ float *)x, n);
    g[0].SetGlobalBuffer((__gm__ float *)a, n);
    g[1].SetGlobalBuffer((__gm__ float *)b, n);
    g[2].SetGlobalBuffer((__gm__ float *)c, n);
    g[3].SetGlobalBuffer((__gm__ float *)d, n);
    g[4].SetGlobalBuffer((__gm__ float *)e, n);
    pipe.InitBuffer(in, 1, n * sizeof(float));
    pipe.InitBuffer(out, 2, n * sizeof(float));
    LocalTensor<float> xl = in.AllocTensor<float>();
    DataCopy(xl, xGm, n);
    in.EnQue(xl);
    xl = in.DeQue<float>();
    for (int i = 0; i < 5; i++) {
        LocalTensor<float> y = out.AllocTensor<float>();
        switch (i) {
        case 0: Sigmoid<float>(y, xl, n); break;
        case 1: Tanh<float>(y, xl, n); break;
        case 2: Gelu<float>(y, xl, n); break;
        case 3: Sin<float>(y, xl, n); break;
        default: Erf<float>(y, xl, n); break;
        }
        out.EnQue(y);
        y = out.DeQue<float>();
        DataCopy(g[i], y, n);
        out.FreeTensor(y);
    }
    in.FreeTensor(xl);
}
