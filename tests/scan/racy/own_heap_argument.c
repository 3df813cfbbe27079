/* One heap block handed to two threads.
 * expect: A A */
#include <pthread.h>
#include <stdlib.h>

struct job {
	int input, output;
};

static void *run(void *arg)
{
	struct job *job = arg;

	job->output = job->input * 2; /* @A */
	return NULL;
}

static struct job *job_new(int input)
{
	struct job *job = malloc(sizeof(*job));

	if (!job)
		abort();
	job->input = input;
	job->output = 0;
	return job;
}

int main(void)
{
	struct job *one = job_new(1), *two = job_new(2);
	pthread_t a, b;

	pthread_create(&a, NULL, run, one);
	pthread_create(&b, NULL, run, one);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	free(one);
	free(two);
	return 0;
}
