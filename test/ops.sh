#!/bin/sh
# Every operator of kernels/ in every variant at many short shapes (test/ops.list), values compared and all mistakes looked for.
# Prints what failed and a count; exit status 1 when anything did, or when a launch file has too few shapes.
# Usage: test/ops.sh [PATTERN]; OPS_COMMAND=run: values alone; a sweep: OPS_MORE=20 times the random shapes, large ones too,
# from OPS_SEED.
cd "$(dirname "$0")/.." || exit 2
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
least=20
awk -v more="${OPS_MORE:-1}" -v wide="${OPS_MORE:-}" -v seed="${OPS_SEED:-8}" -f test/ops.awk test/ops.list >"$out/runs" || exit 2
# a variant is a launch file with what its group sets; its shapes are told apart without the number of blocks
awk -v least=$least '/^[^#\t]/ { for (i = 1; i <= NF; i++) { gsub(",", " ", $i); print } }' test/ops.list | tr ' ' '\n' >/dev/null
for f in kernels/*/*.cfg; do
	n=$(sed 's/ blocks=[0-9]*$//' "$out/runs" | grep "^${f#kernels/} " | sort -u | wc -l)
	[ "$n" -ge $least ] || echo "FAILED: $f has $n shapes in test/ops.list, $least are asked for"
done >"$out/all"
grep -- "${1:-.}" "$out/runs" | OUT=$out xargs -P "$(nproc)" -I{} sh -c '
	set -- $1; cfg=$1; shift; args=; for s in "$@"; do args="$args --set $s"; done
	log=$OUT/$$
	build/vinci ${OPS_COMMAND:-check} kernels/$cfg $args --quiet >"$log" 2>&1 && echo "ok $cfg $*" || { echo "FAILED $cfg $*"; grep -h -e DIFFERS -e rror: -e finding "$log" || tail -5 "$log"; }
	rm "$log"
' sh {} >>"$out/all"
grep -v '^ok' "$out/all"
printf 'operators: %d of %d runs right\n' "$(grep -c '^ok' "$out/all")" "$(grep -c -e '^ok' -e '^FAILED' "$out/all")"
! grep -q '^FAILED' "$out/all"
