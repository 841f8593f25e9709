// rows.h - for kernels that hold calls against a golden program: every step writes one row of n elements to `out`
#ifndef TEST_ASC_ROWS_H
#define TEST_ASC_ROWS_H
#include "kernel_operator.h"

template <typename T> class Rows {
public:
    __aicore__ inline Rows(GM_ADDR xGm, GM_ADDR yGm, GM_ADDR outGm, uint32_t n) : n(n)
    {
        AscendC::GlobalTensor<T> g;
        pipe.InitBuffer(bufs, 4 * n * sizeof(T));
        x = bufs.Get<T>();
        y = x[n];
        d = x[2 * n];
        w = x[3 * n];
        for (auto t : {&x, &y, &d, &w})
            t->SetSize(n);
        out.SetGlobalBuffer((__gm__ T *)outGm);
        g.SetGlobalBuffer((__gm__ T *)xGm, n);
        AscendC::DataCopy(x, g, n);
        g.SetGlobalBuffer((__gm__ T *)yGm, n);
        AscendC::DataCopy(y, g, n);
        AscendC::PipeBarrier<PIPE_ALL>();
        Clear(0);
    }
    __aicore__ inline void Clear(T v)
    {
        AscendC::Duplicate(d, v, (int32_t)n);
        AscendC::PipeBarrier<PIPE_ALL>();
    }
    // d becomes the next row, then v again
    __aicore__ inline void Put(T v = 0)
    {
        AscendC::PipeBarrier<PIPE_ALL>();
        AscendC::DataCopy(out[row++ * n], d, n);
        AscendC::PipeBarrier<PIPE_ALL>();
        Clear(v);
    }
    static constexpr uint32_t lanes = 256 / sizeof(T);
    uint32_t n, row = 0;
    AscendC::TPipe pipe;
    AscendC::TBuf<> bufs;
    AscendC::GlobalTensor<T> out;
    AscendC::LocalTensor<T> x, y, d, w; // two sources, the result, one more
};
#endif
