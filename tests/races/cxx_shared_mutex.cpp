/* expect: A A */
#include <shared_mutex>
#include <thread>
static std::shared_mutex l;
int x;
static void f() {
	std::shared_lock<std::shared_mutex> guard(l);
	x++; /* @A */
}
int main() {
	std::thread a(f), b(f);
	a.join();
	b.join();
	return 0;
}
