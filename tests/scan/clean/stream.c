/* Each thread has a buffer and a stream of its own; the library starts nothing and keeps nothing.
 * never: A B */
#include <pthread.h>

typedef struct { unsigned char *next_in; unsigned avail_in; unsigned long total_in; unsigned char *next_out; unsigned avail_out; } z_stream;
extern int deflate(z_stream *stream, int flush);

static unsigned char out[64], other[64];

static void *compressor(void *arg)
{
	z_stream stream = { .next_out = out, .avail_out = sizeof(out) };

	deflate(&stream, 4); /* @A */
	return arg;
}

static void *reader(void *arg)
{
	other[0]++; /* @B */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, compressor, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return out[0] + other[0];
}
