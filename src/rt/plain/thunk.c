/*
 * thunk - the code a trap leads to, one piece per site, within reach of its module:
 *
 *       lea  -136(%rsp), %rsp       above the red zone, a word for the address to go on at
 *       push site(%rip)
 *       jmp  *enter(%rip)           returns to:
 *   resume:
 *       the copy of the instruction
 *       (split: the slot's value is stored where it came from)
 *       jmp  *back(%rip)            X + L
 *   site, enter, back: three words
 *
 * No instruction of ours here changes a flag. I1: pages of thunks are executable or writable,
 * never both; they are written while one thread runs.
 */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "rt/internal.h"
#include "rt/near.h"
#include "rt/plain/internal.h"

#define THUNK_SIZE 256u
#define ROOM_SIZE (16u * WIRE_PAGE) /* 256 thunks; a plan has a few, rarely some hundred */

/* A block of thunks near one module. */
struct room {
	const struct module *module;
	char *at;            /* NULL: the kernel has none */
	size_t used;
	struct room *next;
};

static struct room *rooms;

static struct room *room_for(uintptr_t pc)
{
	const struct module *module = module_find(pc);
	struct room *room = rooms;

	while (room && (room->module != module || room->used + THUNK_SIZE > ROOM_SIZE))
		room = room->next;
	if (room || !module)
		return room;
	room = rt_arena(sizeof(*room));
	if (!room)
		return NULL;
	*room = (struct room){ .module = module, .at = near_room(pc, ROOM_SIZE), .next = rooms };
	rooms = room;
	return room;
}

/* ---- writing code ------------------------------------------------------------------------ */

struct code {
	uint8_t *at;
};

static void put(struct code *code, const void *bytes, size_t size)
{
	rt_memcpy(code->at, bytes, size);
	code->at += size;
}

#define PUT(code, ...) put(code, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void put32(struct code *code, int32_t value)
{
	put(code, &value, sizeof(value));
}

/* The operand of an instruction that ends with it and refers to word. */
static void put_relative(struct code *code, const void *word)
{
	put32(code, (int32_t)((const uint8_t *)word - (code->at + 4)));
}

static int32_t slot_offset(const void *field)
{
	uintptr_t thread;

	__asm__("mov %%fs:0, %0" : "=r"(thread));
	return (int32_t)((uintptr_t)field - thread);
}

/* mov between rax (reg 0) or rcx (reg 1) and fs:[field]; opcode 89 stores, 8b loads. */
static void put_slot_move(struct code *code, uint8_t opcode, uint8_t reg, const void *field)
{
	PUT(code, 0x64, 0x48, opcode, (uint8_t)(0x04 | reg << 3), 0x25);
	put32(code, slot_offset(field));
}

static void put_store(struct code *code, uint8_t size)
{
	put_slot_move(code, 0x89, 0, &plain_slot.rax);
	put_slot_move(code, 0x89, 1, &plain_slot.rcx);
	put_slot_move(code, 0x8b, 0, &plain_slot.value);
	put_slot_move(code, 0x8b, 1, &plain_slot.address);
	if (size == 1)
		PUT(code, 0x88, 0x01);
	else if (size == 2)
		PUT(code, 0x66, 0x89, 0x01);
	else if (size == 4)
		PUT(code, 0x89, 0x01);
	else
		PUT(code, 0x48, 0x89, 0x01);
	put_slot_move(code, 0x8b, 0, &plain_slot.rax);
	put_slot_move(code, 0x8b, 1, &plain_slot.rcx);
}

/* The copy of the instruction; false: what it refers to is out of its reach from here. */
static bool put_copy(struct code *code, const struct plain_site *site)
{
	const struct wire_plan_plain *how = &site->how;
	uint8_t *start = code->at;
	int32_t operand;

	put(code, how->copy, how->copy_length);
	if (how->slot_at) {
		operand = slot_offset(&plain_slot.value);
		rt_memcpy(start + how->slot_at, &operand, sizeof(operand));
		put_store(code, how->split_size);
	} else if (how->relative_at) {
		intptr_t moved;

		rt_memcpy(&operand, start + how->relative_at, sizeof(operand));
		moved = operand + (intptr_t)(site->pc - 1 - (uintptr_t)start);
		operand = (int32_t)moved;
		if (operand != moved)
			return false;
		rt_memcpy(start + how->relative_at, &operand, sizeof(operand));
	}
	return true;
}

static bool write_thunk(struct plain_site *site, uint8_t *at)
{
	struct code code = { at };
	const void **words = (const void **)(at + THUNK_SIZE - 3 * sizeof(void *));

	words[0] = site;
	words[1] = (const void *)plain_enter;
	words[2] = (const void *)(site->pc - 1 + site->how.length);
	PUT(&code, 0x48, 0x8d, 0xa4, 0x24, 0x78, 0xff, 0xff, 0xff);
	PUT(&code, 0xff, 0x35);
	put_relative(&code, &words[0]);
	PUT(&code, 0xff, 0x25);
	put_relative(&code, &words[1]);
	site->resume = code.at;
	if (!put_copy(&code, site))
		return false;
	PUT(&code, 0xff, 0x25);
	put_relative(&code, &words[2]);
	site->thunk = at;
	return true;
}

bool thunk_make(struct plain_site *site)
{
	struct room *room = room_for(site->pc - 1);
	uint8_t *at;
	bool done;

	if (!room || !room->at)
		return false;
	at = (uint8_t *)room->at + room->used;
	if (rt_syscall(SYS_mprotect, room->at, ROOM_SIZE, PROT_READ | PROT_WRITE) < 0)
		return false;
	done = write_thunk(site, at);
	if (rt_syscall(SYS_mprotect, room->at, ROOM_SIZE, PROT_READ | PROT_EXEC) < 0)
		return false;
	room->used += THUNK_SIZE;
	return done;
}
