/* C11 condition: the result is stored after the notification.
 * expect: A B */
#include <threads.h>

static mtx_t mutex;
static cnd_t cond;
static int finished, result;

static int compute(void *arg)
{
	mtx_lock(&mutex);
	finished = 1;
	cnd_signal(&cond);
	mtx_unlock(&mutex);
	result = 12; /* @A */
	return arg != NULL;
}

int main(void)
{
	thrd_t t;
	int answer;

	mtx_init(&mutex, mtx_plain);
	cnd_init(&cond);
	thrd_create(&t, compute, NULL);
	mtx_lock(&mutex);
	while (!finished)
		cnd_wait(&cond, &mutex);
	answer = result; /* @B */
	mtx_unlock(&mutex);
	thrd_join(t, NULL);
	return answer < 0;
}
