// attention of one block of queries, as flash attention does its softmax: keys come in pieces, results so far are rescaled
#include "kernel_operator.h"
using namespace AscendC;

constexpr SoftmaxConfig NARROW = {true, 0, 0, SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC};

// one column of values per query: out[r] = sum of softmax(scores[r])[i] * values[i]; scores [m, pieces * k], in T
template <typename T, typename U, const SoftmaxConfig &config> class Flash {
    static constexpr uint32_t stepT = config.mode == SoftmaxMode::SOFTMAX_NORMAL ? 32 / sizeof(T) : 1;
    static constexpr uint32_t stepU = config.mode == SoftmaxMode::SOFTMAX_NORMAL ? 32 / sizeof(U) : 1;

public:
    __aicore__ inline Flash(GM_ADDR x, GM_ADDR v, GM_ADDR y, uint32_t m, uint32_t k, uint32_t pieces) : m(m), k(k), pieces(pieces)
    {
        xGm.SetGlobalBuffer((__gm__ T *)x, m * k * pieces);
        vGm.SetGlobalBuffer((__gm__ T *)v, k * pieces);
        yGm.SetGlobalBuffer((__gm__ float *)y, m * 8);
        pipe.InitBuffer(scores, 1, m * k * sizeof(T));
        pipe.InitBuffer(values, 1, k * sizeof(T));
        pipe.InitBuffer(results, 1, m * 32);
        pipe.InitBuffer(sums, m * 32);
        pipe.InitBuffer(maxima, m * 32);
        pipe.InitBuffer(factors, m * 32);
        pipe.InitBuffer(shared, 1024);
    }
    __aicore__ inline void Process()
    {
        float acc[8] = {};
        for (uint32_t p = 0; p < pieces; p++) {
            LocalTensor<T> s = scores.AllocTensor<T>(), w = values.AllocTensor<T>();
            DataCopy(s, xGm[p * k], DataCopyParams(m, k * sizeof(T) / 32, (pieces - 1) * k * sizeof(T) / 32, 0));
            DataCopy(w, vGm[p * k], k);
            scores.EnQue(s);
            values.EnQue(w);
            Piece(p, acc);
        }
        LocalTensor<float> out = results.AllocTensor<float>();
        LocalTensor<U> sum = sums.Get<U>();
        for (uint32_t r = 0; r < m; r++)
            Duplicate(out[r * 8], acc[r] / (float)sum.GetValue(r * stepU), 8);
        results.EnQue(out);
        out = results.DeQue<float>();
        DataCopy(yGm, out, m * 8);
        results.FreeTensor(out);
    }

private:
    __aicore__ inline void Piece(uint32_t p, float *acc)
    {
        LocalTensor<T> s = scores.DeQue<T>(), w = values.DeQue<T>(), e = factors.Get<T>();
        LocalTensor<U> sum = sums.Get<U>(), max = maxima.Get<U>();
        SoftMaxShapeInfo shape = {m, k, m, k};
        SoftMaxTiling tiling = SoftMaxFlashV2TilingFunc(shape, sizeof(T), sizeof(U), 1024, p > 0, false);
        if (p == 0)
            SoftmaxFlashV2<T, false, true, false, false, config>(s, sum, max, s, e, sum, max, tiling, shape);
        else
            SoftmaxFlashV2<T, true, true, false, false, config>(s, sum, max, s, e, sum, max, shared.Get<uint8_t>(), tiling,
                                                                shape);
        for (uint32_t r = 0; r < m; r++) {
            float part = 0;
            for (uint32_t i = 0; i < k; i++)
                part += (float)s.GetValue(r * k + i) * (float)w.GetValue(i);
            acc[r] = p ? acc[r] * (float)e.GetValue(r * stepT) + part : part;
        }
        scores.FreeTensor(s);
        values.FreeTensor(w);
    }

    uint32_t m, k, pieces;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> scores, values;
    TQue<TPosition::VECOUT, 1> results;
    TBuf<TPosition::VECCALC> sums, maxima, factors, shared;
    GlobalTensor<T> xGm, vGm;
    GlobalTensor<float> yGm;
};

extern "C" __global__ __aicore__ void flash(GM_ADDR xh, GM_ADDR xf, GM_ADDR vh, GM_ADDR vf, GM_ADDR y, uint32_t m, uint32_t k,
                                            uint32_t pieces)
{
    {
        Flash<half, half, SOFTMAX_DEFAULT_CFG> op(xh, vh, y, m, k, pieces);
        op.Process();
    }
    {
        Flash<half, float, SOFTMAX_DEFAULT_CFG> op(xh, vh, y + m * 32, m, k, pieces);
        op.Process();
    }
    {
        Flash<float, float, SOFTMAX_DEFAULT_CFG> op(xf, vf, y + 2 * m * 32, m, k, pieces);
        op.Process();
    }
    Flash<float, float, NARROW> op(xf, vf, y + 3 * m * 32, m, k, pieces);
    op.Process();
}
