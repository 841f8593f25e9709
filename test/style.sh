#!/bin/sh
# Style as a test: ASCII, width, tabs, purpose line, file length, no bare exits in sim/.
set -u
cd "$(dirname "$0")/.." || exit 2
bad=0
say() { echo "$1"; bad=1; }
files=$(git ls-files '*.c' '*.h' '*.def')
for f in $files; do
	n=$(wc -l <"$f")
	[ "$n" -le 800 ] || say "$f: $n lines, 800 at most"
	LC_ALL=C grep -nP '[^\x00-\x7f]' "$f" /dev/null | head -n 2 | grep . && say "$f: not ASCII"
	grep -nP '[ \t]+$' "$f" /dev/null | head -n 2 | grep . && say "$f: trailing space"
	# a table has its rows on one line each
	case $f in *.def) ;; *) expand -t 8 "$f" | awk -v f="$f" 'length > 130 { print f ":" NR ": " length " columns"; e = 1 } END { exit e }' || bad=1 ;; esac
	head -n 1 "$f" | grep -q '^/[*/]' || say "$f: no purpose comment at the top"
done
for f in $(git ls-files 'sim/*.c' | grep -v 'sim/main.c'); do
	grep -nE '\b(abort|exit|_exit)\(' "$f" /dev/null | grep -v '_exit(127)\|forked' | grep . && say "$f: ends the process by itself"
done
grep -rnE '\b(expf?|logf?|powf?|sinf?|cosf?)\(' sim/*.c | grep -v num_ | grep . && say "libm in value code"
exit $bad
