/*
 * near - copies of code and pointers within +-2 GiB of a module.
 *
 * A module's text and our library usually lie far apart (0x55.. and 0x7f..), but a call's
 * operand has 32 bits. So what is to be called directly is copied next to the module:
 * below it first, since the heap grows above a program. Room is searched by
 * MAP_FIXED_NOREPLACE in growing steps: a handful of system calls, once per module.
 *
 * I1  A copy is filled before it becomes executable, and never written again.
 * I2  Records are made under the lock and never freed; the memory of a closed module's
 *     copies stays (it is a page or two, and may serve what is loaded there next).
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "rt/internal.h"
#include "rt/near.h"

/* Leaves 64 MiB for the size of module and copy together: both ends stay within reach. */
#define REACH ((1ul << 31) - (64ul << 20))
#define STEP_FIRST (64ul << 10)

struct copy {
	uintptr_t low, high;    /* of the module it serves */
	const void *blob;       /* what was copied */
	const char *at;         /* where it is */
	struct copy *next;
};

/* Pointers for FF 15 calls that must keep their opcode: rare (one site in 16), so few. */
#define SLOTS (WIRE_PAGE / sizeof(void *))

static struct copy *copies;
static struct rt_lock lock;

static char *map_at(uintptr_t address, size_t size)
{
	long result = rt_syscall(SYS_mmap, address, size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (result < 0 && result > -4096)
		return NULL;
	if ((uintptr_t)result == address)
		return (char *)result;
	rt_unreserve((void *)result, size); /* a kernel before 4.17 takes it as a hint */
	return NULL;
}

static uintptr_t next_step(uintptr_t step)
{
	return step + STEP_FIRST + (step / 4 & -STEP_FIRST);
}

static char *map_near(uintptr_t low, uintptr_t high, size_t size)
{
	char *at = NULL;

	if (high - low + size > 64ul << 20)
		return NULL;
	for (uintptr_t step = STEP_FIRST; !at && step < REACH && step + size < low; step = next_step(step))
		at = map_at((low - step - size) & -(uintptr_t)WIRE_PAGE, size);
	for (uintptr_t step = STEP_FIRST; !at && step < REACH; step = next_step(step))
		at = map_at(high + step, size);
	return at;
}

static const struct copy *find(const struct module *module, const void *blob)
{
	const struct copy *copy = __atomic_load_n(&copies, __ATOMIC_ACQUIRE);

	while (copy && (copy->low != module->low || copy->high != module->high || copy->blob != blob))
		copy = copy->next;
	return copy;
}

/* NULL is remembered too: no second search for room. */
static const struct copy *make(const struct module *module, const void *blob, size_t size, int protection)
{
	size_t mapped = (size + WIRE_PAGE - 1) & -(size_t)WIRE_PAGE;
	struct copy *copy = rt_arena(sizeof(*copy));
	char *at = map_near(module->low, module->high, mapped);

	if (!copy)
		return NULL;
	if (at && protection) {
		rt_memcpy(at, blob, size);
		if (rt_syscall(SYS_mprotect, at, mapped, protection) < 0) {
			rt_unreserve(at, mapped);
			at = NULL;
		}
	}
	*copy = (struct copy){ module->low, module->high, blob, at, copies };
	__atomic_store_n(&copies, copy, __ATOMIC_RELEASE);
	return copy;
}

static const char *copy_of(uintptr_t pc, const void *blob, size_t size, int protection)
{
	const struct module *module = module_find(pc);
	const struct copy *copy = module ? find(module, blob) : NULL;

	if (module && !copy) {
		rt_lock(&lock);
		copy = find(module, blob);
		if (!copy)
			copy = make(module, blob, size, protection);
		rt_unlock(&lock);
	}
	return copy ? copy->at : NULL;
}

static bool reaches(uintptr_t low, uintptr_t high, uintptr_t from, uintptr_t to)
{
	return (from > low ? from - low : low - from) < REACH && (to > high ? to - high : high - to) < REACH;
}

const void *rt_near_copy(uintptr_t module_pc, const void *blob, size_t size, size_t offset)
{
	const struct module *module = module_find(module_pc);
	const char *at;

	if (module && reaches(module->low, module->high, (uintptr_t)blob, (uintptr_t)blob + size))
		return (const char *)blob + offset;
	at = copy_of(module_pc, blob, size, PROT_READ | PROT_EXEC);
	return at ? at + offset : NULL;
}

/* The page of slots stays writable: it is data. A slot once given out is never changed. */
const void *near_slot(uintptr_t pc, const void *target)
{
	static const char slots_of_module;
	const void **slots = target ? (const void **)copy_of(pc, &slots_of_module, WIRE_PAGE, 0) : NULL;

	for (size_t i = 0; slots && i < SLOTS; i++) {
		if (!slots[i])
			slots[i] = target;
		if (slots[i] == target)
			return &slots[i];
	}
	return NULL;
}

char *near_room(uintptr_t pc, size_t size)
{
	const struct module *module = module_find(pc);
	char *at;

	if (!module)
		return NULL;
	rt_lock(&lock);
	at = map_near(module->low, module->high, size);
	rt_unlock(&lock);
	return at;
}

void rt_near_fork(bool before)
{
	if (before)
		rt_lock(&lock);
	else
		rt_unlock(&lock);
}
