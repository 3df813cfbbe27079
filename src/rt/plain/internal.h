/* internal - what the files of rt/plain share. */
#ifndef RT_PLAIN_INTERNAL_H
#define RT_PLAIN_INTERNAL_H

#include "rt/plain/plain.h"

/* One patched instruction. Kept for ever: a trial's sites are mostly the last one's. */
struct plain_site {
	uintptr_t pc;              /* X + 1; first: plain_enter pushes it as a return address */
	const void *resume;        /* the copy in the thunk */
	const void *thunk;         /* NULL: no room near its module */
	struct plain_site *next;   /* hash chain */
	bool wanted;               /* by this plan */
	bool patched;
	bool is_loader;            /* the loader's breakpoint: modules have changed */
	bool is_heard;             /* WIRE_SIDE_PLAIN: for the engine */
	struct wire_plan_plain how;
};

/* What the thunk has pushed; the program's rsp is at the end, above its red zone. */
struct plain_frame {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
	uint64_t flags;
	struct plain_site *site;
	const void *resume;
	uint8_t red_zone[128];
	uint8_t above[];
};

/* thunk.c: fills in thunk and resume. false: no room. */
bool thunk_make(struct plain_site *site);
/* enter.c */
void plain_enter(void);
void plain_enter_start(void);
/* Where a split instruction works: fs:[plain_slot_offset()] is the value. */
struct plain_slot {
	uint64_t value, address, rax, rcx;
};
extern RT_TLS struct plain_slot plain_slot;

#endif
