/* never: A A */
#include <threads.h>
static mtx_t l;
int x;
int f(void *p) {
	(void)p;
	mtx_lock(&l);
	x++; /* @A */
	mtx_unlock(&l);
	return 0;
}
int main(void) {
	thrd_t a, b;
	mtx_init(&l, mtx_plain);
	thrd_create(&a, f, 0);
	thrd_create(&b, f, 0);
	thrd_join(a, 0);
	thrd_join(b, 0);
	return x != 2;
}
