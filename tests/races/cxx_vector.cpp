/* A vector grows while another thread reads its size.
   expect-some: yes */
#include <thread>
#include <vector>
std::vector<int> v;
std::size_t n;
int main() {
	std::thread a([] { v.push_back(1); });
	std::thread b([] { n = v.size(); });
	a.join();
	b.join();
	return 0;
}
