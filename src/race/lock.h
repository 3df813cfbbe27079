/*
 * lock - how a lock is held, and when two held locks exclude each other.
 */
#ifndef RACE_LOCK_H
#define RACE_LOCK_H

/* <fcntl.h> has old macros of these names (flock on Windows shares): take them out, once and for all. */
#include <fcntl.h>
#include <stdbool.h>

#undef LOCK_READ
#undef LOCK_WRITE

enum lock_mode {
	LOCK_READ = 0,   /* shared: rwlock rdlock */
	LOCK_WRITE = 1,  /* exclusive: mutex, spin lock, rwlock wrlock */
};

/*
 * The same lock on both sides protects unless both hold it for reading.
 * (Two readers under one read lock can run at once; when one of their accesses
 * is a write, the read lock did not protect it.)
 */
static inline bool lock_modes_exclude(enum lock_mode a, enum lock_mode b)
{
	return a == LOCK_WRITE || b == LOCK_WRITE;
}

static inline const char *lock_mode_name(enum lock_mode mode)
{
	return mode == LOCK_WRITE ? "write" : "read";
}

#endif
