# The recipes of docs/many-machines.md, run as they are written: a loop over ssh hosts (with an ssh
# that goes nowhere), Slurm on one node (LONG=1; needs slurm-wlm and munge), the container file.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/store/postgres.sh"
cd "$tmp" || exit 1
check "a server starts" pg_start
mkdir -p farm bin && cp "$TOP/bench/campaign/races.c" . && deadheat-cc races.c -o farm/races
begin() { # name: a detached campaign on a new database; its location in $url
	url=$(pg_url "$1")
	deadheat detect -q --schedule random --runs 10 --store "$url" farm/races >/dev/null &&
		deadheat confirm -q --campaign night --budget 400 --detach --store "$url" -- "$tmp/farm/races"
}
finished() { deadheat status --store "$url" | grep -q "night  done" && deadheat status --check --store "$url" | grep -q "count 400 trials and have 400\$"; }
each_worked() { pg_sql "$1" "SELECT count(DISTINCT run) FROM deadheat.trial" | grep -qx "$2"; }

# ---- ssh: HOST and a command, run here in a shell as sshd would; the "hosts" are the same machine ------
cat >bin/ssh <<'X'
#!/bin/sh
[ "$1" != -tt ] || shift
echo "$1" >>"$HOSTS"
shift
exec sh -c "$*"
X
chmod +x bin/ssh
begin loop
ssh_loop() { PATH="$tmp/bin:$PATH" HOSTS=$tmp/hosts timeout 300 "$TOP/contrib/ssh-workers" "$url" "$tmp/farm/races" one two; }
check "ssh: the loop ends" ssh_loop
check "ssh: the campaign is done" finished
check_output "ssh: host one was asked" one cat hosts
check_output "ssh: host two was asked" two cat hosts

# ---- the container file: what can be checked without building it -----------------------------------------
loads() { # every library deadheat needs belongs to a package the image installs, or to the base system
	for l in $(ldd "$TOP/build/bin/deadheat" | sed -n 's/^\t\([^ ]*\) => .*/\1/p') libpq.so.5; do
		file=$(ldconfig -p | awk -v l="$l" '$1 == l { print $NF; exit }')
		package=$(dpkg -S "$(readlink -f "$file")" 2>/dev/null | sed 's/:.*//' | head -n 1)
		grep -qw -- "$package" "$TOP/contrib/Containerfile" || [ "$(dpkg-query -W -f '${Priority}' "$package")" = required ] ||
			[ "$package" = libc6 ] || { echo "$l: $package is not installed in the image"; return 1; }
	done
}
check "container: the image has what deadheat loads" loads
check "container: what it copies and calls is there" sh -c "cd '$TOP' && [ -f Makefile ] && make -n install DESTDIR=/out PREFIX=/usr | tr -d \\' | grep -q /out/usr/bin/deadheat"
if command -v podman >/dev/null && [ -n "${LONG:-}" ]; then
	check "container: it builds" podman build -q -t deadheat-test -f "$TOP/contrib/Containerfile" "$TOP"
	check_output "container: and runs" "deadheat" podman run --rm deadheat-test --version
fi

# ---- Slurm on one node ---------------------------------------------------------------------------------------
slurm_start() {
	sl=$tmp/slurm host=$(hostname -s)
	mkdir -p "$sl/state" "$sl/spool" && chmod 755 "$sl" && dd if=/dev/urandom of="$sl/key" bs=1024 count=1 2>/dev/null && chmod 600 "$sl/key"
	munged --foreground --force --key-file="$sl/key" --socket="$sl/munge.socket" --pid-file="$sl/munge.pid" --log-file="$sl/munge.log" \
		--seed-file="$sl/munge.seed" & slurm_pids=$!
	cat >"$sl/slurm.conf" <<-X
		ClusterName=test
		SlurmctldHost=$host
		SlurmUser=root
		AuthType=auth/munge
		AuthInfo=socket=$sl/munge.socket
		CredType=cred/munge
		SlurmctldPort=$((20000 + $$ % 20000))
		SlurmdPort=$((20001 + $$ % 20000))
		SlurmctldPidFile=$sl/ctld.pid
		SlurmdPidFile=$sl/d.pid
		StateSaveLocation=$sl/state
		SlurmdSpoolDir=$sl/spool
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		MpiDefault=none
		ReturnToService=2
		SlurmdParameters=config_overrides
		SelectType=select/cons_tres
		NodeName=$host CPUs=2 State=UNKNOWN
		PartitionName=all Nodes=$host Default=YES State=UP
	X
	export SLURM_CONF="$sl/slurm.conf"
	slurmctld -D -f "$sl/slurm.conf" >"$sl/ctld.log" 2>&1 & slurm_pids="$slurm_pids $!"
	slurmd -D -f "$sl/slurm.conf" >"$sl/d.log" 2>&1 & slurm_pids="$slurm_pids $!"
	n=0; until sinfo -h -o %T 2>/dev/null | grep -q idle; do n=$((n + 1)); [ $n -lt 300 ] || return 1; sleep 0.2; done
}
if [ -n "${LONG:-}" ] && command -v slurmctld >/dev/null && command -v munged >/dev/null && [ "$(id -u)" = 0 ]; then
	trap 'kill $slurm_pids 2>/dev/null; wait 2>/dev/null; pg_halt; rm -rf "$tmp"' EXIT
	check "Slurm: one node comes up" slurm_start
	begin slurm
	submit() { timeout 300 sbatch --wait --nodes 1 --output "$tmp/slurm.out" --export "ALL,STORE=$url" "$TOP/contrib/deadheat.sbatch"; }
	check "Slurm: the job ends well" submit
	check "Slurm: the campaign is done" finished
	begin stopped
	pg_sql stopped "UPDATE deadheat.campaign SET trials = 1000000" # long enough to be stopped
	job=$(sbatch --parsable --nodes 1 --output "$tmp/slurm2.out" --export "ALL,STORE=$url" "$TOP/contrib/deadheat.sbatch")
	works() { n=0; until [ "$(pg_sql stopped 'SELECT done FROM deadheat.campaign')" -gt 0 ]; do n=$((n + 1)); [ $n -lt 600 ] || return 1; sleep 0.1; done; }
	check "Slurm: a job works" works
	scancel "$job"
	given_back() { n=0; until [ "$(pg_sql stopped 'SELECT count(*) FROM deadheat.lease WHERE worker > 0')" = 0 ]; do n=$((n + 1)); [ $n -lt 600 ] || return 1; sleep 0.1; done; }
	check "Slurm: cancelled, it gives its trials back" given_back
	check_output "Slurm: and the store is whole" "is whole" deadheat status --check --store "$url"
fi
done_testing
