/*
 * spin - pthread_spin_lock announced like a mutex: who would spin just is not enabled.
 *
 * A spin lock's word says nothing about who may share it, so that is kept from init.
 */
#include <errno.h>

#include "rt/abi/tell.h"
#include "rt/sched/internal.h"

struct spin {
	uint32_t owner;  /* ordinal + 1; 0 free */
	uint32_t shared; /* between processes: taken by trying */
};

static struct spin *model(struct sched_object *object)
{
	return (struct spin *)object->state;
}

static struct sched_object *spin_object(pthread_spinlock_t *lock)
{
	return sched_object((const void *)lock, OBJECT_SPIN);
}

static bool spin_is_free(struct sched_thread *thread, void *argument)
{
	const struct spin *spin = argument;

	(void)thread;
	return !spin->owner;
}

RT_EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	if (sched_self()) {
		sched_object_destroy((const void *)lock);
		model(spin_object(lock))->shared = shared == PTHREAD_PROCESS_SHARED;
	}
	return REAL(pthread_spin_init)(lock, shared);
}

RT_EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
	if (sched_self()) {
		sched_step(OP_DESTROY, spin_object(lock), RT_CALLER, NULL, NULL);
		TELL(rt_on_destroy((const void *)lock));
		sched_object_destroy((const void *)lock);
	}
	return REAL(pthread_spin_destroy)(lock);
}

static void spin_take(struct sched_object *object, uintptr_t pc)
{
	model(object)->owner = sched_self()->ordinal + 1;
	sched_held_add(object, LOCK_WRITE, pc);
}

static void spin_take_shared(struct sched_object *object, pthread_spinlock_t *lock, uintptr_t pc)
{
	do
		sched_step(OP_YIELD, object, pc, NULL, NULL);
	while (REAL(pthread_spin_trylock)(lock));
	spin_take(object, pc);
}

RT_EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
	struct sched_object *object;

	if (!sched_self())
		return REAL(pthread_spin_lock)(lock);
	object = spin_object(lock);
	TELL(rt_on_want((const void *)lock, LOCK_WRITE, RT_CALLER));
	if (model(object)->shared) {
		spin_take_shared(object, lock, RT_CALLER);
		return 0;
	}
	sched_wait(OP_SPIN_LOCK, object, RT_CALLER, spin_is_free, model(object), 0, 0);
	spin_take(object, RT_CALLER);
	return 0;
}

RT_EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	struct sched_object *object;

	if (!sched_self())
		return REAL(pthread_spin_trylock)(lock);
	object = spin_object(lock);
	sched_step(OP_TRYLOCK, object, RT_CALLER, NULL, NULL);
	if (model(object)->shared ? REAL(pthread_spin_trylock)(lock) != 0 : model(object)->owner != 0) {
		sched_self()->quiet = true;
		return EBUSY;
	}
	spin_take(object, RT_CALLER);
	return 0;
}

RT_EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	struct sched_object *object;

	if (!sched_self())
		return REAL(pthread_spin_unlock)(lock);
	object = spin_object(lock);
	sched_step(OP_SPIN_UNLOCK, object, RT_CALLER, NULL, NULL);
	sched_held_remove(object, LOCK_WRITE, RT_CALLER);
	model(object)->owner = 0;
	return model(object)->shared ? REAL(pthread_spin_unlock)(lock) : 0;
}
