/*
 * print - a lowered unit as text: print FILE.ir. Built by front.t from the host's objects; the
 * product has no command for it.
 */
#include <stdio.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "find/scan/ir.h"

int main(int argc, char **argv)
{
	struct strbuf out = STRBUF_INIT;
	struct ir_unit unit;

	if (argc != 2 || ir_open(&unit, argv[1])) {
		fprintf(stderr, "%s\n", argc == 2 ? error_message() : "usage: print FILE.ir");
		return 1;
	}
	ir_print(&out, &unit);
	fputs(out.buf, stdout);
	strbuf_release(&out);
	ir_close(&unit);
	return 0;
}
