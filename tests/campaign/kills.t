# Random kill -9 of hosts, workers and targets (bench/kills.sh, which takes 1,000 of them): the same
# findings as undisturbed, every trial there once, no process left. KILLS=N for more.
. "$(dirname "$0")/../tap.sh"
check "a folder: ${KILLS:-20} kills" env BUDGET=500 PAUSE=0.05 bash "$TOP/bench/kills.sh" sqlite "${KILLS:-20}"
check "a server: ${KILLS:-10} kills" env BUDGET=500 PAUSE=0.05 bash "$TOP/bench/kills.sh" postgresql "${KILLS:-10}"
done_testing
