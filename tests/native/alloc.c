/* The allocator: one alloc and one free per block, also through realloc. Sizes in units of 256. */
#include "spy.h"

#include <malloc.h>
#include <sys/mman.h>

static void blocks(bool on)
{
	if (spy_blocks)
		spy_blocks(on);
}

int main(void)
{
	void *block, *old;

	blocks(true);
	/* > T0 alloc 3
	   > T0 free 3
	   > T0 alloc 7
	   > T0 free 7
	   > T0 alloc 11
	   > T0 free 11 */
	block = malloc(1000);
	block = realloc(block, 2000);
	free(block);
	block = calloc(30, 100);
	CHECK(((char *)block)[2999], 0);
	free(block);
	free(NULL);
	/* A failed realloc leaves the block:
	   > T0 alloc 0
	   > T0 free 0
	   > T0 alloc 0
	   > T0 free 0 */
	old = malloc(20);
	CHECK(realloc(old, (size_t)-1 / 4), NULL);
	CHECK(errno, ENOMEM);
	CHECK(realloc(old, 0), NULL);
	/* > T0 alloc 0
	   > T0 free 0
	   > T0 alloc 0
	   > T0 free 0 */
	CHECK(posix_memalign(&block, 3, 40), EINVAL);
	CHECK(posix_memalign(&block, 64, 40), 0);
	CHECK((size_t)block % 64, 0);
	free(block);
	block = aligned_alloc(64, 64);
	CHECK(malloc_usable_size(block) >= 64, 1);
	free(block);
	/* > T0 fresh 32
	   > T0 free 32 */
	block = mmap(NULL, 5000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(block != MAP_FAILED, 1);
	CHECK(munmap(block, 5000), 0);
	CHECK(munmap((char *)block + 1, 5000), -1);
	blocks(false);
	/* > end */
	return 0;
}
