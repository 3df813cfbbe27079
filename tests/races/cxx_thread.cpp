/* expect: A A */
#include <thread>
int x;
static void f() {
	x++; /* @A */
}
int main() {
	std::thread a(f), b(f);
	a.join();
	b.join();
	return 0;
}
