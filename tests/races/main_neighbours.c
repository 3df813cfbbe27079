/* Two neighbours, read by a thread and written by the one that made it.
   expect: A C
   expect: B D */
#include <pthread.h>
int first, second;
int seen[64];
static void *reader(void *p)
{
	seen[16] = first; /* @A */
	seen[32] = second; /* @B */
	return p;
}
int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, reader, 0);
	first = 1; /* @C */
	second = 1; /* @D */
	pthread_join(t, 0);
	return 0;
}
