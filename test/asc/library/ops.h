/* ops.h - library calls of one source (x, or y which is positive) and what they should give. */
#define OF_X(X)                                                                                                        \
	X(Sigmoid, 1 / (1 + exp(-x))) X(Tanh, tanh(x)) X(Silu, x / (1 + exp(-x)))                                      \
	X(Gelu, 0.5 * x * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x))))                                \
	X(FasterGelu, x / (1 + exp(-1.702 * x))) X(FasterGeluV2, x / (1 + exp(-1.702 * x))) X(Erf, erf(x))             \
	X(Sin, sin(x)) X(Cos, cos(x)) X(Sinh, sinh(x)) X(Cosh, cosh(x)) X(Floor, floor(x)) X(Ceil, ceil(x))            \
	X(Trunc, trunc(x)) X(Round, rint(x)) X(Frac, x - trunc(x)) X(Sign, x > 0 ? 1 : x < 0 ? -1 : 0)
#define OF_Y(X) X(Log, log(x)) X(Log2, log2(x)) X(Log10, log10(x))
