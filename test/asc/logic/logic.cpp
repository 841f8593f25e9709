// bits: And, Or, Not, Xor, shifts in their forms; numbers that are made: Duplicate, CreateVecIndex, ArithProgression
#include "kernel_operator.h"
#include "../rows.h"
using namespace AscendC;

#define FORMS(call, ...)                                                                         \
    call(r.d, __VA_ARGS__, COUNT);                                                               \
    r.Put();                                                                                     \
    call(r.d, __VA_ARGS__, 7, REPEATS, params);                                                  \
    r.Put();                                                                                     \
    call(r.d, __VA_ARGS__, bits, REPEATS, params);                                               \
    r.Put();

template <typename T> __aicore__ inline void Run(GM_ADDR xGm, GM_ADDR yGm, GM_ADDR outGm, uint32_t n)
{
    Rows<T> r(xGm, yGm, outGm, n);
    const uint32_t COUNT = n - 3, REPEATS = n / r.lanes;
    uint64_t bits[2] = {0x5555555555555551, 0x5555555555555555};
    if constexpr (sizeof(T) == 2) {
        BinaryRepeatParams params;
        FORMS(And, r.x, r.y)
        FORMS(Or, r.x, r.y)
        r.d = r.x & r.y;
        r.Put();
        r.d = r.x | r.y;
        r.Put();
        UnaryRepeatParams one;
        Not(r.d, r.x, COUNT);
        r.Put();
        Not(r.d, r.x, 7, REPEATS, one);
        r.Put();
        Not(r.d, r.x, bits, REPEATS, one);
        r.Put();
        Xor(r.d, r.x, r.y, r.w.template ReinterpretCast<uint8_t>(), COUNT);
        r.Put();
    }
#if __NPU_ARCH__ == 2201
    UnaryRepeatParams params;
    FORMS(ShiftLeft, r.x, (T)3)
    FORMS(ShiftRight, r.x, (T)2)
#endif
    Duplicate(r.d, (T)7, COUNT);
    r.Put();
    Duplicate(r.d, (T)7, (uint64_t)7, (uint8_t)REPEATS, 1, 8);
    r.Put();
    Duplicate(r.d, (T)7, bits, (uint8_t)REPEATS, 1, 8);
    r.Put();
    if constexpr (!std::is_unsigned<T>::value && (sizeof(T) == 4 || __NPU_ARCH__ == 2201)) {
        CreateVecIndex(r.d, (T)5, n);
        r.Put();
        ArithProgression(r.d, (T)5, (T)3, (int32_t)n);
        r.Put();
    }
}
#define ENTRY(name, T)                                                                           \
    extern "C" __global__ __aicore__ void name(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Run<T>(x, y, out, n); }
ENTRY(logic_s16, int16_t)
ENTRY(logic_u16, uint16_t)
ENTRY(logic_s32, int32_t)
ENTRY(logic_u32, uint32_t)
