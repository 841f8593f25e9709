#!/bin/sh
# Determinism: gcc and clang, -O0 and -O2 give the same report and the same output bytes.
set -u
cd "$(dirname "$0")/.." || exit 2
jobs=$(nproc) bad=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make -s -j"$jobs" MODE=dbg build/dbg/vinci || exit 1
make -s -j"$jobs" MODE=clang2 CC=clang-19 CFLAGS_clang2="-O2 -g" build/clang2/vinci || exit 1
make -s -j"$jobs" MODE=clang0 CC=clang-19 CFLAGS_clang0="-O0 -g" build/clang0/vinci || exit 1
for case in "kernels/add c=z n=1234" "kernels/softmax c=y rows=37" "kernels/matmul c=c M=200" "kernels/matmul_bias_relu c=c M=70"; do
	set -- $case
	out=${2#c=}
	for mode in rel dbg clang2 clang0; do
		VINCI_HOME=$PWD build/$mode/vinci run "$1" --quiet --set "$3" --set "$out.out=$tmp/$mode.bin" >"$tmp/$mode.txt" 2>&1 ||
			{ echo "$mode: $1 fails"; head -n 3 "$tmp/$mode.txt"; bad=1; }
		cmp -s "$tmp/rel.txt" "$tmp/$mode.txt" || { echo "$mode: report of $1 differs"; diff "$tmp/rel.txt" "$tmp/$mode.txt" | head -n 5; bad=1; }
		cmp -s "$tmp/rel.bin" "$tmp/$mode.bin" || { echo "$mode: bytes of $1 differ"; bad=1; }
	done
done
exit $bad
