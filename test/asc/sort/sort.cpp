// sorts of 910B: Sort32 and merges by hand, then Sort, Concat and Extract; scores and indices as rows
#include "kernel_operator.h"
#include "../rows.h"
using namespace AscendC;

template <typename T> class Sorts {
public:
    __aicore__ inline Sorts(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) : r(x, y, out, n)
    {
        r.pipe.InitBuffer(more, n * 8 * 3 + 2 * n * 4);
        from = more.GetWithOffset<T>(n * 8 / sizeof(T), 0);
        to = more.GetWithOffset<T>(n * 8 / sizeof(T), n * 8);
        tmp = more.GetWithOffset<T>(n * 8 / sizeof(T), n * 16);
        places = more.GetWithOffset<uint32_t>(n, n * 24);
        index = more.GetWithOffset<uint32_t>(n, n * 28);
        CreateVecIndex(places.template ReinterpretCast<int32_t>(), (int32_t)0, n);
    }
    // scores, then indices as numbers
    __aicore__ inline void Show(const LocalTensor<T> &records, uint32_t count)
    {
        Extract(r.d, index, records, count / 32);
        r.Put();
        for (uint32_t i = 0; i < count; i++)
            r.d.SetValue(i, (T)(float)index.GetValue(i));
        r.Put();
    }
    __aicore__ inline void Run()
    {
        uint32_t n = r.n, step = GetSortOffset<T>(32);
        ASSERT(GetSortLen<T>(32) == 256 / sizeof(T) && step == 256 / sizeof(T));
        Sort32(from, r.x, places, n / 32);
        Show(from, n);
        // four lists of 32 to one of 128
        uint16_t lengths[4] = {32, 32, 32, 32};
        MrgSort(to, MrgSortSrcList<T>(from, from[step], from[2 * step], from[3 * step]), MrgSort4Info(lengths, false, 15, 1));
        Show(to, 128);
        // two lists until one has nothing left, and what each gave
        uint32_t taken[4] = {0, 0, 0, 0};
        MrgSort<T, true>(to, MrgSortSrcList<T>(from, from[step], from, from), lengths, taken, 3, 1);
        ASSERT((taken[0] == 32) != (taken[1] == 32));
        uint16_t a, b, c, d;
        GetMrgSortResult(a, b, c, d);
        ASSERT(a == taken[0] && b == taken[1] && c == 0 && d == 0);
        // by one call
        LocalTensor<T> all;
        Concat(all, r.x, tmp, n / 16);
        Sort<T, false>(to, all, places, tmp, n / 32);
        Show(to, n);
        Sort<T, true>(to, all, places, tmp, n / 32);
        Show(to, n);
    }
    Rows<T> r;
    TBuf<> more;
    LocalTensor<T> from, to, tmp;
    LocalTensor<uint32_t> places, index;
};
extern "C" __global__ __aicore__ void sort_f16(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Sorts<half> s(x, y, out, n); s.Run(); }
extern "C" __global__ __aicore__ void sort_f32(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Sorts<float> s(x, y, out, n); s.Run(); }
