#!/bin/sh
# test/fuzz.sh SECONDS TARGET...: each target for SECONDS from its committed seeds, two at a time; a crash is kept in
# build/fuzz/crash-TARGET-* and belongs into test/fuzz/crashes/TARGET once mended.
set -u
cd "$(dirname "$0")/.." || exit 2
seconds=$1
shift
# the chips as they are now, includes written out: a config lacks no key
flatten() {
	awk -v dir="$(dirname "$1")" '/@include/ { match($0, /"[^"]*"/); f = dir "/" substr($0, RSTART + 1, RLENGTH - 2)
		while ((getline line < f) > 0) print line
		close(f); next } { print }' "$1"
}
one() {
	target=$1
	mkdir -p "build/fuzz/corpus/$target"
	[ "$target" != config ] || for f in configs/*.cfg; do
		flatten "$f" >build/fuzz/corpus/config/"$(basename "$f")"
	done
	[ -d "test/fuzz/crashes/$target" ] && for f in test/fuzz/crashes/"$target"/*; do
		[ -f "$f" ] || continue
		build/fuzz/"$target" "$f" >build/fuzz/"$target".log 2>&1 || { echo "$target: kept case $f fails"; return 1; }
	done
	# one seed, so that what one run finds the next finds too
	if build/fuzz/"$target" -seed=1 -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
		-artifact_prefix=build/fuzz/crash-"$target"- build/fuzz/corpus/"$target" test/fuzz/seeds/"$target" \
		>build/fuzz/"$target".log 2>&1; then
		echo "$target: $(grep -a '^Done' build/fuzz/"$target".log)"
	else
		tail -n 25 build/fuzz/"$target".log
		echo "$target: FAILED"
		return 1
	fi
}
status=0
pids=
for t in "$@"; do
	one "$t" &
	pids="$pids $!"
	# two at a time
	set -- $pids
	if [ $# -ge 2 ]; then
		wait "$1" || status=1
		shift
		pids="$*"
	fi
done
for p in $pids; do wait "$p" || status=1; done
exit $status
