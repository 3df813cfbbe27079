/* never: A B */
#include <mutex>
#include <thread>
static std::once_flag once;
int value, seen[2];
static void make() { value = 42; /* @A */ }
int main() {
	std::thread a([] { std::call_once(once, make); seen[0] = value; }); /* @B */
	std::thread b([] { std::call_once(once, make); seen[1] = value; });
	a.join();
	b.join();
	return seen[0] != 42 || seen[1] != 42;
}
