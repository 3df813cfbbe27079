/* expect: A A */
#include <threads.h>
int x;
int f(void *p) {
	(void)p;
	x++; /* @A */
	return 0;
}
int main(void) {
	thrd_t a, b;
	thrd_create(&a, f, 0);
	thrd_create(&b, f, 0);
	thrd_join(a, 0);
	thrd_join(b, 0);
	return 0;
}
