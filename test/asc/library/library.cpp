// library calls on one tensor or two, by count and with a buffer, in half and float
#include "kernel_operator.h"
#include "../rows.h"
#include "ops.h"
using namespace AscendC;

#define ROW_OF(source, name)                                                                     \
    name<T>(r.d, source, n - 3);                                                                 \
    r.Put();
#define X_ROW(name, value) ROW_OF(r.x, name)
#define Y_ROW(name, value) ROW_OF(r.y, name)

template <typename T> __aicore__ inline void Run(GM_ADDR xGm, GM_ADDR yGm, GM_ADDR outGm, uint32_t n)
{
    Rows<T> r(xGm, yGm, outGm, n);
    LocalTensor<uint8_t> shared = r.w.template ReinterpretCast<uint8_t>();
    OF_X(X_ROW)
    OF_Y(Y_ROW)
    // with a buffer; the whole tensor
    Sigmoid<T>(r.d, r.x, shared, n - 3);
    r.Put();
    Sin<T>(r.d, r.x);
    r.Put();
    Swish<T>(r.d, r.x, n, (T)1.5f);
    r.Put();
    SwiGLU<T>(r.d, r.x, r.y, 1.0f, n - 3);
    r.Put();
    Power<T>(r.d, r.y, r.x, n);
    r.Put();
    Power<T>(r.d, r.y, (T)2.5f, n);
    r.Put();
    ClampMax<T>(r.d, r.x, shared, (T)1, n);
    r.Put();
    ClampMin<T>(r.d, r.x, shared, (T)1, n);
    r.Put();
    SumParams p{4, n / 4, n / 4 - 2};
    Sum<T>(r.d, r.y, p);
    r.Put();
}
extern "C" __global__ __aicore__ void library_f16(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Run<half>(x, y, out, n); }
extern "C" __global__ __aicore__ void library_f32(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Run<float>(x, y, out, n); }
