/*
 * kernel_lib.h - library calls made of the vector calls: activations, elementary functions, softmax. Temporary
 * memory is what the TPipe has not handed out; a tensor given for it is accepted and not needed.
 */
#ifndef VINCI_ASCENDC_LIB_H
#define VINCI_ASCENDC_LIB_H

namespace AscendC {

/* `bytes` at the end of what the TPipe has handed out of UB, for the time of one call */
template <typename T> VINCI_A LocalTensor<T> vinci_scratch(uint32_t count, uint32_t skip_bytes = 0)
{
	uint32_t at = AlignUp((uint32_t)GetTPipePtr()->template GetQueueEndAddress<TPosition::VECCALC>() + skip_bytes, 32u);
	vinci_check(at + count * sizeof(T) <= TMP_UB_OFFSET,
		    "this library call needs temporary memory, and the unified buffer has too little "
		    "left: make the queues smaller");
	return LocalTensor<T>(TPosition::VECCALC, at, count);
}
#define VINCI_LIB_FORMS(name)                                                                                          \
	template <typename T, bool isReuseSource = false>                                                              \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,          \
			  const uint32_t count)                                                                        \
	{                                                                                                              \
		name##Count<T>(dst, src, (int32_t)count);                                                              \
	}                                                                                                              \
	template <typename T, bool isReuseSource = false>                                                              \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &)          \
	{                                                                                                              \
		name##Count<T>(dst, src, (int32_t)src.GetSize());                                                      \
	}                                                                                                              \
	template <typename T, bool isReuseSource = false>                                                              \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count)                  \
	{                                                                                                              \
		name##Count<T>(dst, src, (int32_t)count);                                                              \
	}                                                                                                              \
	template <typename T, bool isReuseSource = false>                                                              \
	VINCI_A void name(const LocalTensor<T> &dst, const LocalTensor<T> &src)                                        \
	{                                                                                                              \
		name##Count<T>(dst, src, (int32_t)src.GetSize());                                                      \
	}

/* Temporary area `which` of the four that vinci_as_float lays out: x is 0, t is 1. */
VINCI_A LocalTensor<float> vinci_area(const LocalTensor<float> &x, const LocalTensor<float> &t, uint32_t which, int32_t n)
{
	return LocalTensor<float>(TPosition::VECCALC, x.addr_ + which * (t.addr_ - x.addr_), (uint32_t)n);
}
/* Values in pieces that the memory left has room for four times, so that half inputs are computed as float; f(tensor x, tensor t,
 * n). */
template <typename T, typename F>
VINCI_A void vinci_as_float(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t count, F f)
{
	LocalTensor<float> x = vinci_scratch<float>(4 * 64);
	int32_t piece = (int32_t)((TMP_UB_OFFSET - x.addr_) / 16 / 64 * 64);
	piece = piece > 2048 ? 2048 : piece;
	piece = count < piece ? count : piece;
	LocalTensor<float> t(TPosition::VECCALC, x.addr_ + AlignUp((uint32_t)piece * 4, 32u), (uint32_t)piece);
	x.size_ = (uint32_t)piece * 4;
	for (int32_t at = 0; at < count; at += piece) {
		int32_t n = count - at < piece ? count - at : piece;
		if constexpr (std::is_same<T, float>::value)
			Adds(x, src[(uint32_t)at], 0.0f, n);
		else
			Cast(x, src[(uint32_t)at], RoundMode::CAST_NONE, (uint32_t)n);
		vinci_step();
		f(x, t, n);
		vinci_step();
		if constexpr (std::is_same<T, float>::value)
			Adds(dst[(uint32_t)at], x, 0.0f, n);
		else
			Cast(dst[(uint32_t)at], x, RoundMode::CAST_NONE, (uint32_t)n);
		vinci_step();
	}
}
/* x = 1 / (1 + exp(-x)) */
VINCI_A void vinci_sigmoid(const LocalTensor<float> &x, const LocalTensor<float> &t, int32_t n, float scale)
{
	Muls(x, x, -scale, n);
	vinci_step();
	Exp(x, x, n);
	vinci_step();
	Adds(x, x, 1.0f, n);
	Duplicate(t, 1.0f, n);
	vinci_step();
	Div(x, t, x, n);
}
#define VINCI_LIB(name, ...)                                                                                           \
	template <typename T> VINCI_A void name##Count(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t count)\
	{                                                                                                              \
		VINCI_ONLY(#name, "half and float", T, half, float);                                                   \
		vinci_as_float<T>(dst, src, count,                                                                     \
				  [&](const LocalTensor<float> &x, const LocalTensor<float> &t, int32_t n)             \
					  __attribute__((always_inline)) { __VA_ARGS__ });                             \
	}                                                                                                              \
	VINCI_LIB_FORMS(name)
#define VINCI_THEN vinci_step();

VINCI_LIB(Sigmoid, vinci_sigmoid(x, t, n, 1.0f);)
/* 1 - 2 / (exp(2x) + 1), with x in a range where exp stays finite */
VINCI_LIB(Tanh, (void)t; Mins(x, x, 15.0f, n); VINCI_THEN Maxs(x, x, -15.0f, n); VINCI_THEN Muls(x, x, 2.0f, n);
	  VINCI_THEN Exp(x, x, n); VINCI_THEN Adds(x, x, 1.0f, n); Duplicate(t, -2.0f, n); VINCI_THEN Div(x, t, x, n);
	  VINCI_THEN Adds(x, x, 1.0f, n);)
/* x * sigmoid(x) */
#define VINCI_GATE(scale)                                                                                              \
	LocalTensor<float> keep = vinci_area(x, t, 2, n);                                     \
	Adds(keep, x, 0.0f, n);                                                                                        \
	vinci_sigmoid(x, t, n, scale);                                                                                 \
	VINCI_THEN Mul(x, x, keep, n);
VINCI_LIB(Silu, VINCI_GATE(1.0f))
VINCI_LIB(FasterGelu, VINCI_GATE(1.702f))
VINCI_LIB(FasterGeluV2, VINCI_GATE(1.702f))
/* x * sigmoid(1.5957691 (x + 0.044715 x^3)) */
VINCI_LIB(Gelu, LocalTensor<float> keep = vinci_area(x, t, 2, n); Adds(keep, x, 0.0f, n);
	  Mul(t, x, x, n); VINCI_THEN Mul(t, t, x, n); VINCI_THEN Muls(t, t, 0.044715f, n); VINCI_THEN Add(x, x, t, n);
	  VINCI_THEN vinci_sigmoid(x, t, n, 1.5957691f); VINCI_THEN Mul(x, x, keep, n);)
VINCI_LIB(Log, (void)t; Ln(x, x, n);)
VINCI_LIB(Log2, (void)t; Ln(x, x, n); VINCI_THEN Muls(x, x, 1.44269504f, n);)
VINCI_LIB(Log10, (void)t; Ln(x, x, n); VINCI_THEN Muls(x, x, 0.434294482f, n);)
VINCI_LIB(Cosh, Muls(t, x, -1.0f, n); VINCI_THEN Exp(x, x, n); Exp(t, t, n); VINCI_THEN Add(x, x, t, n);
	  VINCI_THEN Muls(x, x, 0.5f, n);)
VINCI_LIB(Sinh, Muls(t, x, -1.0f, n); VINCI_THEN Exp(x, x, n); Exp(t, t, n); VINCI_THEN Sub(x, x, t, n);
	  VINCI_THEN Muls(x, x, 0.5f, n);)
/* To whole numbers; by way of int32_t where the chip does not round floats, which holds for |x| < 2^31. */
VINCI_A void vinci_whole(const LocalTensor<float> &dst, const LocalTensor<float> &src, RoundMode mode, int32_t n)
{
#if VINCI_ARCH == 4
	Cast(dst, src, mode, (uint32_t)n);
#else
	LocalTensor<int32_t> i = dst.ReinterpretCast<int32_t>();
	Cast(i, src, mode, (uint32_t)n);
	vinci_step();
	Cast(dst, i, RoundMode::CAST_NONE, (uint32_t)n);
#endif
}
VINCI_LIB(Floor, (void)t; vinci_whole(x, x, RoundMode::CAST_FLOOR, n);)
VINCI_LIB(Ceil, (void)t; vinci_whole(x, x, RoundMode::CAST_CEIL, n);)
VINCI_LIB(Trunc, (void)t; vinci_whole(x, x, RoundMode::CAST_TRUNC, n);)
VINCI_LIB(Round, (void)t; vinci_whole(x, x, RoundMode::CAST_RINT, n);)
VINCI_LIB(Frac, vinci_whole(t, x, RoundMode::CAST_TRUNC, n); VINCI_THEN Sub(x, x, t, n);)
/* |x| to 1 through the magnitude, then the sign of x; 0 stays 0 */
VINCI_LIB(Sign, Abs(t, x, n); VINCI_THEN Adds(t, t, 1.17549435e-38f, n); VINCI_THEN Div(x, x, t, n);
	  VINCI_THEN vinci_whole(x, x, RoundMode::CAST_RINT, n);)
/* r = x - 2 pi k, in three parts of 2 pi; then an odd polynomial on [-pi, pi] by its Taylor series up to r^15 */
VINCI_A void vinci_sine(const LocalTensor<float> &x, const LocalTensor<float> &t, int32_t n)
{
	LocalTensor<float> r = vinci_area(x, t, 2, n);
	Muls(t, x, 0.159154943f, n);
	vinci_step();
	vinci_whole(t, t, RoundMode::CAST_RINT, n);
	vinci_step();
	Axpy(x, t, -6.28125f, n);
	vinci_step();
	Axpy(x, t, -0.00193500519f, n);
	vinci_step();
	Axpy(x, t, -3.01991605e-07f, n);
	vinci_step();
	Mul(t, x, x, n);
	constexpr float c[] = { -7.64716373e-13f, 1.60590438e-10f, -2.50521084e-08f, 2.75573192e-06f,
				-1.98412698e-04f, 8.33333333e-03f, -0.166666667f };
	Duplicate(r, c[0], n);
	vinci_step();
	for (int i = 1; i < 7; i++) {
		Mul(r, r, t, n);
		vinci_step();
		Adds(r, r, c[i], n);
		vinci_step();
	}
	Mul(r, r, t, n);
	vinci_step();
	Mul(r, r, x, n);
	vinci_step();
	Add(x, x, r, n);
}
VINCI_LIB(Sin, vinci_sine(x, t, n);)
VINCI_LIB(Cos, Adds(x, x, 1.57079633f, n); VINCI_THEN vinci_sine(x, t, n);)
/* Abramowitz and Stegun 7.1.26 on |x|, then the sign */
VINCI_LIB(Erf, LocalTensor<float> s = vinci_area(x, t, 2, n);
	  LocalTensor<float> p = vinci_area(x, t, 3, n); Adds(s, x, 0.0f, n); Abs(x, x, n);
	  VINCI_THEN Muls(t, x, 0.3275911f, n); VINCI_THEN Adds(t, t, 1.0f, n); Duplicate(p, 1.0f, n);
	  VINCI_THEN Div(t, p, t, n); VINCI_THEN Muls(p, t, 1.061405429f, n); VINCI_THEN Adds(p, p, -1.453152027f, n);
	  VINCI_THEN Mul(p, p, t, n); VINCI_THEN Adds(p, p, 1.421413741f, n); VINCI_THEN Mul(p, p, t, n);
	  VINCI_THEN Adds(p, p, -0.284496736f, n); VINCI_THEN Mul(p, p, t, n); VINCI_THEN Adds(p, p, 0.254829592f, n);
	  VINCI_THEN Mul(p, p, t, n); Mul(t, x, x, n); VINCI_THEN Muls(t, t, -1.0f, n); VINCI_THEN Exp(t, t, n);
	  VINCI_THEN Mul(p, p, t, n); VINCI_THEN Muls(p, p, -1.0f, n); VINCI_THEN Adds(p, p, 1.0f, n); Abs(t, s, n);
	  VINCI_THEN Adds(t, t, 1.0e-30f, n); VINCI_THEN Div(s, s, t, n); VINCI_THEN Mul(x, p, s, n);)

/* x * sigmoid(beta x) */
template <typename T, bool isReuseSource = false>
VINCI_A void Swish(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, const vinci_plain<T> beta)
{
	float b = (float)beta;
	vinci_as_float<T>(dst, src, (int32_t)count,
			  [&](const LocalTensor<float> &x, const LocalTensor<float> &t, int32_t n)
				  __attribute__((always_inline)) { VINCI_GATE(b) });
}
/* src0 * src1 * sigmoid(beta src1) */
template <typename T, bool isReuseSource = false>
VINCI_A void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const float &beta,
		    uint32_t count)
{
	Swish(dst, src1, count, (T)beta);
	vinci_step();
	Mul(dst, dst, src0, (int32_t)count);
}
template <typename T, bool isReuseSource = false>
VINCI_A void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const float &beta)
{
	SwiGLU<T, isReuseSource>(dst, src0, src1, beta, src1.GetSize());
}
template <typename T, bool isReuseSource = false>
VINCI_A void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const float &beta,
		    const LocalTensor<uint8_t> &, uint32_t count)
{
	SwiGLU<T, isReuseSource>(dst, src0, src1, beta, count);
}
template <typename T, bool isReuseSource = false>
VINCI_A void SwiGLU(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const float &beta,
		    const LocalTensor<uint8_t> &)
{
	SwiGLU<T, isReuseSource>(dst, src0, src1, beta, src1.GetSize());
}
/* src0^src1 of positive bases: exp(src1 ln src0) */
template <typename T, bool isReuseSource = false>
VINCI_A void Power(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, uint32_t count)
{
	LocalTensor<T> t = vinci_scratch<T>(count);
	Ln(t, src0, (int32_t)count);
	vinci_step();
	Mul(t, t, src1, (int32_t)count);
	vinci_step();
	Exp(dst, t, (int32_t)count);
}
template <typename T, bool isReuseSource = false>
VINCI_A void Power(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const vinci_plain<T> &exponent, uint32_t count)
{
	LocalTensor<T> t = vinci_scratch<T>(count);
	Ln(t, src0, (int32_t)count);
	vinci_step();
	Muls(t, t, exponent, (int32_t)count);
	vinci_step();
	Exp(dst, t, (int32_t)count);
}
template <typename T, bool isReuseSource = false>
VINCI_A void ClampMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
		      const vinci_plain<T> v, const uint32_t n)
{
	Mins(dst, src, v, (int32_t)n);
}
template <typename T, bool isReuseSource = false>
VINCI_A void ClampMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
		      const vinci_plain<T> v, const uint32_t n)
{
	Maxs(dst, src, v, (int32_t)n);
}

/* sum of each row of n of outter rows (rows `inner` apart) */
struct SumParams { uint32_t outter, inner, n; };
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
VINCI_A void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &, const SumParams &p)
{
	LocalTensor<T> t = vinci_scratch<T>(p.n / 64 + 64), one = vinci_scratch<T>(16, (p.n / 64 + 64) * 4);
	for (uint32_t r = 0; r < p.outter; r++) {
		ReduceSum<T>(one, src[r * p.inner], t, (int32_t)p.n);
		dst.SetValue(r, one.GetValue(0));
	}
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
VINCI_A void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SumParams &p)
{
	Sum<T, reduceDim, isReuseSource, isBasicBlock>(dst, src, LocalTensor<uint8_t>(), p);
}

/* --- softmax of the rows of an m x k tensor; max and sum get one block of 32 bytes per row, filled with the value --- */
struct SoftMaxShapeInfo { uint32_t srcM = 0, srcK = 0, oriSrcM = 0, oriSrcK = 0; };
enum class SoftmaxMode { SOFTMAX_NORMAL, SOFTMAX_OUTPUT_WITHOUT_BRC };
struct SoftmaxConfig {
	bool isCheckTiling = true;
	uint32_t oriSrcM = 0, oriSrcK = 0;
	SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {};
template <typename T, typename U>
VINCI_A void vinci_softmax(const LocalTensor<T> &dst, const LocalTensor<U> *sum, const LocalTensor<U> *max,
			   const LocalTensor<T> &src, uint32_t m, uint32_t pitch, uint32_t k)
{
	uint32_t row = AlignUp(k * 4, 32u);
	LocalTensor<float> x = vinci_scratch<float>(k), w = vinci_scratch<float>(k / 32 + 64, row),
			   one = vinci_scratch<float>(16, row + AlignUp((k / 32 + 64) * 4, 32u));
	constexpr uint32_t block = 32 / sizeof(U);
	for (uint32_t r = 0; r < m; r++) {
		if constexpr (std::is_same<T, float>::value)
			Adds(x, src[r * pitch], 0.0f, (int32_t)k);
		else
			Cast(x, src[r * pitch], RoundMode::CAST_NONE, k);
		vinci_step();
		ReduceMax<float>(one, x, w, (int32_t)k, false);
		float top = one.GetValue(0);
		Adds(x, x, -top, (int32_t)k);
		vinci_step();
		Exp(x, x, (int32_t)k);
		vinci_step();
		ReduceSum<float>(one, x, w, (int32_t)k);
		float total = one.GetValue(0);
		Muls(x, x, 1.0f / total, (int32_t)k);
		vinci_step();
		if constexpr (std::is_same<T, float>::value)
			Adds(dst[r * pitch], x, 0.0f, (int32_t)k);
		else
			Cast(dst[r * pitch], x, RoundMode::CAST_NONE, k);
		if (max)
			Duplicate<U>((*max)[r * block], (U)top, (int32_t)block);
		if (sum)
			Duplicate<U>((*sum)[r * block], (U)total, (int32_t)block);
		vinci_step();
	}
}
template <typename T>
VINCI_A void vinci_softmax_shape(const SoftMaxShapeInfo &s, const SoftMaxTiling &t, const LocalTensor<T> &src,
				 uint32_t &m, uint32_t &pitch, uint32_t &k)
{
	pitch = s.srcK ? s.srcK : t.srcK;
	m = s.oriSrcM ? s.oriSrcM : s.srcM ? s.srcM : t.srcM;
	k = s.oriSrcK ? s.oriSrcK : pitch;
	(void)src;
	vinci_check(pitch && m && k <= pitch, "SoftMax: neither the shape nor the tiling says rows and columns");
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
VINCI_A void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum, const LocalTensor<T> &max,
		     const LocalTensor<T> &src, const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {})
{
	uint32_t m, pitch, k;
	vinci_softmax_shape(shape, tiling, src, m, pitch, k);
	vinci_softmax<T, T>(dst, &sum, &max, src, m, pitch, k);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
VINCI_A void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum, const LocalTensor<T> &max,
		     const LocalTensor<T> &src, const LocalTensor<uint8_t> &, const SoftMaxTiling &tiling,
		     const SoftMaxShapeInfo &shape = {})
{
	SoftMax<T>(dst, sum, max, src, tiling, shape);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
VINCI_A void SoftMax(const LocalTensor<half> &dst, const LocalTensor<float> &sum, const LocalTensor<float> &max,
		     const LocalTensor<half> &src, const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {})
{
	uint32_t m, pitch, k;
	vinci_softmax_shape(shape, tiling, src, m, pitch, k);
	vinci_softmax<half, float>(dst, &sum, &max, src, m, pitch, k);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
VINCI_A void SoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,
		     const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {})
{
	uint32_t m, pitch, k;
	vinci_softmax_shape(shape, tiling, src, m, pitch, k);
	vinci_softmax<T, T>(dst, nullptr, nullptr, src, m, pitch, k);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
	  const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
VINCI_A void SimpleSoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum, const LocalTensor<T> &max,
			   const LocalTensor<T> &src, const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {})
{
	/* sum and max are given */
	uint32_t m, pitch, k;
	constexpr uint32_t block = 32 / sizeof(T);
	vinci_softmax_shape(shape, tiling, src, m, pitch, k);
	for (uint32_t r = 0; r < m; r++) {
		Adds(dst[r * pitch], src[r * pitch], (T)(-(float)max.GetValue(r * block)), (int32_t)k);
		vinci_step();
		Exp(dst[r * pitch], dst[r * pitch], (int32_t)k);
		vinci_step();
		Muls(dst[r * pitch], dst[r * pitch], (T)(1.0f / (float)sum.GetValue(r * block)), (int32_t)k);
		vinci_step();
	}
}

/*
 * Softmax of a row that comes in pieces: exp(x - max), not divided by the sum. max and sum cover the pieces so far, expMax is
 * what earlier results have to be multiplied by. With SOFTMAX_OUTPUT_WITHOUT_BRC they have one element per row, else one block.
 */
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
	  bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename U>
VINCI_A void SoftmaxFlashV2(const LocalTensor<T> &dst, const LocalTensor<U> &sum, const LocalTensor<U> &max,
			    const LocalTensor<T> &src, const LocalTensor<T> &expMax, const LocalTensor<U> &inSum,
			    const LocalTensor<U> &inMax, const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {})
{
	static_assert(!isDataFormatNZ, "Vinci's SoftmaxFlashV2 takes rows (ND), not NZ");
	VINCI_ONLY("SoftmaxFlashV2", "half and float", T, half, float);
	constexpr bool wide = config.mode == SoftmaxMode::SOFTMAX_NORMAL;
	constexpr uint32_t of_u = wide ? 32 / sizeof(U) : 1, of_t = wide ? 32 / sizeof(T) : 1;
	uint32_t m, pitch, k;
	vinci_softmax_shape(shape, tiling, src, m, pitch, k);
	uint32_t row = AlignUp(k * 4, 32u);
	LocalTensor<float> x = vinci_scratch<float>(k), w = vinci_scratch<float>(k / 32 + 64, row),
			   one = vinci_scratch<float>(16, row + AlignUp((k / 32 + 64) * 4, 32u));
	for (uint32_t r = 0; r < m; r++) {
		if constexpr (std::is_same<T, float>::value)
			Adds(x, src[r * pitch], 0.0f, (int32_t)k);
		else
			Cast(x, src[r * pitch], RoundMode::CAST_NONE, k);
		vinci_step();
		ReduceMax<float>(one, x, w, (int32_t)k, false);
		float top = one.GetValue(0), before = 0, factor = 1;
		if constexpr (isUpdate) {
			before = (float)inMax.GetValue(r * of_u);
			top = top > before ? top : before;
			Duplicate<float>(one, before - top, 8);
			vinci_step();
			Exp(one, one, 8);
			factor = one.GetValue(0);
		}
		Adds(x, x, -top, (int32_t)k);
		vinci_step();
		Exp(x, x, (int32_t)k);
		vinci_step();
		if constexpr (std::is_same<T, float>::value)
			Adds(dst[r * pitch], x, 0.0f, (int32_t)k);
		else
			Cast(dst[r * pitch], x, RoundMode::CAST_NONE, k);
		ReduceSum<float>(one, x, w, (int32_t)k);
		float total = one.GetValue(0);
		if constexpr (isUpdate)
			total += (float)inSum.GetValue(r * of_u) * factor;
		if constexpr (wide) {
			Duplicate<U>(max[r * of_u], (U)top, (int32_t)of_u);
			Duplicate<U>(sum[r * of_u], (U)total, (int32_t)of_u);
			if constexpr (isUpdate)
				Duplicate<T>(expMax[r * of_t], (T)factor, (int32_t)of_t);
		} else {
			max.SetValue(r, (U)top);
			sum.SetValue(r, (U)total);
			if constexpr (isUpdate)
				expMax.SetValue(r, (T)factor);
		}
		vinci_step();
	}
}
template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
	  bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG, typename U>
VINCI_A void SoftmaxFlashV2(const LocalTensor<T> &dst, const LocalTensor<U> &sum, const LocalTensor<U> &max,
			    const LocalTensor<T> &src, const LocalTensor<T> &expMax, const LocalTensor<U> &inSum,
			    const LocalTensor<U> &inMax, const LocalTensor<uint8_t> &, const SoftMaxTiling &tiling,
			    const SoftMaxShapeInfo &shape = {})
{
	SoftmaxFlashV2<T, isUpdate, isReuseSource, isBasicBlock, isDataFormatNZ, config>(dst, sum, max, src, expMax, inSum,
											 inMax, tiling, shape);
}
VINCI_A constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(const SoftMaxShapeInfo &shape, const uint32_t, const uint32_t,
							 const uint32_t, const bool = false, const bool = false,
							 const bool = false, const bool = false)
{
	SoftMaxTiling t = {};
	t.srcM = shape.srcM;
	t.srcK = shape.srcK;
	t.srcSize = shape.srcM * shape.srcK;
	return t;
}
} // namespace AscendC
#endif
