/*
 * pairs - a deadheat-report/1 on stdin to lines "LINE LINE RUNG HITS TRIALS", smaller
 * line first, sorted; -s FILE keeps only pairs with both sides in that source.
 * For the shell tests, which have no JSON reader of their own.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int in_file(json_t *access, const char *source)
{
	const char *file = json_string_value(json_object_get(access, "file"));
	const char *slash = file ? strrchr(file, '/') : NULL;

	return !source || (file && !strcmp(slash ? slash + 1 : file, source));
}

int main(int argc, char **argv)
{
	const char *source = argc > 2 && !strcmp(argv[1], "-s") ? argv[2] : NULL;
	json_error_t error;
	json_t *report = json_loadf(stdin, 0, &error), *candidate;
	size_t i;

	if (!report) {
		fprintf(stderr, "pairs: not JSON: %s\n", error.text);
		return 1;
	}
	json_array_foreach(json_object_get(report, "candidates"), i, candidate) {
		json_t *sides = json_object_get(candidate, "accesses");
		json_t *a = json_array_get(sides, 0), *b = json_array_get(sides, 1);
		int la = (int)json_integer_value(json_object_get(a, "line"));
		int lb = (int)json_integer_value(json_object_get(b, "line"));

		if (!in_file(a, source) && !in_file(b, source))
			continue;
		printf("%d %d %s %d %d\n", la < lb ? la : lb, la < lb ? lb : la,
		       json_string_value(json_object_get(candidate, "rung")),
		       (int)json_integer_value(json_object_get(candidate, "hits")),
		       (int)json_integer_value(json_object_get(candidate, "trials")));
	}
	json_decref(report);
	return 0;
}
