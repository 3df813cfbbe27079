/*
 * rt - the narrow waist of everything that runs inside the target process.
 *
 *     compiler calls, libc calls of the program
 *        |                       |
 *      abi/  accesses' names,   sync objects, one file per kind:
 *            atomics, strings,   native/  call the real one, tell the engine
 *            allocator, fork     sched/   play it in a model, tell the engine
 *        |                       |
 *        +-------- rt.h ---------+
 *                  |
 *      engine: nop/ (hears nothing)  |  detect/ (hears everything)
 *
 * A runtime is one choice of each, linked into libdeadheat_rt.so:
 *
 *     library    sync objects   engine   accesses         for
 *     nop        native         nop      nop/access.c     just running
 *     detect     native         detect   detect/access.c  deadheat detect
 *     sched      sched          nop      sched/access.c   confirm, fuzz, replay
 *     explore    sched          detect   detect/access.c  detect --schedule random
 *
 * Engines do not know pthreads: they see acquire, release, send, receive, access.
 * House rules (checked by tests/house): no malloc, no stdio, no symbolising, no libc
 * beyond src/rt/libc-allowed; hidden visibility; not instrumented.
 *
 * I1  Hooks are called on the thread they speak of, never inside a signal handler
 *     that interrupted the runtime (rt_enter fails there and the event is counted).
 * I2  rt_on_acquire comes after the lock is ours, rt_on_release before it is given
 *     up: so the engine's view of "held" is never larger than the truth.
 * I3  rt_on_send comes before the real operation that lets the other go on,
 *     rt_on_receive after the one that waited.
 * I4  Who calls an rt_on_* hook has entered (rt_enter) and leaves afterwards. Who calls
 *     rt_point or rt_turn_access has not: the turn's side enters by itself.
 * I5  With no wire (rt_wire NULL) nobody calls hooks or points at all: run inert.
 */
#ifndef RT_RT_H
#define RT_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "race/access.h"
#include "race/lock.h"
#include "wire/event.h"
#include "wire/plan.h"
#include "wire/schedule.h"
#include "wire/wire.h"

#define RT_EXPORT __attribute__((visibility("default")))
#define RT_NOINLINE __attribute__((noinline))
#define RT_HIDDEN __attribute__((visibility("hidden"))) /* of a declaration: reached without the table of addresses */
#define RT_TLS __thread __attribute__((tls_model("initial-exec")))
#define RT_CALLER ((uintptr_t)__builtin_return_address(0))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* ---- threads (rt/thread.c) ------------------------------------------------- */

#define RT_NO_THREAD 0xffffffffu
#define RT_SHADOW_STACK 1024 /* frames kept of programs built with func_entry/exit */

/* One per thread, mmapped at creation, kept until the process ends (ids are never reused). */
struct rt_thread {
	uint32_t id;          /* order of creation; 0 = main */
	uint32_t parent;
	uint32_t nth_child;   /* this is the n-th thread its parent made */
	uint32_t children;    /* made so far */
	uint32_t tid;         /* kernel's */
	int depth;            /* > 0: inside the runtime, rt_enter refuses */
	uintptr_t stack_low;  /* 0 until known */
	uintptr_t stack_high;
	uintptr_t created_at; /* return address of pthread_create */
	uint64_t handle;      /* pthread_t */
	void *(*start)(void *);
	void *argument;
	bool ended;
	bool detached;
	void *engine;         /* the engine's part */
	void *turn;           /* the scheduler's part */
	uint32_t frame_count; /* shadow stack, only where func_entry is called */
	uintptr_t *frames;
	const void *expected; /* stands before a compare and exchange: see rt_flags_now */
	size_t stack_size;    /* set by pthread_create from its attributes; 0: the default */
	uint64_t apart[9];    /* depth is written at every access: two threads' records share no cache line */
};

extern RT_TLS struct rt_thread *rt_self_tls;

/*
 * What the access a parked thread has announced would be if it happened now: a compare and
 * exchange writes only while the expected bytes are there.
 */
static inline unsigned rt_flags_now(const struct rt_thread *thread, const void *address, size_t size, unsigned flags)
{
	const unsigned char *a = address, *b = thread->expected;

	for (size_t i = 0; b && i < size; i++)
		if (a[i] != b[i])
			return flags & ~(unsigned)ACCESS_WRITE;
	return flags;
}

/* The calling thread; makes a record for a thread we did not see being created. Never NULL. */
struct rt_thread *rt_self(void);
/* A record for a thread about to be created by the caller. */
struct rt_thread *rt_thread_new(uintptr_t created_at);
/* On the new thread itself, first thing: bind the record, learn the stack. */
void rt_thread_bind(struct rt_thread *thread);
struct rt_thread *rt_thread_by_id(uint32_t id);
struct rt_thread *rt_thread_by_handle(uint64_t handle);
/* The thread is over: rt_thread_live no longer counts it. Once per thread. */
void rt_thread_end(struct rt_thread *thread);
uint32_t rt_thread_count(void); /* ever created */
uint32_t rt_thread_live(void);  /* created and not ended; 1 = patching is easy */

/* Keep the runtime's own doings (and libc calls it makes) out of the engine. */
static inline bool rt_enter(struct rt_thread *self)
{
	if (unlikely(self->depth))
		return false;
	self->depth = 1;
	return true;
}

static inline void rt_leave(struct rt_thread *self)
{
	self->depth = 0;
}

/* The shadow stack of programs built with func_entry/exit; caller is a return address. */
bool rt_frames_make(struct rt_thread *self);
static inline void rt_frame_push(struct rt_thread *self, uintptr_t caller)
{
	if (unlikely(!self->frames) && !rt_frames_make(self))
		return;
	if (likely(self->frame_count < RT_SHADOW_STACK))
		self->frames[self->frame_count] = caller;
	self->frame_count++;
}

static inline void rt_frame_pop(struct rt_thread *self)
{
	if (likely(self->frame_count))
		self->frame_count--;
}

/* ---- the engine: nop/engine.c or detect/ ------------------------------------ */

void rt_engine_start(void);                            /* constructor, wire may be absent */
void rt_engine_end(void);                              /* exit handler */
void rt_on_thread_start(struct rt_thread *self);       /* after bind; create edge taken here */
void rt_on_thread_create(struct rt_thread *child);     /* on the parent, before it can run */
void rt_on_thread_end(struct rt_thread *self);
void rt_on_thread_join(struct rt_thread *joined);      /* after the join returned 0 */
void rt_on_fork_child(void);

void rt_on_acquire(const void *lock, enum lock_mode mode, uintptr_t pc);
void rt_on_release(const void *lock, enum lock_mode mode, uintptr_t pc);
/* Before a lock that may block: the lock-order graph sees the wish, also when it deadlocks. */
void rt_on_want(const void *lock, enum lock_mode mode, uintptr_t pc);
void rt_on_send(const void *object);    /* SND: others may receive what I did up to here */
void rt_on_receive(const void *object); /* RCV: I have seen what was sent to object */
void rt_on_destroy(const void *object); /* address may become another object */

/* Plain accesses made on behalf of the program by libc or by the allocator. Size may be 0. */
void rt_on_access(const void *address, size_t size, unsigned flags, uintptr_t pc);
/* C11/gcc atomics: order is a __ATOMIC_* constant; before the operation is performed. */
void rt_on_atomic(const void *address, size_t size, unsigned flags, int order, uintptr_t pc);
/*
 * ... and after it, if it is a load or a read-modify-write: the edge from the release it saw.
 * Also just before rt_on_atomic where it acquires: the access itself is ordered after that.
 */
void rt_on_atomic_done(const void *address, unsigned flags, int order);
void rt_on_fence(int order);
void rt_on_alloc(const void *block, size_t size, uintptr_t pc);
/* Before the block is given back: a write to all of it, then the end of its variables. */
void rt_on_free(const void *block, size_t size, uintptr_t pc);
/* Memory that begins anew without a race check: mmap, stack of a new thread. */
void rt_on_fresh(const void *block, size_t size);
/* DEADHEAT_IGNORE_BEGIN/END and the TSan annotations of that name. */
void rt_on_ignore(int delta);

/* ---- turns: native/turn.c (empty) or sched/ ---------------------------------- */

/* Does every volatile access pass rt_turn_access? Then its calls stay as they are. */
extern const bool rt_takes_turns;
/* Called from the constructor when the wire is claimed, before main. The fork server lives here. */
void rt_turn_start(void);
/* A scheduling point before op on object. May switch threads; returns when it is our turn. */
void rt_point(enum wire_op op, const void *object, uintptr_t pc);
/* An access the scheduler may have to hold: called for libc ranges and free(), see sched/access.c. */
/*
 * ... and, with ACCESS_ATOMIC or ACCESS_VOLATILE, for every such access: these are always
 * scheduling points (abi/atomics call this, not rt_point, before the operation).
 */
void rt_turn_access(const void *address, size_t size, unsigned flags, uintptr_t pc);
/* In a forked child, which runs inert from now on: what was changed in its text is undone. */
void rt_turn_fork_child(void);
/* The program is about to end (exit, _exit, abort): last words. */
void rt_turn_exit(int status);
/*
 * How many of the wanted bytes stdio may be asked for from stream (a FILE) without blocking
 * inside libc: all, natively; else at least one, after waiting for it with the turn given away.
 */
size_t rt_turn_stream(void *stream, size_t wanted, uintptr_t pc);
/* abort() was called from pc (weak in abi/verifier.c): a failed assumption does not come back. */
void rt_turn_abort(uintptr_t pc);

/* ---- what the program does not want to be told (abi/meant.c) ------------------------ */

/* deadheat_stop/start: while set, engines look at no plain access of any thread; at sync always. */
extern bool rt_paused;
/* DEADHEAT_BENIGN and the like; engines ask before they tell a pair, and count WIRE_MEANT_PAIRS. */
void rt_meant(const void *address, size_t size, const char *why);
bool rt_is_meant(const void *address, size_t size);

/* ---- life (rt/init.c) ----------------------------------------------------------- */

/* Which library this is: enum wire_runtime. Differs per library, see Makefile (kind.c). */
extern const uint32_t rt_kind;
/*
 * The program ends with status: last words of turn and engine, WIRE_ENDED. Runs by itself
 * after all exit handlers; _exit and quick_exit call it, since they pass none. Once only.
 */
void rt_finish(int status);
/* Around fork in the caller: no lock of ours is held by a thread the child does not have. */
void rt_fork_before(void);
void rt_fork_after(bool child);
/* The forked child lets go of the wire and runs inert (not the fork server's trials). */
void rt_wire_leave(void);

/* ---- wire (rt/wire.c) --------------------------------------------------------- */

extern struct wire_header *rt_wire;   /* NULL: nobody asked anything, run inert */
extern const struct wire_plan *rt_plan; /* NULL likewise */
extern int rt_control;                /* control socket, close-on-exec; -1: none */
static inline bool rt_plan_flag(enum wire_plan_flag flag)
{
	return rt_plan && (rt_plan->flags & flag);
}
const struct wire_plan_module *rt_plan_modules(void);
const struct wire_plan_site *rt_plan_sites(void);
const struct wire_plan_edge *rt_plan_edges(void);
const struct wire_choice *rt_plan_choices(void);
const struct wire_plan_plain *rt_plan_plain(void);

void rt_count(enum wire_counter counter);
void rt_count_add(enum wire_counter counter, uint64_t n);
/* Reserve a record of size bytes (rounded up to 8), zeroed; NULL and counted when full. */
void *rt_record(size_t size);
/* Make it visible to the host. */
void rt_commit(void *record, enum wire_record_type type);
/* A NOTE record; printf-like with %s %u %d %lx %lu %p only. */
void rt_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- modules (rt/module.c) ------------------------------------------------------ */

/* Absolute address to module + offset; announces modules to the host when first seen. */
struct wire_pc rt_place(uintptr_t pc);
/* Plan module + offset to an absolute address in this process; 0 if not loaded. */
uintptr_t rt_plan_address(uint32_t plan_module, uint32_t offset);
/* Re-read the loaded modules (constructor, after dlopen). */
void rt_modules_refresh(void);
/* The log or the plan is a new one (a trial of the fork server): announce and match again. */
void rt_modules_again(void);
/* Is the address in the text of the runtime itself? */
bool rt_is_own(uintptr_t pc);
/* Is it in the text of any loaded module? Nothing is re-read: false for the unknown. */
bool rt_is_text(uintptr_t pc);

/* ---- stacks (rt/stack.c) ----------------------------------------------------------- */

#define RT_STACK_MAX 64
/*
 * Return addresses, innermost first; pc is the site itself and becomes out[0]. By frame
 * pointers from frame (__builtin_frame_address(0) of a runtime function), validated
 * against the thread's stack; by the shadow stack where the program keeps one.
 */
unsigned rt_stack(uintptr_t pc, const void *frame, uintptr_t *out, unsigned max);
/* Of another thread, which must be parked below frame. */
unsigned rt_stack_of(const struct rt_thread *thread, uintptr_t pc, const void *frame, uintptr_t *out, unsigned max);

/* ---- call-site patching (rt/patch.c) ------------------------------------------------- */

/*
 * The call that returns to pc and reached `entry` (address of one of our exported
 * functions) becomes: a NOP of the same length, or a direct call to target. Checks that
 * the bytes before pc really are that call (E8 to a PLT stub, FF 15 through the GOT);
 * tail jumps and anything else are left alone and counted. Safe while other threads run.
 * Returns true if the site is now patched.
 */
bool rt_patch_nop(uintptr_t pc, const void *entry);
bool rt_patch_call(uintptr_t pc, const void *entry, const void *target);
/*
 * The same (target NULL: NOP) at a twentieth of the price, but not yet: it is done together with
 * the next rt_patch_* in its page. For sites that have not yet come by often enough to pay for it.
 */
void rt_patch_plan(uintptr_t pc, const void *entry, const void *target);
/* Undo rt_patch_nop for one site (sched: the next trial's pair). */
bool rt_patch_restore(uintptr_t pc);
/* The same in the parent of a process that patched this site: nothing is checked but the call's bytes. */
bool rt_patch_nop_known(uintptr_t pc);
/* Set by a scheduler that lets one thread run at a time: the others stand in the kernel. */
extern bool rt_patch_alone;
/*
 * The address of blob + offset in a copy of the position-independent code blob that lies
 * within reach (+-2 GiB) of module_pc's whole module; made once per module and blob, r-x.
 * blob itself when it is near enough; NULL if the kernel gives no room.
 */
const void *rt_near_copy(uintptr_t module_pc, const void *blob, size_t size, size_t offset);

/* ---- strings (rt/string.c): what libc offers is interposed, so we have our own -------- */

void *rt_memcpy(void *to, const void *from, size_t size);
void *rt_memmove(void *to, const void *from, size_t size);
void *rt_memset(void *to, int byte, size_t size);
int rt_memcmp(const void *a, const void *b, size_t size);
size_t rt_strlen(const char *s);
int rt_strcmp(const char *a, const char *b);
int rt_strncmp(const char *a, const char *b, size_t size);

/* ---- memory without malloc (rt/memory.c), raw system calls (rt/raw.c) ------------------ */

/* Zeroed, never given back, 16-byte aligned, from mmapped chunks. NULL when the kernel refuses. */
void *rt_arena(size_t size);
/* Reserve address space, zero pages on touch; huge asks for transparent huge pages. NULL on refusal. */
void *rt_reserve(size_t size, bool huge);
void rt_unreserve(void *start, size_t size);

long rt_syscall(long number, ...); /* -errno on failure, touches no errno, no cancellation */
/* sigaction by the kernel itself: for handlers of our own (handler.c). False: refused. */
struct sigaction;
bool rt_sigaction(int number, const struct sigaction *action, struct sigaction *old);
void rt_futex_wait(uint32_t *word, uint32_t value);
void rt_futex_wake(uint32_t *word, uint32_t count);
void rt_exit_now(int status) __attribute__((noreturn));
/* One line "deadheat: TEXT" to stderr, then status 1: only for what cannot go on at all. */
void rt_die(const char *text, const char *name) __attribute__((noreturn));
/* All threads' cores see code changed before this call. False: the kernel refuses. */
bool rt_sync_cores(void);

/* A small lock for the slow paths: spin a little, then futex. Not recursive. */
struct rt_lock {
	uint32_t word;
};
void rt_lock(struct rt_lock *lock);
void rt_unlock(struct rt_lock *lock);

/* ---- the functions we stand in for (rt/real.c) -------------------------------------------- */

/*
 * The next definition of name after ours (dlsym RTLD_NEXT; the default version of
 * multi-versioned names). Resolved in the constructor for every name of symbols.def, so
 * that no dlsym happens later. Use:  REAL(pthread_mutex_lock)(mutex)
 */
#define REAL(name) ((__typeof__(&name))rt_real[REAL_##name])
#ifndef RT_INTERPOSED /* rt/trace has another table */
#define RT_INTERPOSED "rt/abi/interposed.def"
#endif
enum rt_real_index {
#define SYMBOL(name, kind) REAL_##name,
#include RT_INTERPOSED
#undef SYMBOL
	REAL_COUNT
};
extern void *rt_real[REAL_COUNT] RT_HIDDEN;

#endif
