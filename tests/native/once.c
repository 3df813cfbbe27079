/* Once: sent by who ran it, received by everyone; nested; cancelled and run again. */
#include "spy.h"

static pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT, cancelled = PTHREAD_ONCE_INIT;
static int runs, dies;

static void run_inner(void)
{
	runs++;
}

static void run_outer(void)
{
	CHECK(pthread_once(&inner, run_inner), 0);
	runs++;
}

static void run_cancelled(void)
{
	runs++;
	if (dies)
		pthread_exit(NULL);
}

static void *tries(void *nothing)
{
	dies = 1;
	pthread_once(&cancelled, run_cancelled);
	return nothing;
}

int main(void)
{
	pthread_t thread;

	NAME(outer);
	NAME(inner);
	NAME(cancelled);
	/* > T0 receive outer
	   > T0 receive inner
	   > T0 send inner
	   > T0 receive inner
	   > T0 send outer
	   > T0 receive outer
	   > T0 receive outer */
	CHECK(pthread_once(&outer, run_outer), 0);
	CHECK(pthread_once(&outer, run_outer), 0);
	CHECK(runs, 2);
	/* Left half-way it sends, and who runs it again receives that:
	   > T0 create T1
	   > T1 start
	   > T1 receive cancelled
	   > T1 send cancelled
	   > T1 end
	   > T0 join T1
	   > T0 receive cancelled
	   > T0 send cancelled
	   > T0 receive cancelled
	   > end */
	pthread_create(&thread, NULL, tries, NULL);
	pthread_join(thread, NULL);
	dies = 0;
	CHECK(pthread_once(&cancelled, run_cancelled), 0);
	CHECK(runs, 4);
	return 0;
}
