#!/bin/sh
# The command as a user runs it: kernels on the chips of the family, own files, a wrong golden, errors with their exit
# status, shapes beyond what a kernel is made for. Kernels over many shapes: test/ops.sh.
set -u
cd "$(dirname "$0")/.." || exit 2
vinci=build/vinci
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0 runs=0
fail() { echo "FAILED: $1"; bad=$((bad + 1)); }

good() { # good ARGS: must pass
	runs=$((runs + 1))
	$vinci run "$@" --quiet >"$tmp/out" 2>"$tmp/err" || { fail "vinci run $*"; cat "$tmp/err"; grep -A3 DIFFERS "$tmp/out"; }
}
status() { # status CODE TEXT ARGS: must end with that exit status and say TEXT on stderr or stdout
	want=$1 text=$2
	shift 2
	runs=$((runs + 1))
	$vinci "$@" >"$tmp/out" 2>&1
	got=$?
	[ "$got" = "$want" ] || { fail "vinci $*: exit $got, expected $want"; head -n 5 "$tmp/out"; }
	grep -qF -- "$text" "$tmp/out" || { fail "vinci $*: does not say \"$text\""; head -n 5 "$tmp/out"; }
}

# more blocks than cores, fewer, other tiles, other chips of the family
good kernels/matmul --set M=300 --set N=700 --set base_m=32 --set base_n=48 --set step_n=96 --blocks 100
good kernels/matmul --blocks 1 --set M=130
# A kept in L1 over passes along K: tails of every size, few tiles, groups that do not divide, more stages than steps
for b in 0 1; do
	good kernels/matmul --set M=700 --set N=1000 --set K=1100 --set trans_b=$b --set step_m=256 --set step_n=128 --set pass_k=512 --set group=3
	good kernels/matmul --set M=513 --set N=130 --set K=777 --set trans_b=$b --set step_k=128 --set pass_k=384 --set group=16
	good kernels/matmul --set M=1 --set N=300 --set K=1025 --set trans_b=$b --set pass_k=1024 --set step_n=128 --set group=2
done
good kernels/matmul --set M=130 --set N=90 --set K=200 --set base_m=16 --set base_n=16 --set base_k=16 --set step_m=64 --set step_n=32 \
	--set step_k=16 --set pass_k=48 --set group=7
good kernels/matmul --blocks 3 --set M=513 --set N=770 --set K=400 --set step_m=256 --set step_n=128 --set step_k=128 --set pass_k=128
good kernels/matmul/f16.cfg --set M=200 --set N=700 --set K=500 --set pass_k=512 --set group=4
status 2 "does not fit into u32" run kernels/add --set n=4294967297 --set x.file=missing.npy --quiet # before any array is made
status 1 "the kernel's own check at this line" run kernels/add --set tile_bytes=17 --quiet
status 1 "called trap" run kernels/matmul/f16.cfg --set K=1100 --set pass_k=512 --quiet
good kernels/matmul --set base_m=64 --set base_n=128 --set base_k=128 --set step_k=256
for chip in lite tiny; do good kernels/add --chip $chip; good kernels/add/f32.cfg --chip $chip --set n=1000; done
for chip in ascend910b2 ascend910b3 ascend910b4; do good kernels/matmul --chip $chip; good kernels/softmax --chip $chip; done
good kernels/softmax --set rows=3 --set cols=100000

# a shape beyond a kernel's limits is an error that names the limit, never a wrong value
beyond() { # beyond TEXT ARGS
	text=$1
	shift
	status 1 "beyond the kernel's limits: " run "$@" --quiet
	grep -qF -- "$text" "$tmp/out" || { fail "vinci run $*: does not say \"$text\""; head -n 5 "$tmp/out"; }
}
row="a row, rounded up to 16 elements, fits into a tile"
beyond "$row" kernels/layer_norm --set cols=4097
beyond "$row" kernels/layer_norm/rms_f16.cfg --set cols=4097
beyond "$row" kernels/layer_norm/grad.cfg --set cols=3073
beyond "tiles of \`tile\` elements fit into UB: at most 3072" kernels/layer_norm/grad.cfg --set cols=4096 --set tile=4096
beyond "$row" kernels/softmax_grad --set cols=3073
beyond "$row" kernels/cross_entropy --set classes=3073
beyond "$row" kernels/batch_norm --set cols=2049
beyond "$row" kernels/batch_norm/grad.cfg --set cols=2049
beyond "tiles and vectors of \`tile\` elements fit into UB" kernels/batch_norm --set tile=8192
beyond "axis and inner are at least 1" kernels/reduce --set axis=0
beyond "k is 1 to n" kernels/topk --set k=2001
beyond "k is at most 4095 where n is above 8192" kernels/topk --set n=8193 --set k=4096
beyond "d is 1 to 128" kernels/flash_attention --set d=129
beyond "there are at least as many keys as rows" kernels/flash_attention/causal.cfg --set keys=383
beyond "a unit's rows of pixels" kernels/pool --set h=4 --set w=3000
beyond "a unit's rows of pixels" kernels/pool/max_grad.cfg --set h=4 --set w=1000 --set size=3
beyond "stride is 1 to 63" kernels/conv2d --set stride=64 --set h=70
beyond "pad is less than kh and kw" kernels/conv2d --set pad=3
beyond "a smaller \`band\` helps" kernels/conv2d --set w=2000
beyond "a smaller \`base_n\` helps" kernels/conv2d --set c=512 --set h=3 --set w=3 --set co=128
beyond "a smaller \`band\` helps" kernels/conv2d/grad_input.cfg --set w=5000
beyond "64 KB of L1 each" kernels/conv2d/grad_weight.cfg --set w=2000
beyond "splits is at least 1" kernels/matmul_split_k --set splits=0

status 1 "kernel [limit]: beyond the kernel's limits: k is 1 to n" check kernels/topk --set k=0 --quiet

# own files: write an output, feed it back as input
good kernels/add --set n=129 --set z.out="$tmp/z.npy"
good kernels/add --set n=129 --set x.file="$tmp/z.npy" --set z.out="$tmp/z2.bin"
[ "$(stat -c %s "$tmp/z2.bin")" = 258 ] || fail "z2.bin should have 258 bytes"
# a golden from a file: the right one, then a wrong one
good kernels/add --set n=129 --set z.golden="$tmp/z.npy"
status 1 "DIFFERS" run kernels/add --set n=129 --set z.golden="$tmp/z.npy" --set x.init=ones --quiet
status 2 "expected 130" run kernels/add --set n=130 --set x.file="$tmp/z.npy" --quiet
# an .elf with arguments on the command line
$vinci cc kernels/add/add.c -o "$tmp/add.elf" || fail "vinci cc"
good "$tmp/add.elf" --entry add_f16 --in "$tmp/z.npy" --in "$tmp/z.npy" --out "$tmp/w.npy:f16:129" \
	--tiling n=129,tile_bytes=16384
status 2 "takes 4 arguments" run "$tmp/add.elf" --entry add_f16 --in "$tmp/z.npy" --quiet
status 2 "built for" run "$tmp/add.elf" --entry add_f16 --chip ascend910 --quiet
status 2 "no_such" run "$tmp/add.elf" --entry no_such --quiet
# mistakes of the user
status 2 "no such file" run /nonexistent
cp LICENSE "$tmp/l.elf"; status 2 "ELF" run "$tmp/l.elf" --quiet
status 2 "command" frobnicate
status 2 "hbm" run kernels/add --set-chip gm.hbm=1 --quiet
status 2 "chip" run kernels/add --chip ascend999 --quiet
status 1 "still runs after" run kernels/matmul --max-cycles 3000 --quiet
# words that do not fit or do not mean a number are refused, never cut or wrapped
status 2 "at most 65535 blocks" run kernels/add --blocks 65536 --quiet
status 2 "name of the file is missing" run "$tmp/add.elf" --entry add_f16 --in :f16:129 --quiet
status 2 "is not a shape" run "$tmp/add.elf" --entry add_f16 --in "$tmp/z2.bin:f16:-5" --quiet
status 2 "given twice" run "$tmp/add.elf" --entry add_f16 --tiling n=1,n=2 --quiet
echo '__global__ __aicore__ void f(float a, uint64_t b) { if (a != 0.5f || b != UINT64_MAX) trap(); }' >"$tmp/f.c"
good "$tmp/f.c" --scalar f32:0.5 --scalar u64:18446744073709551615
status 2 "would drop the fraction" run "$tmp/f.c" --scalar f32:1/2 --scalar u64:1 --quiet
status 2 "at most 511 fit" run kernels/add --trace "$(printf '%0600d' 0)" --quiet
# devices are written, not replaced; a report that nobody gets is no success
status 2 "could not be written" run kernels/add --set n=17 --quiet --json=/dev/full
status 2 "No space left" run kernels/add --set n=17 --quiet --set z.out=/dev/full
status 2 "regular file" cc kernels/add/add.c -o /dev/null
[ -c /dev/full ] && [ -c /dev/null ] || fail "a device was replaced by a file"
$vinci chips >/dev/full 2>"$tmp/err" && fail "chips > /dev/full: exit 0"
# through a link to the file that it means
ln -s "$tmp/behind.npy" "$tmp/link.npy" && : >"$tmp/behind.npy"
good kernels/add --set n=17 --set z.out="$tmp/link.npy"
[ -L "$tmp/link.npy" ] && [ -s "$tmp/behind.npy" ] || fail "an output replaced a link"
# machine-readable report
good kernels/add --set n=17 --json="$tmp/r.json"
grep -q '"schema_version": 2' "$tmp/r.json" || fail "no schema_version in the JSON report"
# reports and their views, changed runs, comparison
status 0 "critical path" report kernels/add --set n=5000 --source --roofline --buffers --disassembly --quiet
status 0 "what that saves" report kernels/softmax --set rows=64 --bounds --quiet
status 0 "HBM of unlimited bandwidth" run kernels/add --set n=50000 --what-if hbm=ideal --quiet
status 2 "no such change" run kernels/add --what-if speed=2x --quiet
status 2 "no pipe_barrier is at" run kernels/add --set n=100 --what-if barrier@add.c:1=off --quiet
good kernels/add --set n=2000000 --json="$tmp/r1.json" --trace "$tmp/r1.vtr"
good kernels/add --set n=2000000 --set tile_bytes=1024 --json="$tmp/r2.json" --trace "$tmp/r2.vtr"
status 1 "slower by" diff "$tmp/r1.json" "$tmp/r2.json" --fail-if-slower 2%
status 0 "copy_gm_to_ubuf_align_b16 at add.c" diff "$tmp/r1.vtr" "$tmp/r2.vtr"
status 0 "(+0.00 %)" diff "$tmp/r1.json" "$tmp/r1.vtr" --fail-if-slower 0
# a trace with a byte changed in its middle is compared with nothing: sums would lack what the byte's block held
size=$(wc -c <"$tmp/r1.vtr")
{ head -c $((size / 4)) "$tmp/r1.vtr"; printf '\377\376\375\374'; tail -c +$((size / 4 + 5)) "$tmp/r1.vtr"; } >"$tmp/bad.vtr"
status 2 "the trace is damaged in 1 place" diff "$tmp/r1.vtr" "$tmp/bad.vtr"
status 0 "1 damaged block was left out" trace "$tmp/bad.vtr"
status 2 "not a Vinci trace" diff "$tmp/r1.json" LICENSE
for change in 's/^  "cycles": /&-/' '0,/"busy_cycles": /s//&-/' '/"per_core"/,$s/\("busy": \)\([1-9]\)/\1-\2/' \
	's/^  "cycles": /&99999999999/'; do
	sed "$change" "$tmp/r1.json" >"$tmp/negative.json"
	cmp -s "$tmp/r1.json" "$tmp/negative.json" && { echo "FAILED: $change changes nothing"; bad=$((bad + 1)); }
	status 2 "expected a number from 0 to 281474976710656" diff "$tmp/r1.json" "$tmp/negative.json"
	status 2 "vinci run TARGET --json=FILE" diff "$tmp/negative.json" "$tmp/r1.json"
done
echo "{" >"$tmp/half.json"; status 2 "no JSON report" diff "$tmp/r1.json" "$tmp/half.json"
test/manual.sh || fail "the manual page or the completions"
# the same run twice
$vinci run kernels/softmax --quiet >"$tmp/1" && $vinci run kernels/softmax --quiet >"$tmp/2"
cmp -s "$tmp/1" "$tmp/2" || fail "two runs of softmax differ"
# values do not change time
a=$($vinci run kernels/matmul --quiet --json | grep '"cycles"') b=$($vinci run kernels/matmul --quiet --timing-only --json | grep '"cycles"')
[ "$a" = "$b" ] || fail "timing-only: $b, with values: $a"
echo "$runs runs, $bad failed"
[ "$bad" = 0 ]
