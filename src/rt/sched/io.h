/*
 * io - what the files with blocking calls share: waiting for a file number in the model.
 *
 *   read, write, ...      io.c       poll, select, epoll    poll.c
 *   sockets               socket.c   waitpid, locks, ipc    process.c
 *   world.c  the wait itself, and what the core does when only the world can help
 *
 * I1  A call is made only when poll says it will not block, or it is non-blocking: nobody
 *     sits in the kernel with the turn. What poll cannot promise is made in pieces that fit,
 *     or outside.
 * I2  Between the last look and the call there is no scheduling point: nobody of this
 *     process takes the bytes away.
 */
#ifndef SCHED_IO_H
#define SCHED_IO_H

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "rt/abi/channel.h"
#include "rt/sched/internal.h"

/*
 * A scheduling point, then wait until fd is ready for events (at once if the file is
 * non-blocking or nowait). 0: make the call now. Else errno: EINTR, or EAGAIN when the
 * socket's own timeout ran out. A cancellation acts in here.
 */
int io_wait(int fd, short events, bool nowait, uintptr_t pc);
/* ... without the socket's timeout, until deadline_ns; ETIMEDOUT when it passed. */
int io_wait_until(int fd, short events, uint64_t deadline_ns, uintptr_t pc);
bool io_is_nonblocking(int fd);
/* Would the call go on now, ready or non-blocking? */
bool io_is_ready(int fd, short events);
struct sched_object *io_object(int fd);
int io_fail(int code); /* errno = code, -1 */

/*
 * File locks and System V objects cannot be looked at, only tried. Whoever succeeds in one
 * may have made another's possible: io_changes goes up, also when the core has waited for
 * the world. After a try that failed, wait for it to leave `seen`: 0, EINTR, or EAGAIN late.
 */
extern uint64_t io_changes;
int io_wait_for_change(uint64_t seen, uint64_t deadline_ns, uintptr_t pc);

/* Bytes of the program that the call will fill or fetch: may hold the thread, tells the engine. */
void io_touch(const void *bytes, size_t size, unsigned flags, uintptr_t pc);
void io_touch_vector(const struct iovec *vector, int count, size_t size, unsigned flags, uintptr_t pc);
/* How much a read of at most `most` bytes can return now. */
size_t io_available(int fd, size_t most);
/*
 * What the world has answered is a matter of time: recorded, when fd leads out of the process.
 * In an exact replay the recorded answer is waited for. io_agree: bytes to read now (0: the
 * end); io_agree_poll: a bit for each of the first 32 files that were ready, the rest is hidden.
 */
size_t io_agree(int fd, size_t available);
int io_agree_poll(struct pollfd *fds, uint32_t count, int ready);

bool world_has_children(void); /* alive, or not yet waited for */

uint64_t io_deadline_ms(int timeout_ms);              /* 0 for -1 */
uint64_t io_deadline(const struct timespec *timeout); /* relative; 0 for NULL */

#endif
