/*
 * verifier - the verification conventions under the scheduler (abi/verifier.c has the
 * names): values are recorded choices, atomic sections see no switch, a failed assumption
 * ends the trial without counting it.
 *
 * What the program defines itself is found by address:
 *   - assume_abort_if_not usually is `if (!c) abort();`. Since our library exports the name
 *     too, the linker puts the program's into its dynamic table: an abort called from
 *     inside it is a failed assumption, not a failure. Where the compiler inlined it only
 *     the host can tell, from the place of the abort (WIRE_EV_ABORT).
 *   - functions named __VERIFIER_atomic_* are looked up in the program's .symtab, when it
 *     has one: a thread with such a frame on its stack (frame pointers) is in an atomic
 *     section. Functions the compiler inlined cannot be seen.
 *
 * I1  In an atomic section nobody is postponed or switched away from: a state between its
 *     statements is one the conventions forbid, and would make confirmations wrong. One that
 *     meets a postponed thread there is a hit and goes first.
 */
#include <assert.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "rt/abi/tell.h"
#include "rt/abi/verifier.h"
#include "rt/sched/turn.h"

#define PREFIX "__VERIFIER_atomic_"
#define RANGES 256u

struct range {
	uintptr_t low, high;
};

static struct range assume, atomic_function[RANGES];
static uint32_t atomic_functions;
static struct sched_object *section;

/* ---- finding the program's own ---------------------------------------------------------------- */

/* The handle's scope begins with the program; RTLD_DEFAULT would begin with us (DT_SYMBOLIC). */
static void find_assume(void *program)
{
	void *function = program ? dlsym(program, "assume_abort_if_not") : NULL;
	const Elf64_Sym *symbol = NULL;
	Dl_info info;

	if (!function || rt_is_own((uintptr_t)function) ||
	    !dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
		return;
	assume = (struct range){ (uintptr_t)function, (uintptr_t)function + symbol->st_size };
}

static bool has_prefix(const char *name)
{
	for (const char *p = PREFIX; *p; p++, name++)
		if (*p != *name)
			return false;
	return rt_strcmp(name, "begin") && rt_strcmp(name, "end");
}

static void keep_function(uintptr_t base, const Elf64_Sym *symbol)
{
	if (atomic_functions == RANGES) {
		rt_count(WIRE_LOST_SITES);
		return;
	}
	atomic_function[atomic_functions].low = base + symbol->st_value;
	atomic_function[atomic_functions++].high = base + symbol->st_value + symbol->st_size;
}

static bool lies_in(uint64_t offset, uint64_t size, uint64_t total)
{
	return offset <= total && size <= total - offset;
}

static void scan_symbols(const char *file, uint64_t size, const Elf64_Shdr *table, const Elf64_Shdr *names,
			 uintptr_t base)
{
	const Elf64_Sym *symbol = (const void *)(file + table->sh_offset);

	if (!lies_in(table->sh_offset, table->sh_size, size) || !lies_in(names->sh_offset, names->sh_size, size))
		return;
	for (uint64_t i = 0; i < table->sh_size / sizeof(*symbol); i++)
		if (ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC && symbol[i].st_value &&
		    symbol[i].st_name < names->sh_size && has_prefix(file + names->sh_offset + symbol[i].st_name))
			keep_function(base, &symbol[i]);
}

static void scan_file(const char *file, uint64_t size, uintptr_t base)
{
	const Elf64_Ehdr *header = (const void *)file;
	const Elf64_Shdr *section_header = (const void *)(file + header->e_shoff);

	if (size < sizeof(*header) ||
	    !lies_in(header->e_shoff, (uint64_t)header->e_shnum * sizeof(*section_header), size))
		return;
	for (unsigned i = 0; i < header->e_shnum; i++)
		if (section_header[i].sh_type == SHT_SYMTAB && section_header[i].sh_link < header->e_shnum)
			scan_symbols(file, size, &section_header[i], &section_header[section_header[i].sh_link], base);
}

static uintptr_t base_of(void *program)
{
	struct link_map *map = NULL;

	if (!program || dlinfo(program, RTLD_DI_LINKMAP, &map))
		return 0;
	return map->l_addr;
}

static void find_atomic_functions(void *program)
{
	long fd = rt_syscall(SYS_openat, AT_FDCWD, "/proc/self/exe", O_RDONLY | O_CLOEXEC, 0);
	struct stat stat;
	long file;

	if (fd < 0)
		return;
	if (rt_syscall(SYS_fstat, fd, &stat) == 0) {
		file = rt_syscall(SYS_mmap, 0, stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (file > 0 || file < -4095) {
			scan_file((const char *)file, (uint64_t)stat.st_size, base_of(program));
			rt_unreserve((void *)file, (size_t)stat.st_size);
		}
	}
	rt_syscall(SYS_close, fd);
}

void verifier_start(void)
{
	void *program = dlopen(NULL, RTLD_LAZY);

	find_assume(program);
	find_atomic_functions(program);
}

/* ---- sections ----------------------------------------------------------------------------------- */

static bool in_range(const struct range *range, uintptr_t pc)
{
	return pc - 1 >= range->low && pc - 1 < range->high;
}

static bool in_atomic_function(uintptr_t pc, const void *frame)
{
	uintptr_t stack[RT_STACK_MAX];
	unsigned count = rt_stack(pc, frame, stack, RT_STACK_MAX);

	for (unsigned i = 0; i < count; i++)
		for (uint32_t k = 0; k < atomic_functions; k++)
			if (in_range(&atomic_function[k], stack[i]))
				return true;
	return false;
}

bool verifier_is_atomic(const struct sched_thread *self, uintptr_t pc, const void *frame)
{
	return self->atomic || (unlikely(atomic_functions) && in_atomic_function(pc, frame));
}

/* One that blocks in its section lets others run, but not into a section. */
static bool is_free(struct sched_thread *thread, void *argument)
{
	for (uint32_t i = 0; i < sched.thread_count; i++)
		if (sched.threads[i] != thread && sched.threads[i]->alive && sched.threads[i]->atomic)
			return false;
	return true;
}

void verifier_atomic_begin(uintptr_t pc)
{
	struct sched_thread *self = sched_self();

	if (!self || self->atomic++)
		return;
	self->atomic = 0;
	section = sched_object(&section, OBJECT_PLAIN);
	sched_step(OP_LOCK, section, pc, is_free, NULL);
	self->atomic = 1;
	sched_held_add(section, LOCK_WRITE, pc);
}

void verifier_atomic_end(uintptr_t pc)
{
	struct sched_thread *self = sched_self();

	if (!self || !self->atomic || --self->atomic)
		return;
	sched_held_remove(section, LOCK_WRITE, pc);
	sched_step(OP_UNLOCK, section, pc, NULL, NULL);
}

/* ---- values and ends ------------------------------------------------------------------------------ */

uint32_t verifier_word(void)
{
	static uint64_t alone;

	return sched_self() ? sched_choose(OP_NONDET, 0) : (uint32_t)(++alone * 0x9e3779b97f4a7c15ull >> 32);
}

void verifier_assume_failed(void)
{
	if (sched_self())
		sched_end(WIRE_END_ASSUME, 0);
	rt_exit_now(0);
}

void verifier_error(const char *text)
{
	if (!sched_self())
		return;
	rt_note("%s", text);
	sched_write_end(WIRE_END_ERROR, 0);
}

/* From abort(), before anything is written. */
void rt_turn_abort(uintptr_t pc)
{
	struct wire_ev_abort *record;

	if (!sched_self())
		return;
	if (in_range(&assume, pc))
		sched_end(WIRE_END_ASSUME, 0);
	rt_place(pc); /* a module record goes before ours */
	record = rt_record(sizeof(*record));
	if (!record)
		return;
	record->pc = rt_place(pc);
	rt_commit(record, WIRE_EV_ABORT);
}

RT_EXPORT void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
	if (sched_self()) {
		rt_note("%s:%u: %s: assertion failed: %s", file, line, function ? function : "?", assertion);
		sched_write_end(WIRE_END_ERROR, 0);
	}
	REAL(__assert_fail)(assertion, file, line, function);
	__builtin_unreachable();
}
