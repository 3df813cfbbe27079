/*
 * error - libraries return -1 and leave a message; only cli/ prints it and exits.
 *
 *     if (fd < 0)
 *         return error("cannot open %s: %s", path, strerror(errno));
 *
 * One message a thread, the last one wins. BUG() is for broken invariants: it prints
 * where and aborts, in release builds too.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

/* Always -1. */
int error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Puts "prefix: " before the present message. Always -1. */
int error_prefix(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *error_message(void);
/* Exit status that goes with the message: 1 unless error_status() said 2 or 3. */
int error_status(void);
/* error() and the exit status DESIGN 4 asks for: 2 usage, 3 cannot work here. Always -1. */
int error_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));
int error_cannot(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
#define ASSERT(condition) do { if (!(condition)) BUG("assertion %s", #condition); } while (0)
void bug_at(const char *file, int line, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

#endif
