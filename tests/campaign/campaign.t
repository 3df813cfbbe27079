# Campaigns: begun, shared by workers, stopped and gone on with, killed; on a folder and on a server.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/store/postgres.sh"
cd "$tmp" || exit 1
cp "$TOP/bench/campaign/races.c" . && deadheat-cc races.c -o races
detect() { deadheat detect -q --schedule random --runs 10 --store "$1" ./races >/dev/null; }
rungs() { deadheat list -q --store "$1" | awk '{ print $1, $2 }' | sort; }
whole() { # store trials: whole, and that many trials counted and there
	deadheat status --check --store "$1" >check.out 2>&1 && grep -q "campaigns count $2 trials and have $2\$" check.out || { cat check.out; return 1; }
}
one_line() { "$@" 2>.o >/dev/null; [ "$(wc -l <.o)" = 1 ] || { cat .o; return 1; }; }

# ---- the command ------------------------------------------------------------------------------------
detect a
check_output "no campaigns: says how to begin one" "confirm --campaign NAME" deadheat status --store a
check_status "a campaign confirms" 66 deadheat confirm -q --campaign night --budget 500 --store a -- ./races
check "its budget is spent to the trial, each trial is there once" whole a 500
check_output "status: it is done" "night  done" deadheat status --store a
check_output "status: what was spent" "500 of 500 trials" deadheat status --store a
check_output "in json too" '"schema": "deadheat-status/1", "campaigns": [{"name": "night", "state": "done"' deadheat status -f json --store a
check_output "a harmful one was found" "harmful" deadheat list --store a
id=$(deadheat list -q --store a | awk '$2 == "harmful" && /data race/ { print $1; exit }')
check_output "with a witness that repeats" "all the same" deadheat replay --verify --store a "$id"
check_output "one that never meets is not called a race" "suspected pair: left / right on never" deadheat list --store a
check_status "the same command again has nothing to do" 66 deadheat confirm -q --campaign night --store a
check "and makes no trial" whole a 500
check_status "--budget without a campaign" 2 deadheat confirm --budget 10 --store a -- ./races
check_status "work: no such campaign" 2 deadheat work --campaign day --store a
check_status "work: nothing to do" 0 deadheat work -q --store a
check_status "work: no store" 3 deadheat work --store nosuch
check "in one line" one_line deadheat work --store nosuch
check_status "a campaign of nothing" 2 deadheat confirm -q --campaign none --store empty -- ./races
check_status "a budget in time ends" 66 deadheat confirm -q --campaign short --time 500ms --store a -- ./races
check_output "and says so" "short  done" deadheat status --store a
check_status "of named candidates" 66 deadheat confirm -q --campaign one --budget 40 --store a "$id" -- ./races
check_output "only those" "1 confirmed" deadheat status --store a

# ---- the same, whoever makes it ----------------------------------------------------------------------
share() { # store: detached, then four workers at once
	deadheat confirm -q --campaign night --budget 500 --detach --store "$1" -- ./races || return 1
	for i in 1 2 3 4; do deadheat work -q --jobs 1 --store "$1" & done
	wait
}
detect b
check "left to four workers" share b
check "each trial is there once" whole b 500
check "the same findings with the same rungs" [ "$(rungs a)" = "$(rungs b)" ]

# ---- another program ------------------------------------------------------------------------------------
detect c
deadheat confirm -q --campaign night --budget 200 --detach --store c -- ./races
mkdir other && sed 's/harm = 2/harm = 1 + 1 + 1/' races.c >other/races.c && deadheat-cc other/races.c -o other/races
check_status "a worker with another build refuses" 3 deadheat work --store c --program other/races
check_output "and names both" "needs another build of other/races" deadheat work --store c --program other/races
check_status "one without the program too" 3 deadheat work --store c --program other/nothing
mkdir elsewhere && cp races elsewhere/moved
check_status "the same build under another name will do" 0 deadheat work -q --store c --program elsewhere/moved
check "and does it all" whole c 200

# ---- Ctrl-C and kill -9 -------------------------------------------------------------------------------------
detect g
deadheat confirm -q --campaign night --budget 100000000 --detach --store g -- ./races # more than will be made
trials() { deadheat status -f json --store g | sed -n 's/.*"trials": \([0-9]*\), "budget.*/\1/p'; }
begun() { n=0; was=$(trials); until [ "$(trials)" -gt "$was" ]; do n=$((n + 1)); [ $n -lt 1200 ] || return 1; kill -0 "$pid" 2>/dev/null || return 1; sleep 0.05; done; }
left() { gone "$tmp/races"; }
for signal in INT TERM KILL; do
	deadheat work -q --jobs 1 --store g 2>work.err & pid=$!
	check "$signal: trials are being made" begun
	kill -$signal $pid; wait $pid
	check "$signal: no process is left" left
	check "$signal: the store is whole" deadheat status --check --store g
done
check_output "a worker that was killed is known to be dead" "dead" deadheat status --store g
detect d
deadheat confirm -q --campaign night --budget 500 --detach --store d -- ./races
trials() { deadheat status -f json --store d | sed -n 's/.*"trials": \([0-9]*\), "budget.*/\1/p'; }
deadheat work -q --jobs 1 --store d 2>work.err & pid=$!
begun # or it has ended by then: that is fine too
kill -KILL $pid 2>/dev/null; wait $pid
check_status "another goes on" 0 deadheat work -q --store d
check "to the same end" whole d 500
check "the same findings with the same rungs" [ "$(rungs a)" = "$(rungs d)" ]

# ---- two at once ------------------------------------------------------------------------------------------------
detect e
for name in x y; do deadheat confirm -q --campaign $name --budget 300 --seed 5 --detach --store e -- ./races; done
check_status "one worker serves two campaigns" 0 deadheat work -q --store e
check_output "x is done" "x  done" deadheat status --store e
check_output "y is done" "y  done" deadheat status --store e

# ---- a full disk -------------------------------------------------------------------------------------------------
full() {
	unshare -m sh -c "mount -t tmpfs -o size=16m none disk && cp -r f disk/ && head -c 20m /dev/zero >disk/fill 2>/dev/null
		deadheat confirm -q --campaign night --store disk/f >full.out 2>full.err; echo \$? >full.status
		rm disk/fill; deadheat status --check --store disk/f >full.check 2>&1
		deadheat confirm -q --campaign night --store disk/f >again.out 2>&1; echo \$? >again.status
		deadheat status --check --store disk/f >again.check 2>&1"
}
if unshare -m true 2>/dev/null; then
	detect f
	deadheat confirm -q --campaign night --budget 500 --detach --store f -- ./races
	mkdir disk
	check "on a full disk" full
	check "status 3" grep -qx 3 full.status
	check "one line" [ "$(wc -l <full.err)" = 1 ]
	check_output "that says what to do" "disk full" cat full.err
	check_output "nothing half-written" "is whole" cat full.check
	check "with room again it goes on" grep -qx 66 again.status
	check_output "to its end" "campaigns count 500 trials and have 500" cat again.check
fi

# ---- a server ---------------------------------------------------------------------------------------------------
check "a server starts" pg_start
url=$(pg_url camp); detect "$url"
check "left to four workers" share "$url"
check "each trial is there once" whole "$url" 500
check "the same findings with the same rungs as on a folder" [ "$(rungs a)" = "$(rungs "$url")" ]
url=$(pg_url away); detect "$url"
deadheat confirm -q --campaign night --budget 1000 --detach --store "$url" -- ./races
# From the 500th trial on its transactions wait for a lock of ours, so that it cannot be done before the server goes.
pg_sql away "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(7, 7); RETURN NEW; END';
	CREATE TRIGGER hold BEFORE UPDATE ON deadheat.campaign FOR EACH ROW WHEN (NEW.done > 500) EXECUTE FUNCTION hold()"
pg_sql away "SELECT pg_advisory_lock(7, 7), pg_sleep(600)" >/dev/null 2>&1 & holder=$!
until_sql() { n=0; until [ "$(pg_sql away "$1")" = t ]; do n=$((n + 1)); [ $n -lt 600 ] || return 1; sleep 0.1; done; }
check "the lock is held" until_sql "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = 7 AND granted"
deadheat work --jobs 1 --store "$url" >/dev/null 2>work.err & pid=$!
check "trials are being made" until_sql "SELECT done > 0 FROM deadheat.campaign"
check "and one is under way when" until_sql "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = 7 AND NOT granted"
check "the server goes away" pg_halt
wait $holder
said() { n=0; until grep -q "waiting for it" work.err; do n=$((n + 1)); [ $n -lt 600 ] || return 1; sleep 0.1; done; }
check "the worker says it waits" said
check "the server comes back" pg_again
wait $pid; status=$?
check "the worker goes on to the end" [ $status = 0 ]
check_output "and says that too" "the server is back" cat work.err
check "each trial is there once" whole "$url" 1000
done_testing
