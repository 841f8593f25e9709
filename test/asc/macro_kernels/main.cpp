// launches both kernels by the function of kernels.cpp, and one by ACLRT_LAUNCH_KERNEL with the struct's address
#include <cstdio>
#include <vector>
#include "acl/acl.h"
#include "aclrtlaunch_negate.h"
#include "shape.h"

namespace scale {
extern int run(int bytes, uint32_t blocks, void *stream, void *x, void *y, Shape shape, float factor);
}

template <typename T, typename F> static int check(int columns, float factor, F launch)
{
    const Shape shape = { 16, (uint32_t)columns };
    std::vector<T> x(shape.rows * shape.columns), y(x.size());
    for (size_t i = 0; i < x.size(); i++)
        x[i] = (T)((int)(i % 97) - 48);
    void *dx, *dy;
    size_t bytes = x.size() * sizeof(T);
    if (aclrtMalloc(&dx, bytes, ACL_MEM_MALLOC_HUGE_FIRST) || aclrtMalloc(&dy, bytes, ACL_MEM_MALLOC_HUGE_FIRST) ||
        aclrtMemcpy(dx, bytes, x.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE))
        return 1;
    launch(dx, dy, shape);
    if (aclrtSynchronizeStream(nullptr) || aclrtMemcpy(y.data(), bytes, dy, bytes, ACL_MEMCPY_DEVICE_TO_HOST))
        return 1;
    for (size_t i = 0; i < x.size(); i++)
        if ((float)y[i] != (float)x[i] * factor)
            return printf("element %zu: %g, expected %g\n", i, (float)y[i], (float)x[i] * factor), 1;
    return 0;
}

int main()
{
    aclInit(nullptr);
    aclrtSetDevice(0);
    int bad = check<_Float16>(32, 0.5f, [](void *x, void *y, Shape s) { scale::run(2, 4, nullptr, x, y, s, 0.5f); });
    bad += check<float>(24, -2.0f, [](void *x, void *y, Shape s) { scale::run(4, 2, nullptr, x, y, s, -2.0f); });
    bad += check<float>(8, -1.0f, [](void *x, void *y, Shape s) { ACLRT_LAUNCH_KERNEL(negate)(8, nullptr, x, y, &s); });
    printf(bad ? "wrong\n" : "test pass!\n");
    return bad != 0;
}
