// sorts of 910 and 310P: scores and places into region proposals, RpSort16 of every 16, MrgSort4 of four lists, and out again
#include "kernel_operator.h"
#include "../rows.h"
using namespace AscendC;

template <typename T> class Proposals {
public:
    __aicore__ inline Proposals(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) : r(x, y, out, n)
    {
        r.pipe.InitBuffer(more, 2 * n * 8 * sizeof(T));
        from = more.GetWithOffset<T>(n * 8, 0);
        to = more.GetWithOffset<T>(n * 8, n * 8 * sizeof(T));
    }
    // element 4 of a proposal is its score, element 0 holds its place
    __aicore__ inline void Show(const LocalTensor<T> &proposals, uint32_t count)
    {
        ProposalExtract(r.d, proposals, count / 16, 4);
        r.Put();
        ProposalExtract(r.d, proposals, count / 16, 0);
        r.Put();
    }
    __aicore__ inline void Run()
    {
        for (uint32_t i = 0; i < r.n; i++)
            r.w.SetValue(i, (T)(float)i);
        Duplicate(from, (T)0, r.n * 8);
        ProposalConcat(from, r.x, r.n / 16, 4);
        ProposalConcat(from, r.w, r.n / 16, 0);
        RpSort16(to, from, r.n / 16);
        Show(to, r.n);
        uint16_t lengths[4] = {16, 16, 16, 16};
        MrgSort4(from, MrgSortSrcList<T>(to, to[128], to[256], to[384]), MrgSort4Info(lengths, false, 15, 1));
        Show(from, 64);
#if __NPU_ARCH__ == 2002
        // two lists until one has nothing left
        MrgSort4(from, MrgSortSrcList<T>(to, to[128], to, to), MrgSort4Info(lengths, true, 3, 1));
        uint16_t a, b, c, d;
        GetMrgSortResult(a, b, c, d);
        ASSERT((a == 16) != (b == 16) && c == 0 && d == 0);
#endif
    }
    Rows<T> r;
    TBuf<> more;
    LocalTensor<T> from, to;
};
extern "C" __global__ __aicore__ void proposals_f16(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Proposals<half> p(x, y, out, n); p.Run(); }
#if __NPU_ARCH__ == 2002
extern "C" __global__ __aicore__ void proposals_f32(GM_ADDR x, GM_ADDR y, GM_ADDR out, uint32_t n) { Proposals<float> p(x, y, out, n); p.Run(); }
#endif
