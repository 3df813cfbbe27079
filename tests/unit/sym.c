/*
 * sym: frames, inlined ones, columns, globals and call sites, over both compilers, C and
 * C++, PIE, fixed and shared, PLT with and without IBT, and no PLT at all.
 */
#include "unit.h"

#include "base/error.h"
#include "base/strbuf.h"
#include "sym/sym.h"

static const char c_source[] =
	"#include <string.h>\n"                                          /* 1 */
	"struct node { int key; struct node *next; };\n"
	"struct queue { long head; struct { int x, y; }; struct node nodes[4]; int len; } queue;\n"
	"int matrix[3][5];\n"
	"static int hidden;\n"                                           /* 5 */
	"char buffer[16];\n"
	"union both { int i; char c[4]; } both;\n"
	"static inline __attribute__((always_inline))\n"
	"void bump(int *p)\n"
	"{\n"                                                            /* 10 */
	"\t*p += 1;\n"
	"}\n"
	"void *worker(void *arg)\n"
	"{\n"
	"\tstatic int calls;\n"                                          /* 15 */
	"\n"
	"\tbump(&queue.len);\n"
	"\tmatrix[2][3] = 7; hidden = 1;\n"
	"\tmemcpy(buffer, arg, strlen(arg));\n"
	"\t__atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);\n"           /* 20 */
	"\tboth.i = __atomic_load_n(&queue.len, __ATOMIC_SEQ_CST);\n"
	"\treturn 0;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"                                                            /* 25 */
	"\tworker(argv[0]);\n"
	"\treturn hidden;\n"
	"}\n";

static const char cc_source[] =
	"namespace store {\n"                                            /* 1 */
	"int total;\n"
	"struct Queue { static int made; int len; void push(int v); template <class T> __attribute__((noinline, noipa)) T get(T x) { return x + len; } };\n"
	"int Queue::made;\n"
	"void Queue::push(int v)\n"                                      /* 5 */
	"{\n"
	"\tlen += v;\n"
	"\ttotal++; made++;\n"
	"}\n"
	"}\n"                                                            /* 10 */
	"namespace { volatile int secret; }\n"
	"store::Queue queue; int seen;\n"
	"int main()\n"
	"{\n"
	"\tauto f = [](int x) {\n"                                       /* 15 */
	"\t\tseen = x;\n"
	"\t\tsecret = x; };\n"
	"\tf(1);\n"
	"\tqueue.push(queue.get(2L));\n"
	"\treturn 0;\n"                                                  /* 20 */
	"}\n";

/* Enough of a runtime to link against: the calls must go through PLT or GOT. */
static const char stub_source[] =
	"#define F(n) void n(void) {}\n"
	"F(__tsan_init) F(__tsan_func_entry) F(__tsan_func_exit) F(__tsan_read1) F(__tsan_read2) F(__tsan_read4)\n"
	"F(__tsan_read8) F(__tsan_write1) F(__tsan_write2) F(__tsan_write4) F(__tsan_write8) F(__tsan_vptr_update)\n"
	"F(__tsan_atomic32_fetch_add) F(__tsan_atomic32_load) F(__tsan_memcpy) F(__tsan_memset) F(__tsan_memmove)\n"
	"F(__tsan_unaligned_read4) F(__tsan_unaligned_write4)\n";

static void write_text(const char *name, const char *text)
{
	FILE *file = fopen(unit_path(name), "w");

	fputs(text, file);
	fclose(file);
}

static void __attribute__((format(printf, 1, 2))) shell(const char *format, ...)
{
	char command[2048];
	va_list args;
	int n = snprintf(command, sizeof(command), "cd %s && ", unit_folder);

	va_start(args, format);
	vsnprintf(command + n, sizeof(command) - (size_t)n, format, args);
	va_end(args);
	if (system(command))
		fail_msg("failed: %s", command);
}

static bool has_clang(void)
{
	return !system("clang-19 --version >/dev/null 2>&1");
}

static int write_sources(void **state)
{
	write_text("prog.c", c_source);
	write_text("prog.cc", cc_source);
	write_text("stub.c", stub_source);
	shell("gcc -shared -fPIC -w -o libstub.so stub.c");
	return 0;
}

/* name and how to make it from prog.c or prog.cc; %s is the file. */
struct build {
	const char *name, *compile, *link;
	bool clang;
};

static const struct build builds[] = {
	{ "gcc", "gcc -Og", "gcc", false },
	{ "gcc-O2-fixed", "gcc -O2 -fno-pie", "gcc -no-pie", false },
	{ "gcc-shared", "gcc -Og -fPIC", "gcc -shared", false },
	{ "gcc-ibt", "gcc -Og -fcf-protection", "gcc -Wl,-z,ibt,-z,shstk", false },
	{ "gcc-noplt", "gcc -Og -fno-plt", "gcc -Wl,-z,now", false },
	{ "gcc-dwarf4", "gcc -Og -gdwarf-4", "gcc", false },
	{ "clang", "clang-19 -O1", "clang-19", true },
	{ "clang-O0", "clang-19 -O0", "clang-19", true },
	{ "clang-fixed", "clang-19 -O1 -fno-pie", "clang-19 -no-pie", true },
	{ "clang-split", "clang-19 -O1 -gsplit-dwarf", "clang-19", true },
};
#define BUILDS (sizeof(builds) / sizeof(builds[0]))

static const char *make(const struct build *b, const char *source)
{
	const char *path = unit_path(b->name);

	shell("%s -g -w -fsanitize=thread -fno-builtin-memcpy -c %s -o %s.o && %s %s.o -o %s -L. -lstub -Wl,-rpath,. %s", b->compile, source,
	      b->name, b->link, b->name, b->name, strstr(source, ".cc") ? "-lstdc++" : "");
	return path;
}

static struct place place_of(const char *module, uint64_t offset)
{
	static char build_id[BUILD_ID_HEX_MAX];

	assert_int_equal(sym_build_id(module, build_id), 0);
	return (struct place){ build_id, module, offset };
}

static uint64_t address_of(const char *module, const char *symbol)
{
	char command[1024], line[256];
	uint64_t address = 0;
	FILE *nm;

	snprintf(command, sizeof(command), "nm %s", module);
	nm = popen(command, "r");
	while (fgets(line, sizeof(line), nm)) {
		unsigned long long value;
		char type, name[200];

		if (sscanf(line, "%llx %c %199s", &value, &type, name) == 3 && !strcmp(name, symbol))
			address = value;
	}
	pclose(nm);
	if (!address)
		fail_msg("no symbol %s in %s", symbol, module);
	return address;
}

struct context {
	struct sym *sym;
	struct arena arena;
	const char *module;
};

static void expect_variable(struct context *c, const char *symbol, uint64_t offset, const char *wanted)
{
	struct place place = place_of(c->module, address_of(c->module, symbol) + offset);
	const char *name = sym_variable(c->sym, &c->arena, &place);

	if (!name || strcmp(name, wanted))
		fail_msg("%s: %s + %lu is %s, wanted %s", c->module, symbol, (unsigned long)offset, name ? name : "nothing", wanted);
}

/* A site with these flags at the line; the first of several. */
static struct sym_site expect_site(struct context *c, const char *file, int line, unsigned flags, unsigned size)
{
	struct sym_site *sites;
	size_t n = sym_sites_at(c->sym, &c->arena, c->module, file, line, &sites);

	for (size_t i = 0; i < n; i++)
		if (sites[i].flags == flags && sites[i].size == size)
			return sites[i];
	fail_msg("%s: no site with flags %u at %s:%d (%zu others)", c->module, flags, file, line, n);
	return sites[0];
}

static void expect_frame(const struct frame *f, const char *function, int line, bool inlined)
{
	assert_string_equal(f->function, function);
	assert_int_equal(f->line, line);
	assert_true(f->column > 0);
	assert_int_equal(f->inlined, inlined);
	assert_non_null(strstr(f->file, "prog.c"));
}

static void check_inlined(struct context *c)
{
	struct sym_site site = expect_site(c, "prog.c", 11, ACCESS_WRITE, 4);
	struct frame *frames;
	int first_line;
	size_t n = sym_frames(c->sym, &c->arena, &site.place, &frames, &first_line);

	assert_string_equal(site.function, "bump");
	assert_int_equal(site.ordinal, 2); /* line 11, the name stands in line 9 */
	assert_true(n >= 2);
	assert_int_equal(first_line, 9);
	expect_frame(&frames[0], "bump", 11, true);
	expect_frame(&frames[1], "worker", 17, frames[1].inlined);
	assert_string_equal(sym_source_line(c->sym, frames[0].file, 11), "\t*p += 1;");
}

static void check_c_sites(struct context *c)
{
	struct sym_site site = expect_site(c, unit_path("prog.c"), 18, ACCESS_WRITE, 4);
	struct sym_site *none;

	assert_string_equal(site.function, "worker");
	assert_int_equal(site.ordinal, 5);
	expect_site(c, "prog.c", 19, ACCESS_READ | ACCESS_RANGE, 0);
	expect_site(c, "prog.c", 19, ACCESS_WRITE | ACCESS_RANGE, 0);
	expect_site(c, "prog.c", 20, ACCESS_WRITE | ACCESS_ATOMIC, 4);
	expect_site(c, "prog.c", 21, ACCESS_READ | ACCESS_ATOMIC, 4);
	expect_site(c, "prog.c", 21, ACCESS_WRITE, 4);
	assert_int_equal(sym_sites_at(c->sym, &c->arena, c->module, "prog.c", 16, &none), 0);
	assert_int_equal(sym_sites_at(c->sym, &c->arena, c->module, "og.c", 18, &none), 0);
	assert_int_equal(sym_sites_at(c->sym, &c->arena, "/nowhere", "prog.c", 18, &none), 0);
}

static void check_c_variables(struct context *c)
{
	expect_variable(c, "queue", 0, "queue.head");
	expect_variable(c, "queue", 12, "queue.y");
	expect_variable(c, "queue", 16 + 16 + 8, "queue.nodes[1].next");
	expect_variable(c, "queue", 16 + 64, "queue.len");
	expect_variable(c, "matrix", 4 * 13, "matrix[2][3]");
	expect_variable(c, "matrix", 4 * 13 + 1, "matrix[2][3]");
	expect_variable(c, "buffer", 9, "buffer[9]");
	expect_variable(c, "both", 2, "both");
	expect_variable(c, "hidden", 0, "hidden");
}

static void c_programs(void **state)
{
	for (size_t i = 0; i < BUILDS; i++) {
		struct context c = { .module = NULL };

		if (builds[i].clang && !has_clang())
			continue;
		c.module = make(&builds[i], "prog.c");
		c.sym = sym_open();
		check_inlined(&c);
		check_c_sites(&c);
		check_c_variables(&c);
		sym_close(c.sym);
		arena_free(&c.arena);
	}
}

static void check_cc(struct context *c)
{
	struct sym_site site = expect_site(c, "prog.cc", 7, ACCESS_WRITE, 4);
	struct frame *frames;

	assert_string_equal(site.function, "store::Queue::push");
	assert_int_equal(site.ordinal, 2);
	site = expect_site(c, "prog.cc", 16, ACCESS_WRITE, 4);
	assert_non_null(strstr(site.function, "<lambda>::operator()"));
	assert_int_equal(site.ordinal, 1);
	site = expect_site(c, "prog.cc", 3, ACCESS_READ, 4);
	assert_memory_equal(site.function, "store::Queue::get<long", 22); /* gcc: "long int" */
	sym_frames(c->sym, &c->arena, &site.place, &frames, NULL);
	assert_int_equal(frames[0].line, 3);
	expect_variable(c, "_ZN5store5totalE", 0, "store::total");
	expect_variable(c, "_ZN5store5Queue4madeE", 0, "store::Queue::made");
	expect_variable(c, "_ZN12_GLOBAL__N_16secretE", 0, "(anonymous namespace)::secret");
	expect_variable(c, "queue", 0, "queue.len");
}

static void cc_programs(void **state)
{
	for (size_t i = 0; i < BUILDS; i++) {
		struct context c = { .module = NULL };

		if (builds[i].clang && !has_clang())
			continue;
		c.module = make(&builds[i], "prog.cc");
		c.sym = sym_open();
		check_cc(&c);
		sym_close(c.sym);
		arena_free(&c.arena);
	}
}

/* ---- where the debug information is ----------------------------------------------------- */

static void debuglink_is_followed(void **state)
{
	struct context c = { .module = make(&builds[0], "prog.c"), .sym = sym_open() };
	struct sym_site site = expect_site(&c, "prog.c", 11, ACCESS_WRITE, 4);
	uint64_t queue = address_of(c.module, "queue");
	struct place place;
	struct frame *frames;

	shell("objcopy --only-keep-debug gcc gcc.debug && strip gcc -o stripped && objcopy --add-gnu-debuglink=gcc.debug stripped");
	c.module = unit_path("stripped");
	place = place_of(c.module, site.place.offset);
	assert_int_equal(sym_frames(c.sym, &c.arena, &place, &frames, NULL), 2);
	expect_frame(&frames[0], "bump", 11, true);
	place.offset = queue + 16 + 64;
	assert_string_equal(sym_variable(c.sym, &c.arena, &place), "queue.len");
	sym_close(c.sym);
	arena_free(&c.arena);
}

/* Nobody configured a server: libdw must not load its client, and all that comes with it. */
static void expect_no_client(void)
{
	struct strbuf maps = STRBUF_INIT;

	if (getenv("DEBUGINFOD_URLS"))
		return;
	assert_int_equal(strbuf_read_file(&maps, "/proc/self/maps"), 0);
	assert_non_null(strstr(maps.buf, "libdw"));
	assert_null(strstr(maps.buf, "libdebuginfod"));
	strbuf_release(&maps);
}

static void stripped_gives_one_empty_frame(void **state)
{
	struct context c = { .module = make(&builds[0], "prog.c"), .sym = sym_open() };
	struct sym_site site = expect_site(&c, "prog.c", 11, ACCESS_WRITE, 4);
	struct place place;
	struct frame *frames;
	int first_line = 5;

	shell("strip gcc -o bare");
	place = place_of(unit_path("bare"), site.place.offset);
	assert_int_equal(sym_frames(c.sym, &c.arena, &place, &frames, &first_line), 1);
	assert_null(frames[0].function);
	assert_null(frames[0].file);
	assert_int_equal(first_line, 0);
	assert_int_equal(frames[0].place.offset, place.offset);
	expect_no_client();
	sym_close(c.sym);
	arena_free(&c.arena);
}

static void symbols_help_without_debug_information(void **state)
{
	struct context c = { .sym = sym_open() };
	struct place place;
	struct frame *frames;

	shell("gcc -O1 prog.c -o nodebug");
	c.module = unit_path("nodebug");
	place = place_of(c.module, address_of(c.module, "worker") + 4);
	assert_int_equal(sym_frames(c.sym, &c.arena, &place, &frames, NULL), 1);
	assert_string_equal(frames[0].function, "worker");
	expect_variable(&c, "matrix", 0, "matrix");
	expect_variable(&c, "matrix", 8, "matrix+8");
	sym_close(c.sym);
	arena_free(&c.arena);
}

/* The name alone, even where there are lines; who asks for more afterwards gets it. */
static void a_function_is_named_without_its_lines(void **state)
{
	struct context c = { .module = make(&builds[0], "prog.c"), .sym = sym_open() };
	struct place place = place_of(c.module, address_of(c.module, "worker") + 4);
	struct frame *frames;

	assert_int_equal(sym_function(c.sym, &c.arena, &place, &frames), 1);
	assert_string_equal(frames[0].function, "worker");
	assert_null(frames[0].file);
	assert_int_equal(sym_frames(c.sym, &c.arena, &place, &frames, NULL), 1);
	assert_string_equal(frames[0].function, "worker");
	assert_true(frames[0].line > 0);
	sym_close(c.sym);
	arena_free(&c.arena);
}

static void another_build_is_not_used(void **state)
{
	struct context c = { .module = make(&builds[0], "prog.c"), .sym = sym_open() };
	struct sym_site site = expect_site(&c, "prog.c", 11, ACCESS_WRITE, 4);
	struct place wrong = { "00112233445566778899aabbccddeeff00112233", c.module, site.place.offset };
	struct frame *frames;

	assert_int_equal(sym_frames(c.sym, &c.arena, &wrong, &frames, NULL), 1);
	assert_null(frames[0].function);
	assert_null(sym_variable(c.sym, &c.arena, &wrong));
	wrong.module = "/no/such/file";
	assert_int_equal(sym_frames(c.sym, &c.arena, &wrong, &frames, NULL), 1);
	wrong.module = NULL;
	assert_int_equal(sym_frames(c.sym, &c.arena, &wrong, &frames, NULL), 1);
	sym_close(c.sym);
	arena_free(&c.arena);
}

static void odd_files_are_no_modules(void **state)
{
	struct sym *sym = sym_open();
	struct arena arena = ARENA_INIT;
	char id[BUILD_ID_HEX_MAX];
	struct frame *frames;
	struct place place = { "", unit_path("prog.c"), 100 };

	assert_int_equal(sym_build_id("/no/such/file", id), -1);
	assert_non_null(strstr(error_message(), "/no/such/file"));
	assert_int_equal(sym_build_id(unit_path("prog.c"), id), 0);
	assert_string_equal(id, "");
	assert_int_equal(sym_frames(sym, &arena, &place, &frames, NULL), 1);
	assert_null(sym_source_line(sym, "no.c", 1));
	assert_null(sym_source_line(sym, unit_path("prog.c"), 1000));
	assert_null(sym_source_line(sym, NULL, 1));
	assert_string_equal(sym_source_line(sym, unit_path("prog.c"), 5), "static int hidden;");
	sym_close(sym);
	arena_free(&arena);
}

/* Files below the current folder are named from there. */
static void names_are_short(void **state)
{
	struct context c = { .module = make(&builds[0], "prog.c") };
	struct sym_site site;
	struct frame *frames;
	char *before = getcwd(NULL, 0);

	assert_int_equal(chdir(unit_folder), 0);
	c.sym = sym_open();
	site = expect_site(&c, "prog.c", 11, ACCESS_WRITE, 4);
	sym_frames(c.sym, &c.arena, &site.place, &frames, NULL);
	assert_string_equal(frames[0].file, "prog.c");
	assert_string_equal(sym_source_line(c.sym, "prog.c", 11), "\t*p += 1;");
	sym_close(c.sym);
	assert_int_equal(chdir(before), 0);
	free(before);
	arena_free(&c.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c_programs), cmocka_unit_test(cc_programs), cmocka_unit_test(debuglink_is_followed),
		cmocka_unit_test(stripped_gives_one_empty_frame), cmocka_unit_test(symbols_help_without_debug_information),
		cmocka_unit_test(another_build_is_not_used), cmocka_unit_test(odd_files_are_no_modules),
		cmocka_unit_test(a_function_is_named_without_its_lines),
		cmocka_unit_test(names_are_short),
	};

	unit_path("");
	return cmocka_run_group_tests_name("sym", tests, write_sources, unit_clean);
}
