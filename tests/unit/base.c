/* base: arena, strbuf, vec, error, json. */
#include "unit.h"

#include <jansson.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "base/vec.h"

static void arena_gives_zeroed_aligned_memory(void **state)
{
	struct arena arena = ARENA_INIT;

	for (size_t size = 1; size < 200000; size = size * 3 + 1) {
		unsigned char *p = arena_alloc(&arena, size);

		assert_int_equal((uintptr_t)p % 16, 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, size); /* neighbours must not see this */
	}
	arena_free(&arena);
	assert_non_null(arena_alloc(&arena, 1)); /* usable again */
	arena_free(&arena);
}

static void arenas_join(void **state)
{
	struct arena to = ARENA_INIT, from = ARENA_INIT;
	char *first, *second;

	first = arena_strdup(&from, "made by another thread");
	arena_join(&to, &from); /* into an empty one */
	assert_null(from.chunk);
	second = arena_strdup(&from, "and another");
	for (int i = 0; i < 3; i++)
		arena_alloc(&from, 100000); /* several chunks */
	arena_join(&to, &from);
	arena_join(&to, &from); /* of an empty one */
	assert_null(from.chunk);
	assert_string_equal(arena_strdup(&to, first), "made by another thread");
	assert_string_equal(second, "and another");
	arena_free(&to);
}

static void arena_copies_text(void **state)
{
	struct arena arena = ARENA_INIT;
	char text[] = "inc";
	char *copy = arena_strdup(&arena, text);

	text[0] = 'x';
	assert_string_equal(copy, "inc");
	assert_null(arena_strdup(&arena, NULL));
	assert_string_equal(arena_printf(&arena, "%s:%d", "a.c", 12), "a.c:12");
	arena_free(&arena);
}

static void strbuf_grows(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	assert_string_equal(sb.buf, "");
	for (int i = 0; i < 10000; i++)
		strbuf_putc(&sb, (char)('a' + i % 26));
	assert_int_equal(sb.len, 10000);
	assert_int_equal(strlen(sb.buf), 10000);
	strbuf_reset(&sb);
	assert_string_equal(sb.buf, "");
	strbuf_printf(&sb, "%d%s", 7, "x");
	strbuf_puts(&sb, "yz");
	strbuf_add(&sb, "0\0001", 3);
	assert_int_equal(sb.len, 7);
	assert_memory_equal(sb.buf, "7xyz0\0001", 8);
	strbuf_release(&sb);
	assert_string_equal(sb.buf, "");
	strbuf_release(&sb);
}

static void strbuf_reads_a_file(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	FILE *file = fopen(unit_path("text"), "w");

	for (int i = 0; i < 20000; i++)
		fprintf(file, "line %d\n", i);
	fclose(file);
	assert_int_equal(strbuf_read_file(&sb, unit_path("text")), 0);
	assert_memory_equal(sb.buf, "line 0\nline 1\n", 14);
	assert_string_equal(sb.buf + sb.len - 11, "line 19999\n");
	assert_int_equal(strbuf_read_file(&sb, unit_path("none")), -1);
	assert_non_null(strstr(error_message(), "none: No such file"));
	strbuf_release(&sb);
}

static void vec_keeps_order(void **state)
{
	VEC(int) numbers = { 0 };

	for (int i = 0; i < 5000; i++)
		VEC_PUSH(&numbers, i * i);
	assert_int_equal(numbers.count, 5000);
	for (int i = 0; i < 5000; i++)
		assert_int_equal(numbers.items[i], i * i);
	VEC_FREE(&numbers);
	assert_null(numbers.items);
	assert_int_equal(numbers.count, 0);
}

static void error_keeps_the_last_message(void **state)
{
	assert_int_equal(error("one %d", 1), -1);
	assert_string_equal(error_message(), "one 1");
	assert_int_equal(error_status(), 1);
	assert_int_equal(error_usage("two"), -1);
	assert_int_equal(error_status(), 2);
	assert_int_equal(error_cannot("three"), -1);
	assert_int_equal(error_status(), 3);
	assert_int_equal(error_prefix("at %s", "x"), -1);
	assert_string_equal(error_message(), "at x: three");
	assert_int_equal(error_status(), 3);
	error("again: %s", error_message()); /* the old message as an argument */
	assert_string_equal(error_message(), "again: at x: three");
}

static void error_cuts_a_long_message(void **state)
{
	char *text = malloc(10001);

	memset(text, 'x', 10000);
	text[10000] = 0;
	error("%s", text);
	error_prefix("%s", text);
	assert_true(strlen(error_message()) < 10000);
	free(text);
}

/* What we write, jansson reads; the values survive. */
static void json_is_read_by_jansson(void **state)
{
	static const char *const texts[] = { "", "plain", "\"\\/\b\f\n\r\t\x01\x1f\x7f", "gr\xc3\xbc\xc3\x9f", "\xe2\x82\xac \xf0\x9f\x98\x80" };
	struct strbuf sb = STRBUF_INIT;
	struct json j = JSON_INIT(&sb);
	json_t *v;

	json_begin(&j, '{');
	json_key(&j, "a\"b");
	json_begin(&j, '[');
	for (size_t i = 0; i < 5; i++)
		json_text(&j, texts[i]);
	json_begin(&j, '[');
	json_end(&j, ']');
	json_number(&j, INT64_MIN);
	json_flag(&j, true);
	json_none(&j);
	json_end(&j, ']');
	json_key(&j, "k");
	json_begin(&j, '{');
	json_end(&j, '}');
	json_end(&j, '}');
	v = json_loads(sb.buf, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(v);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(json_string_value(json_array_get(json_object_get(v, "a\"b"), i)), texts[i]);
	assert_true(json_integer_value(json_array_get(json_object_get(v, "a\"b"), 6)) == INT64_MIN);
	json_decref(v);
	strbuf_release(&sb);
}

/* Every string of up to three odd bytes gives valid JSON. */
static void json_replaces_what_is_not_utf8(void **state)
{
	static const unsigned char bytes[] = { 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf,
					       0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff };
	const size_t n = sizeof(bytes);

	for (size_t i = 0; i < n * n * n * n; i++) {
		char text[5] = { (char)bytes[i % n], (char)bytes[i / n % n], (char)bytes[i / n / n % n], (char)bytes[i / n / n / n], 0 };
		struct strbuf sb = STRBUF_INIT;
		struct json j = JSON_INIT(&sb);
		json_t *v, *same;

		json_text(&j, text);
		v = json_loads(sb.buf, JSON_DECODE_ANY, NULL);
		if (!v)
			fail_msg("not JSON: %s", sb.buf);
		same = json_string(text); /* NULL where jansson refuses the bytes */
		assert_int_equal(same != NULL, !strcmp(json_string_value(v), text));
		json_decref(v);
		json_decref(same);
		strbuf_release(&sb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arena_gives_zeroed_aligned_memory), cmocka_unit_test(arena_copies_text), cmocka_unit_test(arenas_join),
		cmocka_unit_test(strbuf_grows), cmocka_unit_test(strbuf_reads_a_file),
		cmocka_unit_test(vec_keeps_order), cmocka_unit_test(error_keeps_the_last_message),
		cmocka_unit_test(error_cuts_a_long_message), cmocka_unit_test(json_is_read_by_jansson),
		cmocka_unit_test(json_replaces_what_is_not_utf8),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, unit_clean);
}
