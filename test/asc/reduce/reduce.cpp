// reductions of repeats, blocks, pairs and whole tensors, by count and under masks; results as rows of n, 0 where nothing is written
#include "kernel_operator.h"
#include "../rows.h"
using namespace AscendC;

#define THREE(call, ...)                                                                         \
    call(r.d, r.x, (int32_t)r.lanes, repeats, __VA_ARGS__);                                      \
    r.Put();                                                                                     \
    call(r.d, r.x, (int32_t)7, repeats, __VA_ARGS__);                                            \
    r.Put();                                                                                     \
    call(r.d, r.x, bits, repeats, __VA_ARGS__);                                                  \
    r.Put();
#define GROUPS(call)                                                                             \
    call<T>(r.d, r.x, repeats, (int32_t)r.lanes, 1, 1, 8);                                       \
    r.Put();                                                                                     \
    call<T>(r.d, r.x, repeats, bits, 1, 1, 8);                                                   \
    r.Put();
// value and, as a number, index
#define EXTREME(call, ...)                                                                       \
    call<T>(r.d, r.x, r.w, __VA_ARGS__, true);                                                   \
    r.d.SetValue(1, (T)(float)(int32_t)r.d.template ReinterpretCast<I>().GetValue(1));           \
    r.Put();

template <typename T> __aicore__ inline void Run(GM_ADDR xGm, GM_ADDR yGm, GM_ADDR outGm, uint32_t n)
{
    using I = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
    constexpr bool pairs = __NPU_ARCH__ != 1001 || sizeof(T) == 2;
    Rows<T> r(xGm, yGm, outGm, n);
    const int32_t repeats = n / r.lanes;
    uint64_t bits[2] = {0x5555555555555551, 0x5555555555555555};
    THREE(WholeReduceSum, 1, 1, 8)
    GROUPS(BlockReduceSum)
    GROUPS(BlockReduceMax)
    GROUPS(BlockReduceMin)
    PairReduceSum<T>(r.d, r.x, repeats, (int32_t)r.lanes, 1, 1, 8);
    r.Put();
    RepeatReduceSum<T>(r.d, r.x, repeats, (int32_t)r.lanes, 0, 1, 1, 8);
    r.Put();
    ReduceSum<T>(r.d, r.x, r.w, n - 3);
    r.Put();
    ReduceSum<T>(r.d, r.x, r.w, 7, repeats, 8);
    r.Put();
    ReduceSum<T>(r.d, r.x, r.w, bits, repeats, 8);
    r.Put();
    EXTREME(ReduceMax, n - 3)
    EXTREME(ReduceMin, n - 3)
    EXTREME(ReduceMax, 50)
    ReduceMax<T>(r.d, r.x, r.w, n - 3);
    r.d.SetValue(1, (T)0);
    r.Put();
    ReduceMin<T>(r.d, r.x, r.w, n - 3);
    r.d.SetValue(1, (T)0);
    r.Put();
    if constexpr (pairs) {
        EXTREME(ReduceMax, bits, repeats, 8)
        EXTREME(ReduceMin, 7, repeats, 8)
        // pairs of value and index; the indices as numbers
        for (int k = 0; k < 2; k++) {
            if (k == 0)
                WholeReduceMax<T>(r.d, r.x, bits, repeats, 1, 1, 8);
            else
                WholeReduceMin<T>(r.d, r.x, (int32_t)r.lanes, repeats, 1, 1, 8);
            for (int32_t i = 0; i < repeats; i++)
                r.d.SetValue(2 * i + 1, (T)(float)(int32_t)r.d.template ReinterpretCast<I>().GetValue(2 * i + 1));
            r.Put();
        }
    }
#if __NPU_ARCH__ != 1001
    WholeReduceMax<T>(r.d, r.x, (int32_t)r.lanes, repeats, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    r.Put();
    // the registers that a reduction leaves
    T value;
    I index;
    WholeReduceMax<T>(r.d, r.x, (int32_t)r.lanes, 1, 1, 1, 8);
    if constexpr (sizeof(T) == 4) {
        GetReduceMaxMinCount<T>(value, (T &)index);
        ASSERT(value == r.d.GetValue(0) && index == r.d.template ReinterpretCast<I>().GetValue(1));
    }
#endif
#if __NPU_ARCH__ == 2201
    ReduceSum<T>(r.d, r.x, r.w, (int32_t)r.lanes);
    ASSERT((float)GetAccVal<T>() == (float)r.d.GetValue(0));
#endif
}
extern "C" __global__ __aicore__ void reduce_f16(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Run<half>(x, y, out, n); }
extern "C" __global__ __aicore__ void reduce_f32(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Run<float>(x, y, out, n); }
