/* The copy of an object has the same pointer in it, which is stored after the copying code was looked at. Both
 * threads write through theirs.
 * expect: A B */
#include <pthread.h>
#include <string.h>

struct task {
	int *output;
	int result;
};
static int output;
static struct task mine, yours;

static void *first(void *arg)
{
	*mine.output = 1; /* @A */
	return arg;
}

static void *second(void *arg)
{
	*yours.output = 2; /* @B */
	return arg;
}

static void share(void)
{
	memcpy(&yours, &mine, sizeof(yours));
}

static void fill(struct task *task)
{
	task->output = &output;
}

int main(void)
{
	pthread_t a, b;

	fill(&mine);
	share();
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return output == 0;
}
