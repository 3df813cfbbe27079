/* terminal: will not work without one. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	if (!isatty(0)) {
		fprintf(stderr, "standard input is not a terminal\n");
		return 1;
	}
	return 0;
}
