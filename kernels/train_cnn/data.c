/*
 * data.c - images: the digits as .npy, or files in the CIFAR-10 binary format (a label byte, then 32 x 32 red, green
 * and blue).
 */
#include "net.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CIFAR_SIDE = 32, CIFAR_PIXELS = CIFAR_SIDE * CIFAR_SIDE, CIFAR_RECORD = 1 + 3 * CIFAR_PIXELS };

void images_free(struct images *s)
{
	free(s->x);
	free(s->label);
	memset(s, 0, sizeof *s);
}

static bool room(struct images *s, struct fail *f)
{
	s->x = malloc((size_t)(s->n * s->h * s->w * s->c));
	s->label = malloc((size_t)s->n * sizeof *s->label);
	return (s->x && s->label) || fail_set(f, FAIL_INTERNAL, "no memory for %lld images", (long long)s->n);
}

static bool read_digits(const char *folder, struct images *s, struct fail *f)
{
	char name[600];
	struct array x, y;

	snprintf(name, sizeof name, "%s/digits_x.npy", folder);
	if (!array_read(name, DT_U8, 0, NULL, &x, f))
		return false;
	snprintf(name, sizeof name, "%s/digits_y.npy", folder);
	if (!array_read(name, DT_NONE, 0, NULL, &y, f)) {
		array_free(&x);
		return false;
	}
	*s = (struct images){ .n = (int64_t)x.dim[0], .h = (int64_t)x.dim[1], .w = (int64_t)x.dim[2], .c = 1 };
	bool ok = (x.n_dim == 3 && y.count == x.dim[0]) || fail_set(f, FAIL_USER,
								    "%s: digits and labels do not fit together", folder);
	ok = ok && room(s, f);
	for (int64_t i = 0; ok && i < s->n; i++)
		s->label[i] = (int32_t)dtype_get(y.dtype, y.data, (uint64_t)i);
	if (ok)
		memcpy(s->x, x.data, x.bytes);
	array_free(&x);
	array_free(&y);
	return ok;
}

/* Whole records, and how many. */
static bool cifar_count(const char *name, FILE *in, int64_t *records, struct fail *f)
{
	struct stat st;

	if (fstat(fileno(in), &st) != 0 || !S_ISREG(st.st_mode))
		return fail_set(f, FAIL_USER, "%s is no file in the CIFAR-10 binary format: not a regular file", name);
	if (st.st_size == 0 || st.st_size % CIFAR_RECORD != 0)
		return fail_set(f, FAIL_USER, "%s: %lld bytes are no whole CIFAR-10 records of %d", name, (long long)st.st_size,
				CIFAR_RECORD);
	*records = st.st_size / CIFAR_RECORD;
	return true;
}

static bool read_record(const char *name, FILE *in, struct images *s, int64_t i, struct fail *f)
{
	uint8_t record[CIFAR_RECORD];

	if (fread(record, 1, sizeof record, in) != sizeof record)
		return fail_set(f, FAIL_USER, "%s: record %lld cannot be read", name, (long long)i);
	if (record[0] >= CLASSES)
		return fail_set(f, FAIL_USER, "%s: record %lld has label %d, the highest is %d", name, (long long)i, record[0],
				CLASSES - 1);
	s->label[i] = record[0];
	for (int p = 0; p < CIFAR_PIXELS; p++)
		for (int c = 0; c < 3; c++)
			s->x[(i * CIFAR_PIXELS + p) * 3 + c] = record[1 + c * CIFAR_PIXELS + p];
	return true;
}

static bool read_cifar(const char *name, struct images *s, struct fail *f)
{
	FILE *in = fopen(name, "rb");

	*s = (struct images){ .h = CIFAR_SIDE, .w = CIFAR_SIDE, .c = 3 };
	if (!in)
		return fail_set(f, FAIL_USER, "%s cannot be read: %s", name, strerror(errno));
	bool ok = cifar_count(name, in, &s->n, f) && room(s, f);
	for (int64_t i = 0; ok && i < s->n; i++)
		ok = read_record(name, in, s, i, f);
	fclose(in);
	if (!ok)
		images_free(s);
	return ok;
}

static bool append(struct images *s, struct images *more, struct fail *f)
{
	int64_t size = s->h * s->w * s->c;
	struct images all = *s;

	all.n += more->n;
	if (!room(&all, f))
		return false;
	memcpy(all.x, s->x, (size_t)(s->n * size));
	memcpy(all.x + s->n * size, more->x, (size_t)(more->n * size));
	memcpy(all.label, s->label, (size_t)s->n * sizeof *s->label);
	memcpy(all.label + s->n, more->label, (size_t)more->n * sizeof *s->label);
	images_free(s);
	images_free(more);
	*s = all;
	return true;
}

/* The same order on every host. */
static void shuffle(struct images *s)
{
	uint64_t state = 2463534242u;
	int64_t size = s->h * s->w * s->c;
	uint8_t swap[CIFAR_RECORD * 4];

	for (int64_t i = s->n - 1; i > 0 && size <= (int64_t)sizeof swap; i--) {
		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		int64_t j = (int64_t)((state >> 33) % (uint64_t)(i + 1));
		int32_t label = s->label[i];
		s->label[i] = s->label[j];
		s->label[j] = label;
		memcpy(swap, s->x + i * size, (size_t)size);
		memcpy(s->x + i * size, s->x + j * size, (size_t)size);
		memcpy(s->x + j * size, swap, (size_t)size);
	}
}

/* The last fifth is for testing. */
static bool split(const struct images *all, struct images *train, struct images *test, struct fail *f)
{
	int64_t size = all->h * all->w * all->c;

	*train = *test = *all;
	test->n = all->n / 5;
	train->n = all->n - test->n;
	if (!room(train, f) || !room(test, f))
		return false;
	memcpy(train->x, all->x, (size_t)(train->n * size));
	memcpy(train->label, all->label, (size_t)train->n * sizeof *all->label);
	memcpy(test->x, all->x + train->n * size, (size_t)(test->n * size));
	memcpy(test->label, all->label + train->n, (size_t)test->n * sizeof *all->label);
	return true;
}

bool images_load(int n_file, char *const *file, struct images *train, struct images *test, struct fail *f)
{
	struct images all, more;

	if (n_file == 0 ? !read_digits("kernels/train_cnn/data", &all, f) : !read_cifar(file[0], &all, f))
		return false;
	for (int i = 1; i < n_file; i++)
		if (!read_cifar(file[i], &more, f) || !append(&all, &more, f)) {
			images_free(&all);
			return false;
		}
	shuffle(&all);
	bool ok = all.n >= 5 || fail_set(f, FAIL_USER, "%lld images are too few: at least 5, a fifth of all is for testing",
					 (long long)all.n);
	ok = ok && split(&all, train, test, f);
	images_free(&all);
	return ok;
}
