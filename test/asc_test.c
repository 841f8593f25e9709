/*
 * asc_test.c - Ascend C: operators of test/asc by launch file and as host programs; misuse of queues and memory ends in a
 * sentence at the user's line; printf, missing names, arrays in local memory, the source pass.
 */
#include "../sim/cc_source.h"
#include "../isa/isa.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Run a shell command; its stdout and stderr in out. */
static int command(const char *line, char *out, size_t size)
{
	char full[4096];
	snprintf(full, sizeof full, "%s 2>&1", line);
	FILE *p = popen(full, "r");
	cr_assert(p != NULL);
	size_t n = fread(out, 1, size - 1, p);
	out[n] = 0;
	char rest[4096];
	while (fread(rest, 1, sizeof rest, p) > 0)
		;
	int status = pclose(p);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct name { char text[32]; };

/* --- operators with a launch file: what runs.list says, on its chip, with its parameters --- */

struct run { char folder[40], chip[16], set[64]; };
enum { MAX_RUNS = 200 };
static struct run runs[MAX_RUNS];

ParameterizedTestParameters(asc, launch)
{
	char line[200];
	size_t n = 0;
	FILE *f = fopen("test/asc/runs.list", "r");
	while (f && fgets(line, sizeof line, f) && n < MAX_RUNS)
		if (line[0] != '#')
			n += sscanf(line, "%39s %15s %63[^\n]", runs[n].folder, runs[n].chip, runs[n].set) >= 2;
	if (f)
		fclose(f);
	return cr_make_param_array(struct run, runs, n);
}
ParameterizedTest(struct run *r, asc, launch)
{
	char line[400], out[16384];
	int at = snprintf(line, sizeof line, "build/vinci run test/asc/%s --quiet --chip %s", r->folder, r->chip);
	for (char *s = strtok(r->set, " "); s; s = strtok(NULL, " "))
		at += snprintf(line + at, sizeof line - (size_t)at, " --set %s", s);
	cr_expect_eq(command(line, out, sizeof out), 0, "%s: %s", line, out);
	cr_expect(strstr(out, "matches golden"), "%s was not compared: %s", line, out);
}

/* A fresh folder for one test, removed at its end. */
static char *folder(void)
{
	static char path[64];
	snprintf(path, sizeof path, "/tmp/asc_test_XXXXXX");
	cr_assert(mkdtemp(path) != NULL);
	return path;
}

static void remove_folder(const char *path)
{
	char line[200], out[64];
	snprintf(line, sizeof line, "rm -rf %s", path);
	command(line, out, sizeof out);
}

static void host_program(const char *sources, const char *flags, const char *before, const char *after)
{
	char line[1200], out[8192];
	char *at = folder();
	snprintf(line, sizeof line, "build/vinci cc --host %s -o %s/op %s && cd %s && %s ./op %s", sources, at, flags,
		 at, before, after);
	int status = command(line, out, sizeof out);
	remove_folder(at);
	cr_expect_eq(status, 0, "%s", out);
}

Test(asc, host_add)
{
	/* input files of eighths: their sums are exact; the program is the public sample's shape */
	host_program(
		"test/asc/add_queue/main.cpp test/asc/add_queue/add_custom.cpp", "",
		"mkdir input output; printf 'abcdefgh%.0s' $(seq 4096) | tee input/input_x.bin > input/input_y.bin;",
		"&& test \"$(head -c 16 output/output_z.bin)\" = afchejglafchejgl && test $(stat -c %s "
		"output/output_z.bin) = 32768");
}
Test(asc, host_add_cpu_debug)
{
	host_program(
		"test/asc/add_queue/main.cpp test/asc/add_queue/add_custom.cpp", "--cpu-debug",
		"mkdir input output; printf 'abcdefgh%.0s' $(seq 4096) | tee input/input_x.bin > input/input_y.bin;",
		"&& test \"$(head -c 16 output/output_z.bin)\" = afchejglafchejgl && test $(stat -c %s "
		"output/output_z.bin) = 32768");
}
/* what a newcomer sees first: the verdict with the kernel's lines, a trace with the same report, a chip of another kind */
Test(asc, host_report)
{
	char line[1600], out[1 << 15];
	char *at = folder();
	snprintf(line, sizeof line,
		 "{ build/vinci cc --host test/asc/add_queue/main.cpp test/asc/add_queue/add_custom.cpp -o %s/op && "
	  "vinci=$PWD/build/vinci "
		 "&& cd %s && mkdir input output && head -c 32768 /dev/zero | tee input/input_x.bin > input/input_y.bin && "
		 "VINCI_REPORT=1 VINCI_TRACE=t.vtr ./op && echo ---- && $vinci report t.vtr && echo ---- && "
	  "VINCI_CHIP=ascend910 ./op; }",
		 at, at);
	command(line, out, sizeof out);
	remove_folder(at);
	char *trace = strstr(out, "----"), *chip = trace ? strstr(trace + 4, "----") : NULL;
	cr_assert(chip != NULL, "%s", out);
	char *verdict = strstr(out, "Verdict  "), *lines = strstr(out, " cycles at add_custom.cpp:");
	cr_expect(verdict && verdict < trace && lines && lines < trace && !strstr(out, "kernel_tpipe.h"), "%s", out);
	cr_expect(strstr(trace, "Verdict  ") && strstr(trace, " cycles at add_custom.cpp:"), "%s", trace);
	/* the page that shows this sample shows these figures */
	static char page[1 << 16];
	FILE *f = fopen("isa/include/ascendc/README.md", "r");
	cr_assert(f != NULL);
	page[fread(page, 1, sizeof page - 1, f)] = 0;
	fclose(f);
	const char *const shown[] = { "Time     ", "Verdict  ", "Critical path: ", NULL };
	for (const char *const *what = shown; *what; what++) {
		char *line_at = strstr(out, *what);
		cr_assert(line_at && strchr(line_at, '\n'), "%s", out);
		*strchr(line_at, '\n') = 0;
		cr_expect(strstr(page, line_at) != NULL, "isa/include/ascendc/README.md does not show: %s", line_at);
		line_at[strlen(line_at)] = '\n';
	}
	cr_expect(strstr(chip, "kernel add_custom was not compiled for chip ascend910 (c100)"), "%s", chip);
}
Test(asc, host_matmul_leakyrelu)
{
	host_program("test/asc/matmul_leakyrelu/main.cpp test/asc/matmul_leakyrelu/matmul_leakyrelu.cpp", "", "", "");
}
/* kernels, launches and __aicore__ itself from macros and headers; a struct by address */
Test(asc, host_macro_kernels)
{
	host_program("test/asc/macro_kernels/main.cpp test/asc/macro_kernels/kernels.cpp test/asc/macro_kernels/negate.cpp",
		     "", "", "");
}
Test(asc, host_matmul_object) { host_program("test/asc/matmul_object/matmul_object.asc", "", "", ""); }

/* a key that the kernel does not know leaves y as it was */
Test(asc, unknown_tiling_key)
{
	char out[8192];
	cr_expect_eq(command("build/vinci run test/asc/project --quiet --set tiling_key=7", out, sizeof out), 1, "%s", out);
}

/* --- one kernel of a few lines --- */

static int kernel(const char *body, const char *extra, char *out, size_t size)
{
	char line[600], path[200], *at = folder();
	snprintf(path, sizeof path, "%s/k.cpp", at);
	FILE *f = fopen(path, "w");
	cr_assert(f != NULL);
	fprintf(f, "#include \"kernel_operator.h\"\nusing namespace AscendC;\n"
		   "extern \"C\" __global__ __aicore__ void k(GM_ADDR x) {\n%s\n}\n", body);
	fclose(f);
	snprintf(line, sizeof line, "VINCI_CACHE=%s build/vinci run %s --quiet --blocks 1 --inout %s/x.bin:f32:64 %s",
		 at, path, at, extra);
	snprintf(path, sizeof path, "%s/x.bin", at);
	f = fopen(path, "wb");
	cr_assert(f != NULL);
	for (int i = 0; i < 64; i++) {
		float v = (float)i;
		fwrite(&v, 4, 1, f);
	}
	fclose(f);
	int status = command(line, out, size);
	remove_folder(at);
	return status;
}

#define SETUP "TPipe p; TQue<TPosition::VECIN, 1> q; TBuf<> b; GlobalTensor<float> g; g.SetGlobalBuffer((__gm__ float " \
	"*)x, 64);\n"

/* Misuse ends in a sentence at the line that is to blame; line 4 is the setup, the body starts at 5. */
struct misuse { char chip[16], says[120], body[300]; int line; };
#define B "ascend910b1"
#define QUEUE "p.InitBuffer(q, 1, 256);\n"
#define TENSOR QUEUE "auto t = q.AllocTensor<float>();\n"
#define TWO "p.InitBuffer(q, 2, 256);\nTQue<TPosition::VECIN, 1> r;\np.InitBuffer(r, 1, 256);\n"
#define POOL "TBufPool<TPosition::VECIN> l; TQue<TPosition::VECIN, 1> r; p.InitBufPool(l, 256);\n"
static struct misuse misuses[] = {
	/* queues */
	{ B, "DeQue: the queue is empty", QUEUE "auto t = q.DeQue<float>();", 6 },
	{ B, "EnQue without DeQue: the kernel ends with this tensor in its queue", TENSOR "q.EnQue(t);", 7 },
	{ B, "FreeTensor is missing: the kernel ends with this tensor not freed", TENSOR, 6 },
	{ B, "FreeTensor is missing", TENSOR "q.EnQue(t);\nt = q.DeQue<float>();", 8 },
	{ B, "FreeTensor is missing", TENSOR "p.Reset();", 6 },
	{ B, "FreeTensor: the tensor is free already", TENSOR "q.FreeTensor(t);\nq.FreeTensor(t);", 8 },
	{ B, "FreeTensor: the tensor is in the queue; a DeQue is missing", TENSOR "q.EnQue(t);\nq.FreeTensor(t);", 8 },
	{ B, "EnQue: the tensor is not in the kernel's hands", TENSOR "q.EnQue(t);\nq.EnQue(t);", 8 },
	{ B, "EnQue: the tensor is not in the kernel's hands", TENSOR "q.FreeTensor(t);\nq.EnQue(t);", 8 },
	{ B, "EnQue: the tensor was not allocated by this queue", TWO "auto t = r.AllocTensor<float>();\nq.EnQue(t);", 9 },
	{ B, "EnQue: the tensor was not allocated by this queue", QUEUE "p.InitBuffer(b, 256);\n"
	  "auto t = b.Get<float>();\nq.EnQue(t);", 8 },
	{ B, "FreeTensor: the tensor was not allocated by this queue", TWO "auto t = r.AllocTensor<float>();\n"
	  "q.FreeTensor(t);", 9 },
	{ B, "AllocTensor: all buffers of the queue are taken", TENSOR "auto u = q.AllocTensor<float>();", 7 },
	{ B, "AllocTensor: the queue has no buffers: TPipe::InitBuffer comes first", "auto t = q.AllocTensor<float>();", 5 },
	/* memory */
	{ B, "more buffers than the unified buffer has room for", "p.InitBuffer(q, 2, 100 * 1024);", 5 },
	{ "ascend910", "more buffers than the unified buffer has room for", QUEUE "p.InitBuffer(b, 256 * 1024 - 256);", 6 },
	{ "ascend910", "more buffers than the local memory has room for",
	  "TQue<TPosition::CO1, 1> c;\np.InitBuffer(c, 2, 128 * 1024);\np.InitBuffer(b, 32);\n"
	  "TBuf<TPosition::CO1> d; p.InitBuffer(d, 32);", 8 },
	{ B, "a queue has 1 to 16 buffers", "p.InitBuffer(q, 17, 32);", 5 },
	{ B, "a queue has 1 to 16 buffers", "p.InitBuffer(q, 0, 32);", 5 },
	{ B, "more than 64 buffers or 32 queues", "TQue<TPosition::VECIN, 1> r[33];\nfor (auto &i : r)\n"
	  "p.InitBuffer(i, 1, 32);", 7 },
	{ B, "more than 64 buffers or 32 queues", "TQue<TPosition::VECIN, 1> r[5];\nfor (auto &i : r)\n"
	  "p.InitBuffer(i, 16, 32);", 7 },
	{ B, "TBuf::Get: the buffer has no memory: TPipe::InitBuffer comes first", "auto t = b.Get<float>();", 5 },
	{ B, "TBuf::Get: more elements than the buffer holds", "p.InitBuffer(b, 256);\nauto t = b.Get<float>(65);", 6 },
	{ B, "TBuf::GetWithOffset: behind the end", "p.InitBuffer(b, 256);\nauto t = b.GetWithOffset<float>(32, 160);", 6 },
	{ B, "LocalMemAllocator::Alloc: the memory has no room",
	  "LocalMemAllocator<Hardware::UB> m;\nauto t = m.Alloc<TPosition::VECIN, float>(50000);", 6 },
	{ B, "the index is behind the end", "p.InitBuffer(b, 32);\nauto t = b.Get<float>();\nt.SetValue(8, 1.0f);", 7 },
	{ B, "the index is behind the end", "p.InitBuffer(b, 32);\nauto t = b.Get<float>();\nif (t.GetValue(8) == 1)\n"
	  "Trap();", 7 },
	/* pools */
	{ B, "more buffers than the pool has room for", POOL "l.InitBuffer(q, 3, 96);", 6 },
	{ B, "more buffers than bufIDSize", POOL "l.InitBuffer(q, 3, 32);\nl.InitBuffer(r, 2, 32);", 7 },
	{ B, "InitBufPool comes first", POOL "TBufPool<TPosition::VECIN> m;\nm.InitBuffer(q, 1, 32);", 7 },
	{ B, "longer than the pool whose memory it shares", POOL "TBufPool<TPosition::VECIN> m;\np.InitBufPool(m, 257, l);", 7 },
	{ B, "FreeTensor is missing: the pool is reset", POOL "l.InitBuffer(q, 1, 32);\nauto t = q.AllocTensor<float>();\n"
	  "l.Reset();", 7 },
	{ B, "EnQue without DeQue: the kernel ends", POOL "l.InitBuffer(q, 1, 32);\nauto t = q.AllocTensor<float>();\n"
	  "q.EnQue(t);", 8 },
	{ B, "AllocTensor: all buffers of the queue are taken", POOL "l.InitBuffer(q, 1, 32);\nq.AllocTensor<float>();\n"
	  "q.AllocTensor<float>();", 8 },
	/* positions */
	{ "ascend910", "this one is in another memory", "TQue<TPosition::A1, 1> r;\np.InitBuffer(r, 1, 256);\n"
	  "auto t = r.AllocTensor<half>();\n"
	  "Add(t, t, t, 64);", 8 },
	{ B, "with GM the other side is in the unified buffer", "TBuf<TPosition::A2> r;\np.InitBuffer(r, 256);\n"
	  "auto t = r.Get<float>();\n"
	  "DataCopy(t, g, 64);", 8 },
	{ "ascend910", "Mmad: the left matrix is in A2", "TBuf<TPosition::CO1> c; TBuf<TPosition::A1> l;\n"
	  "p.InitBuffer(c, 1024); "
	  "p.InitBuffer(l, 512);\nauto m = l.Get<half>();\n"
	  "Mmad(c.Get<float>(), m, m, MmadParams());", 8 },
	/* copies */
	{ B, "less than 32 bytes, of which nothing is copied; DataCopyPad moves single bytes", TENSOR "DataCopy(t, g, 7);", 7 },
	{ "ascend910", "less than 32 bytes, of which nothing is copied; round up to whole blocks",
	  TENSOR "DataCopy(t, g, 7);", 7 },
	{ B, "more data than the destination tensor holds", "p.InitBuffer(q, 1, 128);\nauto t = q.AllocTensor<float>();\n"
	  "DataCopy(t, g, 64);", 7 },
	{ B, "more data than the source tensor holds", "p.InitBuffer(q, 1, 128);\nauto t = q.AllocTensor<float>();\n"
	  "DataCopy(g, t, 64);", 7 },
	/* events, assertions, round modes */
	{ B, "out of event ids", "TQue<TPosition::VECIN, 9> r;\np.InitBuffer(r, 9, 32);\nLocalTensor<float> t[9];\n"
	  "for (int i = 0; i < 9; "
				 "i++) t[i] = r.AllocTensor<float>();\nfor (int i = 0; i < 9; i++) r.EnQue(t[i]);", 9 },
	{ B, "out of event ids", "for (int i = 0; i < 9; i++)\np.AllocEventID<HardEvent::V_MTE2>();", 6 },
	{ "ascend910", "out of event ids", "for (int i = 0; i < 5; i++)\np.AllocEventID<HardEvent::V_MTE2>();", 6 },
	{ B, "ReleaseEventID: the id is not one that AllocEventID gave", "p.ReleaseEventID<HardEvent::V_MTE2>(3);", 5 },
	{ B, "assertion failed: n == 2", "int n = GetBlockNum();\nassert(n == 2);", 6 },
	{ B, "no conversion with this round mode", "p.InitBuffer(b, 256);\nauto t = b.Get<half>(32);\n"
	  "Cast(b.GetWithOffset<float>(32, 128), t, "
						   "RoundMode::CAST_CEIL, 32);", 7 },
};
ParameterizedTestParameters(asc, misuse)
{
	return cr_make_param_array(struct misuse, misuses, sizeof misuses / sizeof misuses[0]);
}
ParameterizedTest(struct misuse *m, asc, misuse)
{
	char out[8192], where[64], text[2048], extra[64];
	snprintf(text, sizeof text, SETUP "%s", m->body);
	snprintf(extra, sizeof extra, "--chip %s", m->chip);
	int status = kernel(text, extra, out, sizeof out);
	snprintf(where, sizeof where, "k.cpp:%d in k", m->line);
	cr_expect_eq(status, 1, "%s: %s", m->body, out);
	cr_expect(strstr(out, m->says), "%s: no \"%s\" in: %s", m->body, m->says, out);
	cr_expect(strstr(out, where), "%s: no \"%s\" in: %s", m->body, where, out);
}

static struct name chips[] = { { "ascend910b1" }, { "ascend310p" }, { "ascend910" } };
ParameterizedTestParameters(asc, printf_and_dump) { return cr_make_param_array(struct name, chips, 3); }
ParameterizedTest(struct name *n, asc, printf_and_dump)
{
	char out[8192], extra[64];
	snprintf(extra, sizeof extra, "--chip %s", n->text);
	int status = kernel(SETUP "p.InitBuffer(q, 1, 256);\nauto t = q.AllocTensor<float>();\nDataCopy(t, g, "
				  "64);\nq.EnQue(t);\nt = q.DeQue<float>();\n"
				  "AscendC::printf(\"block %d of %u: %.2f %s %x %%\\n\", (int)GetBlockIdx(), 1u, 2.5f, "
				  "\"text\", 255);\n DumpTensor(t, 5, 4);\n PRINTF(\"and %d\\n\", 42);\n "
				  "DumpTensor(g[8], 6, 3);\n"
				  "PrintTimeStamp(77);\n ASCENDC_ASSERT(t.GetValue(5) == 5.0f, printf(\"not "
				  "five\"));\nq.FreeTensor(t);",
			    extra, out, sizeof out);
	cr_expect_eq(status, 0, "%s", out);
	cr_expect(strstr(out, "block 0 of 1: 2.50 text ff %"), "%s", out);
	cr_expect(strstr(out, "[0, 1, 2, 3]") && strstr(out, "[8, 9, 10]"), "%s", out);
	cr_expect(strstr(out, "and 42") && strstr(out, "time stamp 77: "), "%s", out);
}

Test(asc, missing_name_says_so)
{
	char out[8192];
	cr_expect_eq(kernel("AscendC::DropOut(x);", "", out, sizeof out), 2);
	cr_expect(strstr(out, "Vinci does not model AscendC::DropOut yet") && strstr(out, "k.cpp:4:"), "%s", out);
}

Test(asc, wrong_type_says_so)
{
	char out[8192];
	cr_expect_eq(kernel("TBuf<> b; LocalTensor<uint8_t> t = b.Get<uint8_t>(); Add(t, t, t, 32);", "", out, sizeof out), 2);
	static const char says[] = "k.cpp:4:54: error: AscendC::Add takes half, float, int16_t and int32_t on Ascend 910B";
	cr_expect(strstr(out, says), "%s", out);
}

Test(asc, matmul_of_l1_says_so)
{
	char out[8192];
	cr_expect_eq(kernel("}\n#include \"lib/matmul_intf.h\"\nusing Gm = MatmulType<TPosition::GM, CubeFormat::ND, half>;\n"
			    "extern \"C\" __global__ __aicore__ void l(GM_ADDR x) {\n"
			    "Matmul<MatmulType<TPosition::TSCM, CubeFormat::NZ, half>, Gm, Gm> mm;",
			    "", out, sizeof out), 2);
	cr_expect(strstr(out, "A and B in GM or UB (VECIN, VECOUT, VECCALC), not in L1 (TSCM)") && strstr(out, "k.cpp:8:"),
		  "%s", out);
}

/* intrinsics with arrays in UB as locals, and a literal [aicore] */
Test(asc, local_arrays)
{
	char out[8192];
	int status = kernel("__ubuf__ float a[64];\n__ubuf__ float b[64];\n"
			    "copy_gm_to_ubuf(a, (__gm__ void *)x, 0, 1, 8, 0, 0);\nset_flag(PIPE_MTE2, PIPE_V, "
			    "EVENT_ID0);\nwait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
			    "set_vector_mask(0, ~0ull);\nvadds(b, a, 1.0f, 1, 1, 1, 8, 8);\nset_flag(PIPE_V, PIPE_S, "
			    "EVENT_ID0);\nwait_flag(PIPE_V, PIPE_S, EVENT_ID0);\n"
			    "auto f = []() [aicore] { return 4.0f; };\nif (b[3] != f() || (uint64_t)b - (uint64_t)a != "
			    "256) trap(1);",
			    "", out, sizeof out);
	cr_expect_eq(status, 0, "%s", out);
}

/* scalar access waits for the pipes by itself, and the pipes for scalar stores */
Test(asc, auto_sync)
{
	char out[8192];
	int status = kernel(SETUP "p.InitBuffer(q, 1, 256); p.InitBuffer(b, 256);\nauto t = "
				  "q.AllocTensor<float>();\nDataCopy(t, g, 64);\nq.EnQue(t);\nt = q.DeQue<float>();\n"
				  "auto u = b.Get<float>();\nMuls(u, t, 2.0f, 64);\nAdds(u, u, 1.0f, 64);\nfloat v = "
				  "u.GetValue(10);\nu.SetValue(0, v);\nAdds(u, u, 1.0f, 64);\n"
				  "assert(u.GetValue(0) == 22.0f && u.GetValue(63) == 128.0f);\nq.FreeTensor(t);",
			    "", out, sizeof out);
	cr_expect_eq(status, 0, "%s", out);
}

/* --- the source pass --- */

static void write_source(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	cr_assert(f != NULL);
	fputs(text, f);
	fclose(f);
}

static char *read_source(const char *path)
{
	static char text[8192];
	FILE *f = fopen(path, "r");
	cr_assert(f != NULL);
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	fclose(f);
	return text;
}

static int lines(const char *s)
{
	int n = 0;
	for (; *s; s++)
		n += *s == '\n';
	return n;
}

Test(asc_source, halves_keep_their_lines)
{
	static const char text[] =
		"#include <iostream>\nstruct Tiling { int n; };\nclass K { __aicore__ void f() { if (a < b) {} } };\n"
		"__global__ __aicore__ void k(int *p, Tiling t) {\n  /* { */ const char *s = \"}\";\n}\n"
		"void run(int *p) { // k<<<1>>>\n  k<<<8, nullptr, s>>>(p, Tiling{ 3 });\n  t<int, A<B>><<<n, 0, "
		"s>>>(p);\n}\nint main() { return 0; }\n";
	struct fail f = { 0 };
	char a[100], b[100], c[100], *at = folder();
	snprintf(a, sizeof a, "%s/a.cpp", at);
	snprintf(b, sizeof b, "%s/b.cpp", at);
	snprintf(c, sizeof c, "%s/c.cpp", at);
	write_source(a, text);
	cr_assert(source_device(a, NULL, a, b, &f), "%s", f.what);
	char *device = read_source(b);
	cr_expect(strstr(device, "class K") && strstr(device, "void k(int *p, Tiling t)") &&
			  strstr(device, "struct Tiling"),
		  "%s", device);
	cr_expect(!strstr(device, "main") && !strstr(device, "run("), "%s", device);
	cr_expect(strstr(device, "&t<int, A<B>>"), "no instance: %s", device);
	cr_assert(source_host(a, NULL, a, c, &f), "%s", f.what);
	char *host = read_source(c);
	cr_expect(!strstr(host, "class K") && !strstr(host, "const char") && strstr(host, "struct Tiling"), "%s", host);
	cr_expect(strstr(host, "::vinci_acl::Launch(\"k\", 8, nullptr, s)(p, Tiling{ 3 });"), "%s", host);
	/* both halves call the instance by the same name */
	const char *inst = strstr(host, "Launch(\"vinci_instance_");
	cr_assert(inst && strstr(inst, " t<int, A<B>>\", n, 0, s)(p);"), "%s", host);
	char wanted[64];
	snprintf(wanted, sizeof wanted, "void %.23s()", inst + 8);
	cr_expect(strstr(read_source(b), wanted), "no %s in: %s", wanted, read_source(b));
	cr_expect_eq(lines(read_source(c)), lines(text), "lines: %d and %d", lines(read_source(c)), lines(text));
	remove_folder(at);
}

/* system headers stay as they are; the user's name replaces that of the temporary file; names over several lines */
Test(asc_source, preprocessed_text)
{
	static const char text[] = "# 1 \"tmp.cpp\"\n# 1 \"/usr/x.h\" 1 3\nvoid host_in_header() { }\n# 2 \"tmp.cpp\" 2\n"
				   "void run() { k<int,\n  float><<<1, 0, s>>>(p); }\n[aicore] __global__ void g() { }\n";
	char *device = NULL, *host = NULL;
	size_t device_size = 0, host_size = 0;
	struct fail f = { 0 };
	FILE *d = open_memstream(&device, &device_size), *h = open_memstream(&host, &host_size);
	cr_assert(source_halves(text, sizeof text - 1, "tmp.cpp", "op.cpp", d, h, &f), "%s", f.what);
	fclose(d);
	fclose(h);
	cr_expect(strstr(device, "host_in_header") && strstr(device, "# 2 \"op.cpp\" 2"), "%s", device);
	cr_expect(!strstr(device, "tmp.cpp"), "%s", device);
	cr_expect(!strstr(device, "run()") && strstr(device, "void g()") && !strstr(device, "aicore"), "%s", device);
	cr_expect(strstr(host, "k<int,   float>\", \n1, 0, s)(p)") && !strstr(host, "void g()"), "%s", host);
	cr_expect_eq(lines(host), lines(text), "%s", host);
	free(device);
	free(host);
}

static unsigned core_of(const char *text)
{
	struct source_info info;
	struct fail f = { 0 };
	char a[100], *at = folder();
	snprintf(a, sizeof a, "%s/a.cpp", at);
	write_source(a, text);
	cr_assert(source_scan(a, &info, &f), "%s", f.what);
	remove_folder(at);
	return info.core;
}

Test(asc_source, which_cores)
{
	cr_expect_eq(core_of("void f() { Add(a, b, c, 1); }"), CORE_VEC);
	cr_expect_eq(core_of("void f() { Mmad(a, b, c, p); }"), CORE_CUBE);
	cr_expect_eq(core_of("void f() { if ASCEND_IS_AIV { Add(); } Mmad(a, b, c, p); }"), CORE_CUBE | CORE_VEC);
	cr_expect_eq(core_of("#include \"lib/matmul_intf.h\"\n"), CORE_CUBE | CORE_VEC);
	cr_expect_eq(core_of("#define ASCENDC_CUBE_ONLY\n#include \"lib/matmul_intf.h\"\n"), CORE_CUBE);
	cr_expect_eq(core_of("void f() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY); Mmad(); }"), CORE_VEC);
	cr_expect_eq(core_of("// Mmad\nconst char *s = \"Mmad\";"), CORE_VEC);
}
