#!/bin/sh
# `vinci check` as a user runs it: no finding on the project's kernels over odd sizes, each kind of report and exit status.
set -u
cd "$(dirname "$0")/.." || exit 2
vinci=build/vinci
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0 runs=0
fail() { echo "FAILED: $1"; bad=$((bad + 1)); }

clean() { # clean ARGS: no finding
	runs=$((runs + 1))
	$vinci check "$@" --quiet >"$tmp/out" 2>"$tmp/err" && grep -q "no mistake found" "$tmp/out" ||
		{ fail "vinci check $*"; cat "$tmp/err"; sed -n '/^Checks/,$p' "$tmp/out"; }
}
finds() { # finds CODE TEXT ARGS: must end with that exit status and say TEXT
	want=$1 text=$2
	shift 2
	runs=$((runs + 1))
	case $1 in trace | cc) q= ;; *) q=--quiet ;; esac
	timeout 60 $vinci "$@" $q >"$tmp/out" 2>&1
	got=$?
	[ "$got" = "$want" ] || { fail "vinci $*: exit $got, expected $want"; head -n 20 "$tmp/out"; }
	grep -qF -- "$text" "$tmp/out" || { fail "vinci $*: does not say \"$text\""; head -n 20 "$tmp/out"; }
}

for n in 1 15 16 17 127 129 1000; do
	for chip in ascend910b1 ascend910; do
		clean kernels/add --chip $chip --set n=$n
		clean kernels/add/f32.cfg --chip $chip --set n=$n
	done
	clean kernels/softmax --set rows=$n --set cols=$(((n * 37) % 1000 + 1))
	clean kernels/softmax/f16.cfg --set rows=$(((n * 11) % 200 + 1)) --set cols=$n
	clean kernels/matmul --set M=$n --set N=$(((n * 7) % 300 + 1)) --set K=$(((n * 13) % 300 + 1))
	clean kernels/matmul/f16.cfg --set M=$(((n * 5) % 130 + 1)) --set N=$n --set K=$n --set trans_b=1
	clean kernels/matmul_bias_relu --set M=$n --set N=$(((n * 3) % 140 + 1)) --set K=$(((n * 5) % 200 + 1))
	clean kernels/matmul_bias_relu --set M=$(((n * 3) % 140 + 1)) --set N=$n --set K=17
done
clean test/asc/compare_select
clean kernels/dropout
clean kernels/matmul --set M=700 --set N=300 --set K=600 --set step_m=256 --set step_n=128 --set pass_k=256 --set group=3
clean kernels/matmul --set M=1100 --set N=1200 --set K=700 # what a store wrote, the next pass adds to
clean kernels/matmul --set M=129 --set N=1030 --set K=550 --set trans_b=1 --set step_k=128 --set pass_k=256 --set group=4
clean kernels/softmax --set rows=3 --set cols=50000
clean kernels/matmul_bias_relu --set M=300 --set N=1000 --set K=1
clean kernels/add --set n=100000 --order-fuzz 3
grep -q "0 of 3 other legal orders" "$tmp/out" || fail "order-fuzz on add"

# small kernels with a mistake each
head -c 4096 /dev/zero >"$tmp/in.bin"
head="#include <stdint.h>
#define SYNC(a, b) do { set_flag(PIPE_##a, PIPE_##b, EVENT_ID0); wait_flag(PIPE_##a, PIPE_##b, EVENT_ID0); } while (0)
#define UB(a) ((__ubuf__ float *)(uintptr_t)(a))"
kernel() { printf '%s\n__global__ __aicore__ void k(__gm__ uint8_t *in, __gm__ uint8_t *out)\n{\n%s\n}\n' "$head" "$2" >"$tmp/$1.c"; }
args="--blocks 1 --in $tmp/in.bin:f32:1024 --out $tmp/out.bin:f32:1024"
load="copy_gm_to_ubuf((__ubuf__ void *)0, (__gm__ void *)in, 0, 1, 8, 0, 0);"
dup="vector_dup(UB(0x1000), 1.0f, 1, 1, 1, 8, 0);"
store="copy_ubuf_to_gm((__gm__ void *)out, (__ubuf__ void *)UB(0x1000), 0, 1, 8, 0, 0);"
kernel race "$dup
$store"
finds 1 "racecheck [read-after-write]" check "$tmp/race.c" $args
grep -q "race.c:7" "$tmp/out" && grep -q "race.c:6" "$tmp/out" || fail "race.c: both lines"
finds 1 "other legal orders of the pipes give another result" check "$tmp/race.c" $args --order-fuzz 8
grep -qE "[1-8] of 8 other legal" "$tmp/out" || { fail "order-fuzz shows no effect of a race"; tail -n 3 "$tmp/out"; }
finds 0 "Checks   mem, sync: no mistake found" run "$tmp/race.c" $args
finds 1 "racecheck" run "$tmp/race.c" $args --check=race
finds 0 "Checks   none" check "$tmp/race.c" $args --check=none --keep-going
finds 2 "none of mem, init, race, sync" check "$tmp/race.c" $args --check=everything
# one mistake in several findings: one headline, all of them with --all and in JSON
kernel cause "for (int i = 0; i < 2; i++) {
copy_gm_to_ubuf((__ubuf__ void *)UB(i * 0x1000), (__gm__ void *)in, 0, 1, 8, 0, 0);
}
set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
vadd(UB(0x2000), UB(0), UB(0), 1, 1, 1, 1, 8, 8, 8);
vadd(UB(0x2100), UB(0x1000), UB(0x1000), 1, 1, 1, 1, 8, 8, 8);
SYNC(V, MTE3);
copy_ubuf_to_gm((__gm__ void *)out, (__ubuf__ void *)UB(0x2000), 0, 1, 16, 0, 0);"
finds 1 "1 mistake, 3 findings" check "$tmp/cause.c" $args
grep -q "and 2 more that follow from it (--all shows them in full)" "$tmp/out" || { fail "what follows"; cat "$tmp/out"; }
grep -q "synccheck \[left-set\] at cause.c:9" "$tmp/out" || fail "what follows, line"
grep -q "the set_flag at cause.c:9 in k stands behind the first, and no wait takes it" "$tmp/out" || fail "hint names the set"
[ "$(grep -c '^  at ' "$tmp/out")" = 1 ] || fail "one block for one mistake"
finds 1 "follows from finding 1" check "$tmp/cause.c" $args --all
[ "$(grep -c '^  at ' "$tmp/out")" = 3 ] || fail "--all: three blocks"
$vinci check "$tmp/cause.c" $args --quiet --json >"$tmp/out" 2>/dev/null
[ "$(grep -c '"cause": 0' "$tmp/out")" = 3 ] || { fail "JSON: three findings with one cause"; cat "$tmp/out"; }
# a pipelined kernel without one wait: undefined bytes and the deadlock follow from the race; without two: two headlines
cp -R kernels "$tmp/kernels"
sed 's/wait_flag(PIPE_MTE1, PIPE_M, stage);/;/' kernels/matmul/matmul.c >"$tmp/kernels/matmul/matmul.c"
cmp -s kernels/matmul/matmul.c "$tmp/kernels/matmul/matmul.c" && fail "no wait of matmul is removed"
finds 1 ": 1 mistake, " check "$tmp/kernels/matmul"
for what in "initcheck [undefined-result]" "deadlock [deadlock]"; do
	grep -qF "    $what at matmul.c:" "$tmp/out" || { fail "$what follows from the race"; cat "$tmp/out"; }
done
sed 's/wait_flag(PIPE_M, PIPE_MTE1, stage);/;/; s/wait_flag(PIPE_M, PIPE_FIX, p.slot);/;/' kernels/matmul/matmul.c \
	>"$tmp/kernels/matmul/matmul.c"
finds 1 ": 2 mistakes, " check "$tmp/kernels/matmul"
kernel left "$dup SYNC(V, MTE3); $store set_flag(PIPE_V, PIPE_MTE2, EVENT_ID3);"
finds 1 "synccheck [left-set]" run "$tmp/left.c" $args
kernel undefined "SYNC(V, MTE3); $store"
finds 1 "initcheck [never-written]" check "$tmp/undefined.c" $args
kernel dead "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);"
finds 1 "deadlock [deadlock]" check "$tmp/dead.c" $args
kernel bounds "copy_gm_to_ubuf((__ubuf__ void *)0, (__gm__ void *)in, 0, 1, 129, 0, 0);"
finds 1 "memcheck [out-of-bounds]" check "$tmp/bounds.c" $args
$vinci check "$tmp/bounds.c" $args --quiet --json >"$tmp/out" 2>/dev/null
grep -q '"code": "out-of-bounds"' "$tmp/out" && grep -q '"line": 6' "$tmp/out" || { fail "JSON of a failed run"; cat "$tmp/out"; }
kernel spare "$load SYNC(MTE2, V);
vadd(UB(0x1000), UB(0), UB(0), 1, 1, 1, 1, 8, 8, 8);
pipe_barrier(PIPE_V);
vadd(UB(0x1100), UB(0), UB(0), 1, 1, 1, 1, 8, 8, 8);
SYNC(V, MTE3);
copy_ubuf_to_gm((__gm__ void *)out, (__ubuf__ void *)UB(0x1000), 0, 1, 16, 0, 0);"
finds 0 "spare.c:8 in k: pipe_barrier" check "$tmp/spare.c" $args

# operands wider than their field: constants by the compiler, others where it is asked for
mad() { echo "mad((__cc__ float *)0, (__ca__ half *)0, (__cb__ half *)0, $1, 16, 16, 0, 0, 0, 1);"; }
kernel wide "$(mad 4096)"
finds 2 "mad: m does not fit into its 12 bits (at most 4095)" run "$tmp/wide.c" $args --core cube
kernel twenty "ffts_cross_core_sync(PIPE_FIX, 1 | 20 << 8);"
finds 2 "flag id 4 (0..15)" run "$tmp/twenty.c" $args --core cube
kernel any "$(mad '*(volatile __gm__ uint8_t *)in + 4096')"
finds 1 "mad: m does not fit into its 12 bits (at most 4095)" run "$tmp/any.c" $args --core cube --set cflags=-DVINCI_CHECK_OPERANDS
grep -q "any.c:6" "$tmp/out" || fail "line of an operand that does not fit"
kernel message "ffts_cross_core_sync(PIPE_FIX, 1 | (20 + *(volatile __gm__ uint8_t *)in) << 8);"
finds 1 "message 0x1401 has bits outside its fields" run "$tmp/message.c" $args --core cube

# a buffer that is read and written: its result goes where it is asked to
kernel both "$load SYNC(MTE2, V);
vadds(UB(0x1000), UB(0), 1.0f, 4, 1, 1, 8, 8);
SYNC(V, MTE3);
copy_ubuf_to_gm((__gm__ void *)out, (__ubuf__ void *)UB(0x1000), 0, 1, 8, 0, 0);
(void)in;"
cp "$tmp/in.bin" "$tmp/io.bin"
finds 0 "not compared" run "$tmp/both.c" --blocks 1 --in "$tmp/in.bin:f32:1024" --inout "$tmp/io.bin:f32:1024" --result "$tmp/io.out.bin"
cmp -s "$tmp/io.bin" "$tmp/in.bin" || fail "--inout: the input was changed"
[ "$(od -An -tf4 -N4 "$tmp/io.out.bin" | tr -d ' ')" = 1 ] || fail "--result: first element"
finds 2 "no --inout right before it" run "$tmp/both.c" --in "$tmp/in.bin:f32:1024" --result "$tmp/x.bin"

# what may not make it wait
mkfifo "$tmp/pipe.cfg" "$tmp/pipe.bin" "$tmp/pipe.c" "$tmp/pipe.vtr"
finds 2 "not a regular file" run "$tmp/pipe.cfg"
finds 2 "not a regular file" run "$tmp/both.c" --in "$tmp/pipe.bin:f32:1024" --out "$tmp/o.bin:f32:1024" --blocks 1
finds 2 "pipe.c is not a regular file" run "$tmp/pipe.c" $args
finds 2 "pipe.c is not a regular file" cc "$tmp/pipe.c" -o "$tmp/pipe.elf"
finds 2 "not a plain file" trace "$tmp/pipe.vtr"
printf 'kernel = "both.c"; params = { n = 4; m = "later * 2"; later = 3; };\n' >"$tmp/params.cfg"
finds 2 "params.m" run "$tmp/params.cfg"

# what is not modelled: passed over, its destination undefined
kernel gap "copy_gm_to_cbuf((__cbuf__ void *)0, (__gm__ void *)in, 0, 1, 16, 0, 0, PAD_MODE7);
set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
copy_cbuf_to_gm((__gm__ void *)out, (__cbuf__ void *)0, 0, 1, 16, 0, 0);"
finds 3 "pad mode 7 is not modelled" run "$tmp/gap.c" $args --core cube
finds 3 "Not modelled, passed over" run "$tmp/gap.c" $args --core cube --keep-going
finds 1 "initcheck [undefined-result]" check "$tmp/gap.c" $args --core cube --keep-going

echo "$runs checks, $bad failed"
[ "$bad" = 0 ]
