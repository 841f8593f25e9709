// the smaller parts of the cube core of 910B: constants, transposed loads, img2col by hand, scales, modes
#include "kernel_operator.h"
using namespace AscendC;

// out: matrices of 32 x 32 floats; a and b are 32 x 32
class Parts {
public:
    __aicore__ inline Parts(GM_ADDR a, GM_ADDR b, GM_ADDR out)
    {
        aGm.SetGlobalBuffer((__gm__ half *)a, 1024);
        bGm.SetGlobalBuffer((__gm__ half *)b, 1024);
        outGm.SetGlobalBuffer((__gm__ float *)out);
        pipe.InitBuffer(l1, 8192);
        pipe.InitBuffer(l0a, 2048);
        pipe.InitBuffer(l0b, 2048);
        pipe.InitBuffer(l0c, 4096);
        pipe.InitBuffer(fb, 1024);
        a1 = l1.Get<half>();
        b1 = a1[1024];
        a2 = l0a.Get<half>();
        b2 = l0b.Get<half>();
        c = l0c.Get<float>();
        Nd2NzParams p(1, 32, 32, 0, 32, 32, 1, 0);
        DataCopy(a1, aGm, p);
        DataCopy(b1, bGm, p);
        PipeBarrier<PIPE_ALL>();
    }
    // A as it is: fractals of L0A go along K first
    __aicore__ inline void LoadA()
    {
        for (uint32_t i = 0; i < 2; i++)
            LoadData(a2[i * 512], a1[i * 256], LoadData2DParams(0, 2, 2, 0, 0, false, 0));
        PipeBarrier<PIPE_ALL>();
    }
    __aicore__ inline void LoadB()
    {
        for (uint32_t i = 0; i < 2; i++)
            LoadData(b2[i * 512], b1[i * 256], LoadData2DParams(0, 2, 2, 0, 0, true, 0));
        PipeBarrier<PIPE_ALL>();
    }
    __aicore__ inline void Multiply(bool keep = false)
    {
        PipeBarrier<PIPE_ALL>();
        MmadParams p;
        p.m = 32;
        p.n = 32;
        p.k = 32;
        p.cmatrixInitVal = !keep;
        Mmad(c, a2, b2, p);
        PipeBarrier<PIPE_ALL>();
    }
    __aicore__ inline void Put()
    {
        FixpipeParamsV220 p(32, 32, 32, 32, false);
        Fixpipe<float, float, CFG_ROW_MAJOR>(outGm[1024 * row++], c, p);
        PipeBarrier<PIPE_ALL>();
    }
    __aicore__ inline void Run()
    {
        LoadA();
        LoadB();
        Multiply();
        Put();
        Multiply(true); // onto what is there
        Put();
        // A of ones, then B of twos: sums of columns, twice sums of rows
        InitConstValue(a2, InitConstValueParams<half>(1, 4, 0, (half)1));
        Multiply();
        Put();
        LoadA();
        InitConstValue(b2, InitConstValueParams<half>(1, 4, 0, (half)2));
        Multiply();
        Put();
        // B by the transposing load, block after block
        LoadDataWithTranspose(b2, b1, LoadData2dTransposeParams(0, 2, 2, 0, 0));
        LoadDataWithTranspose(b2[512], b1[256], LoadData2dTransposeParams(0, 2, 2, 0, 0));
        Multiply();
        Put();
        // A as an image of 4 x 8 points with 32 channels under a filter of one point, its registers set by hand
        uint8_t pads[4] = {0, 0, 0, 0};
        SetFmatrix(4, 8, pads, FmatrixMode::FMATRIX_LEFT);
        SetLoadDataPaddingValue((half)0);
        SetLoadDataBoundary((uint32_t)0);
        SetLoadDataRepeat(LoadDataRepeatParam(0, 1, 0));
        LoadData3DParamsV2<half> image(pads, 4, 8, 32, 32, 32, 0, 0, 1, 1, 1, 1, 1, 1, false, false, (half)0);
        static constexpr IsResetLoad3dConfig by_hand = {false, false};
        LoadData<half, by_hand>(a2, a1, image);
        Multiply();
        Put();
        // out by the register forms: rows, as half, with a relu
        SetFixpipeNz2ndFlag(1, 0, 0);
        GlobalTensor<half> halves;
        halves.SetGlobalBuffer((__gm__ half *)outGm[1024 * row++].GetPhyAddr());
        FixpipeParamsV220 p(32, 32, 32, 32, true);
        p.quantPre = QuantMode_t::F322F16;
        Fixpipe<half, float, CFG_ROW_MAJOR>(halves, c, p);
        PipeBarrier<PIPE_ALL>();
        // the older description
        FixpipeParams<float> old(2, 64, 0, 32);
        old.nz2ndParams = Nz2NdParams(true, 1, 0, 0, 32);
        Fixpipe(outGm[1024 * row++], c, old);
        PipeBarrier<PIPE_ALL>();
        // s32 sums to half, scaled by one number
        InitConstValue(a2, InitConstValueParams<half>(1, 4, 0, (half)0));
        Bytes();
        // modes are bits of a register
        SetHF32Mode(true);
        ASSERT((GetCtrlSpr<46, 46>() == 1));
        SetHF32Mode(false);
        SetHF32TransMode(true);
        ASSERT((GetCtrlSpr<46, 47>() == 2));
        SetHF32TransMode(false);
        SetMMRowMajor();
        ASSERT((GetCtrlSpr<51, 51>() == 1));
        SetMMColumnMajor();
        ASSERT((GetCtrlSpr<51, 51>() == 0));
        SetMMLayoutTransform(false);
    }
    // the first bytes of a and b as whole numbers are zero: 1 x 1 products of constants
    __aicore__ inline void Bytes()
    {
        LocalTensor<int8_t> a8 = a2.ReinterpretCast<int8_t>(), b8 = b2.ReinterpretCast<int8_t>();
        InitConstValue(a2.ReinterpretCast<uint16_t>(), InitConstValueParams<uint16_t>(1, 2, 0, 0x0303));
        InitConstValue(b2.ReinterpretCast<uint16_t>(), InitConstValueParams<uint16_t>(1, 2, 0, 0x0202));
        PipeBarrier<PIPE_ALL>();
        LocalTensor<int32_t> ci = c.ReinterpretCast<int32_t>();
        MmadParams m;
        m.m = 32;
        m.n = 32;
        m.k = 32;
        Mmad(ci, a8, b8, m); // 32 * 3 * 2 = 192 everywhere
        PipeBarrier<PIPE_ALL>();
        GlobalTensor<half> halves;
        halves.SetGlobalBuffer((__gm__ half *)outGm[1024 * row++].GetPhyAddr());
        FixpipeParamsV220 p(32, 32, 32, 32, false);
        p.quantPre = QuantMode_t::DEQF16;
        p.deqScalar = 0x3f000000; // 0.5f
        SetFixpipePreQuantFlag(p.deqScalar);
        Fixpipe<half, int32_t, CFG_ROW_MAJOR>(halves, ci, p);
        PipeBarrier<PIPE_ALL>();
        // and by one scale per column, 0.25 for all: in L1, then in the fixpipe buffer
        LocalTensor<uint64_t> scales = l1.Get<uint64_t>()[512];
        InitConstValue(scales.ReinterpretCast<uint32_t>(), InitConstValueParams<uint32_t>(1, 8, 0, 0x3e800000));
        PipeBarrier<PIPE_ALL>();
        halves.SetGlobalBuffer((__gm__ half *)outGm[1024 * row++].GetPhyAddr());
        p.quantPre = QuantMode_t::VDEQF16;
        LocalTensor<uint64_t> table = fb.Get<uint64_t>();
        DataCopy(table, scales, DataCopyParams(1, 2, 0, 0));
        PipeBarrier<PIPE_ALL>();
        SetFixPipeConfig(table);
        Fixpipe<half, int32_t, CFG_ROW_MAJOR>(halves, ci, p);
        PipeBarrier<PIPE_ALL>();
    }
    TPipe pipe;
    TBuf<TPosition::A1> l1;
    TBuf<TPosition::A2> l0a;
    TBuf<TPosition::B2> l0b;
    TBuf<TPosition::CO1> l0c;
    TBuf<TPosition::C2PIPE2GM> fb;
    GlobalTensor<half> aGm, bGm;
    GlobalTensor<float> outGm;
    LocalTensor<half> a1, b1, a2, b2;
    LocalTensor<float> c;
    uint32_t row = 0;
};
extern "C" __global__ __aicore__ void cube_parts(GM_ADDR a, GM_ADDR b, GM_ADDR out)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    Parts p(a, b, out);
    p.Run();
}
