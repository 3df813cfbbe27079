/*
 * real - the functions of libc behind the names of trace/interposed.def: rt/real.c, compiled
 * with our table (RT_INTERPOSED, see the Makefile).
 */
#include "rt/real.c"
