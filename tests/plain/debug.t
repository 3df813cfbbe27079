# Where the statements come from when the program itself has no debug information: a separate file by its link, by
# build-id, from debuginfod; and what is said where there is none.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
cat >count.c <<'C'
#include <pthread.h>
static struct { long pad; int n; } s;
static void *add(void *arg)
{
	s.n += 1; /* here */
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return s.n != 2;
}
C
gcc -O2 -g -pthread -Wl,--build-id -o whole count.c || exit 1
id=$(readelf -n whole | awk '/Build ID/ { print $3 }')
hunt() { rm -rf store; deadheat hunt --quiet --schedules 0 --trials 20 --store store "$@" >out 2>&1; cat out; }
here="count.c:$(grep -n 'here' count.c | cut -d: -f1)"
ids() { deadheat list -q --store store | awk '{ print $1 }' | sort; }

hunt ./whole >/dev/null; ids >whole.ids
check_output "in the program itself: the line" "$here" cat out

mkdir linked && cd linked || exit 1
objcopy --only-keep-debug ../whole count.debug && strip -o count ../whole && objcopy --add-gnu-debuglink=count.debug count || exit 1
check_output "by .gnu_debuglink: the line" "$here" hunt ./count
check "and the same ids" sh -c "deadheat list -q --store store | awk '{ print \$1 }' | sort | cmp - ../whole.ids"
check_status "a line can be named" 66 deadheat confirm -q --trials 20 --store named "$here,$here" -- ./count
sed 's|s.n += 1; .*|s.pad += 1; s.n += 2;|' ../count.c >other.c && gcc -O2 -g -pthread -Wl,--build-id -o other other.c && objcopy --only-keep-debug other count.debug || exit 1
check_output "one that is another file's is not believed" "count+0x" hunt ./count
rm count.debug
check_output "without it: module and offset" "count+0x" hunt ./count
check_output "and it is confirmed all the same" harmful cat out
check_status "a line cannot be named" 2 deadheat confirm -q --store none "$here,$here" -- ./count
cd ..

# debuginfod, from a folder: $DEBUGINFOD_URLS may name one.
mkdir -p server/buildid/$id cache && strip -o bare whole && objcopy --only-keep-debug whole server/buildid/$id/debuginfo || exit 1
asked() { DEBUGINFOD_URLS="file://$tmp/server" DEBUGINFOD_CACHE_PATH="$tmp/cache" hunt ./bare; }
if ldconfig -p | grep -q libdebuginfod; then
	check_output "from debuginfod: the line" "$here" asked
	check "and the same ids" sh -c "deadheat list -q --store store | awk '{ print \$1 }' | sort | cmp - whole.ids"
fi
check_output "nobody asked: module and offset" "bare+0x" env -u DEBUGINFOD_URLS sh -c "rm -rf store; deadheat hunt --quiet --schedules 0 --trials 20 --store store ./bare 2>&1"

# By build-id, where distributions put them.
if [ -w /usr/lib ] && mkdir -p "/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)" 2>/dev/null; then
	file=/usr/lib/debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug
	cp server/buildid/$id/debuginfo "$file"
	check_output "by build-id: the line" "$here" hunt ./bare
	rm -f "$file"; rmdir "$(dirname "$file")" /usr/lib/debug/.build-id /usr/lib/debug 2>/dev/null
fi
done_testing
