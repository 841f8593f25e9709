#!/bin/sh
# vinci tune on a small space: killed at ten moments and resumed it ends with the table of an undisturbed run, byte for byte;
# a damaged results file costs its damaged end alone; a candidate with wrong values is never timed.
cd "$(dirname "$0")/.." || exit 2
d=$(mktemp -d) || exit 2
[ -n "$KEEP" ] && d=$KEEP && mkdir -p $d || trap 'rm -rf "$d"' EXIT
fail() { echo "tune: $*"; exit 1; }
cat >"$d/small.cfg" <<CFG
kernel = "$PWD/kernels/add/add.c";
entry = "add_f32";
params = { n = 100000; tile_bytes = 4096; blocks_used = 1; };
args = (
	{ name = "x"; kind = "in"; dtype = "f32"; shape = [ "n" ]; init = "uniform(-1, 1)"; },
	{ name = "y"; kind = "in"; dtype = "f32"; shape = [ "n" ]; init = "uniform(-1, 1)"; },
	{ name = "z"; kind = "out"; dtype = "f32"; shape = [ "n" ]; },
	{ name = "tiling"; kind = "tiling"; values = { n = "n"; tile_bytes = "tile_bytes"; }; }
);
golden = "$PWD/kernels/add/golden.c";
tolerance = { preset = "exact"; };
tune = {
	tile_bytes = { from = 1000; to = 31000; step = 1000; };
	blocks_used = [ 1, 2 ];
	constraint = [ "tile_bytes <= 30000" ];
	check = { n = 3001; };
};
CFG
tune() { build/vinci tune "$d/small.cfg" --shape n=100000 --shape n=20000 --search grid --quiet "$@" 2>/dev/null; }
tune --results "$d/a" --csv "$d/a.csv" >"$d/a.txt" || fail "an undisturbed run failed: $(tail -3 "$d/a.txt")"
grep -q 'refused' "$d/a.csv" || fail "a tile that is no multiple of 32 bytes was not refused by the kernel"
grep -q '"tile_bytes <= 30000"' "$d/a.csv" || fail "no candidate is rejected with its constraint"
for i in 1 2 3 4 5 6 7 8 9 10; do
	build/vinci tune "$d/small.cfg" --shape n=100000 --shape n=20000 --search grid --quiet --results "$d/b" >/dev/null 2>&1 & pid=$!
	sleep "0.0$i"
	kill -9 "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
done
build/vinci tune "$d/small.cfg" --search grid --budget 5 >"$d/grid.txt" 2>&1 && fail "a budget for a grid is taken without a word"
grep -q "a grid times every combination" "$d/grid.txt" || fail "a budget for a grid: $(cat "$d/grid.txt")"
printf 'n=20000\ttorn line' >>"$d/b"
tune --results "$d/b" --csv "$d/b.csv" >"$d/b.txt" || fail "a resumed run failed"
cmp "$d/a.txt" "$d/b.txt" || fail "a run that was killed ten times ends with another table"
cmp "$d/a.csv" "$d/b.csv" || fail "a run that was killed ten times ends with other results"
# killed while a line was written: whatever of it is there
size=$(stat -c %s "$d/a")
for short in 1 7 8 9 60 400; do
	head -c $((size - short)) "$d/a" >"$d/c"
	tune --results "$d/c" --csv "$d/c.csv" >"$d/c.txt" || fail "a run with $short bytes less failed"
	cmp "$d/a.txt" "$d/c.txt" && cmp "$d/a.csv" "$d/c.csv" || fail "a results file $short bytes short ends with another table"
done
echo "tune: killed ten times, same table"
