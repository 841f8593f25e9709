/*
 * program.c - an ELF file becomes a program: every header checked against the file's size before it is believed, then
 * segments and the note. libelf decodes the tables; the checks are ours, since a damaged file must give a sentence.
 */
#include "program_int.h"
#include "input.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_BYTES_MAX (UINT64_C(256) << 20)
#define EF_RVC 1u
#define EF_FLOAT_ABI 6u
#define EF_FLOAT_DOUBLE 4u
#define EF_RVE 8u

static const char *const relink = "compile it with `vinci cc`, which links with isa/include/vinci.ld";

static bool bad(const struct program *p, struct fail *f, const char *what)
{
	return fail_file(f, FAIL_USER, p->file, 0, "not a usable kernel: %s", what);
}

static bool inside(uint64_t offset, uint64_t size, uint64_t total) { return offset <= total && size <= total - offset; }

/* The 64 bytes of the file header, as far as they can be judged without tables. */
static bool check_ident(struct program *p, const uint8_t *bytes, struct fail *f)
{
	if (p->file_size < EI_NIDENT || memcmp(bytes, ELFMAG, SELFMAG) != 0) {
		bad(p, f, "not an ELF file");
		return fail_hint(f, "a kernel is an ELF file made by `vinci cc kernel.c -o kernel.elf`");
	}
	if (bytes[EI_CLASS] != ELFCLASS64)
		return bad(p, f, bytes[EI_CLASS] == ELFCLASS32 ? "32-bit ELF, kernels are 64-bit RISC-V"
							     : "unknown ELF class");
	if (bytes[EI_DATA] != ELFDATA2LSB)
		return bad(p, f, bytes[EI_DATA] == ELFDATA2MSB ? "big-endian ELF, kernels are little-endian"
							      : "unknown byte order");
	if (p->file_size < sizeof(Elf64_Ehdr))
		return bad(p, f, "the file ends within the ELF header");
	return true;
}

static bool check_flags(const struct program *p, const GElf_Ehdr *eh, struct fail *f)
{
	if (eh->e_flags & EF_RVC) {
		bad(p, f, "it contains compressed instructions (RVC), which the scalar unit does not have");
		return fail_hint(f, "recompile with -march=rv64imfd_zfhmin (no c), or with `vinci cc`; never link libgcc");
	}
	if (eh->e_flags & EF_RVE)
		return bad(p, f, "it is compiled for the 16-register RV64E");
	if ((eh->e_flags & EF_FLOAT_ABI) != EF_FLOAT_DOUBLE) {
		bad(p, f, "it uses another calling convention for floating point than lp64d");
		return fail_hint(f, "recompile with -mabi=lp64d, or with `vinci cc`");
	}
	return true;
}

static bool check_header(const struct program *p, const GElf_Ehdr *eh, struct fail *f)
{
	if (eh->e_machine != EM_RISCV) {
		fail_file(f, FAIL_USER, p->file, 0, "not a usable kernel: compiled for ELF machine %u, not RISC-V (243)",
			  eh->e_machine);
		return fail_hint(f, "compile it with `vinci cc`, for --target=riscv64-unknown-elf");
	}
	if (eh->e_type != ET_EXEC) {
		bad(p, f, eh->e_type == ET_REL   ? "an object file that was not linked"
			  : eh->e_type == ET_DYN ? "position-independent or a shared library, not a static executable"
						 : "not an executable");
		return fail_hint(f, "%s", relink);
	}
	if (!check_flags(p, eh, f))
		return false;
	if (eh->e_version != EV_CURRENT || eh->e_ehsize != sizeof(Elf64_Ehdr))
		return bad(p, f, "unknown version or size of the ELF header");
	if (eh->e_phnum == 0 || eh->e_phnum == PN_XNUM || eh->e_phentsize != sizeof(Elf64_Phdr))
		return bad(p, f, "no usable program headers");
	if (!inside(eh->e_phoff, (uint64_t)eh->e_phnum * sizeof(Elf64_Phdr), p->file_size))
		return bad(p, f, "the program headers lie beyond the end of the file (truncated?)");
	if (eh->e_shoff == 0 || eh->e_shnum == 0 || eh->e_shentsize != sizeof(Elf64_Shdr))
		return bad(p, f, "no usable section headers");
	if (!inside(eh->e_shoff, (uint64_t)eh->e_shnum * sizeof(Elf64_Shdr), p->file_size))
		return bad(p, f, "the section headers lie beyond the end of the file (truncated?)");
	if (eh->e_shstrndx >= eh->e_shnum)
		return bad(p, f, "the section of section names does not exist");
	return true;
}

static bool check_sections(const struct program *p, struct fail *f)
{
	Elf_Scn *scn = NULL;
	while ((scn = elf_nextscn(p->elf, scn))) {
		GElf_Shdr sh;
		if (!gelf_getshdr(scn, &sh))
			return bad(p, f, "a section header cannot be read");
		if (sh.sh_type != SHT_NOBITS && !inside(sh.sh_offset, sh.sh_size, p->file_size))
			return fail_file(f, FAIL_USER, p->file, 0,
					 "not a usable kernel: section %zu lies beyond the end of the file (truncated?)",
					 elf_ndxscn(scn));
	}
	return true;
}

/* One loadable segment to its place: executable = text, writable = data, neither = read-only data. */
static bool take_segment(struct program *p, const uint8_t *bytes, const GElf_Phdr *ph, struct fail *f)
{
	bool x = ph->p_flags & PF_X, w = ph->p_flags & PF_W;
	uint64_t low = w ? GM_DATA : GM_BASE, high = w ? GM_STACK_TOP : GM_DATA;
	if (x && w)
		return bad(p, f, "a segment is both writable and executable");
	if (ph->p_filesz > ph->p_memsz || (!w && ph->p_filesz != ph->p_memsz))
		return bad(p, f, "a segment has other sizes in the file and in memory than its kind can have");
	if (ph->p_vaddr < low || !inside(ph->p_vaddr - low, ph->p_memsz, high - low)) {
		fail_file(f, FAIL_USER, p->file, 0,
			  "not a usable kernel: %s segment at 0x%" PRIx64 " (%" PRIu64 " bytes) is outside of 0x%" PRIx64
			  " .. 0x%" PRIx64, x ? "text" : w ? "data" : "read-only", ph->p_vaddr, ph->p_memsz, low, high);
		return fail_hint(f, "%s", relink);
	}
	if (x ? p->text != NULL : w ? p->data_size != 0 : p->rodata != NULL) {
		bad(p, f, "it has two segments of one kind (text, read-only, data)");
		return fail_hint(f, "%s", relink);
	}
	if (x) {
		if (ph->p_vaddr % 4 || ph->p_memsz % 4 || ph->p_offset % 4)
			return bad(p, f, "the text segment is not made of aligned 4-byte words");
		p->text = bytes + ph->p_offset;
		p->text_addr = ph->p_vaddr;
		p->text_size = ph->p_memsz;
	} else if (w) {
		p->data_addr = ph->p_vaddr;
		p->data_size = ph->p_memsz;
		p->data_init_size = ph->p_filesz;
		p->data_image = malloc(ph->p_filesz ? ph->p_filesz : 1);
		if (!p->data_image)
			return fail_set(f, FAIL_USER, "no memory for the data of %s", p->file);
		memcpy(p->data_image, bytes + ph->p_offset, ph->p_filesz);
	} else {
		p->rodata = bytes + ph->p_offset;
		p->rodata_addr = ph->p_vaddr;
		p->rodata_size = ph->p_memsz;
	}
	return true;
}

static bool take_segments(struct program *p, const uint8_t *bytes, unsigned n, struct fail *f)
{
	for (unsigned i = 0; i < n; i++) {
		GElf_Phdr ph;
		if (!gelf_getphdr(p->elf, (int)i, &ph))
			return bad(p, f, "a program header cannot be read");
		if (ph.p_type == PT_DYNAMIC || ph.p_type == PT_INTERP || ph.p_type == PT_TLS) {
			bad(p, f, ph.p_type == PT_TLS ? "it uses thread-local variables" : "it is linked dynamically");
			return fail_hint(f, "%s", relink);
		}
		if (ph.p_type != PT_LOAD)
			continue;
		if (!inside(ph.p_offset, ph.p_filesz, p->file_size))
			return bad(p, f, "a segment lies beyond the end of the file (truncated?)");
		if (ph.p_memsz > 0 && !take_segment(p, bytes, &ph, f))
			return false;
	}
	if (!p->text)
		return bad(p, f, "it has no code");
	/* text and read-only data share one range of addresses; data has its own */
	if (p->rodata && p->rodata_addr < p->text_addr + p->text_size &&
	    p->text_addr < p->rodata_addr + p->rodata_size)
		return bad(p, f, "text and read-only segments overlap");
	return true;
}

static uint32_t word(const uint8_t *b)
{
	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* One note; several may follow each other when several objects were linked, and they must agree. */
static bool take_note(struct program *p, const uint8_t *name, uint32_t name_size, const uint8_t *desc, uint32_t desc_size,
		      uint32_t type, struct fail *f)
{
	if (name_size != 6 || memcmp(name, "Vinci", 6) != 0 || type != 1 || desc_size != 12)
		return bad(p, f, "the note .note.vinci has not the form that Vinci's cce.h gives it");
	uint32_t arch = word(desc), core = word(desc + 4), fingerprint = word(desc + 8);
	if ((arch != ARCH_C100 && arch != ARCH_M200 && arch != ARCH_C220) ||
	    (core != CORE_CUBE && core != CORE_VEC && core != CORE_FUSED))
		return fail_file(f, FAIL_USER, p->file, 0,
				 "not a usable kernel: the note .note.vinci names level %u and core kind %u, which do not exist",
				 arch, core);
	if (p->arch && (p->arch != arch || p->core != core || p->fingerprint != fingerprint)) {
		bad(p, f, "objects compiled for different levels or core kinds are linked together");
		return fail_hint(f, "compile cube and vector parts to two ELF files");
	}
	p->arch = arch;
	p->core = core;
	p->fingerprint = fingerprint;
	return true;
}

static bool parse_notes(struct program *p, const uint8_t *b, uint64_t size, struct fail *f)
{
	for (uint64_t at = 0; at < size;) {
		if (size - at < 12)
			return bad(p, f, "the note .note.vinci ends early");
		uint32_t name_size = word(b + at), desc_size = word(b + at + 4), type = word(b + at + 8);
		uint64_t name_room = ((uint64_t)name_size + 3) & ~UINT64_C(3);
		uint64_t desc_room = ((uint64_t)desc_size + 3) & ~UINT64_C(3);
		if (!inside(12 + name_room, desc_room, size - at))
			return bad(p, f, "the note .note.vinci ends early");
		const uint8_t *name = b + at + 12;
		if (!take_note(p, name, name_size, name + name_room, desc_size, type, f))
			return false;
		at += 12 + name_room + desc_room;
	}
	return true;
}

static bool find_note(struct program *p, const uint8_t *bytes, size_t shstrndx, struct fail *f)
{
	Elf_Scn *scn = NULL;
	while ((scn = elf_nextscn(p->elf, scn))) {
		GElf_Shdr sh;
		const char *name;
		if (!gelf_getshdr(scn, &sh) || !(name = elf_strptr(p->elf, shstrndx, sh.sh_name)))
			continue;
		if (strcmp(name, ".note.vinci") == 0 && sh.sh_type != SHT_NOBITS &&
		    !parse_notes(p, bytes + sh.sh_offset, sh.sh_size, f))
			return false;
	}
	if (!p->arch) {
		fail_file(f, FAIL_USER, p->file, 0, "not compiled with Vinci's cce.h (no .note.vinci)");
		return fail_hint(f, "compile it with `vinci cc`, which includes cce.h");
	}
	if (p->fingerprint != isa_fingerprint()) {
		fail_file(f, FAIL_USER, p->file, 0,
			  "compiled with another instruction table (0x%08x) than this simulator has (0x%08x)", p->fingerprint,
			  isa_fingerprint());
		return fail_hint(f, "recompile it with `vinci cc`");
	}
	return true;
}

static bool parse(const uint8_t *bytes, struct program *p, struct fail *f)
{
	if (!check_ident(p, bytes, f))
		return false;
	if (elf_version(EV_CURRENT) == EV_NONE)
		return fail_set(f, FAIL_INTERNAL, "libelf: %s", elf_errmsg(-1));
	/* the interface wants char *, but nothing is written to an image opened for reading */
	p->elf = elf_memory((char *)(uintptr_t)bytes, p->file_size);
	GElf_Ehdr eh;
	if (!p->elf || elf_kind(p->elf) != ELF_K_ELF || !gelf_getehdr(p->elf, &eh))
		return bad(p, f, "the ELF header cannot be read");
	if (!check_header(p, &eh, f) || !check_sections(p, f) || !take_segments(p, bytes, eh.e_phnum, f) ||
	    !find_note(p, bytes, eh.e_shstrndx, f) || !program_symbols(p, f))
		return false;
	p->n_insn = (uint32_t)(p->text_size / 4);
	p->insn = calloc((size_t)p->n_insn + 1, sizeof(*p->insn));
	if (!p->insn)
		return fail_set(f, FAIL_USER, "no memory for the code of %s", p->file);
	program_debug_open(p);
	return true;
}

bool program_parse(const uint8_t *bytes, size_t size, const char *file, struct program *p, struct fail *f)
{
	memset(p, 0, sizeof(*p));
	snprintf(p->file, sizeof(p->file), "%s", file);
	p->n_param = -1;
	p->file_size = size;
	if (parse(bytes, p, f))
		return true;
	program_free(p);
	return false;
}

static uint8_t *read_all(const char *file, size_t *size, struct fail *f)
{
	FILE *in = input_open(file);
	struct stat st;
	uint8_t *bytes = NULL;
	if (!in || fstat(fileno(in), &st) != 0)
		fail_file(f, FAIL_USER, file, 0, "cannot open the kernel: %s", strerror(errno));
	else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > FILE_BYTES_MAX)
		fail_file(f, FAIL_USER, file, 0, "not a usable kernel: not a regular file of at most %" PRIu64 " MiB",
			  FILE_BYTES_MAX >> 20);
	else if (!(bytes = malloc((size_t)st.st_size + 1)))
		fail_file(f, FAIL_USER, file, 0, "no memory to read %lld bytes", (long long)st.st_size);
	else if ((*size = fread(bytes, 1, (size_t)st.st_size, in)) != (size_t)st.st_size) {
		fail_file(f, FAIL_USER, file, 0, "cannot read the kernel to its end");
		free(bytes);
		bytes = NULL;
	}
	if (in)
		fclose(in);
	return bytes;
}

bool program_load(const char *file, struct program *p, struct fail *f)
{
	size_t size = 0;
	memset(p, 0, sizeof(*p));
	uint8_t *bytes = read_all(file, &size, f);
	if (!bytes)
		return false;
	if (!program_parse(bytes, size, file, p, f)) {
		free(bytes);
		return false;
	}
	p->file_bytes = bytes;
	return true;
}

void program_free(struct program *p)
{
	program_debug_close(p);
	if (p->elf)
		elf_end(p->elf);
	free(p->symbol);
	free(p->insn);
	free(p->data_image);
	free(p->file_bytes);
	memset(p, 0, sizeof(*p));
}

bool program_place(struct program *p, struct gm *gm, uint64_t stack_bytes, struct fail *f)
{
	if (stack_bytes == 0 || stack_bytes > GM_STACK_TOP - GM_DATA ||
	    (p->data_size && p->data_addr + p->data_size > GM_STACK_TOP - stack_bytes))
		return fail_file(f, FAIL_USER, p->file, 0,
				 "no place for a stack of %" PRIu64 " bytes above %" PRIu64 " bytes of data", stack_bytes,
				 p->data_size);
	struct gm_region *text = gm_add(gm, "text", p->text_addr, p->text_size, false, false, f);
	if (!text)
		return false;
	memcpy(text->host, p->text, p->text_size);
	if (p->rodata) {
		struct gm_region *ro = gm_add(gm, "read-only data", p->rodata_addr, p->rodata_size, false, false, f);
		if (!ro)
			return false;
		memcpy(ro->host, p->rodata, p->rodata_size);
	}
	if (p->data_size) {
		struct gm_region *data = gm_add(gm, "data", p->data_addr, p->data_size, true, true, f);
		if (!data)
			return false;
		for (int c = 0; c < gm->cores; c++)
			memcpy(data->host + (uint64_t)c * p->data_size, p->data_image, p->data_init_size);
	}
	/* the other half of a mixed kernel may have brought it */
	if (gm_find(gm, GM_STACK_TOP - stack_bytes, stack_bytes))
		return true;
	return gm_add(gm, "stack", GM_STACK_TOP - stack_bytes, stack_bytes, true, true, f) != NULL;
}
