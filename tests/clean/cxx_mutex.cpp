/* never: A A */
#include <mutex>
#include <thread>
static std::mutex l;
int x;
static void f() {
	std::lock_guard<std::mutex> guard(l);
	x++; /* @A */
}
int main() {
	std::thread a(f), b(f);
	a.join();
	b.join();
	return x != 2;
}
