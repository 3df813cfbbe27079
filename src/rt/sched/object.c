/*
 * object - the sync objects of the program, by address, and who holds which lock.
 *
 * A hash table of chains that doubles; entries live in the arena and are reused only for
 * their own address. Ordinals are given by first use, so they are the same in every run
 * that makes the same decisions, whatever ASLR does (I4 of internal.h).
 *
 * Memory that is freed takes its objects along: a lock made there later is another one, also
 * when nobody destroyed the first. So that free costs next to nothing, a bit per cache line
 * (hashed) says whether an object ever lay there.
 *
 * An object on a thread's stack dies with the thread without being destroyed, and whether
 * libc hands the same stack to the next thread is a matter of time. So such an entry
 * remembers whose stack it lies on, and begins anew once that thread has ended.
 */
#include "rt/abi/tell.h"
#include "rt/sched/turn.h"

static struct {
	struct sched_object **bucket;
	uint32_t size, used;
	uint32_t ordinals;
} table;

#define LINE 64u
#define LINE_BITS (1u << 16)
static uint64_t lines[LINE_BITS / 64];

static uint64_t *line_word(uintptr_t address, uint64_t *bit)
{
	uint32_t hash = (uint32_t)(address / LINE * 0x9e3779b97f4a7c15ull >> 48);

	*bit = 1ull << hash % 64;
	return &lines[hash / 64];
}
_Static_assert(LINE_BITS == 1u << 16, "the shift leaves 16 bits");

static void line_mark(uintptr_t address)
{
	uint64_t bit;

	*line_word(address, &bit) |= bit;
}

static bool line_is_marked(uintptr_t address)
{
	uint64_t bit;

	return *line_word(address, &bit) & bit;
}

static uint32_t slot_of(const void *address, uint32_t size)
{
	return (uint32_t)(((uintptr_t)address >> 2) * 0x9e3779b97f4a7c15ull >> 40) & (size - 1);
}

static bool table_grow(void)
{
	uint32_t size = table.size ? table.size * 2 : 256;
	struct sched_object **bucket = rt_arena(size * sizeof(*bucket));

	if (!bucket)
		return false;
	for (uint32_t i = 0; i < table.size; i++)
		for (struct sched_object *o = table.bucket[i], *next; o; o = next) {
			uint32_t slot = slot_of(o->address, size);

			next = o->next;
			o->next = bucket[slot];
			bucket[slot] = o;
		}
	table.bucket = bucket;
	table.size = size;
	return true;
}

static bool on_stack_of(const struct sched_thread *thread, uintptr_t address)
{
	return thread->alive && address >= thread->rt->stack_low && address < thread->rt->stack_high;
}

static struct sched_thread *stack_owner(uintptr_t address)
{
	if (sched.current && on_stack_of(sched.current, address))
		return sched.current;
	for (uint32_t i = 0; i < sched.thread_count; i++)
		if (on_stack_of(sched.threads[i], address))
			return sched.threads[i];
	return NULL;
}

static void object_renew(struct sched_object *object, enum sched_object_kind kind)
{
	object->ordinal = ++table.ordinals;
	object->kind = kind;
	object->first_pc = 0;
	object->stack_of = stack_owner((uintptr_t)object->address);
	if (kind != OBJECT_PLAIN)
		for (unsigned i = 0; i < sizeof(object->state) / sizeof(object->state[0]); i++)
			object->state[i] = 0;
}

/* Plain entries (atomics, there may be millions) carry no state. */
static struct sched_object *object_new(const void *address, enum sched_object_kind kind)
{
	size_t size = kind == OBJECT_PLAIN ? offsetof(struct sched_object, state) : sizeof(struct sched_object);
	struct sched_object *object;
	uint32_t slot;

	if (table.used >= table.size && !table_grow() && !table.size)
		sched_end(WIRE_END_HANG, 0);
	object = rt_arena(size);
	if (!object) {
		rt_note("out of memory for a sync object");
		sched_end(WIRE_END_HANG, 0);
	}
	object->address = address;
	slot = slot_of(address, table.size);
	object->next = table.bucket[slot];
	table.bucket[slot] = object;
	table.used++;
	line_mark((uintptr_t)address);
	object_renew(object, kind);
	return object;
}

static struct sched_object **object_find(const void *address)
{
	struct sched_object **link;

	if (!table.size)
		return NULL;
	for (link = &table.bucket[slot_of(address, table.size)]; *link; link = &(*link)->next)
		if ((*link)->address == address)
			return link;
	return NULL;
}

struct sched_object *sched_object(const void *address, enum sched_object_kind kind)
{
	struct sched_object **link = object_find(address), *object;

	if (!link)
		return object_new(address, kind);
	object = *link;
	/* An atomic access to a futex word or a guard is one to that object. */
	if (likely((object->kind == (uint32_t)kind || kind == OBJECT_PLAIN) &&
		   !(object->stack_of && !object->stack_of->alive)))
		return object;
	if (object->kind == OBJECT_PLAIN && kind != OBJECT_PLAIN) {
		*link = object->next;
		table.used--;
		return object_new(address, kind);
	}
	object_renew(object, kind);
	return object;
}

void sched_object_destroy(const void *address)
{
	struct sched_object **link = object_find(address);

	if (!link)
		return;
	*link = (*link)->next;
	table.used--;
}

/* Larger blocks (arenas, whole mappings) are cheaper to look for in the table. */
#define FORGET_LINES 4096u

static void forget_in_table(uintptr_t low, uintptr_t high)
{
	for (uint32_t i = 0; i < table.size; i++)
		for (struct sched_object **link = &table.bucket[i]; *link;) {
			uintptr_t address = (uintptr_t)(*link)->address;

			if (address >= low && address < high) {
				*link = (*link)->next;
				table.used--;
			} else {
				link = &(*link)->next;
			}
		}
}

void sched_objects_forget(const void *start, size_t size)
{
	uintptr_t low = (uintptr_t)start, high = low + size;

	if (size > FORGET_LINES * LINE) {
		forget_in_table(low, high);
		return;
	}
	for (uintptr_t line = low & -(uintptr_t)LINE; line < high; line += LINE)
		if (unlikely(line_is_marked(line)))
			for (uintptr_t at = line; at < line + LINE; at++)
				if (at >= low && at < high)
					sched_object_destroy((const void *)at);
}

static bool held_grow(struct sched_thread *self)
{
	uint32_t size = self->held_size ? self->held_size * 2 : 16;
	__typeof__(self->held) held = rt_arena(size * sizeof(*held));

	if (!held)
		return false;
	for (uint32_t i = 0; i < self->held_count; i++)
		held[i] = self->held[i];
	self->held = held;
	self->held_size = size;
	return true;
}

void sched_held_add(struct sched_object *object, enum lock_mode mode, uintptr_t pc)
{
	struct sched_thread *self = sched.current;

	if (!object->first_pc)
		object->first_pc = pc;
	if (self->held_count == self->held_size && !held_grow(self)) {
		rt_count(WIRE_LOST_LOCKS);
	} else {
		self->held[self->held_count].object = object;
		self->held[self->held_count].mode = mode;
		self->held[self->held_count++].pc = pc;
	}
	TELL(rt_on_acquire(object->address, mode, pc));
}

/* Usually the newest; else the newest that fits, and the younger ones move down. */
static bool held_drop(struct sched_thread *thread, const struct sched_object *object, enum lock_mode mode)
{
	uint32_t i = thread->held_count;

	while (i-- > 0)
		if (thread->held[i].object == object && thread->held[i].mode == mode)
			break;
	if (i == UINT32_MAX)
		return false;
	for (thread->held_count--; i < thread->held_count; i++)
		thread->held[i] = thread->held[i + 1];
	return true;
}

/* A normal mutex may be unlocked by another thread: then that one's entry goes. */
void sched_held_remove(struct sched_object *object, enum lock_mode mode, uintptr_t pc)
{
	TELL(rt_on_release(object->address, mode, pc));
	if (held_drop(sched.current, object, mode))
		return;
	for (uint32_t i = 0; i < sched.thread_count; i++)
		if (held_drop(sched.threads[i], object, mode))
			return;
}
