/* threads.h - the ten lines every test program would repeat. */
#ifndef TESTS_THREADS_H
#define TESTS_THREADS_H
#include <pthread.h>
#include <stddef.h>

static inline void run2(void *(*f)(void *), void *(*g)(void *))
{
	pthread_t a, b;

	pthread_create(&a, NULL, f, (void *)0);
	pthread_create(&b, NULL, g, (void *)1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
#endif
