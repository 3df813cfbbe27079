/*
 * hunt_plain - phase 1 of `hunt` on a program that is not instrumented.
 */
#ifndef CLI_HUNT_PLAIN_H
#define CLI_HUNT_PLAIN_H

#include "cli/session.h"

/*
 * Caught and suspected pairs into the sink: by trap and sample while it runs as it is, and
 * by the engine that hears each of its memory instructions under a few random schedules (ten seconds each at most). The
 * program prints in the first run only. 0 / -1 with a message.
 */
int hunt_plain(struct session *session, const struct find_sink *sink, uint64_t timeout_ms);

#endif
