// C++20: atomic wait and notify, latch, barrier, semaphores, jthread with stop tokens.
#include <atomic>
#include <barrier>
#include <chrono>
#include <latch>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>

#include "expect.h"

static std::atomic<int> value, small_value;
static std::atomic<char> small;
static std::counting_semaphore<4> slots(2);
static std::binary_semaphore signal_(0);
static std::atomic<int> inside, rounds;
static std::atomic_flag flag = ATOMIC_FLAG_INIT;

static void waiter()
{
	value.wait(0);
	EXPECT(value.load() == 1);
	small.wait('a');
	flag.wait(false);
	small_value++;
}

static void limited()
{
	slots.acquire();
	EXPECT(++inside <= 2);
	std::this_thread::yield();
	--inside;
	slots.release();
}

int main()
{
	std::vector<std::jthread> threads;
	std::latch here(3);
	std::barrier sync(3, []() noexcept { rounds++; });

	small = 'a';
	for (int i = 0; i < 3; i++)
		threads.emplace_back(waiter);
	value = 1;
	value.notify_all();
	small = 'b';
	small.notify_all();
	flag.test_and_set();
	flag.notify_all();
	threads.clear();
	EXPECT(small_value == 3);
	for (int i = 0; i < 3; i++)
		threads.emplace_back([&] { limited(); here.arrive_and_wait(); sync.arrive_and_wait(); sync.arrive_and_wait(); });
	here.wait();
	threads.clear();
	EXPECT(rounds == 2);
	threads.emplace_back([] { signal_.acquire(); });
	signal_.release();
	threads.clear();
	EXPECT(!signal_.try_acquire_for(std::chrono::milliseconds(1)));
	std::jthread stopper([](std::stop_token token) { while (!token.stop_requested()) std::this_thread::yield(); });
	return 0;
}
