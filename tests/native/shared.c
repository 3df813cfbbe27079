/* Hidden state of libc, and buffers it fills. */
#include "spy.h"

#include <sys/stat.h>

extern char **environ;
static struct stat status;
static struct tm broken_down;
static char text[64];

int main(void)
{
	time_t time = 0;
	struct tm *shared = gmtime(&time);

	NAME(*shared);
	NAME(environ);
	NAME(status);
	NAME(broken_down);
	NAME(text);
	/* > T0 write *shared+0 56
	   > T0 write *shared+0 56
	   > T0 write broken_down+0 56 */
	CHECK(gmtime(&time), shared);
	CHECK(localtime(&time), shared);
	CHECK(gmtime_r(&time, &broken_down), &broken_down);
	/* > T0 read broken_down+0 56
	   > T0 write text+0 5 */
	CHECK(strftime(text, sizeof(text), "%Y", &broken_down), 4);
	/* > T0 write environ+0 8
	   > T0 read environ+0 8
	   > T0 write environ+0 8 */
	CHECK(setenv("DEADHEAT_TEST", "1", 1), 0);
	CHECK(*getenv("DEADHEAT_TEST"), '1');
	CHECK(unsetenv("DEADHEAT_TEST"), 0);
	/* > T0 write status+0 144 */
	CHECK(stat("/", &status), 0);
	CHECK(stat("/no/such/file", &status), -1);
	CHECK(errno, ENOENT);
	/* > T0 write text+0 2
	   > end */
	CHECK(chdir("/"), 0);
	CHECK(getcwd(text, sizeof(text)), text);
	return 0;
}
