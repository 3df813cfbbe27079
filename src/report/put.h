/* put - keys with their values, for the formats that are JSON. */
#ifndef REPORT_PUT_H
#define REPORT_PUT_H

#include <stdio.h>

#include "base/json.h"

static inline void put_text(struct json *j, const char *key, const char *text)
{
	json_key(j, key);
	json_text(j, text);
}

static inline void put_number(struct json *j, const char *key, uint64_t number)
{
	json_key(j, key);
	json_number(j, (int64_t)number);
}

static inline void put_flag(struct json *j, const char *key, bool flag)
{
	json_key(j, key);
	json_flag(j, flag);
}

static inline void put_begin(struct json *j, const char *key, char bracket)
{
	json_key(j, key);
	json_begin(j, bracket);
}

/* JSON readers take integers up to 2^63 - 1; a larger seed is given as text. */
static inline void put_seed(struct json *j, const char *key, uint64_t seed)
{
	char digits[24];

	if (seed <= INT64_MAX) {
		put_number(j, key, seed);
		return;
	}
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)seed);
	put_text(j, key, digits);
}

#endif
