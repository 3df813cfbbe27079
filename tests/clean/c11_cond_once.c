/* never: A B */
#include <threads.h>
static once_flag once = ONCE_FLAG_INIT;
static mtx_t l;
static cnd_t c;
int ready, data, seen;
static void make(void) {
	mtx_init(&l, mtx_plain);
	cnd_init(&c);
}
int f(void *p) {
	(void)p;
	call_once(&once, make);
	mtx_lock(&l);
	data = 1; /* @A */
	ready = 1;
	cnd_signal(&c);
	mtx_unlock(&l);
	return 0;
}
int g(void *p) {
	(void)p;
	call_once(&once, make);
	mtx_lock(&l);
	while (!ready)
		cnd_wait(&c, &l);
	seen = data; /* @B */
	mtx_unlock(&l);
	return 0;
}
int main(void) {
	thrd_t a, b;
	thrd_create(&a, f, 0);
	thrd_create(&b, g, 0);
	thrd_join(a, 0);
	thrd_join(b, 0);
	return seen != 1;
}
