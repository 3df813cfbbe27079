/*
 * internal - what the files of rt/ itself share; abi/, native/, sched/ and the engines
 * see rt.h only.
 */
#ifndef RT_INTERNAL_H
#define RT_INTERNAL_H

#include "rt/rt.h"

/* One lock each, taken in this order around fork. */
void rt_modules_fork(bool before);
void rt_threads_fork(bool before);
void rt_patch_fork(bool before);
void rt_near_fork(bool before);
void rt_memory_fork(bool before);

/* A function of libc, not by dlsym; NULL: there is none (libc.c). */
void *rt_libc_find(const char *name);

/* Constructor's steps, in order. */
void rt_real_start(void);
void rt_wire_start(void);
/* strings: any address in the block of strings above the first frame, e.g. AT_EXECFN's. */
void rt_thread_start_main(uintptr_t strings);
/* Announce all threads, the log is new. */
void rt_threads_again(void);
/* In the forked child: of all threads only the caller is left. */
void rt_threads_alone(void);

#define MODULE_SEGMENTS 8

/* A loaded object. Records are never freed: a pointer stays good after dlclose. */
struct module {
	uintptr_t base;              /* address = base + offset */
	uintptr_t low, high;         /* of everything mapped */
	struct module_segment {
		uintptr_t low, high;
		uint32_t flags;          /* PF_* */
	} segment[MODULE_SEGMENTS];
	uint32_t segment_count;
	bool loaded;                 /* false: was closed */
	bool own;                    /* the runtime itself */
	uintptr_t headers;           /* where its program headers are: tells same-based objects apart */
	uint64_t seen;               /* generation of the last refresh that met it */
	struct module *next;         /* older */
	uint32_t wire_index;         /* of its MODULE record; WIRE_NO_MODULE: not announced */
	char build_id[48];
	const char *path;
};

/* Path of the library we are; "" before the first refresh. */
const char *rt_own_path(void);
/* The module whose mapping holds the address; NULL: none known. No lock, never blocks. */
const struct module *module_find(uintptr_t address);
/* Bind the access entries of a module just met; dynamic: its dynamic section (bind.c). */
void module_bind(const struct module *module, const void *dynamic);
/* The segment of the module that holds all of [address, address + size). */
const struct module_segment *module_segment(const struct module *module, uintptr_t address, size_t size);

#endif
