/*
 * call - is the instruction before a return address the call that reached a given entry?
 *
 *     E8 rel32            -> [F3 0F 1E FA] [F2] FF 25 disp32 (PLT stub) -> GOT slot == entry
 *     FF 15 disp32        -> GOT slot == entry
 *
 * A tail jump returns elsewhere and fails this; so does anything hand made. The second byte
 * tells the two apart (E8 is never 15), and a slot found by chance would have to hold our very
 * address. Only memory of loaded segments is read.
 */
#include <elf.h>

#include "rt/call.h"

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

const struct module *call_text(uintptr_t pc)
{
	const struct module *module = module_find(pc);
	const struct module_segment *text = module ? module_segment(module, pc - CALL_MAX, CALL_MAX) : NULL;

	return text && (text->flags & PF_X) && !module->own ? module : NULL;
}

uint8_t call_length(uintptr_t pc, const void *entry)
{
	const struct module *module = call_text(pc);
	const uint8_t *end = (const uint8_t *)pc;

	if (!module)
		return 0;
	if (end[-5] == 0xe8 && stub_leads(module, pc + read32(pc - 4), entry))
		return 5;
	if (end[-6] == 0xff && end[-5] == 0x15 && slot_holds(module, pc + read32(pc - 4), entry))
		return 6;
	return 0;
}

uint8_t call_length_known(uintptr_t pc)
{
	const uint8_t *end = (const uint8_t *)pc;

	if (!call_text(pc))
		return 0;
	return end[-5] == 0xe8 ? 5 : end[-6] == 0xff && end[-5] == 0x15 ? 6 : 0;
}
