# tests/one and tests/run themselves: a test that hangs, dies or says too little fails, and says so.
. "$(dirname "$0")/../tap.sh"
mkdir -p "$tmp/top/tests" "$tmp/top/build/tests/logs" && cp "$TOP/tests/run" "$TOP/tests/one" "$tmp/top/tests/" && cd "$tmp/top" || exit 1
printf 'echo "ok 1 - fine"\necho 1..1\n' >tests/good.t
printf 'echo "ok 1 - as far as here"\n%s\n' 'sh -c "exec ./slept 1000" & ./slept 1000' >tests/hangs.t
printf 'trap "" TERM\necho "ok 1 - deaf"\nwhile :; do :; done\n' >tests/deaf.t
printf 'echo "ok 1 - one of two"\necho 1..2\n' >tests/few.t
printf 'echo "ok 1 - dies"\necho 1..1\nkill -SEGV $$\n' >tests/dies.t
printf 'echo "not ok 1 - wrong"\necho 1..1\nexit 1\n' >tests/wrong.t
run() { sh tests/run "tests/$1.t"; }
check_status "one that is well passes" 0 run good
check_output "and is counted" "1 passed, 0 failed" run good
check_output "with its time" "ok   tests/good.t (1, " run good
for name in few dies wrong; do
	check_status "$name: fails" 1 run $name
	check_output "$name: is named" "FAIL tests/$name.t (repeat: sh tests/run tests/$name.t)" run $name
done
check_output "what is planned must be seen" "not ok - tests/few.t: status 0, planned 2, ran 1" run few
check_output "a status alone is a failure" "not ok - tests/dies.t: status 139" run dies
cp "$(command -v sleep)" slept
export TEST_LIMIT=5 # enough for the first line on any machine
run hangs >hangs.out 2>&1; status=$?
check "one that hangs is ended, and fails" [ $status = 1 ]
check_output "it says where it hung" "it hung after: ok 1 - as far as here" cat hangs.out
check "nothing of it is left" gone "$tmp/top/slept"
sed -i 's/-k 20/-k 1/' tests/one
check_output "one that is deaf too" "not ok - tests/deaf.t: status 137" run deaf
unset TEST_LIMIT
check_status "others still count" 1 sh tests/run tests/good.t tests/wrong.t
check_output "one that does not exist is missed" "not ok - tests/none.t" run none
rm -rf build/tests/logs; printf '#!/bin/sh\nexit 0\n' >tests/one
check_output "one that leaves no log has not run" "not ok - tests/good.t: did not run" run good
check_status "which is a failure" 1 run good
done_testing
