// shared by kernels and host: plain struct, a function for both, the qualifier as old headers define it
#ifndef SHAPE_H
#define SHAPE_H
#include <cstdint>
#ifdef __CCE_KT_TEST__
#define __aicore__
#else
#define __aicore__ [aicore]
#endif

struct Shape {
    uint32_t rows, columns;
};
inline __aicore__ uint32_t RowsPerBlock(const Shape &s, int64_t blocks) { return s.rows / (uint32_t)blocks; }

#define SET_WAIT(from, to)                                                                                             \
    AscendC::SetFlag<AscendC::HardEvent::from##_##to>(EVENT_ID1);                                                      \
    AscendC::WaitFlag<AscendC::HardEvent::from##_##to>(EVENT_ID1);
#endif
