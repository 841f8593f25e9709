#!/bin/sh
# Every operator of kernels/ in every variant at many short shapes (test/ops.list), values compared and all mistakes looked for.
# Prints what failed and a count; exit status 1 when anything did, or when a launch file has less than 20 shapes.
# Usage: test/ops.sh [PATTERN]; OPS_COMMAND=run: values alone; a sweep: OPS_MORE=20 times the random shapes, large ones too,
# from OPS_SEED.
cd "$(dirname "$0")/.." || exit 2
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
awk -v more="${OPS_MORE:-1}" -v wide="${OPS_MORE:-}" -v seed="${OPS_SEED:-8}" -v least=20 -f test/ops.awk test/ops.list >"$out/runs" || exit 1
for f in kernels/*/*.cfg; do
	grep -q "^${f#kernels/} " "$out/runs" || { echo "FAILED: $f is not in test/ops.list"; exit 1; }
done
# the chips that kernels/README.md claims are those of the runs; a launch file without `chip` among its settings names its own
sed 's/ blocks=.*//' "$out/runs" | awk '{ cfg = $1; sub("/.*", "", $1); chip = "own:" cfg
	for (i = 2; i <= NF; i++) if ($i ~ /^chip=/) chip = substr($i, 6); print $1, chip }' | sort -u | while read -r folder chip; do
	case $chip in own:*) chip=$(sed -n 's/^chip = "\(.*\)";/\1/p' "kernels/${chip#own:}") ;; esac
	echo "$folder $chip"
done | sed 's/ascend910b1/910B/; s/ascend910/910/; s/ascend310p/310P/' | sort -u >"$out/ran"
awk -F'|' '/^\| \[/ && !/train_cnn/ { n = split($2, part, "["); for (i = 2; i <= n; i++) { sub("].*", "", part[i])
	m = split($4, chip, ","); for (k = 1; k <= m; k++) { split(chip[k], word, " "); print part[i], word[1] } } }' kernels/README.md | sort -u >"$out/claimed"
cmp -s "$out/ran" "$out/claimed" || { echo "FAILED: kernels/README.md claims other chips (>) than ran (<)"; diff "$out/ran" "$out/claimed"; exit 1; }
grep -- "${1:-.}" "$out/runs" | OUT=$out xargs -P "$(nproc)" -I{} sh -c '
	set -- $1; cfg=$1; shift; args=; for s in "$@"; do args="$args --set $s"; done
	log=$OUT/$$
	build/vinci ${OPS_COMMAND:-check} kernels/$cfg $args --quiet >"$log" 2>&1 && echo "ok $cfg $*" || { echo "FAILED $cfg $*"; grep -h -e DIFFERS -e rror: -e "check \[" -e "kernel \[" "$log" || tail -5 "$log"; }
	rm "$log"
' sh {} >"$out/all"
grep -v '^ok' "$out/all"
printf 'operators: %d of %d runs right\n' "$(grep -c '^ok' "$out/all")" "$(grep -c -e '^ok' -e '^FAILED' "$out/all")"
! grep -q '^FAILED' "$out/all"
