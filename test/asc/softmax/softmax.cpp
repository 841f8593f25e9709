// rows of a float matrix, one row at a time; k is any number up to the buffer
#include "kernel_operator.h"

using namespace AscendC;
class KernelSoftmax {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t k, TPipe *pipe)
    {
        this->rows = rows;
        this->k = k;
        xGm.SetGlobalBuffer((__gm__ float *)x, rows * k);
        yGm.SetGlobalBuffer((__gm__ float *)y, rows * k);
        uint32_t bytes = (k * sizeof(float) + 31) / 32 * 32;
        pipe->InitBuffer(inQueue, 1, bytes);
        pipe->InitBuffer(outQueue, 1, bytes);
        pipe->InitBuffer(workBuf, bytes);
        pipe->InitBuffer(oneBuf, 32);
    }
    __aicore__ inline void Process()
    {
        for (uint32_t r = GetBlockIdx(); r < rows; r += GetBlockNum())
            Row(r);
    }

private:
    __aicore__ inline void Row(uint32_t r)
    {
        LocalTensor<float> x = inQueue.AllocTensor<float>();
        DataCopyPad(x, xGm[r * k], {1, (uint32_t)(k * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0});
        inQueue.EnQue(x);
        x = inQueue.DeQue<float>();
        LocalTensor<float> y = outQueue.AllocTensor<float>();
        LocalTensor<float> work = workBuf.Get<float>();
        LocalTensor<float> one = oneBuf.Get<float>();
        ReduceMax(one, x, work, k, false);
        float top = one.GetValue(0);
        Adds(y, x, -top, k);
        Exp(y, y, k);
        ReduceSum(one, y, work, k);
        float sum = one(0);
        Muls(y, y, 1.0f / sum, k);
        outQueue.EnQue(y);
        inQueue.FreeTensor(x);
        y = outQueue.DeQue<float>();
        DataCopyPad(yGm[r * k], y, {1, (uint32_t)(k * sizeof(float)), 0, 0, 0});
        outQueue.FreeTensor(y);
    }
    TQue<QuePosition::VECIN, 1> inQueue;
    TQue<QuePosition::VECOUT, 1> outQueue;
    TBuf<TPosition::VECCALC> workBuf, oneBuf;
    GlobalTensor<float> xGm, yGm;
    uint32_t rows, k;
};

extern "C" __global__ __aicore__ void softmax(GM_ADDR x, GM_ADDR y, uint32_t rows, uint32_t k)
{
    TPipe pipe;
    KernelSoftmax op;
    op.Init(x, y, rows, k, &pipe);
    op.Process();
}
