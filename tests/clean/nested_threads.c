/* never: A B */
#include "../threads.h"
int x;
static void *inner(void *p) {
	x++; /* @A */
	return p;
}
static void *outer(void *p) {
	pthread_t t;
	x++; /* @B */
	pthread_create(&t, NULL, inner, NULL);
	pthread_join(t, NULL);
	x++;
	return p;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, NULL, outer, NULL);
	pthread_join(t, NULL);
	return x != 3;
}
