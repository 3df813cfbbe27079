// A C++ library that comes late, into a C program: statics, exceptions, new and delete.
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

struct Late {
	std::string text;
	Late(int n) : text(n, 'x') { if (n < 0) throw std::runtime_error("negative"); }
};

extern "C" int plugin_run(void)
{
	static Late late(100);
	int sum = 0;
	std::thread([&] { sum = (int)late.text.size(); }).join();
	Late *more = new Late(5);
	sum += (int)more->text.size();
	delete more;
	try {
		size_t volatile much = (size_t)1 << 60;
		operator delete(operator new(much));
	} catch (std::bad_alloc &) {
		sum += 1000;
	}
	return sum;
}
