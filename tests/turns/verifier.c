/* Conventions of verification tasks, none defined here but one that a program may define. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void), __VERIFIER_assume(int);
extern void reach_error(void);

static int x, y;

__attribute__((noinline)) void assume_abort_if_not(int c)
{
	if (!c)
		abort();
}

static void point(void)
{
	sched_yield();
}

/* Never seen half done. */
__attribute__((noinline)) void __VERIFIER_atomic_both(void)
{
	x++;
	point();
	y++;
}

static void *writer(void *begin)
{
	if (!begin) {
		__VERIFIER_atomic_both();
		return NULL;
	}
	__VERIFIER_atomic_begin();
	x++;
	point();
	y++;
	__VERIFIER_atomic_end();
	return NULL;
}

static void *reader(void *arg)
{
	point();
	if (x != y)
		reach_error();
	point();
	return arg;
}

static void *breaker(void *arg)
{
	point();
	x++;
	point();
	y++;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	int broken = argc > 1 && !strcmp(argv[1], "broken");

	if (argc > 1 && !strcmp(argv[1], "assume"))
		__VERIFIER_assume(__VERIFIER_nondet_int() == 3);
	if (argc > 1 && !strcmp(argv[1], "own-assume"))
		assume_abort_if_not(__VERIFIER_nondet_uchar() == 2);
	if (argc > 1 && !strcmp(argv[1], "error") && __VERIFIER_nondet_int() == 3)
		reach_error();
	pthread_create(&a, NULL, broken ? breaker : writer, argc > 1 ? NULL : &a);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
