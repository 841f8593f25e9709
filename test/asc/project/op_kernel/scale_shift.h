// the kernel of scale_shift for one element type
#ifndef SCALE_SHIFT_H
#define SCALE_SHIFT_H
#include <type_traits>
#include <iostream> /* as headers that both sides include have it */
#include "kernel_operator.h"

#ifndef __aicore__
#define __aicore__ [aicore]
#endif

namespace ScaleShift {
using namespace AscendC;

template <typename T> class Kernel {
public:
    __aicore__ inline Kernel(GM_ADDR x, GM_ADDR y, const ScaleShiftTilingData *tiling) : tiling_(tiling)
    {
        uint32_t per = (tiling->total + GetBlockNum() - 1) / GetBlockNum();
        per = (per + 31) / 32 * 32;
        uint32_t from = per * GetBlockIdx();
        count_ = from >= tiling->total ? 0 : tiling->total - from < per ? tiling->total - from : per;
        xGm_.SetGlobalBuffer((__gm__ T *)x + from, count_);
        yGm_.SetGlobalBuffer((__gm__ T *)y + from, count_);
        pipe_.InitBuffer(inQue_, 2, tiling->tile * sizeof(T));
        pipe_.InitBuffer(outQue_, 2, tiling->tile * sizeof(T));
        /* a spare buffer of nothing, as kernels have it whose tiling leaves a part out */
        pipe_.InitBuffer(spareQue_, 1, (tiling->total % 1) * sizeof(T));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t at = 0; at < count_; at += tiling_->tile) {
            uint32_t n = count_ - at < tiling_->tile ? count_ - at : tiling_->tile;
            LocalTensor<T> in = inQue_.template AllocTensor<T>();
            DataCopyExtParams copy{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
            DataCopyPad(in, xGm_[at], copy, DataCopyPadExtParams<T>{false, 0, 0, 0});
            inQue_.EnQue(in);
            in = inQue_.template DeQue<T>();
            LocalTensor<T> out = outQue_.template AllocTensor<T>();
            Muls(out, in, static_cast<T>(tiling_->alpha), n);
            Adds(out, out, static_cast<T>(tiling_->beta), n);
            outQue_.EnQue(out);
            inQue_.FreeTensor(in);
            out = outQue_.template DeQue<T>();
            DataCopyPad(yGm_[at], out, copy);
            outQue_.FreeTensor(out);
        }
        set_flag(PIPE_MTE3, PIPE_S, 0); /* an event id as a number */
        wait_flag(PIPE_MTE3, PIPE_S, 0);
    }

private:
    const ScaleShiftTilingData *tiling_;
    uint32_t count_;
    TPipe pipe_;
    TQue<QuePosition::VECIN, 2> inQue_;
    TQue<QuePosition::VECOUT, 2> outQue_;
    TQue<QuePosition::VECIN, 1> spareQue_;
    GlobalTensor<T> xGm_, yGm_;
};
} // namespace ScaleShift
#endif
