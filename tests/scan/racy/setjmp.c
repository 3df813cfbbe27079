/* Comes back by longjmp, after the lock was given up, and writes on.
 * expect: A A */
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int attempts;

static void try_it(jmp_buf env)
{
	pthread_mutex_unlock(&lock);
	longjmp(env, 1);
}

static void *work(void *arg)
{
	jmp_buf env;

	pthread_mutex_lock(&lock);
	if (setjmp(env) == 0)
		try_it(env);
	attempts++; /* @A */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return attempts != 2;
}
