/* Once: exactly once, everybody sees it done, and a cancelled routine runs again. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>

#include "expect.h"

static pthread_once_t plain = PTHREAD_ONCE_INIT, cut = PTHREAD_ONCE_INIT, outer = PTHREAD_ONCE_INIT,
		      inner = PTHREAD_ONCE_INIT;
static int runs, cut_runs, nested, cleaned;
static sem_t in_routine, never;

static void routine(void)
{
	sched_yield();
	runs++;
}

static void *call(void *unused)
{
	EXPECT_CODE(0, pthread_once(&plain, routine));
	EXPECT(runs == 1);
	return unused;
}

static void routine_cut(void)
{
	if (cut_runs++ == 0) {
		sem_post(&in_routine);
		sem_wait(&never);
		EXPECT(!"comes here");
	}
}

static void clean(void *unused)
{
	(void)unused;
	cleaned++;
}

static void *call_cut(void *unused)
{
	pthread_cleanup_push(clean, NULL);
	EXPECT_CODE(0, pthread_once(&cut, routine_cut));
	pthread_cleanup_pop(0);
	return unused;
}

static void inner_routine(void)
{
	nested++;
}

static void outer_routine(void)
{
	EXPECT_CODE(0, pthread_once(&inner, inner_routine));
	nested++;
}

int main(void)
{
	pthread_t t[3];
	void *result;

	for (int i = 0; i < 3; i++)
		EXPECT_CODE(0, pthread_create(&t[i], NULL, call, NULL));
	for (int i = 0; i < 3; i++)
		EXPECT_CODE(0, pthread_join(t[i], NULL));
	EXPECT(runs == 1);
	sem_init(&in_routine, 0, 0);
	sem_init(&never, 0, 0);
	EXPECT_CODE(0, pthread_create(&t[0], NULL, call_cut, NULL));
	sem_wait(&in_routine);
	EXPECT_CODE(0, pthread_create(&t[1], NULL, call_cut, NULL));
	EXPECT_CODE(0, pthread_cancel(t[0]));
	EXPECT_CODE(0, pthread_join(t[0], &result));
	EXPECT(result == PTHREAD_CANCELED && cleaned == 1);
	EXPECT_CODE(0, pthread_join(t[1], &result));
	EXPECT(result == NULL && cut_runs == 2);
	EXPECT_CODE(0, pthread_once(&outer, outer_routine));
	EXPECT_CODE(0, pthread_once(&inner, inner_routine));
	EXPECT(nested == 2);
	return 0;
}
