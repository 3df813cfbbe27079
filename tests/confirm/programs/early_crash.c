/* early_crash: dies in a constructor, before main. */
#include <pthread.h>

__attribute__((constructor)) static void early(void)
{
	*(volatile int *)8 = 1;
}

int main(void)
{
	return 0;
}
