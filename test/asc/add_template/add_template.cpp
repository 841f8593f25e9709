// z = x + y for any element type and length: the tail goes by DataCopyPad
#include "kernel_operator.h"

struct AddTiling {
    uint32_t total;
    uint32_t tile;
};

template <typename T> class KernelAddTail {
public:
    __aicore__ inline KernelAddTail() {}
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, const AddTiling &t, AscendC::TPipe *pipe)
    {
        uint32_t blocks = AscendC::GetBlockNum(), id = AscendC::GetBlockIdx();
        uint32_t share = (t.total + blocks - 1) / blocks;
        start = share * id < t.total ? share * id : t.total;
        length = t.total - start < share ? t.total - start : share;
        tile = t.tile;
        xGm.SetGlobalBuffer((__gm__ T *)x + start, length);
        yGm.SetGlobalBuffer((__gm__ T *)y + start, length);
        zGm.SetGlobalBuffer((__gm__ T *)z + start, length);
        pipe->InitBuffer(inX, 2, tile * sizeof(T));
        pipe->InitBuffer(inY, 2, tile * sizeof(T));
        pipe->InitBuffer(outZ, 2, tile * sizeof(T));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t at = 0; at < length; at += tile) {
            uint32_t n = length - at < tile ? length - at : tile;
            CopyIn(at, n);
            Compute(n);
            CopyOut(at, n);
        }
    }

private:
    __aicore__ inline void CopyIn(uint32_t at, uint32_t n)
    {
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        AscendC::LocalTensor<T> y = inY.template AllocTensor<T>();
        AscendC::DataCopyExtParams p{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
        AscendC::DataCopyPadExtParams<T> pad{false, 0, 0, 0};
        AscendC::DataCopyPad(x, xGm[at], p, pad);
        AscendC::DataCopyPad(y, yGm[at], p, pad);
        inX.EnQue(x);
        inY.EnQue(y);
    }
    __aicore__ inline void Compute(uint32_t n)
    {
        AscendC::LocalTensor<T> x = inX.template DeQue<T>();
        AscendC::LocalTensor<T> y = inY.template DeQue<T>();
        AscendC::LocalTensor<T> z = outZ.template AllocTensor<T>();
        AscendC::Add(z, x, y, n);
        outZ.EnQue(z);
        inX.FreeTensor(x);
        inY.FreeTensor(y);
    }
    __aicore__ inline void CopyOut(uint32_t at, uint32_t n)
    {
        AscendC::LocalTensor<T> z = outZ.template DeQue<T>();
        AscendC::DataCopyExtParams p{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
        AscendC::DataCopyPad(zGm[at], z, p);
        outZ.FreeTensor(z);
    }
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX, inY;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outZ;
    AscendC::GlobalTensor<T> xGm, yGm, zGm;
    uint32_t start, length, tile;
};

extern "C" __global__ __aicore__ void add_tail(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(AddTiling, t, tiling);
    AscendC::TPipe pipe;
    KernelAddTail<int32_t> op;
    op.Init(x, y, z, t, &pipe);
    op.Process();
}
