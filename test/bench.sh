#!/bin/sh
# Timed numbers of this machine: unit benches, then the simulator as a whole. Printed, never tested.
set -u
cd "$(dirname "$0")/.." || exit 2
folder=$1
shift
for b in "$@"; do
	echo "== $b"
	"$folder/$b"
done
big="--set M=2048 --set N=2048 --set K=2048"
echo "== matmul 2048^3 with values"
/usr/bin/env time -f '%e s, %M KiB peak' build/vinci run kernels/matmul $big --no-check --json=build/bench.json >/dev/null
echo "== vinci tune, 200 candidates for matmul 2048^3 from a cold start, all cores"
rm -f build/bench-tune.txt
/usr/bin/env time -f '%e s, %U + %S s of processors' build/vinci tune kernels/matmul --shape M=2048,N=2048,K=2048 --search random \
	--budget 200 --quiet --results build/bench-tune.txt >/dev/null
echo "== matmul 2048^3, timing only"
/usr/bin/env time -f '%e s, %M KiB peak' build/vinci run kernels/matmul $big --timing-only --json=build/bench.json >/dev/null
# user times: what others do on this machine stays out of them
echo "== trace of ten million instructions (bar: 1.5 times the run without)"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
head -c 3145728 /dev/zero >"$tmp/in.bin"
timed() { # timed NAME ARGS: user seconds into $tmp/NAME
	name=$1
	shift
	/usr/bin/env time -o "$tmp/$name" -f '%U' build/vinci run test/bench/trace/stream.c --blocks 48 --in "$tmp/in.bin:f32:786432" \
		--out "$tmp/out.bin:f32:786432" --scalar u32:16000 --quiet --no-check "$@" --json="$tmp/json" >/dev/null
}
for kind in "" --check=none "--timing-only --check=none"; do
	timed off $kind
	timed on $kind --trace "$tmp/run.vtr"
	n=$(build/vinci trace "$tmp/run.vtr" --csv - | wc -l)
	awk -v off="$(cat "$tmp/off")" -v on="$(cat "$tmp/on")" -v n=$((n - 1)) -v size="$(wc -c <"$tmp/run.vtr")" -v kind="$kind" 'BEGIN {
		printf "%-26s %d instructions: %.2f s without, %.2f s with, %.2f times; %.2f bytes each\n", kind, n, off, on, on / off, size / n }'
done
