/*
 * trace_metrics.c - the metric tables of the vendor folder: columns as the vendor documents them, values against what the
 * kernels here move and compute by their source, and against the report of the same run.
 */
#include "lab.h"
#include "trace_make.h"

#include "../sim/report.h"
#include "../sim/trace_sink.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two loads of 1024 bytes, one vadd of 256 fp32 elements in phase (a bank group conflict), one store. */
static const char vector_kernel[] =
	"__global__ __aicore__ void k(__gm__ uint8_t *x) {\n"
	" copy_gm_to_ubuf((__ubuf__ void *)0, (__gm__ void *)x, 0, 1, 32, 0, 0);\n"
	" copy_gm_to_ubuf((__ubuf__ void *)0x400, (__gm__ void *)(x + 1024), 0, 1, 32, 0, 0);\n"
	" set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
	" vadd((__ubuf__ float *)0x800, (__ubuf__ float *)0, (__ubuf__ float *)0x400, 4, 1, 1, 1, 8, 8, 8);\n"
	" set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
	" copy_ubuf_to_gm((__gm__ void *)(x + 4096 + 1024 * get_block_idx()), (__ubuf__ void *)0x800, 0, 1, 32, 0, 0);\n"
	" pipe_barrier(PIPE_ALL);\n"
	"}";

/* 32 x 32 halves of A and B, C = A * B by one mad, 32 x 32 floats out. */
static const char cube_kernel[] =
	"__global__ __aicore__ void k(__gm__ uint8_t *x) {\n"
	" set_nd_para(1);\n"
	" copy_gm_to_cbuf((__cbuf__ void *)0, (__gm__ void *)x, 0, 1, 64, 0, 0, PAD_NONE);\n"
	" copy_gm_to_cbuf((__cbuf__ void *)0x800, (__gm__ void *)x, 0, 1, 64, 0, 0, PAD_NONE);\n"
	" set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);\n"
	" load_cbuf_to_ca((__ca__ half *)0, (__cbuf__ half *)0, 0, 4, 1, 0, 0, false, inc);\n"
	" load_cbuf_to_cb((__cb__ half *)0, (__cbuf__ half *)0x800, 0, 4, 1, 0, 0, false, inc);\n"
	" set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);\n"
	" mad((__cc__ float *)0, (__ca__ half *)0, (__cb__ half *)0, 32, 32, 32, 0, 0, 0, 1);\n"
	" set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);\n"
	" copy_matrix_cc_to_gm((__gm__ float *)(x + 8192), (__cc__ float *)0, 0, 32, 32, 32, 32, 0, NoQuant, 0, false, true);\n"
	" pipe_barrier(PIPE_ALL);\n"
	"}";

/* Headers of the vendor's files (msprof op, metric_csv_header.h and its user guide). */
static const struct { const char *file, *a2, *p; } header[] = {
	{ "PipeUtilization.csv",
	  "block_id,sub_block_id,aic_time(us),aic_total_cycles,aic_cube_time(us),aic_cube_ratio,"
	  "aic_mte1_time(us),aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,aic_mte3_time(us),aic_mte3_ratio,"
	  "aic_mte3_active_bw(GB/s),aic_fixpipe_time(us),aic_fixpipe_ratio,aic_fixpipe_active_bw(GB/s),"
	  "aic_icache_miss_rate,aic_scalar_time(us),aic_scalar_ratio,aic_scalar_single_time(us),"
	  "aic_scalar_dual_time(us),aic_scalar_mte1_stall_time(us),aic_scalar_mte2_stall_time(us),"
	  "aic_scalar_mte3_stall_time(us),aic_scalar_cube_stall_time(us),aic_scalar_wait_ib_time(us),"
	  "aic_scalar_wait_time(us),aiv_time(us),aiv_total_cycles,aiv_vec_time(us),aiv_vec_ratio,"
	  "aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte2_active_bw(GB/s),aiv_mte3_time(us),aiv_mte3_ratio,"
	  "aiv_mte3_active_bw(GB/s),aiv_icache_miss_rate,aiv_scalar_time(us),aiv_scalar_ratio,"
	  "aiv_scalar_single_time(us),aiv_scalar_dual_time(us),aiv_scalar_mte2_stall_time(us),"
	  "aiv_scalar_mte3_stall_time(us),aiv_scalar_stall_by_ub_time(us),aiv_scalar_vector_stall_time(us),"
	  "aiv_scalar_wait_ib_time(us),aiv_scalar_wait_time(us)",
	  "aic_time(us),aic_total_cycles,aic_cube_time(us),aic_cube_ratio,aic_scalar_time(us),aic_scalar_ratio,"
	  "aic_mte1_time(us),aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,aic_mte3_time(us),aic_mte3_ratio,"
	  "aic_icache_miss_rate,aic_vec_time(us),aic_vec_ratio" },
	{ "ArithmeticUtilization.csv",
	  "block_id,sub_block_id,aic_time(us),aic_total_cycles,aic_cube_ratio,aic_cube_fp16_ratio,"
	  "aic_cube_int8_ratio,aic_cube_fops,aic_cube_total_instr_number,aic_cube_fp_instr_number,"
	  "aic_cube_int_instr_number,aiv_time(us),aiv_total_cycles,aiv_vec_ratio,aiv_vec_fp32_ratio,"
	  "aiv_vec_fp16_ratio,aiv_vec_int32_ratio,aiv_vec_int16_ratio,aiv_vec_misc_ratio,aiv_vec_fops",
	  "aic_time(us),aic_total_cycles,aic_cube_ratio,aic_cube_fp16_ratio,aic_cube_int8_ratio,aic_cube_fops,"
	  "aic_cube_total_instr_number,aic_vec_ratio,aic_vec_fp32_ratio,aic_vec_fp16_ratio,aic_vec_int32_ratio,"
	  "aic_vec_int16_ratio,aic_vec_misc_ratio,aic_vec_fops" },
	{ "Memory.csv",
	  "block_id,sub_block_id,aic_time(us),aic_total_cycles,aic_l1_read_bw(GB/s),aic_l1_write_bw(GB/s),"
	  "aic_main_mem_read_bw(GB/s),aic_main_mem_write_bw(GB/s),aic_mte1_instructions,aic_mte1_ratio,"
	  "aic_mte2_instructions,aic_mte2_ratio,aic_mte3_instructions,aic_mte3_ratio,aiv_time(us),"
	  "aiv_total_cycles,aiv_ub_to_gm_bw(GB/s),aiv_gm_to_ub_bw(GB/s),aiv_main_mem_read_bw(GB/s),"
	  "aiv_main_mem_write_bw(GB/s),aiv_mte2_instructions,aiv_mte2_ratio,aiv_mte3_instructions,"
	  "aiv_mte3_ratio,read_main_memory_datas(KB),write_main_memory_datas(KB),GM_to_L1_datas(KB),"
	  "GM_to_L1_bw_usage_rate(%),L1_to_GM_datas(KB)(estimate),L1_to_GM_bw_usage_rate(%)(estimate),"
	  "L0C_to_L1_datas(KB),L0C_to_L1_bw_usage_rate(%),L0C_to_GM_datas(KB),L0C_to_GM_bw_usage_rate(%),"
	  "GM_to_UB_datas(KB),GM_to_UB_bw_usage_rate(%),UB_to_GM_datas(KB),UB_to_GM_bw_usage_rate(%)",
	  "aic_time(us),aic_total_cycles,aic_l1_read_bw(GB/s),aic_l1_write_bw(GB/s),aic_ub_to_gm_bw(GB/s),"
	  "aic_gm_to_ub_bw(GB/s),aic_main_mem_read_bw(GB/s),aic_main_mem_write_bw(GB/s),aic_mte1_instructions,"
	  "aic_mte1_ratio,aic_mte2_instructions,aic_mte2_ratio,aic_mte3_instructions,aic_mte3_ratio" },
	{ "MemoryL0.csv",
	  "block_id,sub_block_id,aic_time(us),aic_total_cycles,aic_l0a_read_bw(GB/s),aic_l0a_write_bw(GB/s),"
	  "aic_l0b_read_bw(GB/s),aic_l0b_write_bw(GB/s),aic_l0c_read_bw_cube(GB/s),aic_l0c_write_bw_cube(GB/s),"
	  "aiv_time(us),aiv_total_cycles",
	  "aic_time(us),aic_total_cycles,aic_l0a_read_bw(GB/s),aic_l0a_write_bw(GB/s),aic_l0b_read_bw(GB/s),"
	  "aic_l0b_write_bw(GB/s),aic_l0c_read_bw_cube(GB/s),aic_l0c_write_bw_cube(GB/s),aic_l0c_read_bw(GB/s),"
	  "aic_l0c_write_bw(GB/s)" },
	{ "MemoryUB.csv",
	  "block_id,sub_block_id,aic_time(us),aic_total_cycles,aiv_time(us),aiv_total_cycles,"
	  "aiv_ub_read_bw_vector(GB/s),aiv_ub_write_bw_vector(GB/s),aiv_ub_read_bw_scalar(GB/s),"
	  "aiv_ub_write_bw_scalar(GB/s)",
	  "aic_time(us),aic_total_cycles,aic_ub_read_bw_vector(GB/s),aic_ub_write_bw_vector(GB/s),"
	  "aic_ub_read_bw_scalar(GB/s),aic_ub_write_bw_scalar(GB/s)" },
	{ "L2Cache.csv",
	  "block_id,sub_block_id,aic_time(us),aic_total_cycles,aic_write_cache_hit,"
	  "aic_write_cache_miss_allocate,aic_r0_read_cache_hit,aic_r0_read_cache_miss_allocate,"
	  "aic_r1_read_cache_hit,aic_r1_read_cache_miss_allocate,aic_write_hit_rate(%),aic_read_hit_rate(%),"
	  "aic_total_hit_rate(%),aiv_time(us),aiv_total_cycles,aiv_write_cache_hit,"
	  "aiv_write_cache_miss_allocate,aiv_r0_read_cache_hit,aiv_r0_read_cache_miss_allocate,"
	  "aiv_r1_read_cache_hit,aiv_r1_read_cache_miss_allocate,aiv_write_hit_rate(%),aiv_read_hit_rate(%),"
	  "aiv_total_hit_rate(%)",
	  "aic_l2_cache_hit_rate(%)" },
	{ "ResourceConflictRatio.csv",
	  "block_id,sub_block_id,aic_time(us),aic_total_cycles,aic_cube_wait_ratio,aic_mte1_wait_ratio,"
	  "aic_mte2_wait_ratio,aic_mte3_wait_ratio,aiv_time(us),aiv_total_cycles,aiv_vec_total_cflt_ratio,"
	  "aiv_vec_bankgroup_cflt_ratio,aiv_vec_bank_cflt_ratio,aiv_vec_resc_cflt_ratio,aiv_vec_mte_cflt_ratio,"
	  "aiv_vec_wait_ratio,aiv_mte2_wait_ratio,aiv_mte3_wait_ratio",
	  "aic_time(us),aic_total_cycles,aic_cube_wait_ratio,aic_vec_wait_ratio,aic_mte1_wait_ratio,"
	  "aic_mte2_wait_ratio,aic_mte3_wait_ratio,aic_vec_total_cflt_ratio,aic_vec_bankgroup_cflt_ratio,"
	  "aic_vec_bank_cflt_ratio,aic_vec_resc_cflt_ratio,aic_vec_mte_cflt_ratio" },
	{ "OpBasicInfo.csv",
	  "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,Rated Freq",
	  "Op Name,Op Type,Task Duration(us),Block Dim,Device Id,Pid,Current Freq,Rated Freq" },
};

static char folder[40];
static struct lab lab;
static struct report report;
static struct trace_sink sink;

/* Run, trace, export. */
static void run(const char *chip, unsigned core, const char *kernel, int blocks)
{
	struct fail f = { 0 };
	char trace[64];
	struct vtr t;
	snprintf(folder, sizeof folder, "build/metrics-%d", (int)getpid());
	snprintf(trace, sizeof trace, "%s.vtr", folder);
	lab_open(&lab, chip, core, kernel, blocks, false);
	lab_buffer(&lab, NULL, 65536);
	lab.sim.options.on_event = trace_sink_event;
	lab.sim.options.user = &sink;
	cr_assert(trace_sink_open(&sink, trace, &lab.sim, "k.c", &f), "%s", f.what);
	cr_assert(lab_run(&lab), "%s", lab.fail.what);
	cr_assert(trace_sink_close(&sink, NULL, &f), "%s", f.what);
	report_make(&report, &lab.sim);
	cr_assert(vtr_open(trace, &t, &f), "%s", f.what);
	struct export x = { .t = &t, .filter = VTR_ALL };
	cr_assert(export_vendor(&x, folder, &f), "%s", f.what);
	cr_assert_eq(x.no_counters, EXPORT_COUNTERS);
	vtr_close(&t);
	unlink(trace);
}

static void done(void)
{
	char command[80];
	snprintf(command, sizeof command, "rm -r %s", folder);
	cr_assert_eq(system(command), 0);
	lab_close(&lab);
}

static char *slurp(const char *file)
{
	char path[120];
	static char text[1 << 16];
	snprintf(path, sizeof path, "%s/%s", folder, file);
	FILE *f = fopen(path, "r");
	cr_assert_not_null(f, "%s is missing", path);
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	fclose(f);
	return text;
}

/* The field of a column in data row `row` (from 0), as text; "" when there is no such row. */
static const char *field(const char *file, const char *column, int row)
{
	static char value[64];
	char *text = slurp(file), *end = strchr(text, '\n');
	int n = 0, at = -1;
	*end = 0;
	for (char *p = text; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL, n++)
		if (strncmp(p, column, strlen(column)) == 0 && strchr(",", p[strlen(column)]))
			at = n;
	cr_assert(at >= 0, "%s has no column %s", file, column);
	char *p = end + 1;
	while (row-- > 0 && (p = strchr(p, '\n')))
		p++;
	for (; p && *p && at > 0; at--)
		p = strchr(p, ',') + 1;
	snprintf(value, sizeof value, "%.*s", p ? (int)strcspn(p, ",\n") : 0, p ? p : "");
	return value;
}

static double value(const char *file, const char *column, int row)
{
	const char *text = field(file, column, row);
	cr_assert(text[0] && strcmp(text, "NA") != 0, "%s %s of row %d is \"%s\"", file, column, row, text);
	return strtod(text, NULL);
}

static void near(const char *file, const char *column, int row, double expected)
{
	double got = value(file, column, row), most = expected * 1e-6 + 1e-6;
	cr_assert(got >= expected - most && got <= expected + most, "%s %s of row %d: %f, expected %f", file, column, row, got,
		  expected);
}

static void headers(bool a2)
{
	for (size_t i = 0; i < sizeof header / sizeof header[0]; i++) {
		char *text = slurp(header[i].file);
		text[strcspn(text, "\n")] = 0;
		cr_assert_str_eq(text, a2 ? header[i].a2 : header[i].p, "%s", header[i].file);
	}
}

Test(trace_metrics, vector_cores_of_a_split_chip)
{
	const struct chip *chip = &lab.chip;
	run("ascend910b1", CORE_VEC, vector_kernel, 2);
	headers(true);
	double mhz = (double)report.clock_mhz, hits = 0, misses = 0;
	for (int c = 0; c < 2; c++) {
		const struct core_stats *st = &lab.sim.core[c].stats;
		double cycles = (double)(st->last_cycle - st->first_cycle), us = cycles / mhz;
		double busy = (double)report_busy(st->pipe[PIPE_V].cause);
		cr_assert_eq(value("PipeUtilization.csv", "block_id", c), c);
		cr_assert_str_eq(field("PipeUtilization.csv", "sub_block_id", c), "vector0");
		cr_assert_str_eq(field("PipeUtilization.csv", "aic_total_cycles", c), "NA");
		cr_assert_str_eq(field("PipeUtilization.csv", "aiv_scalar_single_time(us)", c), "NA");
		near("PipeUtilization.csv", "aiv_total_cycles", c, cycles);
		near("PipeUtilization.csv", "aiv_time(us)", c, us);
		near("PipeUtilization.csv", "aiv_vec_time(us)", c, busy / mhz);
		near("PipeUtilization.csv", "aiv_vec_ratio", c, busy / cycles);
		near("PipeUtilization.csv", "aiv_mte2_active_bw(GB/s)", c,
		     2048 * mhz / (double)report_busy(st->pipe[PIPE_MTE2].cause) / 1000);
		near("ArithmeticUtilization.csv", "aiv_vec_fops", c, 256);
		near("ArithmeticUtilization.csv", "aiv_vec_fp32_ratio", c, busy / cycles);
		near("ArithmeticUtilization.csv", "aiv_vec_fp16_ratio", c, 0);
		near("Memory.csv", "GM_to_UB_datas(KB)", c, 2);
		near("Memory.csv", "UB_to_GM_datas(KB)", c, 1);
		near("Memory.csv", "read_main_memory_datas(KB)", c, 2);
		near("Memory.csv", "aiv_gm_to_ub_bw(GB/s)", c, 2048 / us / 1000);
		near("Memory.csv", "GM_to_UB_bw_usage_rate(%)", c,
		     100 * 2048 / ((double)chip->gm.to_ub_rate / 1000 * cycles));
		/* two copies and a set_flag; a wait_flag and a copy */
		near("Memory.csv", "aiv_mte2_instructions", c, 3);
		near("Memory.csv", "aiv_mte3_instructions", c, 2);
		near("MemoryUB.csv", "aiv_ub_read_bw_vector(GB/s)", c, 2048 / us / 1000);
		near("MemoryUB.csv", "aiv_ub_write_bw_vector(GB/s)", c, 1024 / us / 1000);
		near("ResourceConflictRatio.csv", "aiv_vec_total_cflt_ratio", c,
		     (double)st->pipe[PIPE_V].cause[CAUSE_BANK] / cycles);
		cr_assert_gt(st->pipe[PIPE_V].cause[CAUSE_BANK], 0);
		/* 2048 bytes from a line's beginning, lines of 512; 1024 bytes written */
		double h = value("L2Cache.csv", "aiv_r0_read_cache_hit", c),
		       m = value("L2Cache.csv", "aiv_r0_read_cache_miss_allocate", c);
		cr_assert_eq(h + m, 2048 / chip->gm.l2_line);
		hits += h + value("L2Cache.csv", "aiv_write_cache_hit", c);
		misses += m + value("L2Cache.csv", "aiv_write_cache_miss_allocate", c);
	}
	/* both cores read the same bytes: the second finds them */
	cr_assert(hits > 0 && misses > 0);
	cr_assert_eq(hits * (double)chip->gm.l2_line, (double)report.l2_hit_bytes);
	cr_assert_eq(misses * (double)chip->gm.l2_line, (double)report.l2_miss_bytes);
	cr_assert_str_eq(field("PipeUtilization.csv", "block_id", 2), "");
	cr_assert_str_eq(field("OpBasicInfo.csv", "Op Type", 0), "vector");
	near("OpBasicInfo.csv", "Task Duration(us)", 0, (double)report.cycles / mhz);
	near("OpBasicInfo.csv", "Block Dim", 0, 2);
	done();
}

Test(trace_metrics, cube_core_of_a_split_chip)
{
	run("ascend910b1", CORE_CUBE, cube_kernel, 1);
	headers(true);
	const struct core_stats *st = &lab.sim.core[0].stats;
	double cycles = (double)(st->last_cycle - st->first_cycle), us = cycles / (double)report.clock_mhz;
	cr_assert_str_eq(field("ArithmeticUtilization.csv", "sub_block_id", 0), "cube0");
	cr_assert_str_eq(field("ArithmeticUtilization.csv", "aiv_vec_fops", 0), "NA");
	near("ArithmeticUtilization.csv", "aic_cube_fops", 0, 2 * 32 * 32 * 32);
	near("ArithmeticUtilization.csv", "aic_cube_fops", 0, 2 * (double)report.macs);
	near("ArithmeticUtilization.csv", "aic_cube_total_instr_number", 0, 1);
	near("ArithmeticUtilization.csv", "aic_cube_fp_instr_number", 0, 1);
	near("ArithmeticUtilization.csv", "aic_cube_int_instr_number", 0, 0);
	near("Memory.csv", "GM_to_L1_datas(KB)", 0, 4);
	near("Memory.csv", "L0C_to_GM_datas(KB)", 0, 4);
	near("Memory.csv", "aic_l1_read_bw(GB/s)", 0, 4096 / us / 1000);
	near("Memory.csv", "aic_l1_write_bw(GB/s)", 0, 4096 / us / 1000);
	near("MemoryL0.csv", "aic_l0a_write_bw(GB/s)", 0, 2048 / us / 1000);
	near("MemoryL0.csv", "aic_l0a_read_bw(GB/s)", 0, 2048 / us / 1000);
	near("MemoryL0.csv", "aic_l0b_read_bw(GB/s)", 0, 2048 / us / 1000);
	near("MemoryL0.csv", "aic_l0c_write_bw_cube(GB/s)", 0, 4096 / us / 1000);
	near("MemoryL0.csv", "aic_l0c_read_bw_cube(GB/s)", 0, 0);
	near("ResourceConflictRatio.csv", "aic_cube_wait_ratio", 0, (double)st->pipe[PIPE_M].cause[CAUSE_FLAG_MTE1] / cycles);
	done();
}

Test(trace_metrics, one_row_for_a_fused_chip)
{
	run("ascend310p", CORE_FUSED, vector_kernel, 2);
	headers(false);
	double cycles = 0, busy = 0;
	for (int c = 0; c < 2; c++) {
		const struct core_stats *st = &lab.sim.core[c].stats;
		cycles += (double)(st->last_cycle - st->first_cycle);
		busy += (double)report_busy(st->pipe[PIPE_V].cause);
	}
	double us = cycles / 2 / (double)report.clock_mhz;
	near("PipeUtilization.csv", "aic_total_cycles", 0, cycles);
	near("PipeUtilization.csv", "aic_time(us)", 0, us);
	near("PipeUtilization.csv", "aic_vec_ratio", 0, busy / cycles);
	near("ArithmeticUtilization.csv", "aic_vec_fops", 0, 2 * 256);
	near("Memory.csv", "aic_gm_to_ub_bw(GB/s)", 0, 2 * 2048 / us / 1000);
	near("MemoryUB.csv", "aic_ub_write_bw_vector(GB/s)", 0, 2 * 1024 / us / 1000);
	cr_assert_str_eq(field("PipeUtilization.csv", "aic_time(us)", 1), "");
	done();
}

/* Content of a block of visualize_data.bin by its number; the framing itself is checked in trace_vendor.c. */
static json_t *block(int wanted)
{
	const uint8_t *b = (const uint8_t *)slurp("simulator/visualize_data.bin");
	for (;;) {
		uint64_t n = 0;
		for (int i = 0; i < 8; i++)
			n |= (uint64_t)b[i] << 8 * i;
		cr_assert(n > 0 && n < 1 << 16, "no block %d", wanted);
		if (b[8] == wanted)
			return json_loadb((const char *)b + 12, n - b[9], 0, NULL);
		b += 12 + (b[8] == 1 ? 4096 : 0) + n;
	}
}

static double member(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);
	cr_assert_not_null(v, "no %s", key);
	return json_is_string(v) ? strtod(json_string_value(v), NULL) : json_number_value(v);
}

/* What the counters of the timeline add up to, times a microsecond each. */
static uint64_t throughput(const char *name)
{
	json_t *root = json_loads(slurp("simulator/trace.json"), 0, NULL), *e;
	uint64_t sum = 0, value = 0, since = 0;
	size_t i;
	cr_assert_not_null(root);
	json_array_foreach(json_object_get(root, "traceEvents"), i, e) {
		if (strcmp(json_string_value(json_object_get(e, "ph")), "C") != 0 ||
		    strcmp(json_string_value(json_object_get(e, "name")), name) != 0)
			continue;
		uint64_t ts = (uint64_t)json_integer_value(json_object_get(e, "ts"));
		cr_assert(ts > since);
		sum += value * (ts - since);
		since = ts;
		value = (uint64_t)json_integer_value(json_object_get(json_object_get(e, "args"), "throughput(MB/s)"));
	}
	cr_assert_eq(value, 0, "%s is not closed", name);
	json_decref(root);
	return sum;
}

Test(trace_metrics, throughput_adds_up_to_the_bytes)
{
	run("ascend910b1", CORE_VEC, vector_kernel, 2);
	cr_assert_eq(throughput("GM_TO_UB"), 2 * 2048);
	cr_assert_eq(throughput("GM_TO_TOTAL"), 2 * 2048);
	cr_assert_eq(throughput("UB_TO_GM"), 2 * 1024);
	cr_assert_eq(throughput("TOTAL_TO_GM"), 2 * 1024);
	cr_assert_eq(throughput("GM_TO_L1"), 0);
	done();
}

Test(trace_metrics, details_page_says_what_the_tables_say)
{
	run("ascend910b1", CORE_CUBE, cube_kernel, 1);
	const struct core_stats *st = &lab.sim.core[0].stats;
	double cycles = (double)(st->last_cycle - st->first_cycle);
	json_t *root = block(6), *e;
	size_t i, found = 0;
	json_array_foreach(json_object_get(root, "subblock_detail"), i, e) {
		cr_assert_str_eq(json_string_value(json_object_get(e, "block_type")), "cube0");
		if (strcmp(json_string_value(json_object_get(e, "name")), "Cube FP") != 0)
			continue;
		found++;
		double percent = 100 * value("PipeUtilization.csv", "aic_cube_ratio", 0), got = member(e, "value");
		cr_assert(got > percent - 1e-3 && got < percent + 1e-3 && percent > 0);
	}
	cr_assert_eq(found, 1);
	json_decref(root);
	root = block(12);
	e = json_array_get(json_object_get(json_array_get(json_object_get(root, "op_detail"), 0), "core_detail"), 0);
	cr_assert_eq(member(e, "cycles"), cycles);
	cr_assert_eq(member(e, "throughput"), 4096 + 4096);
	cr_assert_str_eq(json_string_value(json_object_get(root, "op_type")), "cube");
	json_decref(root);
	root = block(13);
	e = json_object_get(json_array_get(json_object_get(root, "multiple_rooflines"), 0), "rooflines");
	cr_assert_eq(json_array_size(e), 2);
	/* 65 536 operations, 8 192 bytes through L2 */
	double intensity = json_number_value(json_array_get(json_object_get(json_array_get(e, 1), "point"), 0));
	cr_assert(intensity > 7.999 && intensity < 8.001, "%f", intensity);
	/* 24 cores of 8192 operations per cycle at 1.85 GHz */
	double peak = member(json_array_get(e, 0), "computility");
	cr_assert(peak > 363.7 && peak < 363.8, "%f", peak);
	cr_assert_str_eq(json_string_value(json_object_get(root, "advice")), "latency bound:pipeline caused");
	json_decref(root);
	done();
}

/* A file from before there were counters. */
Test(trace_metrics, a_trace_without_counters_gives_no_tables)
{
	struct made made;
	struct vtr t;
	struct fail f = { 0 };
	char path[80];
	snprintf(folder, sizeof folder, "build/metrics-%d", (int)getpid());
	made_run(&made, 2, 2, 10, 100);
	cr_assert(vtr_open_memory(made.bytes, made.size, "made", &t, &f), "%s", f.what);
	cr_assert_eq(vtr_core_counter(&t, 0, "cycles"), -1);
	cr_assert_eq(vtr_core_counter(&t, 0, "moved.GM.UB"), -1);
	cr_assert_eq(vtr_run_counter(&t, "split"), -1);
	struct export x = { .t = &t, .filter = VTR_ALL };
	cr_assert(export_vendor(&x, folder, &f), "%s", f.what);
	cr_assert_eq(x.no_counters, EXPORT_NONE);
	snprintf(path, sizeof path, "%s/PipeUtilization.csv", folder);
	cr_assert_neq(access(path, F_OK), 0);
	snprintf(path, sizeof path, "rm -r %s", folder);
	cr_assert_eq(system(path), 0);
	vtr_close(&t);
	made_free(&made);
}

/* Counters come back as they were written, also from a file whose end was lost. */
Test(trace_metrics, counters_are_read_as_written)
{
	static const vtr_text run_name[] = { "split", "hbm_read" }, core_name[] = { "cycles", "read.V.UB", "blocks" };
	static const int64_t run_value[] = { 1, INT64_MAX }, core_value[] = { 5, 0, 1, 1 << 20, 300, 2 };
	static const struct vtr_core core[] = { { "core0", "fused", 0, 0 }, { "core1", "fused", 1, 0 } };
	static const vtr_text name[] = { "S" };
	struct vtr_head head = { .producer = "t", .chip = "t", .kernel = "t", .entry = "t", .clock_mhz = 1, .blocks = 1,
				 .n_core = 2, .n_pipe = 1, .n_cause = 1, .n_space = 1, .core = core, .pipe = name,
				 .cause = name, .space = name };
	struct vtr_counters c = { 2, 3, run_name, core_name, run_value, core_value };
	struct vtr_done end = { .end = 7 };
	struct fail f = { 0 };
	char *bytes;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);
	struct vtr_writer *w = vtr_writer_open(out, &head, &f);
	cr_assert(w && vtr_write_counters(w, &c, 2, &f) && vtr_write_done(w, &end, &f), "%s", f.what);
	vtr_writer_free(w);
	fclose(out);
	for (size_t cut = 0; cut < 30; cut += 29) {
		struct vtr t;
		cr_assert(vtr_open_memory(bytes, size - cut, "made", &t, &f), "%s", f.what);
		cr_assert_eq(t.cut, cut > 0);
		cr_assert_eq(vtr_run_counter(&t, "hbm_read"), INT64_MAX);
		cr_assert_eq(vtr_run_counter(&t, "hbm_written"), -1);
		cr_assert_eq(vtr_core_counter(&t, 1, "cycles"), 1 << 20);
		cr_assert_eq(vtr_core_counter(&t, 1, "read.V.UB"), 300);
		cr_assert_eq(vtr_core_counter(&t, 0, "read.V.L1"), 0);
		cr_assert_eq(vtr_core_counter(&t, 0, "ops.V"), -1);
		vtr_close(&t);
	}
	free(bytes);
}
