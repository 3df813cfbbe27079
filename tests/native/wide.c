/* Wide strings: bytes, not characters. */
#include "spy.h"

#include <wchar.h>

static wchar_t a[16], b[16] = L"abX";

int main(void)
{
	NAME(a);
	NAME(b);
	/* > T0 read b+0 16
	   > T0 write a+0 16
	   > T0 read a+0 16
	   > T0 read b+0 8
	   > T0 write a+12 12
	   > T0 read a+0 24
	   > T0 read b+0 12
	   > T0 write a+0 12
	   > T0 read a+0 12
	   > T0 read b+0 12
	   > T0 read a+0 8
	   > T0 write a+8 8
	   > end */
	CHECK(wcscpy(a, b), a);
	wcsncat(a, b, 2);
	CHECK(wcslen(a), 5);
	wmemcpy(a, b, 3);
	CHECK(wcsncmp(a, b, 3), 0);
	CHECK(wcschr(a, L'b'), a + 1);
	wmemset(a + 2, 0, 2);
	return 0;
}
