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
check "what the lock guards is not" sh -c '! grep "claimed pair" out | grep -q pending'
check "exclusions are counted" grep -q 'by same-object' out
check "what is not known is listed" grep -q 'unknown function register_chrdev' out

# The same with the unlocked count under the lock: nothing of it is left.
mkdir fixed && cp "$here"/*.h "$here"/*.c fixed/ &&
awk '/if \(irq < 0\)/ { next } /device->errors\+\+;/ { next } { print } /device->pending\+\+;/ { print "\tif (irq < 0)\n\t\tdevice->errors++;" }' "$here/irq.c" >fixed/irq.c
deadheat scan -q --store "$tmp/store2" --kernel --top 0 fixed/driver.c fixed/irq.c >out2 2>err2
check "under the lock it is silent" sh -c 'grep -q "^verdict" out2 && ! grep "claimed pair" out2 | grep -q errors'

if [ "${LONG:-}" ]; then
	check "the real kernel: tinyconfig and e1000" sh "$TOP/bench/scan.sh" tiny
fi
done_testing
