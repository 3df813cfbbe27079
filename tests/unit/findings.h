/*
 * findings - a fixed set of findings for the tests of store and report: one harmful race,
 * one suspected pair, one real and one suspected deadlock, one failure.
 */
#ifndef TESTS_UNIT_FINDINGS_H
#define TESTS_UNIT_FINDINGS_H

#include "race/fingerprint.h"
#include "store/store.h"

#define BUILD "0123456789abcdef0123456789abcdef01234567"

static const struct held_lock lock_of_flush[] = { { "queue.lock", LOCK_WRITE }, { "table", LOCK_READ } };
static const struct frame stack_of_inc[] = {
	{ "inc", "counter.c", 12, 9, true, { BUILD, "/w/counter", 0x1234 } },
	{ "worker", "counter.c", 20, 3, false, { BUILD, "/w/counter", 0x1234 } },
};
static const struct frame stack_of_flush[] = {
	{ "flush", "counter.c", 31, 2, false, { BUILD, "/w/counter", 0x2345 } },
	{ NULL, NULL, 0, 0, false, { "", "/usr/lib/libc.so.6", 0x99 } },
};
static const struct place place_of_inc[] = { { BUILD, "/w/counter", 0x1234 } };
static const struct place place_of_flush[] = { { BUILD, "/w/counter", 0x2345 } };

static inline struct candidate finding_race(void)
{
	struct candidate c = { .rung = RUNG_SUSPECTED, .found_by = FINDER_DETECT, .variable = "counter",
			       .memory = "global of 4 bytes" };

	c.access[0] = (struct access){ .flags = ACCESS_WRITE, .size = 4, .function = "inc", .file = "counter.c", .line = 12,
				       .column = 9, .ordinal = 2, .thread = "T1, created at counter.c:41", .value = "0 -> 1",
				       .stack = stack_of_inc, .stack_count = 2, .places = place_of_inc, .place_count = 1 };
	c.access[1] = (struct access){ .flags = ACCESS_READ | ACCESS_ATOMIC, .size = 4, .function = "flush", .file = "counter.c",
				       .line = 31, .column = 2, .ordinal = 5, .thread = "main thread",
				       .locks = lock_of_flush, .lock_count = 2, .stack = stack_of_flush, .stack_count = 2,
				       .places = place_of_flush, .place_count = 1 };
	candidate_identify(&c);
	return c;
}

static inline struct candidate finding_pair(void)
{
	struct candidate c = { .rung = RUNG_SUSPECTED, .found_by = FINDER_DETECT | FINDER_SAMPLE,
			       .memory = "heap block of 64 bytes from queue.c:7" };

	c.access[0] = (struct access){ .flags = ACCESS_WRITE | ACCESS_RANGE | ACCESS_FREE, .size = 64, .function = "drop",
				       .file = "queue.c", .line = 80, .ordinal = 1, .thread = "T2, created at counter.c:42" };
	c.access[1] = (struct access){ .flags = ACCESS_READ, .size = 8, .function = "??", .file = "",
				       .places = place_of_flush, .place_count = 1 };
	candidate_identify(&c);
	return c;
}

static inline struct deadlock finding_deadlock(struct deadlock_edge edges[2], bool happened)
{
	static const struct frame at[2] = {
		{ "transfer", "bank.c", 14, 2, false, { BUILD, "/w/bank", 0x10 } },
		{ "audit", "bank.c", 27, 2, false, { BUILD, "/w/bank", 0x20 } },
	};
	struct deadlock d = { .rung = happened ? RUNG_HARMFUL : RUNG_SUSPECTED, .found_by = FINDER_DETECT, .edge_count = 2 };

	edges[0] = (struct deadlock_edge){ "from.lock", "to.lock", { BUILD, "/w/bank", 0x8 }, { BUILD, "/w/bank", 0x10 }, &at[0], 1 };
	edges[1] = (struct deadlock_edge){ "to.lock", "from.lock", { BUILD, "/w/bank", 0x18 }, { BUILD, "/w/bank", 0x20 },
					   happened ? &at[1] : NULL, happened };
	deadlock_identify(&d, edges);
	return d;
}

static inline struct failure finding_failure(void)
{
	struct failure f = { .outcome = "SIGABRT", .message = "Assertion `n > 0' failed", .count = 1 };

	failure_identify(&f);
	return f;
}

#endif
