# A run that dies early must not end the looking: the next one may live longer.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cat >once.c <<'C'
/* Aborts before its threads exist in the first run (it leaves a file), races in the next. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int x;
static void *f(void *p) { x++; return p; }
int main(void)
{
	pthread_t a, b;
	FILE *file;

	if (access("was-here", F_OK)) {
		file = fopen("was-here", "w");
		fclose(file);
		abort();
	}
	pthread_create(&a, 0, f, 0);
	pthread_create(&b, 0, f, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
C
deadheat-cc -g -pthread -o once once.c || exit 1
check_output "the pair of the second run is found" "f / f on x" deadheat detect --quiet -- ./once
rm -f was-here
check_fails "one run, if asked for, is one run" sh -c 'deadheat detect --quiet --store one --runs 1 -- ./once | grep -q "on x"'
done_testing
