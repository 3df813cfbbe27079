/*
 * cc_rewrite - the line the compiler gets. What we add is data; see cc.h for the trick.
 *
 *   compiler  [instrument]  [first: -g]  [runtime]  the user's words  [last: level, ...]
 *
 * The runtime stands before everything the user links, so that the loader meets our
 * pthread_* and malloc before libc's. RUNPATH, not RPATH: LD_LIBRARY_PATH, which picks
 * the runtime of a command, must come before it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/cc.h"
#include "find/target.h"

/* Before the user's words: theirs win. */
static const char *const gcc_first[] = { "-g", NULL };

/*
 * After the user's words: ours win. no-builtin: gcc expands these in line without a call
 * when the size is known, unseen by the instrumentation (checked with gcc 12: memcpy of 3
 * or 24 bytes, any memset, strcpy of a literal; memcmp and strcmp from -O2 on).
 * -Wno-tsan: gcc warns of atomic_thread_fence, which our runtime does model.
 */
static const char *const gcc_last[] = {
	"-fno-omit-frame-pointer", "--param=tsan-instrument-func-entry-exit=0", "--param=tsan-distinguish-volatile=1",
	"-fno-builtin-memcpy", "-fno-builtin-memmove", "-fno-builtin-memset", "-fno-builtin-memcmp",
	"-fno-builtin-mempcpy", "-fno-builtin-strcpy", "-fno-builtin-stpcpy", "-fno-builtin-strncpy",
	"-fno-builtin-stpncpy", "-fno-builtin-strcat", "-fno-builtin-strncat", "-fno-builtin-strcmp",
	"-fno-builtin-strncmp", "-fno-builtin-bcopy", "-fno-builtin-bzero", "-fno-builtin-bcmp",
	"-U_FORTIFY_SOURCE", "-Wno-tsan", NULL,
};

/*
 * gcc instruments after its optimisers. The user's level stays, without the passes that remove or merge accesses, move them
 * to other lines, or make functions of several or parts of one. tests/cc/keep.t looks at what they do. What is left are reads of
 * the same variable with nothing between that could synchronise with another thread (-Og merges those too).
 *
 * Decided against, though reads that a loop repeats cost most of what is left (matrix as nop: 1.9 times native, 1.4 without): -ftree-pre gives
 * the read it puts before a loop the line of another one that may not have run; -ftree-loop-im reads globals under a condition also
 * when it is false, which would be an access the program does not make.
 */
static const char *const gcc_keep[] = {
	/* stores that are overwritten or never read, loads whose value nobody needs */
	"-fno-tree-dse", "-fno-tree-dce", "-fno-tree-builtin-call-dce", "-fno-tree-pta", "-fno-ipa-reference-addressable",
	"-fno-optimize-strlen", "-fno-finite-loops",
	/* loads and stores moved out of loops, up, down or into registers */
	"-fno-tree-loop-im", "-fno-tree-pre", "-fno-code-hoisting", "-fno-tree-sink", "-fno-tree-dominator-opts", "-fno-tree-phiprop",
	"-fno-predictive-commoning", "-fno-tree-sra", "-fno-hoist-adjacent-loads", "-fno-allow-store-data-races",
	/* conditional ones made unconditional, or two made one */
	"-fno-tree-cselim", "-fno-ssa-phiopt", "-fno-tree-loop-if-convert", "-fno-split-paths", "-fno-store-merging",
	"-fno-tree-vectorize", "-fno-tree-loop-vectorize", "-fno-tree-slp-vectorize", "-fno-tree-loop-distribution",
	"-fno-tree-loop-distribute-patterns", "-fno-loop-interchange", "-fno-loop-unroll-and-jam",
	/* calls not made because of what the callee does */
	"-fno-ipa-pure-const", "-fno-ipa-modref", "-fno-ipa-reference",
	/* code of two lines made one, frames left early, clones with names of their own */
	"-fno-tree-tail-merge", "-fno-crossjumping", "-fno-ipa-icf", "-fno-optimize-sibling-calls", "-fno-partial-inlining", "-fno-ipa-cp",
	"-fno-ipa-sra", "-fno-reorder-blocks-and-partition", NULL,
};

/* Other passes see other flows: what they warn of is not what the user's build warns of. */
static const char *const gcc_warnings[] = {
	"-Wno-maybe-uninitialized", "-Wno-error=array-bounds", "-Wno-error=stringop-overflow",
	"-Wno-error=stringop-overread", "-Wno-error=stringop-truncation", "-Wno-error=format-truncation",
	"-Wno-error=format-overflow", "-Wno-error=null-dereference", "-Wno-error=nonnull", "-Wno-error=restrict",
	"-Wno-error=free-nonheap-object", "-Wno-error=return-local-addr", "-Wno-error=dangling-pointer",
	"-Wno-error=use-after-free", "-Wno-error=alloc-size-larger-than=", "-Wno-error=strict-overflow",
	"-Wno-error=inline", "-Wno-error=uninitialized", NULL,
};

static const char *const clang_first[] = { "-g", NULL };

static const char *const clang_instrument[] = { "-Xclang", "-fsanitize=thread", NULL };

static const char *const clang_last[] = {
	"--start-no-unused-arguments", "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer",
	"-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm", "-tsan-distinguish-volatile=1",
	"-mllvm", "-tsan-instrument-read-before-write=1", "-mprefer-vector-width=128",
	"-U_FORTIFY_SOURCE", "--end-no-unused-arguments", NULL,
};

static void add(cc_words *out, const char *word)
{
	VEC_PUSH(out, (char *)word);
}

static void add_all(cc_words *out, const char *const *words)
{
	for (; *words; words++)
		add(out, *words);
}

/* A file that exists as long as the compiler runs and needs no cleaning up; its name, or NULL. */
static char *passing_file(struct arena *arena, const char *name, const char *text, size_t size)
{
	int fd = memfd_create(name, 0);

	if (fd < 0)
		return NULL;
	for (size_t done = 0; done < size;) {
		ssize_t n = write(fd, text + done, size - done);

		if (n <= 0)
			return NULL;
		done += (size_t)n;
	}
	return arena_printf(arena, "/proc/self/fd/%d", fd);
}

/* The number after "llvm-", "clang-" or "clang++-"; 0: it does not say. */
static int version_in(const char *name)
{
	static const char *const before[] = { "llvm-", "clang-", "clang++-" };
	int version = 0;

	for (size_t i = 0; name && !version && i < sizeof(before) / sizeof(before[0]); i++) {
		const char *at = strstr(name, before[i]);

		version = at ? atoi(at + strlen(before[i])) : 0;
	}
	return version;
}

/* By the name (which may be a link to ccache), or by where it leads. */
static int clang_version(const struct cc_line *line)
{
	int version = version_in(line->compiler);
	char *real = version ? NULL : realpath(line->compiler, NULL);

	if (real)
		version = version_in(real);
	free(real);
	return version;
}

/*
 * What clang is told of our entries, for the same version only: bitcode is not read by older ones.
 * Without it the program is slower and just as right. See preserved.awk.
 */
static void add_promise(struct cc_line *line, cc_words *out)
{
	const char *folder = target_runtime_dir(line->arena, "nop");
	const char *file = arena_printf(line->arena, "%s/../preserved-%d.bc", folder ? folder : "", clang_version(line));

	if (!folder || access(file, R_OK))
		return;
	add(out, "-Xclang");
	add(out, "-mlink-bitcode-file");
	add(out, "-Xclang");
	add(out, file);
}

/*
 * The same for gcc, as a header, after what the user includes on the line: a precompiled header must be the first.
 * A system header, so that no warning and no -MMD names it. See kept.awk.
 */
static void add_header(struct cc_line *line, cc_words *out)
{
	const char *nop = target_runtime_dir(line->arena, "nop");
	const char *folder = arena_printf(line->arena, "%s/../kept", nop ? nop : "");

	if (line->uninstrumented || line->preprocesses || line->precompiles)
		return;
	if (!nop || access(arena_printf(line->arena, "%s/deadheat-kept.h", folder), R_OK))
		return;
	add(out, "-fipa-ra");
	add(out, "-isystem");
	add(out, folder);
	add(out, "-include");
	add(out, "deadheat-kept.h");
}

static int add_instrumentation(struct cc_line *line, cc_words *out)
{
	static const char specs[] = "*cc1:\n+ -fsanitize=thread\n\n";
	char *file;

	if (line->uninstrumented)
		return 0;
	if (line->family == CC_CLANG) {
		add(out, "--start-no-unused-arguments");
		add_all(out, clang_instrument);
		add_promise(line, out);
		add(out, "--end-no-unused-arguments");
		return 0;
	}
	file = passing_file(line->arena, "deadheat.specs", specs, sizeof(specs) - 1);
	if (!file)
		return error("cannot make a file in memory for gcc's specs: %m");
	add(out, arena_printf(line->arena, "-specs=%s", file));
	return 0;
}

/* A word that clang may not need (no header is looked for in a .i): it says so otherwise. */
static void add_quiet(struct cc_line *line, cc_words *out, const char *word)
{
	if (line->family == CC_CLANG)
		add(out, "--start-no-unused-arguments");
	add(out, word);
	if (line->family == CC_CLANG)
		add(out, "--end-no-unused-arguments");
}

/* deadheat.h of the installation or of the source tree, where there is one. */
static void add_header_folder(struct cc_line *line, cc_words *out)
{
	static const char *const ways[] = { "../../../include", "../../../../include" };
	const char *runtime = target_runtime_dir(line->arena, "nop");

	for (size_t i = 0; runtime && i < sizeof(ways) / sizeof(ways[0]); i++) {
		char *folder = realpath(arena_printf(line->arena, "%s/%s", runtime, ways[i]), NULL);

		if (folder && !access(arena_printf(line->arena, "%s/deadheat.h", folder), R_OK)) {
			add_quiet(line, out, arena_printf(line->arena, "-idirafter%s", folder));
			free(folder);
			return;
		}
		free(folder);
	}
}

static void add_linker(cc_words *out, const char *word)
{
	add(out, "-Xlinker");
	add(out, word);
}

static int add_runtime(struct cc_line *line, cc_words *out)
{
	const char *folder = target_runtime_dir(line->arena, "nop");
	const char *library;

	if (!folder)
		return -1;
	library = arena_printf(line->arena, "%s/libdeadheat_rt.so", folder);
	if (access(library, R_OK))
		return error_cannot("the runtime %s is missing: install deadheat again", library);
	add_linker(out, "--push-state");
	add_linker(out, "--no-as-needed");
	add_linker(out, library);
	add_linker(out, "--pop-state");
	add_linker(out, "-rpath");
	add_linker(out, folder);
	return 0;
}

static bool keeps_accesses(const struct cc_line *line)
{
	static const char *const stay[] = { "-O0", "--optimize=0" };

	if (line->keep_optimisation || line->family != CC_GCC)
		return false;
	for (size_t i = 0; line->level && i < sizeof(stay) / sizeof(stay[0]); i++)
		if (!strcmp(line->level, stay[i]))
			return false;
	return true;
}

/*
 * Expanded response files may be longer than execve takes (2 MiB; 128 KiB a word): hand the
 * line over in a response file of our own.
 */
static int shorten(struct cc_line *line, cc_words *out)
{
	struct strbuf text = STRBUF_INIT;
	char *file;

	for (size_t i = 1; i < out->count; i++) {
		for (const char *c = out->items[i]; *c; c++) {
			if (strchr(" \t\n\r\v\f\\'\"", *c))
				strbuf_putc(&text, '\\');
			strbuf_putc(&text, *c);
		}
		strbuf_puts(&text, out->items[i][0] ? "\n" : "''\n");
	}
	if (text.len < (64u << 10)) {
		strbuf_release(&text);
		return 0;
	}
	file = passing_file(line->arena, "deadheat.args", text.buf, text.len);
	strbuf_release(&text);
	if (!file)
		return error("cannot make a file in memory for the compiler's arguments: %m");
	out->items[1] = arena_printf(line->arena, "@%s", file);
	out->count = 2;
	return 0;
}

static int add_before(struct cc_line *line, cc_words *out, bool compiles, bool links)
{
	if (compiles) {
		if (add_instrumentation(line, out))
			return -1;
		add_all(out, line->family == CC_GCC ? gcc_first : clang_first);
		add_header_folder(line, out);
	}
	return links ? add_runtime(line, out) : 0;
}

static void add_after(struct cc_line *line, cc_words *out, bool compiles, bool links)
{
	if (compiles && keeps_accesses(line)) {
		if (!line->level)
			add(out, "-Og");
		add_all(out, gcc_keep);
		add_all(out, gcc_warnings);
	}
	if (compiles)
		add_all(out, line->family == CC_GCC ? gcc_last : clang_last);
	if (compiles && line->family == CC_GCC)
		add_header(line, out);
	if (links) {
		add_linker(out, "--enable-new-dtags");
		if (line->family == CC_CLANG)
			add_linker(out, "-znow"); /* lazy binding spoils r10 and r11: preserved.awk */
	}
}

int cc_rewrite(struct cc_line *line)
{
	/* --version, -v, -print-..., -dump...: no input, nothing of ours */
	bool ours = line->has_input && !line->dangling;
	const cc_words *words = ours ? &line->kept : &line->words;
	bool compiles = ours && line->compiles;
	bool links = ours && cc_links(line) && !line->relocatable;
	cc_words *out = &line->out;

	add(out, line->compiler);
	if (add_before(line, out, compiles, links))
		return -1;
	for (size_t i = 0; i < words->count; i++)
		add(out, words->items[i]);
	add_after(line, out, compiles, links);
	if (line->expanded && shorten(line, out))
		return -1;
	add(out, NULL);
	return 0;
}

void cc_free(struct cc_line *line)
{
	VEC_FREE(&line->words);
	VEC_FREE(&line->kept);
	VEC_FREE(&line->out);
}
