/* never: A B */
#include <string.h>
#include "../threads.h"
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
char name[32] = "nobody";
size_t length;
static void *f(void *p) {
	pthread_mutex_lock(&l);
	strcpy(name, "somebody"); /* @A */
	pthread_mutex_unlock(&l);
	return p;
}
static void *g(void *p) {
	pthread_mutex_lock(&l);
	length = strlen(name); /* @B */
	pthread_mutex_unlock(&l);
	return p;
}
int main(void) { run2(f, g); return 0; }
