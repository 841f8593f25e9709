/* golden.c - what the operators conv_load3d and conv_load3d_v1 should give, in double precision. */
#include "golden.h"

int golden(struct golden *g)
{
	const double *fm = golden_f64(g, "fm"), *w = golden_f64(g, "weight");
	double *out = golden_new(64 * 32, sizeof(*out));
	for (int y = 0; y < 8; y++)
		for (int x = 0; x < 8; x++)
			for (int n = 0; n < 32; n++) {
				double s = 0;
				for (int c = 0; c < 32; c++)
					for (int i = 0; i < 3; i++)
						for (int j = 0; j < 3; j++) {
							int yy = y + i - 1, xx = x + j - 1;
							if (yy < 0 || yy > 7 || xx < 0 || xx > 7)
								continue;
							s += fm[((c / 16 * 8 + yy) * 8 + xx) * 16 + c % 16] *
							     w[((((c / 16 * 3 + i) * 3 + j) * 2 + n / 16) * 16 +
								n % 16) *
								       16 +
							       c % 16];
						}
				out[(y * 8 + x) * 32 + n] = s;
			}
	golden_put_f64(g, "out", out);
	return 0;
}
