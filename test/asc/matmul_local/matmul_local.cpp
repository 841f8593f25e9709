// the Matmul object of a mixed kernel with matrices in UB: A and the bias, B transposed, A as NZ; each block has two vector cores
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

template <TPosition pos, CubeFormat form> using Left = MatmulType<pos, form, half>;
using Gm = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Right = MatmulType<TPosition::VECIN, CubeFormat::ND, half, true>;
using Result = MatmulType<TPosition::GM, CubeFormat::ND, float>;
using Bias = MatmulType<TPosition::VECIN, CubeFormat::ND, float>;

extern "C" __global__ __aicore__ void matmul_local(GM_ADDR aGm, GM_ADDR bGm, GM_ADDR btGm, GM_ADDR biasGm, GM_ADDR cGm,
                                                   uint32_t m, uint32_t n, uint32_t k)
{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    TCubeTiling tiling = {};
    tiling.M = tiling.singleCoreM = m;
    tiling.N = tiling.singleCoreN = n;
    tiling.Ka = tiling.Kb = tiling.singleCoreK = k;
    tiling.baseM = 32;
    tiling.baseN = 32;
    tiling.baseK = 32;
    Matmul<Left<TPosition::VECIN, CubeFormat::ND>, Gm, Result, Bias> first;
    Matmul<Gm, Right, Result> second;
    Matmul<Left<TPosition::VECCALC, CubeFormat::NZ>, Gm, Result> third;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), first, &tiling, second, &tiling, third, &tiling);

    // each vector core has a matrix A of its own
    uint32_t me = GetBlockIdx();
    GlobalTensor<half> a, b, bt;
    GlobalTensor<float> bias, c;
    a.SetGlobalBuffer((__gm__ half *)aGm + me * m * k, m * k);
    b.SetGlobalBuffer((__gm__ half *)bGm, k * n);
    bt.SetGlobalBuffer((__gm__ half *)btGm, n * k);
    bias.SetGlobalBuffer((__gm__ float *)biasGm, n);
    c.SetGlobalBuffer((__gm__ float *)cGm + me * 3 * m * n, 3 * m * n);
    TBuf<TPosition::VECIN> buf;
    pipe.InitBuffer(buf, (m * k + AlignUp(m, 16u) * k + n * k) * sizeof(half) + n * sizeof(float));
    LocalTensor<half> al = buf.Get<half>(), nz = al[m * k], bl = nz[AlignUp(m, 16u) * k];
    LocalTensor<float> biasl = bl[n * k].ReinterpretCast<float>();
    DataCopy(al, a, m * k);
    DataCopy(bl, bt, n * k);
    DataCopy(biasl, bias, n);
    PipeBarrier<PIPE_ALL>();
    // rows to strips of 16 columns, whose last rows are padding
    Duplicate(nz, (half)0, AlignUp(m, 16u) * k);
    for (uint32_t strip = 0; strip < k / 16; strip++)
        DataCopy(nz[strip * AlignUp(m, 16u) * 16], al[strip * 16],
                 DataCopyParams((uint16_t)m, 1, (uint16_t)(k / 16 - 1), 0));
    PipeBarrier<PIPE_ALL>();

    first.SetTensorA(al);
    first.SetTensorB(b);
    first.SetBias(biasl);
    first.IterateAll(c);
    first.End();
    second.SetTensorA(a);
    second.SetTensorB(bl, true);
    while (second.Iterate())
        second.GetTensorC(c[m * n]);
    second.End();
    third.SetTensorA(nz);
    third.SetTensorB(b);
    third.IterateAll(c[2 * m * n]);
    third.End();
}
