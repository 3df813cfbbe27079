/* C11 condition: flag and result under one mutex.
 * never: A B */
#include <threads.h>

static mtx_t mutex;
static cnd_t cond;
static int finished, result;

static int compute(void *arg)
{
	mtx_lock(&mutex);
	finished = 1;
	result = 12; /* @A */
	cnd_signal(&cond);
	mtx_unlock(&mutex);
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
