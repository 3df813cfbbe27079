/*
 * patched PID - how many bytes of a process' executable text are not those of the file. For tests of what trap
 * leaves behind. Exit 1 if it cannot be read.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static long differ(int mem, int file, unsigned long low, unsigned long high, unsigned long offset)
{
	unsigned char a[4096], b[4096];
	long count = 0;

	for (; low < high; low += 4096, offset += 4096) {
		ssize_t n = pread(file, b, sizeof(b), (off_t)offset);

		if (n <= 0)
			break;
		if (pread(mem, a, (size_t)n, (off_t)low) != n)
			return -1;
		for (ssize_t i = 0; i < n; i++)
			count += a[i] != b[i];
	}
	return count;
}

int main(int argc, char **argv)
{
	char path[64], exe[4096] = "", line[4400], name[4096];
	unsigned long low, high, offset;
	long sum = 0;
	FILE *maps;
	int mem, file;

	if (argc != 2)
		return 2;
	snprintf(path, sizeof(path), "/proc/%s/exe", argv[1]);
	if (readlink(path, exe, sizeof(exe) - 1) < 0 || (file = open(path, O_RDONLY)) < 0)
		return 1;
	snprintf(path, sizeof(path), "/proc/%s/mem", argv[1]);
	mem = open(path, O_RDONLY);
	snprintf(path, sizeof(path), "/proc/%s/maps", argv[1]);
	maps = fopen(path, "r");
	if (mem < 0 || !maps)
		return 1;
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx r-xp %lx %*s %*s %4095[^\n]", &low, &high, &offset, name) == 4 && !strcmp(name, exe)) {
			long n = differ(mem, file, low, high, offset);

			if (n < 0)
				return 1;
			sum += n;
		}
	printf("%ld\n", sum);
	return 0;
}
