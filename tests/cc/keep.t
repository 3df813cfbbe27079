# Optimisers remove, merge and move accesses before gcc instruments (src/cli/cc_rewrite.c, gcc_keep): at every level the lines
# below must ask for the accesses their comments name (r: read, w: write, the size in bytes), and without our flags not all do.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cat >keep.c <<'X'
#include <stdlib.h>
struct pair { int one, two; char text[8]; };
extern struct pair *p, all[8];
extern int n, m, flag, *out;
extern long count;
extern void step(void);
struct pair *p, all[8];
int n, m, flag, *out;
long count;
static int only_written, taken[4];
void overwritten(void)
{
	n = 1; /* w4 */
	n = 2; /* w4 */
	n = 3; /* w4 */
}
void never_read(int x)
{
	only_written = x; /* w4 */
	taken[1] = x; /* w4 */
}
void unused(void)
{
	int x = n; /* r4 */
	(void)x;
}
void heap(int x)
{
	int *block = malloc(64);
	block[3] = x; /* w4 */
	free(block);
}
void hoisted(int k)
{
	for (int i = 0; i < k; i++) {
		count += i; /* r8 w8 */
		if (i == n) /* r4 */
			m++; /* r4 w4 */
	}
}
void spin(void)
{
	while (!flag) /* r4 */
		;
}
int branches(int x)
{
	int y;
	if (x)
		y = p->one; /* r4 r8 */
	else
		y = p->two; /* r4 r8 */
	return y;
}
void conditional(int x)
{
	if (x)
		n = 1; /* w4 */
	else
		n = 2; /* w4 */
}
int tail(int x)
{
	if (x > 5) {
		m = 7; /* w4 */
		step();
		return n; /* r4 */
	}
	step();
	m = 7; /* w4 */
	step();
	return n; /* r4 */
}
void merged(char *t)
{
	t[0] = 1; /* w1 */
	t[1] = 2; /* w1 */
	t[2] = 3; /* w1 */
	t[3] = 4; /* w1 */
}
void cleared(int k)
{
	for (int i = 0; i < k; i++)
		out[i] = 0; /* r8 w4 */
}
void copied(int k)
{
	for (int i = 0; i < k; i++)
		out[i] = taken[i & 3] + all[i].two; /* r8 r4 w4 */
}
int carried(int k)
{
	int sum = 0;
	for (int i = 2; i < k; i++)
		sum += out[i] - /* r4 */
		       out[i - 1] + /* r4 */
		       out[i - 2]; /* r4 */
	return sum;
}
int sunk(int x)
{
	int y = n; /* r4 */
	if (x)
		return y;
	return 0;
}
static int get(void)
{
	return m; /* r4 */
}
static void put(int x)
{
	m = x; /* w4 */
}
void inlined(void)
{
	get();
	put(1);
	step();
	put(get());
}
int between(void)
{
	int x = n; /* r4 */
	step();
	return x + n; /* r4 */
}
struct pair whole(void)
{
	struct pair x = all[1]; /* r16 */
	return x;
}
X
awk 'match($0, /\/\* [rw][0-9].* \*\//) { n = split(substr($0, RSTART + 3, RLENGTH - 6), a, " "); for (i = 1; i <= n; i++) print FNR, a[i] }' keep.c | sort >wanted
check "there is something to look for" test "$(wc -l <wanted)" -ge 40
# "line kind" of every call for an access; how unaligned or long ones are called is not looked at.
sites() {
	objdump -dlr --no-show-raw-insn "$1" | awk '
		/^[^ ].*keep\.c(c)?:[0-9]+/ { line = $1; sub(/.*:/, "", line) }
		/R_X86_64_.*__tsan_(unaligned_)?(read|write)[0-9_r]/ { e = $3; sub(/[-+].*/, "", e); sub(/.*__tsan_(unaligned_)?/, "", e); sub(/_kept/, "", e)
			kind = substr(e, 1, 1); sub(/read|write/, "", e); print line, kind (e == "_range" ? "16" : e) }' | sort -u
}
has_all() { sites "$1" | comm -13 - wanted >lost; cat lost; [ ! -s lost ]; }
for level in -Og -O1 -O2 -O3 -Os -Ofast '-O2 -fPIC' '-O3 -mavx2' ''; do
	check "gcc ${level:-without a level}: compiles" deadheat-cc --with gcc $level -g -c keep.c -o keep.o
	check "gcc ${level:-without a level}: every access is on its line" has_all keep.o
done
sed 's/(void)$/()/' keep.c >keep.cc
check "g++ -O2: compiles" deadheat-c++ --with gcc -O2 -fpermissive -w -g -c keep.cc -o keep.o
check "g++ -O2: every access is on its line" has_all keep.o
check "gcc -O2 --keep-optimisation: compiles" deadheat-cc --with gcc --keep-optimisation -O2 -g -c keep.c -o keep.o
check_fails "... and loses some" has_all keep.o
done_testing
