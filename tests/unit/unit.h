/* unit - what every unit test here includes: cmocka with its prerequisites, a folder of our own. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char unit_folder[64];

/* An empty folder, made once a program; unit_clean() removes it. */
static inline const char *unit_path(const char *name)
{
	static char paths[8][512];
	static unsigned next;
	char *path = paths[next++ % 8];

	if (!*unit_folder) {
		strcpy(unit_folder, "/tmp/deadheat-unit.XXXXXX");
		if (!mkdtemp(unit_folder))
			abort();
	}
	snprintf(path, 512, "%s/%s", unit_folder, name);
	return path;
}

static inline int unit_clean(void **state)
{
	char command[192];

	if (!*unit_folder)
		return 0;
	snprintf(command, sizeof(command), "chmod -R u+w %s; rm -rf %s", unit_folder, unit_folder);
	*unit_folder = 0;
	return system(command);
}

#endif
