# A small driver in a kernel's dress (tests/scan/kernel/): static inline lock wrappers, atomics in inline
# assembly, a table of operations, an interrupt handler, work. LONG=1 also takes the real kernel
# (bench/scan.sh tiny: tinyconfig and a network driver).
. "$(dirname "$0")/../tap.sh"

print=$TOP/build/tests/scan/print
lower=$TOP/build/lib/deadheat/lower
here=$TOP/tests/scan/kernel
cd "$tmp" || exit 1
lowered() { # name: as text
	clang-19 -w -g -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -emit-llvm -c -o "$1.bc" "$here/$1.c" &&
	"$lower" "$1.bc" "$1.ir" && "$print" "$1.ir" >"$1.txt"
}
lowered driver && lowered irq || exit 1
has() { grep -qE -- "$2" "$1" || { cat "$1"; return 1; }; }

check "operations by field" has driver.txt '= &driver_read struct file_operations.read$'
check "... a constant table" has driver.txt '^static constant global driver_operations 32 struct file_operations driver.c'
check "initialisation is known by its section" has driver.txt '^function driver_init\(\) i\(\) in .init.text driver.c:'
check "an always_inline wrapper is a function with the raw lock inside" has driver.txt 'call &_raw_spin_lock\(%[0-9]+\) v\(p\)'
check "the address of a lock is a field" has driver.txt 'field %[0-9]+ \+0 spinlock_t.raw'
check "an atomic of inline assembly: template, constraints, 4 bytes" \
	has irq.txt 'asm volatile "lock; incl \$0" "=\*m,\*m,~\{memory\},~\{dirflag\},~\{fpsr\},~\{flags\}"\(%[0-9]+:4, %[0-9]+:4\)'
check "READ_ONCE is a volatile load" has driver.txt 'load4 volatile'
check "container_of goes down by constant bytes" has irq.txt 'field %0 -16'
check "a function pointer stored into a field" has driver.txt 'store8 ptr %[0-9]+ = &device_work'

deadheat scan -q --store "$tmp/store" --kernel --top 0 "$here/driver.c" "$here/irq.c" >out 2>err
check "the driver is scanned" grep -q '^verdict: undecided' out
check "a count without the lock is claimed" sh -c 'grep -q "claimed pair: device_interrupt / .* on .*errors" out'
check "... and a flag without any" sh -c 'grep -q "claimed pair: .*device_work" out'
check "two handlers meet by the cookie of the interrupt" sh -c 'grep -q "claimed pair: driver_ioctl / device_interrupt on .*errors" out'
check "... and by the struct that holds the work" sh -c 'grep -q "claimed pair: driver_open / device_work" out'
check "what the lock guards is not" sh -c '! grep "claimed pair" out | grep -q pending'
check "exclusions are counted" grep -q 'by same-object' out
check "what is not known is listed" grep -q 'unknown function register_chrdev' out

# The same with the unlocked count under the lock: nothing of it is left.
mkdir fixed && cp "$here"/*.h "$here"/*.c fixed/ &&
awk '/if \(irq < 0\)/ { next } /device->errors\+\+;/ { next } { print } /device->pending\+\+;/ { print "\tif (irq < 0)\n\t\tdevice->errors++;" }' "$here/irq.c" >fixed/irq.c
deadheat scan -q --store "$tmp/store2" --kernel --top 0 fixed/driver.c fixed/irq.c >out2 2>err2
check "... between handlers, too" sh -c '! grep "claimed pair" out2 | grep -q "driver_ioctl / device_interrupt"'
check "under the lock it is silent" sh -c 'grep -q "^verdict" out2 && ! grep "claimed pair" out2 | grep -q errors'

# A work that nobody hands the device to, and handlers of two tables, have nothing in common.
cat >apart.c <<'C'
struct file { int state; int other; };
struct file_operations { int (*open)(struct file *file); int (*release)(struct file *file); };
static int one_open(struct file *file) { file->state = 1; return 0; }
static int one_release(struct file *file) { return file->state; }
static int two_open(struct file *file) { return file->state; }
const struct file_operations one = { .open = one_open, .release = one_release };
const struct file_operations two = { .open = two_open };
C
deadheat scan -q --store "$tmp/store3" --kernel --top 0 apart.c >out3 2>err3
check "functions of one table may get the same file" grep -q "claimed pair: one_open / one_release on file->state" out3
check "... those of two tables do not" sh -c 'grep -q "^verdict" out3 && ! grep "claimed pair" out3 | grep -q two_open'

# atomic_t has four bytes: what lies behind it is no part of it.
cat >neighbour.c <<'C'
typedef struct { int counter; } atomic_t;
struct raw { unsigned value; };
extern void atomic_inc(atomic_t *v);
extern void _raw_spin_lock(struct raw *lock);
extern void _raw_spin_unlock(struct raw *lock);
static struct { atomic_t users; int count; struct raw lock; } shared;
void first(void) { atomic_inc(&shared.users); }
void second(void) { _raw_spin_lock(&shared.lock); shared.count++; _raw_spin_unlock(&shared.lock); }
void third(void) { shared.users.counter = 0; }
C
deadheat scan -q --store "$tmp/store4" --kernel --top 0 neighbour.c >out4 2>err4
check "a plain write to the atomic is claimed" grep -q "claimed pair: first / third" out4
check "... its neighbour is not" sh -c '! grep "claimed pair" out4 | grep -q second'

# As docs/kernel.md says: a build's command lines, a model of the project's own, then the answers one by one.
mkdir tree tree/obj && cp "$here"/*.h "$here"/*.c tree/ && cd tree &&
for name in driver irq; do
	printf '{ "directory": "%s/obj", "file": "../%s.c", "arguments": ["gcc", "-Wp,-MMD,.%s.o.d", "-I..", "-fno-strict-overflow", "-mindirect-branch=thunk-extern", "-c", "-o", "%s.o", "../%s.c"] }\n' "$PWD" $name $name $name $name
done | { echo '['; sed '$!s/$/,/'; echo ']'; } >obj/compile_commands.json
echo 'pure register_chrdev' >own.model
scan() { deadheat scan -q --store "$tmp/store5" --kernel -p obj "$@"; }
scan --model own.model --top 0 >out5 2>err5
check "a tree by its command lines" grep -q 'claimed pair: driver_ioctl / device_interrupt on .*errors' out5
check "... what the lock guards is silent" sh -c 'grep -q "^verdict" out5 && ! grep "claimed pair" out5 | grep -q pending'
check "... what the model says is no longer unknown" sh -c '! grep -q "unknown function register_chrdev" out5'
id=$(sed -n 's/^ *[0-9]*  \([0-9a-f]*\)  claimed pair: driver_ioctl . device_interrupt on .*errors.*/\1/p' out5 | head -n 1)
deadheat list --store "$tmp/store5" >list5 2>&1
check "list has it" grep -q 'driver_ioctl / device_interrupt' list5
scan --explain "$id" >explain5 2>&1
check "explained: the entry, the locks of one side" sh -c 'grep -q "starts *device_interrupt" explain5 && grep -q "locks *holds file->private_data->lock" explain5'
scan --summary driver_ioctl >summary5 2>&1
check "a function's summary: what it reads under its lock" grep -qE 'private_data->errors  \(\{.*lock.*\}, .*read' summary5
scan --summary driver_closes >summary6 2>&1
check "... one that is not there: said" grep -q 'no function driver_closes' summary6
cd "$tmp" || exit 1

if [ "${LONG:-}" ]; then
	check "the real kernel: tinyconfig and e1000" sh "$TOP/bench/scan.sh" tiny
fi
done_testing
