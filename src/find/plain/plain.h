/*
 * plain - memory accesses of programs that were not instrumented: which instruction at
 * file:line touches memory, and how the runtime can stand before it (wire_plan_plain).
 *
 * A site is the address X of an instruction. On the wire its pc is X + 1, so that pc - 1 is the
 * place for instrumented and plain sites alike; a place has offset X.
 *
 * Not sites: accesses of the stack by push, pop, call, ret; thread-local variables (fs:);
 * gathers and masked vectors, whose bytes depend on more than registers; prefetches.
 */
#ifndef FIND_PLAIN_PLAIN_H
#define FIND_PLAIN_PLAIN_H

#include "base/arena.h"
#include "sym/sym.h"
#include "wire/reader.h"

struct plain;

struct plain *plain_open(void);
void plain_close(struct plain *plain);

/*
 * Like sym_sites_at: memory instructions at file:line and calls of libc functions that touch
 * memory (ACCESS_RANGE). An instruction that reads and writes is two sites at one place.
 */
size_t plain_sites_at(struct plain *plain, struct sym *sym, struct arena *arena, const char *module,
		      const char *file, int line, struct sym_site **sites);

/* Fill parts->plain for the sites of the plan; those of libc calls and the unknown are left out. */
void plain_describe(struct plain *plain, struct arena *arena, struct wire_plan_parts *parts);

/*
 * Every memory instruction of the module is told to the engine (WIRE_SIDE_PLAIN): appended to what the
 * plan has, at most some ten thousand. 0 / -1 with a message.
 */
int plain_all(struct sym *sym, struct arena *arena, const char *module, const char *build_id, struct wire_plan_parts *parts);

/* Bytes of the module's text from offset on, at most until the end of its segment. NULL: not text. */
const uint8_t *plain_text(struct plain *plain, const char *module, uint64_t offset, size_t *size);

/*
 * Decode the instruction; address is where it stands. false: no access of memory we can stand
 * before. Everything but out->site is filled in. *length is set whenever it decodes, else 0.
 */
bool plain_decode(const uint8_t *bytes, size_t size, uint64_t address, struct wire_plan_plain *out, size_t *length);

/*
 * Compilers make plain moves of atomic loads and stores. Does the statement at the place speak
 * of an atomic: by the names in its source line, by the function it was inlined from?
 */
bool plain_is_atomic(struct sym *sym, struct arena *arena, const struct place *place);

#endif
