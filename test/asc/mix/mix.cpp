// a mixed kernel: vector cores make x + 1, the cube core brings it through L1, the vector cores double what it left
#include "kernel_operator.h"
using namespace AscendC;

// elements per block; each of its vector cores has half
constexpr uint32_t N = 512;

extern "C" __global__ __aicore__ void mix(GM_ADDR x, GM_ADDR middle, GM_ADDR out)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    GlobalTensor<float> g, m, o;
    uint32_t block = GetBlockIdx();
    if ASCEND_IS_AIV
        block /= GetTaskRatio();
    g.SetGlobalBuffer((__gm__ float *)x + block * N, N);
    m.SetGlobalBuffer((__gm__ float *)middle + block * 2 * N, 2 * N);
    o.SetGlobalBuffer((__gm__ float *)out + block * N, N);
    if ASCEND_IS_AIV {
        uint32_t half = N / 2, at = GetSubBlockIdx() * half;
        ASSERT(GetTaskRatio() == 2);
        TBuf<> buf;
        pipe.InitBuffer(buf, half * sizeof(float));
        LocalTensor<float> t = buf.Get<float>();
        DataCopy(t, g[at], half);
        PipeBarrier<PIPE_ALL>();
        Adds(t, t, 1.0f, half);
        PipeBarrier<PIPE_ALL>();
        DataCopy(m[at], t, half);
        CrossCoreSetFlag<0x2, PIPE_MTE3>(3);
        CrossCoreWaitFlag(4);
        DataCopy(t, m[N + at], half);
        PipeBarrier<PIPE_ALL>();
        Muls(t, t, 2.0f, half);
        PipeBarrier<PIPE_ALL>();
        DataCopy(o[at], t, half);
        PipeBarrier<PIPE_ALL>();
    }
    if ASCEND_IS_AIC {
        TBuf<TPosition::A1> l1;
        pipe.InitBuffer(l1, N * sizeof(float));
        LocalTensor<float> t = l1.Get<float>();
        CrossCoreWaitFlag(3);
        DataCopy(t, m, N);
        PipeBarrier<PIPE_ALL>();
        DataCopy(m[N], t, N);
        CrossCoreSetFlag<0x2, PIPE_MTE3>(4);
    }
}
