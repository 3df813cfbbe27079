// C++: static guards, operators new and delete, std:: on top of pthread.
#include "spy.h"

#include <condition_variable>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

static std::mutex m;
static std::shared_mutex shared;
static std::once_flag flag;

struct Thing {
	Thing(bool fails) { if (fails) throw std::runtime_error("no"); }
	int value = 3;
};

static Thing &thing(bool fails)
{
	static Thing only(fails);
	return only;
}

static void blocks(bool on)
{
	if (spy_blocks)
		spy_blocks(on);
}

int main()
{
	NAME(m);
	NAME(shared);
	// > T0 want m write
	// > T0 acquire m write
	// > T0 release m write
	{ std::lock_guard<std::mutex> guard(m); }
	// > T0 want shared read
	// > T0 acquire shared read
	// > T0 release shared read
	// > T0 want shared write
	// > T0 acquire shared write
	// > T0 release shared write
	{ std::shared_lock<std::shared_mutex> guard(shared); }
	{ std::unique_lock<std::shared_mutex> guard(shared); }
	// > T0 create T1
	// > T1 start
	// > T1 end
	// > T0 join T1
	std::thread([] { }).join();
	try { thing(true); CHECK(0, 1); } catch (std::runtime_error &) { }
	CHECK(thing(false).value, 3);
	CHECK(thing(false).value, 3);
	try { std::call_once(flag, [] { throw 1; }); CHECK(0, 1); } catch (int) { }
	int runs = 0;
	std::call_once(flag, [&] { runs++; });
	std::call_once(flag, [&] { runs++; });
	CHECK(runs, 1);
	// One alloc and one free each, with the program's pc:
	// > T0 alloc 3
	// > T0 free 3
	// > T0 alloc 7
	// > T0 free 7
	// > T0 alloc 11
	// > T0 free 11
	blocks(true);
	char *volatile block = new char[1000];
	delete[] block;
	block = (char *)operator new(2000, std::nothrow);
	operator delete((void *)block);
	block = new (std::align_val_t(64)) char[3000];
	operator delete[](block, std::align_val_t(64));
	blocks(false);
	if (!getenv("STATIC")) try { // without a libstdc++ in sight there is nobody to throw
		size_t volatile much = (size_t)1 << 60;
		block = (char *)operator new(much);
		CHECK(0, 1);
	} catch (std::bad_alloc &) { }
	// > end
	return 0;
}
