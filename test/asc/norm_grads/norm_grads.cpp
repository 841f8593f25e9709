// deep, batch and group norm, the gradients of layer norm and softmax: m rows of k elements of one type
#include "kernel_operator.h"
using namespace AscendC;
using T = DTYPE_X;

class Norms {
public:
    __aicore__ inline void Run(GM_ADDR xGm, GM_ADDR dyGm, GM_ADDR gammaGm, GM_ADDR betaGm, GM_ADDR outGm, GM_ADDR smallGm,
                               uint32_t m, uint32_t k)
    {
        uint32_t n = m * k;
        out.SetGlobalBuffer((__gm__ T *)outGm);
        small.SetGlobalBuffer((__gm__ T *)smallGm);
        pipe.InitBuffer(buf, (5 * n + 6 * k + 18 * 16) * sizeof(T));
        LocalTensor<T> x = buf.Get<T>(), dy = x[n], d = dy[n], e = d[n], gamma = e[n], beta = gamma[k], mean = beta[k],
                       var = mean[k], front = var[k];
        Load(x, xGm, n);
        Load(dy, dyGm, n);
        Load(gamma, gammaGm, k);
        Load(beta, betaGm, k);
        Duplicate(mean, (T)0, k);
        Duplicate(var, (T)0, k);
        PipeBarrier<PIPE_ALL>();

        DeepNormTiling deep = {};
        deep.bLength = 1;
        deep.sLength = m;
        deep.hLength = deep.originalHLength = k;
        DeepNorm<T>(d, mean, var, x, dy, beta, gamma, (T)0.5f, (T)1e-3f, deep);
        Store(d, n);
        StoreSmall(mean, k);
        StoreSmall(var, k);

        BatchNormTiling batch = {};
        batch.originalBLength = m;
        batch.meanVarSize = k;
        BatchNorm<T>(d, mean, var, x, gamma, beta, (T)1e-3f, batch);
        Store(d, n);
        StoreSmall(mean, k);
        StoreSmall(var, k);

        GroupNormTiling group = {};
        group.n = 2;
        group.c = m / 2;
        group.hw = k;
        group.g = m / 4;
        group.d = 2;
        GroupNorm<T>(d, mean, var, x, gamma, beta, (T)1e-3f, group);
        Store(d, n);

        LayerNormTiling layer = {};
        layer.bLength = 2;
        layer.sLength = m / 2;
        layer.hLength = layer.originalHLength = k;
        LayerNorm<T>(d, mean, var, x, gamma, beta, (T)1e-3f, layer);
        PipeBarrier<PIPE_ALL>();
        LayerNormGradTiling grad = {};
        grad.bLength = 2;
        grad.sLength = m / 2;
        grad.hLength = grad.originalHLength = k;
        LayerNormGrad<T>(d, e, dy, x, var, mean, gamma, (T)1e-3f, grad);
        Store(d, n);
        Store(e, n);
        LayerNormGradBetaTiling gradBeta = {};
        gradBeta.bLength = 2;
        gradBeta.sLength = m / 2;
        gradBeta.hLength = gradBeta.originalHLength = k;
        LayerNormGradBeta<T>(mean, var, e, dy, gradBeta);
        StoreSmall(mean, k);
        StoreSmall(var, k);

        SoftMaxTiling soft = {};
        SoftMaxShapeInfo shape = {m, k, m, k};
        SoftmaxGrad<T>(d, dy, x, soft, false, shape);
        Store(d, n);
        SoftmaxGradFront<T>(front, dy, x, soft, shape);
        SoftmaxGrad<T>(e, dy, x, soft, true, shape);
        PipeBarrier<PIPE_ALL>();
        for (uint32_t r = 0; r < m; r++) {
            mean.SetValue(r, front.GetValue((r + 1) * (32 / sizeof(T)) - 1));
            var.SetValue(r, e.GetValue(r * (32 / sizeof(T))));
        }
        StoreSmall(mean, k);
        StoreSmall(var, k);
    }

private:
    __aicore__ inline void Load(const LocalTensor<T> &to, GM_ADDR from, uint32_t count)
    {
        GlobalTensor<T> g;
        g.SetGlobalBuffer((__gm__ T *)from, count);
        DataCopy(to, g, count);
    }
    __aicore__ inline void Store(const LocalTensor<T> &t, uint32_t count)
    {
        PipeBarrier<PIPE_ALL>();
        DataCopy(out[at], t, count);
        PipeBarrier<PIPE_ALL>();
        at += count;
    }
    __aicore__ inline void StoreSmall(const LocalTensor<T> &t, uint32_t count)
    {
        PipeBarrier<PIPE_ALL>();
        DataCopy(small[smallAt], t, count);
        PipeBarrier<PIPE_ALL>();
        smallAt += count;
    }
    TPipe pipe;
    TBuf<> buf;
    GlobalTensor<T> out, small;
    uint32_t at = 0, smallAt = 0;
};

extern "C" __global__ __aicore__ void norm_grads(GM_ADDR x, GM_ADDR dy, GM_ADDR gamma, GM_ADDR beta, GM_ADDR out,
                                                 GM_ADDR small, uint32_t m, uint32_t k)
{
    Norms op;
    op.Run(x, dy, gamma, beta, out, small, m, k);
}
