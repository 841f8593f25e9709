// a 3 x 3 convolution with padding 1 on the fused cores: the first version of LoadData 3D, repeats over the filter or over windows
#include "kernel_operator.h"

using namespace AscendC;
extern "C" __global__ __aicore__ void conv(GM_ADDR fm, GM_ADDR weight, GM_ADDR out, uint32_t windows)
{
    constexpr uint16_t h = 8, w = 8, c = 32, kh = 3, kw = 3, cout = 32, c0 = 16;
    constexpr uint16_t m = h * w, k = c * kh * kw, kBlocks = k / c0;
    TPipe pipe;
    TBuf<TPosition::A1> bufA1;
    TBuf<TPosition::A2> bufA2;
    TBuf<TPosition::B1> bufB1;
    TBuf<TPosition::B2> bufB2;
    TBuf<TPosition::CO1> bufC;
    TBuf<TPosition::VECCALC> bufOut;
    GlobalTensor<half> fmGm, wGm;
    GlobalTensor<float> outGm;
    fmGm.SetGlobalBuffer((__gm__ half *)fm);
    wGm.SetGlobalBuffer((__gm__ half *)weight);
    outGm.SetGlobalBuffer((__gm__ float *)out);
    pipe.InitBuffer(bufA1, h * w * c * sizeof(half));
    pipe.InitBuffer(bufA2, m * k * sizeof(half));
    pipe.InitBuffer(bufB1, k * cout * sizeof(half));
    pipe.InitBuffer(bufB2, k * cout * sizeof(half));
    pipe.InitBuffer(bufC, m * cout * sizeof(float));
    pipe.InitBuffer(bufOut, m * cout * sizeof(float));
    LocalTensor<half> a1 = bufA1.Get<half>(), a2 = bufA2.Get<half>(), b1 = bufB1.Get<half>(), b2 = bufB2.Get<half>();
    DataCopy(a1, fmGm, h * w * c);
    DataCopy(b1, wGm, k * cout); // FRACTAL_Z: [C1 * Kh * Kw, N1, N0, C0], which is the order of L0B
    PipeBarrier<PIPE_ALL>();
    uint8_t pad[4] = {1, 1, 1, 1};
    if (windows) {
        // a point of the filter and 16 channels at a time: the fractals of a column, one below the other
        for (uint16_t i = 0; i < kBlocks; i++) {
            uint8_t point = i % (kw * kh);
            LoadData(a2[i * 256], a1,
                     LoadData3DParamsV1<half>(pad, h, w, i / (kw * kh), point % kw, point / kw, -1, -1, 1, 1, kw, kh, 1, 1,
                                              kBlocks, 1, m / 16, 0, (half)0));
        }
    } else {
        // 16 windows, two rows of the result, at a time: the fractals of a row
        for (int16_t i = 0; i < m / 16; i++)
            LoadData(a2[i * 16 * k], a1,
                     LoadData3DParamsV1<half>(pad, h, w, 0, 0, 0, -1, i * 2 - 1, 1, 1, kw, kh, 1, 1, 1, 0, kBlocks, 0, (half)0));
    }
    LoadData(b2, b1, LoadData2DParams(0, kBlocks * cout / 16, 1, 0, 0, false, 0));
    PipeBarrier<PIPE_ALL>();
    LocalTensor<float> cl = bufC.Get<float>(), o = bufOut.Get<float>();
    MmadParams mp;
    mp.m = m;
    mp.n = cout;
    mp.k = k;
    Mmad(cl, a2, b2, mp);
    PipeBarrier<PIPE_ALL>();
    DataCopyEnhancedParams how;
    how.blockMode = BlockMode::BLOCK_MODE_MATRIX;
    DataCopy(o, cl, DataCopyParams(1, m / 16 * cout / 16, 0, 0), how);
    PipeBarrier<PIPE_ALL>();
    for (uint32_t strip = 0; strip < cout / 16; strip++)
        DataCopy(outGm[strip * 16], o[strip * m * 16], DataCopyParams(m, 2, 0, (cout - 16) / 8));
    PipeBarrier<PIPE_ALL>();
}
