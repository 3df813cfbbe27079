/*
 * thread - pthread_create to pthread_join: the life of a thread, told at both ends.
 *
 *     parent                                child
 *     native_thread_new: record, edge
 *     the real create  ------------------>  native_thread_begin: bind, fresh stack, start
 *     native_thread_created: handle         ... start(argument) ...
 *                                           last destructor round: end
 *     the real join  <--------------------
 *     native_thread_joined: edge
 *
 * A thread ends by returning, pthread_exit or cancellation; libc then runs its C++
 * thread_local destructors and up to PTHREAD_DESTRUCTOR_ITERATIONS rounds over the keys, all
 * of them program code. Our key's destructor arms itself again until the last round, so the
 * end we tell comes after whatever the program still does there (a key with a greater index
 * that also re-arms itself to the very last round is the exception; what it does goes unheard).
 *
 * The trampoline is used without a wire too: rt_thread_live decides how sites are patched.
 */
#include <limits.h>
#include <sys/syscall.h>
#include <time.h>

#include "rt/native/internal.h"

#define NO_END_KEY UINT32_MAX /* libc has none left: ends go unheard */
static uint32_t end_key; /* the key + 1; 0: none yet */
static RT_TLS unsigned end_rounds;

static void thread_end(struct rt_thread *self)
{
	if (rt_wire)
		TELL(rt_on_thread_end(self));
	rt_thread_end(self);
	self->depth = 1; /* whatever libc does from here on is not the program's */
}

static void end_round(void *argument)
{
	struct rt_thread *self = argument;

	if (++end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS && pthread_setspecific(end_key - 1, self) == 0)
		return;
	thread_end(self);
}

/* No lock: a forked child may come here while the parent's other threads did, too. */
static void make_end_key(void)
{
	pthread_key_t key;
	uint32_t none = 0, made;

	if (pthread_key_create(&key, end_round) == 0)
		made = (uint32_t)key + 1;
	else
		made = NO_END_KEY;
	if (__atomic_compare_exchange_n(&end_key, &none, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		if (made == NO_END_KEY && rt_wire)
			rt_note("no thread key left: the ends of threads are not seen");
	} else if (made != NO_END_KEY) {
		pthread_key_delete(key);
	}
}

void native_thread_arm(void)
{
	if (!__atomic_load_n(&end_key, __ATOMIC_ACQUIRE))
		make_end_key();
	if (end_key != NO_END_KEY && !end_rounds)
		pthread_setspecific(end_key - 1, rt_self());
}

struct rt_thread *native_thread_new(void *(*start)(void *), void *argument, uintptr_t pc)
{
	struct rt_thread *child = rt_thread_new(pc);

	if (child->id == RT_NO_THREAD)
		return NULL;
	child->start = start;
	child->argument = argument;
	if (rt_wire)
		TELL(rt_on_thread_create(child));
	return child;
}

/*
 * Who creates a thread usually goes on before it has begun, run after run. So in every second run of a detection (seeds
 * count on from 1) the first threads get a head start: what they do only while nobody has changed anything yet is done, too.
 */
#define HEAD_STARTS 16u
#define HEAD_START_LOOKS 100 /* until it has begun: a tenth of a second on a busy machine */

static void rest_a_millisecond(void)
{
	struct timespec rest = { .tv_nsec = 1000000 };

	rt_syscall(SYS_nanosleep, &rest, NULL);
}

static void head_start(const struct rt_thread *child)
{
	if (!rt_wire || !rt_plan || rt_kind != WIRE_RT_DETECT || rt_plan->seed % 2 || child->id > HEAD_STARTS)
		return;
	for (int i = 0; i < HEAD_START_LOOKS && !__atomic_load_n(&child->tid, __ATOMIC_RELAXED); i++)
		rest_a_millisecond();
	rest_a_millisecond();
}

void native_thread_created(struct rt_thread *child, pthread_t handle, int result)
{
	if (result) {
		rt_thread_end(child);
		return;
	}
	__atomic_store_n(&child->handle, handle, __ATOMIC_RELEASE);
	head_start(child);
}

void native_thread_begin(struct rt_thread *self)
{
	rt_thread_bind(self);
	if (rt_wire) {
		TELL(rt_on_thread_start(self));
		if (self->stack_low)
			TELL(rt_on_fresh((void *)self->stack_low, self->stack_high - self->stack_low));
	}
	native_thread_arm();
}

void native_thread_joined(struct rt_thread *joined)
{
	if (!joined)
		return;
	joined->handle = 0; /* libc may give the number to another thread now */
	if (rt_wire)
		TELL(rt_on_thread_join(joined));
}

static void *trampoline(void *argument)
{
	struct rt_thread *self = argument;

	native_thread_begin(self);
	return self->start(self->argument);
}

static void read_attributes(struct rt_thread *child, const pthread_attr_t *attributes)
{
	int state = PTHREAD_CREATE_JOINABLE;

	if (!attributes)
		return;
	pthread_attr_getdetachstate(attributes, &state);
	pthread_attr_getstacksize(attributes, &child->stack_size);
	child->detached = state == PTHREAD_CREATE_DETACHED;
}

RT_EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
			     void *argument)
{
	struct rt_thread *child = native_thread_new(start, argument, RT_CALLER);
	int result;

	if (!child)
		return REAL(pthread_create)(thread, attributes, start, argument);
	read_attributes(child, attributes);
	result = REAL(pthread_create)(thread, attributes, trampoline, child);
	native_thread_created(child, result ? 0 : *thread, result);
	return result;
}

RT_EXPORT int pthread_join(pthread_t thread, void **value)
{
	struct rt_thread *joined = rt_thread_by_handle(thread);
	int result = REAL(pthread_join)(thread, value);

	if (result == 0)
		native_thread_joined(joined);
	return result;
}

RT_EXPORT int pthread_tryjoin_np(pthread_t thread, void **value)
{
	struct rt_thread *joined = rt_thread_by_handle(thread);
	int result = REAL(pthread_tryjoin_np)(thread, value);

	if (result == 0)
		native_thread_joined(joined);
	return result;
}

RT_EXPORT int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until)
{
	struct rt_thread *joined = rt_thread_by_handle(thread);
	int result = REAL(pthread_timedjoin_np)(thread, value, until);

	if (result == 0)
		native_thread_joined(joined);
	return result;
}

RT_EXPORT int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock, const struct timespec *until)
{
	struct rt_thread *joined = rt_thread_by_handle(thread);
	int result = REAL(pthread_clockjoin_np)(thread, value, clock, until);

	if (result == 0)
		native_thread_joined(joined);
	return result;
}

RT_EXPORT int pthread_detach(pthread_t thread)
{
	struct rt_thread *detached = rt_thread_by_handle(thread);
	int result = REAL(pthread_detach)(thread);

	if (detached && result == 0)
		detached->detached = true;
	return result;
}

/* The main thread may end this way too; it has not been through the trampoline. */
RT_EXPORT void pthread_exit(void *value)
{
	native_thread_arm();
	REAL(pthread_exit)(value);
	__builtin_unreachable();
}
