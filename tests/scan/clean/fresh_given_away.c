/* A fresh object is filled in and then given to a thread.
 * never: A B */
#include <pthread.h>
#include <stdlib.h>

struct task {
	int number;
};

static void *run(void *arg)
{
	struct task *task = arg;

	return task->number ? arg : NULL; /* @A */
}

int main(void)
{
	struct task *task = calloc(1, sizeof(*task));
	pthread_t t;

	if (!task)
		return 0;
	task->number = 5; /* @B */
	pthread_create(&t, NULL, run, task);
	pthread_join(t, NULL);
	free(task);
	return 0;
}
