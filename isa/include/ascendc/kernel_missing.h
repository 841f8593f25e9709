/*
 * kernel_missing.h - public names that are not here yet: using one is a compile error that says so.
 */
#ifndef VINCI_ASCENDC_MISSING_H
#define VINCI_ASCENDC_MISSING_H

namespace AscendC {
#define VINCI_SAYS_MISSING(name) __attribute__((unavailable("Vinci does not model AscendC::" #name " yet")))
/* plain calls, and those with template arguments: types, then values */
#define VINCI_MISSING(name)                                                                                            \
	template <typename... T> void name(T &&...) VINCI_SAYS_MISSING(name);                                          \
	template <typename A, auto... v, typename... T> void name(T &&...) VINCI_SAYS_MISSING(name);                   \
	template <typename A, typename B, auto... v, typename... T> void name(T &&...) VINCI_SAYS_MISSING(name);       \
	template <auto v0, auto... v, typename... T> void name(T &&...) VINCI_SAYS_MISSING(name);
#define VINCI_MISSING_LIST(X)                                                                                          \
	X(AddDeqRelu) X(CastDeq) X(CastDequant) X(Scatter) X(BilinearInterpolation) X(MmadWithSparse)                  \
	X(LoadDataWithSparse) X(LoadDataUnzip) X(LoadUnzipIndex) X(LoadImageToLocal) X(SetAippFunctions)               \
	X(VectorPadding) X(TopK) X(Conv2D) X(Gemm) X(Fill) X(DropOut) X(SoftmaxFlashV3)                                 \
	X(AdjustSoftMaxRes) X(Welford) X(WelfordUpdate) X(WelfordFinalize)                                             \
	X(AscendQuant) X(AscendDequant) X(AscendAntiQuant) X(Pad) X(UnPad) X(ConfusionTranspose) X(TransData)          \
	X(SelectWithBytesMask) X(CumSum) X(Digamma) X(Lgamma) X(Erfc) X(Acosh) X(Asinh) X(Atanh) X(ReduceMean)         \
	X(ReduceAll) X(ReduceAny) X(ReduceProd) X(MeshGrid) X(Mutex) X(SetAtomicType) X(LocalMemBar) X(Hypot)          \
	X(DataCopyScatter) X(GetICachePreloadStatus) X(SetVectorMaskForce) X(Truncate) X(Interleave) X(DeInterleave)   \
	X(Where) X(FusedMulsAdds)
VINCI_MISSING_LIST(VINCI_MISSING)
} // namespace AscendC
#endif
