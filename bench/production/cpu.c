/*
 * cpu SESSION: CPU time used so far by all processes of a session, in ns (threads that have ended included). By
 * the kernel's clocks, not by the ticks of /proc/PID/stat.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	DIR *processes = opendir("/proc");
	unsigned long long sum = 0;
	struct dirent *entry;

	if (argc != 2 || !processes)
		return 2;
	while ((entry = readdir(processes))) {
		pid_t pid = (pid_t)atoi(entry->d_name);
		struct timespec used;
		clockid_t clock;

		if (pid > 0 && getsid(pid) == atoi(argv[1]) && !clock_getcpuclockid(pid, &clock) && !clock_gettime(clock, &used))
			sum += (unsigned long long)used.tv_sec * 1000000000u + (unsigned long long)used.tv_nsec;
	}
	printf("%llu\n", sum);
	return 0;
}
