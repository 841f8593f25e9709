/*
 * npy_test.c - arrays: element types against their definition, .npy headers as numpy writes them, raw files, atomic
 * writing, tolerances.
 */
#include "../sim/npy.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void make_folder(void)
{
	strcpy(folder, "/tmp/vinci-npy-XXXXXX");
	cr_assert(mkdtemp(folder));
}

static const char *in_folder(const char *name)
{
	static char path[200];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int files_in_folder(void)
{
	int n = 0;
	DIR *d = opendir(folder);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void remove_folder(void)
{
	char command[128];
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	cr_assert_eq(system(command), 0);
}

static void put_file(const char *name, const void *bytes, size_t n)
{
	FILE *out = fopen(in_folder(name), "wb");
	cr_assert(out);
	cr_assert_eq(fwrite(bytes, 1, n, out), n);
	fclose(out);
}

Test(npy_dtype, names)
{
	static const struct { const char *name; enum dtype t; unsigned bytes; } cases[] = {
		{ "f16", DT_F16, 2 }, { "float16", DT_F16, 2 }, { "half", DT_F16, 2 }, { "<f2", DT_F16, 2 },
		{ "bf16", DT_BF16, 2 }, { "bfloat16", DT_BF16, 2 }, { "f32", DT_F32, 4 }, { "<f4", DT_F32, 4 },
		{ "<f8", DT_F64, 8 }, { "|i1", DT_S8, 1 }, { "i8", DT_S8, 1 }, { "<i8", DT_S64, 8 }, { "|u1", DT_U8,
		  1 },
		{ "u8", DT_U8, 1 }, { "<u8", DT_U64, 8 }, { "int16", DT_S16, 2 }, { "<u2", DT_U16, 2 },
		{ "s32", DT_S32, 4 }, { "int32", DT_S32, 4 }, { "uint32", DT_U32, 4 }, { "i64", DT_S64, 8 },
		{ "bool", DT_BOOL, 1 }, { "|b1", DT_BOOL, 1 }, { "f17", DT_NONE, 0 }, { "", DT_NONE, 0 },
		{ ">f2", DT_NONE, 0 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		cr_expect_eq(dtype_parse(cases[i].name), cases[i].t, "%s", cases[i].name);
		cr_expect_eq(dtype_bytes(dtype_parse(cases[i].name)), cases[i].bytes, "%s", cases[i].name);
	}
	for (int t = 1; t < DT_COUNT; t++)
		cr_expect_eq(dtype_parse(dtype_name((enum dtype)t)), (enum dtype)t);
}

Test(npy_dtype, set_rounds_to_nearest_even_and_saturates)
{
	static const struct { enum dtype t; double v; int64_t bits; } cases[] = {
		{ DT_S8, 2.5, 2 }, { DT_S8, 3.5, 4 }, { DT_S8, -2.5, -2 }, { DT_S8, 127.6, 127 }, { DT_S8, 1e9, 127 },
		{ DT_S8, -1e9, -128 }, { DT_S8, -128.4, -128 }, { DT_U8, 255.7, 255 }, { DT_U8, -0.3, 0 },
		{ DT_U8, 254.5, 254 }, { DT_S16, 32767.5, 32767 }, { DT_U16, 65535.5, 65535 },
		{ DT_S32, 2147483647.5, 2147483647 }, { DT_U32, 4294967295.0, 4294967295 },
		{ DT_S64, 9.3e18, INT64_MAX }, { DT_S64, -9.3e18, INT64_MIN }, { DT_U64, 1.9e19, -1 },
		{ DT_U64, 9223372036854775808.0, INT64_MIN }, { DT_BOOL, -3, 1 }, { DT_S32, NAN, 0 },
		/* 1 + 2^-11 is halfway between 1 and the next fp16; 1 + 3 * 2^-11 between the next two */
		{ DT_F16, 1.00048828125, 0x3c00 }, { DT_F16, 1.00146484375, 0x3c02 }, { DT_F16, 65504, 0x7bff },
		/* bf16: 1 + 2^-8 is halfway; a hair above it rounds up although the float in between is halfway */
		{ DT_BF16, 1.00390625, 0x3f80 }, { DT_BF16, 1.00390625 + 1e-12, 0x3f81 },
		{ DT_BF16, 1.01171875 - 1e-12, 0x3f81 }, { DT_BF16, 1.01171875, 0x3f82 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t data[16] = { 0 };
		dtype_set(cases[i].t, data, 1, cases[i].v);
		cr_expect_eq(dtype_get_int(cases[i].t, data, 1), cases[i].bits, "%s %.17g gave %lld",
			     dtype_name(cases[i].t), cases[i].v, (long long)dtype_get_int(cases[i].t, data, 1));
	}
}

Test(npy_dtype, get_is_the_inverse_of_set)
{
	static const double values[] = { 0, 1, -1, 0.5, 100, -100, 0.0009765625 };
	for (int t = 1; t < DT_COUNT; t++)
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			uint8_t data[8];
			bool fits = !dtype_is_int((enum dtype)t) || values[i] == 0 || values[i] == 1 ||
				    (t != DT_BOOL && values[i] == 100);
			if (!fits)
				continue;
			dtype_set((enum dtype)t, data, 0, values[i]);
			cr_expect_eq(dtype_get((enum dtype)t, data, 0), values[i]);
		}
}

/* A header as numpy 1.26 writes numpy.save of numpy.array([[1, 2, 3]], dtype=float16) */
static size_t numpy_file(uint8_t *out, int version, const char *dict, const void *data, size_t n)
{
	size_t start = version == 1 ? 10 : 12, length = strlen(dict), total = (start + length + 1 + 63) / 64 * 64;
	memcpy(out, "\x93NUMPY", 6);
	out[6] = (uint8_t)version;
	out[7] = 0;
	memset(out + 8, 0, 4);
	out[8] = (uint8_t)(total - start);
	out[9] = (uint8_t)((total - start) >> 8);
	memset(out + start, ' ', total - start);
	memcpy(out + start, dict, length);
	out[total - 1] = '\n';
	memcpy(out + total, data, n);
	return total + n;
}

Test(npy_parse, versions)
{
	static const uint16_t halves[3] = { 0x3c00, 0x4000, 0x4200 };
	for (int version = 1; version <= 3; version++) {
		uint8_t bytes[256];
		size_t n = numpy_file(bytes, version, "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 3), }",
			halves,
				      sizeof(halves));
		struct array a;
		struct fail f = { 0 };
		cr_assert(npy_parse(bytes, n, "x.npy", &a, &f), "%s", f.what);
		cr_expect_eq(a.dtype, DT_F16);
		cr_expect_eq(a.n_dim, 2);
		cr_expect_eq(a.dim[0], 1);
		cr_expect_eq(a.dim[1], 3);
		cr_expect_eq(a.bytes, 6);
		for (int i = 0; i < 3; i++)
			cr_expect_eq(dtype_get(a.dtype, a.data, (uint64_t)i), i + 1);
		array_free(&a);
	}
}

Test(npy_parse, shapes)
{
	static const struct { const char *shape; int n_dim; uint64_t count; } cases[] = {
		{ "()", 0, 1 }, { "(4,)", 1, 4 }, { "(2L, 2L)", 2, 4 }, { "(0, 7)", 2, 0 }, { "(1,1,1,1,1,1,2,2)", 8,
		  4 },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t bytes[300], data[4] = { 1, 2, 3, 4 };
		char dict[200];
		snprintf(dict, sizeof(dict), "{\"shape\": %s, 'fortran_order':False,'descr':'|u1'}", cases[i].shape);
		size_t n = numpy_file(bytes, 1, dict, data, cases[i].count);
		struct array a;
		struct fail f = { 0 };
		cr_assert(npy_parse(bytes, n, "x.npy", &a, &f), "%s: %s", cases[i].shape, f.what);
		cr_expect_eq(a.n_dim, cases[i].n_dim);
		cr_expect_eq(a.count, cases[i].count);
		array_free(&a);
	}
}

Test(npy_parse, errors)
{
	static const struct { const char *dict; size_t data; const char *says; } cases[] = {
		{ "{'descr': '>f2', 'fortran_order': False, 'shape': (2,), }", 4, "big-endian" },
		{ "{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }", 16, "element type '<c8' is not known" },
		{ "{'descr': '<f2', 'fortran_order': True, 'shape': (2, 2), }", 8, "Fortran order" },
		{ "{'descr': '<f2', 'fortran_order': 0, 'shape': (2,), }", 4, "neither True nor False" },
		{ "{'descr': [('a', '<f2')], 'fortran_order': False, 'shape': (2,), }", 4, "no simple element type" },
		{ "{'descr': '<f2', 'fortran_order': False, }", 4, "are needed" },
		{ "{'descr': '<f2', 'fortran_order': False, 'shape': (2,), 'x': 1}", 4, "unknown key" },
		{ "{'descr': '<f2', 'fortran_order': False, 'shape': (2,), } x", 4, "text behind" },
		{ "{'descr': '<f2', 'fortran_order': False, 'shape': (-2,), }", 4, "'shape' is no tuple" },
		{ "{'descr': '<f2', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", 2, "at most 8 sizes" },
		{ "{'descr': '<f2', 'fortran_order': False, 'shape': (99999999999999999999,)}", 2, "'shape'" },
		{ "{'descr': '<f2', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 2, "too large" },
		{ "{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }", 4,
		  "needs 6 bytes of data, the file has 4" },
		{ "{'descr': '<f2', 'fortran_order': False, 'shape': (2,) 1}", 4, "expected ',' or '}'" },
		{ "{3: 4}", 4, "expected 'key': value" },
		{ "[1, 2]", 4, "expected a dict" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t bytes[400], data[16] = { 0 };
		struct array a;
		struct fail f = { 0 };
		size_t n = numpy_file(bytes, 1, cases[i].dict, data, cases[i].data);
		cr_expect(!npy_parse(bytes, n, "bad.npy", &a, &f), "%s", cases[i].dict);
		cr_expect_eq(f.class, FAIL_USER);
		cr_expect(strstr(f.what, cases[i].says), "%s: %s", cases[i].dict, f.what);
		cr_expect_str_eq(f.file, "bad.npy");
		cr_expect_null(a.data);
	}
}

Test(npy_parse, damaged_start)
{
	static const struct { const char *bytes; size_t n; const char *says; } cases[] = {
		{ "\x93NUM", 4, "too short" },
		{ "\x93NUMPX\1\0\2\0{}", 12, "magic bytes" },
		{ "\x93NUMPY\4\0\2\0{}", 12, "versions 1 to 3" },
		{ "\x93NUMPY\1\0\x40\0{}", 12, "truncated" },
		{ "\x93NUMPY\2\0\2\0", 10, "truncated" },
		{ "\x93NUMPY\2\0\xff\xff\xff\xff", 12, "truncated" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct array a;
		struct fail f = { 0 };
		cr_expect(!npy_parse((const uint8_t *)cases[i].bytes, cases[i].n, "bad.npy", &a, &f));
		cr_expect(strstr(f.what, cases[i].says), "%s", f.what);
	}
}

Test(npy_file, round_trip, .init = make_folder, .fini = remove_folder)
{
	for (int t = 1; t < DT_COUNT; t++) {
		const uint64_t dim[3] = { 3, 1, 5 };
		struct array a, b;
		struct fail f = { 0 };
		cr_assert(array_make(&a, (enum dtype)t, 3, dim, &f));
		for (uint64_t i = 0; i < a.count; i++)
			dtype_set(a.dtype, a.data, i, (double)(i % 2));
		for (int raw = 0; raw < 2; raw++) {
			const char *file = in_folder(raw ? "a.bin" : "a.npy");
			cr_assert(array_write(file, &a, &f), "%s", f.what);
			cr_assert(array_read(file, a.dtype, 3, dim, &b, &f), "%s", f.what);
			cr_expect_eq(b.dtype, a.dtype);
			cr_expect_eq(b.n_dim, 3);
			cr_expect_arr_eq(b.data, a.data, a.bytes);
			array_free(&b);
		}
		array_free(&a);
	}
	cr_expect_eq(files_in_folder(), 2, "no temporary file stays behind");
}

Test(npy_file, header_is_aligned_and_readable_by_numpy_rules, .init = make_folder, .fini = remove_folder)
{
	const uint64_t dim[1] = { 7 };
	struct array a;
	struct fail f = { 0 };
	cr_assert(array_make(&a, DT_S16, 1, dim, &f));
	cr_assert(array_write(in_folder("v.npy"), &a, &f));
	FILE *in = fopen(in_folder("v.npy"), "rb");
	char bytes[256] = { 0 };
	size_t n = fread(bytes, 1, 255, in);
	fclose(in);
	cr_expect_eq((n - 14) % 64, 0);
	cr_expect_eq(bytes[n - 14 - 1], '\n');
	cr_expect_eq(strncmp(bytes + 10, "{'descr': '<i2', 'fortran_order': False, 'shape': (7,), }", 57), 0, "%s",
		bytes + 10);
	array_free(&a);
}

Test(npy_file, errors, .init = make_folder, .fini = remove_folder)
{
	const uint64_t dim[2] = { 2, 2 }, other[2] = { 4, 1 };
	struct array a, b;
	struct fail f = { 0 };
	cr_assert(array_make(&a, DT_F32, 2, dim, &f));
	cr_assert(array_write(in_folder("a.npy"), &a, &f));
	cr_assert(array_write(in_folder("a.bin"), &a, &f));
	put_file("short.npy", "abc", 3);
#define FAILS(call, text)                                                                                              \
	do {                                                                                                           \
		struct fail e = { 0 };                                                                                 \
		cr_expect(!(call));                                                                                    \
		cr_expect_eq(e.class, FAIL_USER);                                                                      \
		cr_expect(strstr(e.what, text), "%s", e.what);                                                         \
	} while (0)
	FAILS(array_read(in_folder("none.npy"), DT_F32, 2, dim, &b, &e), "No such file");
	FAILS(array_read(folder, DT_F32, 2, dim, &b, &e), "not a regular file");
	FAILS(array_read(in_folder("a.npy"), DT_F16, 2, dim, &b, &e), "holds f32, expected f16");
	FAILS(array_read(in_folder("a.npy"), DT_F32, 2, other, &b, &e), "has shape 2x2, expected 4x1");
	FAILS(array_read(in_folder("a.npy"), DT_F32, 1, dim, &b, &e), "has shape 2x2, expected 2");
	FAILS(array_read(in_folder("a.bin"), DT_NONE, 0, NULL, &b, &e), "type and shape must be given");
	FAILS(array_read(in_folder("a.bin"), DT_F16, 2, dim, &b, &e), "has 16 bytes, 8 are needed");
	FAILS(array_read(in_folder("short.npy"), DT_F32, 2, dim, &b, &e), "too short");
	FAILS(array_write(in_folder("no/such/a.npy"), &a, &e), "No such file");
	FAILS(array_write(folder, &a, &e), "directory");
	cr_expect_eq(files_in_folder(), 3);
	cr_assert(array_read(in_folder("a.npy"), DT_NONE, 0, NULL, &b, &f), "%s", f.what);
	array_free(&a);
	array_free(&b);
}

Test(npy_file, writing_does_not_replace_a_device)
{
	const uint64_t dim[1] = { 4 };
	struct array a;
	struct fail f = { 0 };
	struct stat st;
	cr_assert(array_make(&a, DT_U8, 1, dim, &f));
	cr_expect(array_write("/dev/null", &a, &f), "%s", f.what);
	cr_expect(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
	array_free(&a);
}

Test(npy_file, bf16_travels_as_u2_or_v2, .init = make_folder, .fini = remove_folder)
{
	const uint16_t one = 0x3f80;
	static const char *const descr[] = { "<u2", "|V2" };
	for (int i = 0; i < 2; i++) {
		uint8_t bytes[256];
		char dict[100];
		const uint64_t dim[1] = { 1 };
		struct array a;
		struct fail f = { 0 };
		snprintf(dict, sizeof(dict), "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }", descr[i]);
		put_file("b.npy", bytes, numpy_file(bytes, 1, dict, &one, 2));
		cr_assert(array_read(in_folder("b.npy"), DT_BF16, 1, dim, &a, &f), "%s", f.what);
		cr_expect_eq(dtype_get(a.dtype, a.data, 0), 1.0);
		array_free(&a);
	}
}

Test(npy_array, limits)
{
	const uint64_t big[3] = { UINT64_C(1) << 32, UINT64_C(1) << 32, 4 };
	struct array a;
	struct fail f = { 0 }, g = { 0 }, h = { 0 };
	cr_expect(!array_make(&a, DT_F32, 3, big, &f));
	cr_expect(strstr(f.what, "larger than 64 GiB"), "%s", f.what);
	cr_expect(!array_make(&a, DT_F32, 9, big, &g));
	cr_expect(strstr(g.what, "at most 8 dimensions, not 9"), "%s", g.what);
	cr_expect(!array_make(&a, DT_NONE, 1, big, &h));
	cr_expect(strstr(h.what, "element type"), "%s", h.what);
}

static struct compare compare_two(enum dtype t, const double *got, const double *expected, uint64_t n,
				  struct tolerance tolerance)
{
	struct array a, b;
	struct compare c;
	struct fail f = { 0 };
	cr_assert(array_make(&a, t, 1, &n, &f) && array_make(&b, t, 1, &n, &f));
	for (uint64_t i = 0; i < n; i++) {
		dtype_set(t, a.data, i, got[i]);
		dtype_set(t, b.data, i, expected[i]);
	}
	cr_assert(array_compare(&a, &b, tolerance, &c, &f), "%s", f.what);
	array_free(&a);
	array_free(&b);
	return c;
}

Test(npy_compare, rule_of_isclose)
{
	const double expected[] = { 100, 100, 0, 0, -100 }, got[] = { 101, 101.25, 0.5, 0.75, -101 };
	struct compare c = compare_two(DT_F64, got, expected, 5, (struct tolerance){ 0.005, 0.5, 0 });
	/* allowed: 1.0, 1.0, 0.5, 0.5, 1.0 */
	cr_expect_eq(c.wrong, 2);
	cr_expect_not(c.pass);
	cr_expect_eq(c.n_first, 2);
	cr_expect_eq(c.first[0].index, 1);
	cr_expect_eq(c.first[0].got, 101.25);
	cr_expect_eq(c.first[1].index, 3);
	cr_expect_eq(c.max_abs, 1.25);
	cr_expect_eq(c.max_abs_index, 1);
	cr_expect_eq(c.max_rel, 0.0125);
	cr_expect_eq(c.worst, 1.0, "100 against 101 uses all of 1.0");
	c = compare_two(DT_F64, got, expected, 5, (struct tolerance){ 0.005, 0.5, 0.4 });
	cr_expect(c.pass, "2 of 5 is the fraction 0.4");
	c = compare_two(DT_F64, got, expected, 5, (struct tolerance){ 0.005, 0.5, 0.39 });
	cr_expect_not(c.pass);
}

/* what the golden program says of an element's rounding is allowed on top, for that element alone */
Test(npy_compare, bounds_of_elements)
{
	const float expected[] = { 100, 100, 100, 100 }, got[] = { 101, 101, 103, 103 };
	const double bound[] = { 0, 0.5, 2, 1.5 };
	struct array a, b;
	struct compare c;
	struct fail f = { 0 };
	uint64_t n = 4;
	cr_assert(array_make(&a, DT_F32, 1, &n, &f) && array_make(&b, DT_F32, 1, &n, &f));
	memcpy(a.data, got, sizeof got);
	memcpy(b.data, expected, sizeof expected);
	cr_assert(b.bound = malloc(sizeof bound));
	memcpy(b.bound, bound, sizeof bound);
	cr_assert(array_compare(&a, &b, (struct tolerance){ 0.0025, 0.25, 0 }, &c, &f));
	/* allowed: 0.5, 1, 2.5, 2 */
	cr_expect(c.bound);
	cr_expect_eq(c.wrong, 3);
	cr_expect_eq(c.first[0].index, 0);
	cr_expect_eq(c.first[1].index, 2);
	cr_expect_eq(c.worst, 1.0);
	array_free(&a);
	array_free(&b);
	cr_expect_null(b.bound);
}

Test(npy_compare, infinity_and_nan)
{
	const double expected[] = { INFINITY, -INFINITY, NAN, INFINITY, INFINITY, NAN, 1, 1 };
	const double got[] = { INFINITY, -INFINITY, NAN, -INFINITY, 65504, 0, NAN, INFINITY };
	struct compare c = compare_two(DT_F32, got, expected, 8, (struct tolerance){ 1, 1, 0 });
	cr_expect_eq(c.wrong, 5);
	cr_expect_eq(c.first[0].index, 3);
	cr_expect(isinf(c.max_abs));
}

Test(npy_compare, integers_are_exact)
{
	struct array a, b;
	struct compare c;
	struct fail f = { 0 };
	uint64_t n = 2;
	/* 2^53 and 2^53 + 1 are one double, and yet differ */
	const int64_t got[2] = { INT64_C(9007199254740993), INT64_MIN }, want[2] = { INT64_C(9007199254740992),
		INT64_MIN };
	cr_assert(array_make(&a, DT_S64, 1, &n, &f) && array_make(&b, DT_S64, 1, &n, &f));
	memcpy(a.data, got, 16);
	memcpy(b.data, want, 16);
	cr_assert(array_compare(&a, &b, tolerance_preset(DT_S64), &c, &f));
	cr_expect_eq(c.wrong, 1);
	cr_expect_eq(c.max_abs, 1);
	array_free(&a);
	array_free(&b);
}

Test(npy_compare, presets)
{
	cr_expect_eq(tolerance_preset(DT_F16).rtol, 1e-3);
	cr_expect_eq(tolerance_preset(DT_F16).atol, 1e-3);
	cr_expect_eq(tolerance_preset(DT_F16).fraction, 1e-3);
	cr_expect_eq(tolerance_preset(DT_F32).rtol, 1e-4);
	cr_expect_eq(tolerance_preset(DT_BF16).atol, 4e-3);
	cr_expect_eq(tolerance_preset(DT_S8).atol, 0);
	struct tolerance t;
	cr_expect(tolerance_parse("bfloat16", &t) && t.rtol == 4e-3);
	cr_expect(tolerance_parse("exact", &t) && t.rtol == 0 && t.fraction == 0);
	cr_expect_not(tolerance_parse("loose", &t));
}

Test(npy_compare, refuses_other_types_and_sizes)
{
	struct array a, b, d;
	struct compare c;
	struct fail f = { 0 }, g = { 0 };
	uint64_t two = 2, three = 3;
	cr_assert(array_make(&a, DT_F32, 1, &two, &f) && array_make(&b, DT_F16, 1, &two, &f) &&
		  array_make(&d, DT_F32, 1, &three, &f));
	cr_expect(!array_compare(&a, &b, tolerance_preset(DT_F32), &c, &f));
	cr_expect(strstr(f.what, "the result is f32, the expected values are f16"), "%s", f.what);
	cr_expect(!array_compare(&a, &d, tolerance_preset(DT_F32), &c, &g));
	cr_expect(strstr(g.what, "2 elements, 3 are expected"), "%s", g.what);
	array_free(&a);
	array_free(&b);
	array_free(&d);
}
