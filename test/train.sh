#!/bin/sh
# The network learns the digits, and a run that is stopped and goes on ends as one that was not.
cd "$(dirname "$0")/.." || exit 2
d=$(mktemp -d) || exit 2
trap 'rm -rf "$d"' EXIT
make -s train || exit 1
build/train_cnn --epochs 2 --need 90 --checkpoint "$d/whole" >"$d/whole.txt" || { echo "train: $(tail -1 "$d/whole.txt")"; exit 1; }
build/train_cnn --epochs 1 --checkpoint "$d/part" >/dev/null && build/train_cnn --epochs 2 --checkpoint "$d/part" >"$d/part.txt" || exit 1
cmp "$d/whole" "$d/part" || { echo "train: a run that went on from a checkpoint ends with other weights"; exit 1; }
grep '^epoch' "$d/whole.txt"
