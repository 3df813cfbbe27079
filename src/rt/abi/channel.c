/*
 * channel - descriptors to channels.
 *
 *     slots[fd] --> number of a channel, 0 none          (a load: the fast path)
 *     channels[number] = { key, users }                  (under a lock: open, dup, close)
 *     &channels[number] is the address the engine knows
 *
 * Two ends of a connection inside one process find each other by their names: the unordered
 * pair of addresses of an internet connection, the path of a local one (then all connections
 * to that path share a channel). A datagram socket has a channel only if it is connected.
 *
 * One channel serves both directions of a socket, and what is read may not be what was written
 * last: both can only order too much, never report too much. When the last descriptor of a
 * channel is closed the engine forgets it.
 *
 * Descriptors beyond the table, and channels beyond theirs, have none: an order is missed
 * there, which is said in a note once.
 */
#include "rt/abi/channel.h"

#include <sys/socket.h>
#include <sys/syscall.h>

#define DESCRIPTORS 65536
#define CHANNELS 16384

static struct channel {
	uint64_t key;
	uint32_t users;
	bool inner; /* both ends were made here */
} channels[CHANNELS];
static uint16_t slots[DESCRIPTORS];
static uint32_t next_channel = 1;
static struct rt_lock channel_lock;

static bool in_table(int fd)
{
	return fd >= 0 && fd < DESCRIPTORS;
}

const void *channel_of(int fd)
{
	uint16_t number = in_table(fd) ? __atomic_load_n(&slots[fd], __ATOMIC_RELAXED) : 0;

	return number ? &channels[number] : NULL;
}

bool channel_is_inner(int fd)
{
	const struct channel *channel = channel_of(fd);

	return channel && channel->inner;
}

static void too_many(void)
{
	static bool said;

	if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		rt_note("too many descriptors: some pipes and sockets order nothing");
}

/* Round robin, so that a number is reused as late as possible. */
static uint32_t unused(void)
{
	for (uint32_t tried = 1; tried < CHANNELS; tried++) {
		uint32_t number = next_channel;

		next_channel = next_channel + 1 < CHANNELS ? next_channel + 1 : 1;
		if (!channels[number].users)
			return number;
	}
	too_many();
	return 0;
}

static uint32_t with_key(uint64_t key)
{
	for (uint32_t number = 1; key && number < CHANNELS; number++)
		if (channels[number].users && channels[number].key == key)
			return number;
	return unused();
}

/* The lock is held. */
static uint32_t leave(int fd)
{
	uint16_t number = in_table(fd) ? slots[fd] : 0;

	if (!number)
		return 0;
	__atomic_store_n(&slots[fd], 0, __ATOMIC_RELAXED);
	return --channels[number].users ? 0 : number;
}

static uint32_t enter(int fd, uint32_t number, uint64_t key)
{
	uint32_t over = leave(fd);

	if (!in_table(fd) || !number) {
		too_many();
		return over;
	}
	channels[number].key = key;
	channels[number].users++;
	__atomic_store_n(&slots[fd], number, __ATOMIC_RELAXED);
	return over;
}

/* Outside the lock: the engine has its own. */
static void forget(uint32_t number)
{
	if (number)
		TELL(rt_on_destroy(&channels[number]));
}

void channel_made(int first, int second)
{
	uint32_t number, over[2] = { 0, 0 };

	rt_lock(&channel_lock);
	number = unused();
	channels[number].inner = true;
	over[0] = enter(first, number, 0);
	if (second >= 0)
		over[1] = enter(second, number, 0);
	rt_unlock(&channel_lock);
	forget(over[0]);
	forget(over[1]);
}

void channel_copied(int from, int to)
{
	uint32_t over = 0;

	if (from == to || !in_table(from))
		return;
	rt_lock(&channel_lock);
	if (slots[from])
		over = enter(to, slots[from], channels[slots[from]].key);
	else
		over = leave(to);
	rt_unlock(&channel_lock);
	forget(over);
}

/* ---- connections ------------------------------------------------------------------------ */

static uint64_t hash(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t h = 0xcbf29ce484222325ull; /* FNV-1a */

	while (size--)
		h = (h ^ *at++) * 0x100000001b3ull;
	return h;
}

/* 0: it has no name. */
static uint64_t name_hash(long call, int fd, bool *is_local)
{
	struct sockaddr_storage name = { .ss_family = AF_UNSPEC };
	socklen_t size = sizeof(name);

	if (rt_syscall(call, fd, &name, &size) < 0 || size <= sizeof(name.ss_family))
		return 0;
	*is_local = name.ss_family == AF_UNIX;
	return hash(&name, size);
}

static uint64_t connection_key(int fd)
{
	bool is_local = false;
	uint64_t here = name_hash(SYS_getsockname, fd, &is_local);
	uint64_t there = name_hash(SYS_getpeername, fd, &is_local);

	if (is_local)
		return here ? here : there;
	return here && there ? here + there : 0;
}

void channel_connected(int fd)
{
	uint64_t key = connection_key(fd);
	uint32_t over, number;

	rt_lock(&channel_lock);
	number = with_key(key);
	channels[number].inner = false;
	over = enter(fd, number, key);
	rt_unlock(&channel_lock);
	forget(over);
}

void channel_closing(int fd)
{
	uint32_t over;

	if (!channel_of(fd))
		return;
	channel_send(fd);
	rt_lock(&channel_lock);
	over = leave(fd);
	rt_unlock(&channel_lock);
	forget(over);
}
