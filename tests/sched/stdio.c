/* Streams over a pipe between threads: lines and blocks that come in pieces, and locks on streams. */
#include <pthread.h>
#include <sched.h>
#include <sys/types.h>

#include "expect.h"

static FILE *in, *out;

static void *write_pieces(void *unused)
{
	fputs("first ", out);
	fflush(out);
	sched_yield();
	fprintf(out, "line\nsecond\n");
	fflush(out);
	for (int i = 0; i < 20; i++) {
		fprintf(out, "%05d", i);
		fflush(out);
	}
	fputc('z', out);
	fputs("last\n", out);
	fclose(out);
	return unused;
}

static void *with_lock(void *unused)
{
	for (int i = 0; i < 3; i++) {
		flockfile(stdout);
		flockfile(stdout);
		putc_unlocked('a', stdout);
		sched_yield();
		putc_unlocked('\n', stdout);
		funlockfile(stdout);
		funlockfile(stdout);
		printf("b\n");
	}
	return unused;
}

int main(void)
{
	char line[64], block[100], *text = NULL;
	size_t room = 0;
	pthread_t t, u;
	int fds[2];

	EXPECT(pipe(fds) == 0);
	in = fdopen(fds[0], "r");
	out = fdopen(fds[1], "w");
	EXPECT_CODE(0, pthread_create(&t, NULL, write_pieces, NULL));
	EXPECT(fgets(line, sizeof(line), in) == line && !strcmp(line, "first line\n"));
	EXPECT(fgets(line, sizeof(line), in) == line && !strcmp(line, "second\n"));
	EXPECT(fread(block, 5, 20, in) == 20 && !memcmp(block + 95, "00019", 5));
	EXPECT(fgetc(in) == 'z');
	EXPECT(getline(&text, &room, in) == 5 && !strcmp(text, "last\n"));
	EXPECT(fgets(line, sizeof(line), in) == NULL && feof(in) && !ferror(in));
	EXPECT(fread(block, 1, 1, in) == 0);
	EXPECT_CODE(0, pthread_join(t, NULL));
	free(text);
	fclose(in);
	EXPECT_CODE(0, pthread_create(&t, NULL, with_lock, NULL));
	EXPECT_CODE(0, pthread_create(&u, NULL, with_lock, NULL));
	EXPECT_CODE(0, pthread_join(t, NULL));
	EXPECT_CODE(0, pthread_join(u, NULL));
	return 0;
}
