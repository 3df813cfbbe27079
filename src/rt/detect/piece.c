/*
 * piece - memory for what grows and is given back (list.c): pieces of 1, 2, 4 ... units.
 *
 * A piece is named by the number of its first unit, so that a cell has room for it. Pieces that are given back
 * serve the next of their size; they are not split or joined: lists grow through all sizes.
 */
#include "rt/detect/internal.h"

#define UNITS (1u << 22) /* 128 MiB at the very most */
#define SIZE_COUNT 18u        /* the largest: 4 MiB, more than anybody asks for */

static struct {
	struct rt_lock lock;
	uint32_t made;        /* numbers below it were handed out */
	uint32_t free[SIZE_COUNT]; /* chain by the first word */
} all = { .made = 1 };
char *pieces;

_Static_assert(UNITS <= 1u << PLACE_BITS, "a cell's place names a piece");

static unsigned size_index(size_t bytes)
{
	unsigned i = 0;

	while ((size_t)PIECE_UNIT << i < bytes)
		i++;
	return i;
}

size_t piece_size(size_t bytes)
{
	return (size_t)PIECE_UNIT << size_index(bytes);
}

uint32_t piece_new(size_t bytes)
{
	unsigned i = size_index(bytes);
	uint32_t number = 0;
	bool used = false;

	rt_lock(&all.lock);
	if (!pieces)
		pieces = rt_reserve((size_t)UNITS * PIECE_UNIT, false);
	if (all.free[i]) {
		number = all.free[i];
		all.free[i] = *(uint32_t *)piece_at(number);
		used = true;
	} else if (pieces && all.made + (1u << i) <= UNITS) {
		number = all.made;
		all.made += 1u << i;
	}
	rt_unlock(&all.lock);
	if (used)
		rt_memset(piece_at(number), 0, (size_t)PIECE_UNIT << i);
	return number;
}

void piece_free(uint32_t number, size_t bytes)
{
	unsigned i = size_index(bytes);

	rt_lock(&all.lock);
	*(uint32_t *)piece_at(number) = all.free[i];
	all.free[i] = number;
	rt_unlock(&all.lock);
}
