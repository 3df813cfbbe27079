/* never: A B */
#include <atomic>
#include <thread>
static std::atomic<int> flag;
int data, seen;
int main() {
	std::thread a([] {
		data = 1; /* @A */
		flag.store(1, std::memory_order_release);
	});
	std::thread b([] {
		while (!flag.load(std::memory_order_acquire))
			std::this_thread::yield();
		seen = data; /* @B */
	});
	a.join();
	b.join();
	return seen != 1;
}
