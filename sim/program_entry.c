/*
 * program_entry.c - functions of a kernel, and which of them a launch starts.
 *
 * Entries are the functions that the linker script keeps in a section of their own; cce.h puts them there through
 * __global__.
 */
#include "program_int.h"

#include <ctype.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *program_name(const char *symbol, char *text, size_t size)
{
	/* Itanium mangling of a function at file scope: _Z, decimal length, name, then the parameter types */
	size_t length = 0;
	const char *at = symbol;
	if (strncmp(at, "_Z", 2) == 0) {
		at += 2;
		if (*at == 'L') /* static */
			at++;
		while (isdigit((unsigned char)*at) && length < 100000)
			length = length * 10 + (size_t)(*at++ - '0');
	}
	if (length > 0 && length <= strlen(at))
		snprintf(text, size, "%.*s", (int)length, at);
	else
		snprintf(text, size, "%s", symbol);
	return text;
}

static int by_addr(const void *a, const void *b)
{
	const struct program_symbol *x = a, *y = b;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return strcmp(x->name, y->name);
}

static size_t entry_section(const struct program *p)
{
	size_t names;
	Elf_Scn *scn = NULL;
	if (elf_getshdrstrndx(p->elf, &names) != 0)
		return 0;
	while ((scn = elf_nextscn(p->elf, scn))) {
		GElf_Shdr sh;
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(p->elf, names, sh.sh_name) : NULL;
		if (name && strcmp(name, PROGRAM_ENTRY_SECTION) == 0)
			return elf_ndxscn(scn);
	}
	return 0;
}

static bool take_symbol(struct program *p, const GElf_Sym *sym, const char *name, size_t entries, struct fail *f)
{
	bool in_text = sym->st_value >= p->text_addr && sym->st_value - p->text_addr < p->text_size;
	if (GELF_ST_TYPE(sym->st_info) != STT_FUNC || sym->st_shndx == SHN_UNDEF)
		return true;
	if (!name || !name[0] || !in_text || sym->st_value % 4 ||
	    sym->st_size > p->text_addr + p->text_size - sym->st_value)
		return fail_file(f, FAIL_USER, p->file, 0,
				 "not a usable kernel: the symbol table names a function that lies outside of the code");
	p->symbol[p->n_symbol++] = (struct program_symbol){
		.addr = sym->st_value, .size = sym->st_size, .name = name, .entry = entries && sym->st_shndx == entries };
	return true;
}

bool program_symbols(struct program *p, struct fail *f)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	while ((scn = elf_nextscn(p->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			break;
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	if (!data) {
		fail_file(f, FAIL_USER, p->file, 0, "not a usable kernel: it has no symbol table to find the entry in");
		return fail_hint(f, "do not strip kernels");
	}
	size_t n = data->d_size / sizeof(Elf64_Sym), entries = entry_section(p);
	p->symbol = calloc(n + 1, sizeof(*p->symbol));
	if (!p->symbol)
		return fail_set(f, FAIL_USER, "no memory for the symbols of %s", p->file);
	for (size_t i = 0; i < n; i++) {
		GElf_Sym sym;
		if (gelf_getsym(data, (int)i, &sym) &&
		    !take_symbol(p, &sym, elf_strptr(p->elf, sh.sh_link, sym.st_name), entries, f))
			return false;
	}
	qsort(p->symbol, (size_t)p->n_symbol, sizeof(*p->symbol), by_addr);
	return true;
}

const struct program_symbol *program_symbol(const struct program *p, uint64_t addr)
{
	const struct program_symbol *found = NULL;
	int low = 0, high = p->n_symbol;
	while (low < high) {
		int mid = (low + high) / 2;
		if (p->symbol[mid].addr <= addr) {
			found = &p->symbol[mid];
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	return found && (addr == found->addr || addr - found->addr < found->size) ? found : NULL;
}

/* "add, matmul" */
static void list_entries(const struct program *p, char *text, size_t size)
{
	size_t used = 0;
	text[0] = 0;
	for (int i = 0; i < p->n_symbol && used < size; i++) {
		char name[64];
		if (!p->symbol[i].entry)
			continue;
		int n = snprintf(text + used, size - used, "%s%s", used ? ", " : "",
				 program_name(p->symbol[i].name, name, sizeof(name)));
		used += n > 0 ? (size_t)n : 0;
	}
}

static bool matches(const struct program_symbol *s, const char *name)
{
	char human[256];
	if (!s->entry)
		return false;
	return !name || strcmp(s->name, name) == 0 || strcmp(program_name(s->name, human, sizeof(human)), name) == 0;
}

bool program_entry(struct program *p, const char *name, struct fail *f)
{
	const struct program_symbol *found = NULL;
	int n_found = 0;
	char list[400];
	if (name && !name[0])
		name = NULL;
	for (int i = 0; i < p->n_symbol; i++) {
		if (!matches(&p->symbol[i], name))
			continue;
		found = &p->symbol[i];
		n_found++;
		if (name && strcmp(found->name, name) == 0) {
			n_found = 1; /* the exact symbol decides between overloads */
			break;
		}
	}
	list_entries(p, list, sizeof(list));
	if (!list[0]) {
		fail_file(f, FAIL_USER, p->file, 0, "the kernel has no entry: no function is marked __global__");
		return fail_hint(f, "write the entry as: __global__ __aicore__ void name(...)");
	}
	if (n_found == 0)
		return fail_file(f, FAIL_USER, p->file, 0, "the kernel has no entry '%s'; its entries: %s", name, list);
	if (n_found > 1) {
		fail_file(f, FAIL_USER, p->file, 0, "the kernel has several entries%s%s: %s", name ? " named " : "",
			  name ? name : "", list);
		return fail_hint(f, "choose one with --entry NAME; overloads by their mangled name (vinci objdump)");
	}
	p->entry = found->addr;
	program_name(found->name, p->entry_name, sizeof(p->entry_name));
	return program_debug_params(p, f);
}
