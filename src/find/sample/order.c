/*
 * order - the hybrid rule's half of happens-before: create, join, send and receive, in the
 * one order all records share; not locks. Each sample is given its thread's epoch and what
 * its thread had heard of others by then.
 *
 *     send:     object.clock |= self.clock with self's epoch; self's epoch + 1
 *     receive:  self.clock |= object.clock
 *     create, join: the same with the other thread instead of an object
 *     a before b  <=>  b.clock[a.thread] >= a.epoch
 *
 * A receive hears all sends so far, not the one that woke it (as detect does).
 */
#include <stdlib.h>
#include <string.h>

#include "find/sample/internal.h"

/* ---- clocks --------------------------------------------------------------------------------- */

struct clock *clock_keep(struct clock *clock)
{
	if (clock)
		clock->references++;
	return clock;
}

void clock_drop(struct clock *clock)
{
	if (clock && !--clock->references)
		free(clock);
}

/* *clock is ours alone afterwards and has room for count entries. */
static void clock_own(struct clock **clock, uint32_t count)
{
	struct clock *old = *clock, *own;
	uint32_t had = old ? old->count : 0;

	if (count < had)
		count = had;
	if (old && old->references == 1 && had == count)
		return;
	own = calloc(1, sizeof(*own) + count * sizeof(uint32_t));
	if (!own)
		abort();
	own->references = 1;
	own->count = count;
	if (had)
		memcpy(own->epoch, old->epoch, had * sizeof(uint32_t));
	clock_drop(old);
	*clock = own;
}

static bool clock_covers(const struct clock *a, const struct clock *b)
{
	if (!b || a == b)
		return true;
	for (uint32_t i = 0; i < b->count; i++)
		if (b->epoch[i] > (a && i < a->count ? a->epoch[i] : 0))
			return false;
	return true;
}

static void clock_join(struct clock **to, const struct clock *from)
{
	if (clock_covers(*to, from))
		return;
	clock_own(to, from->count);
	for (uint32_t i = 0; i < from->count; i++)
		if (from->epoch[i] > (*to)->epoch[i])
			(*to)->epoch[i] = from->epoch[i];
}

static void clock_note(struct clock **to, uint32_t thread, uint32_t epoch)
{
	if (*to && thread < (*to)->count && (*to)->epoch[thread] >= epoch)
		return;
	clock_own(to, thread + 1);
	(*to)->epoch[thread] = epoch;
}

/* ---- objects: open addressing by address ------------------------------------------------------- */

struct object {
	uint64_t address;
	struct clock *clock;
};

struct objects {
	struct object *slots;
	size_t size, used; /* size a power of two */
};

static struct object *object_slot(struct objects *o, uint64_t address)
{
	size_t i = address * 0x9e3779b97f4a7c15ull >> 20 & (o->size - 1);

	while (o->slots[i].address && o->slots[i].address != address)
		i = (i + 1) & (o->size - 1);
	return &o->slots[i];
}

static void objects_grow(struct objects *o)
{
	struct objects more = { .size = o->size ? o->size * 2 : 1024 };

	more.slots = calloc(more.size, sizeof(*more.slots));
	if (!more.slots)
		abort();
	for (size_t i = 0; i < o->size; i++)
		if (o->slots[i].address)
			*object_slot(&more, o->slots[i].address) = o->slots[i];
	more.used = o->used;
	free(o->slots);
	*o = more;
}

static struct object *object_get(struct objects *o, uint64_t address)
{
	struct object *slot;

	if (o->used * 2 >= o->size)
		objects_grow(o);
	slot = object_slot(o, address);
	if (!slot->address) {
		slot->address = address;
		o->used++;
	}
	return slot;
}

/* ---- the walk ------------------------------------------------------------------------------------ */

struct event {
	uint64_t order;
	const struct trace_record *record;
	uint32_t thread;
};

struct life {
	struct clock *clock;
	uint32_t epoch;
};

struct walk {
	struct process *process;
	VEC(struct event) events;
	VEC(struct life) lives;
	struct objects objects;
};

static bool collect(void *context, uint32_t thread, const struct trace_record *record)
{
	struct walk *w = context;
	bool wanted = record->type == TRACE_R_CREATE || record->type == TRACE_R_JOIN || record->type == TRACE_R_SEND ||
		      record->type == TRACE_R_RECEIVE || record->type == TRACE_R_DESTROY || record->type == TRACE_R_SAMPLE;

	if (wanted && thread < MOST_THREADS)
		VEC_PUSH(&w->events, (struct event){ record->order, record, thread });
	return true;
}

static int by_order(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

static struct life *life_of(struct walk *w, uint32_t thread)
{
	while (w->lives.count <= thread)
		VEC_PUSH(&w->lives, (struct life){ NULL, 1 });
	return &w->lives.items[thread];
}

static void tell(struct walk *w, struct clock **to, uint32_t thread)
{
	struct life *life = life_of(w, thread);

	clock_join(to, life->clock);
	clock_note(to, thread, life->epoch);
	life->epoch++;
}

static void create(struct walk *w, uint32_t parent, uint32_t child)
{
	struct clock *fresh = NULL;

	life_of(w, child > parent ? child : parent); /* may move them: before pointers are taken */
	tell(w, &fresh, parent);
	clock_drop(w->lives.items[child].clock);
	w->lives.items[child].clock = fresh;
}

static void join(struct walk *w, uint32_t self, uint32_t ended)
{
	struct clock *last = NULL;

	life_of(w, ended > self ? ended : self);
	tell(w, &last, ended);
	clock_join(&w->lives.items[self].clock, last);
	clock_drop(last);
}

static void sample(struct walk *w, const struct event *event)
{
	const struct trace_r_sample *record = (const void *)event->record;
	struct life *life = life_of(w, event->thread);
	size_t room = event->record->size < sizeof(*record) ? 0 : event->record->size - sizeof(*record);

	if (event->record->size < sizeof(*record) || record->lock_count > room / 8)
		return;
	VEC_PUSH(&w->process->samples, (struct seen_sample){ record, event->order, event->thread, life->epoch,
							      clock_keep(life->clock) });
}

static void step(struct walk *w, const struct event *event)
{
	const struct trace_r_object *object = (const void *)event->record;
	bool whole = event->record->size >= sizeof(*object);
	struct object *slot;

	switch (event->record->type) {
	case TRACE_R_CREATE:
		if (event->record->aux < MOST_THREADS)
			create(w, event->thread, event->record->aux);
		break;
	case TRACE_R_JOIN:
		if (event->record->aux < MOST_THREADS)
			join(w, event->thread, event->record->aux);
		break;
	case TRACE_R_SEND:
		if (whole)
			tell(w, &object_get(&w->objects, object->object)->clock, event->thread);
		break;
	case TRACE_R_RECEIVE:
		if (whole)
			clock_join(&life_of(w, event->thread)->clock, object_get(&w->objects, object->object)->clock);
		break;
	case TRACE_R_DESTROY:
		slot = whole ? object_get(&w->objects, object->object) : NULL;
		if (slot) {
			clock_drop(slot->clock);
			slot->clock = NULL;
		}
		break;
	default:
		sample(w, event);
		break;
	}
}

void process_order(struct process *process)
{
	struct walk w = { .process = process };

	process_each(process, collect, &w);
	if (w.events.count)
		qsort(w.events.items, w.events.count, sizeof(struct event), by_order);
	for (size_t i = 0; i < w.events.count; i++)
		step(&w, &w.events.items[i]);
	for (size_t i = 0; i < w.lives.count; i++)
		clock_drop(w.lives.items[i].clock);
	for (size_t i = 0; i < w.objects.size; i++)
		clock_drop(w.objects.slots[i].clock);
	free(w.objects.slots);
	VEC_FREE(&w.events);
	VEC_FREE(&w.lives);
}
