# Stores that cannot be used: one clear line, and what detect found is printed anyway.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cat >race.c <<'X'
#include <pthread.h>
int shared;
static void *add(void *x) { shared++; return x; }
int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); add(0); pthread_join(t, 0); return 0; }
X
deadheat-cc race.c -o race
found="suspected pair: add / add on shared"
deadheat detect -q ./race >/dev/null
one_line() { "$@" 2>.o >/dev/null; [ "$(wc -l <.o)" = 1 ] || { cat .o; return 1; }; }
refused() { deadheat detect --store "$1" ./race >.o 2>&1; [ $? = 1 ] || [ $? = 3 ]; }

for command in list report 'show x'; do
	check_fails "$command: no store" deadheat $command --store nosuch
	check_output "$command: no store, says so" nosuch deadheat $command --store nosuch
	check "$command: in one line" one_line deadheat $command --store nosuch
done
check "no store was made by looking" [ ! -e nosuch ]

: >file
check_fails "a file instead of a folder" deadheat detect --store file ./race
check_output "the findings are printed anyway" "$found" deadheat detect --store file ./race
check_output "and the line names it" "file" deadheat detect --store file ./race
check_fails "where nothing can be made" deadheat detect --store /proc/x/y ./race
check_output "the findings are printed anyway" "$found" deadheat detect --store /proc/x/y ./race

cp -r .deadheat newer
printf '\000\000\000\143' | dd of=newer/store.db bs=1 seek=60 conv=notrunc 2>/dev/null # SQLite's user_version
check_status "a store of a newer version" 3 deadheat list --store newer
check_output "it says what to do" "is of version 99" deadheat list --store newer
check "in one line" one_line deadheat report --store newer
check_status "detect: status 3 too" 3 deadheat detect --store newer ./race
check_output "but prints what it found" "$found" deadheat detect --store newer ./race
mkdir broken && echo 'this is no database, it is text that is long enough to be looked at' >broken/store.db
check_fails "a store that is no database" deadheat list --store broken
check "in one line" one_line deadheat list --store broken
check_output "detect prints anyway" "$found" deadheat detect --store broken ./race

if [ "$(id -u)" = 0 ] && su -s /bin/sh nobody -c "deadheat --version" >/dev/null 2>&1; then
	chmod 755 . && mkdir ro && cp race ro && chmod 555 ro
	nobody() { su -s /bin/sh nobody -c "cd $tmp/ro && PATH='$PATH' deadheat detect ./race"; }
	check_fails "a read-only folder" nobody
	check_output "a read-only folder: says so" ".deadheat" nobody
	check_output "a read-only folder: prints anyway" "$found" nobody
fi
if unshare -m true 2>/dev/null; then
	mkdir small
	full() {
		unshare -m sh -c "mount -t tmpfs -o size=64k none small && head -c 200000 /dev/zero >small/fill 2>/dev/null;
			deadheat detect --store small/s ./race"
	}
	check_fails "a full disk" full
	check_output "a full disk: says so" "small/s" full
	check_output "a full disk: prints anyway" "$found" full
	later() { # what is done on a disk that became full
		unshare -m sh -c "mount -t tmpfs -o size=400k none small && deadheat detect --quiet --runs 1 --store small/s ./race >/dev/null &&
			head -c 600000 /dev/zero >small/fill 2>/dev/null; $1"
	}
	check_output "a disk that became full: what was found can be read" suspected later "deadheat list --store small/s"
	check_output "... and nothing is written" "disk full" later "deadheat confirm --trials 2 --store small/s -- ./race"
fi
done_testing
