/*
 * trace - the border of production tracing: deadheat sample and trap (host) on one side,
 * rt/trace, preloaded into an unmodified program, on the other.
 *
 * One shared mapping made by the host. Unlike the wire it is not claimed by one process:
 * servers fork and exec, so every process that finds DEADHEAT_TRACE=<path> in its environment
 * maps it and takes the next number in the table of processes. The path is /proc/PID/fd/N of
 * the host: no file is left behind whoever dies.
 *
 *   0        plan_offset     states_offset        chunks_offset
 *   +--------+---------------+--------------------+-------------------------------+
 *   | header | plan of trap  | uint32_t state[n]  | n chunks of TRACE_CHUNK bytes |
 *   +--------+---------------+--------------------+-------------------------------+
 *
 * A thread owns one chunk at a time, appends records to it and hands it over when it is full
 * or when the thread ends; the host writes it to its log and gives it back. So memory is
 * bounded by the pool, whatever the number of threads, and an idle thread costs one chunk.
 *
 * I1  magic and version keep their place in every version.
 * I2  state: TRACE_FREE -> (thread, compare and swap) TRACE_OWNED -> (owner) TRACE_FULL ->
 *     (host) TRACE_FREE. Of an OWNED chunk the first `used` bytes are whole records (release).
 * I3  Records of one thread are ordered by (chunk.sequence, place); between threads by
 *     `order`, one counter all samples, sends and receives add to. Allocations only read it
 *     (an add per malloc would bounce its line), so one with order o came after event o - 1
 *     and its order to event o is unknown. A block given out again while no sample was taken
 *     may go unsaid: no two samples have that between them.
 * I4  What finds no free chunk is dropped and counted, and the thread's next chunk says so
 *     (chunk.lost): a reader must not take silence for absence there.
 * The log on disk is this record format too: docs/sample-log.md.
 */
#ifndef WIRE_TRACE_H
#define WIRE_TRACE_H

#include <stdint.h>

#define TRACE_MAGIC 0x3143415254484444ull /* "DDHTRAC1" */
#define TRACE_VERSION 1u
#define TRACE_ENV "DEADHEAT_TRACE"
#define TRACE_CHUNK 4096u
#define TRACE_PROCESSES 1024u

enum trace_mode { /* bits: what the host asks for */
	TRACE_SAMPLE = 1u << 0,
	TRACE_TRAP = 1u << 1,
};

enum trace_chunk_state {
	TRACE_FREE = 0,
	TRACE_OWNED = 1,
	TRACE_FULL = 2,
};

/* X(symbol, json name): everything dropped, shed or worth knowing. */
#define TRACE_COUNTERS(X) \
	X(TRACE_LOST_RECORDS, "lost_records") \
	X(TRACE_LOST_LOCKS, "lost_locks") \
	X(TRACE_LOST_THREADS, "lost_threads") \
	X(TRACE_LOST_PROCESSES, "lost_processes") \
	X(TRACE_SAMPLES, "samples") \
	X(TRACE_STEPS, "steps") \
	X(TRACE_SAMPLES_INSIDE, "samples_in_runtime") \
	X(TRACE_SAMPLES_PAUSED, "samples_while_stopped") \
	X(TRACE_SAMPLES_NO_TIMER, "threads_without_timer") \
	X(TRACE_RESTARTED, "system_calls_restarted") \
	X(TRACE_THREADS, "threads") \
	X(TRACE_CHILDREN, "forked_children") \
	X(TRACE_ALLOCATIONS, "allocations") \
	X(TRACE_HANDLER_NS, "handler_ns") \
	X(TRACE_TRAP_0, "trap_0") \
	X(TRACE_TRAP_1, "trap_1") \
	X(TRACE_TRAP_2, "trap_2") \
	X(TRACE_TRAP_3, "trap_3") \
	X(TRACE_TRAP_4, "trap_4") \
	X(TRACE_TRAP_5, "trap_5") \
	X(TRACE_TRAP_6, "trap_6") \
	X(TRACE_TRAP_7, "trap_7")

enum trace_counter {
#define X(symbol, name) symbol,
	TRACE_COUNTERS(X)
#undef X
	TRACE_COUNTER_COUNT
};

enum trace_process_state {
	TRACE_PROCESS_NONE = 0,
	TRACE_PROCESS_RUNNING = 1,
	TRACE_PROCESS_ENDED = 2,   /* exit handlers reached, or it called exec */
};

struct trace_process {
	uint32_t pid;
	uint32_t state;   /* enum trace_process_state */
	uint32_t parent;  /* number in this table + 1; 0: started by exec, not by fork from one of us */
	uint32_t unused;
};

/* Which trigger the samples of a process came from. */
enum trace_sampler {
	TRACE_SAMPLER_NONE = 0,
	TRACE_SAMPLER_PMU = 1,
	TRACE_SAMPLER_TIMER = 2,
};

enum trace_flag {
	TRACE_NO_STEPS = 1u << 0, /* no single steps after a sample */
};

struct trace_header {
	uint64_t magic;           /* host, as all the rest unless said otherwise */
	uint32_t version;
	uint32_t mode;            /* enum trace_mode bits */
	uint64_t total_size;
	uint64_t plan_offset;     /* what the parts want to be told: trap's, see rt/trace/trap*.c */
	uint64_t plan_size;
	uint64_t states_offset;
	uint64_t chunks_offset;
	uint32_t chunk_count;
	uint32_t signal;          /* of the sampler; 0: the runtime chooses a real-time signal */
	uint64_t period_ns;       /* CPU time between samples of a thread, mean; 0: by budget */
	uint32_t budget_ppm;      /* of CPU time the handler may take */
	uint32_t toggle_signal;   /* start and stop; 0: none */
	uint64_t seed;            /* of randomised periods */
	uint32_t sampler;         /* host: asked for (NONE: best there is); target: used */
	uint32_t process_count;   /* target adds */
	uint32_t flags;           /* enum trace_flag */
	uint32_t unused;
	uint8_t apart0[64];         /* order is written by all threads: its own cache line */
	uint64_t order;           /* target adds: see I3 */
	uint8_t apart1[56];
	uint64_t epoch;           /* target: order of the last sample; read at every malloc, written seldom */
	uint8_t apart3[56];
	uint32_t active;          /* host (--delay, --duration, end) and deadheat_start/stop: look now? */
	uint32_t chunk_cursor;    /* target: where to look for a free chunk next */
	uint32_t modules_stale;   /* target: dlopen was called since */
	uint32_t detach;          /* host: parts undo what they did (--pid) */
	uint8_t apart2[48];
	uint64_t counters[TRACE_COUNTER_COUNT];
	struct trace_process processes[TRACE_PROCESSES];
};

struct trace_chunk {
	uint32_t process;  /* index in the table */
	uint32_t thread;   /* number in the process; 0 = its first */
	uint32_t sequence; /* n-th chunk of that thread */
	uint32_t used;     /* bytes of whole records after this head */
	uint64_t lost;     /* records the thread has dropped so far */
};
#define TRACE_CHUNK_ROOM (TRACE_CHUNK - sizeof(struct trace_chunk))

enum trace_record_type {
	TRACE_NOTHING = 0,
	TRACE_R_THREAD = 1,   /* first of a thread: struct trace_r_thread */
	TRACE_R_END = 2,      /* last of a thread: head only */
	TRACE_R_CREATE = 3,   /* on the parent, before the child can run: aux = number of the child */
	TRACE_R_JOIN = 4,     /* after the join: aux = number of the joined */
	TRACE_R_SEND = 5,     /* struct trace_r_object: condition, semaphore, barrier, once, deadheat_send */
	TRACE_R_RECEIVE = 6,
	TRACE_R_DESTROY = 7,  /* the object's address may become another one */
	TRACE_R_ALLOC = 8,    /* struct trace_r_alloc: malloc, mmap, deadheat_alloc; the bytes begin anew */
	TRACE_R_SAMPLE = 9,   /* struct trace_r_sample */
	TRACE_R_MODULE = 10,  /* struct trace_r_module */
	TRACE_R_NOTE = 11,    /* head, then text with NUL */
	TRACE_R_BENIGN = 12,  /* struct trace_r_alloc: races there are meant */
	TRACE_R_STRAY = 13,   /* struct trace_r_object: a lock released we did not see taken (--pid) */
	TRACE_R_TRAP = 64,    /* from here on trap's own */
};

struct trace_record {
	uint16_t type;  /* enum trace_record_type */
	uint16_t size;  /* bytes, head included, multiple of 8 */
	uint32_t aux;
	uint64_t order;
};

struct trace_r_object {
	struct trace_record head;
	uint64_t object;
};

struct trace_r_alloc {
	struct trace_record head; /* aux: 1 mmap */
	uint64_t block;
	uint64_t size;
	uint64_t pc;              /* who asked: return address */
};

struct trace_r_thread {
	struct trace_record head; /* aux: number of the parent, UINT32_MAX unknown */
	uint64_t created_at;      /* return address of pthread_create; 0 unknown */
	uint64_t stack_low;       /* about */
	uint64_t stack_high;
	uint32_t tid;
	uint32_t unused;
};

struct trace_r_module {
	struct trace_record head; /* aux: 1 = gone (dlclose) */
	uint64_t base;            /* address = base + offset as libdw counts it */
	uint64_t low, high;       /* all it maps */
	uint8_t build_id[20];
	uint32_t build_id_size;
	/* path with NUL */
};

enum trace_register { /* order of trace_r_sample.registers; Zydis counts the same way */
	TRACE_RAX, TRACE_RCX, TRACE_RDX, TRACE_RBX, TRACE_RSP, TRACE_RBP, TRACE_RSI, TRACE_RDI,
	TRACE_R8, TRACE_R9, TRACE_R10, TRACE_R11, TRACE_R12, TRACE_R13, TRACE_R14, TRACE_R15,
	TRACE_REGISTERS
};

enum trace_sample_flag {
	TRACE_LOCKS_LOST = 1u << 0,  /* more locks held than listed: the lockset is a part of the truth */
	TRACE_IGNORED = 1u << 1,     /* between deadheat_ignore_begin and _end */
	TRACE_STEPPED = 1u << 2,     /* a single step after a sample */
};

/* ip is the next instruction: none of its accesses has been made when the registers were these. */
struct trace_r_sample {
	struct trace_record head; /* aux: enum trace_sample_flag */
	uint64_t ip;
	uint64_t flags;           /* rflags: direction of string operations */
	uint64_t fs_base;
	uint64_t clock;           /* thread-local: sync operations so far */
	uint64_t registers[TRACE_REGISTERS];
	uint32_t lock_count;
	uint32_t stack_words;
	/* uint64_t locks[lock_count], bit 63: held for reading; then stack_words words from rsp up */
};
#define TRACE_LOCK_SHARED (1ull << 63)

#endif
