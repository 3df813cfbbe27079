/* A pool with a stop flag read outside its lock.
 * expect: A B */
#include <pthread.h>

#define WORKERS 2
struct pool {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t threads[WORKERS];
	int jobs, stop;
};
static struct pool pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };

static void *pool_run(void *arg)
{
	struct pool *p = arg;

	for (;;) {
		pthread_mutex_lock(&p->lock);
		while (!p->jobs && !p->stop)
			pthread_cond_wait(&p->wake, &p->lock);
		if (p->jobs)
			p->jobs--;
		pthread_mutex_unlock(&p->lock);
		if (p->stop) /* @A */
			return NULL;
	}
}

static void pool_start(struct pool *p)
{
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&p->threads[i], NULL, pool_run, p);
}

static void pool_stop(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	p->stop = 1; /* @B */
	pthread_cond_broadcast(&p->wake);
	pthread_mutex_unlock(&p->lock);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(p->threads[i], NULL);
}

int main(void)
{
	pool_start(&pool);
	pthread_mutex_lock(&pool.lock);
	pool.jobs = 2;
	pthread_cond_signal(&pool.wake);
	pthread_mutex_unlock(&pool.lock);
	pool_stop(&pool);
	return 0;
}
