/* A fresh object is given to a thread and then filled in.
 * expect: A B */
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
	pthread_create(&t, NULL, run, task);
	task->number = 5; /* @B */
	pthread_join(t, NULL);
	free(task);
	return 0;
}
