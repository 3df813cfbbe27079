# Which folder may include which (DESIGN 3): arrows point down, only cli/ knows more than one stage.
. "$(dirname "$0")/../tap.sh"

# Every #include "..." under src/, as FOLDER INCLUDED FILE; FOLDER is the first part after src/.
(cd "$TOP/src" && grep -rn --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' . |
	sed -E 's|^\./([a-z]+)/([^:]*):[0-9]+:[^"]*"([^"]*)".*|\1 \3 \1/\2|') >"$tmp/includes"

# may FOLDER PATTERN: all includes of the folder match the pattern (extended regular expression).
may() {
	awk -v folder="$1" -v pattern="^($2)\$" '$1 == folder && $2 !~ pattern { print $3 ": " $2; bad = 1 } END { exit bad }' \
		"$tmp/includes"
}
# The system headers of a library stay in the folders that own it.
only_in() { # header folder
	! (cd "$TOP/src" && grep -rlE --include='*.[ch]' "^#[[:space:]]*include <$1" . | grep -v "^\./$2/")
}
own_internal() { # x/internal.h is for x/ itself
	awk '$2 ~ /internal\.h$/ { dir = $2; sub(/[^\/]*$/, "", dir); if (index($3, dir) != 1) { print $3 ": " $2; bad = 1 } } END { exit bad }' \
		"$tmp/includes"
}
has_includes() { [ "$(wc -l <"$tmp/includes")" -gt 100 ]; }

check "the includes are found at all" has_includes
check "base knows nothing of races" may base 'base/.*'
check "race includes nobody" may race 'race/.*'
check "wire: only words and base" may wire '(wire|race|base)/.*'
check "sym: base, race" may sym '(sym|base|race)/.*'
check "store: base, race" may store '(store|base|race)/.*'
check "find: a sink, not the store" may find '(find|base|race|sym|wire)/.*'
check "confirm: base, race, sym, wire, store and the start of targets" \
	may confirm '(confirm|base|race|sym|wire|store)/.*|find/(find|target|describe)\.h|find/plain/plain\.h'
check "report: base, race, store, sym and the schedule's format" \
	may report '(report|base|race|store|sym)/.*|wire/(plan|schedule|wire)\.h'
check "rt: race and the border, nothing of the host" \
	may rt 'rt/.*|race/.*|wire/(wire|event|plan|schedule|trace|trap)\.h|deadheat\.h'
check "an internal.h stays in its folder" own_internal
check "SQL only in store" only_in "(sqlite3|libpq)" store
check "DWARF only in sym" only_in '(dwarf|elfutils/)' sym
check "LLVM only in find/scan" only_in llvm-c find/scan
done_testing
