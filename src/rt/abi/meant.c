/*
 * meant - what an engine does that has no use of its own for these two notes. Weak: an
 * engine that records accesses defines its own.
 */
#include "rt/rt.h"

__attribute__((weak)) void rt_on_pause(bool paused)
{
}

__attribute__((weak)) void rt_on_benign(const void *address, size_t size, const char *why, uintptr_t pc)
{
}
