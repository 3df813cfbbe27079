/*
 * patch - call sites in the program's text become NOPs or direct calls, at first visit.
 *
 * Precise: call.c follows the call before the return address to the entry that was reached. No
 * scan of the text is ever needed, and nothing that was not executed is touched. How bytes
 * are changed while other threads run through them is poke.c's matter. Where the first two
 * bytes of a call cannot be changed at once, the first alone can: E8 and FF become the opcode of
 * a test that takes the operand as it stands, and writes nothing but the flags, which no call
 * promises to keep. (A near `ret` instead, as it was, made a loop with one such call half as
 * fast again.) All refusals are counted, once a site.
 *
 * A change costs two system calls for the page's protection and three interrupts to all cores
 * (5 us alone, 40 us beside one running thread, measured), so sites are first only *planned*
 * (0.2 us); whoever is worth the price then takes all planned ones of its page along.
 *
 * I1  Everything below is done under one lock, which a signal handler never waits for.
 * I2  The original bytes of every patched site are kept (rt_patch_restore).
 */
#include "rt/call.h"
#include "rt/near.h"
#include "rt/poke.h"

#define PAGES 1024u   /* buckets by page */
#define BATCH 256u    /* sites changed at once: a page holds about 300 calls with their set-up */
#define BUCKETS 4096u
#define REFUSED 1024u

struct site {
	uintptr_t pc;               /* return address */
	struct site *next;          /* same bucket by pc */
	struct site *page_next;     /* same bucket by page */
	const void *target;         /* a direct call to; NULL: a NOP */
	uint8_t length;             /* of the call: 5 or 6 */
	bool planned;               /* unpatched, to be changed with its page */
	bool patched;
	uint8_t original[CALL_MAX];
	uint8_t wanted[CALL_MAX];   /* what stands there when patched */
};

static struct site *buckets[BUCKETS];
static struct site *pages[PAGES];
static uintptr_t refused[REFUSED]; /* direct mapped: a tail jump comes by again and again */
static struct rt_lock lock;
static RT_TLS bool busy; /* a handler that interrupts us leaves its sites for another visit */

static const uint8_t nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
static const uint8_t nop6[] = { 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 };

/* ---- the table of sites -------------------------------------------------------------------- */

static struct site **bucket(uintptr_t pc)
{
	return &buckets[(pc * 0x9e3779b97f4a7c15ull) >> 52];
}
_Static_assert(BUCKETS == 1u << (64 - 52), "the shift picks a bucket");

static struct site **page_bucket(uintptr_t pc)
{
	return &pages[(pc / WIRE_PAGE * 0x9e3779b97f4a7c15ull) >> 54];
}
_Static_assert(PAGES == 1u << (64 - 54), "the shift picks a bucket");

static struct site *find(uintptr_t pc)
{
	struct site *site = *bucket(pc);

	while (site && site->pc != pc)
		site = site->next;
	return site;
}

/* Where a library was unloaded and another one lies now, the record is of the old one. */
static bool is_intact(const struct site *site)
{
	return call_text(site->pc) &&
	       !rt_memcmp((const void *)(site->pc - site->length), site->patched ? site->wanted : site->original,
			  site->length);
}

/* The record of the call of that length before pc, which stands there unpatched. */
static struct site *find_or_add(uintptr_t pc, uint8_t length)
{
	struct site *site = find(pc);

	if (!site) {
		site = rt_arena(sizeof(*site));
		if (!site)
			return NULL;
		site->pc = pc;
		site->next = *bucket(pc);
		*bucket(pc) = site;
		site->page_next = *page_bucket(pc);
		*page_bucket(pc) = site;
	}
	site->length = length;
	site->patched = false;
	rt_memcpy(site->original, (const void *)(pc - length), length);
	return site;
}

static bool refuse(uintptr_t pc)
{
	uintptr_t *entry = &refused[(pc * 0x9e3779b97f4a7c15ull) >> 54];

	if (*entry != pc)
		rt_count(WIRE_UNPATCHED_SITES);
	*entry = pc;
	return false;
}
_Static_assert(REFUSED == 1u << (64 - 54), "the shift picks an entry");

static bool is_refused(uintptr_t pc)
{
	return __atomic_load_n(&refused[(pc * 0x9e3779b97f4a7c15ull) >> 54], __ATOMIC_RELAXED) == pc;
}

/* ---- what to write ---------------------------------------------------------------------------- */

/* A direct call of the same length: 67 is a prefix without meaning to a near call. */
static bool direct_call(const struct site *site, const void *target, uint8_t *bytes)
{
	intptr_t distance = (intptr_t)((uintptr_t)target - site->pc);
	int32_t operand = (int32_t)distance;

	if (operand != distance)
		return false;
	bytes[0] = 0x67;
	bytes[site->length - 5] = 0xe8;
	rt_memcpy(bytes + site->length - 4, &operand, sizeof(operand));
	return true;
}

/* The first two bytes must stay: only the operand changes, to a near function or a near slot. */
static bool same_opcode(const struct site *site, const void *target, uint8_t *bytes)
{
	const void *to = site->length == 5 ? target : near_slot(site->pc, target);
	intptr_t distance = (intptr_t)((uintptr_t)to - site->pc);
	int32_t operand = (int32_t)distance;

	if (!to || operand != distance)
		return false;
	rt_memcpy(bytes, site->original, site->length - 4);
	rt_memcpy(bytes + site->length - 4, &operand, sizeof(operand));
	return true;
}

/* The first byte alone: `test $operand, %eax` of E8, `test %edx, slot(%rip)` of FF 15. */
static void test_instead(const struct site *site, uint8_t *bytes)
{
	rt_memcpy(bytes, site->original, site->length);
	bytes[0] = site->length == 5 ? 0xa9 : 0x85;
}

static bool compose(const struct site *site, uint8_t *bytes)
{
	const void *target = site->target;
	bool movable = poke_can_change(site->pc - site->length);

	if (target)
		return movable ? direct_call(site, target, bytes) : same_opcode(site, target, bytes);
	if (movable)
		rt_memcpy(bytes, site->length == 5 ? nop5 : nop6, site->length);
	else
		test_instead(site, bytes);
	return true;
}

/* ---- changing --------------------------------------------------------------------------------- */

static bool write_one(struct site *site, const uint8_t *bytes)
{
	struct poke one = { .at = site->pc - site->length, .length = site->length };

	rt_memcpy(one.bytes, bytes, site->length);
	poke_all(&one, 1);
	if (!one.done)
		return false;
	site->planned = false;
	site->patched = bytes != site->original;
	if (site->patched)
		rt_memcpy(site->wanted, bytes, site->length);
	return true;
}

/* Fill the list with what is planned in the page of pc. */
static size_t gather(uintptr_t pc, struct poke *list, struct site **sites)
{
	size_t count = 0;

	for (struct site *site = *page_bucket(pc); site && count < BATCH; site = site->page_next) {
		if (!site->planned || site->pc / WIRE_PAGE != pc / WIRE_PAGE || !is_intact(site))
			continue;
		site->planned = false;
		list[count].at = site->pc - site->length;
		list[count].length = site->length;
		sites[count] = site;
		if (compose(site, list[count].bytes))
			count++;
		else
			refuse(site->pc);
	}
	return count;
}

static void flush(uintptr_t pc)
{
	static struct poke list[BATCH];
	static struct site *sites[BATCH];
	size_t count = gather(pc, list, sites);

	poke_all(list, count);
	for (size_t i = 0; i < count; i++) {
		sites[i]->patched = list[i].done;
		if (!list[i].done) {
			refuse(sites[i]->pc);
			continue;
		}
		rt_memcpy(sites[i]->wanted, list[i].bytes, sites[i]->length);
		rt_count(WIRE_PATCHED_SITES);
	}
}

/* The record of a site that is patched already, or planned now; NULL: it cannot be. */
static struct site *plan(uintptr_t pc, const void *entry, const void *target)
{
	struct site *site = find(pc);
	uint8_t length;

	if (site && (site->patched || site->planned) && is_intact(site))
		return site;
	length = call_length(pc, entry);
	site = length ? find_or_add(pc, length) : NULL;
	if (!site)
		return NULL;
	site->target = target;
	site->planned = true;
	return site;
}

static bool patch_locked(uintptr_t pc, const void *entry, const void *target, bool now)
{
	struct site *site = plan(pc, entry, target);

	if (!site)
		return refuse(pc);
	while (now && site->planned)
		flush(pc);
	return site->patched;
}

static bool patch(uintptr_t pc, const void *entry, const void *target, bool now)
{
	bool done;

	if (!entry || is_refused(pc) || busy || rt_plan_flag(WIRE_NO_PATCH))
		return false;
	busy = true;
	if (!module_find(pc))
		rt_modules_refresh(); /* a constructor of a library that dlopen is just loading */
	rt_lock(&lock);
	done = patch_locked(pc, entry, target, now);
	rt_unlock(&lock);
	busy = false;
	return done;
}

/* ---- the face ------------------------------------------------------------------------------------ */

bool rt_patch_nop(uintptr_t pc, const void *entry)
{
	return patch(pc, entry, NULL, true);
}

/* The fork server: its own GOT may be unbound yet, the trial has followed the call for it. */
bool rt_patch_nop_known(uintptr_t pc)
{
	struct site *site;
	uint8_t length;
	bool done;

	rt_lock(&lock);
	site = find(pc);
	done = site && site->patched && is_intact(site);
	length = done ? 0 : call_length_known(pc);
	site = length ? find_or_add(pc, length) : NULL;
	if (site)
		done = write_one(site, length == 5 ? nop5 : nop6);
	rt_unlock(&lock);
	return done;
}

bool rt_patch_call(uintptr_t pc, const void *entry, const void *target)
{
	return patch(pc, entry, target, true);
}

void rt_patch_plan(uintptr_t pc, const void *entry, const void *target)
{
	patch(pc, entry, target, false);
}

bool rt_patch_restore(uintptr_t pc)
{
	struct site *site;
	bool done = false;

	rt_lock(&lock);
	site = find(pc);
	if (site && site->patched && is_intact(site))
		done = write_one(site, site->original);
	rt_unlock(&lock);
	return done;
}

void rt_patch_fork(bool before)
{
	if (before)
		rt_lock(&lock);
	else
		rt_unlock(&lock);
}
