/* A message copied out while it is being copied in.
 * expect: A B */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char mailbox[64];

static void *deliver(void *arg)
{
	char letter[64];

	memset(letter, 'x', sizeof(letter));
	pthread_mutex_lock(&lock);
	memcpy(mailbox, letter, sizeof(mailbox)); /* @A */
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *collect(void *arg)
{
	char letter[64];

	memcpy(letter, mailbox, sizeof(letter)); /* @B */
	return letter[0] == 'x' ? arg : NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, deliver, NULL);
	pthread_create(&b, NULL, collect, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
