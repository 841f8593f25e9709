// a tiling struct read in every way, with a key per branch
#include "kernel_operator.h"
using namespace AscendC;

BEGIN_TILING_DATA_DEF(AddTiling)
TILING_DATA_FIELD_DEF(uint32_t, total);
TILING_DATA_FIELD_DEF(uint32_t, tile);
TILING_DATA_FIELD_DEF(float, bias);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Add, AddTiling)

extern "C" __global__ __aicore__ void tiling(GM_ADDR x, GM_ADDR out, GM_ADDR workspace, GM_ADDR tilingGm)
{
    REGISTER_TILING_DEFAULT(AddTiling);
    GET_TILING_DATA(t, tilingGm);
    GET_TILING_DATA_WITH_STRUCT(AddTiling, again, tilingGm);
    GET_TILING_DATA_MEMBER(AddTiling, tile, tile, tilingGm);
    GET_TILING_DATA_PTR_WITH_STRUCT(AddTiling, there, tilingGm);
    ASSERT(again.total == t.total && tile == t.tile && there->tile == t.tile && again.bias == t.bias);
    ASSERT(GetUserWorkspace(workspace) != nullptr);
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    TPipe pipe;
    TBuf<> buf;
    pipe.InitBuffer(buf, tile * sizeof(float));
    GlobalTensor<float> g, o;
    g.SetGlobalBuffer((__gm__ float *)x, t.total);
    o.SetGlobalBuffer((__gm__ float *)out, t.total);
    LocalTensor<float> l = buf.Get<float>();
    for (uint32_t i = 0; i < t.total / tile; i++) {
        DataCopy(l, g[i * tile], tile);
        PipeBarrier<PIPE_ALL>();
        if (TILING_KEY_IS(0))
            Adds(l, l, t.bias, tile);
        else if (TILING_KEY_IS(1))
            Muls(l, l, t.bias, tile);
        PipeBarrier<PIPE_ALL>();
        DataCopy(o[i * tile], l, tile);
        PipeBarrier<PIPE_ALL>();
    }
}
