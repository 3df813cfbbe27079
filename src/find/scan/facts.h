/*
 * facts.h - what the files of facts share: a set under construction.
 *
 *     facts.c        sets, meet, release, escape, join, composition
 *     facts_names.c  the same facts in other words
 */
#ifndef FIND_SCAN_FACTS_H
#define FIND_SCAN_FACTS_H

#include "find/scan/internal.h"

struct facts_builder {
	VEC(struct fact) list;
};
/* The set of what is in it, sorted and each once; the list is let go. */
facts_id facts_built(struct scan *s, struct facts_builder *b);

#endif
