/*
 * type - the path from a variable to the bytes at an offset: ".len", "[3].next".
 */
#include <dwarf.h>
#include <string.h>

#include "sym/internal.h"

bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type);
}

static void peel(Dwarf_Die *type)
{
	Dwarf_Die next;
	int hops = 0;

	while (dwarf_tag(type) == DW_TAG_typedef || dwarf_tag(type) == DW_TAG_const_type ||
	       dwarf_tag(type) == DW_TAG_volatile_type || dwarf_tag(type) == DW_TAG_atomic_type) {
		if (!type_of(type, &next) || hops++ > MOST_LINKS)
			return;
		*type = next;
	}
}

static uint64_t member_offset(Dwarf_Die *member)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (dwarf_attr(member, DW_AT_data_member_location, &attr) && !dwarf_formudata(&attr, &value))
		return value;
	if (dwarf_attr(member, DW_AT_data_bit_offset, &attr) && !dwarf_formudata(&attr, &value))
		return value / 8;
	return 0;
}

/* The member or base class that holds the byte at offset. */
static bool member_at(Dwarf_Die *type, uint64_t offset, Dwarf_Die *found)
{
	Dwarf_Die die, inner;
	Dwarf_Word size;
	bool any = false;

	if (dwarf_child(type, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);
		uint64_t at = member_offset(&die);
		bool placed = dwarf_hasattr(&die, DW_AT_data_member_location) || dwarf_hasattr(&die, DW_AT_data_bit_offset);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !placed || at > offset)
			continue;
		if (type_of(&die, &inner) && !dwarf_aggregate_size(&inner, &size) && offset < at + size) {
			*found = die;
			any = true;
		}
	} while (!dwarf_siblingof(&die, &die));
	return any;
}

static uint64_t dimension(Dwarf_Die *range)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (dwarf_attr(range, DW_AT_count, &attr) && !dwarf_formudata(&attr, &value))
		return value;
	if (dwarf_attr(range, DW_AT_upper_bound, &attr) && !dwarf_formudata(&attr, &value))
		return value + 1;
	return 0;
}

/* "[1][3]": row-major, all dimensions but the first need a size. */
static const char *array_index(struct arena *arena, const char *name, Dwarf_Die *array, uint64_t element)
{
	uint64_t sizes[8], count = 0, rest = 1;
	Dwarf_Die die;

	if (!dwarf_child(array, &die))
		do
			if (dwarf_tag(&die) == DW_TAG_subrange_type && count < 8)
				sizes[count++] = dimension(&die);
		while (!dwarf_siblingof(&die, &die));
	for (uint64_t i = 1; i < count; i++)
		rest *= sizes[i] ? sizes[i] : 1;
	for (uint64_t i = 0; i < count; i++) {
		name = arena_printf(arena, "%s[%llu]", name, (unsigned long long)(element / rest));
		element %= rest;
		rest /= i + 1 < count && sizes[i + 1] ? sizes[i + 1] : 1;
	}
	return name;
}

static const char *path_in(struct arena *arena, const char *name, Dwarf_Die *type, uint64_t offset, int depth);

static const char *path_of_array(struct arena *arena, const char *name, Dwarf_Die *type, uint64_t offset, int depth)
{
	Dwarf_Die element;
	Dwarf_Word size;

	if (!type_of(type, &element) || dwarf_aggregate_size(&element, &size) || !size)
		return name;
	return path_in(arena, array_index(arena, name, type, offset / size), &element, offset % size, depth);
}

/* Base classes and anonymous members add no name of their own. */
static const char *path_of_struct(struct arena *arena, const char *name, Dwarf_Die *type, uint64_t offset, int depth)
{
	Dwarf_Die member, inner;
	const char *own;

	if (!member_at(type, offset, &member) || !type_of(&member, &inner))
		return name;
	own = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;
	if (own && *own)
		name = arena_printf(arena, "%s.%s", name, own);
	return path_in(arena, name, &inner, offset - member_offset(&member), depth);
}

/* Stops at scalars, and at unions: which of their members is meant is not in the address. */
static const char *path_in(struct arena *arena, const char *name, Dwarf_Die *type, uint64_t offset, int depth)
{
	Dwarf_Die inner = *type;

	if (depth > MOST_LINKS)
		return name;
	peel(&inner);
	switch (dwarf_tag(&inner)) {
	case DW_TAG_array_type:
		return path_of_array(arena, name, &inner, offset, depth + 1);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return path_of_struct(arena, name, &inner, offset, depth + 1);
	default:
		return name;
	}
}

const char *type_path(struct arena *arena, const char *name, Dwarf_Die *type, uint64_t offset)
{
	return path_in(arena, name, type, offset, 0);
}

static bool named_atomic(Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);

	return name && (!strncmp(name, "atomic<", 7) || !strncmp(name, "__atomic_", 9) || !strcmp(name, "atomic_flag"));
}

static bool is_array(Dwarf_Die *type)
{
	return dwarf_tag(type) == DW_TAG_array_type;
}

/* One step towards the byte at *offset; false: this is as far as it goes. */
static bool inward(Dwarf_Die *type, uint64_t *offset)
{
	Dwarf_Die member, inner;
	Dwarf_Word size;
	int tag = dwarf_tag(type);

	if (tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || is_array(type)) {
		if (!type_of(type, &inner))
			return false;
		if (is_array(type) && !dwarf_aggregate_size(&inner, &size) && size)
			*offset %= size;
	} else {
		if (!member_at(type, *offset, &member) || !type_of(&member, &inner))
			return false;
		*offset -= member_offset(&member);
	}
	*type = inner;
	return true;
}

bool type_is_atomic(const Dwarf_Die *of, uint64_t offset)
{
	Dwarf_Die type = *of;

	for (int hops = 0; hops < MOST_LINKS; hops++) {
		if (dwarf_tag(&type) == DW_TAG_atomic_type || named_atomic(&type))
			return true;
		if (!inward(&type, &offset))
			return false;
	}
	return false;
}
