/*
 * guard - the C++ locks around function-local statics, for programs whose libstdc++ is linked
 * statically: the linker took ours instead of the archive's, so there is no real one.
 */
#ifndef ABI_GUARD_H
#define ABI_GUARD_H

#include <stdint.h>

int guard_acquire(uint64_t *guard);
void guard_release(uint64_t *guard);
void guard_abort(uint64_t *guard);

#endif
