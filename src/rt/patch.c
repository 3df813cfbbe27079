/*
 * patch - call sites in the program's text become NOPs or direct calls, at first visit.
 *
 * Precise: the bytes before the return address must be a call that we can follow to the
 * very entry that was reached:
 *
 *     E8 rel32            -> [F3 0F 1E FA] [F2] FF 25 disp32 (PLT stub) -> GOT slot == entry
 *     FF 15 disp32        -> GOT slot == entry
 *
 * A tail jump returns elsewhere and fails this; so does anything hand made. No scan of
 * the text is ever needed, and nothing that was not executed is touched.
 *
 * How the bytes are changed while other threads run through them is poke.c's matter. Where the
 * first two bytes of a call cannot be changed at once, its operand can: instead of becoming a
 * NOP it is sent to a near `ret`. All refusals are counted, once a site.
 *
 * I1  Everything below is done under one lock, which a signal handler never waits for.
 * I2  The original bytes of every patched site are kept (rt_patch_restore).
 */
#include <elf.h>

#include "rt/internal.h"
#include "rt/near.h"
#include "rt/poke.h"

#define SITE_MAX 6u
#define BUCKETS 4096u
#define REFUSED 1024u

struct site {
	uintptr_t pc;               /* return address */
	struct site *next;
	uint8_t length;             /* of the call: 5 or 6 */
	bool patched;
	uint8_t original[SITE_MAX];
	uint8_t wanted[SITE_MAX];   /* what stands there when patched */
};

static struct site *buckets[BUCKETS];
static uintptr_t refused[REFUSED]; /* direct mapped: a tail jump comes by again and again */
static struct rt_lock lock;
static RT_TLS bool busy; /* a handler that interrupts us leaves its sites for another visit */

static const uint8_t nop5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
static const uint8_t nop6[] = { 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 };

/* ---- is this the call? -------------------------------------------------------------- */

static int32_t read32(uintptr_t at)
{
	int32_t value;

	rt_memcpy(&value, (const void *)at, sizeof(value));
	return value;
}

static bool slot_holds(const struct module *module, uintptr_t slot, const void *entry)
{
	return module_segment(module, slot, sizeof(void *)) && slot % sizeof(void *) == 0 &&
	       __atomic_load_n((const void *const *)slot, __ATOMIC_RELAXED) == entry;
}

/* Is there a PLT stub at this address that jumps to entry? */
static bool stub_leads(const struct module *module, uintptr_t stub, const void *entry)
{
	const uint8_t *code = (const uint8_t *)stub;
	const struct module_segment *text = module_segment(module, stub, 16);

	if (!text || !(text->flags & PF_X))
		return false;
	if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa)
		code += 4;
	if (code[0] == 0xf2)
		code++;
	if (code[0] != 0xff || code[1] != 0x25)
		return false;
	return slot_holds(module, (uintptr_t)code + 6 + read32((uintptr_t)code + 2), entry);
}

/* The module in whose text the bytes before pc lie; NULL: none, or it is ours. */
static const struct module *text_before(uintptr_t pc)
{
	const struct module *module = module_find(pc);
	const struct module_segment *text = module ? module_segment(module, pc - SITE_MAX, SITE_MAX) : NULL;

	return text && (text->flags & PF_X) && !module->own ? module : NULL;
}

/* Length of the call before pc if it reaches entry, else 0. */
static uint8_t call_length(uintptr_t pc, const void *entry)
{
	const struct module *module = text_before(pc);
	const uint8_t *end = (const uint8_t *)pc;

	if (!module)
		return 0;
	if (end[-5] == 0xe8 && stub_leads(module, pc + read32(pc - 4), entry))
		return 5;
	if (end[-6] == 0xff && end[-5] == 0x15 && slot_holds(module, pc + read32(pc - 4), entry))
		return 6;
	return 0;
}

/* ---- the table of sites -------------------------------------------------------------------- */

static struct site **bucket(uintptr_t pc)
{
	return &buckets[(pc * 0x9e3779b97f4a7c15ull) >> 52];
}
_Static_assert(BUCKETS == 1u << (64 - 52), "the shift picks a bucket");

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
	return text_before(site->pc) &&
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
	}
	site->length = length;
	site->patched = false;
	rt_memcpy(site->original, (const void *)(pc - length), length);
	return site;
}

static bool write_site(struct site *site, const uint8_t *bytes)
{
	if (!poke(site->pc - site->length, bytes, site->length))
		return false;
	site->patched = bytes != site->original;
	if (site->patched)
		rt_memcpy(site->wanted, bytes, site->length);
	return true;
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

static bool compose(const struct site *site, const void *target, uint8_t *bytes)
{
	bool movable = poke_can_change(site->pc - site->length);

	if (target)
		return movable ? direct_call(site, target, bytes) : same_opcode(site, target, bytes);
	if (!movable)
		return same_opcode(site, near_return(site->pc), bytes);
	rt_memcpy(bytes, site->length == 5 ? nop5 : nop6, site->length);
	return true;
}

static bool patch_locked(uintptr_t pc, const void *entry, const void *target)
{
	struct site *site = find(pc);
	uint8_t bytes[SITE_MAX], length;

	if (site && site->patched && is_intact(site))
		return true;
	length = call_length(pc, entry);
	site = length ? find_or_add(pc, length) : NULL;
	if (!site || !compose(site, target, bytes) || !write_site(site, bytes))
		return refuse(pc);
	rt_count(WIRE_PATCHED_SITES);
	return true;
}

static bool patch(uintptr_t pc, const void *entry, const void *target)
{
	bool done;

	if (!entry || is_refused(pc) || busy || rt_plan_flag(WIRE_NO_PATCH))
		return false;
	busy = true;
	if (!module_find(pc))
		rt_modules_refresh(); /* a constructor of a library that dlopen is just loading */
	rt_lock(&lock);
	done = patch_locked(pc, entry, target);
	rt_unlock(&lock);
	busy = false;
	return done;
}

/* ---- the face ------------------------------------------------------------------------------------ */

bool rt_patch_nop(uintptr_t pc, const void *entry)
{
	return patch(pc, entry, NULL);
}

/* Length of the call before pc by its first bytes alone; 0: none, or its module is not here. */
static uint8_t call_length_known(uintptr_t pc)
{
	const uint8_t *end = (const uint8_t *)pc;

	if (!text_before(pc))
		return 0;
	return end[-5] == 0xe8 ? 5 : end[-6] == 0xff && end[-5] == 0x15 ? 6 : 0;
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
		done = write_site(site, length == 5 ? nop5 : nop6);
	rt_unlock(&lock);
	return done;
}

bool rt_patch_call(uintptr_t pc, const void *entry, const void *target)
{
	return patch(pc, entry, target);
}

bool rt_patch_restore(uintptr_t pc)
{
	struct site *site;
	bool done = false;

	rt_lock(&lock);
	site = find(pc);
	if (site && site->patched && is_intact(site))
		done = write_site(site, site->original);
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
