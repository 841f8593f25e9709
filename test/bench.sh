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
