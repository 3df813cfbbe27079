/*
 * handler - a signal's disposition by the kernel itself, for handlers of our own in any of the libraries.
 *
 * What stands before libc's sigaction (AddressSanitizer's, not ready when we start; the program's
 * stand-ins of ours) must not lose one: a signal of ours without its handler kills.
 */
#include <signal.h>
#include <sys/syscall.h>

#include "rt/rt.h"

struct kernel_action {
	void *handler;
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};
#define KERNEL_RESTORER 0x04000000

void rt_restorer(void);
/* These very bytes: unwinders know a signal's frame by them. */
__asm__(".text\n.hidden rt_restorer\n.globl rt_restorer\n.type rt_restorer, @function\n.balign 16\n\tnop\n"
	"rt_restorer:\n\tmovq $15, %rax\n\tsyscall\n");

bool rt_sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	struct kernel_action set = { 0 }, was = { 0 };

	if (action) {
		set.handler = (void *)action->sa_sigaction;
		set.flags = (unsigned long)(unsigned)action->sa_flags | KERNEL_RESTORER;
		set.restorer = rt_restorer;
		set.mask = action->sa_mask.__val[0];
	}
	if (rt_syscall(SYS_rt_sigaction, number, action ? &set : NULL, &was, sizeof(was.mask)))
		return false;
	if (old) {
		rt_memset(old, 0, sizeof(*old));
		old->sa_sigaction = (void (*)(int, siginfo_t *, void *))was.handler;
		old->sa_flags = (int)(was.flags & ~(unsigned long)KERNEL_RESTORER);
		old->sa_mask.__val[0] = was.mask;
	}
	return true;
}
