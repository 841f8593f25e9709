/*
 * asc_lines.c - an operator in the public style (a class with CopyIn, Compute,
	CopyOut over queues) whose mistakes and waits are
 * told at its own lines, through the headers that are inlined into them.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

/* The operator; `compute` is its line 31, `load` its line 22. */
static void write_operator(const char *load, const char *compute)
{
	char path[100];
	snprintf(folder, sizeof folder, "/tmp/asc_lines_XXXXXX");
	cr_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/op.cpp", folder);
	FILE *f = fopen(path, "w");
	cr_assert(f != NULL);
	fprintf(f, "#include \"kernel_operator.h\"\nusing namespace AscendC;\nclass KernelOp {\npublic:\n"
		   "    __aicore__ inline void Init(GM_ADDR x, GM_ADDR z)\n    {\n"
		   "        xGm.SetGlobalBuffer((__gm__ float *)x, 16384);\n"
		   "        zGm.SetGlobalBuffer((__gm__ float *)z, 16384);\n"
		   "        pipe.InitBuffer(in, 1, 8192);\n        pipe.InitBuffer(out, 1, 8192);\n"
		   "        pipe.InitBuffer(buf, 8192);\n    }\n    __aicore__ inline void Process()\n    {\n"
		   "        for (int i = 0; i < 8; i++) { CopyIn(i); Compute(); CopyOut(i); }\n    }\n"
		   "    __aicore__ inline void CopyIn(int i)\n    {\n        LocalTensor<float> t = in.AllocTensor<float>();\n"
		   "        uint32_t at = i * 2048;\n        // the load\n        %s\n        in.EnQue(t);\n    }\n"
		   "    __aicore__ inline void Compute()\n    {\n        LocalTensor<float> o = out.AllocTensor<float>();\n"
		   "        LocalTensor<float> t = in.DeQue<float>();\n        LocalTensor<float> b = buf.Get<float>();\n"
		   "        // the computation\n        %s\n        out.EnQue(o);\n        in.FreeTensor(t);\n    }\n"
		   "    __aicore__ inline void CopyOut(int i)\n    {\n        LocalTensor<float> o = out.DeQue<float>();\n"
		   "        DataCopy(zGm[i * 2048], o, 2048);\n        out.FreeTensor(o);\n    }\n    TPipe pipe;\n"
		   "    TQue<TPosition::VECIN, 1> in;\n    TQue<TPosition::VECOUT, 1> out;\n    TBuf<> buf;\n"
		   "    GlobalTensor<float> xGm, zGm;\n};\nextern \"C\" __global__ __aicore__ void op(GM_ADDR x, "
	  "GM_ADDR z)\n{\n"
		   "    KernelOp k;\n    k.Init(x, z);\n    k.Process();\n}\n", load, compute);
	fclose(f);
}

#define LOAD "DataCopy(t, xGm[at], 2048);"
#define WORK "Muls(o, t, 2.0f, 2048);"

/* The output of `vinci COMMAND op.cpp` on zeros; its exit status must be `want`. */
static char *told(const char *command, const char *option, int want)
{
	static char out[1 << 16];
	char line[500];
	snprintf(line, sizeof line,
		 "head -c 65536 /dev/zero >%s/x.bin; VINCI_CACHE=%s build/vinci %s %s/op.cpp %s --quiet --blocks 1 "
	  "--in %s/x.bin:f32:16384 "
		 "--out %s/z.bin:f32:16384 2>&1",
		 folder, folder, command, folder, option, folder, folder);
	FILE *p = popen(line, "r");
	cr_assert(p != NULL);
	size_t n = fread(out, 1, sizeof out - 1, p);
	out[n] = 0;
	int status = pclose(p);
	snprintf(line, sizeof line, "rm -rf %s", folder);
	cr_assert_eq(system(line), 0);
	cr_expect_eq(WEXITSTATUS(status), want, "%s", out);
	return out;
}
#define SAYS(text, what) cr_expect(strstr(text, what) != NULL, "no \"%s\" in: %s", what, text)

Test(asc_lines, a_sound_operator)
{
	write_operator(LOAD, WORK);
	SAYS(told("check", "", 0), "no mistake found");
}
Test(asc_lines, race)
{
	/* a copy to the buffer that nothing makes the vector call wait for */
	write_operator(LOAD, "DataCopy(b, xGm, 2048); Add(o, t, b, 2048);");
	char *out = told("check", "", 1);
	SAYS(out, "racecheck [read-after-write]: vadd (pipe V) reads UB");
	SAYS(out, "at op.cpp:31 in Compute: vadd");
	SAYS(out, "the write before it: op.cpp:31 in Compute");
	cr_expect(!strstr(out, "kernel_"), "a line of the headers: %s", out);
}
Test(asc_lines, out_of_bounds)
{
	write_operator("DataCopy(t, xGm[at + 64], 2048);", WORK);
	char *out = told("check", "", 1);
	SAYS(out, "its last 256 of 8192 bytes are past the end of argument");
	SAYS(out, "at op.cpp:22 in CopyIn");
	cr_expect(!strstr(out, "kernel_"), "a line of the headers: %s", out);
}
Test(asc_lines, undefined_bytes)
{
	write_operator("DataCopy(t, xGm[at], 1024);", WORK);
	char *out = told("check", "", 1);
	SAYS(out, "at op.cpp:31 in Compute");
	cr_expect(!strstr(out, "kernel_"), "a line of the headers: %s", out);
}
Test(asc_lines, stalls)
{
	/* one buffer each: the vector pipe waits for every load where the tensor is taken from the queue */
	write_operator(LOAD, WORK);
	char *out = told("report", "--source", 0);
	char *wait = strstr(out, "LocalTensor<float> t = in.DeQue<float>();  <- wait for MTE2");
	cr_expect(wait != NULL, "the wait for the load is not at its DeQue: %s", out);
	cr_expect(!strstr(out, "isa/include"), "cycles at lines of the headers: %s", out);
}
Test(asc_lines, critical_path)
{
	write_operator(LOAD, WORK);
	char *out = told("run", "", 0), *path = strstr(out, "Critical path");
	cr_assert(path != NULL);
	int lines = 0;
	for (char *p = path; (p = strstr(p, " cycles at ")) != NULL; p++, lines++)
		cr_expect(strncmp(p, " cycles at op.cpp:", 18) == 0, "%.60s", p);
	cr_expect(lines >= 3, "%s", path);
}
