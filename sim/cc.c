/*
 * cc.c - the driver that turns a kernel source into an ELF: clang-19 for the kernel and for the small runtime, lld for
 * the link. Flags and why: no compressed code and no position independence, since the scalar unit has neither; nothing
 * that needs start-up code or a library.
 */
#include "cc.h"

#include "cc_dep.h"
#include "cc_errors.h"
#include "cc_source.h"
#include "tool.h"
#include "home.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4200 };

static const char *const target_flags[] = {
	"--target=riscv64-unknown-elf", "-march=rv64imfd_zfhmin", "-mabi=lp64d", "-mcmodel=medany", "-fno-pic",
	"-ffreestanding", "-fno-stack-protector", "-fno-exceptions", "-fno-math-errno", "-O2", "-g", "-Wall",
	/* for cc_errors: the line of the kernel is the last of a chain */
	"-ferror-limit=60", "-ftemplate-backtrace-limit=0", NULL
};
static const char *const c_flags[] = { "-x", "c", "-std=c11", NULL };
/* C++ headers: those of the cross compiler; the target's own library does not exist */
static const char *const cpp_flags[] = {
	"-x", "c++", "-std=c++17", "-fno-rtti", "-fno-threadsafe-statics",
	"-isystem", "/usr/riscv64-linux-gnu/include/c++/12",
	"-isystem", "/usr/riscv64-linux-gnu/include/c++/12/riscv64-linux-gnu",
	"-isystem", "/usr/riscv64-linux-gnu/include", NULL
};
/* The preprocessor of a C++ operator leaves __aicore__ and its like for the source pass. Headers for files, streams and
 * threads come out empty: nothing of them can be used by a kernel, and included files may name them. */
static const char *const before_pass[] = {
	"-DVINCI_SOURCE_PASS=1", "-D__NPU_DEVICE__=1", "-Wno-macro-redefined",
	"-D_GLIBCXX_IOSTREAM=1", "-D_GLIBCXX_FSTREAM=1", "-D_GLIBCXX_SSTREAM=1", "-D_GLIBCXX_IOMANIP=1",
	"-D_GLIBCXX_THREAD=1", "-D_GLIBCXX_CHRONO=1", "-D_GLIBCXX_MUTEX=1", "-D_GLIBCXX_FILESYSTEM=1",
	"-D_GLIBCXX_FUTURE=1", "-D_GLIBCXX_RANDOM=1", "-D_GLIBCXX_REGEX=1", "-D_UNISTD_H=1", "-D_SYS_STAT_H=1",
	"-D_FCNTL_H=1", "-E", NULL
};

/* Temporary and final files of one compilation, all beside the output. */
struct work {
	char kernel_o[PATH_SIZE], rt_o[PATH_SIZE], deps[PATH_SIZE], elf[PATH_SIZE];
	/* C++: the source without host includes, preprocessed, its kernel half; the source's folder */
	bool no_tiling; /* GET_TILING_DATA, and no struct for it */
	char plain[PATH_SIZE], whole[PATH_SIZE], passed[PATH_SIZE], folder[PATH_SIZE];
	char ascendc_include[PATH_SIZE], acl_include[PATH_SIZE];
	char rt_c[PATH_SIZE], script[PATH_SIZE], isa_include[PATH_SIZE], build_include[PATH_SIZE];
};

static bool is_cpp(const char *source)
{
	static const char *const endings[] = { ".cpp", ".cc", ".cxx", ".cce", ".asc" };
	const char *dot = strrchr(source, '.');
	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strcmp(dot, endings[i]) == 0)
			return true;
	return false;
}

static const char *const *defines(unsigned arch, unsigned core)
{
	static const char *const cube[] = { "-D__DAV_C220_CUBE__", "-D__NPU_ARCH__=2201", "-D__CCE_AICORE__=220", NULL };
	static const char *const vec[] = { "-D__DAV_C220_VEC__", "-D__NPU_ARCH__=2201", "-D__CCE_AICORE__=220", NULL };
	static const char *const c100[] = { "-D__DAV_C100__", "-D__NPU_ARCH__=1001", "-D__CCE_AICORE__=100", NULL };
	static const char *const m200[] = { "-D__DAV_M200__", "-D__NPU_ARCH__=2002", "-D__CCE_AICORE__=200", NULL };
	if (arch == ARCH_C220 && core == CORE_CUBE)
		return cube;
	if (arch == ARCH_C220 && core == CORE_VEC)
		return vec;
	if (arch == ARCH_C100 && core == CORE_FUSED)
		return c100;
	if (arch == ARCH_M200 && core == CORE_FUSED)
		return m200;
	return NULL;
}

bool cc_source_core(const char *source, unsigned arch, unsigned *core, struct fail *f)
{
	struct source_info info;
	*core = cc_default_core(arch);
	if (arch != ARCH_C220 || !is_cpp(source))
		return true;
	if (!source_scan(source, &info, f))
		return false;
	*core = info.core;
	return true;
}

unsigned cc_default_core(unsigned arch) { return arch == ARCH_C220 ? CORE_VEC : CORE_FUSED; }

static bool check_options(const struct cc_options *o, struct fail *f)
{
	const char *dot = strrchr(o->source, '.');
	struct stat st;
	if (stat(o->output, &st) == 0 && !S_ISREG(st.st_mode))
		return fail_file(f, FAIL_USER, o->output, 0, "the output must be a regular file");
	if (stat(o->source, &st) == 0 && !S_ISREG(st.st_mode))
		return fail_file(f, FAIL_USER, o->source, 0, "%s is not a regular file", o->source);
	if (!defines(o->arch, o->core)) {
		fail_file(f, FAIL_USER, o->source, 0, "no chip has cores of kind %u on instruction level %u", o->core,
			  o->arch);
		return fail_hint(f, "c220 has cube and vector cores, c100 and m200 have fused ones");
	}
	if (!dot || (strcmp(dot, ".c") != 0 && !is_cpp(o->source)))
		return fail_file(f, FAIL_USER, o->source, 0,
				 "a kernel source ends in .c (C11) or .cpp .cc .cxx .cce .asc (C++17)");
	if (access(o->source, R_OK) != 0)
		return fail_file(f, FAIL_USER, o->source, 0, "cannot read the kernel source");
	return true;
}

static bool name_files(const struct cc_options *o, struct work *w, struct fail *f)
{
	if (strlen(o->output) > PATH_SIZE - 100)
		return fail_file(f, FAIL_USER, o->output, 0, "path too long");
	long id = (long)getpid();
	snprintf(w->kernel_o, PATH_SIZE, "%s.%ld.kernel.o", o->output, id);
	snprintf(w->rt_o, PATH_SIZE, "%s.%ld.rt.o", o->output, id);
	snprintf(w->deps, PATH_SIZE, "%s.%ld.d", o->output, id);
	snprintf(w->elf, PATH_SIZE, "%s.%ld.elf", o->output, id);
	snprintf(w->plain, PATH_SIZE, "%s.%ld.plain.cpp", o->output, id);
	snprintf(w->whole, PATH_SIZE, "%s.%ld.whole.cpp", o->output, id);
	snprintf(w->passed, PATH_SIZE, "%s.%ld.cpp", o->output, id);
	const char *slash = strrchr(o->source, '/');
	snprintf(w->folder, PATH_SIZE, "%.*s", slash ? (int)(slash - o->source + (slash == o->source)) : 1,
		 slash ? o->source : ".");
	const char *home = vinci_home();
	if (strlen(home) > PATH_SIZE - 100)
		return fail_set(f, FAIL_USER, "the path of Vinci's folder is too long");
	snprintf(w->rt_c, PATH_SIZE, "%s/isa/include/vinci_rt.c", home);
	snprintf(w->script, PATH_SIZE, "%s/isa/include/vinci.ld", home);
	snprintf(w->isa_include, PATH_SIZE, "%s/isa/include", home);
	snprintf(w->ascendc_include, PATH_SIZE, "%s/isa/include/ascendc", home);
	snprintf(w->acl_include, PATH_SIZE, "%s/isa/include/acl_runtime", home);
	snprintf(w->build_include, PATH_SIZE, "%s/build/include", home);
	if (access(w->script, R_OK) == 0)
		return true;
	fail_set(f, FAIL_USER, "Vinci's own files are not where they should be: no %s", w->script);
	return fail_hint(f, "set VINCI_HOME to the folder that holds isa/, configs/ and kernels/");
}

/* What a kernel is compiled with; also what cc_up_to_date compares. */
static void kernel_tool(const struct cc_options *o, const struct work *w, struct tool *c)
{
	tool_add(c, "clang-19");
	tool_add_all(c, target_flags);
	if (is_cpp(o->source)) {
		const char *const folders[] = { "-isystem", w->isa_include, "-isystem", w->build_include, "-isystem",
						w->ascendc_include, "-isystem", w->acl_include, "-iquote", w->folder, NULL };
		tool_add_all(c, folders);
		tool_add_all(c, cpp_flags);
	} else {
		const char *const folders[] = { "-I", w->isa_include, "-I", w->build_include, NULL };
		tool_add_all(c, c_flags);
		tool_add_all(c, folders);
	}
	tool_add_all(c, defines(o->arch, o->core));
	if (o->include) {
		tool_add(c, "-I");
		tool_add(c, o->include);
	}
	tool_add(c, "-include");
	tool_add(c, "cce.h");
	if (o->extra)
		tool_add_split(c, o->extra);
}

/* What the kernel half is compiled with: the preprocessor has done its part. */
static void half_tool(const struct cc_options *o, const struct work *w, struct tool *c)
{
	tool_add(c, "clang-19");
	tool_add_all(c, target_flags);
	tool_add_all(c, cpp_flags);
	const char *const more[] = { "-Wno-pragma-system-header-outside-header", "-Wno-unused-command-line-argument",
				     "-isystem", w->isa_include, "-include", "cce_qualifiers.h", NULL };
	tool_add_all(c, more);
	if (o->extra)
		tool_add_compile_flags(c, o->extra);
}

static bool not_started(const struct tool *c, const char *source, const char *what, struct fail *f)
{
	fail_file(f, FAIL_USER, source, 0, "cannot run %s", c->n ? c->argv[0] : what);
	return fail_hint(f, "it is needed to compile kernels: apt-get install clang-19 lld-19");
}

/* Run a step; its failure becomes a sentence with the command line. */
static bool step(struct tool *c, const char *source, const char *what, struct fail *f)
{
	char line[600];
	int status = tool_run(c);
	tool_text(c, line, sizeof(line));
	if (status == 0)
		return true;
	if (status < 0)
		return not_started(c, source, what, f);
	return fail_file(f, FAIL_USER, source, 0, "cannot %s (status %d); the command was: %s", what, status, line);
}

/* The step whose messages the kernel's author reads: at the lines of the kernel (cc_errors.h). VINCI_CC_RAW: as they come. */
static bool kernel_step(struct tool *c, const char *source, const struct work *w, struct fail *f)
{
	const char *const ours[] = { w->isa_include, w->build_include, NULL };
	char *text;
	int errors = 0;
	if (getenv("VINCI_CC_RAW"))
		return step(c, source, "compile the kernel", f);
	int status = tool_run_text(c, &text);
	char *told = text ? cc_errors(text, ours, &errors) : NULL;
	if (told || text)
		fputs(told && (status == 0 || errors) ? told : text, stderr);
	free(told);
	free(text);
	if (status == 0)
		return true;
	if (status < 0)
		return not_started(c, source, "compile the kernel", f);
	fail_file(f, FAIL_USER, source, 0, "cannot compile the kernel (status %d)", status);
	return fail_hint(f, "VINCI_CC_RAW=1 shows the compiler's own messages and the command");
}

/* The preprocessor names the file that it reads; the user knows the source. */
static bool preprocess(const struct cc_options *o, struct work *w, struct fail *f)
{
	struct tool c = { 0 };
	if (!source_for_preprocessor(o->source, w->plain, &w->no_tiling, f))
		return false;
	kernel_tool(o, w, &c);
	tool_add_all(&c, before_pass);
	const char *const rest[] = { w->plain, "-o", w->whole, "-MD", "-MF", w->deps, "-MT", "kernel", NULL };
	tool_add_all(&c, rest);
	bool good = kernel_step(&c, o->source, w, f) && source_device(w->whole, w->plain, o->source, w->passed, f);
	tool_free(&c);
	return good;
}

static bool compile_kernel(const struct cc_options *o, struct work *w, struct fail *f)
{
	struct tool c = { 0 };
	bool cpp = is_cpp(o->source);
	const char *const depend[] = { "-MD", "-MF", w->deps, "-MT", "kernel", NULL };
	const char *const rest[] = { "-c", cpp ? w->passed : o->source, "-o", w->kernel_o, NULL };
	if (cpp && !preprocess(o, w, f))
		return false;
	if (cpp)
		half_tool(o, w, &c);
	else
		kernel_tool(o, w, &c);
	tool_add_all(&c, rest);
	if (!cpp)
		tool_add_all(&c, depend);
	bool good = kernel_step(&c, o->source, w, f);
	tool_free(&c);
	if (!good && cpp && w->no_tiling)
		return fail_hint(f, "GET_TILING_DATA: the struct is not known; include its header and say "
				    "REGISTER_TILING_DEFAULT(type), or put the header with REGISTER_TILING_DATA_CLASS beside "
				    "the kernel or into ../op_host");
	return good;
}

static bool compile_runtime(const struct cc_options *o, const struct work *w, struct fail *f)
{
	struct tool c = { 0 };
	tool_add(&c, "clang-19");
	tool_add_all(&c, target_flags);
	tool_add_all(&c, c_flags);
	/* without -fno-builtin the loop of memset would become a call of memset */
	const char *const rest[] = { "-fno-builtin", "-ffunction-sections", "-c", w->rt_c, "-o", w->rt_o, NULL };
	tool_add_all(&c, rest);
	bool good = step(&c, o->source, "compile the runtime vinci_rt.c", f);
	tool_free(&c);
	return good;
}

static bool link_kernel(const struct cc_options *o, const struct work *w, struct fail *f)
{
	struct tool c = { 0 };
	bool cube = o->core == CORE_CUBE;
	const char *const args[] = { "ld.lld-19", "-static", "-nostdlib", "--gc-sections", "--discard-locals",
				     "--fatal-warnings", "-e", cube ? "0x120000000" : "0x100000000",
				     cube ? "--defsym=vinci_cube=1" : "--defsym=vinci_vector=1", "-T", w->script,
				     w->kernel_o, w->rt_o, "-o", w->elf, NULL };
	tool_add_all(&c, args);
	bool good = step(&c, o->source, "link the kernel", f);
	tool_free(&c);
	return good;
}

static bool finish(const struct cc_options *o, const struct work *w, struct fail *f)
{
	struct tool c = { 0 };
	const char *const more[] = { o->source, w->rt_c, w->script, NULL };
	kernel_tool(o, w, &c);
	/* in this order an interruption leaves a list that is too old, which only costs another compilation */
	bool good = rename(w->elf, o->output) == 0 ? cc_dep_write(o->output, &c, w->deps, w->plain, more, f)
						   : fail_file(f, FAIL_USER, o->output, 0, "cannot write the output");
	tool_free(&c);
	return good;
}

bool cc_compile(const struct cc_options *o, struct fail *f)
{
	struct work w;
	if (!check_options(o, f) || !name_files(o, &w, f))
		return false;
	bool good = compile_kernel(o, &w, f) && compile_runtime(o, &w, f) && link_kernel(o, &w, f) && finish(o, &w, f);
	if (is_cpp(o->source)) {
		unlink(w.plain);
		unlink(w.whole);
		unlink(w.passed);
	}
	unlink(w.kernel_o);
	unlink(w.rt_o);
	unlink(w.deps);
	if (!good)
		unlink(w.elf);
	return good;
}

bool cc_up_to_date(const struct cc_options *o)
{
	struct fail ignored = { 0 };
	struct work w;
	struct tool c = { 0 };
	if (!check_options(o, &ignored) || !name_files(o, &w, &ignored))
		return false;
	kernel_tool(o, &w, &c);
	bool good = cc_dep_fresh(o->output, &c);
	tool_free(&c);
	return good;
}

bool cc_host(const char *source, const char *output, const char *include, struct fail *f)
{
	static const char *const compilers[] = { "cc", "gcc", "clang-19" };
	char tmp[PATH_SIZE];
	int n = snprintf(tmp, sizeof(tmp), "%s.%ld.tmp", output, (long)getpid());
	if (n < 0 || (size_t)n >= sizeof(tmp))
		return fail_file(f, FAIL_USER, output, 0, "path too long");
	if (access(source, R_OK) != 0)
		return fail_file(f, FAIL_USER, source, 0, "cannot read the golden program");
	int status = -1;
	char line[600] = "";
	for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]) && status < 0; i++) {
		struct tool c = { 0 };
		const char *const args[] = { compilers[i], "-std=gnu11", "-O2", "-ffp-contract=off", "-I",
					     include ? include : ".", source, "-o", tmp, "-lm", NULL };
		tool_add_all(&c, args);
		status = tool_run(&c);
		tool_text(&c, line, sizeof(line));
		tool_free(&c);
	}
	if (status == 0 && rename(tmp, output) == 0)
		return true;
	unlink(tmp);
	if (status < 0) {
		fail_file(f, FAIL_USER, source, 0, "there is no C compiler (cc, gcc, clang-19) for the golden program");
		return fail_hint(f, "apt-get install gcc");
	}
	if (status > 0)
		return fail_file(f, FAIL_USER, source, 0,
				 "cannot compile the golden program (status %d); the command was: %s", status, line);
	return fail_file(f, FAIL_USER, output, 0, "cannot write the output");
}
