/*
 * json - a writer that goes straight into a strbuf; values are never held as a tree.
 *
 *     struct json j = JSON_INIT(&sb);
 *     json_begin(&j, '{');
 *     json_key(&j, "id");   json_text(&j, id);
 *     json_key(&j, "list"); json_begin(&j, '['); json_number(&j, 7); json_end(&j, ']');
 *     json_end(&j, '}');
 *
 * Reading is jansson's. Building jansson values to write them costs four times as much,
 * which is felt at a hundred thousand findings.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct json {
	struct strbuf *out;
	bool comma; /* the next value needs one before it */
};

#define JSON_INIT(strbuf) { (strbuf), false }

void json_begin(struct json *json, char bracket); /* '{' or '[' */
void json_end(struct json *json, char bracket);   /* '}' or ']' */
void json_key(struct json *json, const char *key);
/* NULL is written as null; bytes that are not UTF-8 as '?'. */
void json_text(struct json *json, const char *text);
void json_number(struct json *json, int64_t number);
void json_flag(struct json *json, bool flag);
void json_none(struct json *json);

#endif
