/* From one account to another, one lock after the other.
 * never: A B */
#include <pthread.h>

struct account {
	pthread_mutex_t lock;
	long money;
};
static struct account one = { .lock = PTHREAD_MUTEX_INITIALIZER, .money = 10 };
static struct account two = { .lock = PTHREAD_MUTEX_INITIALIZER, .money = 10 };

static void transfer(struct account *from, struct account *to, long amount)
{
	pthread_mutex_lock(&from->lock);
	from->money -= amount; /* @A */
	pthread_mutex_unlock(&from->lock);
	pthread_mutex_lock(&to->lock);
	to->money += amount; /* @B */
	pthread_mutex_unlock(&to->lock);
}

static void *there(void *arg)
{
	transfer(&one, &two, 1);
	return arg;
}

static void *back(void *arg)
{
	transfer(&two, &one, 2);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, there, NULL);
	pthread_create(&b, NULL, back, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return one.money + two.money != 20;
}
