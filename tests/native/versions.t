#!/bin/sh
# A program linked to libtsan has references without a version to every name libtsan defines.
# Where libc has several versions that differ, the reference would get the oldest: the runtime
# must define all of them.
. "$(dirname "$0")/../tap.sh"
libc=$(gcc -print-file-name=libc.so.6)
libtsan=$(gcc -print-file-name=libtsan.so)
readelf --dyn-syms -W "$libc" | awk '$7 != "UND" && $4 != "OBJECT" {
	split($8, a, "@"); if (a[1] in at && at[a[1]] != $2) differ[a[1]] = 1; at[a[1]] = $2 }
	END { for (name in differ) print name }' | sort >"$tmp/differ"
nm -D --defined-only "$libtsan" | awk '{ sub("@.*", "", $3); print $3 }' | sort -u >"$tmp/tsan"
comm -12 "$tmp/differ" "$tmp/tsan" >"$tmp/needed"
check "there are such names" test -s "$tmp/needed"
check "pthread_cond_wait is one" grep -qx pthread_cond_wait "$tmp/needed"
for runtime in nop detect sched explore; do
	lib=$TOP/build/lib/deadheat/$runtime/libdeadheat_rt.so
	[ -f "$lib" ] || continue
	nm -D --defined-only "$lib" | awk '{ print $3 }' | sort -u >"$tmp/ours"
	missing=$(comm -23 "$tmp/needed" "$tmp/ours" | tr '\n' ' ')
	check "$runtime defines them all (missing: $missing)" test -z "$missing"
done
done_testing
