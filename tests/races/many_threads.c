/* expect: A A */
#include "../threads.h"
int x;
static void *f(void *p) {
	x++; /* @A */
	return p;
}
int main(void) {
	pthread_t t[100];
	for (int i = 0; i < 100; i++)
		pthread_create(&t[i], NULL, f, NULL);
	for (int i = 0; i < 100; i++)
		pthread_join(t[i], NULL);
	return 0;
}
