/*
 * exclude.h - what the files of the exclusions share; exclude.c has the list.
 *
 *     exclude.c          may two accesses touch the same bytes; the list of exclusions
 *     exclude_places.c   when a name means one object
 *     exclude_locks.c    locks, lock-modes, same-object
 *     exclude_order.c    once, barriers, hand-over, publication
 *     exclude_indexed.c  indexed
 */
#ifndef FIND_SCAN_EXCLUDE_H
#define FIND_SCAN_EXCLUDE_H

#include "find/scan/intern.h"

/* exclude_places.c: is the function entered at most once in the life of the program? depth 0 */
bool entered_once(struct descent *d, uint32_t f, int depth);
/* Can this name mean only one place? `hole` is a part that both sides have alike already. */
bool single(struct descent *d, path_id path, path_id hole, bool main_side);
/* In words that mean the same in every thread. */
path_id in_common(struct descent *d, uint32_t thread, path_id path);
bool same_place(struct descent *d, uint32_t ta, path_id a, uint32_t tb, path_id b);

/* exclude_locks.c: sem_init and pthread_barrier_init give a number, the others only an object. */
bool makes_count(struct descent *d, const struct sync_place *p);
/* EXCLUDE_LOCKS, EXCLUDE_MODES or -1 */
int common_lock(struct descent *d, const struct place_access *a, const struct place_access *b);
bool same_object(struct descent *d, const struct pair_view *v);

/* exclude_order.c: a before b. ordered: EXCLUDE_FENCES, EXCLUDE_CONDITIONS or -1 */
bool within_once(struct descent *d, const struct place_access *a, const struct place_access *b);
bool apart_by_barrier(struct descent *d, const struct place_access *a, const struct place_access *b);
int ordered(struct descent *d, const struct place_access *a, const struct place_access *b, uint32_t without);

/* exclude_indexed.c */
bool indexed(struct descent *d, const struct pair_view *v);

#endif
