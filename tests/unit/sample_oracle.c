/*
 * sample_oracle - every address the extension gives, against single-stepping.
 *
 * Real programs are run instruction by instruction (ptrace); at every 16th the extension is
 * asked as if a sample had been taken there. What it says of the instruction k steps on or
 * back must be what that instruction did: the same place, and an address Zydis computes from
 * the registers really there. One wrong address fails the test.
 *
 * LONG=1: three programs, until at least 100,000 extended accesses are checked.
 */
#include <Zydis/Zydis.h>
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "find/sample/extend.h"
#include "find/sample/machine.h"
#include "race/access.h"

#define WINDOW 512
#define EVERY 16
#define MODULES 64

struct module {
	char path[256];
	uint64_t low, high, base;
	struct code *code;
};

struct stepped {
	uint64_t ip, registers[TRACE_REGISTERS], fs_base, flags;
	const struct module *module;
};

struct oracle {
	pid_t pid;
	struct module modules[MODULES];
	size_t module_count;
	struct stepped trace[WINDOW];
	size_t count;
	size_t samples, plain, extended, checked, wrong, beyond;
};

/* ---- modules ------------------------------------------------------------------------ */

/* Linked to one address (not PIE): places are addresses. */
static bool is_fixed(const char *path)
{
	Elf64_Ehdr head = { 0 };
	FILE *file = fopen(path, "r");
	bool fixed = file && fread(&head, sizeof(head), 1, file) == 1 && head.e_type == ET_EXEC;

	if (file)
		fclose(file);
	return fixed;
}

static void learn_modules(struct oracle *o)
{
	char path[64], line[512];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)o->pid);
	maps = fopen(path, "r");
	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long low, high, offset;
		char name[256] = "", mode[8];
		size_t i;

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &low, &high, mode, &offset, name) < 5 || name[0] != '/')
			continue;
		for (i = 0; i < o->module_count && strcmp(o->modules[i].path, name); i++)
			;
		if (i == o->module_count) {
			if (i == MODULES || offset)
				continue;
			o->module_count++;
			strcpy(o->modules[i].path, name);
			o->modules[i].low = low;
			o->modules[i].base = is_fixed(name) ? 0 : low;
			o->modules[i].code = code_open(name, NULL, 0);
		}
		o->modules[i].high = high;
	}
	if (maps)
		fclose(maps);
}

static const struct module *module_in(const struct oracle *o, uint64_t ip)
{
	for (size_t i = 0; i < o->module_count; i++)
		if (ip >= o->modules[i].low && ip < o->modules[i].high)
			return &o->modules[i];
	return NULL;
}

static const struct module *module_of(struct oracle *o, uint64_t ip)
{
	const struct module *m = module_in(o, ip);

	if (m)
		return m;
	learn_modules(o);
	return module_in(o, ip);
}

/* ---- the truth -------------------------------------------------------------------------- */

static bool decode_at(const struct stepped *s, struct instruction *in)
{
	size_t left;
	const uint8_t *bytes = s->module && s->module->code ? code_at(s->module->code, s->ip - s->module->base, &left) : NULL;

	return bytes && machine_decode(bytes, left, s->ip, in);
}

static bool true_address(const struct stepped *s, const struct instruction *in, const ZydisDecodedOperand *operand,
			 uint64_t *address)
{
	ZydisRegisterContext context = { 0 };

	for (int i = 0; i < TRACE_REGISTERS; i++)
		context.values[ZYDIS_REGISTER_RAX + i] = s->registers[i];
	if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(&in->i, operand, s->ip, &context, address)))
		return false;
	if (operand->mem.segment == ZYDIS_REGISTER_FS)
		*address += s->fs_base;
	return true;
}

/* Did the instruction at s touch exactly this? Sizes of repeated string operations by rcx. */
static bool is_true(const struct stepped *s, const struct extend_access *access)
{
	struct instruction in;
	uint64_t address, times = 1;

	if (!s->module || s->ip - s->module->base != access->place || !decode_at(s, &in))
		return false;
	if (in.i.attributes & ZYDIS_ATTRIB_HAS_REP && machine_is_string(&in))
		times = s->registers[TRACE_RCX];
	for (unsigned i = 0; i < in.i.operand_count; i++) {
		const ZydisDecodedOperand *operand = &in.operand[i];
		unsigned wanted = access_is_write(access->flags) ? ZYDIS_OPERAND_ACTION_MASK_WRITE : ZYDIS_OPERAND_ACTION_MASK_READ;

		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && operand->actions & wanted &&
		    operand->size / 8 * times == access->size && true_address(s, &in, operand, &address) &&
		    address == access->address)
			return true;
	}
	return false;
}

static void complain(const struct oracle *o, size_t at, const struct extend_access *access)
{
	const struct stepped *s = &o->trace[at];
	long there = (long)at + access->step;

	print_message("wrong: sample at %s+0x%lx, step %d: says +0x%lx touches 0x%lx (%u bytes); executed there: 0x%lx\n",
		      s->module->path, s->ip - s->module->base, access->step, access->place, access->address, access->size,
		      there >= 0 && (size_t)there < o->count ? o->trace[there].ip : 0);
}

static void check_sample(struct oracle *o, size_t at)
{
	const struct stepped *s = &o->trace[at];
	struct extend_access found[256];
	struct extend_sample sample;
	size_t count, plain;

	if (!s->module || !s->module->code)
		return;
	sample = (struct extend_sample){ s->ip - s->module->base, s->module->base, s->registers, s->fs_base, s->flags };
	count = extend(s->module->code, &sample, found, 256, &plain);
	o->samples++;
	o->plain += plain;
	o->extended += count;
	for (size_t i = 0; i < count; i++) {
		long there = (long)at + found[i].step;

		if (there < 0 || (size_t)there >= o->count) {
			o->beyond++;
			continue;
		}
		o->checked++;
		if (is_true(&o->trace[there], &found[i]))
			continue;
		if (o->wrong++ < 10)
			complain(o, at, &found[i]);
	}
}

/* ---- stepping ------------------------------------------------------------------------------- */

static void take(struct oracle *o, struct stepped *s)
{
	struct user_regs_struct r;

	ptrace(PTRACE_GETREGS, o->pid, NULL, &r);
	*s = (struct stepped){
		.ip = r.rip, .fs_base = r.fs_base, .flags = r.eflags,
		.registers = { r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi, r.r8, r.r9, r.r10, r.r11, r.r12, r.r13,
			       r.r14, r.r15 },
		.module = module_of(o, r.rip),
	};
}

static bool step(struct oracle *o)
{
	int status;

	return !ptrace(PTRACE_SINGLESTEP, o->pid, NULL, NULL) && waitpid(o->pid, &status, 0) == o->pid &&
	       WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

/* A window of instructions executed one after the other; a repeated one counts once. */
static bool fill(struct oracle *o)
{
	for (o->count = 0; o->count < WINDOW;) {
		take(o, &o->trace[o->count]);
		if (!o->count || o->trace[o->count].ip != o->trace[o->count - 1].ip)
			o->count++;
		else {
			struct instruction in;

			if (!decode_at(&o->trace[o->count], &in) || !machine_repeats(&in))
				o->count++;
		}
		if (!step(o))
			return false;
	}
	return true;
}

static pid_t start(char *const *argv)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	personality(ADDR_NO_RANDOMIZE);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
		_exit(126);
	execvp(argv[0], argv);
	_exit(127);
}

static void run(struct oracle *o, char *const *argv, size_t enough)
{
	int status;

	o->pid = start(argv);
	assert_true(waitpid(o->pid, &status, 0) == o->pid && WIFSTOPPED(status));
	while (o->checked < enough && fill(o))
		for (size_t at = 0; at < o->count; at += EVERY)
			check_sample(o, at);
	kill(o->pid, SIGKILL);
	waitpid(o->pid, &status, 0);
	for (size_t i = 0; i < o->module_count; i++)
		code_close(o->modules[i].code);
}

static void check_program(const char *name, char *const *argv, size_t enough)
{
	struct oracle *o = calloc(1, sizeof(*o));

	assert_non_null(o);
	run(o, argv, enough);
	print_message("%s: %zu samples, %zu plain accesses, %zu extended (%.1f a sample, %.1f a plain one), %zu checked, %zu wrong\n",
		      name, o->samples, o->plain, o->extended, (double)o->extended / (double)(o->samples ? o->samples : 1),
		      (double)o->extended / (double)(o->plain ? o->plain : 1), o->checked, o->wrong);
	assert_true(o->checked >= enough);
	assert_int_equal(o->wrong, 0);
	free(o);
}

static size_t enough(void)
{
	return getenv("LONG") ? 200000 : 5000;
}

static void test_sort(void **state)
{
	check_program("sort", (char *[]){ "sort", "--parallel=1", "-R", "/usr/include/elf.h", NULL }, enough());
}

static void test_make(void **state)
{
	check_program("make", (char *[]){ "make", "-pn", "-f", "/dev/null", NULL }, enough());
}

static void test_compiler(void **state)
{
	if (!getenv("LONG"))
		return; /* its text alone takes seconds to read */
	check_program("cc1plus", (char *[]){ "/usr/lib/gcc/x86_64-linux-gnu/12/cc1plus", "-quiet", "-O2", "-o", "/dev/null",
					     "/usr/include/elf.h", NULL }, enough());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_make),
		cmocka_unit_test(test_compiler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
