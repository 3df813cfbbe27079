/*
 * fibers - two contexts on one thread add to a counter in turn, announced by tsan's fiber calls.
 * A switch orders them (silent) unless it is said not to (`unordered`: found).
 */
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_set_fiber_name(void *fiber, const char *name);

static ucontext_t home, other;
static void *home_fiber, *other_fiber;
static char stack[65536];
static unsigned flags;
static long counter;

__attribute__((noinline)) static void add(void)
{
	counter++;
}

static void body(void)
{
	for (int i = 0; i < 3; i++) {
		add();
		__tsan_switch_to_fiber(home_fiber, flags);
		swapcontext(&other, &home);
	}
}

int main(int argc, char **argv)
{
	flags = argc > 1 && !strcmp(argv[1], "unordered");
	home_fiber = __tsan_get_current_fiber();
	other_fiber = __tsan_create_fiber(0);
	__tsan_set_fiber_name(other_fiber, "other");
	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof(stack);
	other.uc_link = &home;
	makecontext(&other, body, 0);
	for (int i = 0; i < 3; i++) {
		add();
		__tsan_switch_to_fiber(other_fiber, flags);
		swapcontext(&home, &other);
	}
	__tsan_destroy_fiber(other_fiber);
	printf("%ld\n", counter);
	return 0;
}
