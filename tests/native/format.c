/* sprintf and its kin write their text and its end, or what fits. */
#include "spy.h"

#include <stdarg.h>

static char a[32];

static int formats(char *to, size_t room, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(to, room, format, arguments);
	va_end(arguments);
	return n;
}

int main(void)
{
	NAME(a);
	/* > T0 write a+0 4
	   > T0 write a+0 3
	   > T0 write a+0 8
	   > end */
	CHECK(sprintf(a, "%d%s", 12, "3"), 3);
	CHECK(snprintf(a, 3, "%s", "long"), 4);
	CHECK(a[1] == 'o' && !a[2], 1);
	CHECK(formats(a, sizeof(a), "%.3f%s", 1.5, "ab"), 7);
	CHECK(snprintf(NULL, 0, "%d", 100), 3);
	return 0;
}
