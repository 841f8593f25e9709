/*
 * kernel_tiling.h - tiling structs of the library calls, the same on both sides. Names of members are public; those that
 * Vinci's own library does not need are there so that host code which sets them compiles.
 */
#ifndef VINCI_KERNEL_TILING_H
#define VINCI_KERNEL_TILING_H
#include <stdint.h>

#define VINCI_CUBE_TILING(X)                                                                                           \
	X(usedCoreNum) X(M) X(N) X(Ka) X(Kb) X(singleCoreM) X(singleCoreN) X(singleCoreK) X(baseM) X(baseN) X(baseK)   \
	X(depthA1) X(depthB1) X(stepM) X(stepN) X(isBias) X(transLength) X(iterateOrder) X(shareMode) X(shareL1Size)   \
	X(shareL0CSize) X(shareUbSize) X(batchM) X(batchN) X(singleBatchM) X(singleBatchN) X(stepKa) X(stepKb)         \
	X(depthAL1CacheUB) X(depthBL1CacheUB) X(dbL0A) X(dbL0B) X(dbL0C) X(ALayoutInfoB) X(ALayoutInfoS) X(ALayoutInfoN)\
	X(ALayoutInfoG) X(ALayoutInfoD) X(BLayoutInfoB) X(BLayoutInfoS) X(BLayoutInfoN) X(BLayoutInfoG) X(BLayoutInfoD)\
	X(CLayoutInfoB) X(CLayoutInfoS1) X(CLayoutInfoN) X(CLayoutInfoG) X(CLayoutInfoS2) X(BatchNum)
#define VINCI_SOFTMAX_TILING(X)                                                                                        \
	X(srcM) X(srcK) X(srcSize) X(outMaxM) X(outMaxK) X(outMaxSize) X(splitM) X(splitK) X(splitSize) X(reduceM) X(reduceK)\
	X(reduceSize) X(rangeM) X(tailM) X(tailSplitSize) X(tailReduceSize)
#define VINCI_LAYERNORM_TILING(X)                                                                                      \
	X(bLength) X(sLength) X(hLength) X(originalHLength) X(inputXSize) X(meanVarSize) X(numberOfTmpBuf) X(meanTmpTensorPos)\
	X(meanTmpTensorSize) X(varianceTmpTensorPos) X(varianceTmpTensorSize) X(tmpBufSize) X(oneTmpSize) X(firstTmpStartPos)\
	X(secondTmpStartPos) X(thirdTmpStartPos) X(loopRound) X(inputRoundSize) X(inputTailSize) X(inputTailPos)       \
	X(meanVarRoundSize) X(meanVarTailSize) X(meanVarTailPos) X(bshCurLength) X(bsCurLength) X(lastDimValueBack)
#define VINCI_RMSNORM_TILING(X)                                                                                        \
	X(bLength) X(sLength) X(hLength) X(originalHLength) X(reciprocalOfHLength) X(mainBshLength) X(mainBsLength)    \
	X(mainBsLengthAlign) X(loopRound) X(inputTailPos) X(tailBshLength) X(tailBsLength)
/* of the following, the members that say the shape: meanVarSize of batch norm is S x H */
#define VINCI_BATCHNORM_TILING(X) X(originalBLength) X(meanVarSize)
#define VINCI_GROUPNORM_TILING(X) X(n) X(c) X(hw) X(g) X(d)
#define VINCI_BSH_TILING(X) X(bLength) X(sLength) X(hLength) X(originalHLength)
#ifdef __riscv
#define VINCI_TILING_MEMBER(name) int32_t name;
struct TCubeTiling { VINCI_CUBE_TILING(VINCI_TILING_MEMBER) };
#undef VINCI_TILING_MEMBER
#define VINCI_TILING_MEMBER(name) uint32_t name;
struct SoftMaxTiling { VINCI_SOFTMAX_TILING(VINCI_TILING_MEMBER) };
struct LayerNormTiling { VINCI_LAYERNORM_TILING(VINCI_TILING_MEMBER) };
struct RmsNormTiling { VINCI_RMSNORM_TILING(VINCI_TILING_MEMBER) };
struct BatchNormTiling { VINCI_BATCHNORM_TILING(VINCI_TILING_MEMBER) };
struct GroupNormTiling { VINCI_GROUPNORM_TILING(VINCI_TILING_MEMBER) };
struct DeepNormTiling { VINCI_BSH_TILING(VINCI_TILING_MEMBER) };
struct LayerNormGradTiling { VINCI_BSH_TILING(VINCI_TILING_MEMBER) };
struct LayerNormGradBetaTiling { VINCI_BSH_TILING(VINCI_TILING_MEMBER) };
#undef VINCI_TILING_MEMBER
#define VINCI_TILING_USES                                                                                              \
	using ::TCubeTiling; using ::SoftMaxTiling; using ::LayerNormTiling; using ::RmsNormTiling; using ::BatchNormTiling;\
	using ::GroupNormTiling; using ::DeepNormTiling; using ::LayerNormGradTiling; using ::LayerNormGradBetaTiling;
namespace AscendC { VINCI_TILING_USES namespace tiling { VINCI_TILING_USES } }
#endif
#endif
