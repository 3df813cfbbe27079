/*
 * spy.h - what test programs of tests/native share. They run under any runtime: spy_* are
 * there only under the spy. CHECK is an assert that says what came instead.
 */
#ifndef TESTS_NATIVE_SPY_H
#define TESTS_NATIVE_SPY_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) void spy_name(const void *address, size_t size, const char *text);
__attribute__((weak)) void spy_blocks(bool on);
__attribute__((weak)) void spy_orders(bool on);
#ifdef __cplusplus
}
#endif

#define NAME(object) (spy_name ? spy_name((const void *)&(object), sizeof(object), #object) : (void)0)
#define CHECK(value, wanted) \
	do { \
		long check_value = (long)(value), check_wanted = (long)(wanted); \
		if (check_value != check_wanted) { \
			fprintf(stderr, "%s:%d: %s is %ld, not %ld\n", __FILE__, __LINE__, #value, check_value, check_wanted); \
			exit(1); \
		} \
	} while (0)

/* A moment that has passed. */
static inline struct timespec past(void)
{
	struct timespec t = { 1, 0 };
	return t;
}
#endif
