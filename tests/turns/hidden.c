/* Waits in a bare system call that no model sees; the turn must be taken from the one who waits. */
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int word, count;

static long bare_futex(int *at, long op, long value)
{
	register long timeout __asm__("r10") = 0;
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(SYS_futex), "D"(at), "S"(op), "d"(value), "r"(timeout)
			 : "rcx", "r11", "memory");
	return result;
}

static void add(void)
{
	pthread_mutex_lock(&m);
	count++;
	pthread_mutex_unlock(&m);
}

static void *waits(void *arg)
{
	bare_futex(&word, FUTEX_WAIT_PRIVATE, 0);
	add();
	return arg;
}

static void *wakes(void *arg)
{
	for (int i = 0; i < 5; i++)
		add();
	__asm__ volatile("movl $1, %0" : "=m"(word));
	bare_futex(&word, FUTEX_WAKE_PRIVATE, 1);
	return arg;
}

int main(void)
{
	pthread_t s, t;

	pthread_create(&s, NULL, waits, NULL);
	pthread_create(&t, NULL, wakes, NULL);
	pthread_join(s, NULL);
	pthread_join(t, NULL);
	return count != 6;
}
