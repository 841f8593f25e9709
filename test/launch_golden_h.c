/*
 * launch_golden_h.c - the number conversions of kernels/golden.h against those of sim/: two codes that share nothing
 * must agree on every fp16 and bf16 value and on the roundings between them.
 */
#define GOLDEN_NO_MAIN
#include "../kernels/golden.h"
#include "../sim/npy.h"

#include <criterion/criterion.h>

static uint16_t by_sim(enum dtype t, double v)
{
	uint8_t data[2];
	dtype_set(t, data, 0, v);
	return (uint16_t)(data[0] | data[1] << 8);
}

Test(launch_golden_h, every_half_and_bf16)
{
	for (unsigned h = 0; h < 65536; h++) {
		uint8_t data[2] = { (uint8_t)h, (uint8_t)(h >> 8) };
		double f16 = golden_half_to_double((uint16_t)h), bf16 = golden_bf16_to_double((uint16_t)h);
		double want16 = dtype_get(DT_F16, data, 0), wantb = dtype_get(DT_BF16, data, 0);
		cr_assert(f16 == want16 || (isnan(f16) && isnan(want16)), "%04x", h);
		cr_assert(bf16 == wantb || (isnan(bf16) && isnan(wantb)), "%04x", h);
		if (!isnan(f16))
			cr_assert_eq(golden_double_to_half(f16), h);
		if (!isnan(bf16))
			cr_assert_eq(golden_double_to_bf16(bf16), h);
	}
}

Test(launch_golden_h, roundings_between_neighbours)
{
	static const double parts[] = { 0.25, 0.5, 0.75, 0.5 - 1e-9, 0.5 + 1e-9 };
	for (unsigned h = 0; h < 0x7f80; h++)
		for (int k = 0; k < 5; k++) {
			double low = golden_bf16_to_double((uint16_t)h),
				high = golden_bf16_to_double((uint16_t)(h + 1));
			if (!isinf(high)) {
				double v = low + (high - low) * parts[k];
				cr_assert_eq(golden_double_to_bf16(v), by_sim(DT_BF16, v), "%a", v);
				cr_assert_eq(golden_double_to_bf16(-v), by_sim(DT_BF16, -v), "%a", v);
			}
			if (h >= 0x7bff)
				continue;
			low = golden_half_to_double((uint16_t)h);
			high = golden_half_to_double((uint16_t)(h + 1));
			double v = low + (high - low) * parts[k];
			cr_assert_eq(golden_double_to_half(v), by_sim(DT_F16, v), "%a", v);
			cr_assert_eq(golden_double_to_half(-v), by_sim(DT_F16, -v), "%a", v);
		}
	cr_expect_eq(golden_double_to_half(65519.99), 0x7bff);
	cr_expect_eq(golden_double_to_half(65520), 0x7c00);
	cr_expect_eq(golden_double_to_bf16(3.4e38), 0x7f80, "above halfway between the largest bf16 and 2^128");
	cr_expect_eq(golden_double_to_bf16(NAN), 0x7fc0);
}

Test(launch_golden_h, sizes)
{
	for (int t = 1; t < DT_COUNT; t++)
		cr_expect_eq(golden_size(dtype_name((enum dtype)t)), dtype_bytes((enum dtype)t), "%s",
			dtype_name((enum dtype)t));
}
