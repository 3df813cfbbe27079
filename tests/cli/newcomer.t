# The path of somebody new: clone, make run, copy a replay line that was printed, and it replays.
# A fresh clone, an empty HOME, nothing in the environment. To save a minute the objects built
# already are taken over where the source is the same (make decides, by the files' times); LONG=1
# builds everything anew.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
mkdir home
new() { env -i HOME="$tmp/home" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

# As committed, with what is changed here; of a tree without git, what git would have taken: everything but build/ and stores.
clone() {
	if git -c safe.directory="*" clone -q "$TOP" deadheat 2>/dev/null; then
		(cd "$TOP" && git diff --name-only --diff-filter=d HEAD) | while read -r file; do cp -p "$TOP/$file" "deadheat/$file"; done
		return
	fi
	mkdir deadheat && (cd "$TOP" && tar --exclude=./build --exclude=.deadheat -cf - .) | tar -C deadheat -xf -
}
take_over() { # files that are the same get the same time, so that the objects are up to date
	(cd deadheat && find . -type f ! -path './.git/*') | while read -r file; do
		cmp -s "$TOP/$file" "deadheat/$file" && touch -r "$TOP/$file" "deadheat/$file"
	done
	mkdir -p deadheat/build
	for part in bin lib host rt .packages .packages-test; do
		[ ! -e "$TOP/build/$part" ] || cp -a "$TOP/build/$part" deadheat/build/
	done
	[ -e deadheat/build/.packages ] || cp -a "$TOP/build/.packages-test" deadheat/build/.packages
}
check "clone" clone
[ -n "$LONG" ] || take_over
cd deadheat || exit 1
check "no build was cloned" sh -c '! git ls-files 2>/dev/null | grep -q "^build/"'
git status --porcelain >../before 2>&1
new make run >../out 2>../err
status=$?
[ $status = 0 ] || sed 's/^/# /' ../err | tail -n 20
check "make run" [ $status = 0 ]
check "it prints races" grep -q '^data race: ' ../out
check "and the verdict" grep -q '^verdict: racy: ' ../out
check "no line is wider than 80 columns" sh -c "! grep -vE '^  repeat it: ' ../out | grep -E '^.{81,}'"
check "no colours where there is no terminal" sh -c "! grep -q \"\$(printf '\\033')\" ../out ../err"
awk '/^```/ { inside = !inside; next } inside && /^     [> ] +[0-9]+ [|] |^data race: |^  hint: /' README.md >../quoted
check "the report in the README is one of these" sh -c "[ \$(wc -l <../quoted) -gt 5 ] && ! grep -vxFf ../out ../quoted"
sed -n 's/^ *repeat it: //p' ../out >../lines
races=$(grep -c '^data race: ' ../out)
check "every race has its line to copy" [ "$(wc -l <../lines)" -ge "$races" ]
first=$(head -n 1 ../lines)
check_output "the first line, as it stands" " repeated: " new sh -c "$first"
failed=0
while read -r line; do
	new sh -c "$line" >../replayed 2>&1 </dev/null || { failed=$((failed + 1)); echo "# $line"; sed 's/^/# /' ../replayed; }
done <../lines
check "each of them replays" [ $failed = 0 ]
check "HOME is left alone" sh -c "[ -z \"\$(ls -A $tmp/home)\" ]"
check "and so is the clone" sh -c "git status --porcelain 2>&1 | cmp - ../before"
done_testing
