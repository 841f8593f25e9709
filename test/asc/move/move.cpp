// movement inside UB: Copy, Brcb, Broadcast, Gather, Gatherb, GatherMask, Transpose, TransDataTo5HD, DataCopy
#include "kernel_operator.h"
#include "../rows.h"
using namespace AscendC;

#define KEPT(pattern, reduce, mask, count)                                                       \
    GatherMask<T, GatherMaskMode::VERSION_V2>(r.d, r.x, pattern, reduce, mask,                   \
                                              GatherMaskParams(1, (reduce) ? 1 : repeats, 8, 8), kept); \
    ASSERT(kept == count);                                                                       \
    r.Put();

template <typename T> __aicore__ inline void Run(GM_ADDR xGm, GM_ADDR yGm, GM_ADDR outGm, uint32_t n)
{
    constexpr uint32_t block = 32 / sizeof(T);
    Rows<T> r(xGm, yGm, outGm, n);
    TBuf<> more;
    r.pipe.InitBuffer(more, n * 4);
    LocalTensor<uint32_t> offsets = more.Get<uint32_t>();
    const uint8_t repeats = n / r.lanes;
    uint64_t bits[2] = {0x5555555555555551, 0x5555555555555555};
    // blocks of x, every second one
    DataCopy(r.d, r.x, DataCopyParams((uint16_t)(n / block / 2), 1, 1, 0));
    r.Put();
    {
        uint32_t to[1] = {n}, from[1] = {1};
        Broadcast<T, 1, 0>(r.d, r.x[block], to, from);
        r.Put();
        uint32_t to2[2] = {n / 64, 64}, from2[2] = {n / 64, 1}, row[2] = {1, 64};
        Broadcast<T, 2, 1>(r.d, r.x, to2, from2);
        r.Put();
        Broadcast<T, 2, 0>(r.d, r.x, to2, row);
        r.Put();
    }
    if constexpr (sizeof(T) == 2) {
        Transpose(r.d, r.x); // 16 x 16
        r.Put();
        LocalTensor<T> to[16], from[16];
        for (int i = 0; i < 16; i++) {
            from[i] = r.x[i * 16];
            to[i] = r.d[i * 16];
        }
        TransDataTo5HDParams p;
        p.dstHighHalf = false;
        p.srcHighHalf = false;
        p.repeatTimes = 1;
        p.dstRepStride = 0;
        p.srcRepStride = 0;
        TransDataTo5HD<T>(to, from, p);
        r.Put();
    }
#if __NPU_ARCH__ == 2201
    Copy(r.d, r.x, (uint64_t)7, repeats, CopyRepeatParams(1, 1, 8, 8));
    r.Put();
    Copy(r.d, r.x, bits, repeats / 2, {1, 1, 16, 8});
    r.Put();
    Brcb(r.d, r.x, (uint8_t)(n / block / 8), BrcbRepeatParams(1, 8));
    r.Put();
    for (uint32_t i = 0; i < n / block; i++)
        offsets.SetValue(i, (n / block - 1 - i) * 32);
    Gatherb(r.d, r.x, offsets, (uint8_t)(n / block / 8), {1, 8});
    r.Put();
#endif
#if __NPU_ARCH__ != 1001
    for (uint32_t i = 0; i < n; i++)
        offsets.SetValue(i, (n - 1 - i) * sizeof(T));
    Gather(r.d, r.x, offsets, (uint32_t)0, n - 3);
    r.Put();
    Gather(r.d, r.x, offsets, (uint32_t)0, (uint64_t)7, repeats, (uint16_t)8);
    r.Put();
    Gather(r.d, r.x, offsets, (uint32_t)0, bits, repeats, (uint16_t)8);
    r.Put();
    uint64_t kept = 0;
    KEPT((uint8_t)1, false, 0, n / 2)
    KEPT((uint8_t)2, false, 0, n / 2)
    KEPT((uint8_t)3, false, 0, n / 4)
    KEPT((uint8_t)6, false, 0, n / 4)
    KEPT((uint8_t)7, false, 0, n)
    KEPT((uint8_t)1, true, 70, 35) // the first 70 elements
    // the pattern as bits, the same 32 bytes for every repeat
    LocalTensor<std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>> pattern = offsets.ReinterpretCast<std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>>();
    Duplicate(offsets, (uint32_t)0x11111111, 8);
    GatherMask(r.d, r.x, pattern, false, (uint32_t)0, {1, repeats, 8, 0}, kept);
    ASSERT(kept == n / 4);
    r.Put();
#endif
}
extern "C" __global__ __aicore__ void move_b16(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Run<int16_t>(x, y, out, n); }
extern "C" __global__ __aicore__ void move_b32(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Run<float>(x, y, out, n); }
