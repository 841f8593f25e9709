/* ops.h - vector calls and what they should give, for kernel (vec.cpp) and golden program: name, value of x and y. */
#define BINARY_ALL(X) X(Add, x + y) X(Sub, x - y) X(Mul, x * y) X(Max, x > y ? x : y) X(Min, x < y ? x : y)
#define BINARY_FLOAT(X) X(Div, x / y)
#define BINARY_RELU(X) X(AddRelu, x + y > 0 ? x + y : 0) X(SubRelu, x - y > 0 ? x - y : 0)
/* the destination is a source too: d */
#define BINARY_FUSED(X)                                                                                                \
	X(FusedMulAdd, x * d + y) X(FusedMulAddRelu, x * d + y > 0 ? x * d + y : 0) X(MulAddDst, x * y + d)
#define LOGIC(X) X(And, x & y) X(Or, x | y)
/* of x, of y (which is positive) */
#define UNARY_ALL(X) X(Relu, x > 0 ? x : 0)
#define UNARY_FLOAT(X)                                                                                                 \
	X(Abs, fabs(x)) X(Exp, exp(x)) X(Ln, log(y)) X(Sqrt, sqrt(y)) X(Rsqrt, 1 / sqrt(y)) X(Reciprocal, 1 / y)
#define SCALAR_ALL(X) X(Adds, x + 3) X(Muls, x * 3) X(Maxs, x > 3 ? x : 3) X(Mins, x < 3 ? x : 3)
#define SCALAR_FLOAT(X) X(LeakyRelu, x > 0 ? x : 3 * x)
