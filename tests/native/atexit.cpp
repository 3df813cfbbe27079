// Handlers at exit, destructors of statics another thread made.
#include "spy.h"

#include <string>

static int over;

struct Made {
	std::string text = "made by another thread, long enough for the heap";
	~Made() { if (text.size() < 10) abort(); }
};

static void *makes(void *nothing)
{
	static Made made;
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	return nothing;
}

int main()
{
	pthread_attr_t attributes;
	pthread_t thread;

	// Detached: nothing but the list of handlers orders it before the destructor.
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attributes, makes, NULL);
	atexit([] { puts("handler ran"); });
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		sched_yield();
	return 0;
}
