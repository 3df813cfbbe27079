# -h, the man pages and the completion come from one table: every option is in all three.
. "$(dirname "$0")/../tap.sh"
cd "$tmp" || exit 1
commands=$(deadheat --help | sed -n '/^Commands:/,/^$/s/^  \([a-z+-]*\) .*/\1/p')
deadheat help --completion >completion
check "the completion is a shell script" bash -n completion
check "the overview is scdoc" sh -c "deadheat help --man | scdoc >overview"
deadheat help --completion zsh >completion.zsh
check "the zsh completion is a zsh script" zsh -n completion.zsh
check_status "no such shell" 2 deadheat help --completion fish
zsh_words() { # word... -> what zsh would be told; compsys replaced by printing
	zsh -f -c '_arguments() { print -l -- "$@" }; _describe() { print -l -- ${(P)2} }; _files() { }; _normal() { }
		words=("$@"); CURRENT=$#; . ./completion.zsh' - "$@"
}
complete_words() { # word... -> what bash would offer
	bash -c '. ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _deadheat; echo " ${COMPREPLY[*]} "' - "$@"
}
zsh_words deadheat '' >zsh.commands
for command in $commands; do
	check "$command is in the overview" grep -q "^${command}\|\\\\fB$command" overview
	case $(complete_words deadheat '') in *" $command "*) true ;; *) false ;; esac
	tap_result $? "$command is completed"
	check "$command is completed by zsh" sh -c "grep -q '^$command:' zsh.commands"
	case $command in c++) continue ;; esac
	check "$command: its page is scdoc" sh -c "deadheat help --man '$command' >page && scdoc <page"
	case $command in cc) continue ;; esac
	offered=$(complete_words deadheat "$command" -)
	zsh_words deadheat "$command" - >zsh.options
	for option in $(deadheat help "$command" | sed -n 's/^  ..[ ,] --\([a-z-]*\).*/\1/p'); do
		[ "$option" = help ] || check "$command --$option is in the page" grep -q -- "^.*\*--$option\*" page
		case $offered in *" --$option "*) true ;; *) false ;; esac
		tap_result $? "$command --$option is completed"
		check "$command --$option is completed by zsh" grep -qE -- "^(\\([^)]*\\))?--$option=?\\[" zsh.options
	done
done
zsh_words deadheat detect - >zsh.detect
case $(complete_words deadheat detect --rule hy) in *" hybrid "*) true ;; *) false ;; esac
tap_result $? "the words of a choice are completed"
check "the words of a choice are completed by zsh" sh -c "grep -q 'RULE:(hybrid hb)' zsh.detect"
check "make install puts pages and completion" sh -c \
	"make -C '$TOP' -s install DESTDIR='$tmp/root' PREFIX=/usr && [ -s root/usr/share/man/man1/deadheat-detect.1 ] &&
	 [ -s root/usr/share/bash-completion/completions/deadheat ] && [ -s root/usr/share/zsh/vendor-completions/_deadheat ] &&
	 [ -s root/usr/share/man/man1/deadheat-gdb-init.1 ]"
echo 'int main(void) { return 0; }' >m.c
check "the installed wrapper works" sh -c "root/usr/bin/deadheat-cc m.c -o m && ./m && readelf -d m | grep -q '$tmp/root/usr/lib/deadheat/nop'"
check_status "the installed deadheat works" 0 root/usr/bin/deadheat detect ./m
for command in '' $commands; do
	check "help $command keeps to 80 columns" sh -c "! deadheat help $command | grep -E '^.{81,}'"
done
done_testing
