/* Freed by one thread while another still looks: free is a write to all of the block.
   expect: A B */
#include <stdlib.h>
#include "../threads.h"
int *block, seen;
static pthread_barrier_t both;
static void *f(void *p) {
	int *mine = block;
	pthread_barrier_wait(&both);
	seen = mine[1]; /* @A */
	return p;
}
static void *g(void *p) {
	int *mine = block;
	pthread_barrier_wait(&both);
	free(mine); /* @B */
	return p;
}
int main(void) {
	block = calloc(4, sizeof(int));
	pthread_barrier_init(&both, NULL, 2);
	run2(f, g);
	return 0;
}
