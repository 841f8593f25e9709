/*
 * vendor_details.c - blocks of visualize_data.bin that the vendor's viewer shows on its details page: load of the units per
 * core, occupancy of the cores, roofline. Made of the trace's counters; members are interface facts of that viewer.
 */
#include "vendor.h"

#include <inttypes.h>
#include <string.h>

static double counter(const struct vtr *t, uint32_t core, const char *name)
{
	int64_t v = vtr_core_counter(t, core, name);
	return v > 0 ? (double)v : 0;
}

static bool is_vector(const struct vtr *t, uint32_t core) { return strcmp(t->head.core[core].kind, "vector") == 0; }

/* "cube0", "vector1" */
static void block_type(const struct vtr *t, uint32_t core, FILE *m)
{
	fprintf(m, "\"%s%" PRIu32 "\"", is_vector(t, core) ? "vector" : "cube", t->head.core[core].sub);
}

/* Percent of the core's time that each unit worked. */
void vendor_loads(const struct vendor *v, FILE *m)
{
	enum { UNIT_PERCENT = 3 };
	static const struct { const char *name, *counter, *kind; } load[] = {
		{ "Cube FP", "cube_cycles.f16", "cube fused" }, { "Cube FP32", "cube_cycles.f32", "cube fused" },
		{ "Cube INT", "cube_cycles.s8", "cube fused" }, { "MTE1", "busy.MTE1", "cube fused" },
		{ "Fixpipe", "busy.FIX", "cube" },		{ "Vector FP32", "vector_cycles.f32", "vector fused" },
		{ "Vector FP16", "vector_cycles.f16", "vector fused" }, { "Vector INT32", "vector_cycles.s32", "vector fused" },
		{ "Vector INT16", "vector_cycles.s16", "vector fused" }, { "Vector MISC", "vector_cycles.other", "vector fused" },
		{ "MTE2", "busy.MTE2", "cube vector fused" },	{ "MTE3", "busy.MTE3", "cube vector fused" },
		{ "Scalar", "busy.S", "cube vector fused" },
	};
	const struct vtr *t = v->x->t;
	const char *comma = "";
	fputs("{\"advice\":[],\"subblock_detail\":[", m);
	for (uint32_t c = 0; c < t->head.n_core; c++) {
		double cycles = counter(t, c, "cycles");
		for (size_t i = 0; cycles > 0 && i < sizeof load / sizeof load[0]; i++) {
			double part = counter(t, c, load[i].counter);
			if (!strstr(load[i].kind, t->head.core[c].kind))
				continue;
			fprintf(m, "%s{\"block_id\":%" PRIu32 ",\"block_type\":", comma, t->head.core[c].group);
			block_type(t, c, m);
			fprintf(m, ",\"name\":\"%s\",\"origin_value\":%.0f,\"unit\":%d,\"value\":%.6f}", load[i].name, part,
				UNIT_PERCENT, 100 * part / cycles);
			comma = ",";
		}
	}
	fputs("]}", m);
}

static void occupied_core(const struct vtr *t, uint32_t core, FILE *m)
{
	double hit = counter(t, core, "l2_read_hits") + counter(t, core, "l2_write_hits");
	double all = hit + counter(t, core, "l2_read_misses") + counter(t, core, "l2_write_misses"), bytes = 0;
	for (uint32_t i = 0; i < t->counters.n_core; i++) {
		const char *name = t->counters.core_name[i], *end = strrchr(name, '.');
		bool touched = strncmp(name, "read.", 5) == 0 || strncmp(name, "written.", 8) == 0;
		if (touched && strcmp(end, ".GM") == 0)
			bytes += (double)t->counters.core_value[(size_t)core * t->counters.n_core + i];
	}
	fprintf(m, "{\"L2cache_hit_rate\":\"%.6f\",\"cycles\":\"%.0f\",\"subcore_id\":\"%" PRIu32
		"\",\"subcore_type\":\"%s\",\"throughput\":\"%.0f\"}",
		all > 0 ? 100 * hit / all : 0, counter(t, core, "cycles"), t->head.core[core].sub,
		is_vector(t, core) ? "vector" : "cube", bytes);
}

void vendor_occupancy(const struct vendor *v, FILE *m)
{
	const struct vtr *t = v->x->t;
	uint32_t group = UINT32_MAX;
	fputs("{\"advice\":\"\",\"op_detail\":[", m);
	for (uint32_t c = 0; c < t->head.n_core; c++) {
		bool same = t->head.core[c].group == group;
		if (!same)
			fprintf(m, "%s{\"core_id\":%" PRIu32 ",\"core_detail\":[", group == UINT32_MAX ? "" : "]},",
				t->head.core[c].group);
		fputs(same ? "," : "", m);
		occupied_core(t, c, m);
		group = t->head.core[c].group;
	}
	fprintf(m, "%s],\"op_type\":\"%s\",\"soc\":", group == UINT32_MAX ? "" : "]}", vendor_op_type(t));
	vendor_soc(t, m);
	putc('}', m);
}

/* Work of the chip, in operations, and what it could do at most per microsecond and byte. */
struct compute { const char *name; double ops, peak; };

static double all_cores(const struct vtr *t, const char *name)
{
	double sum = 0;
	for (uint32_t c = 0; c < t->head.n_core; c++)
		sum += counter(t, c, name);
	return sum;
}

static double rate(const struct vtr *t, const char *name)
{
	int64_t v = vtr_run_counter(t, name);
	return v > 0 ? (double)v : 0;
}

static struct compute cube(const struct vtr *t)
{
	double ops = 2 * (all_cores(t, "cube_macs.f16") + all_cores(t, "cube_macs.f32"));
	return (struct compute){ "Cube_FP(100%)", ops, 2 * rate(t, "rate.cube_f16") / 1000 * rate(t, "cores.cube") };
}

static struct compute vector(const struct vtr *t)
{
	double f16 = all_cores(t, "vector_elements.f16"), f32 = all_cores(t, "vector_elements.f32");
	bool wide = f32 > f16;
	return (struct compute){ wide ? "Vector_FP32(100%)" : "Vector_FP16(100%)", f16 + f32,
				 rate(t, "rate.vector") / 1000 / (wide ? 4 : 2) * rate(t, "cores.vector") };
}

/* One roof: memory of so many bytes per cycle moved `bytes`. Returns the share of the roof that was reached. */
static double roof(const struct vtr *t, const struct compute *c, const char *memory, double bytes, double per_cycle, bool first,
		   FILE *m)
{
	double mhz = (double)t->head.clock_mhz, cycles = (double)t->done.end;
	double tops = c->ops / cycles * mhz / 1e6, most = c->peak * mhz / 1e6, bandwidth = per_cycle * mhz / 1e6;
	double intensity = bytes > 0 ? c->ops / bytes : 0, top = bandwidth * intensity < most ? bandwidth * intensity : most;
	double ratio = top > 0 ? tops / top : 0;
	fprintf(m, "%s{\"bw\":%.6f,\"bw_name\":\"%s\",\"computility\":%.6f,\"computility_name\":\"%s\",\"point\":[%.6f,%.6f],"
		"\"ratio\":\"%.6f\"}",
		first ? "" : ",", bandwidth, memory, most, c->name, intensity, tops, ratio);
	return ratio > 0.8 ? (bandwidth * intensity < most ? -ratio : ratio) : 0;
}

/* The vendor's rule. */
static const char *advice(const struct vtr *t, bool compute, bool memory)
{
	double cycles = all_cores(t, "cycles"), busiest = 0;
	bool transfers = false;
	if (compute || memory)
		return compute ? "compute bound" : "memory bound";
	for (uint32_t p = 0; p < t->head.n_pipe; p++) {
		char name[60];
		snprintf(name, sizeof name, "busy.%.40s", t->head.pipe[p]);
		double busy = all_cores(t, name);
		if (busy <= busiest)
			continue;
		busiest = busy;
		transfers = strncmp(t->head.pipe[p], "MTE", 3) == 0;
	}
	if (cycles <= 0 || busiest < 0.8 * cycles)
		return "latency bound:pipeline caused";
	return transfers ? "latency bound:memory caused" : "latency bound:compute caused";
}

void vendor_roofline(const struct vendor *v, FILE *m)
{
	const struct vtr *t = v->x->t;
	struct compute unit[2] = { cube(t), vector(t) };
	double hbm = rate(t, "hbm_read") + rate(t, "hbm_written"), l2 = rate(t, "l2_bytes");
	bool memory = false, compute = false, first = true;
	fputs("{\"multiple_rooflines\":[{\"title\":\"GM/L2\",\"rooflines\":[", m);
	for (int i = 0; i < 2; i++) {
		if (unit[i].ops <= 0 || t->done.end <= 0)
			continue;
		double a = roof(t, &unit[i], "HBM Read + Write", hbm, rate(t, "rate.hbm") / 1000, first, m);
		double b = roof(t, &unit[i], "L2 Read + Write", l2, rate(t, "rate.l2") / 1000, false, m);
		compute |= a > 0 || b > 0;
		memory |= a < 0 || b < 0;
		first = false;
	}
	fprintf(m, "]}],\"advice\":\"%s\"}", advice(t, compute, memory));
}
