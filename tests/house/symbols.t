# What a runtime exports and what it takes from libc (symbols.def, interposed.def, libc-allowed).
. "$(dirname "$0")/../tap.sh"
LIB=$TOP/build/lib/deadheat
RT=$TOP/src/rt

listed() { # kinds: BOTH or BOTH|SCHED
	sed -nE "s/^SYMBOL\(([A-Za-z0-9_]+), ($1)\).*/\1/p" "$RT/abi/symbols.def" "$RT/abi/interposed.def" | sort
}
exported() { nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//' | sort -u; }
taken() { nm -D --undefined-only "$1" | awk '{ print $NF }' | sed 's/@.*//' | sort -u; }
allowed() { sed 's/#.*//; /^[[:space:]]*$/d' "$RT/libc-allowed" | sort -u; }
# Nothing on the left that is not on the right.
within() { comm -23 "$1" "$2" >"$tmp/beyond"; cat "$tmp/beyond"; [ ! -s "$tmp/beyond" ]; }
once() { [ -z "$(uniq -d "$1")" ]; }
prefix() { # hidden symbols too: nothing of ours is named like libc's by accident
	! nm --defined-only "$1" | awk '$2 ~ /[TDBR]/ { print $3 }' | grep -E '^(mem|str|print|malloc)' | grep -vxF -f "$tmp/listed"
}

# Code that counts on its registers calls the very same entries by their second names.
same_entries() {
	nm -D --defined-only "$1" | awk '{ at[$3] = $1 } END { for (n in at) if (n ~ /_kept$/) { k = n; sub(/_kept$/, "", k); count++; if (at[k] != at[n]) bad = 1 } exit bad || !count }'
}

allowed >"$tmp/allowed"
for runtime in nop detect sched explore; do
	file=$LIB/$runtime/libdeadheat_rt.so
	case $runtime in nop | detect) kinds=BOTH ;; *) kinds='BOTH|SCHED' ;; esac
	listed "$kinds" >"$tmp/listed"
	exported "$file" >"$tmp/exported"
	taken "$file" >"$tmp/taken"
	check "$runtime: every name is listed once" once "$tmp/listed"
	check "$runtime: exports all that is listed" within "$tmp/listed" "$tmp/exported"
	check "$runtime: exports nothing else" within "$tmp/exported" "$tmp/listed"
	check "$runtime: takes from libc only what libc-allowed names" within "$tmp/taken" "$tmp/allowed"
	check "$runtime: no global name of ours looks like libc's" prefix "$file"
	check "$runtime: X_kept is X" same_entries "$file"
	check "$runtime: needs libc and nothing else" \
		sh -c "[ \"\$(readelf -d '$file' | grep NEEDED | grep -vc 'libc.so.6')\" = 0 ]"
	check "$runtime: has one soname" sh -c "readelf -d '$file' | grep -q 'SONAME.*\[libdeadheat_rt.so\]'"
	check "$runtime: answers to libtsan.so.2" test "$LIB/$runtime/libtsan.so.2" -ef "$file"
	check "$runtime: no text relocations, no executable stack" \
		sh -c "! readelf -dW '$file' | grep -q TEXTREL && readelf -lW '$file' | grep GNU_STACK | grep -vq RWE"
done

# A miss of detect saves general registers only (src/rt/preserve.c): what it can reach must not use others, and
# of libc only the loader is called, through rt_preserve_vectors (the rest is for the start and the end).
general() { for o in "$TOP"/build/rt/*.o "$TOP"/build/rt/detect/*.o "$TOP/build/rt/abi/meant.o"; do case $o in */real.o) ;; *) echo "$o" ;; esac; done; }
no_vectors() { ! general | xargs -n 1 objdump -d --no-show-raw-insn | grep -E "%[xyz]mm"; }
no_libc() {
	general | xargs nm --undefined-only | awk 'NF == 2 { print $2 }' | sort -u >"$tmp/wanted"
	comm -12 "$tmp/wanted" "$tmp/allowed" | grep -vxE "dl_iterate_phdr|environ|on_exit" >"$tmp/libc"
	! grep . "$tmp/libc"
}
check "detect: a miss uses no vector register" no_vectors
check "detect: a miss calls nothing of libc that might" no_libc
done_testing
