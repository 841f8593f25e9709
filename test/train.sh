#!/bin/sh
# The network learns the digits, and a run that is stopped and goes on ends as one that was not. A few steps on a file in the
# CIFAR-10 binary format, made here: a label byte, then planes of red, green and blue.
cd "$(dirname "$0")/.." || exit 2
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
make -s train || exit 1
build/train_cnn --epochs 2 --need 90 --checkpoint "$d/whole" >"$d/whole.txt" || { echo "train: $(tail -1 "$d/whole.txt")"; exit 1; }
build/train_cnn --epochs 1 --checkpoint "$d/part" >/dev/null && build/train_cnn --epochs 2 --checkpoint "$d/part" >"$d/part.txt" || exit 1
cmp "$d/whole" "$d/part" || { echo "train: a run that went on from a checkpoint ends with other weights"; exit 1; }
plane() { head -c 1024 /dev/zero | tr '\0' "\\$(printf %03o "$1")"; } # plane VALUE
for i in 0 1 2 3 4 5 6 7 8 9; do
	printf "\\$(printf %03o "$i")"
	plane $((i * 25)); plane $((250 - i * 25)); plane $((i % 3 * 100))
done >"$d/ten"
cat "$d/ten" "$d/ten" "$d/ten" "$d/ten" >"$d/data_batch_1.bin"
[ "$(stat -c %s "$d/data_batch_1.bin")" = $((40 * 3073)) ] || { echo "train: the made file is wrong"; exit 1; }
build/train_cnn --epochs 2 --batch 8 --rate 0.01 "$d/data_batch_1.bin" >"$d/cifar.txt" || { echo "train: CIFAR-10 file"; cat "$d/cifar.txt"; exit 1; }
grep -q '^32 images of 32 x 32 x 3 to train, 8 to test' "$d/cifar.txt" || { echo "train: $(head -1 "$d/cifar.txt")"; exit 1; }
awk '/^epoch/ { loss[++n] = $4 } END { exit !(n == 2 && loss[2] < loss[1]) }' "$d/cifar.txt" || { echo "train: the loss on the made file does not fall"; exit 1; }
head -c 5000 "$d/ten" >"$d/short"
build/train_cnn --epochs 1 "$d/short" >/dev/null 2>"$d/err" && { echo "train: a broken file was taken"; exit 1; }
grep -q 'no whole CIFAR-10 records' "$d/err" || { echo "train: $(cat "$d/err")"; exit 1; }
grep '^epoch' "$d/whole.txt"
