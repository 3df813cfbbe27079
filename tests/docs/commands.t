# What README and docs/ tell people to type exists: commands, options, files they name, links.
. "$(dirname "$0")/../tap.sh"
cd "$TOP" || exit 1
files=$(ls README.md docs/*.md 2>/dev/null)
commands=" $(deadheat --help | sed -n '/^Commands:/,/^$/s/^  \([a-z+-]*\) .*/\1/p' | tr '\n' ' ')help "
# Lines of ``` blocks without a language, and `deadheat ...` in the text; comments cut off.
lines() {
	awk '/^```/ { inside = !inside && $0 == "```"; next } inside' "$1" | sed 's/ #.*//' | grep -E '(^|[ ;&(])deadheat [a-z-]+' | grep -v '^ *deadheat:'
	grep -oE '`deadheat [a-z][a-z-]* [^`]*`' "$1" | tr -d '`'
}
for file in $files; do
	lines "$file" | grep -oE 'deadheat [a-z][a-z-]*( .*)?$' >"$tmp/lines"
	while read -r _ command words; do
		case $commands in *" $command "*) ;; *) continue ;; esac
		for option in $(echo "$words" | sed 's, -- .*,,; s, \./.*,,; s,^\./.*,,' | grep -oE '(^| )--[a-z][a-z-]*' | sort -u); do
			case "$command $option" in cc\ * | c++\ * | help\ *) continue ;; esac
			check "$file: $command $option" sh -c "deadheat help $command | grep -q -- ' $option\\b'"
		done
	done <"$tmp/lines"
	for link in $(grep -oE '\]\([a-z][a-zA-Z0-9/._-]*\.md' "$file" | cut -c3-); do
		check "$file: $link is there" test -e "$(dirname "$file")/$link"
	done
	for path in $(grep -oE '(examples|cmake|tests|packaging)/[a-zA-Z0-9/_-]+\.[a-z]+' "$file" | sort -u); do
		check "$file: $path is there" test -e "$path"
	done
done
check "something was looked at" [ "$tap_count" -gt 20 ]
done_testing
