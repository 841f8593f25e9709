// kernels and launches that come out of macros, one class for several element types, a header that defines __aicore__
#include "kernel_operator.h"
#include "shape.h"

template <typename T> class Scale {
public:
    __aicore__ inline explicit Scale(AscendC::TPipe *pipe) : pipe_(pipe) {}
    __aicore__ inline void Run(__gm__ void *x, __gm__ void *y, Shape shape, float factor);

private:
    AscendC::TPipe *pipe_;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> que_;
};

template <typename T>
__aicore__ inline void Scale<T>::Run(__gm__ void *x, __gm__ void *y, Shape shape, float factor)
{
    AscendC::GlobalTensor<T> in, out;
    uint32_t from = AscendC::GetBlockIdx() * RowsPerBlock(shape, AscendC::GetBlockNum()) * shape.columns;
    uint32_t count = RowsPerBlock(shape, AscendC::GetBlockNum()) * shape.columns;
    in.SetGlobalBuffer((__gm__ T *)x + from, count);
    out.SetGlobalBuffer((__gm__ T *)y + from, count);
    pipe_->InitBuffer(que_, 1, count * sizeof(T));
    auto t = que_.AllocTensor<T>();
    AscendC::DataCopy(t, in, count);
    SET_WAIT(MTE2, V)
    AscendC::Muls(t, t, static_cast<T>(factor), count);
    SET_WAIT(V, MTE3)
    AscendC::DataCopy(out, t, count);
    que_.FreeTensor(t);
}

#define SCALE_KERNEL(TYPE)                                                                                             \
    extern "C" __global__ __aicore__ void scale_##TYPE(__gm__ void *x, __gm__ void *y, Shape shape, float factor)      \
    {                                                                                                                  \
        AscendC::TPipe pipe;                                                                                           \
        Scale<TYPE> op(&pipe);                                                                                         \
        op.Run(x, y, shape, factor);                                                                                   \
    }

SCALE_KERNEL(half)
SCALE_KERNEL(float)

namespace scale {
#define SCALE_LAUNCH(TYPE) scale_##TYPE<<<blocks, nullptr, stream>>>(x, y, shape, factor)

extern int run(int bytes, uint32_t blocks, void *stream, void *x, void *y, Shape shape, float factor)
{
    switch (bytes) {
    case 2: SCALE_LAUNCH(half); return 0;
#if (__CCE_AICORE__ >= 100)
    case 4: SCALE_LAUNCH(float); return 0;
#endif
    default: return -1;
    }
}
} // namespace scale
