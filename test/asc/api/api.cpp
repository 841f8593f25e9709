// the classes: tensors, queues, buffers, events, masks, scalar functions; every statement is an assertion about the one before
#include "kernel_operator.h"
using namespace AscendC;

__aicore__ inline void Tensors(GM_ADDR xGm, uint32_t n)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 1024);
    GlobalTensor<float> g;
    g.SetGlobalBuffer((__gm__ float *)xGm, n);
    ASSERT(g.GetSize() == n && g.GetPhyAddr() == (__gm__ float *)xGm && g.GetPhyAddr(3) == (__gm__ float *)xGm + 3);
    ASSERT(g.GetValue(5) == 5.0f && g(6) == 6.0f && g[4].GetValue(1) == 5.0f && g[4].GetSize() == n - 4);
    ASSERT(g.ReinterpretCast<half>().GetSize() == 2 * n);
    g.SetL2CacheHint(CacheMode::CACHE_MODE_NORMAL);
    LocalTensor<float> t = buf.Get<float>();
    ASSERT(t.GetSize() == 256 && t.GetLength() == 1024 && t.GetPosition() == (int32_t)TPosition::VECCALC);
    t.SetValue(3, 7.0f);
    ASSERT(t.GetValue(3) == 7.0f && t(3) == 7.0f && t[2].GetValue(1) == 7.0f && t[2].GetSize() == 254);
    t(4) = 9.0f;
    ASSERT(t.GetValue(4) == 9.0f);
    ASSERT(t.ReinterpretCast<uint32_t>().GetValue(3) == 0x40e00000 && t.ReinterpretCast<half>().GetSize() == 512);
    ASSERT((uint64_t)t.GetPhyAddr(2) - (uint64_t)t.GetPhyAddr() == 8);
    LocalTensor<float> u;
    u.SetAddrWithOffset(t, 8);
    ASSERT(u.GetPhyAddr() == t.GetPhyAddr(8));
    u.SetSize(16);
    ASSERT(u.GetSize() == 16);
    LocalTensor<float> part = buf.GetWithOffset<float>(8, 512);
    ASSERT(part.GetSize() == 8 && part.GetPhyAddr() == t.GetPhyAddr(128));
    ASSERT(buf.Get<half>(100).GetSize() == 100 && buf.GetBufLen() == 1024);
    LocalTensor<int32_t> made(TPosition::VECCALC, 512, 8);
    ASSERT(made.GetSize() == 8 && (uint64_t)made.GetPhyAddr() == 512);
}

__aicore__ inline void Queues(GM_ADDR xGm, GM_ADDR outGm, uint32_t n)
{
    TPipe pipe;
    ASSERT(GetTPipePtr() == &pipe);
    TQue<QuePosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 1> out;
    TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> both;
    GlobalTensor<float> x, o;
    x.SetGlobalBuffer((__gm__ float *)xGm, n);
    o.SetGlobalBuffer((__gm__ float *)outGm, n);
    ASSERT(pipe.InitBuffer(in, 2, 256) && pipe.InitBuffer(out, 1, 256) && pipe.InitBuffer(both, 1, 256));
    ASSERT(in.VacantInQue() && !in.HasTensorInQue() && in.GetTensorCountInQue() == 0 && in.HasIdleBuffer());
    LocalTensor<float> a = in.AllocTensor<float>(), b;
    in.AllocTensor(b);
    ASSERT(!in.HasIdleBuffer() && a.GetSize() == 64 && b.GetPhyAddr() == a.GetPhyAddr(64));
    a.SetUserTag(11);
    DataCopy(a, x, 64);
    DataCopy(b, x[64], 64);
    in.EnQue(a);
    in.EnQue(b);
    ASSERT(in.HasTensorInQue() && in.GetTensorCountInQue() == 2 && !in.VacantInQue());
    a = in.DeQue<float>();
    in.DeQue(b);
    ASSERT(a.GetUserTag() == 11 && in.GetTensorCountInQue() == 0);
    LocalTensor<float> sum = out.AllocTensor<float>();
    Add(sum, a, b, 64);
    in.FreeTensor(a);
    in.FreeTensor(b);
    in.FreeAllEvent();
    out.EnQue(sum);
    sum = out.DeQue<float>();
    DataCopy(o, sum, 64);
    out.FreeTensor(sum);
    // in and out again without a vector call
    LocalTensor<float> c = both.AllocTensor<float>();
    DataCopy(c, x[128], 64);
    both.EnQue(c);
    c = both.DeQue<float>();
    DataCopy(o[64], c, 64);
    both.FreeTensor(c);
    // a pipe that starts again has all its memory again
    pipe.Reset();
    TBuf<> buf;
    pipe.InitBuffer(buf, 128 * 1024);
    ASSERT(buf.Get<float>().GetSize() == 32 * 1024);
    pipe.Destroy();
    LocalMemAllocator<Hardware::UB> memory;
    LocalTensor<half> m = memory.Alloc<TPosition::VECIN, half, 64>(), k = memory.Alloc<TPosition::VECIN, half>(32);
    ASSERT(m.GetSize() == 64 && (uint64_t)k.GetPhyAddr() - (uint64_t)m.GetPhyAddr() == 128 && memory.GetCurAddr() == 192);
}

__aicore__ inline void Events(GM_ADDR xGm, GM_ADDR outGm)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 256);
    GlobalTensor<float> x, o;
    x.SetGlobalBuffer((__gm__ float *)xGm, 64);
    o.SetGlobalBuffer((__gm__ float *)outGm + 128, 64);
    LocalTensor<float> t = buf.Get<float>();
    TEventID loaded = pipe.AllocEventID<HardEvent::MTE2_V>(), other = pipe.AllocEventID<HardEvent::MTE2_V>();
    ASSERT(loaded == 0 && other == 1 && pipe.FetchEventID<HardEvent::MTE2_V>() == 2);
    pipe.ReleaseEventID<HardEvent::MTE2_V>(other);
    ASSERT(pipe.FetchEventID(HardEvent::MTE2_V) == 1);
    DataCopy(t, x, 64);
    SetFlag<HardEvent::MTE2_V>(loaded);
    WaitFlag<HardEvent::MTE2_V>(loaded);
    pipe.ReleaseEventID<HardEvent::MTE2_V>(loaded);
    Muls(t, t, 2.0f, 64);
    PipeBarrier<PIPE_V>();
    Adds(t, t, 1.0f, 64);
    TQueSync<PIPE_V, PIPE_MTE3> done;
    done.SetFlag(0);
    done.WaitFlag(0);
    DataCopy(o, t, 64);
    PipeBarrier<PIPE_ALL>();
}

__aicore__ inline void Masks(GM_ADDR outGm)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 512);
    GlobalTensor<float> o;
    o.SetGlobalBuffer((__gm__ float *)outGm + 192, 128);
    LocalTensor<float> t = buf.Get<float>();
    Duplicate(t, 1.0f, 128);
    // the mask of the kernel: lanes 0, 1 and 4, then as many elements as counted
    SetMaskNorm();
    SetVectorMask<float, MaskMode::NORMAL>(0, 0x13);
    Adds<float, false>(t, t, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(0, 70);
    Adds<float, false>(t, t, 4.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    Maxs<float, false>(t, t, 5.5f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
    SetMaskNorm();
    ResetMask();
    PipeBarrier<PIPE_ALL>();
    DataCopy(o, t, 128);
    PipeBarrier<PIPE_ALL>();
}

__aicore__ inline void Scalars()
{
    ASSERT(GetBlockIdx() == 0 && GetBlockNum() == 1 && GetSubBlockIdx() == 0 && GetTaskRation() == 1 && GetTaskRatio() == 1);
    ASSERT(GetArchVersion() == __NPU_ARCH__ && GetDataBlockSizeInBytes() == 32);
    ASSERT(GetUBSizeInBytes() == (__NPU_ARCH__ == 2201 ? 192 : 256) * 1024);
    int64_t before = GetSystemCycle();
    ASSERT(GetSystemCycle() >= before && GetProgramCounter() != 0);
    ASSERT(ScalarGetCountOfValue<1>(0xf0f0) == 8 && ScalarGetCountOfValue<0>(0xf0f0) == 56);
    ASSERT(ScalarCountLeadingZero(1) == 63 && ScalarGetSFFValue<1>(0x50) == 4 && ScalarGetSFFValue<0>(7) == 3);
    ASSERT(CountBitsCntSameAsSignBit(-1) == 63 && CountBitsCntSameAsSignBit(1) == 62);
    ASSERT(AlignUp(33u, 32u) == 64 && DivCeil(7, 2) == 4 && CeilDivision(9, 4) == 3);
    ASSERT((IsSameType<half, half>::value && !IsSameType<half, float>::value));
}

extern "C" __global__ __aicore__ void api(GM_ADDR x, GM_ADDR out, uint32_t n)
{
    Tensors(x, n);
    Queues(x, out, n);
    Events(x, out);
    Masks(out);
    Scalars();
}
