/* C11 thread-specific storage that holds a pointer to one static.
 * expect: A A */
#include <threads.h>

static tss_t key;
static int shared;

static void note(int n)
{
	int *mine = tss_get(key);

	*mine = n; /* @A */
}

static int run(void *arg)
{
	tss_set(key, &shared);
	note(1);
	return arg != NULL;
}

int main(void)
{
	thrd_t a, b;

	tss_create(&key, NULL);
	thrd_create(&a, run, NULL);
	thrd_create(&b, run, NULL);
	thrd_join(a, NULL);
	thrd_join(b, NULL);
	return 0;
}
