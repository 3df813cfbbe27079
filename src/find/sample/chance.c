/*
 * chance - RACEZ, section 4.1. Two accesses that are the shares a and b of a stream, t looks at
 * it: neither is missed with probability 1 - ((1-a)^t + (1-b)^t - (1-a-b)^t). The looks are taken
 * as independent, which samples extended from one place are not; so this is an upper guess.
 */
#include <math.h>

#include "find/sample/sample.h"

double sample_chance(double samples, double a, double b)
{
	double none = a + b >= 1 ? 0 : pow(1 - a - b, samples);
	double p = 1 - (pow(1 - a, samples) + pow(1 - b, samples) - none);

	return p < 0 ? 0 : p > 1 ? 1 : p;
}

/* Each access computed is one look at the stream of all accesses of code we can read. */
double sample_looks(const struct sample_result *result)
{
	return (double)result->extended;
}
