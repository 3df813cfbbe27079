/*
 * internal - what the files of find/trap share.
 *
 *   run.c      the loop: processes come and go, time passes, the budget is handed out
 *   table.c    a module's memory instructions, decoded once, published in the plan
 *   cache.c    tables on disk, by build-id
 *   process.c  processes, and what is loaded where in them
 *   arm.c      which instructions of a process have an int3
 *   tell.c     finds become candidates
 *   restore.c  all bytes as they were should the host be killed (find/keeper.h); out of a process
 *   attach.c   a process that runs already (--pid)
 *
 * I1  Every byte we write is 0xcc over the original or the original over 0xcc, after a look at
 *     what stands there.
 * I2  When we leave a process (it ends, --duration is over, a debugger comes, we are killed) nothing stays patched.
 */
#ifndef FIND_TRAP_INTERNAL_H
#define FIND_TRAP_INTERNAL_H

#include <sys/types.h>
#include <time.h>

#include "base/vec.h"
#include "find/trap/trap.h"
#include "wire/trace.h"
#include "wire/tracer.h"
#include "wire/trap.h"

#define PLAN_BYTES ((size_t)512 << 20) /* pages come as touched: 16 bytes a memory instruction */

/* ---- table.c -------------------------------------------------------------------------------- */

struct tables {
	struct trap_plan *plan;
	size_t used, size;             /* bytes of the plan area */
	VEC(char *) paths;             /* by number; NULL path: not wanted */
	VEC(int) numbers;              /* table of that path, -1: none */
	const char *cache;             /* folder, NULL: none */
	uint64_t cached;               /* tables that came from there */
	uint64_t sites;
	uint64_t made_ns;              /* CPU time that making tables took; the reader sets it back */
};
void site_tables_open(struct tables *tables, struct trap_plan *plan, size_t size);
/* Those another process has published: nothing is made any more. */
void site_tables_adopt(struct tables *tables, struct trap_plan *plan, size_t size);
void site_tables_close(struct tables *tables);
/* The table of a module's file, made now if need be; -1: its accesses are not for us. */
int site_table_of(struct tables *tables, const char *path);
static inline const struct trap_site *table_sites(const struct tables *tables, int number)
{
	return (const void *)((const char *)tables->plan + tables->plan->tables[number].at);
}

/* ---- cache.c ---------------------------------------------------------------------------------- */

/* How many were there; 0: decode. folder NULL, or a module without a build-id: nothing is kept. */
size_t site_cache_read(const char *folder, const char *build_id, struct trap_site *sites, size_t most);
void site_cache_write(const char *folder, const char *build_id, const struct trap_site *sites, size_t count);

/* ---- process.c ---------------------------------------------------------------------------------- */

struct site_state {
	uint8_t armed;
	uint8_t private;  /* hits on its thread's own stack, in a row */
	uint16_t turns;   /* watched so often */
};

struct loaded {
	uint64_t base;
	int table;
	bool gone;
	bool told;           /* its handler knows it: it may get int3s */
	struct site_state *states;
	uint32_t *order;     /* the sites that may get an int3, shuffled */
	uint32_t count, fresh; /* of order: how many, how many have had their first */
	VEC(uint32_t) live;  /* have been executed */
};

struct traced {
	uint32_t number;  /* in the trace header */
	pid_t pid;
	int mem;          /* /proc/PID/mem, -1: not ours to touch */
	int status;       /* /proc/PID/status */
	clockid_t clock;  /* of its CPU time; 0: none */
	bool over;
	uint32_t changes; /* of its modules, as of our last look */
	uint64_t next_look, closed_at;
	uint64_t cpu_ms;
	VEC(struct loaded *) modules;
};

struct processes {
	struct tables *tables;
	struct trace_header *header;
	struct find_sink sink;
	VEC(struct traced *) all;
	uint64_t random;
	int own_filters;  /* of seccomp, that deadheat itself is under */
	bool untold;      /* also modules the process has not told */
};
void processes_free(struct processes *processes);
/* New ones, ended ones, their modules. */
void processes_look(struct processes *processes, uint64_t now);
void processes_look_all(struct processes *processes);
void processes_restore(struct processes *processes);
uint64_t processes_cpu_ms(struct processes *processes);
struct traced *traced_of(struct processes *processes, uint32_t number);
struct loaded *traced_module(struct traced *process, const struct tables *tables, uint64_t address);

/* ---- arm.c ---------------------------------------------------------------------------------------- */

/* Put int3s, over all processes: fresh new ones, and as many of those known to be executed as are worth while. */
void processes_arm(struct processes *processes, uint64_t now, unsigned fresh, unsigned live);
bool processes_have_fresh(const struct processes *processes);
void processes_hit(struct processes *processes, const struct trap_hit *hit);
/* Sites of a pair come again soon. */
void processes_favour(struct processes *processes, uint32_t process, uint64_t address, bool caught);
void module_restore(struct processes *processes, struct traced *process, struct loaded *module);
uint32_t processes_draw(struct processes *processes, uint32_t bound);

/* ---- tell.c ----------------------------------------------------------------------------------------- */

struct teller {
	struct tables *tables;
	struct processes *processes;
	struct sym *sym;
	const struct find_sink *sink;
	struct trap_result *result;
	VEC(struct told *) told;
	uint64_t outside;  /* the other side was in libc or not to be found */
	uint64_t atomics;  /* both sides atomic */
};
/* 0 / -1 when the sink says so. */
int tell_find(struct teller *teller, const struct trap_find *find);
void tell_end(struct teller *teller);

/* ---- run.c, for attach.c too ---------------------------------------------------------------------------- */

struct trapping {
	const struct trap_options *options;
	struct tracer tracer;
	struct trap_plan *plan;
	struct tables tables;
	struct processes processes;
	struct teller teller;
	struct trap_result *result;
	struct keeper *keeper;
	uint64_t began, last, cpu_ms, last_fresh, next_scan;
	uint64_t own_ns;        /* CPU time of ours that was charged */
	uint64_t once_ns;       /* ... that is not: decoding, telling */
	int64_t arming_ns;      /* what we may still use for first int3s */
	uint32_t hit_read, find_read;
	int nap_ms;
	bool looking;
	bool over;              /* --duration is over */
};
int trapping_open(struct trapping *t, const struct trap_options *options, struct sym *sym, const struct find_sink *sink,
		  struct trap_result *result);
int trapping_tick(struct trapping *t);
/* No more int3s; what was still to be read. */
int trapping_stop(struct trapping *t);
void trapping_finish(struct trapping *t, const struct find_sink *sink);
void trapping_close(struct trapping *t);

/* ---- restore.c ------------------------------------------------------------------------------------------ */

struct inject;
struct restore {
	const struct tracer *tracer;
	struct trap_plan *plan;
	const struct inject *inject; /* the process that we are in by --pid, to be left too; NULL */
};
/* For keeper_start: a struct restore. */
void restore_undo(const void *context);
/* Out of a process we are in by --pid, whose bytes are as they were. 0 / -1 with a message. */
int restore_leave(const struct inject *inject, struct trap_plan *plan);

#endif
