/*
 * program_types.c - parameters of the entry and members of the structs that they point to, from DWARF.
 *
 * Debug info is input like everything else: types may refer to themselves, so every descent has a depth limit.
 */
#include "program_int.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 24 };

static const char *die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attr));
	return name ? name : "";
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), type) != NULL;
}

/* Strip typedefs and qualifiers. False for void or when it never ends. */
static bool resolve(Dwarf_Die *type)
{
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type: {
			Dwarf_Die next;
			if (!type_of(type, &next))
				return false;
			*type = next;
			break;
		}
		default:
			return true;
		}
	}
	return false;
}

static bool is_pointer(int tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

static bool is_record(int tag) { return tag == DW_TAG_structure_type || tag == DW_TAG_class_type; }

/* "tiling *": the name nearest to the source; qualifiers are left out. */
static void type_text(Dwarf_Die *die, char *text, size_t size)
{
	Dwarf_Die type, next;
	int stars = 0;
	bool known = type_of(die, &type);
	for (int depth = 0; known && depth < DEPTH_MAX; depth++) {
		int tag = dwarf_tag(&type);
		if (is_pointer(tag))
			stars++;
		else if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type && tag != DW_TAG_restrict_type &&
			 tag != DW_TAG_array_type)
			break;
		known = type_of(&type, &next);
		type = next;
	}
	const char *name = known ? die_name(&type) : "void";
	snprintf(text, size, "%s%.*s", name[0] ? name : "struct", stars ? stars + 1 : 0, " ************************");
}

/* Size and signedness of a resolved scalar type; size 0 when it is none. */
static uint32_t scalar_size(Dwarf_Die *type, bool *is_signed, bool *is_float)
{
	int tag = dwarf_tag(type);
	*is_signed = *is_float = false;
	if (is_pointer(tag))
		return 8;
	if (tag == DW_TAG_enumeration_type) {
		int size = dwarf_bytesize(type);
		*is_signed = true;
		return size == 1 || size == 2 || size == 4 || size == 8 ? (uint32_t)size : 0;
	}
	if (tag != DW_TAG_base_type)
		return 0;
	Dwarf_Attribute attr;
	Dwarf_Word encoding = 0;
	int size = dwarf_bytesize(type);
	if (dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &attr), &encoding) != 0 || size < 1 || size > 16)
		return 0;
	*is_float = encoding == DW_ATE_float;
	*is_signed = *is_float || encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	return (uint32_t)size;
}

/* Elements of an array type, over all dimensions; 0 when unknown. */
static uint64_t array_count(Dwarf_Die *array)
{
	Dwarf_Die dim;
	uint64_t total = 1;
	if (dwarf_child(array, &dim) != 0)
		return 0;
	do {
		Dwarf_Attribute attr;
		Dwarf_Word n = 0;
		if (dwarf_tag(&dim) != DW_TAG_subrange_type)
			continue;
		if (dwarf_formudata(dwarf_attr(&dim, DW_AT_count, &attr), &n) != 0) {
			if (dwarf_formudata(dwarf_attr(&dim, DW_AT_upper_bound, &attr), &n) != 0 || n >= UINT32_MAX)
				return 0;
			n++;
		}
		if (n == 0 || n > UINT32_MAX || total > UINT32_MAX / n)
			return 0;
		total *= n;
	} while (dwarf_siblingof(&dim, &dim) == 0);
	return total;
}

struct walk {
	struct program *p;
	struct program_struct *s;
	struct fail *f;
};

static bool members(struct walk *w, Dwarf_Die *record, const char *prefix, uint64_t base, int depth);

static bool member(struct walk *w, Dwarf_Die *die, const char *prefix, uint64_t base, int depth)
{
	Dwarf_Attribute attr;
	Dwarf_Word offset = 0;
	Dwarf_Die type;
	bool inherited = dwarf_tag(die) == DW_TAG_inheritance;
	bool bits = dwarf_hasattr(die, DW_AT_bit_size);
	char name[sizeof(w->s->member[0].name)];
	if (!bits && dwarf_hasattr(die, DW_AT_data_member_location) &&
	    dwarf_formudata(dwarf_attr(die, DW_AT_data_member_location, &attr), &offset) != 0)
		return true;
	if (!type_of(die, &type) || !resolve(&type) || offset > UINT32_MAX - base)
		return true;
	snprintf(name, sizeof(name), "%s%s%s", prefix, prefix[0] && !inherited ? "." : "", inherited ? "" : die_name(die));
	if (!bits && is_record(dwarf_tag(&type)))
		return members(w, &type, name, base + offset, depth + 1);
	if (w->s->n_member == PROGRAM_MEMBERS)
		return fail_file(w->f, FAIL_USER, w->p->file, 0, "struct %s of entry %s has more than %d members",
				 w->s->name, w->p->entry_name, PROGRAM_MEMBERS);
	struct program_member *m = &w->s->member[w->s->n_member++];
	uint64_t count = 1;
	snprintf(m->name, sizeof(m->name), "%s", name);
	type_text(die, m->type, sizeof(m->type));
	m->offset = (uint32_t)(base + offset);
	if (dwarf_tag(&type) == DW_TAG_array_type) {
		Dwarf_Die element;
		count = array_count(&type);
		if (!type_of(&type, &element) || !resolve(&element))
			return true;
		type = element;
	}
	uint32_t size = bits ? 0 : scalar_size(&type, &m->is_signed, &m->is_float);
	if (count * size <= UINT32_MAX)
		m->size = (uint32_t)(count * size);
	m->count = (uint32_t)count;
	return true;
}

static bool members(struct walk *w, Dwarf_Die *record, const char *prefix, uint64_t base, int depth)
{
	Dwarf_Die die;
	if (depth > DEPTH_MAX || dwarf_child(record, &die) != 0)
		return true;
	do {
		int tag = dwarf_tag(&die);
		/* static members of C++ classes are declarations */
		if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) && !dwarf_hasattr(&die, DW_AT_external) &&
		    !member(w, &die, prefix, base, depth))
			return false;
	} while (dwarf_siblingof(&die, &die) == 0);
	return true;
}

/* Index of a record type in p->structs, added when new; -1 for an incomplete type. */
static bool struct_index(struct program *p, Dwarf_Die *type, const char *name, int *index, struct fail *f)
{
	int size = dwarf_bytesize(type);
	*index = -1;
	if (size <= 0)
		return true;
	for (int i = 0; i < p->n_struct; i++)
		if (strcmp(p->structs[i].name, name) == 0 && p->structs[i].size == (uint32_t)size) {
			*index = i;
			return true;
		}
	if (p->n_struct == PROGRAM_STRUCTS)
		return fail_file(f, FAIL_USER, p->file, 0, "entry %s has parameters of more than %d struct types",
				 p->entry_name, PROGRAM_STRUCTS);
	struct program_struct *s = &p->structs[p->n_struct];
	memset(s, 0, sizeof(*s));
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->size = (uint32_t)size;
	*index = p->n_struct++;
	struct walk w = { p, s, f };
	return members(&w, type, "", 0, 0);
}

static bool take_param(struct program *p, Dwarf_Die *die, struct fail *f)
{
	Dwarf_Die type, *holder = die;
	if (p->n_param == PROGRAM_PARAMS)
		return fail_file(f, FAIL_USER, p->file, 0, "entry %s has more than %d parameters", p->entry_name,
				 PROGRAM_PARAMS);
	struct program_param *out = &p->param[p->n_param++];
	memset(out, 0, sizeof(*out));
	out->struct_index = -1;
	snprintf(out->name, sizeof(out->name), "%s", die_name(die));
	type_text(die, out->type, sizeof(out->type));
	if (!type_of(die, &type) || !resolve(&type))
		return true;
	out->pointer = is_pointer(dwarf_tag(&type));
	out->size = scalar_size(&type, &out->is_signed, &out->is_float);
	Dwarf_Die pointer = type;
	if (out->pointer) {
		holder = &pointer;
		if (!type_of(&pointer, &type) || !resolve(&type))
			return true;
	} else if (out->size == 0) {
		int size = dwarf_bytesize(&type);
		out->size = size > 0 ? (uint32_t)size : 0;
	}
	if (!is_record(dwarf_tag(&type)))
		return true;
	char name[sizeof(p->structs[0].name)];
	type_text(holder, name, sizeof(name));
	return struct_index(p, &type, name, &out->struct_index, f);
}

/* Depth-first search for the function that starts at pc; namespaces may hold functions. */
static bool find_function(Dwarf_Die *scope, uint64_t pc, Dwarf_Die *found, int depth)
{
	Dwarf_Die die;
	if (depth > DEPTH_MAX || dwarf_child(scope, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);
		Dwarf_Addr low;
		if (tag == DW_TAG_subprogram && dwarf_entrypc(&die, &low) == 0 && low == pc) {
			*found = die;
			return true;
		}
		if (tag == DW_TAG_namespace && find_function(&die, pc, found, depth + 1))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* The type that GET_TILING_DATA reads (kernel_tiling.h calls it so), which no parameter names: those are bytes. */
static bool find_tiling(Dwarf_Die *scope, Dwarf_Die *found, int depth)
{
	Dwarf_Die die;
	if (depth > DEPTH_MAX || dwarf_child(scope, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);
		if (tag == DW_TAG_typedef && strcmp(die_name(&die), "vinci_default_tiling") == 0) {
			*found = die;
			return true;
		}
		if ((tag == DW_TAG_lexical_block || tag == DW_TAG_subprogram) && find_tiling(&die, found, depth + 1))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

static bool take_tiling(struct program *p, Dwarf_Die *cu, struct fail *f)
{
	Dwarf_Die type;
	char name[sizeof(p->structs[0].name)];
	if (!find_tiling(cu, &type, 0))
		return true;
	type_text(&type, name, sizeof name);
	if (!resolve(&type) || !is_record(dwarf_tag(&type)))
		return true;
	return struct_index(p, &type, name, &p->tiling_index, f);
}

bool program_debug_params(struct program *p, struct fail *f)
{
	p->n_param = -1;
	p->n_struct = 0;
	p->tiling_index = -1;
	Dwarf_CU *cu = NULL;
	Dwarf_Die cu_die, function, die;
	bool found = false;
	while (p->debug && !found && dwarf_get_units(p->debug, cu, &cu, NULL, NULL, &cu_die, NULL) == 0)
		found = find_function(&cu_die, p->entry, &function, 0);
	if (!found)
		return true;
	p->n_param = 0;
	if (dwarf_child(&function, &die) != 0)
		return true;
	do {
		if (dwarf_tag(&die) == DW_TAG_formal_parameter && !take_param(p, &die, f))
			return false;
	} while (dwarf_siblingof(&die, &die) == 0);
	return take_tiling(p, &cu_die, f);
}
