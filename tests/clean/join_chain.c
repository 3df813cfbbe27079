/* never: A B */
#include "../threads.h"
int x;
static pthread_t first;
static void *f(void *p) { x = 1; /* @A */ return p; }
static void *g(void *p) {
	pthread_join(first, NULL);
	x = 2; /* @B */
	return p;
}
int main(void) {
	pthread_t second;
	pthread_create(&first, NULL, f, NULL);
	pthread_create(&second, NULL, g, NULL);
	pthread_join(second, NULL);
	return x != 2;
}
