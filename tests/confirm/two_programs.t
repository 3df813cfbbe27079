# One store, two programs: every finding is tried with the program it was seen in.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
for name in figure2 counter; do
	deadheat-cc -pthread -o $name "$TOP/examples/$name.c" || exit 1
	deadheat detect --quiet -- ./$name >/dev/null 2>&1
done
check_status "confirm without a program confirms" 66 deadheat confirm --quiet
check_output "... the pair of the older program" "data race: thread1 / thread2 on x" deadheat list
check_output "... and that of the newer" "data race: inc / inc on counter" deadheat list
rm -rf .deadheat
for name in figure2 counter; do deadheat detect --quiet -- ./$name >/dev/null 2>&1; done
deadheat confirm --quiet -- ./figure2 >out 2>&1
check_fails "a named program is not tried with the other's findings" grep -q counter out
check_output "... but with its own" "thread1 / thread2 on x" cat out
done_testing
