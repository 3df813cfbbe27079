/* First use initialises, by a flag nobody protects.
 * expect: A A
 * expect: A B */
#include <pthread.h>

static int table[4];
static int made;

static void make_table(void)
{
	for (int i = 0; i < 4; i++)
		table[i] = i * i; /* @A */
}

static void *use(void *arg)
{
	if (!made) {
		make_table();
		made = 1;
	}
	return table[2] == 4 ? arg : NULL; /* @B */
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
