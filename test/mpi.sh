#!/bin/sh
# vinci tune under mpirun: the table of a search without it, also when a rank is killed in the middle. Without Open MPI
# nothing is tested, and that is said.
cd "$(dirname "$0")/.." || exit 2
if [ ! -x build/rel/vinci-mpi ] || ! command -v mpirun >/dev/null; then
	echo "mpi: NOT TESTED: Vinci was built without Open MPI (Debian: libopenmpi-dev, openmpi-bin)"
	exit 0
fi
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
fail() { echo "mpi: $*"; exit 1; }
run="--oversubscribe --enable-recovery -np 3"
[ "$(id -u)" = 0 ] && run="--allow-run-as-root $run"
search="build/vinci tune kernels/matmul --shape M=64,N=200,K=128 --search random --budget 24 --quiet"
$search --jobs 1 --results "$d/a" --csv "$d/a.csv" >"$d/a.txt" 2>"$d/a.err" || fail "without mpirun: $(cat "$d/a.err")"

mpirun $run $search --results "$d/b" --csv "$d/b.csv" >"$d/b.txt" 2>"$d/b.err" || fail "under mpirun: $(cat "$d/b.err")"
cmp "$d/a.txt" "$d/b.txt" && cmp "$d/a.csv" "$d/b.csv" || fail "three ranks end with another table"

# a rank that is killed once results come
mpirun $run $search --results "$d/c" --csv "$d/c.csv" >"$d/c.txt" 2>"$d/c.err" &
job=$! i=0
until [ "$(wc -l 2>/dev/null <"$d/c")" -ge 6 ] 2>/dev/null || [ $i -ge 600 ]; do
	i=$((i + 1))
	sleep 0.05
done
killed=
for p in $(pgrep -P $job); do
	tr '\0' '\n' <"/proc/$p/environ" 2>/dev/null | grep -qx OMPI_COMM_WORLD_RANK=1 && kill -9 "$p" && killed=$p
done
[ -n "$killed" ] || fail "rank 1 is not there"
wait $job || fail "mpirun with a killed rank: exit status $?: $(cat "$d/c.err")"
grep -q "a rank is lost" "$d/c.err" || fail "the lost rank is not told"
cmp "$d/a.txt" "$d/c.txt" && cmp "$d/a.csv" "$d/c.csv" || fail "a killed rank changes the table"

# wrong input ends all ranks
mpirun $run $search --results "$d/e" --set nosuch=1 >/dev/null 2>"$d/e.err" # whose exit status is 0 with --enable-recovery
grep -q "nosuch" "$d/e.err" || fail "a wrong --set is not told"
echo "mpi: three ranks, one killed, the same table"
