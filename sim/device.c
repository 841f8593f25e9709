/*
 * device.c - kernels launched one after another on the caller's buffers.
 */
#include "device.h"

#include <stdlib.h>
#include <string.h>

bool device_open(struct device *d, const char *chip, struct fail *f)
{
	memset(d, 0, sizeof *d);
	return chip_load(chip, &d->chip, f);
}

void device_close(struct device *d)
{
	for (int i = 0; i < d->n_kernel; i++) {
		run_free(d->kernel[i]);
		free(d->kernel[i]);
	}
	d->n_kernel = 0;
}

struct device_arg device_f32(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, 4);
	/* narrow floats are NaN-boxed in the scalar unit's registers */
	return (struct device_arg){ .is_float = true, .number = UINT64_C(0xffffffff00000000) | bits };
}

struct device_arg device_s32(int32_t v) { return (struct device_arg){ .number = (uint64_t)(int64_t)v }; }

static struct run *kernel_of(struct device *d, const char *kernel, const char *entry, const char *core, struct fail *f)
{
	struct run_options o = { .quiet = true };

	for (int i = 0; i < d->n_kernel; i++)
		if (strcmp(d->kernel[i]->launch.kernel, kernel) == 0 && strcmp(d->kernel[i]->launch.entry, entry) == 0 &&
		    strcmp(d->kernel[i]->launch.core, core) == 0)
			return d->kernel[i];
	struct run *r = d->n_kernel < DEVICE_KERNELS ? calloc(1, sizeof *r) : NULL;
	if (!r) {
		fail_set(f, FAIL_INTERNAL, "no room for kernel %s", kernel);
		return NULL;
	}
	d->kernel[d->n_kernel++] = r;
	snprintf(r->launch.kernel, sizeof r->launch.kernel, "%s", kernel);
	snprintf(r->launch.entry, sizeof r->launch.entry, "%s", entry);
	snprintf(r->launch.core, sizeof r->launch.core, "%s", core);
	r->chip = d->chip;
	if (run_programs(r, &o, f))
		return r;
	run_free(r);
	free(r);
	d->n_kernel--;
	return NULL;
}

static bool place(struct sim *s, const struct device_arg *a, int i, struct gm_region **region, struct fail *f)
{
	char name[16];

	*region = NULL;
	if (!a->data)
		return sim_arg(s, a->number, a->is_float, f);
	snprintf(name, sizeof name, "%d", i);
	*region = gm_add_arg(&s->gm, name, a->bytes ? a->bytes : 1, a->writable, f);
	if (!*region)
		return false;
	memcpy((*region)->host, a->data, a->bytes);
	return sim_arg(s, (*region)->addr, false, f);
}

static bool run_on(struct sim *s, const struct device_arg *arg, int n, struct device_time *t, struct fail *f)
{
	struct gm_region *region[SIM_ARGS];
	bool ok = n <= SIM_ARGS || fail_set(f, FAIL_USER, "more than %d arguments", SIM_ARGS);

	for (int i = 0; ok && i < n; i++)
		ok = place(s, &arg[i], i, &region[i], f);
	if (!ok || !sim_run(s, f))
		return false;
	for (int i = 0; i < n; i++)
		if (region[i] && arg[i].writable)
			memcpy(arg[i].data, region[i]->host, arg[i].bytes);
	if (!t)
		return true;
	*t = (struct device_time){ .cycles = s->end };
	for (int c = 0; c < s->n_core; c++)
		t->macs += s->core[c].stats.macs;
	return true;
}

bool device_run(struct device *d, const char *kernel, const char *entry, const char *core, int64_t blocks,
		const struct device_arg *arg, int n_arg, struct device_time *t, struct fail *f)
{
	struct sim_options o = { 0 };
	struct run *r = kernel_of(d, kernel, entry, core, f);
	struct sim *s = r ? calloc(1, sizeof *s) : NULL;

	if (!s)
		return fail_set(f, FAIL_INTERNAL, "no memory for a launch");
	bool ok = sim_init(s, &d->chip, r->has_program[0] ? &r->program[0] : NULL,
			   r->has_program[1] ? &r->program[1] : NULL, blocks,
			   &o, f);
	ok = ok && run_on(s, arg, n_arg, t, f);
	sim_free(s);
	free(s);
	return ok || fail_set(f, FAIL_INTERNAL, "%s failed", entry);
}
