// a running total from block to block: each waits for the one before it, adds its own part and tells the next
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void handshake(GM_ADDR x, GM_ADDR total, GM_ADDR flags, uint32_t n)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out, flagQue;
    TBuf<> work;
    GlobalTensor<float> xGm, totalGm;
    GlobalTensor<int32_t> flagGm;
    uint32_t id = GetBlockIdx(), last = GetBlockNum() - 1;
    xGm.SetGlobalBuffer((__gm__ float *)x + id * n, n);
    totalGm.SetGlobalBuffer((__gm__ float *)total);
    flagGm.SetGlobalBuffer((__gm__ int32_t *)flags);
    pipe.InitBuffer(in, 2, n * sizeof(float));
    pipe.InitBuffer(out, 1, n * sizeof(float));
    pipe.InitBuffer(flagQue, 1, 32);
    LocalTensor<int32_t> flag = flagQue.AllocTensor<int32_t>();
    LocalTensor<float> own = in.AllocTensor<float>();
    DataCopy(own, xGm, n);
    in.EnQue(own);
    own = in.DeQue<float>();
    LocalTensor<float> sum = out.AllocTensor<float>();
    // event 1, to use more than the first slots; twice, so that a slot is used again
    for (int32_t round = 0; round < 2; round++) {
        if (id > 0) {
            IBWait(flagGm, flag, id - 1, 1);
        } else if (round > 0) {
            IBWait(flagGm, flag, last, 1);
        }
        LocalTensor<float> before = in.AllocTensor<float>();
        DataCopy(before, totalGm, n);
        in.EnQue(before);
        before = in.DeQue<float>();
        Add(sum, before, own, n);
        in.FreeTensor(before);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(totalGm, sum, n);
        if (id < last || round == 0) {
            IBSet(flagGm, flag, id, 1);
        }
    }
    in.FreeTensor(own);
    out.FreeTensor(sum);
    flagQue.FreeTensor(flag);
}
