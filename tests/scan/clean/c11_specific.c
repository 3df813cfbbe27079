/* C11 thread-specific storage with a local of each thread.
 * never: A A */
#include <threads.h>

static tss_t key;

static void note(int n)
{
	int *mine = tss_get(key);

	*mine = n; /* @A */
}

static int run(void *arg)
{
	int own = 0;

	tss_set(key, &own);
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
