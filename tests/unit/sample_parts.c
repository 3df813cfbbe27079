/* sample_parts - the paper's formula; what an instruction does to what is known, and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "find/sample/machine.h"
#include "find/sample/sample.h"
#include "wire/trace.h"

/* Section 4.1: s = 10^9, T = 200,000, both 0.01 %: 15.5 %. */
static void test_chance(void **state)
{
	assert_true(sample_chance(5000, 1e-4, 1e-4) > 0.1545 && sample_chance(5000, 1e-4, 1e-4) < 0.1555);
	assert_true(sample_chance(0, 1e-4, 1e-4) == 0);
	assert_true(sample_chance(1e9, 1e-4, 1e-4) > 0.999);
	assert_true(sample_chance(10, 0.6, 0.6) <= 1);
}

static struct machine all_known(void)
{
	struct machine m = { .known = 0xffff, .fs_base = 0x7000 };

	for (int i = 0; i < 16; i++)
		m.value[i] = 0x1000u * (unsigned)(i + 1);
	return m;
}

static struct instruction decode(const char *bytes, size_t size)
{
	struct instruction in;

	assert_true(machine_decode((const uint8_t *)bytes, size, 0x400000, &in));
	return in;
}
#define CODE(text) decode(text, sizeof(text) - 1)

static struct machine forward(struct machine m, struct instruction in)
{
	machine_forward(&m, &in);
	return m;
}

static struct machine backward(struct machine m, struct instruction in)
{
	machine_backward(&m, &in);
	return m;
}

/* There and back again: what is known afterwards is what was. */
static void goes_back(struct instruction in, int reg)
{
	struct machine before = all_known(), after = forward(before, in), again = backward(after, in);

	assert_true(machine_knows(&after, reg));
	assert_true(machine_knows(&again, reg));
	assert_int_equal(again.value[reg], before.value[reg]);
}

static void test_inverted(void **state)
{
	goes_back(CODE("\x48\x83\xc0\x08"), TRACE_RAX);         /* add $8, %rax */
	goes_back(CODE("\x48\x29\xd8"), TRACE_RAX);             /* sub %rbx, %rax */
	goes_back(CODE("\x48\x8d\x40\x10"), TRACE_RAX);         /* lea 16(%rax), %rax */
	goes_back(CODE("\x48\x8d\x04\x98"), TRACE_RBX);         /* lea (%rax,%rbx,4), %rax: rbx untouched */
	goes_back(CODE("\x48\xff\xc1"), TRACE_RCX);             /* inc %rcx */
	goes_back(CODE("\x48\xf7\xd2"), TRACE_RDX);             /* not %rdx */
	goes_back(CODE("\x48\x93"), TRACE_RBX);                 /* xchg %rax, %rbx */
	goes_back(CODE("\x53"), TRACE_RSP);                     /* push %rbx */
	goes_back(CODE("\x5b"), TRACE_RSP);                     /* pop %rbx */
	goes_back(CODE("\x48\x31\xd8"), TRACE_RAX);             /* xor %rbx, %rax */
}

static void test_forgotten(void **state)
{
	struct machine m = forward(all_known(), CODE("\x48\x8b\x03")); /* mov (%rbx), %rax */

	assert_false(machine_knows(&m, TRACE_RAX));
	assert_true(machine_knows(&m, TRACE_RBX));
	m = backward(all_known(), CODE("\x48\xc7\xc0\x01\x00\x00\x00")); /* mov $1, %rax */
	assert_false(machine_knows(&m, TRACE_RAX));
	m = backward(all_known(), CODE("\x83\xc0\x01")); /* add $1, %eax: the upper half is lost */
	assert_false(machine_knows(&m, TRACE_RAX));
	m = forward(all_known(), CODE("\xb0\x01")); /* mov $1, %al: the rest stays, so the sum is not computed */
	assert_false(machine_knows(&m, TRACE_RAX));
	m = forward(all_known(), CODE("\x0f\xa2")); /* cpuid */
	assert_false(machine_knows(&m, TRACE_RAX) || machine_knows(&m, TRACE_RBX) || machine_knows(&m, TRACE_RCX));
}

/* After mov %rbx, %rax a known rax tells rbx. */
static void test_moved(void **state)
{
	struct machine m = all_known();

	machine_forget(&m, TRACE_RBX);
	m = backward(m, CODE("\x48\x89\xd8"));
	assert_true(machine_knows(&m, TRACE_RBX));
	assert_int_equal(m.value[TRACE_RBX], all_known().value[TRACE_RAX]);
	assert_false(machine_knows(&m, TRACE_RAX));
}

static void test_strings(void **state)
{
	struct machine m = all_known();

	m.value[TRACE_RCX] = 4;
	m = forward(m, CODE("\xf3\x48\xa5")); /* rep movsq */
	assert_int_equal(m.value[TRACE_RCX], 0);
	assert_int_equal(m.value[TRACE_RDI], all_known().value[TRACE_RDI] + 32);
	assert_int_equal(m.value[TRACE_RSI], all_known().value[TRACE_RSI] + 32);
	m = all_known();
	m.value[TRACE_RCX] = 5;
	m = forward(m, CODE("\xf3\xaa")); /* rep stosb */
	assert_int_equal(m.value[TRACE_RDI], all_known().value[TRACE_RDI] + 5);
	assert_int_equal(m.value[TRACE_RSI], all_known().value[TRACE_RSI]);
	m = forward(all_known(), CODE("\xf2\xae")); /* repne scasb: nobody knows where it ends */
	assert_false(machine_knows(&m, TRACE_RDI) || machine_knows(&m, TRACE_RCX));
}

static void test_barriers(void **state)
{
	struct instruction call = CODE("\xe8\x00\x00\x00\x00"), ret = CODE("\xc3"), sys = CODE("\x0f\x05"), mov = CODE("\x48\x89\xd8");

	assert_true(machine_is_barrier(&call) && machine_is_barrier(&ret) && machine_is_barrier(&sys));
	assert_false(machine_is_barrier(&mov));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chance), cmocka_unit_test(test_inverted), cmocka_unit_test(test_forgotten),
		cmocka_unit_test(test_moved), cmocka_unit_test(test_strings), cmocka_unit_test(test_barriers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
