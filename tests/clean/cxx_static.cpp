/* A function-local static is made once, under the compiler's guard.
   never: A A */
#include <thread>
struct thing {
	int value;
	thing() : value(42) { } /* @A */
};
int get() {
	static thing one;
	return one.value;
}
int seen[2];
int main() {
	std::thread a([] { seen[0] = get(); }), b([] { seen[1] = get(); });
	a.join();
	b.join();
	return seen[0] != 42 || seen[1] != 42;
}
