/* never: A B */
#include <mutex>
#include <shared_mutex>
#include <thread>
static std::shared_mutex l;
int x, seen;
static void f() {
	std::unique_lock<std::shared_mutex> guard(l);
	x++; /* @A */
}
static void g() {
	std::shared_lock<std::shared_mutex> guard(l);
	seen = x; /* @B */
}
int main() {
	std::thread a(f), b(g);
	a.join();
	b.join();
	return 0;
}
