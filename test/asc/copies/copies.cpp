// copies between GM and UB: by count, strided, slices, fractals to rows; on 910B bytes with padding
#include "kernel_operator.h"
using namespace AscendC;

// out: rows of n elements
template <typename T> class Copies {
public:
    __aicore__ inline Copies(GM_ADDR xGm, GM_ADDR outGm, uint32_t n) : n(n)
    {
        x.SetGlobalBuffer((__gm__ T *)xGm, n);
        out.SetGlobalBuffer((__gm__ T *)outGm);
        pipe.InitBuffer(buf, n * sizeof(T));
        t = buf.Get<T>();
        Next();
    }
    __aicore__ inline void Next()
    {
        PipeBarrier<PIPE_ALL>();
        LocalTensor<int16_t> words = t.template ReinterpretCast<int16_t>();
        Duplicate(words, (int16_t)0, words.GetSize());
        PipeBarrier<PIPE_ALL>();
    }
    __aicore__ inline void Put()
    {
        PipeBarrier<PIPE_ALL>();
        DataCopy(out[row++ * n], t, n);
        Next();
    }
    __aicore__ inline GlobalTensor<T> NextRow()
    {
        PipeBarrier<PIPE_ALL>();
        return out[row++ * n];
    }
    __aicore__ inline void Blocks()
    {
        constexpr uint32_t block = 32 / sizeof(T);
        DataCopy(t, x, n - block);
        Put();
        // four blocks, every third of GM, to every second of UB
        DataCopy(t, x, DataCopyParams(4, 1, 2, 1));
        Put();
        DataCopyParams p;
        p.blockCount = 2;
        p.blockLen = 2;
        p.srcStride = 1;
        p.dstStride = 3;
        DataCopy(t, x, n);
        PipeBarrier<PIPE_ALL>();
        DataCopy(NextRow(), t, p);
        Next();
        // rows 1 and 3 of a matrix of 4 blocks a row: blocks 1 and 2 of each, packed
        SliceInfo from[2] = {{block, 3 * block - 1, 0, 2, 4 * block}, {1, 3, 1, 1, 8}};
        SliceInfo to[2] = {{0, 2 * block - 1, 0, 2, 2 * block}, {0, 1, 0, 1, 2}};
        DataCopy(t, x, to, from, 2);
        Put();
        // the same without a second source of strides
        DataCopy(t, x, DataCopyParams(2, 1, 0, 0), DataCopyEnhancedParams());
        Put();
    }
    // 32 x 32 in fractals of 16 columns to rows
    __aicore__ inline void Rows()
    {
        DataCopy(t, x, n);
        PipeBarrier<PIPE_ALL>();
        DataCopy(NextRow(), t, Nz2NdParamsFull(1, 32, 32, 0, 32, 32, 0));
        Next();
    }
#if __NPU_ARCH__ == 2201
    __aicore__ inline void Bytes()
    {
        constexpr uint8_t block = 32 / sizeof(T);
        // five elements, padded by two in front, and behind, with 7
        DataCopyPad(t, x, {1, (uint32_t)(5 * sizeof(T)), 0, 0, 0}, DataCopyPadExtParams<T>(true, 2, block - 7, (T)7));
        Put();
        // three rows of five elements, seven apart in GM, one block apart in UB
        DataCopyExtParams rows{3, (uint32_t)(5 * sizeof(T)), (uint32_t)(7 * sizeof(T)), 1, 0};
        DataCopyPadExtParams<T> behind(true, 0, block - 5, (T)1);
        DataCopyPad(t, x, rows, behind);
        Put();
        const uint64_t nine = sizeof(T) == 4 ? 0x41100000 : 9; // its bits
        DataCopyPad(t, x, DataCopyParams(1, 3 * sizeof(T), 0, 0), DataCopyPadParams(true, 0, block - 3, nine));
        Put();
        // out: two rows of five elements, a block apart in UB, three elements apart in GM
        DataCopy(t, x, n);
        PipeBarrier<PIPE_ALL>();
        DataCopyPad(NextRow(), t, DataCopyExtParams(2, 5 * sizeof(T), 1, 3 * sizeof(T), 0));
        DataCopyPad(NextRow(), t, DataCopyParams(1, 3 * sizeof(T), 0, 0));
        // the padding value on its own
        if constexpr (sizeof(T) == 2) {
            Next();
            SetPadValue((T)5);
            copy_gm_to_ubuf_align_b16((__ubuf__ void *)t.GetPhyAddr(), (__gm__ void *)x.GetPhyAddr(), 0, 1, 8, 0, 12, 0, 0);
            Put();
        }
    }
#endif
    uint32_t n, row = 0;
    TPipe pipe;
    TBuf<> buf;
    GlobalTensor<T> x, out;
    LocalTensor<T> t;
};
template <typename T> __aicore__ inline void Run(GM_ADDR x, GM_ADDR out, uint32_t n)
{
    Copies<T> c(x, out, n);
    c.Blocks();
    if constexpr (sizeof(T) == 2)
        c.Rows();
#if __NPU_ARCH__ == 2201
    c.Bytes();
#endif
}
extern "C" __global__ __aicore__ void copies_s16(GM_ADDR x, GM_ADDR out, uint32_t n) { Run<int16_t>(x, out, n); }
extern "C" __global__ __aicore__ void copies_f32(GM_ADDR x, GM_ADDR out, uint32_t n) { Run<float>(x, out, n); }
extern "C" __global__ __aicore__ void copies_s8(GM_ADDR x, GM_ADDR out, uint32_t n) { Run<int8_t>(x, out, n); }
