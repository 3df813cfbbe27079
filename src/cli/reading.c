/* reading - what list, show and report begin with: the store, the report on it. */
#include "cli/internal.h"

int reading_open(struct reading *reading)
{
	*reading = (struct reading){ .arena = ARENA_INIT };
	reading->store = store_open(cli_store, false);
	if (!reading->store)
		return -1;
	reading->sym = sym_open();
	if (report_build(&reading->report, &reading->arena, reading->store, reading->sym)) {
		reading_close(reading);
		return -1;
	}
	return 0;
}

void reading_close(struct reading *reading)
{
	sym_close(reading->sym);
	store_close(reading->store);
	arena_free(&reading->arena);
}
