/*
 * internal - what the files of the analysis share. The walk, one file a step:
 *
 *     points_to.c   classes of objects (Steensgaard with offsets); points_to.h lists its files
 *     pointers.c    where function pointers come from, by struct field (kernels)
 *     wrappers.c    functions that hand out what they allocate: a copy for each call
 *     calls.c       who calls whom, strongly connected components
 *     path.c        symbolic values: hash-consed access paths
 *     facts.c       states: locks held and released, ownership, threads, what has happened (facts.h)
 *     symbolic.c    every SSA value of one function as a path
 *     loops.c       counted loops: creating and joining threads by index
 *     effects.c     what one call does: models and callees' summaries
 *     ways.c        a state as a few ways of getting there;  meaning.c  what a condition says
 *     flow.c        states through one function, its summary and its events
 *     summary.c     bottom-up over the call graph, in parallel
 *     descend.c     top-down from the thread entries: absolute accesses
 *     threads.c     who may run in parallel
 *     exclude*.c    the named exclusions
 *     pairs.c       pairs, class by class, in parallel;  pairs_fields.c  of the class that holds everything;  pairs_text.c  words for people;  rank.c  the paper's filters
 *
 * I1  After points_to() and calls_make() both are only read: workers share them without locks.
 * I2  Paths and fact sets are interned: equal means the same number. Numbers depend on the
 *     order of work, so nothing that is printed may depend on their order.
 */
#ifndef FIND_SCAN_INTERNAL_H
#define FIND_SCAN_INTERNAL_H

#include <pthread.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "find/scan/analyse.h"

/* ---- interned things --------------------------------------------------------------------------- */

#define INTERN_SHARDS 16
#define INTERN_CHUNK 4096
struct intern_shard {
	pthread_mutex_t lock;
	struct intern_slot { uint32_t id, tag; } *slots; /* tag: the hash's upper half, so that others' items are not touched */
	size_t slot_count, count;
	char **chunks;
	size_t chunk_count;
	struct arena arena;
};
struct intern {
	struct intern_shard shards[INTERN_SHARDS];
	size_t item;
};
void intern_begin(struct intern *intern, size_t item);
void intern_end(struct intern *intern);
static inline void *intern_at(const struct intern *intern, uint32_t id)
{
	const struct intern_shard *shard = &intern->shards[id % INTERN_SHARDS];
	size_t index = id / INTERN_SHARDS;

	return shard->chunks[index / INTERN_CHUNK] + index % INTERN_CHUNK * intern->item;
}

/* ---- paths --------------------------------------------------------------------------------------- */

typedef uint32_t path_id; /* 0: none */

enum path_kind {
	PATH_NONE,
	PATH_INT,     /* off */
	PATH_GLOBAL,  /* address of global a */
	PATH_FUNCTION,/* address of function a */
	PATH_VALUE,   /* formal or unfollowed value b of function a */
	PATH_HEAP,    /* object allocated by instruction with result b of function a */
	PATH_STACK,   /* alloca b of function a */
	PATH_FIELD,   /* base + off */
	PATH_INDEX,   /* base + index * off; index 0: some element */
	PATH_LOAD,    /* what lay at base when instruction b of function a read it */
	PATH_CALL,    /* root `base` of a callee, seen by caller a after call b */
	PATH_PARENT,  /* root `base` of thread a, seen by a thread it created */
	PATH_CLASS,   /* some object of points-to class a, at off */
	PATH_FIXED,   /* hidden object or lock named by a model: a = index of name */
	PATH_OWN,     /* an object of this thread alone */
};
struct path {
	uint8_t kind;
	uint8_t depth;
	uint8_t loads;    /* PATH_LOAD steps in it */
	uint8_t wraps;
	path_id base, index;
	uint32_t a, b;
	int64_t off;
	path_id canon;    /* without the marks of load instructions and calls */
	path_id root;     /* the object: through fields and indices, not through loads */
	uint32_t hint;    /* program's type it points to, smallest seen; IR_NO */
	uint64_t tags;    /* bloom filter of (a, b) marks inside */
	uint64_t hash;
};

/* ---- facts ----------------------------------------------------------------------------------------- */

enum fact_kind {
	/* hold on every way here: meet is intersection */
	FACT_HELD,     /* lock path, mode, count (0: not re-entrant); old: enum held_as */
	FACT_OWN,      /* nobody else knows object path */
	FACT_INSIDE,   /* within the once routine of path */
	FACT_ONCE,     /* once of path is over */
	FACT_SEEN,     /* flag path was read as not 0; bound: lock held then, 0: by an acquire load; mode 1: a relaxed one, no fence yet */
	FACT_TAKEN,    /* semaphore path was taken */
	FACT_FENCE,    /* a release fence was executed */
	FACT_JOINED,   /* thread id path (elements lo..hi or up to bound) was joined */
	/* may have happened: meet is union */
	FACT_RELEASED, /* lock path; 0: any */
	FACT_ESCAPED,  /* object path; 0: any */
	FACT_SET,      /* flag path was set to something not 0 */
	FACT_POSTED,   /* semaphore path */
	FACT_RUNS,     /* thread of site, id path (0 lost; mode 1: it is somewhere), elements lo..hi or bound; old: before this loop or call */
	FACT_CREATED,  /* thread of site */
	FACT_FENCED,   /* likewise, perhaps */
	FACT_TURN,     /* site has created its thread in this turn of the loop counted by path */
	/* counted: meet is gcd */
	FACT_PHASE,    /* barrier path passed lo + k*hi times */
	FACT_KIND_COUNT
};
#define FACT_FIRST_MAY FACT_RELEASED
struct fact {
	uint8_t kind, mode, count, old;
	uint32_t site;
	path_id path, bound;
	int64_t lo, hi;
};
enum held_as { HELD_LOCK, HELD_SEMAPHORE, HELD_FLAG };
typedef uint32_t facts_id; /* 0: nothing known yet: unreachable */
struct facts {
	const struct fact *items;
	uint32_t count;
	uint32_t kinds;   /* bit per kind present */
	uint64_t tags;    /* of all paths in it */
	uint64_t hash;
};

/* ---- points-to --------------------------------------------------------------------------------------- */

struct cell {
	uint32_t node; /* 0: nothing */
	int64_t off;
};
struct points_to;

/* ---- the program under analysis ------------------------------------------------------------------------ */

struct call_target {
	uint32_t function;  /* IR_NO: end */
	uint8_t how;        /* enum call_how */
	uint32_t type, field; /* CALL_FIELD: the program's type */
};
enum call_how { CALL_DIRECT, CALL_POINTS_TO, CALL_SIGNATURE, CALL_FIELD };

/* One thing in a function that the descent looks at, with the state before it. */
enum event_kind { EVENT_ACCESS, EVENT_CALL, EVENT_SPAWN, EVENT_POST, EVENT_BARRIER, EVENT_EXIT, EVENT_INIT, EVENT_UNLOCK, EVENT_SET_OWN, EVENT_KIND_COUNT };
struct event {
	uint8_t kind;
	uint8_t flags;         /* access: enum access_flag */
	uint8_t order;         /* access: enum ir_order */
	uint8_t many;          /* spawn: any number, never joined */
	uint32_t size;         /* access: bytes; UINT32_MAX: to the end of the object */
	uint32_t instr;        /* index in the unit */
	path_id path;          /* access: address; spawn: id; post, barrier: object */
	path_id value;         /* store: value; spawn: argument; barrier init: count */
	facts_id state;
	uint32_t target;       /* call, spawn: first of targets[] or IR_NO for an unknown one */
	uint32_t actual, actual_count; /* call: paths in actuals[] */
	int64_t lo, hi;        /* spawn: range of the id's index */
	path_id bound, induction; /* spawn: the loop's bound and its counter; 0 none */
	uint8_t once_per_turn; /* spawn: at most once per turn of the loop of `induction` */
	uint8_t inside;        /* call: of a once routine on `path` */
	uint8_t passed;        /* call: made by a library function; formals get anything of actuals */
	uint8_t fresh;         /* spawn: the argument is an object made for it */
	uint8_t conditions;    /* only if these formals are zero / not zero */
	struct { uint16_t formal; bool nonzero; } condition[2];
};

struct summary {
	facts_id exit[2];      /* result zero / not zero (both the same if it has none); 0: does not return */
	path_id result;        /* path relative to the formals, 0 unknown */
};

struct function_info {
	uint32_t original;     /* itself; a copy: the function it is one of */
	uint32_t first_instr, instr_count; /* in its unit */
	uint32_t value_base;   /* number of its value 0 in the program */
	uint32_t site_base;    /* number of its first instruction in the program */
	uint32_t scc;
	uint64_t signature;    /* hash of its text */
	const struct model *model; /* external ones */
	struct summary summary;
	struct event *events;
	uint32_t event_count;
	struct call_target *targets;
	path_id *actuals;
	bool cut;              /* budget ran out */
	bool defined;
};

/* A call that goes to a copy. */
struct copied_call {
	uint32_t site, function;
};

struct scan {
	const struct linked *program; /* = &with_copies */
	struct linked with_copies;
	const struct models *models;
	const struct analyse_options *options;
	struct arena arena;
	struct function_info *functions;
	size_t function_count, function_room;
	size_t value_count, instr_count;
	VEC(struct copied_call) copies; /* by site, ascending */
	bool parallel;         /* there is no main: everything may run at any time, creations and joins say nothing */
	bool large;            /* too big for the finer facts: flags are not followed */
	unsigned depth;        /* of paths */
	uint64_t budget;
	struct intern paths, sets;
	struct points_to *points_to;
	struct pointers *pointers; /* NULL: not used */
	facts_id nothing;      /* the empty set */
	path_id any;           /* an index that is any */
	/* calls.c */
	uint32_t *order;       /* functions, callees first; within a component as the search left them: most callees are before their callers */
	uint32_t *scc_first;   /* scc i is order[scc_first[i] .. scc_first[i+1]) */
	uint32_t scc_count;
	uint32_t *resolved_at; /* per instruction: a call through a pointer, resolved[] + 1 */
	VEC(struct call_target) resolved;
	uint32_t *calls_first; /* per function into calls */
	uint32_t *calls;
	uint32_t *callers_first; /* the same edges backwards */
	uint32_t *callers;
	/* assume.c */
	pthread_mutex_t assume_lock;
	VEC(struct scan_assumption) assumptions;
	uint32_t *assume_slots; /* assumptions[] + 1, by text */
	size_t assume_slot_count;
	VEC(const char *) fixed;
	pthread_mutex_t fixed_lock;
};

static inline const struct ir_unit *scan_unit(const struct scan *s, uint32_t f)
{
	return &s->program->units[s->program->functions[f].unit];
}
static inline const struct ir_function *scan_function(const struct scan *s, uint32_t f)
{
	return linked_function(s->program, f);
}
static inline uint32_t scan_callee(const struct scan *s, uint32_t f, uint32_t index)
{
	return s->program->function_of[s->program->functions[f].unit][index];
}
static inline uint32_t scan_site(const struct scan *s, uint32_t f, uint32_t instr)
{
	return s->functions[f].site_base + (instr - s->functions[f].first_instr);
}
/* The same for all copies of a function. */
static inline uint32_t scan_place(const struct scan *s, uint32_t f, uint32_t instr)
{
	return scan_site(s, s->functions[f].original, instr);
}
uint32_t wrappers_callee(const struct scan *s, uint32_t site, uint32_t callee);
/* Whom a direct call goes to. */
static inline uint32_t scan_called(const struct scan *s, uint32_t f, const struct ir_instr *in)
{
	uint32_t callee = scan_callee(s, f, ir_index(in->a));

	return s->copies.count ? wrappers_callee(s, scan_site(s, f, (uint32_t)(in - scan_unit(s, f)->instrs)), callee) : callee;
}

/* analyse.c, wrappers.c: before anything else */
void functions_add(struct scan *s, struct linked_symbol symbol, uint32_t original);
void wrappers_copy(struct scan *s);

/* path.c */
void paths_begin(struct scan *s);
static inline const struct path *path_at(const struct scan *s, path_id id) { return intern_at(&s->paths, id); }
path_id path_int(struct scan *s, int64_t value);
path_id path_plain(struct scan *s, enum path_kind kind, uint32_t a, uint32_t b); /* GLOBAL FUNCTION VALUE HEAP STACK FIXED OWN */
path_id path_field(struct scan *s, path_id base, int64_t off);
path_id path_index(struct scan *s, path_id base, int64_t stride, path_id index);
path_id path_load(struct scan *s, path_id base, uint32_t f, uint32_t value);
path_id path_wrap(struct scan *s, enum path_kind kind, path_id root, uint32_t a, uint32_t b); /* CALL PARENT */
path_id path_class(struct scan *s, struct cell cell);
void path_hint(struct scan *s, path_id path, uint32_t type);
path_id path_fixed(struct scan *s, const char *name);
/* Are values of function f in it (other than formals if formals_too is false)? */
bool path_mentions(const struct scan *s, path_id path, uint32_t f, uint32_t value);
bool path_mentions_function(const struct scan *s, path_id path, uint32_t f);
/* Formals of callee become actuals; its own roots are marked with the call (wrap_f != IR_NO) or stay. */
struct rebind {
	uint32_t callee, formal_count;
	const path_id *actuals;
	uint32_t actual_count;
	uint32_t wrap_f, wrap_v; /* the call, or IR_NO */
	uint32_t parent;         /* thread: roots become PATH_PARENT of it, or IR_NO */
};
path_id path_rebind(struct scan *s, path_id path, const struct rebind *rebind);
/* Every index by `value` becomes "any". */
path_id path_any_index(struct scan *s, path_id path, path_id value);
path_id path_strip_calls(struct scan *s, path_id path);
path_id path_replace(struct scan *s, path_id path, path_id what, path_id by);
/* May these addresses (of so many bytes) be the same memory, in one thread's eyes? */
bool path_may_alias(struct scan *s, path_id a, uint32_t size_a, path_id b, uint32_t size_b);
/* Is the root one known object (global, heap, stack, however wrapped)? */
bool path_is_object(const struct scan *s, path_id root);
/* Innermost object of a chain of wraps. */
path_id path_unwrap(const struct scan *s, path_id root);
/* Constant offset and whether an index is on the way; from the root. */
void path_offset(const struct scan *s, path_id path, int64_t *off, int64_t *stride);
struct cell path_cell(struct scan *s, path_id path);
void path_text(struct scan *s, struct strbuf *out, path_id address, bool as_lvalue);

/* facts.c */
void facts_begin(struct scan *s);
static inline const struct facts *facts_at(const struct scan *s, facts_id id) { return intern_at(&s->sets, id); }
facts_id facts_meet(struct scan *s, facts_id a, facts_id b);
facts_id facts_add(struct scan *s, facts_id set, struct fact fact);
facts_id facts_make(struct scan *s, const struct fact *items, size_t count);
/* The state after what happened since: caller's state, callee's (rebound) state. The paper's lockUpdate. */
facts_id facts_compose(struct scan *s, facts_id before, facts_id since);
facts_id facts_release(struct scan *s, facts_id set, path_id lock);
facts_id facts_escape(struct scan *s, facts_id set, path_id path);
facts_id facts_rebind(struct scan *s, facts_id set, const struct rebind *rebind);
/* Value v of function f is computed anew: what was said of the old one no longer holds. */
facts_id facts_redefine(struct scan *s, facts_id set, uint32_t f, uint32_t value);
/* Entering function f again: marks of an outer activation would be taken for its own. */
facts_id facts_enter(struct scan *s, facts_id set, uint32_t f);
const struct fact *facts_find(const struct scan *s, facts_id set, enum fact_kind kind, path_id path);
static inline bool facts_has(const struct scan *s, facts_id set, enum fact_kind kind)
{
	return facts_at(s, set)->kinds >> kind & 1;
}

facts_id facts_join(struct scan *s, facts_id set, struct fact joined, bool only_old);
facts_id facts_drop(struct scan *s, facts_id set, enum fact_kind kind, path_id path); /* path 0: all */
facts_id facts_give_up(struct scan *s, facts_id set);
facts_id facts_acquire(struct scan *s, facts_id set);
facts_id facts_age(struct scan *s, facts_id set);
facts_id facts_leave(struct scan *s, facts_id set, uint32_t f, path_id result);
/* For large recursions: short names only, locks released by class. facts_top: any lock may have been released, any object have escaped. */
facts_id facts_coarse(struct scan *s, facts_id set);
facts_id facts_top(struct scan *s, facts_id set);

/* points_to*.c */
int points_to(struct scan *s);
void points_to_free(struct scan *s);
struct cell points_to_value(const struct scan *s, uint32_t f, uint32_t value);
struct cell points_to_operand(const struct scan *s, uint32_t f, ir_operand operand);
struct cell points_to_global(const struct scan *s, uint32_t g);
struct cell points_to_load(const struct scan *s, struct cell cell); /* what is stored there */
/* Real node and offset. */
struct cell points_to_find(const struct scan *s, struct cell cell);
bool points_to_overlap(const struct scan *s, struct cell a, uint32_t size_a, struct cell b, uint32_t size_b);
/* Functions a pointer may be; count. */
size_t points_to_functions(const struct scan *s, struct cell cell, const uint32_t **functions);
/* Was something other than a thread id ever stored here? */
bool points_to_stored(const struct scan *s, struct cell cell);
size_t points_to_node_count(const struct scan *s);
size_t points_to_objects(const struct scan *s, struct cell cell); /* merged into its class */
/* Every node reachable from cell, with its own or (but for cycles) without: called once each. False: there are more. */
bool points_to_reach(const struct scan *s, struct cell cell, bool itself, void (*visit)(void *context, struct cell cell), void *context);

/* pointers.c */
struct pointer_targets {
	const uint32_t *functions;
	size_t count;
	uint32_t type, field; /* of the program: the field called through, or IR_NO */
};
void pointers_make(struct scan *s);
void pointers_free(struct scan *s);
/* What flows to the pointer of a call; true: and nothing else. */
bool pointers_targets(const struct scan *s, uint32_t f, const struct ir_instr *in, struct pointer_targets *out);

/* calls.c */
int calls_make(struct scan *s);
#define TARGETS_MAX 256 /* of one call through a pointer */
void calls_signatures(struct scan *s);
uint64_t calls_signature(const struct ir_unit *unit, uint32_t signature);
/* Targets of a call instruction, ended by IR_NO. NULL: direct to an external function, or none found. */
const struct call_target *calls_targets(const struct scan *s, uint32_t f, uint32_t instr);
size_t calls_resolve(struct scan *s, uint32_t f, const struct ir_instr *in, struct call_target *targets, size_t max);

/* symbolic.c, loops.c, flow.c, effects.c: one function at a time */
struct loop {
	uint32_t header, value;      /* block; the counter's value number */
	int64_t init;
	bool init_known, ranged;     /* ranged: tested against hi or bound */
	bool counted;                /* and that test is the only way out */
	uint32_t size;
	int64_t hi;                  /* with bound 0 */
	path_id bound;
	bool *body;
};
struct work {
	struct scan *s;
	uint32_t f;
	const struct ir_unit *unit;
	const struct ir_function *function;
	struct arena arena;
	path_id *values;
	const struct ir_instr **def;
	uint32_t *def_block;
	uint32_t *rpo, rpo_count;    /* blocks, reverse postorder; unreachable ones left out */
	uint32_t *position;          /* per block: in rpo, IR_NO unreachable */
	struct loop *loops;
	size_t loop_count;
	uint32_t *loop_of;           /* per block: innermost loop or IR_NO */
	bool final;                  /* recording events */
	VEC(struct event) events;
	VEC(struct call_target) targets;
	VEC(path_id) actuals;
	uint64_t visited;
	facts_id *load_state;        /* per value: state when it was loaded */
	bool *used;
	uint8_t conditions;          /* of the way that is being recorded */
	struct { uint16_t formal; bool nonzero; } condition[2];
	path_id result;
};
path_id symbolic_operand(struct work *w, ir_operand operand);
void symbolic_run(struct work *w);
bool constant_of(const struct work *w, ir_operand o, int64_t *value);
/* Facts that a loop by `counter` establishes for all elements; false: not of this shape. */
bool loop_range(struct work *w, const struct loop *loop, struct fact *fact);
void loop_joins(struct work *w, const struct loop *loop, facts_id *state);
void blocks_order(struct work *w);
size_t block_successors(const struct work *w, uint32_t block, const uint32_t **list, uint32_t *step);
uint32_t block_successor(const struct work *w, uint32_t block, size_t i);
void loops_find(struct work *w);
/* Is the instruction's block on every turn of the loop? */
bool loop_every_turn(const struct work *w, const struct loop *loop, uint32_t block);
/* visited: instructions looked at are added. */
struct summary flow_run(struct scan *s, uint32_t f, bool final, uint64_t *visited);
/* State after a call: two, by result zero / not zero. */
void effects_call(struct work *w, const struct ir_instr *in, uint32_t block, facts_id before, facts_id after[2]);
size_t effects_joins(struct work *w, const struct ir_instr *in, struct fact *facts, size_t max);
void effects_asm(struct work *w, const struct ir_instr *in, uint32_t block, facts_id before, facts_id *after);
facts_id fence(struct scan *s, facts_id state, enum ir_order order);
/* Does this instruction take a flag as a spin lock does: 0 becomes something else, in one step, acquiring? */
bool takes_flag(const struct ir_unit *unit, const struct ir_instr *in);
void event_add(struct work *w, struct event event);
void event_access(struct work *w, const struct ir_instr *in, facts_id state, path_id path, unsigned flags, uint32_t size);

/* summary.c */
void summaries(struct scan *s);

/* assume.c */
void assume(struct scan *s, enum assumption_kind kind, bool sound, uint32_t f, const struct ir_instr *in, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* ---- the descent ------------------------------------------------------------------------------------------ */

struct context {
	uint32_t function, thread;
	facts_id state;
	path_id *args;
	uint32_t arg_count;
	uint32_t parent;       /* context, or IR_NO */
	uint32_t parent_event;
	uint8_t how;           /* enum call_how of the way in */
	uint32_t how_type, how_field;
	bool wide;             /* merged: grows */
};
struct thread {
	uint32_t function;     /* entry */
	uint32_t parent;       /* IR_NO: main, or a kernel entry */
	uint32_t site, site_function, site_instr;
	path_id id;            /* as the parent sees it */
	bool many;             /* said by the model, the kernel or recursion: any number */
	bool self;             /* two of it may run at once */
	bool distinct;         /* each gets an argument of its own */
	bool fresh;            /* ... because it is an object made for it */
	bool unjoinable, handler;
	path_id argument;
	path_id induction;
	int64_t instances;     /* at most, in the life of the program; 0 unknown */
	bool looped;           /* created in a loop */
	VEC(facts_id) born;    /* states before the creation */
	facts_id exit;         /* states at its ends, met */
	bool clean;            /* its children are joined when it ends */
	uint8_t depth;
};
struct place_access {
	uint32_t context, event, thread;
	uint8_t owned;         /* nobody else knew the object */
	uint8_t flags;         /* of the event; from exclude_begin() on */
	path_id path;
	facts_id state;
	uint32_t next;         /* bucket */
	struct cell cell;      /* of path; from exclude_begin() on */
};
struct sync_place { uint8_t kind; uint32_t context, event, thread; path_id path, value; facts_id state; };
struct descent {
	struct scan *s;
	VEC(struct context) contexts;
	struct group { uint32_t function, thread, count, wide; } *groups; /* contexts of one function and thread; wide: the newest merged one */
	size_t group_slots, group_count;
	path_id *formal_class; /* per value of the program: a formal as any of its class; made when asked */
	bool *started;         /* per function: s->parallel: it is an entry already */
	uint32_t any_thread;   /* thread + 1 that stands for any number of all entries beyond THREADS_MAX; 0 none */
	VEC(struct thread) threads;
	VEC(struct place_access) accesses;
	VEC(struct sync_place) syncs;
	size_t sync_first[EVENT_KIND_COUNT + 1]; /* exclude_begin() has sorted them: those of kind k are sync_first[k] .. sync_first[k+1] */
	VEC(uint32_t) work;
	uint32_t *slots;
	size_t slot_count;
	uint32_t *access_slots;
	size_t access_slot_count;
	unsigned context_cap;
	uint32_t *call_site;   /* per function: the one site that calls it, +1; 0 none; UINT32_MAX several */
	struct { path_id path; bool kept; } lock_cache[1024]; /* lock_is_kept(), by path */
	uint32_t *bucket;      /* per node: first access +1 */
	size_t bucket_count;
	bool cut;
};
void descend(struct descent *d, struct scan *s);
void descend_one(struct descent *d, struct scan *s, uint32_t function); /* --summary */
void descent_free(struct descent *d);
static inline const struct event *descent_event(const struct descent *d, uint32_t context, uint32_t event)
{
	return &d->s->functions[d->contexts.items[context].function].events[event];
}

/* Every place of one kind; a kernel has tens of thousands of one and none of another. */
#define EACH_SYNC(d, p, kind) \
	(const struct sync_place *p = (d)->syncs.items + (d)->sync_first[kind]; p < (d)->syncs.items + (d)->sync_first[(kind) + 1]; p++)

/* threads.c */
void threads_settle(struct descent *d);
bool threads_parallel(struct descent *d, const struct place_access *a, const struct place_access *b, bool *single);
bool threads_solo(struct descent *d, uint32_t thread, facts_id state);
bool threads_contains(struct descent *d, facts_id state, enum fact_kind kind, const struct thread *thread);

/* exclude.c */
struct pair_view {
	const struct place_access *a, *b;
	const struct event *ea, *eb;
};
bool may_be_same(struct descent *d, const struct place_access *a, const struct place_access *b, const char **why);
/* The exclusion that holds, or -1. */
int exclude(struct descent *d, const struct pair_view *view);
void exclude_begin(struct descent *d);

/* pairs.c, pairs_fields.c, pairs_text.c, rank.c */
/* Which field of which struct an address is, in a function's own words; 0: it has no name. */
uint64_t pair_field(const struct scan *s, path_id path);
void pair_side_text(struct descent *d, const struct place_access *a, const struct event *e, struct scan_side *side, struct arena *arena);
const char *pair_variable_text(struct descent *d, const struct pair_view *v, struct arena *arena);
void pairs_make(struct descent *d, struct scan_result *result, struct arena *arena);
void rank_pair(struct descent *d, struct scan_pair *pair, const struct pair_view *view, struct arena *arena);
bool instr_in_loop(const struct scan *s, uint32_t f, uint32_t instr);
/* From the header of its innermost loop (or the entry), is `instr` only reached through `before`? */
bool instr_dominates(const struct scan *s, uint32_t f, uint32_t before, uint32_t instr);
uint32_t instr_of_value(const struct scan *s, uint32_t f, uint32_t value);
void describe_variable(struct scan *s, uint32_t f, const struct ir_instr *in, struct strbuf *out);

#endif
