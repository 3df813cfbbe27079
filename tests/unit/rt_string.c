/*
 * The runtime's own string functions and formatting, which replace libc's inside the target.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "rt/string.c"
#include "rt/text.c"

static unsigned char a[512], b[512];

static void fill(void)
{
	for (size_t i = 0; i < sizeof(a); i++)
		a[i] = b[i] = (unsigned char)(i * 31 + 7);
}

static void copies(void **state)
{
	for (size_t size = 0; size < 200; size++)
		for (size_t offset = 0; offset < 9; offset++) {
			fill();
			memcpy(a + offset, a + 250, size);
			assert_ptr_equal(rt_memcpy(b + offset, b + 250, size), b + offset);
			assert_memory_equal(a, b, sizeof(a));
		}
}

static void moves(void **state)
{
	for (size_t size = 0; size < 130; size += 3)
		for (size_t to = 0; to < 150; to += 7) {
			fill();
			memmove(a + to, a + 70, size);
			rt_memmove(b + to, b + 70, size);
			assert_memory_equal(a, b, sizeof(a));
		}
}

static void sets_and_compares(void **state)
{
	fill();
	memset(a + 3, 200, 77);
	rt_memset(b + 3, 200 + 256, 77);
	assert_memory_equal(a, b, sizeof(a));
	assert_int_equal(rt_memcmp(a, b, sizeof(a)), 0);
	b[100] = (unsigned char)(a[100] + 1);
	assert_true((rt_memcmp(a, b, 101) < 0) == (a[100] < b[100]));
	assert_int_equal(rt_memcmp(a, b, 100), 0);
	assert_int_equal(rt_strlen("deadheat"), 8);
	assert_int_equal(rt_strcmp("abc", "abc"), 0);
	assert_true(rt_strcmp("abc", "abd") < 0);
	assert_true(rt_strcmp("abc", "ab") > 0);
	assert_true(rt_strcmp("\xff", "a") > 0);
	assert_int_equal(rt_strncmp("abcd", "abce", 3), 0);
	assert_int_equal(rt_strncmp("ab", "ab", 100), 0);
}

static size_t format(char *to, size_t size, const char *text, ...)
{
	va_list arguments;
	size_t length;

	va_start(arguments, text);
	length = text_format(to, size, text, arguments);
	va_end(arguments);
	return length;
}

static void formats(void **state)
{
	char text[64];

	assert_int_equal(format(text, sizeof(text), "%s has %u of %d", "x", 4000000000u, -12), 23);
	assert_string_equal(text, "x has 4000000000 of -12");
}

static void formats_more(void **state)
{
	char text[64];

	format(text, sizeof(text), "%lu %lx %p %% %s", 18446744073709551615ul, 0xdeadul, (void *)0x10, (char *)NULL);
	assert_string_equal(text, "18446744073709551615 dead 0x10 % (null)");
	format(text, sizeof(text), "%d %u", -2147483647 - 1, 0u);
	assert_string_equal(text, "-2147483648 0");
}

static void cuts(void **state)
{
	char text[8] = "1234567";

	assert_int_equal(format(text, 5, "%s", "abcdefgh"), 4);
	assert_string_equal(text, "abcd");
	assert_int_equal(text[5], '6');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies),
		cmocka_unit_test(moves),
		cmocka_unit_test(sets_and_compares),
		cmocka_unit_test(formats),
		cmocka_unit_test(formats_more),
		cmocka_unit_test(cuts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
