/*
 * npy.c - arrays in files: numpy's .npy (versions 1 to 3) and raw little-endian bytes.
 *
 * The header of a .npy is a Python dict in one line; the little of Python that it may hold is parsed here, strictly.
 */
#include "npy.h"
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t magic[6] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };

struct header {
	char descr[16];
	bool fortran, has_descr, has_fortran, has_shape;
	int n_dim;
	uint64_t dim[ARRAY_DIMS];
};

struct cursor { const char *p, *end; };

static void blanks(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t' || *c->p == '\n'))
		c->p++;
}

static bool take(struct cursor *c, char what)
{
	blanks(c);
	if (c->p == c->end || *c->p != what)
		return false;
	c->p++;
	return true;
}

static bool take_text(struct cursor *c, char *out, size_t size)
{
	blanks(c);
	if (c->p == c->end || (*c->p != '\'' && *c->p != '"'))
		return false;
	char quote = *c->p++;
	const char *close = memchr(c->p, quote, (size_t)(c->end - c->p));
	if (!close || (size_t)(close - c->p) >= size)
		return false;
	memcpy(out, c->p, (size_t)(close - c->p));
	out[close - c->p] = 0;
	c->p = close + 1;
	return true;
}

static bool take_word(struct cursor *c, const char *word)
{
	size_t n = strlen(word);
	blanks(c);
	if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0)
		return false;
	c->p += n;
	return true;
}

static bool take_number(struct cursor *c, uint64_t *v)
{
	blanks(c);
	const char *from = c->p;
	*v = 0;
	for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++)
		if (__builtin_mul_overflow(*v, UINT64_C(10), v) ||
		    __builtin_add_overflow(*v, (uint64_t)(*c->p - '0'), v))
			return false;
	bool any = c->p > from;
	take(c, 'L'); /* Python 2 wrote long integers */
	return any;
}

static bool take_shape(struct cursor *c, struct header *h)
{
	if (!take(c, '('))
		return false;
	while (!take(c, ')')) {
		if (h->n_dim == ARRAY_DIMS || !take_number(c, &h->dim[h->n_dim++]))
			return false;
		if (!take(c, ',')) /* the last one needs no comma, except that of a 1-tuple */
			return take(c, ')');
	}
	return true;
}

static const char *parse_dict(struct cursor *c, struct header *h)
{
	char key[32];
	if (!take(c, '{'))
		return "expected a dict";
	while (!take(c, '}')) {
		if (!take_text(c, key, sizeof(key)) || !take(c, ':'))
			return "expected 'key': value";
		if (strcmp(key, "descr") == 0) {
			if (!take_text(c, h->descr, sizeof(h->descr)))
				return "'descr' is no simple element type";
			h->has_descr = true;
		} else if (strcmp(key, "fortran_order") == 0) {
			h->fortran = take_word(c, "True");
			if (!h->fortran && !take_word(c, "False"))
				return "'fortran_order' is neither True nor False";
			h->has_fortran = true;
		} else if (strcmp(key, "shape") == 0) {
			if (h->has_shape || !take_shape(c, h))
				return "'shape' is no tuple of at most 8 sizes";
			h->has_shape = true;
		} else
			return "unknown key";
		if (!take(c, ',')) {
			if (!take(c, '}'))
				return "expected ',' or '}'";
			break;
		}
	}
	blanks(c);
	if (c->p != c->end)
		return "text behind the dict";
	if (!h->has_descr || !h->has_fortran || !h->has_shape)
		return "'descr', 'fortran_order' and 'shape' are needed";
	return NULL;
}

static bool bad(struct fail *f, const char *file, const char *fmt, const char *text)
{
	char what[256];
	snprintf(what, sizeof(what), fmt, text);
	return fail_file(f, FAIL_USER, file, 0, "%s: %s", file, what);
}

/* Length of everything before the data. */
static bool find_header(const uint8_t *b, size_t size, const char *file, size_t *from, size_t *to, struct fail *f)
{
	if (size < 10 || memcmp(b, magic, sizeof(magic)) != 0)
		return bad(f, file, "not a .npy file: %s", size < 10 ? "too short" : "the magic bytes are missing");
	if (b[6] < 1 || b[6] > 3)
		return bad(f, file, "%s", "an unknown version of .npy; versions 1 to 3 are read");
	*from = b[6] == 1 ? 10 : 12;
	uint64_t n = b[8] | (uint64_t)b[9] << 8;
	if (b[6] > 1 && size >= 12)
		n |= (uint64_t)b[10] << 16 | (uint64_t)b[11] << 24;
	if (size < *from || n > size - *from)
		return bad(f, file, "%s", "truncated: the header is longer than the file");
	*to = *from + n;
	return true;
}

bool npy_parse(const uint8_t *bytes, size_t size, const char *file, struct array *a, struct fail *f)
{
	size_t from = 0, to = 0;
	uint64_t count, need;
	struct header h = { 0 };
	memset(a, 0, sizeof(*a));
	if (!find_header(bytes, size, file, &from, &to, f))
		return false;
	struct cursor c = { (const char *)bytes + from, (const char *)bytes + to };
	const char *wrong = parse_dict(&c, &h);
	if (wrong)
		return bad(f, file, "header: %s", wrong);
	if (h.descr[0] == '>') {
		bad(f, file, "elements are big-endian (%s)", h.descr);
		return fail_hint(f, "save it with astype('<%s')", h.descr + 1);
	}
	enum dtype t = strcmp(h.descr, "|V2") == 0 || strcmp(h.descr, "<V2") == 0 ? DT_BF16 : dtype_parse(h.descr);
	if (t == DT_NONE)
		return bad(f, file, "element type '%s' is not known", h.descr);
	if (h.fortran && h.n_dim > 1) {
		bad(f, file, "%s", "the array is in Fortran order");
		return fail_hint(f, "save it with numpy.ascontiguousarray()");
	}
	if (!array_size(t, h.n_dim, h.dim, &count, &need))
		return bad(f, file, "%s", "the shape is too large");
	if (need != size - to)
		return fail_file(f, FAIL_USER, file, 0,
			"%s: the shape needs %" PRIu64 " bytes of data, the file has %zu",
				 file, need, size - to);
	if (!array_make(a, t, h.n_dim, h.dim, f))
		return false;
	memcpy(a->data, bytes + to, need);
	return true;
}

static bool read_file(const char *file, uint8_t **bytes, size_t *size, struct fail *f)
{
	struct stat st;
	FILE *in = input_open(file);
	if (!in)
		return fail_file(f, FAIL_USER, file, 0, "cannot read %s: %s", file, strerror(errno));
	bool ok = fstat(fileno(in), &st) == 0 && S_ISREG(st.st_mode);
	if (!ok)
		fail_file(f, FAIL_USER, file, 0, "%s is not a regular file", file);
	*bytes = NULL;
	*size = 0;
	if (ok && (uint64_t)st.st_size > ARRAY_MAX_BYTES)
		ok = fail_file(f, FAIL_USER, file, 0, "%s is too large", file);
	if (ok) {
		*bytes = malloc((size_t)st.st_size + 1);
		ok = *bytes || fail_set(f, FAIL_USER, "no memory for %s", file);
	}
	if (ok) {
		*size = fread(*bytes, 1, (size_t)st.st_size, in);
		ok = *size == (size_t)st.st_size || fail_file(f, FAIL_USER, file, 0, "cannot read all of %s", file);
	}
	fclose(in);
	return ok;
}

static bool is_npy_name(const char *file)
{
	size_t n = strlen(file);
	return n >= 4 && strcmp(file + n - 4, ".npy") == 0;
}

static void shape_text(int n_dim, const uint64_t *dim, char *text, size_t size)
{
	size_t used = 0;
	snprintf(text, size, "scalar");
	for (int i = 0; i < n_dim && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64, i ? "x" : "", dim[i]);
}

static bool same_shape(const struct array *a, int n_dim, const uint64_t *dim)
{
	if (a->n_dim != n_dim)
		return false;
	for (int i = 0; i < n_dim; i++)
		if (a->dim[i] != dim[i])
			return false;
	return true;
}

static bool check_npy(const char *file, enum dtype t, int n_dim, const uint64_t *dim, struct array *a, struct fail *f)
{
	char have[200], want[200];
	if (t == DT_BF16 && a->dtype == DT_U16)
		a->dtype = DT_BF16;
	if (t != DT_NONE && t != a->dtype)
		return fail_file(f, FAIL_USER, file, 0, "%s holds %s, expected %s", file, dtype_name(a->dtype),
				 dtype_name(t));
	if (dim && !same_shape(a, n_dim, dim)) {
		shape_text(a->n_dim, a->dim, have, sizeof(have));
		shape_text(n_dim, dim, want, sizeof(want));
		return fail_file(f, FAIL_USER, file, 0, "%s has shape %s, expected %s", file, have, want);
	}
	return true;
}

static bool take_raw(const uint8_t *bytes, size_t size, const char *file, enum dtype t, int n_dim, const uint64_t *dim,
		     struct array *a, struct fail *f)
{
	uint64_t count, need;
	if (t == DT_NONE || !dim) {
		fail_file(f, FAIL_USER, file, 0, "%s is raw: its type and shape must be given", file);
		return fail_hint(f, "write FILE:f16:128x256, or use .npy");
	}
	if (!array_size(t, n_dim, dim, &count, &need) || need != size)
		return fail_file(f, FAIL_USER, file, 0, "%s has %zu bytes, %" PRIu64 " are needed", file, size, need);
	if (!array_make(a, t, n_dim, dim, f))
		return false;
	memcpy(a->data, bytes, size);
	return true;
}

bool array_read(const char *file, enum dtype t, int n_dim, const uint64_t *dim, struct array *a, struct fail *f)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	memset(a, 0, sizeof(*a));
	bool ok = read_file(file, &bytes, &size, f);
	if (ok && (is_npy_name(file) || (size >= sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0)))
		ok = npy_parse(bytes, size, file, a, f) && check_npy(file, t, n_dim, dim, a, f);
	else if (ok)
		ok = take_raw(bytes, size, file, t, n_dim, dim, a, f);
	free(bytes);
	if (!ok)
		array_free(a);
	return ok;
}

static const char *descr(enum dtype t)
{
	static const char *const names[DT_COUNT] = {
		[DT_F16] = "<f2", [DT_BF16] = "<u2", [DT_F32] = "<f4", [DT_F64] = "<f8", [DT_S8] = "|i1",
		[DT_U8] = "|u1", [DT_S16] = "<i2", [DT_U16] = "<u2", [DT_S32] = "<i4", [DT_U32] = "<u4",
		[DT_S64] = "<i8", [DT_U64] = "<u8", [DT_BOOL] = "|b1",
	};
	return names[t];
}

/* Version 1.0; the data starts at a multiple of 64. */
static size_t make_header(const struct array *a, uint8_t *out, size_t size)
{
	char shape[200] = "";
	size_t used = 0;
	for (int i = 0; i < a->n_dim; i++)
		used += (size_t)snprintf(shape + used, sizeof(shape) - used, "%s%" PRIu64, i ? ", " : "", a->dim[i]);
	int n = snprintf((char *)out + 10, size - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%s%s), }",
			 descr(a->dtype), shape, a->n_dim == 1 ? "," : "");
	size_t total = (10 + (size_t)n + 1 + 63) / 64 * 64;
	memset(out + 10 + n, ' ', total - 10 - (size_t)n);
	out[total - 1] = '\n';
	memcpy(out, magic, sizeof(magic));
	out[6] = 1;
	out[7] = 0;
	out[8] = (uint8_t)((total - 10) & 255);
	out[9] = (uint8_t)((total - 10) >> 8);
	return total;
}

static bool write_all(FILE *out, const char *file, const struct array *a)
{
	uint8_t header[512];
	size_t n = is_npy_name(file) ? make_header(a, header, sizeof(header)) : 0;
	bool ok = fwrite(header, 1, n, out) == n && fwrite(a->data, 1, a->bytes, out) == a->bytes;
	return (fclose(out) == 0) && ok;
}

bool array_write(const char *path, const struct array *a, struct fail *f)
{
	char temp[1100], real[PATH_MAX];
	const char *file = realpath(path, real) ? real : path; /* through a link to the file that it means */
	struct stat st;
	if (stat(file, &st) == 0 && !S_ISREG(st.st_mode)) {
		/* a device or a pipe has no half-written state, and must not be replaced by a file */
		FILE *out = S_ISDIR(st.st_mode) ? (errno = EISDIR, NULL) : fopen(file, "wb");
		if (!out || !write_all(out, file, a))
			return fail_file(f, FAIL_USER, file, 0, "cannot write %s: %s", file, strerror(errno));
		return true;
	}
	int fd = -1;
	for (int i = 0; i < 100 && fd < 0; i++) {
		int n = snprintf(temp, sizeof(temp), "%s.%ld.%d.tmp", file, (long)getpid(), i);
		if (n < 0 || (size_t)n >= sizeof(temp))
			return fail_file(f, FAIL_USER, file, 0, "name of an output file too long");
		fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	FILE *out = fd >= 0 ? fdopen(fd, "wb") : NULL;
	if (!out)
		return fail_file(f, FAIL_USER, file, 0, "cannot write %s: %s", file, strerror(errno));
	if (write_all(out, file, a) && rename(temp, file) == 0)
		return true;
	int why = errno;
	unlink(temp);
	return fail_file(f, FAIL_USER, file, 0, "cannot write %s: %s", file, strerror(why));
}
