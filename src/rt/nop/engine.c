/*
 * nop/engine - hears nothing. The engine of `nop` (just running) and `sched` (only turns).
 */
#include "rt/rt.h"

void rt_engine_start(void) {}
void rt_engine_end(void) {}
void rt_on_thread_start(struct rt_thread *self) {}
void rt_on_thread_create(struct rt_thread *child) {}
void rt_on_thread_end(struct rt_thread *self) {}
void rt_on_thread_join(struct rt_thread *joined) {}
void rt_on_fork_child(void) {}
void rt_on_acquire(const void *lock, enum lock_mode mode, uintptr_t pc) {}
void rt_on_release(const void *lock, enum lock_mode mode, uintptr_t pc) {}
void rt_on_want(const void *lock, enum lock_mode mode, uintptr_t pc) {}
void rt_on_send(const void *object) {}
void rt_on_receive(const void *object) {}
void rt_on_destroy(const void *object) {}
void rt_on_access(const void *address, size_t size, unsigned flags, uintptr_t pc) {}
void rt_on_atomic(const void *address, size_t size, unsigned flags, int order, uintptr_t pc) {}
void rt_on_atomic_done(const void *address, unsigned flags, int order) {}
void rt_on_fence(int order) {}
void rt_on_alloc(const void *block, size_t size, uintptr_t pc) {}
void rt_on_free(const void *block, size_t size, uintptr_t pc) {}
void rt_on_fresh(const void *block, size_t size) {}
void rt_on_ignore(int delta) {}
