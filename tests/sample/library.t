# The preloaded library: what it stands in for, and what it takes from libc.
. "$(dirname "$0")/../tap.sh"
RT=$TOP/src/rt
file=$TOP/build/lib/deadheat/trace/libdeadheat_trace.so
within() { comm -23 "$1" "$2" >"$tmp/beyond"; cat "$tmp/beyond"; [ ! -s "$tmp/beyond" ]; }
sed -nE 's/^SYMBOL\(([A-Za-z0-9_]+), (SYNC|ALLOC|LIFE|SIGNAL|OWN)\).*/\1/p' "$RT/trace/interposed.def" | sort >"$tmp/listed"
# Old names of the same functions, the notes of deadheat.h, the two doors of --pid.
nm -D --defined-only "$file" | awk '{ print $3 }' | sed 's/@.*//' | grep -vE '^(__pthread_(mutex|rwlock)_|mmap64$|deadheat_)' | sort -u >"$tmp/exported"
nm -D --undefined-only "$file" | awk '{ print $NF }' | sed 's/@.*//' | sort -u >"$tmp/taken"
sed 's/#.*//; /^[[:space:]]*$/d' "$RT/libc-allowed" | sort -u >"$tmp/allowed"
check "exports all that is listed" within "$tmp/listed" "$tmp/exported"
check "exports nothing else" within "$tmp/exported" "$tmp/listed"
check "takes from libc only what libc-allowed names" within "$tmp/taken" "$tmp/allowed"
check "needs libc and nothing else" sh -c "[ \"\$(readelf -d '$file' | grep NEEDED | grep -vc 'libc.so.6')\" = 0 ]"
check "no text relocations, no executable stack" sh -c "! readelf -dW '$file' | grep -q TEXTREL && readelf -lW '$file' | grep GNU_STACK | grep -vq RWE"
check "its thread-local storage fits what dlopen has left" sh -c "n=\$(readelf -lW '$file' | awk '\$1 == \"TLS\" { print \$6 }'); [ \$((n)) -le 256 ]"
noted() { nm -D --defined-only "$file" | awk '{ print $3 }'; }
sed -nE 's/^void (deadheat_[a-z_]+)\(.*/\1/p' "$TOP/include/deadheat.h" | sort >"$tmp/notes"
noted | sort >"$tmp/all"
check "hears all of deadheat.h" within "$tmp/notes" "$tmp/all"
# A lock and an unlock with nobody asking cost no more than the real ones' call: dlopen stays the caller's.
check "dlopen jumps on, its caller's address is kept" sh -c "objdump -d --no-show-raw-insn '$file' | awk '/<dlopen>:/,/^\$/' | grep -q 'jmp '"
for program in "ls /" "git --version" "perl -e 'print 1'" "gdb --version" "make --version"; do
	same() { LD_PRELOAD=$file sh -c "$program" >"$tmp/got" 2>&1; sh -c "$program" >"$tmp/want" 2>&1; cmp "$tmp/got" "$tmp/want"; }
	check "preloaded and asked nothing, $program says what it says" same
done
done_testing
