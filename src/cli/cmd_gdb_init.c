/*
 * cmd_gdb_init - commands for gdb that know the schedule, for `replay --gdb`.
 *
 * gdb's own language, no Python: the scheduler's state is read through the debug information
 * of the runtime. A parked thread announced its statement; `pc` is where the call into the
 * runtime returns to, so the frame whose pc it is belongs to the program, and a breakpoint
 * there stops right behind the call: before an access, after a lock was taken.
 * Names are given with their file: a program may have a `sched` of its own. No strings in
 * expressions: gdb would call malloc in the program for them, and let it run.
 */
#include <stdio.h>

#include "base/error.h"
#include "cli/internal.h"

#define CORE "'rt/sched/core.c'::"
#define PAIR "'rt/sched/pair.c'::"

static const char script[] =
	"# gdb commands for `deadheat replay ID --gdb`; made by `deadheat gdb-init`.\n"
	"# Keep it: deadheat gdb-init >>~/.gdbinit   or at the prompt: source FILE\n"
	"\n"
	"define dh-where\n"
	"  printf \"step %lu: T%u has the turn; %lu turns, %u switches so far\\n\", " CORE "sched_step_count, "
		CORE "sched.current->ordinal, " CORE "sched.turns, " CORE "sched.switches\n"
	"end\n"
	"document dh-where\n"
	"Where the replay is in its schedule, and whose turn it is.\n"
	"end\n"
	"\n"
	"define dh-threads\n"
	"  set $dh_i = 0\n"
	"  while $dh_i < " CORE "sched.thread_count\n"
	"    set $dh_t = " CORE "sched.threads[$dh_i]\n"
	"    if $dh_t->alive\n"
	"      if $dh_t == " CORE "sched.current\n"
	"        printf \"* \"\n"
	"      else\n"
	"        printf \"  \"\n"
	"      end\n"
	"      printf \"T%u, LWP %u\", $dh_t->ordinal, $dh_t->rt->tid\n"
	"      if $dh_t->postponed\n"
	"        printf \", held back\"\n"
	"      end\n"
	"      printf \", after %lu steps: \", $dh_t->steps\n"
	"      output $dh_t->op\n"
	"      printf \"\\n    \"\n"
	"      info line *($dh_t->pc - 1)\n"
	"    end\n"
	"    set $dh_i = $dh_i + 1\n"
	"  end\n"
	"end\n"
	"document dh-threads\n"
	"All threads of the schedule: who has the turn (*), what each is about to do, and where.\n"
	"end\n"
	"\n"
	"define dh-one\n"
	"  if rt_self_tls && (rt_self_tls->tid == " PAIR "deadheat_hit_thread_a || rt_self_tls->tid == " PAIR
		"deadheat_hit_thread_b)\n"
	"    set $dh_t = (struct sched_thread *)rt_self_tls->turn\n"
	"    printf \"T%u, gdb's thread %d, before a \", $dh_t->ordinal, $_thread\n"
	"    if $dh_t->flags & 1\n"
	"      printf \"write\"\n"
	"    else\n"
	"      printf \"read\"\n"
	"    end\n"
	"    printf \" of %lu bytes at %#lx:\\n\", $dh_t->size, $dh_t->address\n"
	"    while $pc != $dh_t->pc\n"
	"      up-silently\n"
	"    end\n"
	"    frame\n"
	"  end\n"
	"end\n"
	"document dh-one\n"
	"Part of dh-pair.\n"
	"end\n"
	"\n"
	"define dh-pair\n"
	"  if " PAIR "deadheat_hit_thread_a == 0\n"
	"    printf \"the two have not met yet\\n\"\n"
	"  else\n"
	"    thread apply all -q -s dh-one\n"
	"  end\n"
	"end\n"
	"document dh-pair\n"
	"The two threads that meet, each in the frame of its access; `thread N` and `up` go there.\n"
	"end\n"
	"\n"
	"define dh-arrive\n"
	"  printf \"T%u hands over to T%u\\n\", " CORE "sched.current->ordinal, $dh_next->ordinal\n"
	"  if $dh_next->pc\n"
	"    tbreak *$dh_next->pc\n"
	"    continue\n"
	"    if $_thread\n"
	"      dh-where\n"
	"    end\n"
	"  end\n"
	"end\n"
	"document dh-arrive\n"
	"Part of dh-switch.\n"
	"end\n"
	"\n"
	"define dh-switch\n"
	"  tbreak hand_over\n"
	"  continue\n"
	"  if !$_thread\n"
	"    printf \"no more switches: the program has ended\\n\"\n"
	"  else\n"
	"    if $_siginfo.si_signo == 5\n"
	"      set $dh_next = next\n"
	"      dh-arrive\n"
	"    end\n"
	"  end\n"
	"end\n"
	"document dh-switch\n"
	"Go on to the next switch: stops in the thread that got the turn, behind its call into the\n"
	"runtime, that is before its access or after its lock.\n"
	"end\n";

static struct option options[] = { OPTION_QUIET, OPTION_END };

static int run(const struct command *command, int argc, char **argv)
{
	if (argc) {
		error_usage("gdb-init: '%s': takes no arguments; its output is for gdb", argv[0]);
		return cli_fail();
	}
	fputs(script, stdout);
	return EXIT_CLEAN;
}

const struct command command_gdb_init = {
	.name = "gdb-init",
	.arguments = "",
	.summary = "print commands for gdb that show a schedule: for `replay --gdb`",
	.text = "Prints dh-pair (the two threads, each before its access), dh-threads (all of them and what they are\n"
		"about to do), dh-where (the position in the schedule) and dh-switch (on to the next switch), in gdb's\n"
		"own language. Once: deadheat gdb-init >>~/.gdbinit; then `deadheat replay ID --gdb`.",
	.options = options,
	.run = run,
};
