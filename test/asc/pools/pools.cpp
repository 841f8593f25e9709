// TBufPool: a sum and a difference, one stage after the other in the same memory; x stays in the pool around both
#include "kernel_operator.h"
using namespace AscendC;

class Pools {
public:
    __aicore__ inline void Init(GM_ADDR xGm, GM_ADDR yGm, GM_ADDR wGm, GM_ADDR outGm, uint32_t n, uint32_t tile, TPipe *pipe)
    {
        this->pipe = pipe;
        this->n = n;
        this->tile = tile;
        x.SetGlobalBuffer((__gm__ float *)xGm, n);
        y.SetGlobalBuffer((__gm__ float *)yGm, n);
        w.SetGlobalBuffer((__gm__ float *)wGm, n);
        out.SetGlobalBuffer((__gm__ float *)outGm, 3 * n);
    }
    __aicore__ inline void Process()
    {
        uint32_t bytes = tile * sizeof(float);
        pipe->InitBufPool(all, 3 * bytes);
        all.InitBuffer(xQue, 1, bytes);
        all.InitBufPool(first, 2 * bytes);
        all.InitBufPool(second, 2 * bytes - 20, first);
        for (uint32_t at = 0; at < n; at += tile) {
            LocalTensor<float> in = xQue.AllocTensor<float>();
            DataCopy(in, x[at], tile);
            xQue.EnQue(in);
            in = xQue.DeQue<float>();
            first.InitBuffer(yQue, 1, bytes);
            first.InitBuffer(sumQue, 1, bytes);
            Stage(yQue, sumQue, y[at], out[at], in, 1.0f);
            first.Reset();
            second.InitBuffer(wQue, 1, bytes);
            second.InitBuffer(differenceQue, 1, bytes);
            Stage(wQue, differenceQue, w[at], out[n + at], in, -1.0f);
            second.Reset();
            xQue.FreeTensor(in);
        }
        all.Reset();
        // the whole once more, halved: a pool that shares with one of the pipe, and a plain buffer in it
        TBufPool<TPosition::VECCALC, 2> again;
        TQue<TPosition::VECIN, 1> in;
        TBuf<TPosition::VECCALC> half;
        pipe->InitBufPool(again, 2 * bytes, all);
        again.InitBuffer(in, 1, bytes);
        again.InitBuffer(half, bytes);
        for (uint32_t at = 0; at < n; at += tile) {
            LocalTensor<float> t = in.AllocTensor<float>(), h = half.Get<float>();
            DataCopy(t, x[at], tile);
            in.EnQue(t);
            t = in.DeQue<float>();
            Muls(h, t, 0.5f, tile);
            in.FreeTensor(t);
            PipeBarrier<PIPE_ALL>();
            DataCopy(out[2 * n + at], h, tile);
            PipeBarrier<PIPE_ALL>();
        }
        again.Reset();
        pipe->Reset();
    }

private:
    __aicore__ inline void Stage(TQue<TPosition::VECIN, 1> &in, TQue<TPosition::VECOUT, 1> &result,
                                 const GlobalTensor<float> &from, const GlobalTensor<float> &to,
                                 const LocalTensor<float> &with, float factor)
    {
        LocalTensor<float> t = in.AllocTensor<float>();
        ASSERT(t.GetPhyAddrOf() == with.GetPhyAddrOf() + tile * sizeof(float));
        DataCopy(t, from, tile);
        in.EnQue(t);
        t = in.DeQue<float>();
        LocalTensor<float> r = result.AllocTensor<float>();
        Muls(t, t, factor, tile);
        Add(r, with, t, tile);
        in.FreeTensor(t);
        result.EnQue(r);
        r = result.DeQue<float>();
        DataCopy(to, r, tile);
        result.FreeTensor(r);
    }
    TPipe *pipe;
    TBufPool<TPosition::VECCALC> all, first, second;
    TQue<TPosition::VECIN, 1> xQue, yQue, wQue;
    TQue<TPosition::VECOUT, 1> sumQue, differenceQue;
    GlobalTensor<float> x, y, w, out;
    uint32_t n, tile;
};

extern "C" __global__ __aicore__ void pools(GM_ADDR x, GM_ADDR y, GM_ADDR w, GM_ADDR out, uint32_t n, uint32_t tile)
{
    TPipe pipe;
    Pools op;
    op.Init(x, y, w, out, n, tile, &pipe);
    op.Process();
}
