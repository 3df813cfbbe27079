/*
 * spy - an engine that writes down what it is told, for objects the test program has named.
 *
 * Linked in the place of nop/engine.c (see runtime.sh). The test program calls
 *     spy_name(&mutex, sizeof(mutex), "m");
 * and from then on everything about those bytes goes to file 3, a line per event
 * (nowhere when there is no file 3 at the start: then any program can run under it). Threads are told
 * of always, blocks after spy_blocks, objects without a name after spy_orders.
 */
#include <fcntl.h>
#include <sys/syscall.h>

#include "rt/rt.h"
#include "rt/text.h"

static struct name {
	uintptr_t low, high;
	const char *text;
} names[64];
static unsigned name_count;
static struct wire_header wire;
static bool blocks, orders, silent;

RT_EXPORT void spy_name(const void *address, size_t size, const char *text);
RT_EXPORT void spy_blocks(bool on);
RT_EXPORT void spy_orders(bool on);

RT_EXPORT void spy_name(const void *address, size_t size, const char *text)
{
	names[name_count++] = (struct name){ (uintptr_t)address, (uintptr_t)address + size, text };
}

RT_EXPORT void spy_blocks(bool on)
{
	blocks = on;
}

/* Objects nobody named but that send or receive get a letter, by first appearance. */
RT_EXPORT void spy_orders(bool on)
{
	orders = on;
}

static void say(const char *format, ...)
{
	char line[200];
	va_list arguments;
	size_t size;

	if (silent)
		return;
	va_start(arguments, format);
	size = text_format(line, sizeof(line) - 1, format, arguments);
	va_end(arguments);
	line[size++] = '\n';
	rt_syscall(SYS_write, 3, line, size);
}

static const struct name *find(const void *address)
{
	for (unsigned i = name_count; i-- > 0;)
		if ((uintptr_t)address >= names[i].low && (uintptr_t)address < names[i].high)
			return &names[i];
	return NULL;
}

static void about(const char *what, const void *object, const char *more)
{
	const struct name *name = find(object);

	if (name && (uintptr_t)object == name->low)
		say("T%u %s %s%s", rt_self()->id, what, name->text, more);
	else if (name)
		say("T%u %s %s+%lu%s", rt_self()->id, what, name->text, (uintptr_t)object - name->low, more);
}

static const char *mode_text(enum lock_mode mode)
{
	return mode == LOCK_READ ? " read" : " write";
}

void rt_engine_start(void)
{
	wire.magic = WIRE_MAGIC;
	silent = rt_syscall(SYS_fcntl, 3, F_GETFD) < 0;
	rt_wire = &wire;
}

void rt_engine_end(void)
{
	say("end");
}

void rt_on_thread_start(struct rt_thread *self)
{
	say("T%u start", self->id);
}

void rt_on_thread_create(struct rt_thread *child)
{
	say("T%u create T%u", rt_self()->id, child->id);
}

void rt_on_thread_end(struct rt_thread *self)
{
	say("T%u end", self->id);
}

void rt_on_thread_join(struct rt_thread *joined)
{
	say("T%u join T%u", rt_self()->id, joined->id);
}

void rt_on_fork_child(void)
{
	say("child of T%u", rt_self()->id);
}

void rt_on_acquire(const void *lock, enum lock_mode mode, uintptr_t pc)
{
	about("acquire", lock, mode_text(mode));
}

void rt_on_release(const void *lock, enum lock_mode mode, uintptr_t pc)
{
	about("release", lock, mode_text(mode));
}

void rt_on_want(const void *lock, enum lock_mode mode, uintptr_t pc)
{
	about("want", lock, mode_text(mode));
}

static void name_order(const void *object)
{
	static const char letters[] = "A\0B\0C\0D\0E\0F\0G\0H";
	static unsigned used;

	if (orders && !find(object) && used < sizeof(letters) / 2)
		spy_name(object, 1, letters + 2 * used++);
}

void rt_on_send(const void *object)
{
	name_order(object);
	about("send", object, "");
}

void rt_on_receive(const void *object)
{
	name_order(object);
	about("receive", object, "");
}

void rt_on_destroy(const void *object)
{
	about("destroy", object, "");
}

void rt_on_access(const void *address, size_t size, unsigned flags, uintptr_t pc)
{
	const struct name *name = find(address);

	if (name)
		say("T%u %s %s+%lu %lu", rt_self()->id, access_kind_name(flags), name->text,
		    (uintptr_t)address - name->low, size);
}

void rt_on_atomic(const void *address, size_t size, unsigned flags, int order, uintptr_t pc)
{
	about("atomic", address, access_is_write(flags) ? " write" : " read");
}

void rt_on_atomic_done(const void *address, unsigned flags, int order)
{
}

void rt_on_fence(int order)
{
}

#define BLOCK_UNIT 256 /* usable sizes of aligned blocks differ a little from run to run */

void rt_on_alloc(const void *block, size_t size, uintptr_t pc)
{
	if (blocks)
		say("T%u alloc %lu%s", rt_self()->id, size / BLOCK_UNIT, rt_is_own(pc) ? " by us" : "");
}

void rt_on_free(const void *block, size_t size, uintptr_t pc)
{
	if (blocks)
		say("T%u free %lu%s", rt_self()->id, size / BLOCK_UNIT, rt_is_own(pc) ? " by us" : "");
}

void rt_on_fresh(const void *block, size_t size)
{
	if (blocks)
		say("T%u fresh %lu", rt_self()->id, size / BLOCK_UNIT);
}

void rt_on_ignore(int delta)
{
}
