/*
 * crawler: pages are fetched by a pool of workers from one queue, after weblech and hedc.
 *
 * Queue and table of visited pages are locked. What is wrong: the spider counts the busy workers
 * without a lock to know when all is done (weblech), and a task's result is read while its worker
 * may still be writing it, when the deadline is thought to have passed (hedc).
 *
 * expect: B B      two workers count themselves busy or idle at once
 * expect: B E      ... while another asks whether all are idle
 * expect: R G      the result written against the result read
 * expect: V Q      the worker says "ready" while main asks
 * maybe: V P
 * harm: R G        main takes a result that is not there: abort
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORKERS = 2, MOST = 100000 };
static struct page { int links[2]; const char *result; int ready; } *page;
static int pages = 4;
static int queue[MOST], head, tail;
static char visited[MOST];
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static int busy;

static void push(int number)
{
	pthread_mutex_lock(&queue_lock);
	if (number < pages && !visited[number]) {
		visited[number] = 1;
		queue[tail++] = number;
	}
	pthread_mutex_unlock(&queue_lock);
}

static int pop(void)
{
	pthread_mutex_lock(&queue_lock);
	int number = head < tail ? queue[head++] : -1;
	pthread_mutex_unlock(&queue_lock);
	return number;
}

static void change_busy(int by)
{
	busy += by; /* @B */
}

static int all_idle(void)
{
	return busy <= 0; /* @E */
}

static void *worker(void *arg)
{
	for (;;) {
		int number;

		change_busy(1);
		while ((number = pop()) >= 0) {
			page[number].ready = 1; /* @V */ /* too early */
			page[number].result = "200 OK"; /* @R */
			push(page[number].links[0]);
			push(page[number].links[1]);
		}
		change_busy(-1);
		if (all_idle())
			break;
		pthread_mutex_lock(&queue_lock);
		int left = head < tail;
		pthread_mutex_unlock(&queue_lock);
		if (!left)
			break;
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread[WORKERS];

	pages = argc > 1 ? atoi(argv[1]) : pages;
	page = calloc((size_t)pages, sizeof(*page));
	for (int i = 0; i < pages; i++) {
		page[i].links[0] = 2 * i + 1;
		page[i].links[1] = 2 * i + 2;
	}
	push(0);
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&thread[i], NULL, worker, NULL);
	for (int i = 0; i < 1000 && !page[0].ready; i++) /* @Q */ /* until the deadline */
		usleep(1000);
	if (page[0].ready) { /* @P */
		const char *result = page[0].result; /* @G */

		if (!result) {
			fputs("no result\n", stderr);
			abort();
		}
	}
	for (int i = 0; i < WORKERS; i++)
		pthread_join(thread[i], NULL);
	puts("done");
	return 0;
}
