/* scan_ir - lowered units: opened and printed, refused when cut off or damaged; symbols of several units linked. */
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "find/scan/load.h"

/* LLVM's text needs no clang, only our own lower. */
static const char unit_a[] =
	"source_filename = \"a.c\"\n"
	"target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n"
	"%struct.pair = type { i32, ptr }\n"
	"@shared = global %struct.pair { i32 1, ptr @work }\n"
	"@hidden = internal global i32 0\n"
	"@table = external global [4 x ptr]\n"
	"@other_name = alias i32 (i32), ptr @work\n"
	"define i32 @work(i32 %x) {\n"
	"  %p = getelementptr %struct.pair, ptr @shared, i32 0, i32 1\n"
	"  %old = atomicrmw add ptr @hidden, i32 %x seq_cst\n"
	"  %f = load ptr, ptr %p, align 8\n"
	"  %r = call i32 %f(i32 %old)\n"
	"  switch i32 %r, label %end [ i32 1, label %one i32 2, label %end ]\n"
	"one:\n"
	"  store volatile i32 %r, ptr @hidden\n"
	"  br label %end\n"
	"end:\n"
	"  %v = phi i32 [ 0, %0 ], [ 0, %0 ], [ %r, %one ]\n"
	"  call void asm sideeffect \"lock; incl $0\", \"=*m\"(ptr elementtype(i32) @hidden)\n"
	"  ret i32 %v\n"
	"}\n"
	"define linkonce_odr i32 @inline_one() { ret i32 1 }\n"
	"define internal i32 @mine() { ret i32 1 }\n"
	"declare i32 @elsewhere(ptr)\n"
	"define i32 @use() { %a = call i32 @mine() %b = call i32 @elsewhere(ptr @table) ret i32 %a }\n";
static const char unit_b[] =
	"source_filename = \"b.c\"\n"
	"target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n"
	"%struct.pair = type { i32, ptr }\n"
	"@hidden = internal global i32 7\n"
	"@shared = external global %struct.pair\n"
	"@table = global [4 x ptr] [ptr null, ptr @mine, ptr null, ptr @other_name]\n"
	"declare i32 @other_name(i32)\n"
	"define linkonce_odr i32 @inline_one() { ret i32 1 }\n"
	"define internal i32 @mine() { %x = load i32, ptr @hidden ret i32 %x }\n"
	"define i32 @elsewhere(ptr %p) { %r = call i32 @mine() %s = call i32 @other_name(i32 %r) ret i32 %s }\n"
	"define weak i32 @use() { ret i32 2 }\n";

static char *written(const char *name, const char *text)
{
	char *path = (char *)unit_path(name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	return path;
}

static struct load_result loaded(struct arena *arena, char **files, const char *cache)
{
	struct load_options options = { .files = files, .cache = cache, .jobs = 1 };
	struct load_result result;

	if (load_program(&result, arena, &options))
		fail_msg("%s", error_message());
	return result;
}

/* The lowered text of unit_a, as bytes. */
static void lowered(struct strbuf *out)
{
	const char *cache = unit_path("cache");
	char *files[] = { written("a.ll", unit_a), NULL };
	struct arena arena = ARENA_INIT;
	struct load_result result = loaded(&arena, files, cache);

	strbuf_add(out, result.program.units[0].header, result.program.units[0].mapped);
	load_free(&result);
	arena_free(&arena);
}

static int open_bytes(struct ir_unit *unit, const void *data, size_t size)
{
	int fd = memfd_create("probe.ir", 0), result; /* thousands of them: not on disk */
	char path[64];

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	result = ir_open(unit, path);
	close(fd);
	return result;
}

static void it_is_printed(void **state)
{
	struct strbuf bytes = STRBUF_INIT, text = STRBUF_INIT;
	struct ir_unit unit;

	lowered(&bytes);
	assert_int_equal(open_bytes(&unit, bytes.buf, bytes.len), 0);
	ir_print(&text, &unit);
	assert_non_null(strstr(text.buf, "+8 = &work struct pair.1\n"));
	assert_non_null(strstr(text.buf, "rmw.add4 atomic seq_cst @hidden , %0"));
	assert_non_null(strstr(text.buf, "store4 volatile @hidden = %4"));
	assert_non_null(strstr(text.buf, "switch %4 b2 1:b1 2:b2"));
	assert_non_null(strstr(text.buf, "asm volatile \"lock; incl $0\" \"=*m\"(@hidden:4)"));
	assert_non_null(strstr(text.buf, "alias other_name = &work"));
	ir_close(&unit);
	strbuf_release(&bytes);
	strbuf_release(&text);
}

static void a_cut_off_file_is_refused(void **state)
{
	struct strbuf bytes = STRBUF_INIT;
	struct ir_unit unit;

	lowered(&bytes);
	assert_true(bytes.len > 1024);
	for (size_t length = 0; length < bytes.len; length += 64) {
		assert_int_equal(open_bytes(&unit, bytes.buf, length), -1);
		assert_non_null(strstr(error_message(), "/proc/self/fd/"));
		assert_null(strchr(error_message(), '\n'));
	}
	assert_int_equal(open_bytes(&unit, bytes.buf, bytes.len), 0);
	ir_close(&unit);
	strbuf_release(&bytes);
}

/* Whatever one word says, opening refuses it or what was opened can be walked. */
static void a_damaged_file_does_no_harm(void **state)
{
	static const uint32_t wrong[] = { UINT32_MAX, 0x20000007u, 0x00ffffffu };
	struct strbuf bytes = STRBUF_INIT, text = STRBUF_INIT;
	size_t refused = 0, words;

	lowered(&bytes);
	words = bytes.len / 4;
	for (size_t i = 0; i < words; i++)
		for (size_t w = 0; w < 3; w++) {
			struct ir_unit unit;
			uint32_t old;

			memcpy(&old, bytes.buf + i * 4, 4);
			memcpy(bytes.buf + i * 4, &wrong[w], 4);
			if (open_bytes(&unit, bytes.buf, bytes.len)) {
				refused++;
			} else {
				ir_print(&text, &unit);
				strbuf_reset(&text);
				ir_close(&unit);
			}
			memcpy(bytes.buf + i * 4, &old, 4);
		}
	assert_true(refused > words); /* a third of all and more: the checks see something */
	strbuf_release(&bytes);
	strbuf_release(&text);
}

static void another_version_is_refused(void **state)
{
	struct strbuf bytes = STRBUF_INIT;
	struct ir_unit unit;

	lowered(&bytes);
	((struct ir_header *)(void *)bytes.buf)->version++;
	assert_int_equal(open_bytes(&unit, bytes.buf, bytes.len), -1);
	assert_non_null(strstr(error_message(), "another version"));
	strbuf_release(&bytes);
}

/* ---- linking ---------------------------------------------------------------------------------------------- */

static size_t count_named(const struct linked *l, const char *name)
{
	size_t count = 0;

	for (uint32_t i = 0; i < l->function_count; i++)
		count += !strcmp(ir_string(linked_unit(l, l->functions[i]), linked_function(l, i)->name), name);
	return count;
}

static uint32_t number_in(const struct linked *l, uint32_t unit, const char *name)
{
	const struct ir_unit *u = &l->units[unit];

	for (uint32_t i = 0; i < u->header->functions.count; i++)
		if (!strcmp(ir_string(u, u->functions[i].name), name))
			return l->function_of[unit][i];
	fail_msg("no %s in unit %u", name, unit);
	return IR_NO;
}

static void two_units_are_one_program(void **state)
{
	char *files[] = { written("a.ll", unit_a), written("b.ll", unit_b), NULL };
	struct arena arena = ARENA_INIT;
	struct load_result result = loaded(&arena, files, NULL);
	const struct linked *l = &result.program;

	assert_int_equal(result.unit_count, 2);
	assert_int_equal(count_named(l, "inline_one"), 1);
	assert_int_equal(count_named(l, "mine"), 2);
	assert_int_not_equal(number_in(l, 0, "mine"), number_in(l, 1, "mine"));
	assert_int_equal(number_in(l, 0, "elsewhere"), number_in(l, 1, "elsewhere"));
	assert_int_equal(l->functions[number_in(l, 0, "elsewhere")].unit, 1);
	assert_false(l->functions[number_in(l, 0, "elsewhere")].external);
	/* the strong one counts, whatever the order */
	assert_int_equal(l->functions[number_in(l, 1, "use")].unit, 0);
	/* an alias is its target, also for the unit that only declares it */
	assert_int_equal(number_in(l, 1, "other_name"), number_in(l, 0, "work"));
	assert_int_equal(linked_find_function(l, "mine"), IR_NO);
	assert_int_equal(linked_find_function(l, "work"), number_in(l, 0, "work"));
	assert_int_equal(linked_find_function(l, "nowhere"), IR_NO);
	assert_int_equal(l->type_of[0][l->units[0].globals[0].type], l->type_of[1][l->units[1].globals[1].type]);
	assert_int_equal(l->duplicate_count, 0);
	load_free(&result);
	arena_free(&arena);
}

static void the_order_of_units_does_not_matter(void **state)
{
	char *files[] = { written("b.ll", unit_b), written("a.ll", unit_a), NULL };
	struct arena arena = ARENA_INIT;
	struct load_result result = loaded(&arena, files, NULL);
	const struct linked *l = &result.program;

	assert_int_equal(l->functions[number_in(l, 0, "use")].unit, 1);
	assert_int_equal(number_in(l, 0, "other_name"), number_in(l, 1, "work"));
	assert_false(l->functions[number_in(l, 1, "elsewhere")].external);
	load_free(&result);
	arena_free(&arena);
}

static void one_symbol_twice_is_counted(void **state)
{
	char *files[] = { written("a.ll", unit_a), written("c.ll", "define i32 @work(i32 %x) { ret i32 %x }\n"), NULL };
	struct arena arena = ARENA_INIT;
	struct load_result result = loaded(&arena, files, NULL);

	assert_int_equal(result.program.duplicate_count, 1);
	assert_int_equal(result.program.functions[number_in(&result.program, 1, "work")].unit, 0);
	load_free(&result);
	arena_free(&arena);
}

static void nothing_stays_behind_without_a_cache(void **state)
{
	char *files[] = { written("a.ll", unit_a), NULL };
	const char *folder = unit_path("temporary");
	struct arena arena = ARENA_INIT;
	struct load_result result;
	struct dirent *entry;
	int left = 0;
	DIR *dir;

	assert_int_equal(mkdir(folder, 0700), 0);
	setenv("TMPDIR", folder, 1);
	result = loaded(&arena, files, NULL);
	unsetenv("TMPDIR");
	dir = opendir(folder);
	assert_non_null(dir);
	while ((entry = readdir(dir)))
		left += *entry->d_name != '.';
	closedir(dir);
	assert_int_equal(left, 0);
	assert_string_equal(ir_string(&result.program.units[0], result.program.units[0].header->source), "a.c");
	load_free(&result);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_printed),
		cmocka_unit_test(a_cut_off_file_is_refused),
		cmocka_unit_test(a_damaged_file_does_no_harm),
		cmocka_unit_test(another_version_is_refused),
		cmocka_unit_test(two_units_are_one_program),
		cmocka_unit_test(the_order_of_units_does_not_matter),
		cmocka_unit_test(one_symbol_twice_is_counted),
		cmocka_unit_test(nothing_stays_behind_without_a_cache),
	};

	return cmocka_run_group_tests(tests, NULL, unit_clean);
}
