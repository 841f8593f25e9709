/*
 * isa_cpp.c - the language of kernels: a C++17 kernel with overloads, templates, if constexpr and <type_traits> that runs
 * the same code for several element types; half and bfloat16_t as scalars in C and in C++, against arithmetic done here.
 */
#include "lab.h"
#include "ref/layout_ref.h"

#include <criterion/criterion.h>
#include <string.h>

/* Adds two tiles of any element type, with the instruction's own overloads; what each type needs is decided at compile time. */
static const char templates[] =
	"// C++\n"
	"#include <type_traits>\n"
	"#include <cstdint>\n"
	"template <typename T> struct lanes { static constexpr uint32_t value = 256 / sizeof(T); };\n"
	"template <typename T> class Tile {\n"
	"public:\n"
	"	__aicore__ explicit Tile(uint64_t at) : p((__ubuf__ T *)at) {}\n"
	"	__aicore__ void load(__gm__ T *from, uint32_t n) { copy_gm_to_ubuf(p, from, 0, 1, n * sizeof(T) / 32, 0, 0); "
	"}\n"
	"	__aicore__ void store(__gm__ T *to, uint32_t n) { copy_ubuf_to_gm(to, p, 0, 1, n * sizeof(T) / 32, 0, 0); }\n"
	"	__ubuf__ T *p;\n"
	"};\n"
	"__aicore__ inline void scale(Tile<half> &t, uint8_t n) { vmuls(t.p, t.p, (half)2.0f, n, 1, 1, 8, 8); }\n"
	"__aicore__ inline void scale(Tile<float> &t, uint8_t n) { vmuls(t.p, t.p, 3.0f, n, 1, 1, 8, 8); }\n"
	"__aicore__ inline void scale(Tile<int32_t> &t, uint8_t n) { vmuls(t.p, t.p, 5, n, 1, 1, 8, 8); }\n"
	"template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, half>>>\n"
	"__aicore__ inline void add(__gm__ T *a, __gm__ T *b, uint32_t n) {\n"
	"	static_assert(std::is_same_v<std::remove_cv_t<const T>, T>);\n"
	"	Tile<T> x(0), y(0x4000);\n"
	"	const auto repeats = static_cast<uint8_t>(n / lanes<T>::value);\n"
	"	x.load(a, n); y.load(b, n);\n"
	"	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
	"	if constexpr (sizeof(T) == 2) set_vector_mask(-1ull, -1ull); else set_vector_mask(0, -1ull);\n"
	"	vadd(x.p, x.p, y.p, repeats, 1, 1, 1, 8, 8, 8);\n"
	"	pipe_barrier(PIPE_V);\n"
	"	scale(x, repeats);\n"
	"	set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
	"	x.store(a, n);\n"
	"	pipe_barrier(PIPE_ALL);\n"
	"}\n"
	"extern \"C\" __global__ __aicore__ void k(__gm__ half *ha, __gm__ half *hb, __gm__ float *fa, __gm__ float *fb,\n"
	"	__gm__ int32_t *ia, __gm__ int32_t *ib, uint32_t n) {\n"
	"	add(ha, hb, n); add(fa, fb, n); add<int32_t>(ia, ib, n);\n"
	"}\n";

Test(isa_cpp, templates_overloads_and_traits)
{
	enum { N = 256 };
	static uint16_t h[2][N];
	static float f[2][N];
	static int32_t s[2][N];
	uint8_t *g[6];
	struct lab r;
	char source[sizeof templates];
	strcpy(source, templates);
	for (int i = 0; i < N; i++)
		for (int k = 0; k < 2; k++) {
			h[k][i] = layout_to_half((i - 100) * (k + 1) * 0.25);
			f[k][i] = (float)(i * (k + 1)) * 1.5f;
			s[k][i] = (i - 50) * (k * 7 + 1);
		}
	lab_open(&r, "ascend910b1", CORE_VEC, source, 1, false);
	for (int k = 0; k < 2; k++)
		g[k] = lab_buffer(&r, h[k], sizeof h[k]);
	for (int k = 0; k < 2; k++)
		g[2 + k] = lab_buffer(&r, f[k], sizeof f[k]);
	for (int k = 0; k < 2; k++)
		g[4 + k] = lab_buffer(&r, s[k], sizeof s[k]);
	lab_scalar(&r, N);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	for (int i = 0; i < N; i++) {
		cr_assert_eq(((uint16_t *)(void *)g[0])[i], layout_to_half(2 * (layout_half(h[0][i]) + layout_half(h[1][i]))));
		cr_assert_eq(((float *)(void *)g[2])[i], 3 * (f[0][i] + f[1][i]));
		cr_assert_eq(((int32_t *)(void *)g[4])[i], 5 * (s[0][i] + s[1][i]));
	}
	lab_close(&r);
}

/* Scalars: each operation rounds once to its type. bfloat16_t and half meet by way of float: clang 19 fails on the direct
 * conversion, and folds the two steps into it unless the float is volatile. */
#define SCALARS(cpp)                                                                                                   \
	cpp "__global__ __aicore__ void k(__gm__ half *h, __gm__ bfloat16_t *b, __gm__ int64_t *o) {\n"                \
	    " half x = h[0], y = h[1]; bfloat16_t p = b[0], q = b[1];\n"                                               \
	    " volatile float w = p, u = x;\n"                                                                          \
	    " h[2] = x + y; h[3] = x - y; h[4] = x * y; h[5] = x / y; h[6] = -x; h[7] = (half)w;\n"                    \
	    " h[8] = (half)1000; h[9] = (half)0.1;\n"                                                                  \
	    " b[2] = p + q; b[3] = p - q; b[4] = p * q; b[5] = p / q; b[6] = -p; b[7] = (bfloat16_t)u;\n"              \
	    " b[8] = (bfloat16_t)1000; b[9] = (bfloat16_t)0.1;\n"                                                      \
	    " o[0] = x < y; o[1] = x == x; o[2] = (int64_t)x; o[3] = p < q; o[4] = (int64_t)q;\n"                      \
	    " o[5] = (uint64_t)(float)x; o[6] = p != q; o[7] = (int64_t)((double)x * 1024.0);\n"                       \
	    " h[0] += y; b[0] *= q; }\n"

static void scalars(const char *source)
{
	struct lab r;
	uint16_t h[16] = { layout_to_half(5.3), layout_to_half(0.7) }, b[16] = { layout_to_bfloat(-3.3),
		layout_to_bfloat(17.25) };
	double x = layout_half(h[0]), y = layout_half(h[1]), p = layout_bfloat(b[0]), q = layout_bfloat(b[1]);
	lab_open(&r, "ascend910b1", CORE_VEC, source, 1, false);
	uint16_t *gh = (uint16_t *)(void *)lab_buffer(&r, h, sizeof h), *gb = (uint16_t *)(void *)lab_buffer(&r, b, sizeof b);
	int64_t *o = (int64_t *)(void *)lab_buffer(&r, NULL, 64);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const double wh[10] = { x + y, y, x + y, x - y, x * y, (double)(float)(x / y), -x, p, 1000, 0.1 };
	const double wb[10] = { p * q, q, p + q, p - q, p * q, (double)(float)(p / q), -p, x, 1000, 0.1 };
	for (int i = 0; i < 10; i++) {
		cr_expect_eq(gh[i], layout_to_half(wh[i]), "half %d: 0x%04x, not 0x%04x", i, gh[i], layout_to_half(wh[i]));
		cr_expect_eq(gb[i], layout_to_bfloat(wb[i]), "bfloat16 %d: 0x%04x, not 0x%04x", i, gb[i],
			layout_to_bfloat(wb[i]));
	}
	const int64_t wo[8] = { x < y, 1, (int64_t)x, p < q, (int64_t)q, (int64_t)x, 1, (int64_t)(x * 1024) };
	for (int i = 0; i < 8; i++)
		cr_expect_eq(o[i], wo[i], "word %d", i);
	lab_close(&r);
}

Test(isa_cpp, scalar_halves_in_c) { scalars(SCALARS("")); }
Test(isa_cpp, scalar_halves_in_cpp) { scalars("// C++\nextern \"C\" " SCALARS("")); }
