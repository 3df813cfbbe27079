/* threads - programs of awkward kinds; the argument names which. See sample.t. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MANY 1500

static pthread_barrier_t barrier;

static void burn(long n)
{
	for (volatile long i = 0; i < n; i++)
		;
}

static void *wait_for_all(void *x)
{
	pthread_barrier_wait(&barrier);
	burn(50000);
	return x;
}

static int many(void)
{
	static pthread_t t[MANY];
	pthread_attr_t small;
	int made = 0;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&barrier, NULL, MANY);
	for (int i = 0; i < MANY; i++)
		made += !pthread_create(&t[i], &small, wait_for_all, NULL);
	for (int i = 0; i < MANY; i++)
		pthread_join(t[i], NULL);
	return printf("%d threads\n", made) < 0;
}

static void *burn_thread(void *x)
{
	burn(1000000);
	return x;
}

static int forks(void)
{
	int ended = 0, status;

	for (int i = 0; i < 200; i++) {
		pid_t pid = fork();
		pthread_t t;

		if (!pid) {
			pthread_create(&t, NULL, burn_thread, NULL);
			pthread_join(t, NULL);
			_exit(0);
		}
		ended += waitpid(pid, &status, 0) == pid && status == 0;
	}
	return printf("%d children\n", ended) < 0;
}

/* Whatever a sampler might use kills. */
static int sandbox(int raw)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_create, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_settime, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_gettid, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_delete, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };
	pthread_t t;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (raw ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) :
		  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return perror("seccomp"), 1;
	pthread_create(&t, NULL, burn_thread, NULL);
	burn(50000000);
	pthread_join(t, NULL);
	return puts("lived") < 0;
}

static int modules(void)
{
	int opened = 0;

	for (int i = 0; i < 100; i++) {
		void *library = dlopen("libm.so.6", RTLD_NOW);
		double (*cosine)(double) = library ? (double (*)(double))dlsym(library, "cos") : NULL;

		opened += cosine && cosine(0) == 1;
		burn(1000000);
		if (library)
			dlclose(library);
	}
	return printf("opened %d times\n", opened) < 0;
}

static volatile int trapped;

static void on_trap(int signal)
{
	trapped += signal == SIGTRAP;
}

static int traps(void)
{
	signal(SIGTRAP, on_trap);
	for (int i = 0; i < 50; i++) {
		burn(1000000);
		__asm__ volatile("int3");
		raise(SIGTRAP);
	}
	return printf("trapped %d\n", trapped) < 0;
}

static int blocked(void)
{
	sigset_t all;
	pthread_t t[4];

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, burn_thread, NULL);
	burn(50000000);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return puts("blocked done") < 0;
}

/* Short waits between bits of work: samples fall into their beginnings. */
static int waits(void)
{
	struct timespec nap = { 0, 50000 };
	struct epoll_event event;
	int cut = 0, epoll = epoll_create1(0);

	for (int i = 0; i < 1000; i++) {
		burn(100000);
		cut += poll(NULL, 0, 0) < 0 && errno == EINTR;
		cut += epoll_wait(epoll, &event, 1, 0) < 0 && errno == EINTR;
		cut += clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL) == EINTR;
	}
	return printf("%d cut short\n", cut) < 0;
}

/* Prints its child's number; the child is traced, as under gdb, until stdin ends. */
static int traced(void)
{
	pid_t pid = fork();
	char byte;

	if (!pid) {
		for (;;)
			pause();
	}
	ptrace(PTRACE_SEIZE, pid, NULL, NULL);
	printf("%d\n", (int)pid);
	fclose(stdout);
	while (read(0, &byte, 1) > 0)
		;
	kill(pid, SIGKILL);
	return 0;
}

/* Works until stdin ends; then says whether it counted right. */
static void *work_on(void *over)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static long guarded;

	while (!__atomic_load_n((int *)over, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&lock);
		guarded++;
		pthread_mutex_unlock(&lock);
		burn(100);
	}
	return NULL;
}

static int until_told(void)
{
	static int over;
	pthread_t t[3];
	char byte;

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work_on, &over);
	while (read(0, &byte, 1) > 0)
		;
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return puts("worked to the end") < 0;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	if (!strcmp(kind, "fork"))
		return forks();
	if (!strcmp(kind, "seccomp"))
		return sandbox(0);
	if (!strcmp(kind, "seccomp-raw"))
		return sandbox(1);
	if (!strcmp(kind, "dlopen"))
		return modules();
	if (!strcmp(kind, "trap"))
		return traps();
	if (!strcmp(kind, "blocked"))
		return blocked();
	if (!strcmp(kind, "traced"))
		return traced();
	if (!strcmp(kind, "until-told"))
		return until_told();
	if (!strcmp(kind, "waits"))
		return waits();
	return many();
}
