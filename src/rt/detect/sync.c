/*
 * sync - sync objects by address: what was sent to them, which lock they are.
 *
 * Objects hang in a list per page of the program, pages in a hash table: so free() of a
 * block finds in one look whether anything in it must be forgotten (order or locks must not
 * leak to the next object at that address). A thread keeps a small cache of the objects it
 * used; a generation that moves with every drop makes stale entries void.
 *
 * I1  Objects are recycled but their memory is never given back: a stale pointer reads an
 *     object, if not the right one, and only a program that destroys what it uses gets there.
 */
#include "rt/detect/internal.h"

#define PAGE_BITS 12
#define HEADS (1u << 16)
#define STRIPES 64u

struct page {
	uintptr_t number;
	struct page *next;
	struct object *objects;
};

static struct page *heads[HEADS];
static struct rt_lock stripes[STRIPES];
static struct rt_lock pool_lock;
static struct object *object_pool;
static struct page *page_pool;
static uint32_t generation = 1;

static uint32_t head_of(uintptr_t number)
{
	return (uint32_t)(number ^ number >> 16) % HEADS;
}

static struct object *object_new(uintptr_t address)
{
	struct object *object;

	rt_lock(&pool_lock);
	object = object_pool;
	if (object)
		object_pool = object->next;
	rt_unlock(&pool_lock);
	if (object) {
		uint32_t version = object->version;

		*object = (struct object){ .version = version + 1 };
	} else
		object = rt_arena(sizeof(*object));
	if (object)
		object->address = address;
	return object;
}

static struct page *page_new(uintptr_t number)
{
	struct page *page;

	rt_lock(&pool_lock);
	page = page_pool;
	if (page)
		page_pool = page->next;
	rt_unlock(&pool_lock);
	if (!page)
		page = rt_arena(sizeof(*page));
	if (page)
		*page = (struct page){ .number = number };
	return page;
}

static struct page *page_find(uintptr_t number, bool make)
{
	struct page **head = &heads[head_of(number)], *page;

	for (page = *head; page; page = page->next)
		if (page->number == number)
			return page;
	page = make ? page_new(number) : NULL;
	if (page) {
		page->next = *head;
		*head = page;
	}
	return page;
}

static struct object *find(uintptr_t address, bool make)
{
	struct page *page = page_find(address >> PAGE_BITS, make);
	struct object *object;

	if (!page)
		return NULL;
	for (object = page->objects; object; object = object->next)
		if (object->address == address)
			return object;
	object = make ? object_new(address) : NULL;
	if (object) {
		object->next = page->objects;
		page->objects = object;
	}
	return object;
}

static struct object *find_locked(uintptr_t address, bool make)
{
	struct rt_lock *stripe = &stripes[head_of(address >> PAGE_BITS) % STRIPES];
	struct object *object;

	rt_lock(stripe);
	object = find(address, make);
	rt_unlock(stripe);
	if (!object && make)
		rt_count(WIRE_LOST_LOCKS);
	return object;
}

struct object *object_at(struct detect_thread *t, uintptr_t address, bool make)
{
	unsigned i = (address >> 3 ^ address >> 9) % OBJECT_CACHE;
	uint32_t now = __atomic_load_n(&generation, __ATOMIC_RELAXED);
	struct object *object;

	if (t->objects[i].address == address && t->objects[i].generation == now)
		return t->objects[i].object;
	object = find_locked(address, make);
	if (object) {
		t->objects[i].address = address;
		t->objects[i].object = object;
		t->objects[i].generation = now;
		t->objects[i].version = 0;
	}
	return object;
}

/* ---- sending and receiving -------------------------------------------------------------- */

void object_send_clock(struct detect_thread *t, uintptr_t address, const struct clock *clock)
{
	struct object *object = object_at(t, address, true);

	if (!object)
		return;
	rt_lock(&object->lock);
	if (clock_join(&object->vc, clock))
		object->version++;
	rt_unlock(&object->lock);
}

void object_send(struct detect_thread *t, uintptr_t address)
{
	segment_advance(t);
	object_send_clock(t, address, &t->vc);
}

void object_receive(struct detect_thread *t, uintptr_t address)
{
	struct object *object = object_at(t, address, false);
	unsigned i = (address >> 3 ^ address >> 9) % OBJECT_CACHE;

	if (!object || t->objects[i].version == __atomic_load_n(&object->version, __ATOMIC_ACQUIRE) + 1)
		return;
	rt_lock(&object->lock);
	clock_join(&t->vc, &object->vc);
	t->objects[i].version = object->version + 1;
	rt_unlock(&object->lock);
}

/* ---- forgetting ------------------------------------------------------------------------------ */

static void object_retire(struct object *object)
{
	__atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED);
	rt_lock(&object->lock);
	clock_free(&object->vc);
	object->version++;
	rt_unlock(&object->lock);
	rt_lock(&pool_lock);
	object->next = object_pool;
	object_pool = object;
	rt_unlock(&pool_lock);
}

static void page_retire(struct page *page)
{
	struct page **at = &heads[head_of(page->number)];

	while (*at != page)
		at = &(*at)->next;
	*at = page->next;
	rt_lock(&pool_lock);
	page->next = page_pool;
	page_pool = page;
	rt_unlock(&pool_lock);
}

/* With the stripe held. */
static void page_drop(struct page *page, uintptr_t low, uintptr_t high)
{
	for (struct object **at = &page->objects; *at;) {
		struct object *object = *at;

		if (object->address >= low && object->address < high) {
			*at = object->next;
			object_retire(object);
		} else
			at = &object->next;
	}
	if (!page->objects)
		page_retire(page);
}

static void drop_in_page(uintptr_t number, uintptr_t low, uintptr_t high)
{
	uint32_t head = head_of(number);
	struct page *page;

	if (!__atomic_load_n(&heads[head], __ATOMIC_RELAXED))
		return;
	rt_lock(&stripes[head % STRIPES]);
	page = page_find(number, false);
	if (page)
		page_drop(page, low, high);
	rt_unlock(&stripes[head % STRIPES]);
}

/* A range of more pages than there are heads: go by what is there. */
static void drop_everywhere(uintptr_t low, uintptr_t high)
{
	for (uint32_t i = 0; i < HEADS; i++) {
		struct page *page, *next;

		rt_lock(&stripes[i % STRIPES]);
		for (page = heads[i]; page; page = next) {
			next = page->next;
			if (page->number >= low >> PAGE_BITS && page->number <= high >> PAGE_BITS)
				page_drop(page, low, high);
		}
		rt_unlock(&stripes[i % STRIPES]);
	}
}

void objects_drop(uintptr_t address, size_t size)
{
	uintptr_t end = address + size;

	if (!size || end < address)
		return;
	if (size >> PAGE_BITS > HEADS) {
		drop_everywhere(address, end);
		return;
	}
	for (uintptr_t page = address >> PAGE_BITS; page <= (end - 1) >> PAGE_BITS; page++)
		drop_in_page(page, address, end);
}

/* ---- hooks -------------------------------------------------------------------------------------- */

void rt_on_send(const void *object)
{
	struct detect_thread *t = detect_self();

	if (!t || detect_off)
		return;
	object_send(t, (uintptr_t)object);
	sample_sync(t);
}

void rt_on_receive(const void *object)
{
	struct detect_thread *t = detect_self();

	if (!t || detect_off)
		return;
	object_receive(t, (uintptr_t)object);
	sample_sync(t);
}

void rt_on_destroy(const void *object)
{
	if (!detect_off)
		objects_drop((uintptr_t)object, 1);
}
