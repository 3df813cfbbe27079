/* C11 threads: not by way of the pthread names. */
#include <threads.h>

#include "spy.h"

static mtx_t m, recursive, timed;
static cnd_t c;
static once_flag once = ONCE_FLAG_INIT;
static int ready, runs;

static void run(void)
{
	runs++;
}

static int signals(void *nothing)
{
	CHECK(mtx_lock(&m), thrd_success);
	ready = 1;
	CHECK(cnd_signal(&c), thrd_success);
	CHECK(mtx_unlock(&m), thrd_success);
	return 42;
}

static int exits(void *nothing)
{
	thrd_exit(43);
}

int main(void)
{
	struct timespec t = past();
	thrd_t thread;
	int value;

	NAME(m);
	NAME(recursive);
	NAME(c);
	NAME(once);
	/* > T0 destroy m
	   > T0 destroy recursive
	   > T0 destroy c */
	CHECK(mtx_init(&m, mtx_plain), thrd_success);
	CHECK(mtx_init(&timed, mtx_timed), thrd_success);
	CHECK(mtx_init(&recursive, mtx_plain | mtx_recursive), thrd_success);
	CHECK(cnd_init(&c), thrd_success);
	/* > T0 want recursive write
	   > T0 acquire recursive write
	   > T0 release recursive write */
	CHECK(mtx_lock(&recursive), thrd_success);
	CHECK(mtx_trylock(&recursive), thrd_success);
	CHECK(mtx_unlock(&recursive), thrd_success);
	CHECK(mtx_unlock(&recursive), thrd_success);
	CHECK(mtx_lock(&timed), thrd_success);
	CHECK(mtx_timedlock(&timed, &t), thrd_timedout);
	CHECK(mtx_unlock(&timed), thrd_success);
	/* > T0 want m write
	   > T0 acquire m write
	   > T0 release m write
	   > T0 acquire m write
	   > T0 create T1
	   > T0 release m write */
	CHECK(mtx_lock(&m), thrd_success);
	CHECK(cnd_timedwait(&c, &m, &t), thrd_timedout);
	CHECK(thrd_create(&thread, signals, NULL), thrd_success);
	/* > T1 start
	   > T1 want m write
	   > T1 acquire m write
	   > T1 send c
	   > T1 release m write
	   > T1 end
	   > T0 acquire m write
	   > T0 receive c
	   > T0 join T1 */
	while (!ready)
		CHECK(cnd_wait(&c, &m), thrd_success);
	CHECK(thrd_join(thread, &value), thrd_success);
	CHECK(value, 42);
	/* > T0 release m write
	   > T0 create T2
	   > T2 start
	   > T2 end
	   > T0 join T2 */
	CHECK(mtx_unlock(&m), thrd_success);
	CHECK(thrd_create(&thread, exits, NULL), thrd_success);
	CHECK(thrd_join(thread, &value), thrd_success);
	CHECK(value, 43);
	/* > T0 receive once
	   > T0 send once
	   > T0 receive once
	   > T0 receive once
	   > T0 destroy c
	   > T0 destroy m
	   > end */
	call_once(&once, run);
	call_once(&once, run);
	CHECK(runs, 1);
	cnd_destroy(&c);
	mtx_destroy(&m);
	return 0;
}
