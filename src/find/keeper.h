/*
 * keeper - a process of its own that waits for the end of the host, and undoes what must not stay should that end come
 * unannounced (SIGKILL, a crash). It sleeps in read() all the time and costs nothing.
 * In a session of its own, so that what kills the host's group does not kill it.
 */
#ifndef FIND_KEEPER_H
#define FIND_KEEPER_H

struct keeper;

/* undo(context) runs in the keeper, with the host's memory as it is now; files are closed, shared mappings are there. NULL: none could be made. */
struct keeper *keeper_start(void (*undo)(const void *context), const void *context);
/* All is undone: it need not. NULL is nothing. */
void keeper_end(struct keeper *keeper);

#endif
