/*
 * enter - the common part of all thunks: save everything, tell the accesses, restore everything.
 *
 * Vector registers are saved by xsave: the runtime is built for the baseline, but what it may
 * call is not, and a program in the middle of an AVX loop must not notice. A frame that looks
 * like that of a function called at the site is put between, so that stacks are read by frame
 * pointers as ever; debuggers have an unwind table, by which the program's registers are those at the site.
 */
#include <cpuid.h>

#include "rt/abi/tell.h"
#include "rt/plain/internal.h"

RT_TLS struct plain_slot plain_slot;
uint64_t plain_xsave_size __attribute__((visibility("hidden"))) = 4096;

_Static_assert(offsetof(struct plain_frame, site) == 128, "plain_enter");
_Static_assert(offsetof(struct plain_site, pc) == 0, "plain_enter");
_Static_assert(offsetof(struct plain_frame, red_zone) == 144, "the thunk");
_Static_assert(offsetof(struct plain_frame, above) == 288 - 16 && offsetof(struct plain_frame, rax) == 288 - 16 - 160, "the unwind table");

__asm__(
	".text\n"
	".hidden plain_enter\n"
	".globl plain_enter\n"
	".type plain_enter, @function\n"
	"plain_enter:\n"
	"	.cfi_startproc\n"
	"	pushfq\n"
	"	cld\n"
	"	push %rax\n push %rbx\n push %rcx\n push %rdx\n push %rsi\n push %rdi\n push %rbp\n"
	"	push %r8\n push %r9\n push %r10\n push %r11\n push %r12\n push %r13\n push %r14\n push %r15\n"
	"	mov %rsp, %rdi\n"
	"	mov 128(%rdi), %rax\n"
	"	push (%rax)\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa %rbp, 288\n"
	"	.cfi_offset %rip, -280\n .cfi_offset %rbp, -288\n .cfi_offset %r15, -272\n .cfi_offset %r14, -264\n"
	"	.cfi_offset %r13, -256\n .cfi_offset %r12, -248\n .cfi_offset %r11, -240\n .cfi_offset %r10, -232\n"
	"	.cfi_offset %r9, -224\n .cfi_offset %r8, -216\n .cfi_offset %rdi, -200\n .cfi_offset %rsi, -192\n"
	"	.cfi_offset %rdx, -184\n .cfi_offset %rcx, -176\n .cfi_offset %rbx, -168\n .cfi_offset %rax, -160\n"
	"	mov %rdi, %r12\n"
	"	sub plain_xsave_size(%rip), %rsp\n"
	"	and $-64, %rsp\n"
	"	mov %rsp, %rbx\n"
	"	xor %eax, %eax\n"
	"	mov %rax, 512(%rsp)\n mov %rax, 520(%rsp)\n mov %rax, 528(%rsp)\n mov %rax, 536(%rsp)\n"
	"	mov %rax, 544(%rsp)\n mov %rax, 552(%rsp)\n mov %rax, 560(%rsp)\n mov %rax, 568(%rsp)\n"
	"	mov $-1, %eax\n mov $-1, %edx\n"
	"	xsave64 (%rsp)\n"
	"	call plain_hook\n"
	"	mov $-1, %eax\n mov $-1, %edx\n"
	"	xrstor64 (%rbx)\n"
	"	mov %r12, %rsp\n"
	"	pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %r11\n pop %r10\n pop %r9\n pop %r8\n"
	"	pop %rbp\n pop %rdi\n pop %rsi\n pop %rdx\n pop %rcx\n pop %rbx\n pop %rax\n"
	"	popfq\n"
	"	lea 8(%rsp), %rsp\n"
	"	ret $128\n"
	"	.cfi_endproc\n"
	".size plain_enter, . - plain_enter\n");

void plain_enter_start(void)
{
	unsigned a, b, c, d;

	if (__get_cpuid_count(0xd, 0, &a, &b, &c, &d) && b)
		plain_xsave_size = b;
}

static uint64_t register_value(const struct plain_frame *frame, uint8_t number)
{
	const uint64_t *r[16] = {
		&frame->rax, &frame->rcx, &frame->rdx, &frame->rbx, NULL, &frame->rbp, &frame->rsi, &frame->rdi,
		&frame->r8, &frame->r9, &frame->r10, &frame->r11, &frame->r12, &frame->r13, &frame->r14, &frame->r15,
	};

	if (number == WIRE_REG_RIP)
		return frame->site->pc - 1 + frame->site->how.length;
	if (number == 4)
		return (uint64_t)frame->above;
	return number < 16 ? *r[number] : 0;
}

#define DIRECTION 0x400ull /* string operations go down */
#define POINT_EVERY 61 /* accesses: a switch costs as much as some of them; no power of two, loops have such */

static uintptr_t address_of(const struct plain_frame *frame, const struct wire_plain_access *access, size_t size)
{
	uintptr_t at = register_value(frame, access->base) + register_value(frame, access->index) * access->scale +
		       (uintptr_t)(intptr_t)access->displacement;

	if (access->repeated && (frame->flags & DIRECTION))
		at -= size - access->size;
	return at;
}

/* Atomics are ordered as strongly as any: which order was meant is not in the machine code. */
static void tell_engine(const void *address, size_t size, unsigned flags, uintptr_t pc)
{
	if (!(flags & ACCESS_ATOMIC)) {
		rt_on_access(address, size, flags, pc);
		return;
	}
	if (!access_is_write(flags))
		rt_on_atomic_done(address, flags, __ATOMIC_SEQ_CST);
	rt_on_atomic(address, size, flags, __ATOMIC_SEQ_CST, pc);
}

/* A loop that waits for a plain variable must let others go on: some accesses are scheduling points. */
static void tell_point(const void *address, uintptr_t pc)
{
	static uint32_t visits;

	if (++visits % POINT_EVERY == 0)
		rt_point(OP_VOLATILE, address, pc);
}

static void tell(const struct plain_frame *frame, const struct wire_plain_access *access)
{
	size_t size = access->repeated ? access->size * frame->rcx : access->size;
	const void *address = (const void *)address_of(frame, access, size);
	struct rt_thread *self = rt_self();
	unsigned flags = access->flags;

	if (frame->site->is_heard && size)
		tell_point(address, frame->site->pc);
	if (access->expects)
		self->expected = &frame->rax;
	rt_turn_access(address, size, flags, frame->site->pc);
	flags = rt_flags_now(self, address, size, flags);
	self->expected = NULL;
	if (size)
		TELL(tell_engine(address, size, flags, frame->site->pc));
}

/*
 * A split instruction: the value is read now, the copy works on the slot, the thunk stores it.
 * The slot is filled last: a handler run at the scheduling point may be at such a site itself.
 */
static void tell_split(const struct plain_frame *frame)
{
	const struct wire_plan_plain *how = &frame->site->how;
	uintptr_t address = address_of(frame, &how->access[0], how->split_size);
	uint64_t value = 0;

	tell(frame, &how->access[0]);
	rt_memcpy(&value, (const void *)address, how->split_size);
	tell(frame, &how->access[1]);
	plain_slot.value = value;
	plain_slot.address = address;
}

__attribute__((visibility("hidden"), used)) void plain_hook(struct plain_frame *frame);
void plain_hook(struct plain_frame *frame)
{
	const struct plain_site *site = frame->site;

	frame->resume = site->resume;
	if (site->is_loader) {
		plain_modules_changed();
	} else if (site->how.slot_at) {
		tell_split(frame);
	} else {
		for (unsigned i = 0; i < site->how.access_count; i++)
			tell(frame, &site->how.access[i]);
	}
}
