/* never: A B */
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex l;
static std::condition_variable c;
static bool ready;
int data, seen;
int main() {
	std::thread a([] {
		std::lock_guard<std::mutex> guard(l);
		data = 1; /* @A */
		ready = true;
		c.notify_one();
	});
	std::thread b([] {
		std::unique_lock<std::mutex> guard(l);
		c.wait(guard, [] { return ready; });
		seen = data; /* @B */
	});
	a.join();
	b.join();
	return seen != 1;
}
