// tiling by the host, launch by ACLRT_LAUNCH_KERNEL, the result against a plain loop
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "acl/acl.h"
#include "aclrtlaunch_matmul_leakyrelu.h"
#include "kernel_operator.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

#define CHECK_ACL(x)                                                           \
    do {                                                                       \
        aclError e = x;                                                        \
        if (e != ACL_SUCCESS) {                                                \
            fprintf(stderr, "%s:%d aclError %d\n", __FILE__, __LINE__, e);     \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

using namespace matmul_tiling;

static void *Upload(const void *host, size_t size)
{
    void *p = nullptr;
    CHECK_ACL(aclrtMalloc(&p, size, ACL_MEM_MALLOC_HUGE_FIRST));
    if (host)
        CHECK_ACL(aclrtMemcpy(p, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE));
    return p;
}

int main()
{
    constexpr int M = 256, N = 192, K = 128, cores = 2;
    auto platform = platform_ascendc::PlatformAscendCManager::GetInstance("Ascend910B1");
    MultiCoreMatmulTiling tilingApi(*platform);
    tilingApi.SetDim(cores);
    tilingApi.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, false);
    tilingApi.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, false);
    tilingApi.SetCType(TPosition::VECIN, CubeFormat::ND, DataType::DT_FLOAT);
    tilingApi.SetBiasType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    tilingApi.SetOrgShape(M, N, K);
    tilingApi.SetShape(M, N, K);
    tilingApi.SetBias(true);
    tilingApi.SetTraverse(MatrixTraverse::FIRSTM);
    tilingApi.SetFixSplit(64, 96, -1);
    tilingApi.SetBufferSpace(-1, -1, -1);
    optiling::TCubeTiling tilingData;
    if (tilingApi.GetTiling(tilingData) != 0)
        return 1;
    std::vector<uint8_t> tiling(tilingData.GetDataSize());
    tilingData.SaveToBuffer(tiling.data(), tiling.size());

    CHECK_ACL(aclInit(nullptr));
    CHECK_ACL(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    CHECK_ACL(aclrtCreateStream(&stream));
    std::vector<half> a(M * K), b(K * N);
    std::vector<float> bias(N), c(M * N);
    for (int i = 0; i < M * K; i++)
        a[i] = (half)((i * 37 % 101 - 50) / 64.0f);
    for (int i = 0; i < K * N; i++)
        b[i] = (half)((i * 53 % 97 - 48) / 64.0f);
    for (int i = 0; i < N; i++)
        bias[i] = (float)(i % 7 - 3);
    void *da = Upload(a.data(), a.size() * 2), *db = Upload(b.data(), b.size() * 2), *dbias = Upload(bias.data(), bias.size() * 4),
         *dc = Upload(nullptr, c.size() * 4), *work = Upload(nullptr, platform->GetLibApiWorkSpaceSize()), *dt = Upload(tiling.data(), tiling.size());
    ACLRT_LAUNCH_KERNEL(matmul_leakyrelu)(cores / 2, stream, da, db, dbias, dc, work, dt);
    CHECK_ACL(aclrtSynchronizeStream(stream));
    CHECK_ACL(aclrtMemcpy(c.data(), c.size() * 4, dc, c.size() * 4, ACL_MEMCPY_DEVICE_TO_HOST));
    int wrong = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double s = bias[j];
            for (int k = 0; k < K; k++)
                s += (double)a[i * K + k] * (double)b[k * N + j];
            s = s >= 0 ? s : 0.001 * s;
            if (std::fabs(c[i * N + j] - s) > 1e-4 + 1e-4 * std::fabs(s) && wrong++ < 5)
                fprintf(stderr, "c[%d][%d] = %g, expected %g\n", i, j, c[i * N + j], s);
        }
    CHECK_ACL(aclrtDestroyStream(stream));
    CHECK_ACL(aclrtResetDevice(0));
    CHECK_ACL(aclFinalize());
    printf(wrong ? "%d of %d wrong\n" : "test pass!\n", wrong, M * N);
    return wrong != 0;
}
