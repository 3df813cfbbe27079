/* A work queue: the jobs are taken under a lock, the count of finished ones is not.
 * expect: A A */
#include <pthread.h>
#include <stdlib.h>

struct job {
	struct job *next;
	int input, output;
};
static struct {
	pthread_mutex_t lock;
	struct job *first;
	int finished;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct job *take(void)
{
	struct job *job;

	pthread_mutex_lock(&queue.lock);
	job = queue.first;
	if (job)
		queue.first = job->next;
	pthread_mutex_unlock(&queue.lock);
	return job;
}

static void *worker(void *arg)
{
	struct job *job;

	while ((job = take())) {
		queue.finished++; /* @A */
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	for (int i = 0; i < 4; i++) {
		struct job *job = calloc(1, sizeof(*job));

		if (!job)
			return 0;
		job->input = i;
		job->next = queue.first;
		queue.first = job;
	}
	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, worker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return queue.finished != 4;
}
