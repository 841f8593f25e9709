// SoftMax with its maxima and sums, SimpleSoftMax with given ones, LayerNorm, RmsNorm: rows of k floats
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void norms(GM_ADDR xGm, GM_ADDR outGm, uint32_t m, uint32_t k)
{
    TPipe pipe;
    TBuf<> buf;
    GlobalTensor<float> x, out;
    uint32_t n = m * k;
    x.SetGlobalBuffer((__gm__ float *)xGm, n);
    out.SetGlobalBuffer((__gm__ float *)outGm);
    pipe.InitBuffer(buf, (3 * n + 2 * 8 * m + 2 * k + 16 * m) * sizeof(float));
    LocalTensor<float> s = buf.Get<float>(), d = s[n], gamma = s[3 * n], beta = gamma[k], max = beta[k], sum = max[8 * m],
                       mean = sum[8 * m], var = mean[8 * m];
    DataCopy(s, x, n);
    PipeBarrier<PIPE_ALL>();
    SoftMaxTiling tiling = {};
    SoftMaxShapeInfo shape = {m, k, m, k};
    SoftMax<float>(d, sum, max, s, tiling, shape);
    PipeBarrier<PIPE_ALL>();
    DataCopy(out, d, n);
    PipeBarrier<PIPE_ALL>();
    SimpleSoftMax<float>(d, sum, max, s, tiling, shape);
    PipeBarrier<PIPE_ALL>();
    DataCopy(out[n], d, n);
    PipeBarrier<PIPE_ALL>();
    Duplicate(gamma, 2.0f, k);
    Duplicate(beta, 0.5f, k);
    LayerNormTiling norm = {};
    norm.bLength = 1;
    norm.sLength = m;
    norm.hLength = k;
    norm.originalHLength = k;
    LayerNorm<float>(d, mean, var, s, gamma, beta, 1e-5f, norm);
    PipeBarrier<PIPE_ALL>();
    DataCopy(out[2 * n], d, n);
    PipeBarrier<PIPE_ALL>();
    RmsNormTiling rms = {};
    rms.bLength = 1;
    rms.sLength = m;
    rms.hLength = k;
    rms.originalHLength = k;
    RmsNorm<float>(d, s, gamma, 1e-5f, rms);
    PipeBarrier<PIPE_ALL>();
    DataCopy(out[3 * n], d, n);
    PipeBarrier<PIPE_ALL>();
}
