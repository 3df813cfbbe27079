/*
 * clock - vector clocks: dense arrays of 32-bit epochs by slot, grown on demand.
 *
 * Arrays come in powers of two from 16 entries and go back to a free list of their class, so
 * that the clocks of dead threads and destroyed objects serve the next ones: memory is
 * bounded by what lives at once. Out of memory leaves a clock as it was: it then knows less
 * order than there is, which adds suspicions but hides nothing; counted.
 */
#include "rt/detect/internal.h"

#define FIRST_CLASS 4u
#define CLASSES 24u

static struct rt_lock lock;
static uint32_t *free_arrays[CLASSES];

static unsigned class_for(uint32_t size)
{
	unsigned class = FIRST_CLASS;

	while (1u << class < size)
		class++;
	return class;
}

static uint32_t *array_new(unsigned class)
{
	uint32_t *array = NULL;

	if (class >= CLASSES)
		return NULL;
	rt_lock(&lock);
	if (free_arrays[class]) {
		array = free_arrays[class];
		free_arrays[class] = *(uint32_t **)array;
	}
	rt_unlock(&lock);
	if (array)
		rt_memset(array, 0, sizeof(*array) << class);
	else
		array = rt_arena(sizeof(*array) << class);
	return array;
}

static void array_free(uint32_t *array, uint32_t size)
{
	unsigned class = class_for(size);

	rt_lock(&lock);
	*(uint32_t **)array = free_arrays[class];
	free_arrays[class] = array;
	rt_unlock(&lock);
}

static bool clock_grow(struct clock *clock, uint32_t size)
{
	unsigned class = class_for(size);
	uint32_t *array = array_new(class);

	if (!array) {
		rt_count(WIRE_LOST_THREADS);
		return false;
	}
	if (clock->at) {
		rt_memcpy(array, clock->at, clock->size * sizeof(*array));
		array_free(clock->at, clock->size);
	}
	clock->at = array;
	clock->size = 1u << class;
	return true;
}

void clock_set(struct clock *clock, uint32_t slot, uint32_t value)
{
	if (slot >= clock->size && !clock_grow(clock, slot + 1))
		return;
	clock->at[slot] = value;
}

bool clock_join(struct clock *into, const struct clock *from)
{
	uint32_t changed = 0, size = from->size;

	while (size && !from->at[size - 1])
		size--;
	if (size > into->size && !clock_grow(into, size))
		return false;
	for (uint32_t i = 0; i < size; i++) {
		uint32_t a = into->at[i], b = from->at[i];

		changed |= b > a;
		into->at[i] = b > a ? b : a;
	}
	return changed;
}

void clock_free(struct clock *clock)
{
	if (clock->at)
		array_free(clock->at, clock->size);
	*clock = (struct clock){ 0 };
}
