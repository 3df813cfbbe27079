/* expect: A B */
#include <threads.h>
static mtx_t l, m;
int x;
int f(void *p) {
	(void)p;
	mtx_lock(&l);
	x = 1; /* @A */
	mtx_unlock(&l);
	return 0;
}
int g(void *p) {
	(void)p;
	mtx_lock(&m);
	x = 2; /* @B */
	mtx_unlock(&m);
	return 0;
}
int main(void) {
	thrd_t a, b;
	mtx_init(&l, mtx_plain);
	mtx_init(&m, mtx_recursive);
	thrd_create(&a, f, 0);
	thrd_create(&b, g, 0);
	thrd_join(a, 0);
	thrd_join(b, 0);
	return 0;
}
