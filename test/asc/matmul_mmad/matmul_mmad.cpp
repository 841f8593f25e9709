// C = A * B + bias by hand on the cube core: GM to L1 as NZ, L1 to L0 by LoadData, Mmad over K in steps, Fixpipe to rows
#include "kernel_operator.h"

class KernelMatmul {
public:
    __aicore__ inline KernelMatmul() {}
    __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c)
    {
        aGM.SetGlobalBuffer((__gm__ half *)a);
        bGM.SetGlobalBuffer((__gm__ half *)b);
        biasGM.SetGlobalBuffer((__gm__ float *)bias);
        cGM.SetGlobalBuffer((__gm__ float *)c);
        pipe.InitBuffer(inQueueA1, 1, m * k * sizeof(half));
        pipe.InitBuffer(inQueueB1, 1, k * n * sizeof(half));
        pipe.InitBuffer(inQueueA2, 2, m * kStep * sizeof(half));
        pipe.InitBuffer(inQueueB2, 2, kStep * n * sizeof(half));
        pipe.InitBuffer(inQueueC1, 1, n * sizeof(float));
        pipe.InitBuffer(inQueueC2, 1, n * sizeof(float));
        pipe.InitBuffer(outQueueCO1, 1, m * n * sizeof(float));
    }
    __aicore__ inline void Process()
    {
        CopyIn();
        AscendC::LocalTensor<half> a1 = inQueueA1.DeQue<half>();
        AscendC::LocalTensor<half> b1 = inQueueB1.DeQue<half>();
        AscendC::LocalTensor<float> c1 = outQueueCO1.AllocTensor<float>();
        SplitBias();
        AscendC::LocalTensor<float> bias = inQueueC2.DeQue<float>();
        for (uint32_t i = 0; i < k / kStep; i++) {
            Split(a1, b1, i);
            Compute(c1, bias, i);
        }
        outQueueCO1.EnQue<float>(c1);
        inQueueA1.FreeTensor(a1);
        inQueueB1.FreeTensor(b1);
        inQueueC2.FreeTensor(bias);
        CopyOut();
    }

private:
    __aicore__ inline void CopyIn()
    {
        AscendC::LocalTensor<half> a1 = inQueueA1.AllocTensor<half>();
        AscendC::LocalTensor<half> b1 = inQueueB1.AllocTensor<half>();
        AscendC::LocalTensor<float> biasL1 = inQueueC1.AllocTensor<float>();
        AscendC::Nd2NzParams p;
        p.ndNum = 1;
        p.nValue = m;
        p.dValue = k;
        p.srcNdMatrixStride = 0;
        p.srcDValue = k;
        p.dstNzC0Stride = m;
        p.dstNzNStride = 1;
        p.dstNzMatrixStride = 0;
        AscendC::DataCopy(a1, aGM, p);
        p.nValue = k;
        p.dValue = n;
        p.srcDValue = n;
        p.dstNzC0Stride = k;
        AscendC::DataCopy(b1, bGM, p);
        AscendC::DataCopy(biasL1, biasGM, n);
        inQueueA1.EnQue(a1);
        inQueueB1.EnQue(b1);
        inQueueC1.EnQue(biasL1);
    }
    __aicore__ inline void SplitBias()
    {
        AscendC::LocalTensor<float> biasL1 = inQueueC1.DeQue<float>();
        AscendC::LocalTensor<float> biasC2 = inQueueC2.AllocTensor<float>();
        AscendC::DataCopy(biasC2, biasL1, {1, (uint16_t)(n * sizeof(float) / 64), 0, 0});
        inQueueC2.EnQue<float>(biasC2);
        inQueueC1.FreeTensor(biasL1);
    }
    __aicore__ inline void Split(const AscendC::LocalTensor<half> &a1, const AscendC::LocalTensor<half> &b1, uint32_t step)
    {
        AscendC::LocalTensor<half> a2 = inQueueA2.AllocTensor<half>();
        AscendC::LocalTensor<half> b2 = inQueueB2.AllocTensor<half>();
        AscendC::LoadData2DParams pa;
        pa.repeatTimes = kStep / 16;
        pa.srcStride = m / 16;
        pa.ifTranspose = false;
        for (uint32_t i = 0; i < m / 16; i++) {
            AscendC::LoadData(a2[i * 16 * kStep], a1[step * kStep * m + i * 256], pa);
        }
        AscendC::LoadData2DParams pb;
        pb.repeatTimes = n / 16;
        pb.srcStride = k / 16;
        pb.ifTranspose = true;
        for (uint32_t i = 0; i < kStep / 16; i++) {
            AscendC::LoadData(b2[i * 16 * n], b1[(step * kStep / 16 + i) * 256], pb);
        }
        inQueueA2.EnQue<half>(a2);
        inQueueB2.EnQue<half>(b2);
    }
    __aicore__ inline void Compute(const AscendC::LocalTensor<float> &c1, const AscendC::LocalTensor<float> &bias, uint32_t step)
    {
        AscendC::LocalTensor<half> a2 = inQueueA2.DeQue<half>();
        AscendC::LocalTensor<half> b2 = inQueueB2.DeQue<half>();
        AscendC::MmadParams p;
        p.m = m;
        p.n = n;
        p.k = kStep;
        p.cmatrixInitVal = false;
        if (step == 0)
            AscendC::Mmad(c1, a2, b2, bias, p);
        else
            AscendC::Mmad(c1, a2, b2, p);
        AscendC::PipeBarrier<PIPE_M>();
        inQueueA2.FreeTensor(a2);
        inQueueB2.FreeTensor(b2);
    }
    __aicore__ inline void CopyOut()
    {
        AscendC::LocalTensor<float> c1 = outQueueCO1.DeQue<float>();
        AscendC::FixpipeParamsV220 p;
        p.nSize = n;
        p.mSize = m;
        p.srcStride = m;
        p.dstStride = n;
        p.ndNum = 1;
        p.srcNdStride = 0;
        p.dstNdStride = 0;
        AscendC::Fixpipe(cGM, c1, p);
        outQueueCO1.FreeTensor(c1);
    }
    static constexpr uint16_t m = 64, k = 128, n = 96, kStep = 32;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::A1, 1> inQueueA1;
    AscendC::TQue<AscendC::TPosition::A2, 1> inQueueA2;
    AscendC::TQue<AscendC::TPosition::B1, 1> inQueueB1;
    AscendC::TQue<AscendC::TPosition::B2, 1> inQueueB2;
    AscendC::TQue<AscendC::TPosition::C1, 1> inQueueC1;
    AscendC::TQue<AscendC::TPosition::C2, 1> inQueueC2;
    AscendC::TQue<AscendC::TPosition::CO1, 1> outQueueCO1;
    AscendC::GlobalTensor<half> aGM, bGM;
    AscendC::GlobalTensor<float> biasGM, cGM;
};

extern "C" __global__ __aicore__ void matmul_mmad(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    KernelMatmul op;
    op.Init(a, b, bias, c);
    op.Process();
}
