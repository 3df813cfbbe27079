/* Traps all the time, and counts; says how many of its signals got lost. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile sig_atomic_t over;
static __thread volatile long got;
static void on_trap(int signal) { got++; }
static void *trap(void *lost)
{
	long made = 0;

	for (; !over; made++)
		__asm__ volatile("int3" ::: "memory");
	*(long *)lost = made - got;
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	long lost[2];
	char byte;

	signal(SIGTRAP, on_trap);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, trap, &lost[i]);
	while (read(0, &byte, 1) > 0)
		;
	over = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("lost %ld\n", lost[0] + lost[1]);
	return 0;
}
