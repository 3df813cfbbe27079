/*
 * random - a random small threaded program on stdout, by seed: for bench/scan-random.sh, which looks for programs that
 * scan calls race-free and hunt shows to be racy.
 *
 * Programs end by themselves (no waiting but join), never deadlock (one lock at a time, or in order), and use: globals,
 * mutexes and a rwlock, helpers that lock, unlock or write through pointers, try-locks, conditions on arguments and on
 * globals, atomics as flags (release/acquire and relaxed), heap objects handed to threads, early and late joins.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long state;
static int indent;

static unsigned pick(unsigned n)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(state >> 33) % n;
}

static void put(const char *format, ...)
{
	va_list args;

	for (int i = 0; i < indent; i++)
		putchar('\t');
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

#define GLOBALS 4
#define LOCKS 2

static void statement(int depth, int held);

static void access_any(void)
{
	static const char *const forms[] = {
		"g[%u]++;", "g%u = 1;", "local += g%u;", "s.a += %u;", "local += s.b + %u;", "p[%u] = 3;", "local += *q + %u;", "*q += %u;",
		"bump(&g%u);", "object->value += %u;", "local += object->value + %u;", "memcpy(&copy, &s, sizeof(copy)); local += copy.a + %u;",
	};

	put(forms[pick(sizeof(forms) / sizeof(*forms))], pick(GLOBALS));
}

/* Mostly what the lock held is for, else the thread's own: most programs would be racy otherwise. */
static void access_one(int held)
{
	static const char *const own[] = { "local++;", "mine++;", "local += id;", "copy.b = local;" };
	static const char *const guarded[][4] = {
		{ "g0++;", "local += g0;", "s.a = local;", "bump(&g[0]);" }, { "g1 = id;", "local += s.b;", "s.b++;", "p[1]++;" },
		{ "g2++;", "local += g2;", "g[2] = 1;", "local += p[2];" },
	};

	if (!pick(held ? 40 : 25))
		access_any();
	else if (held && pick(4))
		put("%s", guarded[held - 1][pick(4)]);
	else
		put("%s", own[pick(4)]);
}

static void block(int depth, int held, int length)
{
	indent++;
	for (int i = 0; i < length; i++)
		statement(depth, held);
	indent--;
}

static void locked(int depth)
{
	unsigned l = pick(LOCKS);

	switch (pick(6)) {
	case 0:
		put("if (!pthread_mutex_trylock(&m%u)) {", l);
		block(depth - 1, (int)l + 1, 1 + (int)pick(2));
		indent++;
		put("pthread_mutex_unlock(&m%u);", l);
		indent--;
		put("}");
		break;
	case 1:
		put("pthread_rwlock_%slock(&rw);", pick(2) ? "rd" : "wr");
		block(depth - 1, 3, 1 + (int)pick(2));
		put("pthread_rwlock_unlock(&rw);");
		break;
	case 2:
		put("enter(&m%u);", l);
		block(depth - 1, (int)l + 1, 1 + (int)pick(2));
		put("leave(&m%u);", l);
		break;
	case 3:
		put("if (id < 9)");
		put("\tpthread_mutex_lock(&m%u);", l);
		block(depth - 1, (int)l + 1, 1);
		put("if (id < 9)");
		put("\tpthread_mutex_unlock(&m%u);", l);
		break;
	default:
		put("pthread_mutex_lock(&m%u);", l);
		block(depth - 1, (int)l + 1, 1 + (int)pick(3));
		put("pthread_mutex_unlock(&m%u);", l);
	}
}

static void flagged(int depth, int held)
{
	static const char *const orders[] = { "memory_order_acquire", "memory_order_relaxed", "memory_order_seq_cst" };

	switch (pick(3)) {
	case 0:
		put("atomic_store_explicit(&flag%u, %u, %s);", pick(2), pick(3), pick(3) ? "memory_order_release" : "memory_order_relaxed");
		break;
	default:
		put("if (atomic_load_explicit(&flag%u, %s)%s) {", pick(2), orders[pick(3)], pick(2) ? "" : " == 2");
		block(depth - 1, held, 1 + (int)pick(2));
		put("}");
	}
}

static void statement(int depth, int held)
{
	unsigned what = pick(10);

	if (depth <= 0 || what < 4)
		access_one(held);
	else if (what < 7 && !held)
		locked(depth);
	else if (what == 7)
		flagged(depth, held);
	else if (what == 8) {
		put("if (%s) {", pick(2) ? "id == 1" : "local > 2");
		block(depth - 1, held, 1);
		put("}");
	} else {
		put("for (int i%d = 0; i%d < 2; i%d++) {", depth, depth, depth);
		block(depth - 1, held, 1);
		put("}");
	}
}

static void function(const char *name)
{
	printf("static void *%s(void *arg)\n{\n", name);
	indent = 1;
	put("struct object *object = arg;");
	put("int id = object->id, local = 0;");
	put("struct pair copy;");
	put("");
	block(3, 0, 3 + (int)pick(4));
	indent = 1;
	put("(void)copy;");
	put("return local > 1000000 ? arg : NULL;");
	printf("}\n\n");
}

static void mains(unsigned threads)
{
	int joined[8] = { 0 };

	printf("int main(void)\n{\n");
	indent = 1;
	put("struct object *object = calloc(1, sizeof(*object)), *other = calloc(1, sizeof(*other));");
	put("int id = 0, local = 0;");
	put("struct pair copy;");
	put("pthread_t t[%u];", threads);
	put("");
	put("other->id = 1;");
	put("(void)id;");
	for (unsigned i = 0; i < threads; i++) {
		if (!pick(3))
			statement(1, 0);
		put("pthread_create(&t[%u], NULL, f%u, %s);", i, pick(2), pick(2) ? "object" : "other");
		if (!pick(4)) {
			put("pthread_join(t[%u], NULL);", i);
			joined[i] = 1;
		}
	}
	if (!pick(3))
		statement(2, 0);
	for (unsigned i = 0; i < threads; i++)
		if (!joined[i])
			put("pthread_join(t[%u], NULL);", i);
	statement(1, 0);
	put("(void)copy;");
	put("return local > 1000000;");
	printf("}\n");
}

int main(int argc, char **argv)
{
	state = argc > 1 ? strtoul(argv[1], NULL, 10) * 7919 + 17 : 1;
	for (int i = 0; i < 8; i++)
		pick(2);
	puts("#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n");
	puts("struct object { int id, value; };\nstruct pair { int a, b; };");
	puts("static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;");
	puts("static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;\nstatic atomic_int flag0, flag1;");
	puts("static __thread int mine;\nstatic int g[4], g0, g1, g2, g3;\nstatic struct pair s;");
	printf("static int *p = g, *q = &g%u;\n\n", pick(GLOBALS));
	puts("static void enter(pthread_mutex_t *m)\n{\n\tpthread_mutex_lock(m);\n}\n");
	puts("static void leave(pthread_mutex_t *m)\n{\n\tpthread_mutex_unlock(m);\n}\n");
	puts("static void bump(int *x)\n{\n\t*x += 1;\n}\n");
	function("f0");
	function("f1");
	mains(2 + pick(2));
	return 0;
}
