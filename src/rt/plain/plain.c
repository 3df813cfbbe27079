/*
 * plain - which instructions are patched, and what a trap means. See plain.h.
 *
 * Libraries that come later are met at the loader's own breakpoint (r_brk, made for debuggers):
 * it is a site like the others, patched only while the plan has sites in modules not loaded.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "rt/internal.h"
#include "rt/plain/internal.h"

#define BUCKETS 1024u
static struct plain_site *buckets[BUCKETS];
static bool owns_trap;
static struct sigaction wanted_action; /* the program's for the trap's signal */

static struct plain_site **bucket(uintptr_t pc)
{
	return &buckets[(pc * 0x9e3779b97f4a7c15ull) >> 54];
}
_Static_assert(BUCKETS == 1u << (64 - 54), "the shift picks a bucket");

static struct plain_site *find(uintptr_t pc)
{
	struct plain_site *site = *bucket(pc);

	while (site && site->pc != pc)
		site = site->next;
	return site;
}

/* ---- text ------------------------------------------------------------------------------------- */

static const struct module_segment *text_of(uintptr_t at, size_t size)
{
	const struct module *module = module_find(at);
	const struct module_segment *text = module && !module->own ? module_segment(module, at, size) : NULL;

	return text && (text->flags & PF_X) ? text : NULL;
}

static bool write_byte(uintptr_t at, uint8_t byte)
{
	const struct module_segment *text = text_of(at, 1);
	uintptr_t page = at & -(uintptr_t)WIRE_PAGE;
	int protection = PROT_READ | PROT_EXEC;

	if (!text)
		return false;
	if (text->flags & PF_W)
		protection |= PROT_WRITE;
	if (rt_syscall(SYS_mprotect, page, WIRE_PAGE, protection | PROT_WRITE) < 0)
		return false;
	*(volatile uint8_t *)at = byte;
	rt_syscall(SYS_mprotect, page, WIRE_PAGE, protection);
	return true;
}

/*
 * What stands in an instruction's place. A debugger takes each int3 for one of its own: under gdb (replay --gdb)
 * it is an opcode that x86-64 does not have, and the signal SIGILL.
 */
static struct {
	int signal;
	uint8_t byte;
	uint8_t past; /* of the opcode, where the program counter then stands */
} trap = { SIGTRAP, 0xcc, 1 };

static bool is_intact(const struct plain_site *site)
{
	const uint8_t *at = (const uint8_t *)(site->pc - 1);

	return text_of(site->pc - 1, site->how.length) && *at == (site->patched ? trap.byte : site->how.original[0]) &&
	       !rt_memcmp(at + 1, site->how.original + 1, site->how.length - 1u);
}

static void set(struct plain_site *site, bool patched)
{
	if (site->patched == patched)
		return;
	if (is_intact(site) && write_byte(site->pc - 1, patched ? trap.byte : site->how.original[0]))
		site->patched = patched;
	else if (!patched)
		site->patched = false; /* its library is gone */
	if (patched)
		rt_count(site->patched ? WIRE_PATCHED_SITES : WIRE_UNPATCHED_SITES);
}

static bool is_same(const struct wire_plan_plain *a, const struct wire_plan_plain *b)
{
	return a->length == b->length && !rt_memcmp(a->original, b->original, sizeof(a->original)) &&
	       !rt_memcmp(a->access, b->access, sizeof(a->access));
}

static struct plain_site *want(uintptr_t pc, const struct wire_plan_plain *how, bool is_loader)
{
	struct plain_site *site = find(pc);

	if (!site || !is_same(&site->how, how)) {
		if (site)
			set(site, false);
		site = rt_arena(sizeof(*site));
		if (!site)
			return NULL;
		*site = (struct plain_site){ .pc = pc, .how = *how, .is_loader = is_loader, .next = *bucket(pc) };
		if (!is_intact(site) || !thunk_make(site)) {
			rt_count(WIRE_UNPATCHED_SITES);
			return NULL;
		}
		*bucket(pc) = site;
	}
	site->wanted = true;
	set(site, true);
	return site;
}

/* ---- the loader's breakpoint -------------------------------------------------------------------- */

static void watch_loader(void)
{
	static const struct { uint8_t length, bytes[4]; } known[] = {
		{ 1, { 0xc3 } }, { 2, { 0xf3, 0xc3 } }, { 4, { 0xf3, 0x0f, 0x1e, 0xfa } },
	};
	const struct r_debug *loader = dlsym(RTLD_DEFAULT, "_r_debug");
	uintptr_t at = loader ? (uintptr_t)loader->r_brk : 0;

	for (unsigned i = 0; at && i < sizeof(known) / sizeof(*known); i++) {
		struct wire_plan_plain how = { .length = known[i].length, .copy_length = known[i].length };

		if (rt_memcmp((const void *)at, known[i].bytes, known[i].length) &&
		    !(find(at + 1) && find(at + 1)->patched))
			continue;
		rt_memcpy(how.original, known[i].bytes, known[i].length);
		rt_memcpy(how.copy, known[i].bytes, known[i].length);
		if (find(at + 1))
			how = find(at + 1)->how;
		want(at + 1, &how, true);
		return;
	}
	rt_note("libraries loaded later are not watched: the loader's breakpoint is not known");
}

/* ---- traps ---------------------------------------------------------------------------------------- */

static void pass_on(int sig, siginfo_t *info, void *context)
{
	struct sigaction action = wanted_action;

	if (action.sa_handler == SIG_IGN && info->si_code <= 0)
		return;
	if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) {
		struct sigaction plain = { .sa_handler = SIG_DFL };

		REAL(sigaction)(trap.signal, &plain, NULL);
		rt_syscall(SYS_tgkill, rt_syscall(SYS_getpid), rt_syscall(SYS_gettid), trap.signal);
		return;
	}
	if (action.sa_flags & SA_RESETHAND)
		wanted_action = (struct sigaction){ .sa_handler = SIG_DFL };
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(sig, info, context);
	else
		action.sa_handler(sig);
}

static void on_trap(int sig, siginfo_t *info, void *data)
{
	ucontext_t *context = data;
	greg_t *rip = &context->uc_mcontext.gregs[REG_RIP];
	const struct plain_site *site = info->si_code > 0 ? find((uintptr_t)*rip + 1 - trap.past) : NULL;

	if (site && site->patched)
		*rip = (greg_t)(uintptr_t)site->thunk;
	else if (site && *(const uint8_t *)(site->pc - 1) != trap.byte)
		*rip = (greg_t)site->pc - 1; /* restored meanwhile */
	else
		pass_on(sig, info, data);
}

static void own_trap(void)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };
	uint64_t bit;

	if (owns_trap)
		return;
	if (rt_plan_flag(WIRE_STOP_AT_HIT)) {
		trap.signal = SIGILL;
		trap.byte = 0x06;
		trap.past = 0;
	}
	bit = 1ull << (trap.signal - 1);
	plain_enter_start();
	owns_trap = REAL(sigaction)(trap.signal, &action, &wanted_action) == 0;
	rt_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, NULL, sizeof(bit));
}

bool plain_owns(int sig)
{
	return owns_trap && sig == trap.signal;
}

void plain_sigaction(const struct sigaction *action, struct sigaction *old)
{
	struct sigaction before = wanted_action;

	if (action)
		wanted_action = *action;
	if (old)
		*old = before;
}

const sigset_t *plain_mask(const sigset_t *given, sigset_t *room)
{
	if (!owns_trap || !given)
		return given;
	*room = *given;
	room->__val[0] &= ~(1ul << (trap.signal - 1));
	return room;
}

/* ---- the plan --------------------------------------------------------------------------------------- */

static void want_plan(void)
{
	const struct wire_plan_plain *plain = rt_plan_plain();
	const struct wire_plan_site *sites = rt_plan_sites();
	bool missing = false;

	for (uint32_t i = 0; i < rt_plan->plain_count; i++) {
		const struct wire_plan_site *site = plain[i].site < rt_plan->site_count ? &sites[plain[i].site] : NULL;
		uintptr_t pc = site ? rt_plan_address(site->module, site->offset) : 0;
		struct plain_site *made = pc ? want(pc, &plain[i], false) : NULL;

		if (made)
			made->is_heard = site->side == WIRE_SIDE_PLAIN;
		missing |= !pc;
	}
	if (missing)
		watch_loader();
}

static void for_each(void (*act)(struct plain_site *site))
{
	for (unsigned i = 0; i < BUCKETS; i++)
		for (struct plain_site *site = buckets[i]; site; site = site->next)
			act(site);
}

static void forget(struct plain_site *site)
{
	site->wanted = false;
}

static void restore_unwanted(struct plain_site *site)
{
	if (!site->wanted)
		set(site, false);
}

static void restore(struct plain_site *site)
{
	set(site, false);
}

void plain_start(void)
{
	for_each(forget);
	if (rt_plan->plain_count) {
		own_trap();
		want_plan();
	}
	for_each(restore_unwanted);
}

/* The thunk's caller holds the loader's lock, which dl_iterate_phdr takes again. */
void plain_modules_changed(void)
{
	struct rt_thread *self = rt_self();

	if (!rt_plan || !rt_enter(self))
		return;
	rt_modules_refresh();
	pair_modules_changed();
	want_plan();
	rt_leave(self);
}

void plain_restore_all(void)
{
	if (owns_trap)
		for_each(restore);
}
