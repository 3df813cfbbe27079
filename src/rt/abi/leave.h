/*
 * leave - call a routine of the program and hear of it when it does not return: an exception
 * passes through (std::call_once), or the thread is cancelled or exits in it.
 *
 *     struct leave leave = { .left = on_left };
 *     leave_call(&leave, routine);            on_left(&leave) runs during the unwinding
 *
 * No unwinder and no libgcc in here: leave_call is a frame of its own with a personality
 * routine that only calls `left` in the cleanup phase and lets the unwinding go on. Which
 * one is left is the innermost of the thread: frames are left inside out.
 */
#ifndef ABI_LEAVE_H
#define ABI_LEAVE_H

struct leave {
	void (*left)(struct leave *leave);
	struct leave *outer; /* leave.c's own */
};

void leave_call(struct leave *leave, void (*routine)(void));

#endif
