// several cores: atomics on one tensor, a barrier over all of them, reads past the data cache
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void cores(GM_ADDR out, GM_ADDR workspace, uint32_t n)
{
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, 1024);
    GlobalTensor<float> sum, high, low, seen;
    GlobalTensor<int32_t> room;
    sum.SetGlobalBuffer((__gm__ float *)out, 64);
    high.SetGlobalBuffer((__gm__ float *)out + 64, 64);
    low.SetGlobalBuffer((__gm__ float *)out + 128, 64);
    seen.SetGlobalBuffer((__gm__ float *)out + 192, 64);
    room.SetGlobalBuffer((__gm__ int32_t *)workspace, 8 * GetBlockNum());
    LocalTensor<float> t = buf.Get<float>();
    float me = (float)GetBlockIdx();
    CreateVecIndex(t, me, 64); // me, me + 1, ...
    PipeBarrier<PIPE_ALL>();
    SetAtomicAdd<float>();
    DataCopy(sum, t, 64);
#if __NPU_ARCH__ == 2201
    SetAtomicMax<float>();
    DataCopy(high, t, 64);
    PipeBarrier<PIPE_ALL>();
    SetStoreAtomicConfig<AtomicDtype::ATOMIC_F32, AtomicOp::ATOMIC_MIN>();
    Muls(t, t, -1.0f, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(low, t, 64);
    SetAtomicMin<float>();
    DataCopy(low, t, 64);
#endif
    SetAtomicNone();
    // all sums are there once all cores have met
#if __NPU_ARCH__ == 2201
    SyncAll();
#endif
    SyncAll(room, t.ReinterpretCast<int32_t>(), (int32_t)GetBlockNum());
    DataCopy(t, sum, 64);
    PipeBarrier<PIPE_ALL>();
    if (GetBlockIdx() == 1) {
        DataCopy(seen, t, 64);
        PipeBarrier<PIPE_ALL>();
    }
    // the scalar unit's own way, past its cache and with a cache that is emptied
    __gm__ uint32_t *word = (__gm__ uint32_t *)(workspace + 4096 + GetBlockIdx() * 64);
    WriteGmByPassDCache(word, (uint32_t)GetBlockIdx() + 7);
    DataSyncBarrier<MemDsbT::ALL>();
    ASSERT(ReadGmByPassDCache(word) == (uint32_t)GetBlockIdx() + 7);
    GlobalTensor<uint32_t> cached;
    cached.SetGlobalBuffer(word + 1, 1);
    cached.SetValue(0, 5);
    DataCacheCleanAndInvalid<uint32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(cached);
    ASSERT(ReadGmByPassDCache(word + 1) == 5 && cached.GetValue(0) == 5);
#if __NPU_ARCH__ != 1001
    GlobalTensor<uint64_t> lines;
    lines.SetGlobalBuffer((__gm__ uint64_t *)workspace, 512);
    DataCachePreload(lines, (int64_t)0);
    ICachePreLoad(2);
#endif
}
