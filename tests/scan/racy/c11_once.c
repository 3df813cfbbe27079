/* call_once with a flag in each thread's own frame: it happens twice.
 * expect: A A */
#include <threads.h>

static int limit;

static void init(void)
{
	limit = 10; /* @A */
}

static int user(void *arg)
{
	once_flag flag = ONCE_FLAG_INIT;

	call_once(&flag, init);
	return arg != NULL;
}

int main(void)
{
	thrd_t a, b;

	thrd_create(&a, user, NULL);
	thrd_create(&b, user, NULL);
	thrd_join(a, NULL);
	thrd_join(b, NULL);
	return limit != 10;
}
