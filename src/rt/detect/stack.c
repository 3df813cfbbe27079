/*
 * stack - stacks of listed accesses, each kept once.
 *
 * A stack is its length and return addresses, innermost first; its number is its place in
 * the pool, in words. Bounded: when the pool is full further stacks are lost and counted.
 */
#include "rt/detect/internal.h"

#define WORDS (1u << 20) /* 8 MiB */
#define HEADS 4096u

static struct {
	struct rt_lock lock;
	uintptr_t *words;  /* next << 8 | length, then the frames */
	uint32_t used;
	uint32_t heads[HEADS];
} pool = { .used = 1 };

static uint32_t hash_of(const uintptr_t *frames, unsigned n)
{
	uint64_t hash = n;

	for (unsigned i = 0; i < n; i++)
		hash = (hash ^ frames[i]) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(hash >> 40) % HEADS;
}

static uint32_t find(uint32_t head, const uintptr_t *frames, unsigned n)
{
	uint32_t at = pool.heads[head];

	for (; at; at = (uint32_t)(pool.words[at] >> 8))
		if ((pool.words[at] & 0xff) == n && !rt_memcmp(&pool.words[at + 1], frames, n * sizeof(*frames)))
			break;
	return at;
}

static uint32_t add(uint32_t head, const uintptr_t *frames, unsigned n)
{
	uint32_t at = pool.used;

	if (!pool.words)
		pool.words = rt_reserve(WORDS * sizeof(*pool.words), false);
	if (!pool.words || at + n + 1 > WORDS)
		return 0;
	pool.words[at] = (uintptr_t)pool.heads[head] << 8 | n;
	rt_memcpy(&pool.words[at + 1], frames, n * sizeof(*frames));
	pool.heads[head] = at;
	pool.used += n + 1;
	return at;
}

uint32_t stack_take(const struct touch *x)
{
	uintptr_t frames[RT_STACK_MAX];
	unsigned n = rt_stack(x->pc, x->frame, frames, RT_STACK_MAX);
	uint32_t head = hash_of(frames, n), at;

	if (!n)
		return 0;
	rt_lock(&pool.lock);
	at = find(head, frames, n);
	if (!at)
		at = add(head, frames, n);
	rt_unlock(&pool.lock);
	if (!at)
		rt_count(WIRE_LOST_STACKS);
	return at;
}

unsigned stack_get(uint32_t stack, const uintptr_t **frames)
{
	if (!stack)
		return 0;
	*frames = &pool.words[stack + 1];
	return (unsigned)(pool.words[stack] & 0xff);
}
