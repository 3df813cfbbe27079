# baseline save, report --new: the gate trips on new findings only; SARIF's new, unchanged, absent.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cp "$TOP/tests/triage/queue.c" "$TOP/examples/locks.c" .
for example in queue locks; do
	deadheat-cc -g -pthread $example.c -o $example
done
hunt() { deadheat hunt --quiet --schedules 0 --format none "$@" >hunt.log 2>&1; }
hunt ./queue
known=$(deadheat list -q | wc -l)
check_status "--new without a baseline cannot work" 3 deadheat report --new
check_output "and says what to do" "deadheat baseline save" deadheat report --new
check_status "what to do with a baseline?" 2 deadheat baseline
check_status "there is only save" 2 deadheat baseline restore
check_output "save counts" "$known finding" deadheat baseline save
check "it is sorted text" sh -c "sed 1d .deadheat/baseline | sort -c && head -n 1 .deadheat/baseline | grep -x '# deadheat baseline 1'"
check_output "with titles for people" "data race: put / take on queue.count" cat .deadheat/baseline
check_status "nothing new: the gate stands open" 0 deadheat report --new --fail-on confirmed
check_output "what is left out is counted" "$known finding" deadheat report --new
check "text lists nothing known" sh -c "! deadheat report --new -q | grep 'queue.count'"
check_status "without --new all of it counts" 66 deadheat report
check_output "and is named known" "known: in the baseline" deadheat report
check_output "json: unchanged" '"baseline": "unchanged"' deadheat report --format json
check "git would take the baseline" sh -c "git init -q . && git add .deadheat && git diff --cached --name-only | grep -x .deadheat/baseline"

hunt ./locks
check_status "a new deadlock trips the gate" 66 deadheat report --new --fail-on confirmed
check_output "it is what is shown" "deadlock: " deadheat report --new
check "and nothing known" sh -c "! deadheat report --new -q | grep 'queue.count'"
check_status "for a rung above it does not" 0 deadheat report --new --fail-on never
for id in $(deadheat list -q | sed -n '/deadlock:/s/ .*//p'); do deadheat suppress -q "$id" --because x; done
check_status "suppressed it does not trip" 0 deadheat report --new --fail-on confirmed
rm .deadheat/suppressions
check "sarif: new and unchanged" sh -c "deadheat report --format sarif >s; grep -q '\"baselineState\": \"new\"' s && grep -q '\"baselineState\": \"unchanged\"' s && ! grep -q absent s"

# ---- a file of its own, another store: what is gone is absent ----------------------------------------------
check "save FILE" deadheat baseline save known.txt
check "the same again is the same file" sh -c "deadheat baseline save -q again.txt && cmp known.txt again.txt"
hunt --store other ./locks
check "sarif: absent" sh -c "deadheat report --store other --baseline known.txt --format sarif >s; grep '\"baselineState\": \"absent\"' s | grep -q '\"ruleId\": \"data-race\"'"
check_output "what is gone is counted" "of the baseline not in this store any more" deadheat report --store other --baseline known.txt --new
check_status "absent ones trip nothing" 0 deadheat report --store other --baseline known.txt --new
check_status "a baseline that is not there" 3 deadheat report --baseline nowhere --new

# ---- the source moves on ------------------------------------------------------------------------------------
mkdir moved && cd moved
{ printf "/* nine lines more */\n\n\n\n\n\n\n\n\n"; cat ../queue.c; } >queue.c
deadheat-cc -g -pthread queue.c -o queue && hunt --store fresh ./queue
check "lines moved: it is there" sh -c "deadheat list -q --store fresh | grep -q 'queue.count'"
check_status "lines moved: nothing is new" 0 deadheat report --store fresh --baseline ../.deadheat/baseline --new --fail-on confirmed
check_output "lines moved: it is known, at its new line" "known: in the baseline" deadheat report --store fresh --baseline ../.deadheat/baseline
cp queue.c renamed.c
deadheat-cc -g -pthread renamed.c -o renamed && hunt --store other ./renamed
check_status "the file renamed: it is another finding (docs/limits.md)" 66 deadheat report --store other --baseline ../.deadheat/baseline --new
cd ..

# ---- damaged ------------------------------------------------------------------------------------------------
echo '<<<<<<< HEAD' >>known.txt
check_status "a merge mark is an error" 2 deadheat report --baseline known.txt --new
check_output "with file and line" "known.txt:" deadheat report --baseline known.txt --new
echo hello >no.txt
check_output "some other file is none" "no.txt is no baseline" deadheat report --baseline no.txt
check_status "a place that cannot be written" 3 deadheat baseline save /proc/nowhere
done_testing
