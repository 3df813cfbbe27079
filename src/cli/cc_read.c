/*
 * cc_read - what a compiler line asks for. Only as much of the compilers' grammar as that
 * takes: which options swallow the next word, which end before linking, which file names
 * are sources. Options we replace are left out of line->kept.
 */
#include <string.h>

#include "cli/cc.h"

/* Options whose argument is the next word when it is not joined. */
static const char *const with_argument[] = {
	"-o", "-x", "-I", "-D", "-U", "-L", "-l", "-B", "-A", "-T", "-u", "-z", "-e", "-G", "-h", "-include",
	"-imacros", "-isystem", "-idirafter", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-isysroot",
	"-iquote", "-imultilib", "-cxx-isystem", "-MF", "-MT", "-MQ", "-MJ", "-Xlinker", "-Xassembler",
	"-Xpreprocessor", "-Xclang", "-mllvm", "-Xopenmp-target", "-Xanalyzer", "--param", "-aux-info", "-wrapper",
	"-specs", "--specs", "-dumpbase", "-dumpbase-ext", "-dumpdir", "-target", "--sysroot", "--entry", "-arch",
	"-Tbss", "-Tdata", "-Ttext", "-framework", "-gcc-toolchain", "-include-pch", "-fplugin-arg", "--output",
	"--include-directory", "--define-macro", "--undefine-macro", "--language", "--library-directory", "-soname",
	"-rpath", "-current_version", "-install_name",
};

static const char *const stopping[] = {
	"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--compile", "--assemble", "--preprocess",
	"--dependencies", "--user-dependencies", "--analyze", "--precompile",
};

/* Of these, what the preprocessor alone does. */
static const char *const preprocessing[] = {
	"-E", "-M", "-MM", "--preprocess", "--dependencies", "--user-dependencies",
};

/* What gets instrumented. Assembler does not: it goes through as it is, like an object. */
static const char *const source_suffixes[] = {
	"c", "i", "ii", "m", "mi", "mm", "M", "mii", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C",
	"cppm", "ccm", "cxxm", "c++m", "ixx", "bc", "ll",
};

static const char *const header_suffixes[] = {
	"h", "hh", "H", "hp", "hxx", "hpp", "HPP", "h++", "tcc",
};

/* Sanitizers the compilers refuse beside thread. */
static const char *const excluded[] = {
	"address", "kernel-address", "hwaddress", "kernel-hwaddress", "pointer-compare", "pointer-subtract", "leak",
	"memory", "kernel-memory", "dataflow", "memtag", "memtag-stack", "memtag-heap", "shadow-call-stack",
};

/* Left out of the line: what they ask for is decided by us. */
static const char *const dropped[] = {
	"-fomit-frame-pointer", "-momit-leaf-frame-pointer", "-g0", "-s", "-static-libtsan", "-ltsan", "-Wl,-s",
	"-Wl,--strip-all", "-Wl,-S", "-Wl,--strip-debug",
};

#define IS_IN(word, list) is_in(word, list, sizeof(list) / sizeof((list)[0]))

static bool is_in(const char *word, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(word, list[i]))
			return true;
	return false;
}

static bool starts(const char *word, const char *prefix)
{
	return !strncmp(word, prefix, strlen(prefix));
}

static void keep(struct cc_line *line, const char *word)
{
	VEC_PUSH(&line->kept, (char *)word);
}

static const char *suffix_of(const char *file)
{
	const char *slash = strrchr(file, '/'), *dot = strrchr(slash ? slash : file, '.');

	return dot ? dot + 1 : "";
}

static bool is_source(const char *file, const char *language)
{
	if (language)
		return strncmp(language, "assembler", 9) != 0;
	return IS_IN(suffix_of(file), source_suffixes);
}

static bool is_header(const char *file, const char *language)
{
	if (language)
		return strstr(language, "-header") != NULL;
	return IS_IN(suffix_of(file), header_suffixes);
}

static void read_input(struct cc_line *line, const char *word, const char *language)
{
	bool header = is_header(word, language);

	line->has_input = true;
	line->linkable |= !header;
	line->precompiles |= header;
	line->compiles |= header || is_source(word, language);
	keep(line, word);
}

/* -l: nothing to compile, something to link. */
static void read_library(struct cc_line *line)
{
	line->has_input = line->linkable = true;
}

static bool lists_thread(const char *list)
{
	while (*list) {
		size_t length = strcspn(list, ",");

		if ((length == 6 && !strncmp(list, "thread", 6)) || (length == 3 && !strncmp(list, "all", 3)))
			return true;
		list += length + (list[length] == ',');
	}
	return false;
}

/* -fsanitize=a,thread,b becomes -fsanitize=a,b: we hand over "thread" ourselves. */
static void read_sanitizers(struct cc_line *line, const char *list)
{
	char *rest = arena_strdup(line->arena, list), *name, *save, *out = NULL;

	for (name = strtok_r(rest, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		if (!strcmp(name, "thread"))
			continue;
		if (IS_IN(name, excluded))
			line->sanitizer = arena_strdup(line->arena, name);
		out = out ? arena_printf(line->arena, "%s,%s", out, name) : arena_strdup(line->arena, name);
	}
	if (out)
		keep(line, arena_printf(line->arena, "-fsanitize=%s", out));
}

/* Options that say how far, how wide, how linked. They stay on the line. */
static void note_option(struct cc_line *line, const char *word)
{
	if (IS_IN(word, preprocessing))
		line->preprocesses = true;
	if (IS_IN(word, stopping))
		line->stops = true;
	else if (!strcmp(word, "-r") || !strcmp(word, "--relocatable") || !strcmp(word, "-Wl,-r"))
		line->relocatable = true;
	else if (!strcmp(word, "-static") || !strcmp(word, "--static") || !strcmp(word, "-static-pie"))
		line->is_static = word;
	else if (!strcmp(word, "-m32") || !strcmp(word, "-mx32") || !strcmp(word, "-m16"))
		line->bits = word;
	else if (!strcmp(word, "-m64"))
		line->bits = NULL;
	else if (starts(word, "-O") || starts(word, "--optimize"))
		line->level = word;
	else if (starts(word, "-fno-sanitize="))
		line->uninstrumented = lists_thread(word + strlen("-fno-sanitize="));
	else if (starts(word, "-l"))
		read_library(line);
}

static bool is_fortify(const char *word)
{
	return starts(word, "-D_FORTIFY_SOURCE") || starts(word, "-Wp,-D_FORTIFY_SOURCE");
}

static void read_option(struct cc_line *line, const char *word)
{
	if (starts(word, "-fsanitize=")) {
		read_sanitizers(line, word + strlen("-fsanitize="));
		return;
	}
	note_option(line, word);
	if (!IS_IN(word, dropped) && !is_fortify(word))
		keep(line, word);
}

/* An option and the word it swallows. */
static void read_with_argument(struct cc_line *line, const char *option, const char *argument, const char **language)
{
	if (!strcmp(option, "-x") || !strcmp(option, "--language"))
		*language = strcmp(argument, "none") ? argument : NULL;
	if (!strcmp(option, "-l"))
		read_library(line);
	if (!strcmp(option, "-D") && starts(argument, "_FORTIFY_SOURCE"))
		return;
	keep(line, option);
	keep(line, argument);
}

/* -flto delays compiling to the link, past our reach; objects made elsewhere may still need it there. */
static void drop_lto(struct cc_line *line)
{
	size_t kept = 0;

	if (!line->compiles)
		return;
	for (size_t i = 0; i < line->kept.count; i++)
		if (!starts(line->kept.items[i], "-flto"))
			line->kept.items[kept++] = line->kept.items[i];
	line->kept.count = kept;
}

void cc_read(struct cc_line *line)
{
	const char *language = NULL;

	for (size_t i = 0; i < line->words.count; i++) {
		const char *word = line->words.items[i];

		if (word[0] != '-' || !word[1]) {
			read_input(line, word, language);
		} else if (IS_IN(word, with_argument) && i + 1 == line->words.count) {
			line->dangling = true;
		} else if (IS_IN(word, with_argument)) {
			read_with_argument(line, word, line->words.items[++i], &language);
		} else if (word[1] == 'x' && word[2]) {
			language = strcmp(word + 2, "none") ? word + 2 : NULL;
			keep(line, word);
		} else {
			read_option(line, word);
		}
	}
	drop_lto(line);
}
