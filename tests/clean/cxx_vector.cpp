/* never: A A */
#include <mutex>
#include <thread>
#include <vector>
std::vector<int> v;
static std::mutex l;
std::size_t total;
static void f() {
	std::lock_guard<std::mutex> guard(l);
	for (int i = 0; i < 10; i++)
		v.push_back(i);
	total += v.size(); /* @A */
}
int main() {
	std::thread a(f), b(f);
	a.join();
	b.join();
	return v.size() != 20;
}
