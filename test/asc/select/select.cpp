// Compare, CompareScalar and Select in their forms; bits become rows by selecting 1 over 0
#include "kernel_operator.h"
#include "../rows.h"
using namespace AscendC;

template <typename T> class Selects {
public:
    __aicore__ inline Selects(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) : r(x, y, out, n), repeats(n / r.lanes)
    {
        bits = r.w.template ReinterpretCast<uint8_t>();
        ones = r.w[n / 2]; // half a row of ones is enough: sources of Select repeat it
        Duplicate(ones, (T)1, (int32_t)n / 2);
        DataCopy(r.y, r.x, 32); // some are equal, one is 2
        r.x.SetValue(40, (T)2);
    }
    // bits of the first half of the elements
    __aicore__ inline void Show()
    {
        Select(r.d, bits, ones, (T)0, SELMODE::VSEL_TENSOR_SCALAR_MODE, r.n / 2);
        r.Put();
    }
    __aicore__ inline void Modes()
    {
        for (auto m : {CMPMODE::LT, CMPMODE::GT, CMPMODE::EQ, CMPMODE::LE, CMPMODE::GE, CMPMODE::NE}) {
            Compare(bits, r.x, r.y, m, r.n / 2);
            Show();
            CompareScalar(bits, r.x, (T)2, m, r.n / 2);
            Show();
        }
    }
    __aicore__ inline void Operators()
    {
        LocalTensor<T> x = r.x, y = r.y;
        x.SetSize(r.n / 2);
        y.SetSize(r.n / 2);
        bits = x < y;
        Show();
        bits = x > y;
        Show();
        bits = x == y;
        Show();
        bits = x <= y;
        Show();
        bits = x >= y;
        Show();
        bits = x != y;
        Show();
    }
    __aicore__ inline void Forms()
    {
        uint64_t all[2] = {~0ull, ~0ull}, odd[2] = {0x5555555555555551, 0x5555555555555555};
        uint8_t half = repeats / 2;
        Compare(bits, r.x, r.y, CMPMODE::GT, all, half, {1, 1, 1, 8, 8, 8});
        Show();
        Compare(bits, r.x, r.y, CMPMODE::LT, (uint64_t)r.lanes, half, {1, 1, 1, 8, 8, 8});
        Show();
        CompareScalar(bits, r.x, (T)2, CMPMODE::GT, (uint64_t)r.lanes, half, {1, 1, 8, 8});
        // x where x > 2, else y; by count, under a number, under bits
        Select(r.d, bits, r.x, r.y, SELMODE::VSEL_TENSOR_TENSOR_MODE, r.n / 2);
        r.Put();
        Select(r.d, bits, r.x, r.y, SELMODE::VSEL_TENSOR_TENSOR_MODE, (uint64_t)7, half, {1, 1, 1, 8, 8, 8});
        r.Put();
        Select(r.d, bits, r.x, r.y, SELMODE::VSEL_TENSOR_TENSOR_MODE, odd, half, {1, 1, 1, 8, 8, 8});
        r.Put();
        Select(r.d, bits, r.x, (T)9, SELMODE::VSEL_TENSOR_SCALAR_MODE, odd, half, {1, 1, 1, 8, 8, 8});
        r.Put();
        // the same bits for every repeat, by the register
        Select(r.d, bits, r.x, r.y, SELMODE::VSEL_CMPMASK_SPR, (uint64_t)r.lanes, repeats, {1, 1, 1, 8, 8, 8});
        r.Put();
        SetCmpMask(bits);
        PipeBarrier<PIPE_V>();
        SetVectorMask<T>(~0ull, ~0ull);
        Select<T, SELMODE::VSEL_CMPMASK_SPR>(r.d, r.x, r.y, repeats, {1, 1, 1, 8, 8, 8});
        r.Put();
#if __NPU_ARCH__ != 1001
        // a compare to the register, read back
        Compare(r.x, r.y, CMPMODE::GE, (uint64_t)r.lanes, {1, 1, 1, 8, 8, 8});
        PipeBarrier<PIPE_V>();
        Duplicate(r.w.template ReinterpretCast<uint16_t>(), (uint16_t)0, r.lanes);
        GetCmpMask(bits);
        Select(r.d, bits, ones, (T)0, SELMODE::VSEL_TENSOR_SCALAR_MODE, r.lanes);
        r.Put();
#endif
    }
    Rows<T> r;
    uint8_t repeats;
    LocalTensor<uint8_t> bits;
    LocalTensor<T> ones;
};
template <typename T> __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n)
{
    Selects<T> s(x, y, out, n);
    s.Modes();
    s.Operators();
    s.Forms();
}
extern "C" __global__ __aicore__ void select_f16(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Run<half>(x, y, out, n); }
extern "C" __global__ __aicore__ void select_f32(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Run<float>(x, y, out, n); }
