// probe - what C++ adds: virtual tables written by constructors and read by calls, guarded
// statics, atomics of the library, exceptions through instrumented frames, operator new.
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct shape {
	virtual ~shape() {}
	virtual int area() const { return 1; }
	int id = 0;
};
struct square : shape {
	explicit square(int s) : side(s) {}
	int area() const override { return side * side; }
	int side;
};

static std::atomic<long> counter;
static std::atomic_flag flag = ATOMIC_FLAG_INIT;

static square &only()
{
	static square instance(4);
	return instance;
}

__attribute__((noinline)) static int thrower(int n)
{
	if (n > 2)
		throw n;
	return n;
}

int main(int argc, char **argv)
{
	std::vector<std::unique_ptr<shape>> all;
	std::string text;
	int sum = 0;

	for (int i = 0; i < 5; i++)
		all.emplace_back(i & 1 ? new shape : new square(i + argc));
	for (auto &s : all)
		sum += s->area();
	try {
		for (int i = 0;; i++)
			sum += thrower(i);
	} catch (int n) {
		sum += 100 * n;
	}
	sum += only().area();
	counter.fetch_add(sum);
	while (flag.test_and_set())
		;
	for (long i = counter; i; i /= 10)
		text += char('0' + i % 10);
	std::printf("%ld %s\n", counter.load(), text.c_str());
	return 0;
}
