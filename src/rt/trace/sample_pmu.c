/*
 * sample_pmu - the trigger where there is a performance monitoring unit: instructions retired
 * in user mode (PEBS on Intel, precise_ip 2; IBS on AMD takes precise_ip for the same event;
 * without either, precise_ip 0), one event per thread, each overflow a synchronous signal.
 *
 * sigtrap would make it SIGTRAP, which is trap's: F_SETSIG sends ours to the thread that owns
 * the event. The signal comes at the return from the overflow's interrupt; what the handler
 * takes is the state there (sampler.h), so skid shifts which instructions are seen, not
 * whether what is said of them is true. Period: ns of CPU time are taken for instructions at
 * three a nanosecond, and corrected by nothing: the budget is held by the measured cost per sample.
 *
 * Written from perf_event_open(2) and probed at the start; machines without a PMU (virtual
 * ones, mostly) fall to the timer. It has not been run: none of ours has one.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/trace/sampler.h"

#define INSTRUCTIONS_PER_NS 3

static int precise;

static int event_open(uint32_t tid, uint64_t period, int precise_ip)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP,
		.disabled = 0,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.wakeup_events = 1,
		.precise_ip = (uint64_t)precise_ip & 3,
	};

	return (int)rt_syscall(SYS_perf_event_open, &attr, (long)tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool pmu_probe(void)
{
	for (precise = 2; precise >= 0; precise--) {
		int fd = event_open(0, 1000000, precise);

		if (fd < 0)
			continue;
		rt_syscall(SYS_close, fd);
		return true;
	}
	return false;
}

static void pmu_next(struct trace_thread *self, uint64_t ns)
{
	uint64_t period = ns * INSTRUCTIONS_PER_NS;

	if (sampler_keep(self)[KEEP_ARMED])
		rt_syscall(SYS_ioctl, (long)sampler_keep(self)[KEEP_HANDLE], PERF_EVENT_IOC_PERIOD, &period);
}

static bool pmu_arm(struct trace_thread *self, uint32_t tid)
{
	struct f_owner_ex owner = { F_OWNER_TID, (pid_t)(tid ? tid : self->tid) };
	int fd = event_open((uint32_t)owner.pid, sampler_first(self) * INSTRUCTIONS_PER_NS, precise);

	if (fd < 0)
		return false;
	rt_syscall(SYS_fcntl, fd, F_SETSIG, sampler_signal());
	rt_syscall(SYS_fcntl, fd, F_SETOWN_EX, &owner);
	rt_syscall(SYS_fcntl, fd, F_SETFL, O_ASYNC | O_NONBLOCK);
	sampler_keep(self)[KEEP_HANDLE] = (uint64_t)fd;
	sampler_keep(self)[KEEP_ARMED] = 1;
	return true;
}

static void pmu_disarm(struct trace_thread *self)
{
	if (!sampler_keep(self)[KEEP_ARMED])
		return;
	sampler_keep(self)[KEEP_ARMED] = 0;
	rt_syscall(SYS_close, (long)sampler_keep(self)[KEEP_HANDLE]);
}

const struct trigger trigger_pmu = {
	.kind = TRACE_SAMPLER_PMU,
	.probe = pmu_probe,
	.arm = pmu_arm,
	.next = pmu_next,
	.disarm = pmu_disarm,
};
