/*
 * kernel_norm.h - library calls that normalize: layer norm and its gradients, RMS, batch, group and deep norm, flash softmax and
 * the gradient of softmax. Computed as float; the tiling says the shapes; temporary memory is what the TPipe has not handed out.
 */
#ifndef VINCI_ASCENDC_NORM_H
#define VINCI_ASCENDC_NORM_H

namespace AscendC {

/* a row as float, and back */
template <typename T> VINCI_A void vinci_load_row(const LocalTensor<float> &x, const LocalTensor<T> &src, uint32_t n)
{
	if constexpr (std::is_same<T, float>::value)
		Adds(x, src, 0.0f, (int32_t)n);
	else
		Cast(x, src, RoundMode::CAST_NONE, n);
	vinci_step();
}
template <typename T> VINCI_A void vinci_store_row(const LocalTensor<T> &dst, const LocalTensor<float> &x, uint32_t n)
{
	if constexpr (std::is_same<T, float>::value)
		Adds(dst, x, 0.0f, (int32_t)n);
	else
		Cast(dst, x, RoundMode::CAST_NONE, n);
	vinci_step();
}
/* sum of n floats; w has room for n / 32 + 64, one for 16 */
VINCI_A float vinci_sum(const LocalTensor<float> &one, const LocalTensor<float> &x, const LocalTensor<float> &w, uint32_t n)
{
	ReduceSum<float>(one, x, w, (int32_t)n);
	return one.GetValue(0);
}
VINCI_A float vinci_one_over_root(const LocalTensor<float> &one, float v)
{
	one.SetValue(0, v);
	Sqrt(one, one, 1);
	return 1.0f / one.GetValue(0);
}
/* Temporary memory for `areas` rows of n floats, then what a sum needs. */
struct VinciRows {
	LocalTensor<float> area[4], w, one;
	VINCI_A VinciRows(uint32_t areas, uint32_t n)
	{
		uint32_t row = AlignUp(n * 4, 32u);
		for (uint32_t i = 0; i < areas; i++)
			area[i] = vinci_scratch<float>(n, i * row);
		w = vinci_scratch<float>(n / 32 + 64, areas * row);
		one = vinci_scratch<float>(16, areas * row + AlignUp((n / 32 + 64) * 4, 32u));
	}
};
/* x = (x - mean) / sqrt(variance + epsilon) */
VINCI_A void vinci_normalize(const LocalTensor<float> &x, const LocalTensor<float> &t, const LocalTensor<float> &w,
			     const LocalTensor<float> &one, uint32_t h, float epsilon, float &mean, float &var)
{
	mean = vinci_sum(one, x, w, h) / (float)h;
	Adds(x, x, -mean, (int32_t)h);
	vinci_step();
	Mul(t, x, x, (int32_t)h);
	vinci_step();
	var = vinci_sum(one, t, w, h) / (float)h;
	Muls(x, x, vinci_one_over_root(one, var + epsilon), (int32_t)h);
	vinci_step();
}
/* dst = x * gamma + beta */
template <typename T>
VINCI_A void vinci_scale_row(const LocalTensor<T> &dst, const LocalTensor<float> &x, const LocalTensor<float> &t,
			     const LocalTensor<T> &gamma, const LocalTensor<T> &beta, uint32_t h)
{
	if constexpr (std::is_same<T, float>::value) {
		Mul(x, x, gamma, (int32_t)h);
		vinci_step();
		Add(dst, x, beta, (int32_t)h);
	} else {
		Cast(t, gamma, RoundMode::CAST_NONE, h);
		vinci_step();
		Mul(x, x, t, (int32_t)h);
		vinci_step();
		Cast(t, beta, RoundMode::CAST_NONE, h);
		vinci_step();
		Add(x, x, t, (int32_t)h);
		vinci_step();
		Cast(dst, x, RoundMode::CAST_NONE, h);
	}
}

/* --- layer norm over the last dimension of B x S x H --- */
template <typename T, bool isReuseSource = false>
VINCI_A void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
		       const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX, const LocalTensor<T> &gamma,
		       const LocalTensor<T> &beta, const LocalTensor<uint8_t> &, const T epsilon,
		       LayerNormTiling &tiling)
{
	VINCI_ONLY("LayerNorm", "half and float", T, half, float);
	uint32_t rows = tiling.bLength * tiling.sLength, pitch = tiling.hLength,
		 h = tiling.originalHLength ? tiling.originalHLength : pitch;
	VinciRows s(2, h);
	const LocalTensor<float> &x = s.area[0], &t = s.area[1];
	for (uint32_t r = 0; r < rows; r++) {
		vinci_load_row(x, inputX[r * pitch], h);
		float mean, var;
		vinci_normalize(x, t, s.w, s.one, h, (float)epsilon, mean, var);
		vinci_scale_row(output[r * pitch], x, t, gamma, beta, h);
		outputMean.SetValue(r, (T)mean);
		outputVariance.SetValue(r, (T)var);
	}
}
template <typename T, bool isReuseSource = false>
VINCI_A void LayerNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
		       const LocalTensor<T> &outputVariance, const LocalTensor<T> &inputX, const LocalTensor<T> &gamma,
		       const LocalTensor<T> &beta, const T epsilon, LayerNormTiling &tiling)
{
	LayerNorm<T, isReuseSource>(output, outputMean, outputVariance, inputX, gamma, beta, LocalTensor<uint8_t>(),
				    epsilon, tiling);
}
/* x / sqrt(mean(x^2) + epsilon) * gamma */
template <typename T, bool isBasicBlock = false>
VINCI_A void RmsNorm(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &gamma, const T epsilon,
		     const RmsNormTiling &tiling)
{
	uint32_t rows = tiling.bLength * tiling.sLength, pitch = tiling.hLength,
		 h = tiling.originalHLength ? tiling.originalHLength : pitch;
	VinciRows s(2, h);
	const LocalTensor<float> &x = s.area[0], &t = s.area[1];
	for (uint32_t r = 0; r < rows; r++) {
		vinci_load_row(x, src[r * pitch], h);
		Mul(t, x, x, (int32_t)h);
		vinci_step();
		float mean = vinci_sum(s.one, t, s.w, h) / (float)h;
		Muls(x, x, vinci_one_over_root(s.one, mean + (float)epsilon), (int32_t)h);
		vinci_step();
		if constexpr (std::is_same<T, float>::value) {
			Mul(dst[r * pitch], x, gamma, (int32_t)h);
		} else {
			Cast(t, gamma, RoundMode::CAST_NONE, h);
			vinci_step();
			Mul(x, x, t, (int32_t)h);
			vinci_step();
			Cast(dst[r * pitch], x, RoundMode::CAST_NONE, h);
		}
	}
}

/* layer norm of alpha x + gx; rstd gets the variance, as documented */
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
VINCI_A void DeepNorm(const LocalTensor<T> &dst, const LocalTensor<T> &mean, const LocalTensor<T> &rstd,
		      const LocalTensor<T> &src, const LocalTensor<T> &gx, const LocalTensor<T> &beta,
		      const LocalTensor<T> &gamma, const vinci_plain<T> alpha, const vinci_plain<T> epsilon,
		      DeepNormTiling &tiling)
{
	VINCI_ONLY("DeepNorm", "half and float", T, half, float);
	uint32_t pitch = tiling.hLength, h = tiling.originalHLength ? tiling.originalHLength : pitch;
	VinciRows s(2, h);
	for (uint32_t r = 0; r < tiling.bLength * tiling.sLength; r++) {
		vinci_load_row(s.area[0], src[r * pitch], h);
		vinci_load_row(s.area[1], gx[r * pitch], h);
		Axpy(s.area[1], s.area[0], (float)alpha, (int32_t)h);
		vinci_step();
		float mu, var;
		vinci_normalize(s.area[1], s.area[0], s.w, s.one, h, (float)epsilon, mu, var);
		vinci_scale_row(dst[r * pitch], s.area[1], s.area[0], gamma, beta, h);
		mean.SetValue(r, (T)mu);
		rstd.SetValue(r, (T)var);
	}
}
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
VINCI_A void DeepNorm(const LocalTensor<T> &dst, const LocalTensor<T> &mean, const LocalTensor<T> &rstd,
		      const LocalTensor<T> &src, const LocalTensor<T> &gx, const LocalTensor<T> &beta,
		      const LocalTensor<T> &gamma, const LocalTensor<uint8_t> &, const vinci_plain<T> alpha,
		      const vinci_plain<T> epsilon, DeepNormTiling &tiling)
{
	DeepNorm<T>(dst, mean, rstd, src, gx, beta, gamma, alpha, epsilon, tiling);
}

/* x is B x (S x H): every column over B; gamma and beta have one element per b */
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
VINCI_A void BatchNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
		       const LocalTensor<T> &outputVariance, const LocalTensor<T> &x, const LocalTensor<T> &gamma,
		       const LocalTensor<T> &beta, const vinci_plain<T> epsilon, BatchNormTiling &tiling)
{
	VINCI_ONLY("BatchNorm", "half and float", T, half, float);
	uint32_t rows = tiling.originalBLength, n = tiling.meanVarSize;
	float share = 1.0f / (float)rows;
	VinciRows s(4, n);
	LocalTensor<float> v = s.area[0], t = s.area[1], mean = s.area[2], var = s.area[3];
	Duplicate(mean, 0.0f, (int32_t)n);
	Duplicate(var, 0.0f, (int32_t)n);
	for (uint32_t b = 0; b < rows; b++) {
		vinci_load_row(v, x[b * n], n);
		Axpy(mean, v, share, (int32_t)n);
		vinci_step();
	}
	for (uint32_t b = 0; b < rows; b++) {
		vinci_load_row(v, x[b * n], n);
		Sub(v, v, mean, (int32_t)n);
		vinci_step();
		Mul(v, v, v, (int32_t)n);
		vinci_step();
		Axpy(var, v, share, (int32_t)n);
		vinci_step();
	}
	vinci_store_row(outputMean, mean, n);
	vinci_store_row(outputVariance, var, n);
	Adds(var, var, (float)epsilon, (int32_t)n);
	vinci_step();
	Sqrt(var, var, (int32_t)n);
	for (uint32_t b = 0; b < rows; b++) {
		vinci_load_row(v, x[b * n], n);
		Sub(v, v, mean, (int32_t)n);
		vinci_step();
		Div(t, v, var, (int32_t)n);
		vinci_step();
		Muls(t, t, (float)gamma.GetValue(b), (int32_t)n);
		vinci_step();
		Adds(t, t, (float)beta.GetValue(b), (int32_t)n);
		vinci_step();
		vinci_store_row(output[b * n], t, n);
	}
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
VINCI_A void BatchNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
		       const LocalTensor<T> &outputVariance, const LocalTensor<T> &x, const LocalTensor<T> &gamma,
		       const LocalTensor<T> &beta, const LocalTensor<uint8_t> &, const vinci_plain<T> epsilon,
		       BatchNormTiling &tiling)
{
	BatchNorm<T>(output, outputMean, outputVariance, x, gamma, beta, epsilon, tiling);
}

/* x is N x C x HW: each of the g groups of channels by itself; gamma and beta have one element per channel */
template <typename T, bool isReuseSource = false>
VINCI_A void GroupNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
		       const LocalTensor<T> &outputVariance, const LocalTensor<T> &x, const LocalTensor<T> &gamma,
		       const LocalTensor<T> &beta, const vinci_plain<T> epsilon, GroupNormTiling &tiling)
{
	VINCI_ONLY("GroupNorm", "half and float", T, half, float);
	uint32_t hw = tiling.hw, d = tiling.c / tiling.g, n = d * hw;
	vinci_check(hw * sizeof(T) % 32 == 0, "GroupNorm: Vinci takes planes (H x W) of whole 32-byte blocks");
	VinciRows s(2, n);
	for (uint32_t i = 0; i < tiling.n * tiling.g; i++) {
		float mu, var;
		vinci_load_row(s.area[0], x[i * n], n);
		vinci_normalize(s.area[0], s.area[1], s.w, s.one, n, (float)epsilon, mu, var);
		for (uint32_t k = 0; k < d; k++) {
			uint32_t channel = i % tiling.g * d + k;
			LocalTensor<float> plane = s.area[0][k * hw];
			Muls(plane, plane, (float)gamma.GetValue(channel), (int32_t)hw);
			vinci_step();
			Adds(plane, plane, (float)beta.GetValue(channel), (int32_t)hw);
			vinci_step();
		}
		vinci_store_row(output[i * n], s.area[0], n);
		outputMean.SetValue(i, (T)mu);
		outputVariance.SetValue(i, (T)var);
	}
}
template <typename T, bool isReuseSource = false>
VINCI_A void GroupNorm(const LocalTensor<T> &output, const LocalTensor<T> &outputMean,
		       const LocalTensor<T> &outputVariance, const LocalTensor<T> &x, const LocalTensor<T> &gamma,
		       const LocalTensor<T> &beta, const LocalTensor<uint8_t> &, const vinci_plain<T> epsilon,
		       GroupNormTiling &tiling)
{
	GroupNorm<T>(output, outputMean, outputVariance, x, gamma, beta, epsilon, tiling);
}

/*
 * The gradient of layer norm by x: with r = 1 / sqrt(variance + epsilon), c = x - mean, g = dy gamma,
 *   resForGamma = c r;   pdX = r g - r^3 / H sum(g c) c + pdMean / H,   pdMean = -r sum(g) + r^3 / H sum(g c) sum(c)
 */
enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC };
struct LayerNormGradShapeInfo { DataFormat dataFormat = DataFormat::ND; };
template <typename T, bool isReuseSource = false>
VINCI_A void LayerNormGrad(const LocalTensor<T> &pdX, const LocalTensor<T> &resForGamma, const LocalTensor<T> &dy,
			   const LocalTensor<T> &x, const LocalTensor<T> &variance, const LocalTensor<T> &mean,
			   const LocalTensor<T> &gamma, vinci_plain<T> epsilon, LayerNormGradTiling &tiling,
			   const LayerNormGradShapeInfo & = {})
{
	VINCI_ONLY("LayerNormGrad", "half and float", T, half, float);
	uint32_t pitch = tiling.hLength, h = tiling.originalHLength ? tiling.originalHLength : pitch;
	VinciRows s(3, h);
	LocalTensor<float> g = s.area[0], c = s.area[1], t = s.area[2];
	for (uint32_t r = 0; r < tiling.bLength * tiling.sLength; r++) {
		vinci_load_row(g, dy[r * pitch], h);
		vinci_load_row(t, gamma, h);
		Mul(g, g, t, (int32_t)h);
		vinci_load_row(c, x[r * pitch], h);
		Adds(c, c, -(float)mean.GetValue(r), (int32_t)h);
		vinci_step();
		Mul(t, g, c, (int32_t)h);
		vinci_step();
		float root = vinci_one_over_root(s.one, (float)variance.GetValue(r) + (float)epsilon);
		float by_c = root * root * root * vinci_sum(s.one, t, s.w, h) / (float)h;
		float pd_mean = -root * vinci_sum(s.one, g, s.w, h) + by_c * vinci_sum(s.one, c, s.w, h);
		Muls(t, c, root, (int32_t)h);
		vinci_step();
		vinci_store_row(resForGamma[r * pitch], t, h);
		Muls(g, g, root, (int32_t)h);
		vinci_step();
		Axpy(g, c, -by_c, (int32_t)h);
		vinci_step();
		Adds(g, g, pd_mean / (float)h, (int32_t)h);
		vinci_step();
		vinci_store_row(pdX[r * pitch], g, h);
	}
}
template <typename T, bool isReuseSource = false>
VINCI_A void LayerNormGrad(const LocalTensor<T> &pdX, const LocalTensor<T> &resForGamma, const LocalTensor<T> &dy,
			   const LocalTensor<T> &x, const LocalTensor<T> &variance, const LocalTensor<T> &mean,
			   const LocalTensor<T> &gamma, const LocalTensor<uint8_t> &, vinci_plain<T> epsilon,
			   LayerNormGradTiling &tiling, const LayerNormGradShapeInfo & = {})
{
	LayerNormGrad<T>(pdX, resForGamma, dy, x, variance, mean, gamma, epsilon, tiling);
}
/* by gamma and beta: sums over all rows of dy resForGamma and of dy */
template <typename T, bool isReuseSource = false>
VINCI_A void LayerNormGradBeta(const LocalTensor<T> &pdGamma, const LocalTensor<T> &pdBeta,
			       const LocalTensor<T> &resForGamma, const LocalTensor<T> &dy,
			       const LayerNormGradBetaTiling &tiling)
{
	VINCI_ONLY("LayerNormGradBeta", "half and float", T, half, float);
	uint32_t pitch = tiling.hLength, h = tiling.originalHLength ? tiling.originalHLength : pitch;
	VinciRows s(4, h);
	LocalTensor<float> d = s.area[0], g = s.area[1], by_gamma = s.area[2], by_beta = s.area[3];
	Duplicate(by_gamma, 0.0f, (int32_t)h);
	Duplicate(by_beta, 0.0f, (int32_t)h);
	for (uint32_t r = 0; r < tiling.bLength * tiling.sLength; r++) {
		vinci_load_row(d, dy[r * pitch], h);
		vinci_load_row(g, resForGamma[r * pitch], h);
		Add(by_beta, by_beta, d, (int32_t)h);
		Mul(g, g, d, (int32_t)h);
		vinci_step();
		Add(by_gamma, by_gamma, g, (int32_t)h);
		vinci_step();
	}
	vinci_store_row(pdGamma, by_gamma, h);
	vinci_store_row(pdBeta, by_beta, h);
}
template <typename T, bool isReuseSource = false>
VINCI_A void LayerNormGradBeta(const LocalTensor<T> &pdGamma, const LocalTensor<T> &pdBeta,
			       const LocalTensor<T> &resForGamma, const LocalTensor<T> &dy,
			       const LocalTensor<uint8_t> &, const LayerNormGradBetaTiling &tiling)
{
	LayerNormGradBeta<T>(pdGamma, pdBeta, resForGamma, dy, tiling);
}

/* The gradient of softmax: with s = sum of grad y, front: s as a block per row; else (grad - s) y. */
template <typename T>
VINCI_A void vinci_softmax_grad(const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &y, bool front,
				const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape)
{
	VINCI_ONLY("SoftmaxGrad", "half and float", T, half, float);
	constexpr uint32_t block = 32 / sizeof(T);
	uint32_t m, pitch, k;
	vinci_softmax_shape(shape, tiling, y, m, pitch, k);
	VinciRows s(3, k);
	for (uint32_t r = 0; r < m; r++) {
		vinci_load_row(s.area[0], grad[r * pitch], k);
		vinci_load_row(s.area[1], y[r * pitch], k);
		Mul(s.area[2], s.area[0], s.area[1], (int32_t)k);
		vinci_step();
		float sum = vinci_sum(s.one, s.area[2], s.w, k);
		if (front) {
			Duplicate<T>(dst[r * block], (T)sum, (int32_t)block);
			continue;
		}
		Adds(s.area[0], s.area[0], -sum, (int32_t)k);
		vinci_step();
		Mul(s.area[0], s.area[0], s.area[1], (int32_t)k);
		vinci_step();
		vinci_store_row(dst[r * pitch], s.area[0], k);
	}
}
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
VINCI_A void SoftmaxGrad(const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &src,
			 const SoftMaxTiling &tiling, bool isFront = false, const SoftMaxShapeInfo &shape = {})
{
	static_assert(!isDataFormatNZ, "Vinci's SoftmaxGrad takes rows (ND), not NZ");
	vinci_softmax_grad<T>(dst, grad, src, isFront, tiling, shape);
}
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
VINCI_A void SoftmaxGrad(const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &src,
			 const LocalTensor<uint8_t> &, const SoftMaxTiling &tiling, bool isFront = false,
			 const SoftMaxShapeInfo &shape = {})
{
	SoftmaxGrad<T, isReuseSource, isDataFormatNZ>(dst, grad, src, tiling, isFront, shape);
}
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
VINCI_A void SoftmaxGradFront(const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &src,
			      const SoftMaxTiling &tiling, const SoftMaxShapeInfo &shape = {})
{
	static_assert(!isDataFormatNZ, "Vinci's SoftmaxGradFront takes rows (ND), not NZ");
	vinci_softmax_grad<T>(dst, grad, src, true, tiling, shape);
}
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
VINCI_A void SoftmaxGradFront(const LocalTensor<T> &dst, const LocalTensor<T> &grad, const LocalTensor<T> &src,
			      const LocalTensor<uint8_t> &, const SoftMaxTiling &tiling,
			      const SoftMaxShapeInfo &shape = {})
{
	SoftmaxGradFront<T, isBasicBlock, isDataFormatNZ>(dst, grad, src, tiling, shape);
}

/*
 * Softmax of a piece of each row, divided by the sum of the pieces so far; expMax is what the result of the pieces before has to
 * be multiplied by. max, sum and expMax have one block per row, filled with the value.
 */
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename U>
VINCI_A void SoftmaxFlash(const LocalTensor<T> &dst, const LocalTensor<U> &sum, const LocalTensor<U> &max,
			  const LocalTensor<T> &src, const LocalTensor<T> &expMax, const LocalTensor<U> &inSum,
			  const LocalTensor<U> &inMax, const SoftMaxTiling &tiling, bool isUpdate = false,
			  const SoftMaxShapeInfo &shape = {})
{
	VINCI_ONLY("SoftmaxFlash", "half and float", T, half, float);
	constexpr uint32_t of_u = 32 / sizeof(U), of_t = 32 / sizeof(T);
	uint32_t m, pitch, k;
	vinci_softmax_shape(shape, tiling, src, m, pitch, k);
	VinciRows s(1, k);
	LocalTensor<float> x = s.area[0];
	for (uint32_t r = 0; r < m; r++) {
		float top, factor = 0;
		vinci_load_row(x, src[r * pitch], k);
		ReduceMax<float>(s.one, x, s.w, (int32_t)k, false);
		top = s.one.GetValue(0);
		if (isUpdate) {
			float before = (float)inMax.GetValue(r * of_u);
			top = top > before ? top : before;
			Duplicate<float>(s.one, before - top, 8);
			vinci_step();
			Exp(s.one, s.one, 8);
			factor = s.one.GetValue(0) * (float)inSum.GetValue(r * of_u);
		}
		Adds(x, x, -top, (int32_t)k);
		vinci_step();
		Exp(x, x, (int32_t)k);
		vinci_step();
		float total = vinci_sum(s.one, x, s.w, k) + factor;
		Muls(x, x, 1.0f / total, (int32_t)k);
		vinci_step();
		vinci_store_row(dst[r * pitch], x, k);
		Duplicate<U>(max[r * of_u], (U)top, (int32_t)of_u);
		Duplicate<U>(sum[r * of_u], (U)total, (int32_t)of_u);
		if (isUpdate)
			Duplicate<T>(expMax[r * of_t], (T)(factor / total), (int32_t)of_t);
		vinci_step();
	}
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, typename U>
VINCI_A void SoftmaxFlash(const LocalTensor<T> &dst, const LocalTensor<U> &sum, const LocalTensor<U> &max,
			  const LocalTensor<T> &src, const LocalTensor<T> &expMax, const LocalTensor<U> &inSum,
			  const LocalTensor<U> &inMax, const LocalTensor<uint8_t> &, const SoftMaxTiling &tiling,
			  bool isUpdate = false, const SoftMaxShapeInfo &shape = {})
{
	SoftmaxFlash<T>(dst, sum, max, src, expMax, inSum, inMax, tiling, isUpdate, shape);
}
} // namespace AscendC
#endif
