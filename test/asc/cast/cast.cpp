// Cast: conversions and round modes, by count and under masks; the fused ones; scalar conversions
#include "kernel_operator.h"
using namespace AscendC;

// one conversion at a time, there and back to float through exact steps: rows of float
class Casts {
public:
    __aicore__ inline Casts(GM_ADDR xGm, GM_ADDR outGm, uint32_t n) : n(n)
    {
        pipe.InitBuffer(bufs, 5 * n * sizeof(float));
        GlobalTensor<float> g;
        g.SetGlobalBuffer((__gm__ float *)xGm, n);
        out.SetGlobalBuffer((__gm__ float *)outGm);
        x = bufs.Get<float>();
        d = x[n];
        a = x[2 * n];
        b = x[3 * n];
        h = x[4 * n].ReinterpretCast<half>();
        DataCopy(x, g, n);
        PipeBarrier<PIPE_ALL>();
        Muls(x, x, 0.25f, n);
        Adds(x, x, -127.0f, n);
        Cast(h, x, RoundMode::CAST_NONE, n); // exact
        Duplicate(d, 0.0f, n);
        PipeBarrier<PIPE_ALL>();
    }
    __aicore__ inline void Put()
    {
        PipeBarrier<PIPE_ALL>();
        DataCopy(out[row++ * n], d, n);
        PipeBarrier<PIPE_ALL>();
        Duplicate(d, 0.0f, n);
        Duplicate(a, 0.0f, n);
        Duplicate(b, 0.0f, n);
        PipeBarrier<PIPE_ALL>();
    }
    // float or half to int32_t, back to float
    template <typename S> __aicore__ inline void Round(const LocalTensor<S> &s, RoundMode mode)
    {
        Cast(a.ReinterpretCast<int32_t>(), s, mode, n);
        Cast(d, a.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, n);
        Put();
    }
    template <typename S> __aicore__ inline void AllModes(const LocalTensor<S> &s)
    {
        Round(s, RoundMode::CAST_RINT);
        Round(s, RoundMode::CAST_FLOOR);
        Round(s, RoundMode::CAST_CEIL);
        Round(s, RoundMode::CAST_ROUND);
        Round(s, RoundMode::CAST_TRUNC);
    }
    // half to a byte and back
    template <typename B> __aicore__ inline void Byte(RoundMode mode)
    {
        Cast(a.ReinterpretCast<B>(), h, mode, n);
        Cast(b.ReinterpretCast<half>(), a.ReinterpretCast<B>(), RoundMode::CAST_NONE, n);
        Cast(d, b.ReinterpretCast<half>(), RoundMode::CAST_NONE, n);
        Put();
    }
    __aicore__ inline void Half()
    {
        Cast(d, b.ReinterpretCast<half>(), RoundMode::CAST_NONE, n);
        Put();
    }
    __aicore__ inline void Run()
    {
        AllModes(x);
        AllModes(h);
        Byte<int8_t>(RoundMode::CAST_NONE);
        Byte<int8_t>(RoundMode::CAST_FLOOR);
        Byte<int8_t>(RoundMode::CAST_CEIL);
        Byte<int8_t>(RoundMode::CAST_ROUND);
        Byte<int8_t>(RoundMode::CAST_TRUNC);
        Byte<uint8_t>(RoundMode::CAST_NONE);
        // under masks: seven lanes, then bits
        Cast(d, h, RoundMode::CAST_NONE, 7, n / 64, {1, 1, 8, 4});
        Put();
        uint64_t bits[2] = {0x5555555555555551, 0};
        Cast(d, h, RoundMode::CAST_NONE, bits, n / 64, {1, 1, 8, 4});
        Put();
        // int32_t to half, scaled
        Cast(a.ReinterpretCast<int32_t>(), x, RoundMode::CAST_FLOOR, n);
        SetDeqScale((half)0.5f);
        Cast(b.ReinterpretCast<half>(), a.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, n);
        Half();
#if __NPU_ARCH__ != 1001
        AddReluCast(b.ReinterpretCast<half>(), x, x, n);
        Half();
        SubReluCast(b.ReinterpretCast<half>(), x, d, 64, n / 64, {1, 1, 1, 4, 8, 8});
        Half();
        MulCast(a.ReinterpretCast<int8_t>(), h, h, n);
        Cast(b.ReinterpretCast<half>(), a.ReinterpretCast<int8_t>(), RoundMode::CAST_NONE, n);
        Half();
#endif
#if __NPU_ARCH__ == 2201
        Cast(d, x, RoundMode::CAST_FLOOR, n); // float to whole floats
        Put();
        Cast(a.ReinterpretCast<bfloat16_t>(), x, RoundMode::CAST_RINT, n);
        Cast(d, a.ReinterpretCast<bfloat16_t>(), RoundMode::CAST_NONE, n);
        Put();
        Cast(a.ReinterpretCast<int16_t>(), x, RoundMode::CAST_CEIL, n);
        Cast(d, a.ReinterpretCast<int16_t>(), RoundMode::CAST_NONE, n);
        Put();
        Cast(a.ReinterpretCast<int16_t>(), h, RoundMode::CAST_TRUNC, n);
        Cast(b.ReinterpretCast<half>(), a.ReinterpretCast<int16_t>(), RoundMode::CAST_NONE, n);
        Half();
        Cast(a.ReinterpretCast<int64_t>(), x, RoundMode::CAST_RINT, n / 2);
        Cast(d, a.ReinterpretCast<int64_t>(), RoundMode::CAST_RINT, n / 2);
        Put();
#endif
        // by the scalar unit
        ASSERT((ScalarCast<float, int32_t, RoundMode::CAST_ROUND>(2.5f) == 3));
        ASSERT((ScalarCast<float, int32_t, RoundMode::CAST_RINT>(2.5f) == 2));
        ASSERT((ScalarCast<float, int32_t, RoundMode::CAST_FLOOR>(-2.5f) == -3));
        ASSERT((ScalarCast<float, int32_t, RoundMode::CAST_CEIL>(-2.5f) == -2));
        ASSERT((ScalarCast<float, half, RoundMode::CAST_ODD>(1.0f + 1.0f / 4096) == (half)(1.0f + 1.0f / 1024)));
        ASSERT(ToFloat(ToBfloat16(1.5f)) == 1.5f);
    }
    uint32_t n, row = 0;
    TPipe pipe;
    TBuf<> bufs;
    GlobalTensor<float> out;
    LocalTensor<float> x, d, a, b;
    LocalTensor<half> h;
};
extern "C" __global__ __aicore__ void cast(GM_ADDR x, GM_ADDR out, uint32_t n)
{
    Casts c(x, out, n);
    c.Run();
}
