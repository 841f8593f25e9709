// every vector call in its forms: by count (with a rest), by operator, by mask and repeat with the mask as number and as bits
#include "kernel_operator.h"
#include "../rows.h"
#include "ops.h"
using namespace AscendC;

#define LANES 7
#define COUNT (r.n - 3)
#define REPEATS ((uint8_t)(r.n / r.lanes))
#define BITS uint64_t bits[2] = {0x5555555555555551, 0x5555555555555555}

#define BINARY_ROWS(name, value)                                                                 \
    name(r.d, r.x, r.y, COUNT);                                                                  \
    r.Put(init);                                                                                 \
    name(r.d, r.x, r.y, LANES, REPEATS, {1, 1, 1, 8, 8, 8});                                     \
    r.Put(init);                                                                                 \
    name(r.d, r.x, r.y, bits, REPEATS, {1, 1, 1, 8, 8, 8});                                      \
    r.Put(init);
// repeats of d that lie two apart
#define STRIDE_ROW(name, value)                                                                  \
    name(r.d, r.x, r.y, r.lanes, REPEATS / 2, {1, 1, 1, 16, 8, 8});                              \
    r.Put();
#define OPERATOR_ROW(sign)                                                                       \
    r.d = r.x sign r.y;                                                                          \
    r.Put();
#define UNARY_ROWS(name, value)                                                                  \
    name(r.d, of_y(#name) ? r.y : r.x, COUNT);                                                   \
    r.Put();                                                                                     \
    name(r.d, of_y(#name) ? r.y : r.x, LANES, REPEATS, {1, 1, 8, 8});                            \
    r.Put();                                                                                     \
    name(r.d, of_y(#name) ? r.y : r.x, bits, REPEATS, {1, 1, 8, 8});                             \
    r.Put();
#define SCALAR_ROWS(name, value)                                                                 \
    name(r.d, r.x, (T)3, COUNT);                                                                 \
    r.Put();                                                                                     \
    name(r.d, r.x, (T)3, LANES, REPEATS, {1, 1, 8, 8});                                          \
    r.Put();                                                                                     \
    name(r.d, r.x, (T)3, bits, REPEATS, {1, 1, 8, 8});                                           \
    r.Put();
// in place, where made calls could read what they wrote
#define IN_PLACE_ROW(name, value)                                                                \
    Adds(r.d, r.x, (T)0, (int32_t)r.n);                                                          \
    name(r.d, r.d, (T)3, COUNT);                                                                 \
    r.Put();

// Ln, Sqrt, Rsqrt and Reciprocal are of y
constexpr bool of_y(const char *name)
{
    return (name[0] == 'L' && name[1] == 'n') || name[0] == 'S' || name[1] == 's' || name[2] == 'c';
}

template <typename T> __aicore__ inline void Run(GM_ADDR xGm, GM_ADDR yGm, GM_ADDR outGm, uint32_t n)
{
    Rows<T> r(xGm, yGm, outGm, n);
    T init = 0;
    BITS;
    BINARY_ALL(BINARY_ROWS)
    BINARY_ALL(STRIDE_ROW)
    OPERATOR_ROW(+)
    OPERATOR_ROW(-)
    OPERATOR_ROW(*)
    SCALAR_ALL(SCALAR_ROWS)
    SCALAR_ALL(IN_PLACE_ROW)
    if constexpr (!std::is_same<T, int16_t>::value) {
        UNARY_ALL(UNARY_ROWS)
    }
    if constexpr (!std::is_integral<T>::value) {
        BINARY_FLOAT(BINARY_ROWS)
        OPERATOR_ROW(/)
        UNARY_FLOAT(UNARY_ROWS)
        SCALAR_FLOAT(SCALAR_ROWS)
        SCALAR_FLOAT(IN_PLACE_ROW)
    }
    if constexpr (!std::is_same<T, int32_t>::value) {
        BINARY_RELU(BINARY_ROWS)
    }
    if constexpr (!std::is_integral<T>::value) {
        init = (T)2;
        r.Clear(init);
        Axpy(r.d, r.x, (T)3, COUNT);
        r.Put(init);
        Axpy(r.d, r.x, (T)3, LANES, REPEATS, {1, 1, 8, 8});
        r.Put(init);
        Axpy(r.d, r.x, (T)3, bits, REPEATS, {1, 1, 8, 8});
        r.Put(init);
#if __NPU_ARCH__ != 1001
        BINARY_FUSED(BINARY_ROWS)
#endif
    }
}
extern "C" __global__ __aicore__ void vec_f16(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Run<half>(x, y, out, n); }
extern "C" __global__ __aicore__ void vec_f32(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Run<float>(x, y, out, n); }
extern "C" __global__ __aicore__ void vec_s32(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Run<int32_t>(x, y, out, n); }
#if __NPU_ARCH__ == 2201
extern "C" __global__ __aicore__ void vec_s16(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Run<int16_t>(x, y, out, n); }
#endif
