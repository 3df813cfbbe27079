/* A C program that loads plugin.cpp, calls it from two threads, unloads and loads it again. */
#include "spy.h"

#include <dlfcn.h>

static int (*run)(void);

static void *calls(void *nothing)
{
	CHECK(run(), 1105);
	return nothing;
}

int main(int count, char **arguments)
{
	for (int i = 0; i < 2; i++) {
		void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
		pthread_t thread;

		if (!library) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		run = (int (*)(void))dlsym(library, "plugin_run");
		pthread_create(&thread, NULL, calls, NULL);
		pthread_join(thread, NULL);
		calls(NULL);
		CHECK(dlclose(library), 0);
	}
	CHECK(dlopen("/no/such/library.so", RTLD_NOW), NULL);
	CHECK(strstr(dlerror(), "no/such") != NULL, 1);
	puts("loaded twice");
	return 0;
}
