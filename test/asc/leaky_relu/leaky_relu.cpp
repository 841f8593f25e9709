// y = x >= 0 ? x : slope * x, with the slope as a kernel argument
#include "kernel_operator.h"
using namespace AscendC;

class KernelLeakyRelu {
public:
    __aicore__ inline KernelLeakyRelu() {}
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t total, float slope)
    {
        ASSERT(GetBlockNum() != 0 && "block dim can not be zero!");
        blockLength = total / GetBlockNum();
        this->slope = static_cast<half>(slope);
        xGm.SetGlobalBuffer((__gm__ half *)x + blockLength * GetBlockIdx(), blockLength);
        yGm.SetGlobalBuffer((__gm__ half *)y + blockLength * GetBlockIdx(), blockLength);
        pipe.InitBuffer(inQueueX, 2, TILE * sizeof(half));
        pipe.InitBuffer(outQueueY, 2, TILE * sizeof(half));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t i = 0; i < blockLength / TILE; i++) {
            CopyIn(i);
            Compute(i);
            CopyOut(i);
        }
    }

private:
    static constexpr uint32_t TILE = 512;
    __aicore__ inline void CopyIn(uint32_t i)
    {
        LocalTensor<half> xLocal = inQueueX.AllocTensor<half>();
        DataCopy(xLocal, xGm[i * TILE], TILE);
        inQueueX.EnQue(xLocal);
    }
    __aicore__ inline void Compute(uint32_t i)
    {
        LocalTensor<half> xLocal = inQueueX.DeQue<half>();
        LocalTensor<half> yLocal = outQueueY.AllocTensor<half>();
        LeakyRelu(yLocal, xLocal, slope, TILE);
        outQueueY.EnQue<half>(yLocal);
        inQueueX.FreeTensor(xLocal);
    }
    __aicore__ inline void CopyOut(uint32_t i)
    {
        LocalTensor<half> yLocal = outQueueY.DeQue<half>();
        DataCopy(yGm[i * TILE], yLocal, TILE);
        outQueueY.FreeTensor(yLocal);
    }
    TPipe pipe;
    TQue<TPosition::VECIN, 2> inQueueX;
    TQue<TPosition::VECOUT, 2> outQueueY;
    GlobalTensor<half> xGm, yGm;
    uint32_t blockLength;
    half slope;
};

extern "C" __global__ __aicore__ void leaky_relu(GM_ADDR x, GM_ADDR y, uint32_t total, float slope)
{
    KernelLeakyRelu op;
    op.Init(x, y, total, slope);
    op.Process();
}
