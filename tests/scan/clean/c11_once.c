/* call_once.
 * never: A A */
#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;
static int limit;

static void init(void)
{
	limit = 10; /* @A */
}

static int user(void *arg)
{
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
