/* intern - see internal.h: sixteen tables behind sixteen locks; what was handed out never moves. */
#include <stdlib.h>
#include <string.h>

#include "find/scan/intern.h"

void intern_begin(struct intern *intern, size_t item)
{
	memset(intern, 0, sizeof(*intern));
	intern->item = item;
	for (int i = 0; i < INTERN_SHARDS; i++) {
		struct intern_shard *shard = &intern->shards[i];

		pthread_mutex_init(&shard->lock, NULL);
		shard->slot_count = 256;
		shard->slots = calloc(shard->slot_count, sizeof(*shard->slots));
		shard->chunk_count = 1u << 14;
		shard->chunks = calloc(shard->chunk_count, sizeof(*shard->chunks));
		if (!shard->slots || !shard->chunks)
			BUG("out of memory");
		if (!i && !(shard->chunks[0] = calloc(INTERN_CHUNK, item))) /* id 0 may be looked at: all zero */
			BUG("out of memory");
	}
}

void intern_end(struct intern *intern)
{
	for (int i = 0; i < INTERN_SHARDS; i++) {
		struct intern_shard *shard = &intern->shards[i];

		for (size_t c = 0; c < shard->chunk_count && shard->chunks[c]; c++)
			free(shard->chunks[c]);
		free(shard->chunks);
		free(shard->slots);
		arena_free(&shard->arena);
		pthread_mutex_destroy(&shard->lock);
	}
}

static size_t slot_of(uint64_t hash, size_t count)
{
	return hash >> 8 & (count - 1);
}

static void grow(struct intern *intern, struct intern_shard *shard, intern_hash hash_of)
{
	size_t count = shard->slot_count * 2;
	struct intern_slot *slots = calloc(count, sizeof(*slots));

	if (!slots)
		BUG("out of memory");
	for (size_t i = 0; i < shard->slot_count; i++) {
		size_t at;

		if (!shard->slots[i].id)
			continue;
		at = slot_of(hash_of(intern_at(intern, shard->slots[i].id)), count);
		while (slots[at].id)
			at = (at + 1) & (count - 1);
		slots[at] = shard->slots[i];
	}
	free(shard->slots);
	shard->slots = slots;
	shard->slot_count = count;
}

uint32_t intern_get(struct intern *intern, const void *item, intern_hash hash_of, intern_same same, intern_keep keep,
		    void *context)
{
	uint64_t hash = hash_of(item);
	uint32_t number = hash % INTERN_SHARDS, tag = (uint32_t)(hash >> 32), id;
	struct intern_shard *shard = &intern->shards[number];
	size_t at, index;
	void *place;

	pthread_mutex_lock(&shard->lock);
	for (at = slot_of(hash, shard->slot_count); (id = shard->slots[at].id); at = (at + 1) & (shard->slot_count - 1))
		if (shard->slots[at].tag == tag && same(intern_at(intern, id), item))
			goto out;
	index = ++shard->count; /* index 0 stays unused: id 0 means none */
	if (index / INTERN_CHUNK >= shard->chunk_count)
		BUG("more than %zu things of one kind", shard->chunk_count * INTERN_CHUNK);
	if (!shard->chunks[index / INTERN_CHUNK]) {
		shard->chunks[index / INTERN_CHUNK] = calloc(INTERN_CHUNK, intern->item);
		if (!shard->chunks[index / INTERN_CHUNK])
			BUG("out of memory");
	}
	id = (uint32_t)(index * INTERN_SHARDS + number);
	place = intern_at(intern, id);
	memcpy(place, item, intern->item);
	if (keep)
		keep(place, &shard->arena, context);
	shard->slots[at] = (struct intern_slot){ id, tag };
	if (shard->count * 2 > shard->slot_count)
		grow(intern, shard, hash_of);
out:
	pthread_mutex_unlock(&shard->lock);
	return id;
}
