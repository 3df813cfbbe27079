/*
 * clean - programs without a race that sampling must stay silent about; the first argument names which,
 * the second how often.
 *
 *     atomics    C11 atomics in a global, a flag by release and acquire, a spin lock of its own
 *     handover   objects handed over by a condition variable, used without a lock afterwards
 *     churn      threads that allocate, fill and free all the time
 *     readers    a read-write lock: readers read, writers write
 *     semaphore  two buffers passed back and forth by semaphores
 *     barrier    a shared array, one writer a phase, phases divided by a barrier
 *     threads    a thread makes the data, the next, after the join, uses it
 *     c11        mtx_t, cnd_t, thrd_t
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include <deadheat.h>

#define ROUNDS (400000 * times)
#define N 4

static long times = 1;
static atomic_long total;
static atomic_int flag;
static long guarded_by_flag;
static atomic_flag spin = ATOMIC_FLAG_INIT;
static long guarded_by_spin;

static void spin_lock(void)
{
	while (atomic_flag_test_and_set_explicit(&spin, memory_order_acquire))
		thrd_yield();
	DEADHEAT_LOCK_ACQUIRED(&spin, 1);
}

static void spin_unlock(void)
{
	DEADHEAT_LOCK_RELEASED(&spin, 1);
	atomic_flag_clear_explicit(&spin, memory_order_release);
}

static void *atomics(void *x)
{
	for (long i = 0; i < ROUNDS * 4; i++) {
		atomic_fetch_add(&total, 1);
		atomic_store_explicit(&flag, (int)i, memory_order_release);
		if (atomic_load_explicit(&flag, memory_order_acquire) < 0)
			return NULL;
		if (i % 8 == 0) {
			spin_lock();
			guarded_by_spin++;
			spin_unlock();
		}
	}
	return x;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
struct item {
	struct item *next;
	long sum;
	long words[16];
};
static struct item *queue;
static int done;

static void *producer(void *x)
{
	for (long i = 0; i < ROUNDS / 4; i++) {
		struct item *item = malloc(sizeof(*item));

		for (int j = 0; j < 16; j++)
			item->words[j] = i + j;
		item->sum = 0;
		pthread_mutex_lock(&lock);
		item->next = queue;
		queue = item;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_cond_broadcast(&filled);
	pthread_mutex_unlock(&lock);
	return x;
}

/* Items are only touched by who was woken for them: consumers wait before every item. */
static void *consumer(void *x)
{
	long sum = 0;

	for (;;) {
		struct item *item;

		pthread_mutex_lock(&lock);
		while (!queue && !done)
			pthread_cond_wait(&filled, &lock);
		item = queue;
		if (item)
			queue = item->next;
		pthread_mutex_unlock(&lock);
		if (!item)
			return (void *)(sum * 0);
		DEADHEAT_RECEIVE(&filled); /* it may have been there without waiting: the lock passed it on */
		for (int j = 0; j < 16; j++)
			item->sum += item->words[j];
		sum += item->sum;
		free(item);
	}
	return x;
}

static void *churn(void *x)
{
	char *blocks[32] = { 0 };

	for (long i = 0; i < ROUNDS; i++) {
		size_t size = 16 + (size_t)(i * 37 % 400);

		free(blocks[i % 32]);
		blocks[i % 32] = malloc(size);
		for (size_t j = 0; j < size; j += 8)
			*(volatile char *)&blocks[i % 32][j] = (char)i;
	}
	for (int i = 0; i < 32; i++)
		free(blocks[i]);
	return x;
}

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static long table[64];

static void *readers(void *x)
{
	long sum = (long)x * 0;

	for (long i = 0; i < ROUNDS / 2; i++) {
		if (i % 16 == 0) {
			pthread_rwlock_wrlock(&rwlock);
			for (int j = 0; j < 64; j++)
				table[j] += i;
		} else {
			pthread_rwlock_rdlock(&rwlock);
			for (int j = 0; j < 64; j++)
				sum += table[j];
		}
		pthread_rwlock_unlock(&rwlock);
	}
	return (void *)(sum * 0);
}

static sem_t ping, pong;
static long buffer[256];

static void *semaphore(void *side)
{
	sem_t *mine = side ? &ping : &pong, *other = side ? &pong : &ping;

	for (long i = 0; i < ROUNDS / 20; i++) {
		sem_wait(mine);
		for (int j = 0; j < 256; j++)
			buffer[j]++;
		sem_post(other);
	}
	return NULL;
}

static pthread_barrier_t barrier;

static void *phases(void *number)
{
	for (long i = 0; i < ROUNDS / 40; i++) {
		if (i % N == (long)number)
			for (int j = 0; j < 256; j++)
				buffer[j] += i;
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void *fill(void *x)
{
	for (int k = 0; k < 2000; k++)
		for (int j = 0; j < 256; j++)
			((volatile long *)buffer)[j] += k;
	return x;
}

static mtx_t mutex;
static cnd_t turn_changed;
static int turn;

static int alternate(void *number)
{
	int mine = number != NULL;

	for (long i = 0; i < ROUNDS / 40; i++) {
		mtx_lock(&mutex);
		while (turn != mine)
			cnd_wait(&turn_changed, &mutex);
		for (int j = 0; j < 256; j++)
			buffer[j]++;
		turn = !turn;
		cnd_broadcast(&turn_changed);
		mtx_unlock(&mutex);
	}
	return 0;
}

static void run(void *(*first)(void *), void *(*rest)(void *), int count)
{
	pthread_t t[N];

	for (long i = 0; i < count; i++)
		pthread_create(&t[i], NULL, i ? rest : first, (void *)i);
	for (int i = 0; i < count; i++)
		pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";
	thrd_t a, b;

	if (argc > 2)
		times = atol(argv[2]);
	if (!strcmp(which, "atomics")) {
		run(atomics, atomics, N);
	} else if (!strcmp(which, "handover")) {
		run(producer, consumer, N);
	} else if (!strcmp(which, "churn")) {
		run(churn, churn, N);
	} else if (!strcmp(which, "readers")) {
		run(readers, readers, N);
	} else if (!strcmp(which, "semaphore")) {
		sem_init(&ping, 0, 1);
		sem_init(&pong, 0, 0);
		run(semaphore, semaphore, 2);
	} else if (!strcmp(which, "barrier")) {
		pthread_barrier_init(&barrier, NULL, N);
		run(phases, phases, N);
	} else if (!strcmp(which, "threads")) {
		for (int i = 0; i < 200 * times; i++)
			run(fill, fill, 1);
	} else if (!strcmp(which, "c11")) {
		mtx_init(&mutex, mtx_plain);
		cnd_init(&turn_changed);
		thrd_create(&a, alternate, NULL);
		thrd_create(&b, alternate, &a);
		thrd_join(a, NULL);
		thrd_join(b, NULL);
	} else {
		return 2;
	}
	printf("%ld %ld\n", (long)total, guarded_by_flag + guarded_by_spin * 0);
	return 0;
}
