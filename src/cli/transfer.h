/* transfer - what import and merge say. */
#ifndef CLI_TRANSFER_H
#define CLI_TRANSFER_H

#include "store/transfer.h"

/* "x.jsonl: 12 findings, 3 of them new; 480 trials, 200 of them new" on stderr. */
void transfer_say(const char *name, const struct transfer_count *count);

#endif
