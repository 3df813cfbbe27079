/*
 * kind - which of the runtimes this library is; compiled once per library (Makefile).
 */
#include "rt/rt.h"

const uint32_t rt_kind = RT_KIND;
