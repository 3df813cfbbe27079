/*
 * compile_flags - a line written for any compiler, often gcc, made into one clang takes.
 *
 * What decides the program (-I, -D, -include, -std, -m...) stays; output, dependencies,
 * warnings, optimisation, instrumentation and what only gcc knows goes. The table holds what we
 * have met; what it does not know, clang names ("unknown argument"), and flags_drop_unknown()
 * takes it out for another try.
 */
#include <string.h>

#include "find/scan/compile.h"

/* -O1 without passes: names and lifetimes as for optimising, the code as it was written. */
const char *const flags_bitcode[] = { "-w", "-Qunused-arguments", "-fno-discard-value-names", "-U_FORTIFY_SOURCE", "-O1", "-Xclang",
	"-disable-llvm-passes", "-g", "-emit-llvm", "-c", "-fno-color-diagnostics", NULL };

enum drop { DROP_WORD, DROP_PREFIX, DROP_WITH_NEXT };
static const struct {
	const char *text;
	enum drop how;
} dropped[] = {
	/* output and dependencies */
	{ "-o", DROP_WITH_NEXT }, { "-MF", DROP_WITH_NEXT }, { "-MT", DROP_WITH_NEXT }, { "-MQ", DROP_WITH_NEXT },
	{ "-MJ", DROP_WITH_NEXT }, { "-dumpbase", DROP_WITH_NEXT }, { "-dumpdir", DROP_WITH_NEXT },
	{ "-c", DROP_WORD }, { "-S", DROP_WORD }, { "-E", DROP_WORD }, { "-M", DROP_PREFIX }, { "-pipe", DROP_WORD },
	{ "-save-temps", DROP_PREFIX }, { "--save-temps", DROP_PREFIX }, { "-fdump", DROP_PREFIX },
	{ "-Wp,-M", DROP_PREFIX }, { "-Wa,", DROP_PREFIX }, { "-Wl,", DROP_PREFIX }, { "-Xassembler", DROP_WITH_NEXT },
	{ "-Xlinker", DROP_WITH_NEXT }, { "-fuse-ld", DROP_PREFIX }, { "-l", DROP_PREFIX }, { "-L", DROP_PREFIX },
	{ "-rdynamic", DROP_WORD }, { "-shared", DROP_WORD }, { "-static", DROP_PREFIX },
	/* warnings; -w is ours */
	{ "-pedantic", DROP_PREFIX }, { "-fdiagnostics", DROP_PREFIX }, { "-fno-diagnostics", DROP_PREFIX },
	{ "-fmessage-length", DROP_PREFIX }, { "-fanalyzer", DROP_WORD }, { "-fmax-errors", DROP_PREFIX },
	{ "-fcallgraph-info", DROP_PREFIX },
	/* optimisation: ours is set */
	{ "-O", DROP_PREFIX }, { "-g", DROP_PREFIX }, { "-flto", DROP_PREFIX }, { "-fno-lto", DROP_PREFIX },
	{ "-ffat-lto", DROP_PREFIX }, { "-fno-fat-lto", DROP_PREFIX }, { "--param", DROP_WITH_NEXT },
	{ "-fno-tree-", DROP_PREFIX }, { "-ftree-", DROP_PREFIX }, { "-fipa-", DROP_PREFIX }, { "-fno-ipa-", DROP_PREFIX },
	{ "-falign-", DROP_PREFIX }, { "-freorder-", DROP_PREFIX }, { "-fno-reorder-", DROP_PREFIX },
	{ "-fno-toplevel-reorder", DROP_WORD }, { "-fno-partial-inlining", DROP_WORD }, { "-fconserve-stack", DROP_WORD },
	{ "-fno-var-tracking", DROP_PREFIX }, { "-fvar-tracking", DROP_PREFIX }, { "-fno-gcse", DROP_WORD },
	{ "-fno-code-hoisting", DROP_WORD }, { "-fno-caller-saves", DROP_WORD }, { "-fmin-function-alignment", DROP_PREFIX },
	{ "-fno-guess-branch", DROP_PREFIX }, { "-fno-allow-store-data-races", DROP_WORD },
	{ "-fallow-store-data-races", DROP_WORD }, { "-fsched", DROP_PREFIX }, { "-fno-sched", DROP_PREFIX },
	{ "-fno-inline-functions-called-once", DROP_WORD }, { "-fno-ira", DROP_PREFIX }, { "-fira", DROP_PREFIX },
	{ "-fno-cse", DROP_PREFIX }, { "-fno-isolate", DROP_PREFIX },
	/* instrumentation: calls and accesses the program does not have */
	{ "-fsanitize", DROP_PREFIX }, { "-fno-sanitize", DROP_PREFIX }, { "-fprofile", DROP_PREFIX }, { "-fno-profile", DROP_PREFIX },
	{ "-fcoverage", DROP_PREFIX }, { "-ftest-coverage", DROP_WORD }, { "--coverage", DROP_WORD }, { "-pg", DROP_WORD },
	{ "-fstack-protector", DROP_PREFIX }, { "-mstack-protector", DROP_PREFIX }, { "-finstrument", DROP_PREFIX },
	{ "-fpatchable", DROP_PREFIX }, { "-mfentry", DROP_WORD }, { "-mrecord-mcount", DROP_WORD }, { "-mnop-mcount", DROP_WORD },
	{ "-fstack-clash", DROP_PREFIX }, { "-fcf-protection", DROP_PREFIX }, { "-fplugin", DROP_PREFIX },
	{ "-fzero-call-used-regs", DROP_PREFIX },
	/* code generation of gcc alone */
	{ "-mpreferred-stack-boundary", DROP_PREFIX }, { "-mincoming-stack-boundary", DROP_PREFIX },
	{ "-mindirect-branch", DROP_PREFIX }, { "-mfunction-return", DROP_PREFIX }, { "-mskip-rax-setup", DROP_WORD },
	{ "-mno-fp-ret-in-387", DROP_WORD }, { "-mharden-sls", DROP_PREFIX }, { "-maccumulate-outgoing-args", DROP_WORD },
	{ "-mretpoline", DROP_PREFIX }, { "-fno-jump-tables", DROP_WORD },
};

static bool starts(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* How many words go: 0 keeps it. */
static size_t drop_count(const char *word)
{
	if (starts(word, "-W") && !starts(word, "-Wp,-D") && !starts(word, "-Wp,-U"))
		return 1;
	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++) {
		const char *text = dropped[i].text;

		if (dropped[i].how == DROP_WITH_NEXT && !strcmp(word, text))
			return 2;
		if (dropped[i].how == DROP_WITH_NEXT ? starts(word, text) && strcmp(text, "-o") == 0 : false)
			return 1; /* -ofile */
		if (dropped[i].how == DROP_WITH_NEXT && !strcmp(text, "--param") && starts(word, "--param="))
			return 1;
		if (dropped[i].how == DROP_PREFIX && starts(word, text))
			return 1;
		if (dropped[i].how == DROP_WORD && !strcmp(word, text))
			return 1;
	}
	return 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "ccache gcc -c ...": how many words of the compiler's name? */
static size_t compiler_words(char *const *words, size_t count)
{
	static const char *const wrappers[] = { "ccache", "distcc", "sccache", "icecc", "buildcache" };

	for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++)
		if (count > 1 && !strcmp(base_name(words[0]), wrappers[i]) && *words[1] != '-')
			return 2;
	return count ? 1 : 0;
}

void flags_rewrite(word_list *out, struct arena *arena, char *const *words, size_t count)
{
	size_t at = compiler_words(words, count);

	if (at && strstr(base_name(words[at - 1]), "++"))
		VEC_PUSH(out, arena_strdup(arena, "--driver-mode=g++"));
	while (at < count) {
		size_t gone = drop_count(words[at]);

		if (!gone) {
			VEC_PUSH(out, words[at++]);
			continue;
		}
		at += gone;
	}
}

static bool take_out(char **words, const char *word, size_t length)
{
	char **to = words;
	bool found = false;

	for (char **from = words; *from; from++) {
		if (strlen(*from) == length && !memcmp(*from, word, length))
			found = true;
		else
			*to++ = *from;
	}
	*to = NULL;
	return found;
}

bool flags_drop_unknown(char **words, const char *message)
{
	static const char *const phrases[] = { "unknown argument: '", "unknown argument '", "unsupported option '",
		"unsupported argument '", "invalid value '" };
	bool dropped_any = false;

	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++)
		for (const char *at = message; (at = strstr(at, phrases[i]));) {
			size_t length;

			at += strlen(phrases[i]);
			length = strcspn(at, "'\n");
			if (take_out(words, at, length))
				dropped_any = true;
		}
	return dropped_any;
}
