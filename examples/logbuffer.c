/*
 * A log buffer that writers fill and a flusher empties.
 *
 * What is wrong: the writer checks the fill count outside the lock and trusts it inside.
 * Two writers can both see room for one line and the second writes past the end.
 * deadheat shows: the read of log.fill in append() against the write in append(),
 * confirmed; harmful: the overflow check aborts.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 16
#define ROOM 2

static struct {
	pthread_mutex_t lock;
	unsigned fill;
	char text[ROOM * LINE];
} log_buffer = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void append(const char *line)
{
	if (log_buffer.fill == ROOM) /* wrong: decided outside the lock */
		return;
	pthread_mutex_lock(&log_buffer.lock);
	if (log_buffer.fill >= ROOM) {
		fputs("log buffer overflow\n", stderr);
		abort();
	}
	strncpy(log_buffer.text + log_buffer.fill * LINE, line, LINE);
	log_buffer.fill++;
	pthread_mutex_unlock(&log_buffer.lock);
}

static void *writer(void *arg)
{
	append(arg);
	append(arg);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, "first writer");
	pthread_create(&b, NULL, writer, "second writer");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
