/* What is copied from one object to another does not make one of the two: each thread has its own, with the
 * same pointer in it, which nobody writes through. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct task {
	const int *input;
	int result;
};
static int input = 3;
static struct task *mine, *yours;

static void *first(void *arg)
{
	mine->result = *mine->input;
	return arg;
}

static void *second(void *arg)
{
	yours->result = *yours->input;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	mine = malloc(sizeof(*mine));
	yours = malloc(sizeof(*yours));
	if (!mine || !yours)
		abort();
	mine->result = 0;
	mine->input = &input;
	memcpy(yours, mine, sizeof(*yours));
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return mine->result != yours->result;
}
