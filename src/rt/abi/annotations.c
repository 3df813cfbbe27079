/*
 * annotations - the dynamic annotations of helgrind, drd and tsan (Annotate*): same meaning,
 * same hooks as deadheat.h. Their first arguments are file and line of the call.
 *
 * Those about a mutex's nature (IsNotPHB, IsUsedAsCondVar), publishing and expected races
 * are notes to detectors of another kind: accepted and without effect here.
 */
#include "rt/abi/held.h"

#define PLACE char *file, int line

#define ANNOTATION(name, parameters, call) \
	RT_EXPORT void name parameters; \
	RT_EXPORT void name parameters \
	{ \
		if (rt_wire) \
			TELL(call); \
	}
#define NO_EFFECT(name, parameters) \
	RT_EXPORT void name parameters; \
	RT_EXPORT void name parameters \
	{ \
	}

/* edges */
ANNOTATION(AnnotateHappensBefore, (PLACE, void *object), rt_on_send(object))
ANNOTATION(AnnotateHappensAfter, (PLACE, void *object), rt_on_receive(object))
ANNOTATION(WTFAnnotateHappensBefore, (PLACE, void *object), rt_on_send(object))
ANNOTATION(WTFAnnotateHappensAfter, (PLACE, void *object), rt_on_receive(object))
ANNOTATION(AnnotateCondVarSignal, (PLACE, void *cond), rt_on_send(cond))
ANNOTATION(AnnotateCondVarSignalAll, (PLACE, void *cond), rt_on_send(cond))
ANNOTATION(AnnotateCondVarWait, (PLACE, void *cond, void *lock), rt_on_receive(cond))
ANNOTATION(AnnotatePCQPut, (PLACE, void *queue), rt_on_send(queue))
ANNOTATION(AnnotatePCQGet, (PLACE, void *queue), rt_on_receive(queue))
NO_EFFECT(AnnotatePCQCreate, (PLACE, void *queue))
ANNOTATION(AnnotatePCQDestroy, (PLACE, void *queue), rt_on_destroy(queue))

/* memory */
ANNOTATION(AnnotateNewMemory, (PLACE, void *block, size_t size), rt_on_fresh(block, size))
ANNOTATION(AnnotateBenignRace, (PLACE, void *address, char *why), rt_meant(address, 1, why))
ANNOTATION(AnnotateBenignRaceSized, (PLACE, void *address, size_t size, char *why),
	   rt_meant(address, size, why))
ANNOTATION(WTFAnnotateBenignRaceSized, (PLACE, void *address, size_t size, char *why),
	   rt_meant(address, size, why))
NO_EFFECT(AnnotateMemoryIsInitialized, (PLACE, void *block, size_t size))
NO_EFFECT(AnnotateMemoryIsUninitialized, (PLACE, void *block, size_t size))
NO_EFFECT(AnnotatePublishMemoryRange, (PLACE, void *block, size_t size))
NO_EFFECT(AnnotateUnpublishMemoryRange, (PLACE, void *block, size_t size))
NO_EFFECT(AnnotateTraceMemory, (PLACE, void *address))

/* what is looked at; our engine knows one switch for reads and writes */
ANNOTATION(AnnotateIgnoreReadsBegin, (PLACE), rt_on_ignore(1))
ANNOTATION(AnnotateIgnoreReadsEnd, (PLACE), rt_on_ignore(-1))
ANNOTATION(AnnotateIgnoreWritesBegin, (PLACE), rt_on_ignore(1))
ANNOTATION(AnnotateIgnoreWritesEnd, (PLACE), rt_on_ignore(-1))
NO_EFFECT(AnnotateIgnoreSyncBegin, (PLACE))
NO_EFFECT(AnnotateIgnoreSyncEnd, (PLACE))
ANNOTATION(AnnotateEnableRaceDetection, (PLACE, int enable), (void)(rt_paused = !enable))

/* locks */
NO_EFFECT(AnnotateRWLockCreate, (PLACE, void *lock))
NO_EFFECT(AnnotateRWLockCreateStatic, (PLACE, void *lock))
ANNOTATION(AnnotateRWLockDestroy, (PLACE, void *lock), rt_on_destroy(lock))

RT_EXPORT void AnnotateRWLockAcquired(PLACE, void *lock, long write);
RT_EXPORT void AnnotateRWLockAcquired(PLACE, void *lock, long write)
{
	held_acquired(lock, write ? LOCK_WRITE : LOCK_READ, RT_CALLER);
}

RT_EXPORT void AnnotateRWLockReleased(PLACE, void *lock, long write);
RT_EXPORT void AnnotateRWLockReleased(PLACE, void *lock, long write)
{
	held_released(lock, write ? LOCK_WRITE : LOCK_READ, RT_CALLER);
}

/* without effect here */
NO_EFFECT(AnnotateMutexIsNotPHB, (PLACE, void *lock))
NO_EFFECT(AnnotateMutexIsUsedAsCondVar, (PLACE, void *lock))
NO_EFFECT(AnnotateExpectRace, (PLACE, void *address, char *why))
NO_EFFECT(AnnotateFlushExpectedRaces, (PLACE))
NO_EFFECT(AnnotateFlushState, (PLACE))
NO_EFFECT(AnnotateNoOp, (PLACE, void *anything))
NO_EFFECT(AnnotateThreadName, (PLACE, char *name))
