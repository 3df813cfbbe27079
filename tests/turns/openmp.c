/*
 * OpenMP: its barriers are bare system calls of a library nobody watches. expect: what the barrier
 * orders never meets (@A @B), what it does not does (@C @C).
 */
static int filled[8], sum, wrong;

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp for
		for (int i = 0; i < 8; i++)
			filled[i] = i; /* @A */
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < 8; i++)
			sum += filled[7 - i]; /* @B */
		wrong++; /* @C */
	}
	return sum != 28;
}
