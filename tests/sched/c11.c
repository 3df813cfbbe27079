/* <threads.h>: threads, mutexes, conditions, once, thread-specific storage. */
#include <threads.h>

#include "expect.h"

static mtx_t plain, timed, recursive;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int turn, runs, destroyed;

static void routine(void)
{
	runs++;
}

static void destroy(void *value)
{
	mtx_lock(&plain);
	destroyed += *(int *)value;
	mtx_unlock(&plain);
}

static int player(void *argument)
{
	int me = *(int *)argument;

	call_once(&once, routine);
	EXPECT(tss_set(key, argument) == thrd_success);
	for (int i = 0; i < 3; i++) {
		EXPECT(mtx_lock(&plain) == thrd_success);
		while (turn % 2 != me)
			EXPECT(cnd_wait(&changed, &plain) == thrd_success);
		turn++;
		EXPECT(cnd_signal(&changed) == thrd_success);
		EXPECT(mtx_unlock(&plain) == thrd_success);
		thrd_yield();
	}
	EXPECT(tss_get(key) == argument);
	if (me)
		thrd_exit(41 + me);
	return 7;
}

static int try(void *unused)
{
	struct timespec past = in_ms(CLOCK_REALTIME, -1);

	(void)unused;
	EXPECT(mtx_trylock(&recursive) == thrd_busy);
	EXPECT(mtx_timedlock(&timed, &past) == thrd_timedout);
	return 0;
}

int main(void)
{
	struct timespec nap = { 3, 0 }, past;
	int id[2] = { 0, 1 }, result;
	thrd_t t[2];

	EXPECT(mtx_init(&plain, mtx_plain) == thrd_success && mtx_init(&timed, mtx_timed) == thrd_success);
	EXPECT(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
	EXPECT(cnd_init(&changed) == thrd_success && tss_create(&key, destroy) == thrd_success);
	for (int i = 0; i < 2; i++)
		EXPECT(thrd_create(&t[i], player, &id[i]) == thrd_success);
	EXPECT(thrd_join(t[0], &result) == thrd_success && result == 7);
	EXPECT(thrd_join(t[1], &result) == thrd_success && result == 42);
	EXPECT(turn == 6 && runs == 1 && destroyed == 1);

	EXPECT(mtx_lock(&recursive) == thrd_success && mtx_lock(&recursive) == thrd_success);
	EXPECT(mtx_trylock(&recursive) == thrd_success);
	EXPECT(mtx_lock(&timed) == thrd_success);
	EXPECT(thrd_create(&t[0], try, NULL) == thrd_success && thrd_join(t[0], NULL) == thrd_success);
	EXPECT(mtx_unlock(&recursive) == 0 && mtx_unlock(&recursive) == 0 && mtx_unlock(&recursive) == 0);
	past = in_ms(CLOCK_REALTIME, -1);
	EXPECT(cnd_timedwait(&changed, &timed, &past) == thrd_timedout);
	EXPECT(mtx_unlock(&timed) == thrd_success);
	EXPECT(cnd_broadcast(&changed) == thrd_success);
	EXPECT(thrd_sleep(&(struct timespec){ 0, 1000 }, &nap) == 0);
	EXPECT(thrd_equal(thrd_current(), thrd_current()));
	mtx_destroy(&plain);
	cnd_destroy(&changed);
	tss_delete(key);
	return 0;
}
