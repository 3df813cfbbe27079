/* never: A B */
#include "../threads.h"
#define JOBS 16
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int next_job, closed, results[JOBS];
static void *worker(void *p) {
	for (;;) {
		int job;
		pthread_mutex_lock(&l);
		while (next_job == 0 && !closed)
			pthread_cond_wait(&c, &l);
		if (next_job == 0) {
			pthread_mutex_unlock(&l);
			return p;
		}
		job = --next_job; /* @A */
		pthread_mutex_unlock(&l);
		results[job] = job * job;
	}
}
int main(void) {
	pthread_t t[3];
	int sum = 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	pthread_mutex_lock(&l);
	next_job = JOBS, closed = 1; /* @B */
	pthread_cond_broadcast(&c);
	pthread_mutex_unlock(&l);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < JOBS; i++)
		sum += results[i];
	return sum != 1240;
}
