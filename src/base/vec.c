/* vec - see vec.h. */
#include "base/vec.h"

#include <stdlib.h>

#include "base/error.h"

void *vec_grow(void *items, size_t *size, size_t item_size)
{
	*size = *size ? 2 * *size : 16;
	items = realloc(items, *size * item_size);
	if (!items)
		BUG("out of memory (%zu items)", *size);
	return items;
}

void vec_release(void *items)
{
	free(items);
}
