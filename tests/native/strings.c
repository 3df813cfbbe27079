/* Strings and memory: exactly the bytes touched. */
#include "spy.h"

#include <strings.h>

static char a[64], b[64];

static void set(const char *left, const char *right)
{
	for (size_t i = 0; i < sizeof(a); i++)
		a[i] = b[i] = '#';
	for (size_t i = 0; !i || left[i - 1]; i++)
		a[i] = left[i];
	for (size_t i = 0; !i || right[i - 1]; i++)
		b[i] = right[i];
}

static void memory(void)
{
	/* > T0 read b+0 5
	   > T0 write a+0 5
	   > T0 read a+0 4
	   > T0 write a+1 4
	   > T0 write a+2 3
	   > T0 write a+2 3 */
	memcpy(a, b, 5);
	memmove(a + 1, a, 4);
	memset(a + 2, 0, 3);
	bzero(a + 2, 3);
	/* > T0 read a+0 3
	   > T0 read b+0 3
	   > T0 read a+0 2
	   > T0 read b+0 2
	   > T0 read a+0 4
	   > T0 read a+0 6
	   > T0 read a+4 2
	   > T0 read a+0 5 */
	set("abcdef", "abxdef");
	CHECK(memcmp(a, b, 6) < 0, 1);
	CHECK(memcmp(a, b, 2), 0);
	CHECK((char *)memchr(a, 'd', 6) - a, 3);
	CHECK(memchr(a, 'z', 6), NULL);
	CHECK((char *)memrchr(a, 'e', 6) - a, 4);
	CHECK((char *)memmem(a, 6, "de", 2) - a, 3);
	CHECK(memcpy(a, b, 0), a);
}

static void making(void)
{
	char *copy, *save;

	/* > T0 read b+0 4
	   > T0 write a+0 4
	   > T0 read b+0 4
	   > T0 write a+0 8
	   > T0 read b+0 2
	   > T0 write a+0 2
	   > T0 read b+0 4
	   > T0 write a+0 4 */
	set("", "abc");
	strcpy(a, b);
	strncpy(a, b, 8);
	strncpy(a, b, 2);
	CHECK(stpcpy(a, b), a + 3);
	/* > T0 read a+0 4
	   > T0 read b+0 4
	   > T0 write a+3 4
	   > T0 read a+0 7
	   > T0 read b+0 2
	   > T0 write a+6 3 */
	strcat(a, b);
	strncat(a, b, 2);
	CHECK(strcmp(a, "abcabcab"), 0);
	/* > T0 read a+0 9
	   > T0 read b+0 4
	   > T0 read b+0 2 */
	copy = strdup(b);
	CHECK(strcmp(copy, "abc"), 0);
	free(copy);
	copy = strndup(b, 2);
	CHECK(strcmp(copy, "ab"), 0);
	free(copy);
	/* Two tokens, then none:
	   > T0 read a+0 4
	   > T0 write a+3 1
	   > T0 read a+4 3
	   > T0 read a+6 1 */
	set(",xy,zt", "");
	CHECK(strtok_r(a, ",", &save), a + 1);
	CHECK(strtok_r(NULL, ",", &save), a + 4);
	CHECK(strtok_r(NULL, ",", &save), NULL);
	/* > T0 read a+0 3
	   > T0 write a+2 1
	   > T0 read a+3 2 */
	set("xy,z", "");
	save = a;
	CHECK(strsep(&save, ","), a);
	CHECK(strsep(&save, ","), a + 3);
	CHECK(strsep(&save, ","), NULL);
}

static void looking(void)
{
	/* > T0 read a+0 7
	   > T0 read a+0 3
	   > T0 read a+0 3
	   > T0 read b+0 3
	   > T0 read a+0 2
	   > T0 read b+0 2
	   > T0 read a+0 3
	   > T0 read b+0 3 */
	set("abcdef", "abXdef");
	CHECK(strlen(a), 6);
	CHECK(strnlen(a, 3), 3);
	CHECK(strcmp(a, b) > 0, 1);
	CHECK(strncmp(a, b, 2), 0);
	CHECK(strcasecmp(a, b) < 0, 1);
	/* > T0 read a+0 3
	   > T0 read a+0 7
	   > T0 read a+0 7
	   > T0 read a+0 5
	   > T0 read a+0 7
	   > T0 read a+0 3
	   > T0 read a+0 4
	   > T0 read a+0 5 */
	CHECK(strchr(a, 'c'), a + 2);
	CHECK(strchr(a, 'x'), NULL);
	CHECK(strrchr(a, 'a'), a);
	CHECK(strstr(a, "de"), a + 3);
	CHECK(strstr(a, "xy"), NULL);
	CHECK(strspn(a, "ab"), 2);
	CHECK(strcspn(a, "de"), 3);
	CHECK(strpbrk(a, "fe"), a + 4);
	/* > T0 read a+0 4
	   > T0 read a+0 3
	   > T0 read a+0 4 */
	set("123x", "");
	CHECK(strtol(a, NULL, 10), 123);
	set(" 7", "");
	CHECK(atoi(a), 7);
	set("1.5", "");
	CHECK(strtod(a, NULL) * 2, 3);
}

int main(void)
{
	NAME(a);
	NAME(b);
	set("", "hello");
	memory();
	making();
	looking();
	/* > end */
	return 0;
}
