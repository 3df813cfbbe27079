/* Configuration read by the thread, written after it was started.
 * expect: A B */
#include <pthread.h>
#include <string.h>

static struct {
	int port;
	char host[16];
} config;

static void *server(void *arg)
{
	return config.port == 80 && config.host[0] ? arg : NULL; /* @B */
}

int main(void)
{
	pthread_t t;

	strcpy(config.host, "localhost");
	pthread_create(&t, NULL, server, NULL);
	config.port = 80; /* @A */
	pthread_join(t, NULL);
	return 0;
}
