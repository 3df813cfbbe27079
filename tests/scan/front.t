# The front end of scan: how C comes out of lower, how units are found, compiled, cached and refused.
. "$(dirname "$0")/../tap.sh"

print=$TOP/build/tests/scan/print
lower=$TOP/build/lib/deadheat/lower
[ -x "$print" ] || { echo "not ok 1 - build/tests/scan/print is missing (make unit)"; echo 1..1; exit 1; }
cd "$tmp" || exit 1
unset DEADHEAT_SCAN_CC

# lowered NAME: NAME.c through clang and lower, as text in NAME.txt.
lowered() {
	clang-19 -w -g -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -emit-llvm -c ${2:-} -o "$1.bc" "$1.${3:-c}" &&
	"$lower" "$1.bc" "$1.ir" && "$print" "$1.ir" >"$1.txt"
}
# has FILE LINE: the text has this line; numbers of values (%7) and places (@3:9) are left out of it on both sides.
plain() { sed -E 's/  @[0-9]+:[0-9]+( of .*)?$//; s/%[0-9]+/%/g; s/^ +//'; }
has() {
	plain <"$1" | grep -qxF -- "$(printf '%s\n' "$2" | plain)" || { echo "wanted: $2"; cat "$1"; return 1; }
}
hasnt() { ! grep -q -- "$2" "$1" || { echo "not wanted: $2"; grep -- "$2" "$1"; return 1; }; }

check "positions of debug metadata are LLVM 19's" "$lower" --self-test

# ---- instructions ------------------------------------------------------------------------------------
cat >ops.c <<'END'
#include <string.h>
struct node { struct node *next; int value; };
struct queue { int lock; struct node *head; struct { int a, b; } in; int array[4]; struct node nodes[3]; unsigned low : 3, high : 5; volatile int flag; _Atomic int count; void (*call)(int); };
typedef struct { int x; char *name; } item_t;
struct queue q;
item_t items[10];
static _Thread_local int mine;
struct big { long a[8]; };
long use(struct big b);
void plain(struct queue *p, int i, long n, char *text)
{
	p->head->value++;
	p->in.b = 3;
	p->array[i] = 1;
	p->nodes[i].value = 7;
	p->high = 2;
	q.in.a = items[2].x;
	items[i].name = text;
	mine++;
	memcpy(p->array, text, 16);
	memset(p, 0, (unsigned long)n);
	static int calls;
	calls++;
}
int atomics(struct queue *p, int *expected)
{
	p->flag = 1;
	__atomic_store_n(&p->lock, 0, __ATOMIC_RELEASE);
	int v = __atomic_load_n(&p->lock, __ATOMIC_ACQUIRE);
	__atomic_fetch_or(&p->lock, 4, __ATOMIC_RELAXED);
	p->count++;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __sync_bool_compare_and_swap(&p->lock, v, 2);
}
void control(struct queue *p, int i, struct big *b)
{
	switch (i) { case 1: p->lock = 1; break; case 5: p->lock = 2; break; default: p->lock = 3; }
	p->call(i > 3 ? 1 : 2);
	use(*b);
	if (__builtin_expect(i, 0)) __builtin_trap();
	__asm__ volatile("lock; incl %0" : "+m"(p->lock) : "r"(i) : "memory");
	__asm__ goto("jmp %l0" : : : : out);
	p->lock = 9;
out:	return;
}
static void unlock(int **l) { **l = 0; }
void cleanup(struct queue *p) { __attribute__((cleanup(unlock))) int *l = &p->lock; *l = 1; }
void pointers(void **p, long *n, void *a, void *b) { *n = (long)a; *p = (void *)*n; __builtin_prefetch(p); if (a > b) *p = a; }
void variable(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); q.lock = __builtin_va_arg(l, int); __builtin_va_end(l); }
int constant(int n) { return __builtin_constant_p(n) ? q.lock : n; }
__attribute__((noreturn)) void stop(void);
void ends(void) { stop(); }
__attribute__((constructor)) static void early(void) { q.lock = 1; }
int first(void) { return 1; }
int second(void) __attribute__((alias("first")));
struct ops { int (*open)(int); void (*close)(void); const char *name; };
static int my_open(int a) { return a; }
static struct ops table[2] = { { .open = my_open, .name = "x" }, { .close = ends } };
struct ops *get(void) { return table; }
int *inside = &q.array[1];
__attribute__((section(".mine"))) int placed;
END
lowered ops || exit 1
while IFS='|' read -r text line; do
	[ -n "$text" ] && check "$text" has ops.txt "$line"
done <<'END'
a field by name and offset|%7 = field %0 +8 struct queue.head
a pointer loaded|%7 = load8 ptr %6
a field at offset 0 keeps its name|%7 = field %0 +0 struct queue.lock
a field of an inner struct without a name|%7 = field %6 +4 struct queue::in.b
a variable index has its stride|%7 = index %6 +0 + %5 * 4
an array of structs|%7 = index %6 +0 + %5 * 16
a struct in an array|%7 = field %6 +8 struct node.value
a bit field is its byte|store1 %6 = %9
a constant address is base and offset|store4 @q+16 = %7
... and is loaded from|%7 = load4 @items+32
a typedef's name is the type's|%7 = field %6 +8 item_t.name
thread-local|%7 = load4 tls @mine
memcpy of constant size|memcpy %5 , 16 , %3
memset of any size|memset %0 , 0 , %2
a static inside of a function|static global plain.calls 4 "calls" of plain ops.c:22
volatile|store4 volatile %7 = 1
a release store|store4 atomic release %7 = 0
an acquire load|%7 = load4 atomic acquire %6
an atomic or|%7 = rmw.or4 atomic relaxed %6 , 4
an atomic increment of C11|%7 = rmw.add4 atomic seq_cst %6 , 1
a fence|fence atomic seq_cst
compare and swap|%7 = cmpxchg4 atomic seq_cst %5 , %4 , 2
... and whether it did|%7 = extract %6 . 1
a switch|switch %1 b3 1:b1 5:b2
a call through a pointer|call %5(%4) v(i)
a struct by value is copied|memcpy %5 , 64 , %2
... and the copy passed on|%7 = call &use(%6) l(p)
inline assembly with operand sizes|asm volatile "lock; incl $0" "=*m,r,*m,~{memory},~{dirflag},~{fpsr},~{flags}"(%7:4, %1, %7:4)
asm goto|switch b7 1:b8
the attribute cleanup is a call|call &unlock(%5) v(p)
pointer to integer|%7 = to-int %2
integer to pointer|%7 = to-ptr %5
pointers compared|%7 = compare %2 > %3
va_start|opaque llvm.va_start.p0(%1)
no return|call noreturn &stop() v()
a constructor|static constructor function early() v() ops.c:53
an alias|alias second = &first
a table of functions, by field|+0 = &my_open struct ops.open
... and its second element|+32 = &ends struct ops.close
the address of a part of a global|+0 = @q+28
a section|global placed 4 in .mine ops.c:61
a static function|static function my_open(a) i(i) ops.c:57
a declared one|declared noreturn function stop() v() ops.c:51
END
check "lifetime, prefetch and va_end are nothing" hasnt ops.txt 'lifetime\|prefetch\|va_end'
check "__builtin_constant_p is decided" hasnt ops.txt 'is.constant'
check "lines and columns" grep -q 'store4 %[0-9]* = 3  @13:10' ops.txt
check "lines of the file are counted" grep -qx "unit ops.c lines $(wc -l <ops.c)" ops.txt
check "a field's kind is known" has ops.txt '+104 8 call: function * pointer function'
check "a volatile field" has ops.txt '+92 4 flag: int volatile'

# Without -g the structs still have their shape.
clang-19 -w -O1 -Xclang -disable-llvm-passes -emit-llvm -c -o bare.bc ops.c && "$lower" bare.bc bare.ir && "$print" bare.ir >bare.txt
check "without debug information it says so" grep -q '^unit ops.c lines .* no-debug$' bare.txt
check "... and fields go by number" has bare.txt '%2 = field %0 +8 struct queue.1'

# ---- C++ -----------------------------------------------------------------------------------------------
cat >plus.cpp <<'END'
extern int shared;
void work(int), late() noexcept;
namespace app {
template <class T> struct box { T value; virtual void set(T v) { value = v; } virtual ~box() {} };
struct derived : box<int> { int extra; void set(int v) override { extra = v; } };
}
struct guard { ~guard() { late(); } };
app::derived object;
void run(app::box<int> *b) { guard g; b->set(1); work(2); shared = b->value; }
END
lowered plus "" cpp
check "C++ is seen as such" grep -q '^unit plus.cpp .* c++$' plus.txt
check "a template's fields" has plus.txt '%3 = field %0 +8 struct app::box.value'
check "a method's plain name" grep -q '^merged function _ZN3app7derived3setEi(this, v) v(pi) "set" plus.cpp:5$' plus.txt
check "a virtual table holds its methods" has plus.txt '+16 = &_ZN3app7derived3setEi .0'
check "an invoke has both ways" grep -qE 'call invoke %?.*v\(i\)|call invoke &_Z4worki\(2\) v\(i\)' plus.txt
check "... and a landing pad" grep -q 'opaque landingpad' plus.txt
check "... and ends the thread of control" grep -q '^    stop' plus.txt

# ---- what cannot be lowered -------------------------------------------------------------------------------
: >empty.bc
head -c 2000 ops.bc >cut.bc
printf 'BC\300\336garbage garbage garbage' >odd.bc
printf 'MZ\0\0\0' >other.bc
echo 'define void @f( {' >text.ll
one_line() { # file text: exit 3, one line with the file and the reason
	"$lower" "$1" x.ir 2>err
	[ $? = 3 ] && [ "$(wc -l <err)" = 1 ] && grep -q "^$1: .*$2" err || { cat err; return 1; }
}
check "empty bitcode" one_line empty.bc "the file is empty"
check "cut off" one_line cut.bc "not readable as bitcode of LLVM 19"
check "garbage" one_line odd.bc "not readable as bitcode of LLVM 19"
check "something else" one_line other.bc "neither LLVM bitcode nor its text"
check "broken text" one_line text.ll "not readable as LLVM text"
check "no such file" one_line missing.bc "cannot be read"
check_status "one bad file alone is an error of status 3" 3 "$print" load cut.bc
check "a bad one among good ones is skipped" sh -c "'$print' load cut.bc ops.bc | grep -q '^skipped cut.bc: not readable as bitcode'"
# The epoch in the identification block of LLVM 19's files: one bit makes it another one's.
flipped() { # offset byte: ops.bc with one byte changed
	cp ops.bc "$3" && printf "$2" | dd of="$3" bs=1 seek="$1" conv=notrunc 2>/dev/null
}
flipped 28 '\011' epoch.bc
check "bitcode of another LLVM" one_line epoch.bc "Incompatible epoch"
# LLVM dies on some broken files (a bit of byte 53 does it): that too is a line, not our death.
flipped 53 "\\$(printf %o $(($(od -An -tu1 -j53 -N1 ops.bc) ^ 64)))" deadly.bc
"$print" load deadly.bc ops.bc >out 2>&1
check "LLVM's own death is a reason" sh -c 'grep -qE "^skipped deadly.bc: (LLVM gave up on it|not readable)" out && grep -q "^units 1 skipped 1" out'

# ---- from sources: compile_commands.json ---------------------------------------------------------------------
mkdir -p "proj/sub dir" proj/build
cat >proj/inc.h <<'END'
#ifndef VALUE
#error VALUE is missing
#endif
static inline int from_header(int x) { return x + VALUE; }
inline int merged_one(void) { return 7; }
extern inline int merged_one(void);
static int same;
END
echo '#include "inc.h"
static int twice(int x) { return same + x; }
int one(void) { return twice(from_header(TEXT[0])); }' >"proj/sub dir/one.c"
echo '#include "inc.h"
static int twice(int x) { return same - x; }
extern int one(void);
int two(void) { return twice(one()); }' >proj/two.c
echo 'int broken(void) { return }' >proj/broken.c
echo '.globl f' >proj/asm.S
echo '-I.. "-DTEXT=\"a b\""' >proj/build/flags.rsp
cat >proj/build/compile_commands.json <<END
[ { "directory": "$tmp/proj/build", "file": "../sub dir/one.c",
    "command": "/usr/bin/gcc -c -O2 -fconserve-stack -mpreferred-stack-boundary=3 -fno-allow-store-data-races -Wno-alloc-size-larger-than -fplugin=./x.so -falign-functions=64 --param=allow-store-data-races=0 -funknown-to-clang -Wp,-MMD,x.d -DVALUE=4 \"-DTEXT=\\\\\\"a b\\\\\\"\" -I .. '../sub dir/one.c' -o one.o" },
  { "directory": "$tmp/proj/build", "file": "../two.c",
    "arguments": [ "ccache", "gcc", "-DVALUE=5", "@flags.rsp", "-MD", "-MF", "two.d", "-c", "../two.c", "-otwo.o" ] },
  { "directory": "$tmp/proj/build", "file": "../two.c",
    "arguments": [ "gcc", "-DVALUE=5", "@flags.rsp", "-c", "../two.c", "-o", "two.pic.o" ] },
  { "directory": "$tmp/proj", "file": "asm.S", "command": "gcc -c asm.S" } ]
END
find proj -type f -exec touch -d 2020-01-01 {} +  # what changes while it is compiled is not kept
"$print" load -p proj/build -c cache >first 2>err
check "gcc's flags, quotes, spaces, response files, one unit of two alike" \
	grep -qx 'units 2 skipped 1 cached 0 compiled 2 lowered 2 lines 7 instructions [0-9]*' first
check "an assembler file is skipped and said" grep -qx 'skipped asm.S: neither C nor C++: not analysed' first
count() { [ "$(grep -c "$2" "$1")" = "$3" ] || { cat "$1"; return 1; }; }
check "two statics of one name stay apart" count first '^function twice ' 2
check "two statics of a header stay apart" count first '^global same ' 2
check "an inline function of a header is one" count first '^function merged_one ' 1
check "a declaration is its definition" grep -qx 'function one one.c' first
"$print" load -p proj/build -c cache >second 2>err
check "a second run compiles nothing" grep -q '^units 2 skipped 1 cached 2 compiled 0 lowered 0' second
check "... not even starts a compiler" env DEADHEAT_SCAN_CC=/usr/bin/clang-19 PATH=/nowhere "$print" load -p proj/build -c cache
check "... and gives the same program" sh -c 'tail -n +3 first >a; tail -n +3 second >b; cmp a b'
touch -d '2020-01-01' proj/inc.h
"$print" load -p proj/build -c cache >third 2>err
check "only content counts, not dates" grep -q ' cached 2 compiled 0 ' third
sed -i 's/x - same/x/; s/same - x/same + x + 1/' proj/two.c; touch -d '2020-01-01' proj/two.c
"$print" load -p proj/build -c cache >third 2>err
check "one changed file is redone alone" grep -q ' cached 1 compiled 1 lowered 1 ' third
echo 'static int more;' >>proj/inc.h; touch -d '2020-01-01' proj/inc.h
"$print" load -p proj/build -c cache >third 2>err
check "a changed header redoes whoever includes it" grep -q ' cached 0 compiled 2 lowered 2 ' third
for file in cache/*.ir; do head -c 100 "$file" >x && cp x "$file"; done
"$print" load -p proj/build -c cache >third 2>err
check "damaged units in the cache are made again" grep -q ' cached 0 compiled 2 lowered 2 ' third
check "nothing temporary stays" sh -c '! ls cache | grep -q tmp'
"$print" load -p proj/build -c shared >p1 2>&1 & one=$!
"$print" load -p proj/build -c shared >p2 2>&1; wait $one
check "two scans at once share a cache" sh -c 'grep -q "^units 2 " p1 && grep -q "^units 2 " p2 && ! ls shared | grep -q tmp'
check "files of a database may be chosen" sh -c "'$print' load -p proj/build -c cache proj/two.c | grep -q '^units 1 '"

"$print" load -c cache proj/broken.c ops.c >out 2>err
check "a source that does not compile is skipped" sh -c 'grep -q "^skipped broken.c: expected expression" out && grep -q "^units 1 skipped 1" out'
check "... with the compiler's message" grep -q 'broken.c:1:27: error: expected expression' err
check_status "alone it is an error of status 3" 3 "$print" load proj/broken.c
check_output "arguments after --" "units 1 skipped 0" "$print" load -c cache proj/two.c -- -DVALUE=3
check_output "no database" "no: No such file" "$print" load -p no x.c
mkdir -p bad && echo '[ { "file": ' >bad/compile_commands.json
check_output "a broken database: line and reason" "bad/compile_commands.json:2: " "$print" load -p bad -c cache
echo '[ { "directory": "/", "file": "x.c", "command": "gcc \"x.c" } ]' >bad/compile_commands.json
check_output "a broken command in it" "a quote is not closed" "$print" load -p bad -c cache
check_output "a folder is not a file" "given by -p" "$print" load proj
check_output "neither source nor bitcode" "neither C or C++ source nor LLVM bitcode" "$print" load proj/asm.S
check_output "a compiler that is not there" "there is no program nocc" env DEADHEAT_SCAN_CC=nocc "$print" load proj/two.c
done_testing
