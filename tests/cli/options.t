# Every option is validated with one line that names it; help comes from the same tables.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
one_line() { "$@" >.o 2>&1; [ "$(wc -l <.o)" = 1 ] || { cat .o; return 1; }; }
usage() { # text wanted command...: status 2, one line, contains
	what=$1 line=$2; shift 2
	check_status "$what: status 2" 2 "$@"
	check_output "$what: says so" "$line" "$@"
	check "$what: in one line" one_line "$@"
}

check_status "nothing at all: status 2" 2 deadheat
check_output "nothing at all: the commands" "Commands:" deadheat
check_output "--version" "deadheat 0" deadheat --version
check_output "--help" "Commands:" deadheat --help
check_output "-h" "Commands:" deadheat -h
check_output "help" "Commands:" deadheat help
check_status "help of an unknown command" 2 deadheat help detct
usage "a mistyped command" "did you mean 'detect'?" deadheat detct
usage "no command, no program" "neither a command nor a program" deadheat zzzzzz
usage "an option before the command" "--runs: unknown option before a command" deadheat --runs 3
usage "an unknown option" "--rusn: unknown option; did you mean --runs?" deadheat detect --rusn 3 ./x
usage "an unknown letter" "-Z: unknown option" deadheat detect -Z ./x
usage "no number" "--runs: 'many' is not a number" deadheat detect --runs many ./x
usage "a negative number" "--runs: '-1' is not a number" deadheat detect --runs -1 ./x
usage "a number with a tail" "--runs: '3x' is not a number" deadheat detect --runs=3x ./x
usage "too small" "--runs: 0 is out of range (1 to" deadheat detect --runs 0 ./x
usage "too large" "--runs: 99999999999999999999999 is out of range" deadheat detect --runs 99999999999999999999999 ./x
usage "an empty value" "--runs: the value is empty" deadheat detect --runs= ./x
usage "a missing value" "--runs: needs a value" deadheat detect --runs
usage "a flag with a value" "--quiet: takes no value" deadheat detect --quiet=yes ./x
usage "a wrong choice" "--rule: 'hybird' is not one of hybrid, hb; did you mean 'hybrid'?" deadheat detect --rule hybird ./x
usage "a wrong schedule" "--schedule: 'fast' is not one of native, random" deadheat detect --schedule fast ./x
usage "a wrong duration" "--timeout: '5 parsecs' is not a duration" deadheat detect --timeout '5 parsecs' ./x
usage "a wrong rung" "--fail-on: 'confirmd' is not one of" deadheat detect --fail-on confirmd ./x
usage "a wrong rung, hint" "did you mean 'confirmed'?" deadheat report --fail-on confirmd
usage "no program" "which program?" deadheat detect
usage "show without an id" "which finding?" deadheat show
usage "list with an argument" "takes no arguments" deadheat list x
usage "report with an argument" "takes no arguments" deadheat report x
usage "an unknown format" "--format: 'jsn' is not one of" deadheat report --format jsn
usage "an unknown format, hint" "did you mean 'json'?" deadheat report --format jsn
for format in $(deadheat report --format zz 2>&1 | sed 's/.*is not one of //'); do
	check_output "help report names the format $format" "$format" deadheat help report
done

cat >ok.c <<'X'
int main(void) { return 0; }
X
deadheat-cc ok.c -o ok
usage "a wrong sample" "--sample: 'half' is neither" deadheat detect --sample half ./ok
usage "a wrong rate" "--sample: 'pacer:0%': the rate must be above 0%" deadheat detect --sample pacer:0% ./ok
usage "too high a rate" "at most 100%" deadheat detect --sample pacer:101% ./ok
check_status "options in all spellings" 0 deadheat detect -q -r1 --seed=0x10 --timeout 10s --rule=hb --store s ./ok
check_status "-- ends the options" 0 deadheat detect -q --store s -- ./ok --runs nonsense
check_status "the program's options are its own" 0 deadheat detect -q --store s ./ok --runs nonsense -h

check_status "a program instead of a command is hunted" 0 deadheat ./ok
check_output "and its options are its own" "verdict: clean" deadheat ./ok --store x

check_output "an unknown variable" "DEADHEAT_SPEED means nothing" env DEADHEAT_SPEED=1 deadheat detect --store s ./ok
check_output "an unknown variable, hint" "did you mean DEADHEAT_CC?" env DEADHEAT_CX=1 deadheat detect --store s ./ok
check "quiet is quiet" sh -c "[ -z \"\$(DEADHEAT_SPEED=1 deadheat detect -q --store s ./ok 2>&1)\" ]"
check_output "a full disk under stdout" "cannot write the output" sh -c "deadheat --help >/dev/full"
check_status "... is a failure" 1 sh -c "deadheat --help >/dev/full"

# -h of each command: names every option it accepts, and only lower-case one-line explanations.
for command in $(deadheat --help | sed -n '/^Commands:/,/^$/s/^  \([a-z+-]*\) .*/\1/p'); do
	check_status "help $command" 0 deadheat help "$command"
	check_output "help $command names itself" "usage: deadheat $command" deadheat help "$command"
	case $command in cc | c++) continue ;; esac
	check_status "$command --help" 0 deadheat "$command" --help
	check "$command: -h and help are the same" sh -c "deadheat $command -h >a; deadheat help $command >b; cmp a b"
	for option in $(deadheat help "$command" | sed -n 's/^  ..[ ,] --\([a-z-]*\).*/\1/p'); do
		[ "$option" = help ] && continue
		check_fails "$command --$option is known" sh -c "deadheat $command --$option= 2>&1 | grep -q 'unknown option'"
	done
done
done_testing
