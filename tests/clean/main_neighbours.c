/* Of two neighbours the maker of a thread writes one while the thread writes the other, and both when it is over.
   never: A D */
#include <pthread.h>
int first, second;
static void *writer(void *p)
{
	for (int i = 0; i < 20; i++)
		second++; /* @A */
	return p;
}
int main(void)
{
	pthread_t t;

	second = 1;
	pthread_create(&t, 0, writer, 0);
	for (int i = 0; i < 20; i++)
		first++;
	pthread_join(t, 0);
	first = 2;
	second = 2; /* @D */
	return 0;
}
