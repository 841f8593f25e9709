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
# the report that README shows is what the command prints, line for line; dots stand for what is left out
build/vinci run kernels/matmul --quiet >build/readme-run 2>&1 || { echo "FAILED: the run of make run"; bad=1; }
awk '/^What `make run`/ { on = 1 } /^## / { on = 0 } on && /^```/ { in_it = !in_it; next } on && in_it' README.md >build/readme-shown
[ "$(wc -l <build/readme-shown)" -ge 20 ] || { echo "README shows no report: the extraction is broken"; bad=1; }
while IFS= read -r line; do
	[ -z "$line" ] || [ "$line" = "..." ] || grep -qxF -- "$line" build/readme-run ||
		{ echo "README shows what make run does not print (build/readme-run has it): $line"; bad=1; }
done <build/readme-shown
# files that documents point to exist
for doc in README.md kernels/README.md configs/README.md; do
	for link in $(grep -o '](\([^)#]*\))' "$doc" | sed 's/](\(.*\))/\1/' | grep -v '^http'); do
		[ -e "$(dirname "$doc")/$link" ] || { echo "$doc points to $link, which is not there"; bad=1; }
	done
done
echo "$n commands of README run"
exit $bad
