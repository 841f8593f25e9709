/*
 * train_data_test.c - the training program's reader of CIFAR-10 files: made here after the public description (a record is
 * a label byte, then 1024 bytes each of red, green and blue, row by row), and broken ones.
 */
#include "../kernels/train_cnn/net.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIXELS = 1024, RECORD = 3073 };

/* What the made file has at a pixel: the three planes and the labels differ everywhere. */
static uint8_t value(int label, int plane, int pixel)
{
	return (uint8_t)(pixel * (plane + 3) + pixel / 32 * 5 + label * 23 + plane * 101);
}

static void write_file(const char *name, int first, int last, long bytes)
{
	FILE *out = fopen(name, "wb");
	cr_assert(out);
	for (int label = first; label <= last; label++) {
		fputc(label, out);
		for (int plane = 0; plane < 3; plane++)
			for (int p = 0; p < PIXELS; p++)
				fputc(value(label, plane, p), out);
	}
	cr_assert_eq(fflush(out), 0);
	if (bytes >= 0)
		cr_assert_eq(ftruncate(fileno(out), bytes), 0);
	fclose(out);
}

/* Each image is the one of its label; pixels of the net are NHWC. */
static void expect_images(const struct images *s, int *seen)
{
	for (int64_t i = 0; i < s->n; i++) {
		int label = s->label[i], wrong = 0;
		cr_assert(label >= 0 && label < 10);
		seen[label]++;
		for (int p = 0; p < PIXELS; p++)
			for (int c = 0; c < 3; c++)
				wrong += s->x[(i * PIXELS + p) * 3 + c] != value(label, c, p);
		cr_expect_eq(wrong, 0, "image of label %d", label);
	}
}

Test(train_data, cifar_files)
{
	char a[] = "/tmp/vinci-cifar-a-XXXXXX", b[] = "/tmp/vinci-cifar-b-XXXXXX";
	char *files[] = { a, b };
	struct images train, test;
	struct fail f = { 0 };
	int seen[10] = { 0 };
	close(mkstemp(a));
	close(mkstemp(b));
	write_file(a, 0, 6, -1);
	write_file(b, 7, 9, -1);
	cr_assert(images_load(2, files, &train, &test, &f), "%s", f.what);
	cr_expect_eq(train.n, 8);
	cr_expect_eq(test.n, 2);
	cr_expect(train.h == 32 && train.w == 32 && train.c == 3);
	expect_images(&train, seen);
	expect_images(&test, seen);
	for (int i = 0; i < 10; i++)
		cr_expect_eq(seen[i], 1, "label %d", i);
	images_free(&train);
	images_free(&test);
	unlink(a);
	unlink(b);
}

Test(train_data, broken_files)
{
	static const struct { int first, last; long bytes; const char *says; } cases[] = {
		{ 0, 2, 3 * RECORD - 1, "9218 bytes are no whole CIFAR-10 records of 3073" },
		{ 0, 0, 0, "0 bytes are no whole CIFAR-10 records" },
		{ 0, 0, 1, "1 bytes are no whole CIFAR-10 records" },
		{ 8, 10, -1, "record 2 has label 10, the highest is 9" },
		{ 0, 3, -1, "4 images are too few" },
	};
	struct images train, test;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char name[] = "/tmp/vinci-cifar-XXXXXX", *file = name;
		struct fail f = { 0 };
		close(mkstemp(name));
		write_file(name, cases[i].first, cases[i].last, cases[i].bytes);
		cr_expect(!images_load(1, &file, &train, &test, &f));
		cr_expect_eq(f.class, FAIL_USER);
		cr_expect(strstr(f.what, cases[i].says), "%s", f.what);
		cr_expect(i == 4 || strstr(f.what, name), "%s", f.what);
		unlink(name);
	}
	char *none[] = { "/tmp/vinci-no-such-file" }, *folder[] = { "/tmp" };
	struct fail f = { 0 }, g = { 0 };
	cr_expect(!images_load(1, none, &train, &test, &f));
	cr_expect(f.class == FAIL_USER && strstr(f.what, "cannot be read: No such file"), "%s", f.what);
	cr_expect(!images_load(1, folder, &train, &test, &g));
	cr_expect(g.class == FAIL_USER && strstr(g.what, "not a regular file"), "%s", g.what);
}
