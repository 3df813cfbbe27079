/* The option table, nearest words, and what the compiler wrapper reads in a line. */
#include "unit.h"

#include "base/error.h"
#include "base/nearest.h"
#include "cli/cc.h"
#include "cli/cli.h"

static bool flag, other;
static uint64_t number, duration;
static const char *string, *choice;
static struct option_list list;
static struct option table[] = {
	{ "flag", 'f', OPTION_FLAG, &flag, NULL, "", NULL, 0, 0 },
	{ "other", 'o', OPTION_FLAG, &other, NULL, "", NULL, 0, 0 },
	{ "number", 'n', OPTION_NUMBER, &number, "N", "", NULL, 1, 100 },
	{ "duration", 0, OPTION_DURATION, &duration, "TIME", "", NULL, 0, 0 },
	{ "string", 's', OPTION_STRING, &string, "TEXT", "", NULL, 0, 0 },
	{ "choice", 0, OPTION_CHOICE, &choice, "WORD", "", "one|two", 0, 0 },
	{ "list", 'l', OPTION_LIST, &list, "NAME", "", NULL, 0, 0 },
	OPTION_END,
};
static struct command command = { .name = "test", .arguments = "", .summary = "", .options = table };

static int parse(char **argv, int *argc)
{
	flag = other = false;
	number = duration = 0;
	string = choice = NULL;
	list = (struct option_list){ 0 };
	for (*argc = 0; argv[*argc]; (*argc)++)
		;
	return options_parse(&command, argc, argv);
}
#define PARSE(...) parse(argv = (char *[]){ __VA_ARGS__, NULL }, &argc)

static void every_spelling(void **state)
{
	char **argv;
	int argc;

	command.stops_at_program = false;
	assert_int_equal(PARSE("--number", "7", "a", "--string=x=y", "-fo", "b", "--duration", "2m"), 0);
	assert_int_equal(number, 7);
	assert_string_equal(string, "x=y");
	assert_true(flag && other);
	assert_int_equal(duration, 120000);
	assert_int_equal(argc, 2);
	assert_string_equal(argv[1], "b");
	assert_null(argv[2]);
	assert_int_equal(PARSE("-n9", "-s", "-", "--", "--number"), 0);
	assert_int_equal(number, 9);
	assert_string_equal(string, "-");
	assert_int_equal(argc, 1);
	assert_int_equal(PARSE("-n", "0x10", "-"), 0);
	assert_int_equal(number, 16);
	assert_string_equal(argv[0], "-");
	assert_int_equal(PARSE("--duration=500ms"), 0);
	assert_int_equal(duration, 500);
}

static void the_programs_words_are_its_own(void **state)
{
	char **argv;
	int argc;

	command.stops_at_program = true;
	assert_int_equal(PARSE("-f", "prog", "--number", "nonsense", "--", "-h"), 0);
	assert_int_equal(argc, 5);
	assert_string_equal(argv[3], "--");
	command.stops_at_program = false;
}

static void lists_and_dashes(void **state)
{
	char **argv;
	int argc;

	command.keeps_dashes = true;
	assert_int_equal(PARSE("--list", "a", "file", "-lb", "--list=c", "--", "-x"), 0);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.items[1], "b");
	assert_null(list.items[3]);
	assert_int_equal(argc, 3);
	assert_string_equal(argv[1], "--");
	assert_string_equal(argv[2], "-x");
	command.keeps_dashes = false;
	assert_int_equal(PARSE("--list"), -1);
}

static void wrong_values_name_the_option(void **state)
{
	static const struct { const char *word, *message; } wrong[] = {
		{ "--number=x", "--number: 'x' is not a number" },
		{ "--number=101", "--number: 101 is out of range (1 to 100)" },
		{ "--number=", "--number: the value is empty" },
		{ "-n", "-n: needs a value (N)" },
		{ "--numbr=1", "--numbr: unknown option; did you mean --number?" },
		{ "--flag=1", "--flag: takes no value" },
		{ "--choice=tow", "did you mean 'two'?" },
		{ "--duration=1y", "--duration: '1y' is not a duration" },
		{ "-y", "-y: unknown option" },
	};
	char **argv;
	int argc;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(PARSE((char *)wrong[i].word), -1);
		assert_non_null(strstr(error_message(), wrong[i].message));
		assert_int_equal(error_status(), 2);
	}
}

static void near_words(void **state)
{
	struct nearest near = { .word = "detcet" };

	assert_int_equal(word_distance("detcet", "detect"), 1); /* neighbours swapped */
	assert_int_equal(word_distance("", "abc"), 3);
	assert_int_equal(word_distance("kitten", "sitting"), 3);
	nearest_consider(&near, "report");
	nearest_consider(&near, "detect");
	assert_string_equal(near.best, "detect");
	near = (struct nearest){ .word = "xyzzy" };
	nearest_consider(&near, "detect");
	assert_null(near.best);
}

static struct cc_line line;
static struct arena arena;

static void read_line(int argc, char **argv)
{
	cc_free(&line);
	line = (struct cc_line){ .arena = &arena };
	assert_int_equal(cc_expand(&line, argc, argv), 0);
	cc_read(&line);
}
#define READ(...) read_line(sizeof((char *[]){ __VA_ARGS__ }) / sizeof(char *), (char *[]){ __VA_ARGS__ })

static void what_a_compiler_is_asked_for(void **state)
{
	READ("-c", "-o", "x.c", "y.o");
	assert_true(line.has_input && line.stops && !line.compiles);
	READ("-I", "a.c", "-l", "m");
	assert_true(line.has_input && !line.compiles && cc_links(&line));
	READ("-x", "c", "file", "-xnone", "b.o");
	assert_true(line.compiles && cc_links(&line));
	READ("-x", "c", "-x", "none", "lib.so.1");
	assert_false(line.compiles);
	READ("a.h");
	assert_true(line.compiles && !cc_links(&line));
	READ("-O2", "-O0", "a.c");
	assert_string_equal(line.level, "-O0");
	READ("a.c", "-o");
	assert_true(line.dangling);
	READ("--version");
	assert_false(line.has_input);
}

static void what_is_left_of_a_compiler_line(void **state)
{
	READ("-fsanitize=undefined,thread", "a.c");
	assert_null(line.sanitizer);
	assert_string_equal(line.kept.items[0], "-fsanitize=undefined");
	READ("-fsanitize=thread", "a.c");
	assert_int_equal(line.kept.count, 1);
	READ("-flto=auto", "a.o");
	assert_int_equal(line.kept.count, 2);
	READ("-flto=auto", "a.c");
	assert_int_equal(line.kept.count, 1);
	READ("-D", "_FORTIFY_SOURCE=2", "-D_FORTIFY_SOURCE=3", "-s", "a.c");
	assert_int_equal(line.kept.count, 1);
	READ("a.c", "--with=clang", "--keep-optimisation");
	assert_string_equal(line.with, "clang");
	assert_true(line.keep_optimisation);
	assert_int_equal(line.kept.count, 1);
	cc_free(&line);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_spelling), cmocka_unit_test(the_programs_words_are_its_own), cmocka_unit_test(lists_and_dashes),
		cmocka_unit_test(wrong_values_name_the_option), cmocka_unit_test(near_words),
		cmocka_unit_test(what_a_compiler_is_asked_for), cmocka_unit_test(what_is_left_of_a_compiler_line),
	};

	return cmocka_run_group_tests(tests, NULL, unit_clean);
}
