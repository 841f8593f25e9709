#!/bin/sh
# Every option that `vinci COMMAND --help` names is in the manual page and in both shell completions; the page has no
# formatting errors and the completions no syntax errors. Options of mpirun before "vinci" are not ours.
set -u
cd "$(dirname "$0")/.." || exit 2
bad=0 n=0
say() { echo "$1"; bad=1; }
page=$(sed 's/\\-/-/g' sim/vinci.1)
for command in run report diff tune trace; do
	for option in $(build/vinci $command --help | sed "s/mpirun -.* vinci //" | grep -oE -e '--[a-z][a-z-]+' | sort -u); do
		n=$((n + 1))
		printf '%s' "$page" | grep -qF -- "$option" || say "sim/vinci.1 lacks $option of vinci $command"
		for file in sim/completion/vinci.bash sim/completion/_vinci; do
			grep -qF -- "$option" $file || say "$file lacks $option of vinci $command"
		done
	done
done
for command in $(build/vinci --help | awk '$1 == "vinci" && $2 ~ /^[a-z]+$/ { print $2 }'); do
	printf '%s' "$page" | grep -q "^.SS vinci $command" || say "sim/vinci.1 lacks vinci $command"
	grep -q "'$command:" sim/completion/_vinci || say "sim/completion/_vinci lacks $command"
	grep -qw "$command" sim/completion/vinci.bash || say "sim/completion/vinci.bash lacks $command"
done
bash -n sim/completion/vinci.bash || say "sim/completion/vinci.bash: syntax"
if command -v zsh >/dev/null; then zsh -n sim/completion/_vinci || say "sim/completion/_vinci: syntax"; fi
if command -v groff >/dev/null; then
	errors=$(groff -man -ww -z sim/vinci.1 2>&1)
	[ -z "$errors" ] || say "sim/vinci.1: $errors"
fi
# completion as bash does it
words=$(PATH="$PWD/build:$PATH" bash -c '. sim/completion/vinci.bash
	COMP_WORDS=(vinci report kernels/add --wh) COMP_CWORD=3; _vinci; echo "${COMPREPLY[@]}"
	COMP_WORDS=(vinci run kernels/add --chip ascend910b) COMP_CWORD=4; _vinci; echo "${COMPREPLY[@]}"')
case $words in *--what-if*ascend910b1*) ;; *) say "bash completion gives: $words" ;; esac
[ $n -gt 30 ] || say "only $n options found: the test is broken"
echo "$n options in the manual and the completions"
exit $bad
