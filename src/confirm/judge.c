/*
 * judge - how a trial ended, in one word (DESIGN 7, Judging).
 *
 *     exit N, SIGABRT ...   the program's own end
 *     deadlock, hang        the scheduler's: nobody can go on; the step budget is used up
 *     watchdog              the wall clock ended it
 *     sanitizer report      ASan, UBSan ... spoke, whatever the status
 *     error                 reach_error() of a verification task
 *     output differs        --compare-output, and nothing worse
 *
 * What the runtime knows (END record) goes before what the kernel says (wait status): a
 * deadlocked trial is ended by _exit, which means nothing.
 */
#include <ctype.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/spawn.h"
#include "confirm/internal.h"

const char *judge_word(const char *format, ...)
{
	static VEC(char *) words;
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (size_t i = 0; i < words.count; i++)
		if (!strcmp(words.items[i], text))
			return words.items[i];
	VEC_PUSH(&words, strdup(text));
	return words.items[words.count - 1];
}

/* Lines worth quoting, most telling first; cut: where the part that changes begins. */
static const struct headline {
	const char *mark;
	const char *cut;
	bool sanitizer;
} headlines[] = {
	{ "ERROR: AddressSanitizer", " on ", true },
	{ "ERROR: LeakSanitizer", NULL, true },
	{ "WARNING: MemorySanitizer", NULL, true },
	{ "runtime error: ", NULL, true },
	{ "Assertion ", NULL, false },
	{ "terminate called", NULL, false },
	{ "*** stack smashing", NULL, false },
	{ "double free or corruption", NULL, false },
	{ "free(): ", NULL, false },
	{ "malloc(): ", NULL, false },
	{ "munmap_chunk(): ", NULL, false },
	{ "corrupted size vs. prev_size", NULL, false },
};

/* From the mark for a sanitizer (a process number stands before it), else the whole line. */
static const char *quote(const char *output, const char *found, const struct headline *headline)
{
	const char *start = found, *end = found + strcspn(found, "\n");
	const char *cut = headline->cut ? strstr(found, headline->cut) : NULL;

	if (!headline->sanitizer)
		while (start > output && start[-1] != '\n')
			start--;
	if (cut && cut < end)
		end = cut;
	return judge_word("%.*s", (int)(end - start > 300 ? 300 : end - start), start);
}

static const struct headline *find_headline(const char *output, const char **message)
{
	for (size_t i = 0; i < sizeof(headlines) / sizeof(*headlines); i++) {
		const char *found = strstr(output, headlines[i].mark);

		if (!found)
			continue;
		*message = quote(output, found, &headlines[i]);
		return &headlines[i];
	}
	return NULL;
}

static const char *kernel_word(int status)
{
	if (WIFSIGNALED(status))
		return judge_word("%s", signal_name(WTERMSIG(status)));
	return judge_word("exit %d", WEXITSTATUS(status));
}

/* The scheduler's verdicts; NULL where the program ended by itself. */
static const char *scheduler_word(const struct wire_ev_end *end, int status)
{
	switch (end ? end->how : 0) {
	case WIRE_END_DEADLOCK:
		return "deadlock";
	case WIRE_END_HANG:
		return "hang";
	case WIRE_END_WATCHDOG:
		return "watchdog";
	case WIRE_END_DIVERGED:
		return "diverged";
	case WIRE_END_ERROR:
		return WIFSIGNALED(status) ? kernel_word(status) : "error";
	default:
		return NULL;
	}
}

void judge_ending(struct ending *ending, const struct wire_ev_end *end, const char *note, int status,
		  bool killed, const char *output)
{
	const char *word = scheduler_word(end, status);
	const struct headline *headline = find_headline(output, &ending->message);

	ending->counts = !end || end->how != WIRE_END_ASSUME;
	ending->normal = false;
	if (!headline)
		ending->message = end && end->how == WIRE_END_ERROR && note ? judge_word("%s", note) : NULL;
	if (headline && headline->sanitizer)
		word = "sanitizer report";
	if (killed && !word)
		word = "watchdog";
	if (!word) {
		word = kernel_word(status);
		ending->normal = WIFEXITED(status);
	}
	ending->outcome = judge_word("%s", word);
}
