/*
 * logwriter: threads append lines to one buffer that is flushed when full, after the log
 * writers in RACEZ's study.
 *
 * Lines are copied under the lock. What is wrong: whether there is room is decided by a look at
 * the fill count outside the lock; two threads can see room for one line and both append.
 *
 * expect: L F      the look against the update of the fill count
 * expect: L Z      the look against the flush
 * harm: L F        the buffer overruns: abort
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 40, LINE = 16, THREADS = 2 };
static struct { char text[ROOM]; unsigned fill; } log_buffer;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long written;
static int lines = 3;

static void flush(void)
{
	pthread_mutex_lock(&log_lock);
	written += log_buffer.fill;
	log_buffer.fill = 0; /* @Z */
	pthread_mutex_unlock(&log_lock);
}

static void append(const char *line)
{
	if (log_buffer.fill + LINE > ROOM) /* @L */ /* without the lock */
		flush();
	pthread_mutex_lock(&log_lock);
	if (log_buffer.fill + LINE > sizeof(log_buffer.text)) {
		fputs("log buffer overrun\n", stderr);
		abort();
	}
	memcpy(log_buffer.text + log_buffer.fill, line, LINE);
	log_buffer.fill += LINE; /* @F */
	pthread_mutex_unlock(&log_lock);
}

static void *writer(void *arg)
{
	for (int i = 0; i < lines; i++)
		append("GET /index.html\n");
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];

	lines = argc > 1 ? atoi(argv[1]) : lines;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, writer, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	flush();
	printf("%lu bytes\n", written);
	return 0;
}
