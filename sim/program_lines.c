/*
 * program_lines.c - source lines of a pc from DWARF, inlined calls included.
 */
#include "program_int.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES = 24, DEPTH_MAX = 64 };

/* Functions around a pc, outermost first: the function itself, then the calls inlined into each other. */
struct frames {
	int n;
	Dwarf_Die die[FRAMES];
};

void program_debug_open(struct program *p)
{
	p->debug = dwarf_begin_elf(p->elf, DWARF_C_READ, NULL);
}

void program_debug_close(struct program *p)
{
	if (p->debug)
		dwarf_end(p->debug);
	p->debug = NULL;
}

static void descend(Dwarf_Die *scope, uint64_t pc, struct frames *fr, int depth)
{
	Dwarf_Die die;
	int n_before = fr->n;
	if (depth > DEPTH_MAX || dwarf_child(scope, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);
		bool function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
		if (tag == DW_TAG_namespace) {
			descend(&die, pc, fr, depth + 1);
		} else if ((function || tag == DW_TAG_lexical_block) && dwarf_haspc(&die, pc) > 0) {
			if (function && fr->n < FRAMES)
				fr->die[fr->n++] = die;
			descend(&die, pc, fr, depth + 1);
			return;
		}
	} while (fr->n == n_before && dwarf_siblingof(&die, &die) == 0);
}

static bool find_unit(const struct program *p, uint64_t pc, Dwarf_Die *unit)
{
	Dwarf_CU *cu = NULL;
	while (p->debug && dwarf_get_units(p->debug, cu, &cu, NULL, NULL, unit, NULL) == 0)
		if (dwarf_haspc(unit, pc) > 0)
			return true;
	return false;
}

static bool line_of(Dwarf_Die *unit, uint64_t pc, const char **file, int *line)
{
	Dwarf_Line *l = dwarf_getsrc_die(unit, pc);
	if (!l || dwarf_lineno(l, line) != 0 || !(*file = dwarf_linesrc(l, NULL, NULL)))
		return false;
	return *line > 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Vinci's own headers, whose wrappers of intrinsics say nothing about the kernel. */
static bool is_wrapper(const char *file)
{
	return (strncmp(base_name(file), "cce", 3) == 0 && strstr(base_name(file), ".h") != NULL) ||
	       strstr(file, "isa/include/ascendc/");
}

/* The call site of an inlined function. */
static bool call_site(Dwarf_Die *unit, Dwarf_Die *inlined, const char **file, int *line)
{
	Dwarf_Attribute attr;
	Dwarf_Word file_number, line_number;
	Dwarf_Files *files;
	size_t n_files;
	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attr), &file_number) != 0 ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attr), &line_number) != 0 ||
	    dwarf_getsrcfiles(unit, &files, &n_files) != 0 || file_number >= n_files || line_number > INT32_MAX)
		return false;
	*file = dwarf_filesrc(files, file_number, NULL, NULL);
	*line = (int)line_number;
	return *file != NULL;
}

static bool is_inlined(Dwarf_Die *die) { return dwarf_tag(die) == DW_TAG_inlined_subroutine; }

/* Innermost place of a pc that is the kernel's own: file, line, and the index of its function in fr (-1: unknown). */
struct place {
	const char *file;
	int line, frame;
};

static bool own_place(Dwarf_Die *unit, uint64_t pc, struct frames *fr, struct place *at)
{
	fr->n = 0;
	descend(unit, pc, fr, 0);
	at->frame = fr->n - 1;
	/* the compiler gives merged code the line 0: the call that it was inlined by may still have one */
	bool known = line_of(unit, pc, &at->file, &at->line);
	for (; at->frame > 0 && is_inlined(&fr->die[at->frame]) && (!known || is_wrapper(at->file)); at->frame--)
		known = call_site(unit, &fr->die[at->frame], &at->file, &at->line);
	return known;
}

/* The same, or the nearest place before it in its function: then *near. */
static bool near_place(const struct program *p, Dwarf_Die *unit, uint64_t pc, struct frames *fr, struct place *at, bool *near)
{
	const struct program_symbol *s = program_symbol(p, pc);
	*near = false;
	while (!own_place(unit, pc, fr, at)) {
		*near = true;
		if (!s || pc < s->addr + 4)
			return false;
		pc -= 4;
	}
	return true;
}

bool program_source(const struct program *p, uint64_t pc, const char **file, int *line)
{
	Dwarf_Die unit;
	struct frames fr;
	struct place at;
	bool near;
	if (!find_unit(p, pc, &unit) || !near_place(p, &unit, pc, &fr, &at, &near))
		return false;
	*file = at.file;
	*line = at.line;
	return true;
}

static const char *function_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));
	return name ? name : "?";
}

void program_line(const struct program *p, uint64_t pc, char *text, size_t size)
{
	Dwarf_Die unit;
	struct frames fr;
	struct place at;
	bool near;
	size_t used = 0;
	if (size)
		text[0] = 0;
	if (!find_unit(p, pc, &unit) || !near_place(p, &unit, pc, &fr, &at, &near))
		return;
	while (used < size) {
		int n = snprintf(text + used, size - used, "%s%s:%d", used ? ", inlined at " : near ? "near " : "",
				 base_name(at.file), at.line);
		used += n > 0 ? (size_t)n : 0;
		if (at.frame >= 0 && used < size) {
			n = snprintf(text + used, size - used, " in %s", function_name(&fr.die[at.frame]));
			used += n > 0 ? (size_t)n : 0;
		}
		if (near || at.frame <= 0 || !is_inlined(&fr.die[at.frame]) ||
		    !call_site(&unit, &fr.die[at.frame--], &at.file, &at.line))
			return;
	}
}
