// std::thread, mutex, condition_variable, call_once with an exception, statics, thread_local, async.
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "expect.h"

static std::mutex m;
static std::timed_mutex timed;
static std::recursive_mutex recursive;
static std::shared_mutex shared;
static std::condition_variable changed;
static std::once_flag once;
static int turn, runs, made, gone, tries;

struct counted {
	counted() { std::this_thread::yield(); made++; }
	~counted() { std::lock_guard<std::mutex> hold(m); gone++; }
};

struct moody {
	moody() { if (tries++ == 0) throw std::runtime_error("not yet"); }
};

static counted &single() { static counted c; return c; }

static void player(int me)
{
	thread_local counted *mine = nullptr;
	for (int i = 0; i < 3; i++) {
		std::unique_lock<std::mutex> hold(m);
		changed.wait(hold, [&] { return turn % 2 == me; });
		turn++;
		changed.notify_all();
	}
	mine = &single();
	EXPECT(mine == &single() && made == 1);
}

static void routine()
{
	if (runs++ == 0)
		throw std::runtime_error("first");
}

static void call_once()
{
	try {
		std::call_once(once, routine);
	} catch (const std::runtime_error &) {
		std::call_once(once, routine);
	}
	EXPECT(runs == 2);
}

static void call_static()
{
	for (int i = 0; i < 2; i++)
		try {
			static moody m1;
			(void)m1;
		} catch (const std::runtime_error &) {
		}
}

static void run(int n, void (*function)())
{
	std::vector<std::thread> threads;
	for (int i = 0; i < n; i++)
		threads.emplace_back(function);
	for (auto &t : threads)
		t.join();
}

struct leaver { ~leaver() { std::lock_guard<std::mutex> hold(m); gone++; } };
static void with_local() { thread_local leaver l; (void)l; }

int main()
{
	std::thread a(player, 0), b(player, 1);
	a.join();
	b.join();
	EXPECT(turn == 6 && made == 1);
	run(3, call_once);
	run(2, call_static);
	EXPECT(tries >= 2);
	run(3, with_local);
	EXPECT(gone == 3);
	timed.lock();
	std::thread([] { EXPECT(!timed.try_lock_for(std::chrono::milliseconds(3))); }).join();
	timed.unlock();
	recursive.lock();
	EXPECT(recursive.try_lock());
	recursive.unlock();
	recursive.unlock();
	{
		std::shared_lock<std::shared_mutex> r(shared);
		std::thread([] { EXPECT(shared.try_lock_shared()); shared.unlock_shared(); EXPECT(!shared.try_lock()); }).join();
	}
	std::unique_lock<std::mutex> hold(m);
	EXPECT(changed.wait_for(hold, std::chrono::milliseconds(2)) == std::cv_status::timeout);
	hold.unlock();
	auto f = std::async(std::launch::async, [] { std::this_thread::sleep_for(std::chrono::seconds(2)); return 42; });
	EXPECT(f.get() == 42);
	std::promise<int> p;
	std::thread t([&] { p.set_value(3); });
	EXPECT(p.get_future().get() == 3);
	t.join();
	return 0;
}
