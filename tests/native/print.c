/* printf and scanf: what %s reads, what scanf writes. */
#include "spy.h"

#include <wchar.h>

static char a[32] = "hello", b[32];
static int n, i;
static long l;
static double d;

int main(void)
{
	char *new;

	NAME(a);
	NAME(b);
	NAME(n);
	NAME(i);
	NAME(l);
	NAME(d);
	/* > T0 read a+0 6
	   > T0 read a+0 3
	   > T0 write n+0 4
	   > T0 read a+1 2 */
	CHECK(fprintf(stderr, "%-3d%5.2f%s%c%%", 1, 2.5, a, '\n') > 10, 1);
	CHECK(fprintf(stderr, "%.3s%n%*d%.*s\n", a, &n, 4, 5, 2, a + 1), 10);
	CHECK(n, 3);
	/* > T0 read a+0 6
	   > T0 write b+0 17
	   > T0 read a+0 6 */
	CHECK(sprintf(b, "%s %ld %Lf", a, 7l, 1.0L) > 10, 1);
	CHECK(asprintf(&new, "%2$s", 1, a) >= 0, 1);
	free(new);
	CHECK(asprintf(&new, "%zu%s", (size_t)4, a), 6);
	free(new);
	CHECK(snprintf(NULL, 0, "%s", (char *)NULL), 6);
	/* > T0 write i+0 4
	   > T0 write l+0 8
	   > T0 write d+0 8
	   > T0 write b+0 4
	   > T0 write a+0 2
	   > T0 write b+0 3 */
	CHECK(sscanf("1 2 3.5 abc", "%d %ld %lf %31s %d", &i, &l, &d, b, &n), 4);
	CHECK(l == 2 && d == 3.5, 1);
	CHECK(sscanf("xyz 99", "%2c%*c%*d%n", a, &n), 1);
	CHECK(sscanf("ab]", "%[^]]", b), 1);
	CHECK(sscanf("zz", "%d", &i), 0);
	/* > end */
	return 0;
}
