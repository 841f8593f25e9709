#!/bin/sh
# The README's commands, as they stand there: each line of the ```sh blocks that starts with build/vinci must succeed.
set -u
cd "$(dirname "$0")/.." || exit 2
bad=0 n=0
sed -n '/^```sh$/,/^```$/p' README.md kernels/README.md | grep '^build/vinci' >build/readme-commands
while IFS= read -r line; do
	n=$((n + 1))
	sh -c "$line" </dev/null >build/readme-out 2>&1 || { echo "FAILED: $line"; head -n 5 build/readme-out; bad=1; }
done <build/readme-commands
[ "$n" -ge 8 ] || { echo "README has only $n commands: the extraction is broken"; bad=1; }
# files that documents point to exist
for doc in README.md kernels/README.md configs/README.md; do
	for link in $(grep -o '](\([^)#]*\))' "$doc" | sed 's/](\(.*\))/\1/' | grep -v '^http'); do
		[ -e "$(dirname "$doc")/$link" ] || { echo "$doc points to $link, which is not there"; bad=1; }
	done
done
echo "$n commands of README run"
exit $bad
