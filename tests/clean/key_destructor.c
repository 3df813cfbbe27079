/* A thread-specific value is freed by its destructor, in its own thread.
   never: A A */
#include <stdlib.h>
#include "../threads.h"
static pthread_key_t key;
static void drop(void *p) { free(p); }
static void *f(void *p) {
	int *mine = malloc(sizeof(*mine));
	pthread_setspecific(key, mine);
	*mine = 1; /* @A */
	return p;
}
int main(void) {
	pthread_key_create(&key, drop);
	run2(f, f);
	return 0;
}
