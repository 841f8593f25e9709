#!/bin/sh
# Every operator of kernels/ at short sizes with values checked: test/ops.list, a launch file and its settings a line.
# Two at a time. Prints what failed and a count; exit status 1 when anything did. Usage: test/ops.sh [PATTERN]
cd "$(dirname "$0")/.." || exit 2
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
grep -v '^#' test/ops.list | grep -- "${1:-.}" | OUT=$out xargs -P "$(nproc)" -I{} sh -c '
	set -- $1; cfg=$1; shift; args=; for s in "$@"; do args="$args --set $s"; done
	log=$OUT/$$
	build/vinci run kernels/$cfg $args >"$log" 2>&1 && echo "ok $cfg $*" || { echo "FAILED $cfg $*"; grep -h -e DIFFERS -e error -e rror: "$log" || tail -5 "$log"; }
' sh {} >"$out/all"
grep -v '^ok' "$out/all"
printf 'operators: %d of %d runs right\n' "$(grep -c '^ok' "$out/all")" "$(grep -c -e '^ok' -e '^FAILED' "$out/all")"
! grep -q '^FAILED' "$out/all"
