/*
 * leave - see leave.h. The frame is written by hand: C has no way to name a personality.
 */
#include <unwind.h>

#include "rt/abi/leave.h"
#include "rt/rt.h"

static RT_TLS struct leave *innermost;

_Unwind_Reason_Code abi_leave_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
					  struct _Unwind_Exception *exception, struct _Unwind_Context *context);
_Unwind_Reason_Code abi_leave_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
					  struct _Unwind_Exception *exception, struct _Unwind_Context *context)
{
	struct leave *leave = innermost;

	(void)version, (void)class, (void)exception, (void)context;
	if ((actions & _UA_CLEANUP_PHASE) && leave) {
		innermost = leave->outer;
		leave->left(leave);
	}
	return _URC_CONTINUE_UNWIND;
}

void abi_leave_frame(void (*routine)(void));
__asm__(".text\n"
	".hidden abi_leave_frame\n"
	".globl abi_leave_frame\n"
	".type abi_leave_frame, @function\n"
	"abi_leave_frame:\n"
	".cfi_startproc\n"
	".cfi_personality 0x1b, abi_leave_personality\n" /* 4 bytes relative to pc */
	"push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	"mov %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	"call *%rdi\n"
	"pop %rbp\n"
	".cfi_def_cfa %rsp, 8\n"
	"ret\n"
	".cfi_endproc\n"
	".size abi_leave_frame, . - abi_leave_frame\n");

void leave_call(struct leave *leave, void (*routine)(void))
{
	leave->outer = innermost;
	innermost = leave;
	abi_leave_frame(routine);
	innermost = leave->outer;
}
